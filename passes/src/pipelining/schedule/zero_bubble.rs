//! Gradients of parameters where a stage would wait otherwise (Qi et al. 2023, Zero Bubble Pipeline Parallelism,
//! <https://arxiv.org/abs/2401.10241>).
//!
//! Nobody waits for them, so the backward pass of a chunk is two works. With stages alike, forward passes of `F`
//! seconds and gradients of `B` and `W`, `zb-h1` leaves `(p-1)(F+B-W)` idle and keeps no more than `p` micro-batches,
//! as `1f1b` does on its first stage. `zb-h2` keeps `2p-1` and leaves `(p-1)(F+B-2W)` between the first and the last
//! work of a stage, as long as this is no less than 0: stages begin and end one after the other, and the next step may
//! begin on one when that one is done.
//!
//! Schedules are found by carrying them out, as the paper does for stages that are not alike: of what a stage may do,
//! it takes a gradient of operands first, then a forward pass while it may keep more, then a gradient of parameters.
//! Where something more urgent is about to come, it waits for it, or fills the time. The best of a few thresholds is
//! taken, of the orders that the paper gives for stages that are alike, and of `1f1b` with its backward passes taken
//! apart, which is never slower than `1f1b` itself.

mod simulate;

use super::Plan;
use partita_ir::schedule::Work;
use simulate::{Rules, Run, Stage, replay, run};

/// How much of a gradient of parameters must have time before the next more urgent work comes, if it is known when.
const FILLS: [f64; 2] = [0.0, 0.5];

/// By stage, with the memory of `1f1b` or about twice of it.
pub(super) fn order(plan: &mut Plan<'_>, is_wide: bool) {
    let all = plan.stages();
    let stages: Vec<Stage> = (0..all).map(|stage| Stage::of(plan, stage)).collect();
    // A frozen front keeps nothing: the pipeline that waits for gradients begins behind it.
    let deep = stages.iter().position(|stage| stage.has_backward).map_or(1, |first| all - first);
    let by_hand = |ahead: &dyn Fn(usize) -> usize, kept: usize| {
        let orders: Vec<_> = (0..all).map(|stage| turns(plan, ahead(all - stage), kept)).collect();
        replay(&stages, &orders)
    };
    // What is asked for first differs: a step alone, or steps that follow each other.
    let cost = |run: &Run| if is_wide { (run.span, run.makespan) } else { (run.makespan, run.span) };
    let parted = by_hand(&|behind| behind, 0);
    let bound = parted.makespan;
    let mut best = parted;
    let mut consider = |run: Run| {
        if run.makespan <= bound && cost(&run) < cost(&best) {
            best = run;
        }
    };
    consider(by_hand(&|behind| behind, deep));
    let kept = if is_wide { 2 * deep - 1 } else { deep };
    let ahead = |behind: usize| if is_wide { 2 * behind - 1 } else { behind };
    if is_wide {
        consider(by_hand(&ahead, kept));
    }
    // Where stages are alike nothing is better: the last stage has kept back all that it may when it hands over its
    // last gradient, and the first stage has the rest of the backward pass before it.
    let is_known = plan.works.limit.is_none()
        && plan.micro_batches() as usize >= kept
        && stages.iter().all(|stage| *stage == stages[0] && stage.is_best_by_hand());
    if !is_known {
        // As many ahead as by hand, or as many as may be kept.
        let aheads: [&dyn Fn(usize) -> usize; 2] = [&ahead, &|_| kept];
        for (fill, ahead) in FILLS.into_iter().flat_map(|fill| aheads.map(|ahead| (fill, ahead))) {
            let rules = |stage| Rules::of(plan.works.limit, ahead(all - stage), kept, fill);
            consider(run(&stages, plan.micro_batches(), &(0..all).map(rules).collect::<Vec<_>>()));
        }
    }
    for (stage, order) in best.orders.into_iter().enumerate() {
        for (work, micro_batch) in order {
            let chunks = plan.runs[stage].clone();
            match work {
                Work::Forward => plan.forward(stage, micro_batch),
                _ => chunks.rev().for_each(|chunk| plan.put(stage, chunk, micro_batch, [work])),
            }
        }
    }
}

/// One forward pass and one gradient of operands in turn, so many micro-batches ahead, with the gradient of parameters
/// as late as what may be kept allows. With none to be kept it comes at once, and that is `1f1b` with its backward
/// passes taken apart.
fn turns(plan: &Plan<'_>, ahead: usize, kept: usize) -> Vec<(Work, u32)> {
    let all = plan.micro_batches();
    let limit = plan.works.limit.unwrap_or(usize::MAX).max(1);
    let ahead = ahead.min(limit);
    let late = kept.min(limit).saturating_sub(ahead);
    let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (ahead, late) = (narrow(ahead), narrow(late));
    let mut order: Vec<(Work, u32)> = (0..ahead.min(all)).map(|batch| (Work::Forward, batch)).collect();
    for batch in 0..all {
        order.push((Work::BackwardInput, batch));
        order.extend(batch.checked_sub(late).map(|batch| (Work::BackwardWeight, batch)));
        let next = batch.saturating_add(ahead);
        order.extend((next < all).then_some((Work::Forward, next)));
    }
    order.extend((all.saturating_sub(late)..all).map(|batch| (Work::BackwardWeight, batch)));
    order
}
