//! Stages of unequal size by memory: layers move from the stage that needs the most memory to the one that needs the
//! least.
//!
//! Stages are balanced by time. The first stage of a 1F1B schedule stores the most activations, and an embedding or a
//! head can be larger than many layers, so that balanced stages may exceed the memory where others fit.

use crate::evaluate::{Evaluator, SimulatedPlan};
use crate::monitor::Monitor;
use crate::target::ModelLayers;
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::StageSplit;
use std::cmp::Reverse;

/// Largest number of plans for which unequal stages are evaluated.
const MAX_PLANS: usize = 4;

/// Evaluates plans with unequal stages for plans whose balanced stages exceed the memory, but which are faster than all
/// plans that fit. Does nothing for models without equal layers, and for targets that require equal stages.
pub(crate) fn fit_stages(evaluator: &mut Evaluator<'_>, monitor: &mut Monitor<'_>) {
    let problem = evaluator.problem;
    if problem.target.is_some_and(|target| target.equal_layers().is_some()) {
        return;
    }
    let fastest = evaluator.fastest();
    let is_open = |one: &&SimulatedPlan| {
        one.peak > problem.memory && one.seconds < fastest && divided_by_count(&one.plan) == Some(one.stages)
    };
    let mut plans: Vec<SimulatedPlan> = evaluator.plans.iter().filter(is_open).cloned().collect();
    if plans.is_empty() {
        return;
    }
    let Some(layers) = ModelLayers::find(problem.program) else { return };
    // If nothing fits, the smallest plans are the most likely to fit.
    let rank = |one: &SimulatedPlan| if fastest.is_finite() { one.seconds.to_bits() } else { one.peak };
    plans.sort_by_key(rank);
    for plan in plans.into_iter().filter(|one| one.stages <= layers.count()).take(MAX_PLANS) {
        if !monitor.should_continue(&evaluator.progress()) {
            return;
        }
        move_layers(evaluator, &layers, &plan);
    }
}

/// Returns the number of stages of a plan that states only their number, with one chunk for each. `None` for other
/// plans, and for a single stage.
fn divided_by_count(plan: &Plan) -> Option<usize> {
    let config = plan.pipeline_config().ok()??;
    match config.cuts {
        StageSplit::Count(count) => Some(count).filter(|&count| count > 1 && config.kind.chunks_per_stage() == 1),
        StageSplit::Explicit { .. } => None,
    }
}

/// Evaluates a plan with equal numbers of layers in all stages, and moves layers until the stages fit or their memory
/// does not decrease.
fn move_layers(evaluator: &mut Evaluator<'_>, layers: &ModelLayers, balanced: &SimulatedPlan) {
    let (count, stages) = (layers.count(), balanced.stages);
    let mut sizes: Vec<usize> = (0..stages).map(|s| count * (s + 1) / stages - count * s / stages).collect();
    let mut least: Option<Vec<u64>> = None;
    for _ in 0..=count {
        let plan = balanced.plan.clone().pipeline(layers.chunks(&sizes));
        if evaluator.evaluate(plan.clone(), balanced.recompute).is_none() {
            return;
        }
        let Some(simulated) = evaluator.plans.iter().rfind(|one| one.plan == plan) else { return };
        let peaks = simulated.stage_peaks.clone();
        let mut sorted = peaks.clone();
        sorted.sort_by_key(|&bytes| Reverse(bytes));
        // Several stages may have the same peak, which decreases after a layer has moved from each.
        if evaluator.fits(simulated) || peaks.len() != stages || least.as_ref().is_some_and(|least| sorted >= *least) {
            return;
        }
        least = Some(sorted);
        let full = (0..stages).filter(|&stage| sizes[stage] > 1).max_by_key(|&stage| peaks[stage]);
        let free = (0..stages).min_by_key(|&stage| peaks[stage]);
        let (Some(full), Some(free)) = (full, free) else { return };
        sizes[full] -= 1;
        sizes[free] += 1;
    }
}
