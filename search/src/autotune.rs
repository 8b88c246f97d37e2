//! Several ways to compute a step, of which the one is taken that is predicted to be fastest on a machine.
//!
//! What equality saturation finds in a window is cheaper by itself, and may be dearer for the step: what sums flow
//! through behind the window, and what is computed while they are reduced, no window sees. The same holds for where
//! sums are reduced, of equally cheap places. So the step is made in each way, as it would run, and a way is taken only
//! if the step is predicted to be faster than in all that were tried before: no step becomes slower. Without a machine
//! nothing is tried, and of large steps nothing is either.

use crate::limits::SearchLimits;
use partita_cost::placement::Placement;
use partita_cost::roofline::Efficiencies;
use partita_cost::step::predict_by;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::pipeline::Pipelined;
use partita_ir::program::Program;
use partita_machine::collective::choice::Prices;
use partita_passes::driver::variant::{Variant, When};
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelining::stages::pipeline;

/// What is changed about the best variant so far, one after the other.
const CHANGES: [fn(Variant) -> Variant; 3] = [
    |variant| Variant { when: When::Earliest, ..variant },
    // Where sums are reduced as they arise, laws find where else they may be.
    |variant| Variant { when: When::AtOnce, is_rearranged: true, ..variant },
    |variant| Variant { is_simplified: true, ..variant },
];

/// The variant that is taken, where it is not the usual one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// The variant.
    pub variant: Variant,
    /// Seconds that a step would take otherwise, as predicted.
    pub before: f64,
    /// Seconds that it takes, as predicted.
    pub after: f64,
}

/// What a step comes to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Price {
    /// Seconds that it is predicted to take.
    pub seconds: f64,
    /// The most bytes that a device holds.
    pub peak: u64,
}

/// The best way to compute a step, in stages or on one mesh, on the machine that the prices are those of; `None` where
/// that is the usual one. The variant is changed as long as that helps.
///
/// # Errors
/// Only bugs: a way that cannot be gone is none.
pub fn choose(
    step: &Program,
    how: &Pipelined,
    input: &Input,
    by: (&Prices<'_>, &Efficiencies),
) -> Result<Option<Choice>, Vec<Diagnostic>> {
    let machine = by.0.machine();
    // On a machine that was measured a step is predicted as `run` carries it out, which knows no machine.
    let is_large = step.funcs.values().map(|func| func.ops().len()).sum::<usize>() > SearchLimits::TUNED.autotuned_ops;
    if is_large || machine.host.is_some() {
        return Ok(None);
    }
    let come_to =
        |variant: Variant| match price(step, how, &Input { variant, ..input.clone() }, &mut Findings::default(), by) {
            Err(errors) if errors.iter().all(|error| error.code != Code::B001) => Ok(None),
            priced => priced,
        };
    let usual = input.variant;
    let Some(Price { seconds: before, peak }) = come_to(usual)? else { return Ok(None) };
    let room = machine.kinds.iter().map(|kind| kind.memory).min().unwrap_or(0);
    let room = input.plan.budget_bytes()?.map_or(room, |budget| budget.min(room)).max(peak);
    let mut best = Choice { variant: usual, before, after: before };
    for change in CHANGES {
        let variant = change(best.variant);
        if variant == best.variant {
            continue;
        }
        if let Some(Price { seconds, peak }) = come_to(variant)?
            && seconds < best.after * (1.0 - SearchLimits::TUNED.least_saving)
            && peak <= room
        {
            best = Choice { variant, after: seconds, ..best };
        }
    }
    Ok((best.variant != usual).then_some(best))
}

/// Returns the price of a step, lowered as the variant of `input` says; `None` where it cannot be priced.
///
/// # Errors
/// What is wrong with the plan.
pub fn price(
    step: &Program,
    how: &Pipelined,
    input: &Input,
    findings: &mut Findings,
    (prices, efficiencies): (&Prices<'_>, &Efficiencies),
) -> Result<Option<Price>, Vec<Diagnostic>> {
    let made = pipeline(step, how, input, findings, &mut |_| Ok(()))?;
    let placement = Placement::of(&made, prices.machine(), &findings.plan(&input.plan).mapped()?).ok();
    let predicted = placement.and_then(|placement| predict_by(&made, prices, &placement, efficiencies).ok());
    Ok(predicted.map(|predicted| Price { seconds: predicted.seconds, peak: predicted.peak_bytes() }))
}
