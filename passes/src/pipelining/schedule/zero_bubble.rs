//! The zero-bubble schedules, which run gradients of parameters where a stage would otherwise be idle (Qi et al. 2023,
//! Zero Bubble Pipeline Parallelism, <https://arxiv.org/abs/2401.10241>).
//!
//! No other stage depends on these gradients, so that the backward pass of a chunk is split into two works. With equal
//! stages, forward passes of `F` seconds and gradients of `B` and `W` seconds, `zb-h1` is idle for `(p-1)(F+B-W)` and
//! stores activations of at most `p` micro-batches, like the first stage of `1f1b`. `zb-h2` stores `2p-1` and is idle
//! for `(p-1)(F+B-2W)` between the first and the last work of a stage, if this is not negative: stages begin and end
//! one after the other, and the next step may begin on a stage when the stage is done.
//!
//! Schedules are found by simulation, like those of the paper for unequal stages: among the works that are ready, a
//! stage prefers a gradient of operands, then a forward pass if the limit of stored activations allows it, then a
//! gradient of parameters. If a more urgent work is about to become ready, the stage waits for it or runs a gradient of
//! parameters, depending on a threshold. The result is the best of a few thresholds, of the paper's orders for equal
//! stages, and of `1f1b` with split backward passes, which is never slower than `1f1b` itself.

mod simulate;

use super::ScheduleBuilder;
use partita_ir::schedule::Work;
use simulate::{GreedyRules, SimulatedSchedule, StageDurations, simulate_greedy, simulate_orders};

/// Fractions of a gradient of parameters that must be done before a more urgent work becomes ready; a stage waits
/// otherwise.
const FILL_THRESHOLDS: [f64; 2] = [0.0, 0.5];

/// Appends the slots of all stages. `is_wide` selects `zb-h2`, with about twice the memory of `1f1b`.
pub(super) fn build_orders(builder: &mut ScheduleBuilder<'_>, is_wide: bool) {
    let all = builder.stages();
    let stages: Vec<StageDurations> = (0..all).map(|stage| StageDurations::from_builder(builder, stage)).collect();
    // Frozen stages at the input side store no activations: the pipeline that waits for gradients begins after them.
    let depth = stages.iter().position(|stage| stage.has_backward).map_or(1, |first| all - first);
    let fixed_order = |ahead: &dyn Fn(usize) -> usize, max_stored: usize| {
        let orders: Vec<_> = (0..all).map(|stage| alternating_order(builder, ahead(all - stage), max_stored)).collect();
        simulate_orders(&stages, &orders)
    };
    // `zb-h1` minimises the time of a single step, and `zb-h2` the time per step of consecutive steps.
    let cost = |run: &SimulatedSchedule| if is_wide { (run.span, run.makespan) } else { (run.makespan, run.span) };
    let split_1f1b = fixed_order(&|stages_left| stages_left, 0);
    let bound = split_1f1b.makespan;
    let mut best = split_1f1b;
    let mut consider = |run: SimulatedSchedule| {
        if run.makespan <= bound && cost(&run) < cost(&best) {
            best = run;
        }
    };
    consider(fixed_order(&|stages_left| stages_left, depth));
    let max_stored = if is_wide { 2 * depth - 1 } else { depth };
    let ahead = |stages_left: usize| if is_wide { 2 * stages_left - 1 } else { stages_left };
    if is_wide {
        consider(fixed_order(&ahead, max_stored));
    }
    // For equal stages this is optimal: the last stage has delayed as many gradients as the limit allows when it sends
    // its last gradient, and the remaining backward pass of the first stage is not shorter.
    let is_optimal = builder.input.max_in_flight.is_none()
        && builder.micro_batches() as usize >= max_stored
        && stages.iter().all(|stage| *stage == stages[0] && stage.is_paper_order_optimal());
    if !is_optimal {
        // The warm-up has as many forward passes as the order above, or as many as the limit of stored activations.
        let aheads: [&dyn Fn(usize) -> usize; 2] = [&ahead, &|_| max_stored];
        for (fill, ahead) in FILL_THRESHOLDS.into_iter().flat_map(|fill| aheads.map(|ahead| (fill, ahead))) {
            let rules = |stage| GreedyRules::new(builder.input.max_in_flight, ahead(all - stage), max_stored, fill);
            consider(simulate_greedy(&stages, builder.micro_batches(), &(0..all).map(rules).collect::<Vec<_>>()));
        }
    }
    for (stage, order) in best.orders.into_iter().enumerate() {
        for (work, micro_batch) in order {
            let chunks = builder.runs[stage].clone();
            match work {
                Work::Forward => builder.push_forward(stage, micro_batch),
                _ => chunks.rev().for_each(|chunk| builder.push_works(stage, chunk, micro_batch, [work])),
            }
        }
    }
}

/// Returns an order that alternates between a forward pass and a gradient of operands, with `ahead` forward passes as
/// warm-up. Gradients of parameters are delayed until activations of `max_stored` micro-batches are stored. With
/// `max_stored = 0` they follow immediately, and the result is `1f1b` with split backward passes.
fn alternating_order(builder: &ScheduleBuilder<'_>, ahead: usize, max_stored: usize) -> Vec<(Work, u32)> {
    let all = builder.micro_batches();
    let limit = builder.input.max_in_flight.unwrap_or(usize::MAX).max(1);
    let ahead = ahead.min(limit);
    let delay = max_stored.min(limit).saturating_sub(ahead);
    let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (ahead, delay) = (narrow(ahead), narrow(delay));
    let mut order: Vec<(Work, u32)> = (0..ahead.min(all)).map(|batch| (Work::Forward, batch)).collect();
    for batch in 0..all {
        order.push((Work::BackwardInput, batch));
        order.extend(batch.checked_sub(delay).map(|batch| (Work::BackwardWeight, batch)));
        let next = batch.saturating_add(ahead);
        order.extend((next < all).then_some((Work::Forward, next)));
    }
    order.extend((all.saturating_sub(delay)..all).map(|batch| (Work::BackwardWeight, batch)));
    order
}
