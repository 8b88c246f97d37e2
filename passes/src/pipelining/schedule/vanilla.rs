//! The schedule without pipelining: one micro-batch after the other, forward and backward. Only one of `n` stages is
//! busy at a time, so that the utilisation of each is `1/n`.

use super::ScheduleBuilder;

/// Appends the slots of all stages.
pub(super) fn build_orders(builder: &mut ScheduleBuilder<'_>) {
    for stage in 0..builder.stages() {
        for micro_batch in 0..builder.micro_batches() {
            builder.push_forward(stage, micro_batch);
            builder.push_backward(stage, micro_batch);
        }
    }
}
