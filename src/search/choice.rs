//! Summary of a search in sentences: the chosen plan, the reasons for its time, and why the runner-up is slower.

use partita_ir::units::{format_bytes, format_seconds};
use partita_search::{SimulatedPlan, StepShares};
use std::fmt;

/// The best plan and the runner-up. Prints as a paragraph.
pub(super) struct Choice<'a> {
    pub(super) best: &'a SimulatedPlan,
    pub(super) runner_up: Option<&'a SimulatedPlan>,
    /// Memory limit of a device, in bytes.
    pub(super) memory: u64,
    /// Framework that the plans are for: ` for megatron`. Empty without one.
    pub(super) target: String,
}

/// Returns the best of the other plans that differs from the best one in more than details of its layouts.
pub(super) fn runner_up<'a>(best: &SimulatedPlan, others: &'a [SimulatedPlan]) -> Option<&'a SimulatedPlan> {
    let decisions =
        |one: &SimulatedPlan| (one.mesh.clone(), one.stages, one.micro_batches, one.recompute, presets(one));
    others.iter().find(|other| decisions(other) != decisions(best)).or(others.first())
}

fn presets(plan: &SimulatedPlan) -> String {
    plan.plan.presets.iter().map(|preset| preset.text.trim()).collect::<Vec<_>>().join(", ")
}

/// Describes the decisions of a plan: `data=8, model=4 with data, megatron, in 2 stages with 8 micro-batches (zb-h1)`.
fn describe(plan: &SimulatedPlan) -> String {
    let mut text = plan.mesh.replace(',', ", ");
    let presets = presets(plan);
    if !presets.is_empty() {
        text += &format!(" with {presets}");
    }
    if plan.stages > 1 {
        text += &format!(", in {} stages", plan.stages);
    }
    if plan.micro_batches > 1 {
        text += &format!(", {} micro-batches", plan.micro_batches);
    }
    if let Some(schedule) = &plan.schedule {
        text += &format!(" ({schedule})");
    }
    if plan.recompute != "none" {
        text += &format!(", {} recomputation", plan.recompute);
    }
    text
}

/// Describes the parts of a step that are not zero.
fn describe_shares(shares: &StepShares, seconds: f64) -> String {
    let part = |what: &str, part: f64| {
        (part > 0.005 * seconds).then(|| format!("{} {what} ({:.0} %)", format_seconds(part), 100.0 * part / seconds))
    };
    let parts = [
        part("computing", shares.computing),
        part("waiting for collectives", shares.communicating),
        part("waiting for other stages", shares.idle),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match &parts[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        parts => parts.concat(),
    }
}

impl fmt::Display for Choice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Choice { best, runner_up, memory, target } = self;
        writeln!(f, "chosen{target}: {}", describe(best))?;
        if let Some(shares) = &best.shares {
            writeln!(f, "  a device spends {}", describe_shares(shares, best.seconds))?;
        }
        let Some(other) = runner_up else { return Ok(()) };
        writeln!(f, "runner-up: {}", describe(other))?;
        if other.peak > *memory {
            let (peak, memory) = (format_bytes(other.peak), format_bytes(*memory));
            return writeln!(f, "  it does not fit: {peak} of {memory} per device");
        }
        let more = 100.0 * (other.seconds / best.seconds - 1.0);
        let Some((a, b)) = best.shares.zip(other.shares) else { return writeln!(f, "  it takes {more:.1} % longer") };
        let differences = [
            ("computing", b.computing - a.computing),
            ("waiting for collectives", b.communicating - a.communicating),
            ("waiting for other stages", b.idle - a.idle),
        ];
        let largest = differences.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        match largest.filter(|(_, difference)| *difference > 0.0) {
            Some((what, difference)) => {
                writeln!(
                    f,
                    "  it takes {more:.1} % longer, because a device spends {} more {what}",
                    format_seconds(difference)
                )
            }
            None => writeln!(f, "  it takes {more:.1} % longer"),
        }
    }
}
