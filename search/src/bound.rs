//! Lower bound of the simulated step time of all plans of a search space.
//!
//! The arithmetic and memory traffic of each op, divided over all devices in proportion to their rates, bound the time
//! of every plan: shards are at best equal, kernels of shards are at best as efficient as those of full tensors, and
//! each kernel is launched at least once on the path of a micro-batch. Communication, pipeline bubbles and
//! recomputation only add to it.

use crate::composition::Space;
use crate::evaluate::SimulatedPlan;
use crate::intra_op::SearchGraph;
use crate::problem::{SearchProblem, Step};

/// Returns a lower bound in seconds of the simulated step time of all plans of a space, of which `best` is the fastest
/// known one. Returns `None` if a device is unknown.
pub(crate) fn lower_bound(
    problem: &SearchProblem<'_>,
    step: &Step,
    space: &Space,
    best: &SimulatedPlan,
) -> Option<f64> {
    let machine = problem.machine();
    let devices: Option<Vec<_>> = (0..space.devices).map(|device| machine.kind_of(device)).collect();
    let graph = SearchGraph::new(&step.program, &step.classes);
    Some(graph.ideal_seconds(&devices?, problem.efficiencies).min(best.seconds))
}
