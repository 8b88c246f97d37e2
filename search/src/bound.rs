//! Lower bound of the simulated step time of all plans of a search space.
//!
//! The arithmetic and memory traffic of each op, divided evenly over all devices, bound the time of every plan: shards
//! are at best equal, kernels of shards are at best as efficient as those of full tensors, and each kernel is launched
//! at least once on the path of a micro-batch.

use crate::composition::Space;
use crate::driver::Monitor;
use crate::evaluate::SimulatedPlan;
use crate::intra_op::SearchGraph;
use crate::problem::{SearchProblem, Step};
use partita_ir::diag::Diagnostic;

/// Returns a lower bound in seconds of the simulated step time of all plans of a space, of which `best` is the fastest
/// known one. Returns `None` if the search was stopped.
///
/// # Errors
/// Returns errors in the layouts that the constraints fix.
pub(crate) fn lower_bound(
    problem: &SearchProblem<'_>,
    step: &Step,
    space: &Space,
    best: &SimulatedPlan,
    monitor: &mut Monitor<'_>,
) -> Result<Option<f64>, Vec<Diagnostic>> {
    let graph = SearchGraph::new(&step.program, &step.classes);
    let _ = monitor;
    let machine = problem.machine();
    let Some(kind) = (0..space.devices).filter_map(|device| machine.kind_of(device)).max_by(|a, b| {
        let rate = |kind: &partita_machine::DeviceKind| kind.rate(partita_ir::dtype::DType::BF16);
        rate(a).total_cmp(&rate(b))
    }) else {
        return Ok(None);
    };
    let bound = graph.ideal_seconds(kind, problem.efficiencies, space.devices);
    Ok(Some(bound.min(best.seconds)))
}
