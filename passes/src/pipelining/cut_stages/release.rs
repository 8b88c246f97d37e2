//! Release of frozen stages: their layers move to the neighbouring stages, and their devices become free.
//!
//! Frozen layers have no optimizer state and no gradients of parameters, so that a frozen stage would be idle most of
//! the time. Its ops are divided between the previous and the next stage such that the longer of the two is as short as
//! possible.

use super::balance::{OpCosts, forward_ops};
use super::step_analysis::StepAnalysis;
use super::{CutOptions, StageDevices};
use partita_ir::arena::{OpId, ParamId};
use partita_ir::program::ParamKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns the new stage of each op after frozen stages are merged into others, and the old number of each new stage.
pub(super) fn merge_frozen_stages(
    step: &StepAnalysis<'_>,
    options: &CutOptions<'_>,
    mut stage_of: FxHashMap<OpId, usize>,
) -> (FxHashMap<OpId, usize>, Vec<usize>) {
    let mut remaining: Vec<usize> = (0..options.stages.len()).collect();
    for stage in frozen_stages(step, options.stages.len(), &stage_of) {
        let place = remaining.iter().position(|&s| s == stage).unwrap_or(0);
        let before = place.checked_sub(1).map(|place| remaining[place]);
        let after = remaining.get(place + 1).copied();
        if before.is_some() || after.is_some() {
            divide_ops(step, options.stages, &mut stage_of, stage, before, after);
            remaining.retain(|&s| s != stage);
        }
    }
    let number: FxHashMap<usize, usize> = remaining.iter().copied().zip(0..).collect();
    stage_of.values_mut().for_each(|stage| *stage = number[stage]);
    (stage_of, remaining)
}

/// Returns the stages with parameters none of which is trained, if parameters of other stages are.
fn frozen_stages(step: &StepAnalysis<'_>, stages: usize, stage_of: &FxHashMap<OpId, usize>) -> Vec<usize> {
    let (mut has_params, mut has_trained) = (vec![false; stages], vec![false; stages]);
    let mut seen: FxHashSet<ParamId> = FxHashSet::default();
    for &id in step.body().ops() {
        let Some(&stage) = stage_of.get(&id) else { continue };
        let read = step.op(id).args.iter().flat_map(|&arg| step.roots_of(arg)).copied();
        for param in read.filter(|&param| seen.insert(param)) {
            has_params[stage] = true;
            has_trained[stage] |= step.program.params[param].kind == ParamKind::Trainable;
        }
    }
    let is_training = step.body().ops().iter().any(|&id| !step.is_forward(id));
    (0..stages)
        .filter(|&stage| is_training && has_trained.contains(&true) && has_params[stage] && !has_trained[stage])
        .collect()
}

/// Moves the ops of a stage to its neighbours.
fn divide_ops(
    step: &StepAnalysis<'_>,
    stages: &[StageDevices<'_>],
    stage_of: &mut FxHashMap<OpId, usize>,
    stage: usize,
    before: Option<usize>,
    after: Option<usize>,
) {
    let ops = forward_ops(step);
    let costs = OpCosts::new(step, stages);
    let seconds = |stage: usize, of: &dyn Fn(usize) -> bool| -> f64 {
        let all = ops.iter().enumerate().filter(|(_, id)| stage_of.get(id).is_some_and(|&s| of(s)));
        all.map(|(at, _)| costs.seconds(stage, at, at + 1)).sum()
    };
    let own: Vec<usize> = (0..ops.len()).filter(|&at| stage_of.get(&ops[at]) == Some(&stage)).collect();
    let split = match (before, after) {
        (Some(before), Some(after)) => {
            let (mut first, mut last) = (seconds(before, &|s| s == before), seconds(after, &|s| s == after));
            last += own.iter().map(|&at| costs.seconds(after, at, at + 1)).sum::<f64>();
            let mut best = (first.max(last), 0);
            for (count, &at) in (1..).zip(&own) {
                first += costs.seconds(before, at, at + 1);
                last -= costs.seconds(after, at, at + 1);
                if first.max(last) < best.0 {
                    best = (first.max(last), count);
                }
            }
            best.1
        }
        (Some(_), None) => own.len(),
        (None, _) => 0,
    };
    for (place, at) in own.into_iter().enumerate() {
        let to = if place < split { before } else { after };
        stage_of.extend(to.map(|to| (ops[at], to)));
    }
}
