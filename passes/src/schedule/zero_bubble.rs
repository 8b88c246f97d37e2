//! Gradients of parameters where a stage would wait otherwise (Qi et al. 2023, Zero Bubble Pipeline Parallelism,
//! <https://arxiv.org/abs/2401.10241>).
//!
//! Nobody waits for them, so the backward pass of a chunk is two works. With stages alike, forward passes of `F` seconds and gradients of
//! `B` and `W`, `zb-h1` leaves `(p-1)(F+B-W)` idle and keeps no more than `p` micro-batches, as `1f1b` does on its first stage. `zb-h2`
//! keeps `2p-1` and leaves `(p-1)(F+B-2W)` between the first and the last work of a stage, as long as this is no less than 0: stages
//! begin and end one after the other, and the next step may begin on one when that one is done.
//!
//! Schedules are found by carrying them out, as the paper does for stages that are not alike: of what a stage may do, it takes a
//! gradient of operands first, then a forward pass while it may keep more, then a gradient of parameters. Where something more
//! urgent is about to come, it waits for it, or fills the time; the best of a few thresholds is taken, and of them and `1f1b`
//! with its backward passes taken apart, which is never slower than `1f1b` itself.

mod simulate;

use super::Plan;
use super::one_f_one_b::warm_up;
use partita_ir::schedule::Work;
use simulate::{Rules, Run, Stage, replay, run};

/// How much of a gradient of parameters must have time before the next more urgent work comes, if it is known when.
const FILLS: [f64; 3] = [0.0, 0.5, 1.0];

/// By stage, with the memory of `1f1b` or about twice of it.
pub(super) fn order(plan: &mut Plan<'_>, is_wide: bool) {
    let stages: Vec<Stage> = (0..plan.stages()).map(|stage| Stage::of(plan, stage)).collect();
    let parted: Vec<Vec<(Work, u32)>> = (0..stages.len()).map(|stage| taken_apart(plan, stage)).collect();
    let parted = replay(&stages, &parted);
    let bound = parted.makespan * (1.0 + 1e-12);
    let mut best = parted;
    let widths: &[bool] = if is_wide { &[false, true] } else { &[false] };
    for &is_wide in widths {
        for fill in FILLS {
            let rules: Vec<Rules> = (0..stages.len()).map(|stage| Rules::of(plan, stage, is_wide, fill)).collect();
            let run = run(&stages, plan.micro_batches(), &rules);
            // What is asked for first differs: a step alone, or steps that follow each other.
            let cost = |run: &Run| if is_wide { (run.span, run.makespan) } else { (run.makespan, run.span) };
            if run.makespan <= bound && cost(&run) < cost(&best) {
                best = run;
            }
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

/// What `1f1b` does, each backward pass as two works.
fn taken_apart(plan: &Plan<'_>, stage: usize) -> Vec<(Work, u32)> {
    let (ahead, all) = (warm_up(plan, stage), plan.micro_batches());
    let forward = |micro_batch| (Work::Forward, micro_batch);
    let mut order: Vec<(Work, u32)> = (0..ahead.min(all)).map(forward).collect();
    for micro_batch in 0..all {
        order.extend([(Work::BackwardInput, micro_batch), (Work::BackwardWeight, micro_batch)]);
        let next = micro_batch.saturating_add(ahead);
        order.extend((next < all).then(|| forward(next)));
    }
    order
}
