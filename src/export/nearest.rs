//! The nearest plan that a target can express, and the error that proposes it.

use super::{Candidate, ExportRequest};
use crate::search::Target;
use crate::simulate::Simulation;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;
use partita_ir::units::{format_bytes, format_seconds};
use partita_search::target::Projection;

/// Maximum number of projections. Each one may reveal obstacles that an earlier one concealed.
const MAX_ROUNDS: usize = 8;

/// Maximum number of changes that an error lists.
const MAX_LISTED_CHANGES: usize = 8;

/// Finds the nearest plan by repeated projection. Returns it with the changes; `None` if an obstacle has no projection,
/// or a projected plan is invalid.
pub(super) fn find(program: &Program, own: &Candidate, target: Target) -> Option<(Candidate, Vec<String>)> {
    let mut changes: Vec<String> = Vec::new();
    let Projection { mut plan, changes: first } = own.rules.project(&own.plan, &own.obstacles)?;
    changes.extend(first);
    for _ in 0..MAX_ROUNDS {
        let candidate = Candidate::new(program, &plan, target).ok()?;
        if candidate.obstacles.is_empty() {
            return Some((candidate, changes));
        }
        let next = candidate.rules.project(&plan, &candidate.obstacles)?;
        if next.plan == plan {
            return None;
        }
        plan = next.plan;
        changes.extend(next.changes);
    }
    None
}

/// Returns the error for a plan that a target cannot express.
pub(super) fn error(
    program: &Program,
    own: &Candidate,
    nearest: Option<&(Candidate, Vec<String>)>,
    request: &ExportRequest<'_>,
) -> Diagnostic {
    let mut error = own.rules.export_error(&own.obstacles);
    let Some((candidate, changes)) = nearest else {
        let help = format!("search a plan that it can express: `partita search --target {}`", request.target);
        return error.note("the plan has no nearest plan without these parts").help(help);
    };
    let shown = changes.iter().take(MAX_LISTED_CHANGES).cloned().collect::<Vec<_>>().join("; ");
    let more = match changes.len().saturating_sub(MAX_LISTED_CHANGES) {
        0 => String::new(),
        count => format!("; and {count} more changes"),
    };
    error = error.note(format!("the nearest plan that {} can express: {shown}{more}", request.target.framework()));
    error = error.note(costs(program, own, candidate, request));
    error.help("export the nearest plan: `--nearest`")
}

/// Compares the costs of two plans in a sentence.
fn costs(program: &Program, own: &Candidate, nearest: &Candidate, request: &ExportRequest<'_>) -> String {
    let both = [own, nearest];
    let [own, nearest] = both.map(|candidate| {
        let report = candidate.partition.report();
        let (memory, sent) = (report.memory.peak_bytes, report.totals.wire_bytes);
        (format_bytes(memory), format_bytes(sent))
    });
    let bytes = format!(
        "it needs {} per device instead of {}, and each device sends {} per step instead of {}",
        nearest.0, own.0, nearest.1, own.1
    );
    let seconds = |candidate: &Candidate| {
        let machine = request.machine?;
        let (_, simulation) =
            Simulation::from_plan(program, &candidate.plan, machine, &Efficiencies::default()).ok()?;
        Some(format_seconds(simulation.prediction().seconds))
    };
    match (seconds(both[1]), seconds(both[0]), request.machine) {
        (Some(nearest), Some(own), Some(machine)) => {
            format!("{bytes}; its step takes {nearest} instead of {own} on {}", machine.name)
        }
        (_, _, None) => format!("{bytes}; `--machine` predicts the step times"),
        (_, _, Some(_)) => bytes,
    }
}
