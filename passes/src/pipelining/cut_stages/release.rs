//! Stages in which everything is frozen: their layers go to the stages beside them, and their devices are free.
//!
//! What is frozen keeps nothing for an optimizer and has no gradients of parameters, so that a stage of it would wait
//! most of the time. Its ops are shared between the stage before and the one behind so that the longer of the two is as
//! short as it can be.

use super::balance::{Costs, row};
use super::whole::Whole;
use super::{Cutting, OnStage};
use partita_ir::arena::{OpId, ParamId};
use partita_ir::program::ParamKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// The stage of each op with frozen stages merged into others, numbered anew; and by new number, the old one.
pub(super) fn release(
    whole: &Whole<'_>,
    how: &Cutting<'_>,
    mut stage_of: FxHashMap<OpId, usize>,
) -> (FxHashMap<OpId, usize>, Vec<usize>) {
    let mut kept: Vec<usize> = (0..how.stages.len()).collect();
    for stage in frozen(whole, how.stages.len(), &stage_of) {
        let place = kept.iter().position(|&s| s == stage).unwrap_or(0);
        let before = place.checked_sub(1).map(|place| kept[place]);
        let behind = kept.get(place + 1).copied();
        if before.is_some() || behind.is_some() {
            share(whole, how.stages, &mut stage_of, stage, before, behind);
            kept.retain(|&s| s != stage);
        }
    }
    let number: FxHashMap<usize, usize> = kept.iter().copied().zip(0..).collect();
    stage_of.values_mut().for_each(|stage| *stage = number[stage]);
    (stage_of, kept)
}

/// Stages that have parameters, none of which is trained, where others are.
fn frozen(whole: &Whole<'_>, stages: usize, stage_of: &FxHashMap<OpId, usize>) -> Vec<usize> {
    let (mut has, mut trains) = (vec![false; stages], vec![false; stages]);
    let mut met: FxHashSet<ParamId> = FxHashSet::default();
    for &id in whole.body().ops() {
        let Some(&stage) = stage_of.get(&id) else { continue };
        let read = whole.op(id).args.iter().flat_map(|&arg| whole.roots_of(arg)).copied();
        for param in read.filter(|&param| met.insert(param)) {
            has[stage] = true;
            trains[stage] |= whole.program.params[param].kind == ParamKind::Trainable;
        }
    }
    let is_training = whole.body().ops().iter().any(|&id| !whole.is_forward(id));
    (0..stages).filter(|&stage| is_training && trains.contains(&true) && has[stage] && !trains[stage]).collect()
}

/// Gives the ops of a stage to the ones beside it.
fn share(
    whole: &Whole<'_>,
    stages: &[OnStage<'_>],
    stage_of: &mut FxHashMap<OpId, usize>,
    stage: usize,
    before: Option<usize>,
    behind: Option<usize>,
) {
    let ops = row(whole);
    let costs = Costs::of(whole, stages);
    let seconds = |stage: usize, of: &dyn Fn(usize) -> bool| -> f64 {
        let all = ops.iter().enumerate().filter(|(_, id)| stage_of.get(id).is_some_and(|&s| of(s)));
        all.map(|(at, _)| costs.seconds(stage, at, at + 1)).sum()
    };
    let own: Vec<usize> = (0..ops.len()).filter(|&at| stage_of.get(&ops[at]) == Some(&stage)).collect();
    let split = match (before, behind) {
        (Some(before), Some(behind)) => {
            let (mut first, mut last) = (seconds(before, &|s| s == before), seconds(behind, &|s| s == behind));
            last += own.iter().map(|&at| costs.seconds(behind, at, at + 1)).sum::<f64>();
            let mut best = (first.max(last), 0);
            for (taken, &at) in (1..).zip(&own) {
                first += costs.seconds(before, at, at + 1);
                last -= costs.seconds(behind, at, at + 1);
                if first.max(last) < best.0 {
                    best = (first.max(last), taken);
                }
            }
            best.1
        }
        (Some(_), None) => own.len(),
        (None, _) => 0,
    };
    for (place, at) in own.into_iter().enumerate() {
        let to = if place < split { before } else { behind };
        stage_of.extend(to.map(|to| (ops[at], to)));
    }
}
