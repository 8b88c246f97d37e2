//! The 1F1B schedule (PipeDream-flush: Narayanan et al. 2021, <https://arxiv.org/abs/2006.09503>).
//!
//! Stage `s` of `p` runs `p - s` forward passes as warm-up, and then alternates between one backward and one forward
//! pass. The number of micro-batches in flight is therefore bounded by `p - s`. The bubble is as long as in `gpipe`.

use super::ScheduleBuilder;

/// Appends the slots of all stages.
pub(super) fn build_orders(builder: &mut ScheduleBuilder<'_>) {
    for stage in 0..builder.stages() {
        let warm_up = warm_up_count(builder, stage);
        for micro_batch in 0..builder.micro_batches().saturating_add(warm_up) {
            if micro_batch < builder.micro_batches() {
                builder.push_forward(stage, micro_batch);
            }
            // The backward pass that frees the activations for the forward pass which has just begun.
            if micro_batch + 1 >= warm_up && micro_batch + 1 - warm_up < builder.micro_batches() {
                builder.push_backward(stage, micro_batch + 1 - warm_up);
            }
        }
    }
}

/// Returns the number of forward passes of a stage before its first backward pass.
fn warm_up_count(builder: &ScheduleBuilder<'_>, stage: usize) -> u32 {
    let limit = builder.input.max_in_flight.unwrap_or(usize::MAX).max(1);
    let warm_up = (builder.stages() - stage).min(limit);
    u32::try_from(warm_up).unwrap_or(u32::MAX).min(builder.micro_batches()).max(1)
}
