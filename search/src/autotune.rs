//! Choice among equivalent lowerings of a step, by the step time predicted for a machine.
//!
//! A rewrite found by equality saturation is cheaper within its window, but can make the step slower, because the
//! window does not include later uses of partial sums or the compute that overlaps with their reduction. The same
//! applies to equally cheap positions of reductions. Each variant is therefore lowered and predicted, and replaces the
//! best variant only if the predicted step time decreases, so that no step becomes slower. Nothing is tuned without a
//! machine or for large steps.

use crate::limits::SearchLimits;
use partita_cost::placement::Placement;
use partita_cost::roofline::Efficiencies;
use partita_cost::step::{Prediction, predict_with_prices};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::program::Program;
use partita_machine::collective::choice::Prices;
use partita_passes::driver::variant::{ReductionPlacement, Variant};
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelining::stages::pipeline;

/// Changes to the best variant so far, tried in this order.
const VARIANT_CHANGES: [fn(Variant) -> Variant; 3] = [
    |variant| Variant { reductions: ReductionPlacement::Earliest, ..variant },
    // If reductions stay where partial sums arise, rewrite rules find other positions.
    |variant| Variant { reductions: ReductionPlacement::AtProducer, is_rearranged: true, ..variant },
    |variant| Variant { is_simplified: true, ..variant },
];

/// A selected variant other than the default.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VariantChoice {
    /// The variant.
    pub variant: Variant,
    /// Predicted step time of the default variant in seconds.
    pub default_seconds: f64,
    /// Predicted cost of the selected variant.
    pub cost: StepCost,
}

/// Predicted cost of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepCost {
    /// Predicted step time in seconds.
    pub seconds: f64,
    /// Peak memory of any device in bytes.
    pub peak: u64,
    /// Parts of the step time.
    pub shares: StepShares,
}

/// Parts of a step's time on the stage that is busy the longest, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepShares {
    /// Kernels.
    pub computing: f64,
    /// Waiting for collectives of the stage.
    pub communicating: f64,
    /// Waiting for other stages.
    pub idle: f64,
}

impl StepShares {
    /// Returns the parts of a predicted step.
    pub(crate) fn from_prediction(prediction: &Prediction) -> StepShares {
        let busiest = prediction.stages.iter().max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
        let [computing, communicating] = busiest.map_or([0.0; 2], |stage| [stage.computing, stage.exposed]);
        let communicating = communicating.min((prediction.seconds - computing).max(0.0));
        let idle = (prediction.seconds - computing - communicating).max(0.0);
        StepShares { computing, communicating, idle }
    }
}

/// Selects the best variant for a step on the machine of the given prices, for a pipeline or a single mesh. `known` is
/// the cost of the default variant, if it was predicted before. Returns `None` if the default variant is the best. Each
/// change is retained if it reduces the step time.
///
/// # Errors
/// Returns internal errors only: a variant that cannot be lowered is skipped.
pub fn choose_variant(
    step: &Program,
    pipelined: &PipelineConfig,
    input: &Input,
    costs: (&Prices<'_>, &Efficiencies),
    known: Option<StepCost>,
) -> Result<Option<VariantChoice>, Vec<Diagnostic>> {
    let machine = costs.0.machine();
    // On a measured machine, the prediction must match the program that `run` executes, which is compiled without a
    // machine.
    let is_large =
        step.funcs.values().map(|func| func.ops().len()).sum::<usize>() > SearchLimits::TUNED.max_autotuned_ops;
    if is_large || machine.host.is_some() {
        return Ok(None);
    }
    let evaluate = |variant: Variant| match predict_step_cost(
        step,
        pipelined,
        &Input { variant, ..input.clone() },
        &mut Findings::default(),
        costs,
    ) {
        Err(errors) if errors.iter().all(|error| error.code != Code::B001) => Ok(None),
        priced => priced,
    };
    let default = input.variant;
    let known = if known.is_some() { known } else { evaluate(default)? };
    let Some(default_cost) = known else { return Ok(None) };
    let memory = machine.kinds.iter().map(|kind| kind.memory).min().unwrap_or(0);
    let memory = input.plan.budget_bytes()?.map_or(memory, |budget| budget.min(memory)).max(default_cost.peak);
    let mut best = VariantChoice { variant: default, default_seconds: default_cost.seconds, cost: default_cost };
    for change in VARIANT_CHANGES {
        let variant = change(best.variant);
        if variant == best.variant {
            continue;
        }
        if let Some(cost) = evaluate(variant)?
            && cost.seconds < best.cost.seconds * (1.0 - SearchLimits::TUNED.min_saving)
            && cost.peak <= memory
        {
            best = VariantChoice { variant, cost, ..best };
        }
    }
    Ok((best.variant != default).then_some(best))
}

/// Predicts the cost of a step lowered with the variant in `input`. Returns `None` if the step cannot be placed or
/// predicted.
///
/// # Errors
/// Returns errors in the plan.
pub fn predict_step_cost(
    step: &Program,
    pipelined: &PipelineConfig,
    input: &Input,
    findings: &mut Findings,
    (prices, efficiencies): (&Prices<'_>, &Efficiencies),
) -> Result<Option<StepCost>, Vec<Diagnostic>> {
    let lowered = pipeline(step, pipelined, input, findings, &mut |_| Ok(()))?;
    let placement =
        Placement::for_pipeline(&lowered, prices.machine(), &findings.plan(&input.plan).mesh_axis_order()?).ok();
    let predicted =
        placement.and_then(|placement| predict_with_prices(&lowered, prices, &placement, efficiencies).ok());
    let cost = |predicted: Prediction| StepCost {
        seconds: predicted.seconds,
        peak: predicted.peak_bytes(),
        shares: StepShares::from_prediction(&predicted),
    };
    Ok(predicted.map(cost))
}
