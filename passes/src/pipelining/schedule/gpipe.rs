//! The GPipe schedule: all forward passes, then all backward passes (Huang et al. 2019,
//! <https://arxiv.org/abs/1811.06965>). Every stage stores the activations of all `m` micro-batches. The utilisation of
//! `p` stages is `m/(m+p-1)`.

use super::ScheduleBuilder;

/// Appends the slots of all stages.
pub(super) fn build_orders(builder: &mut ScheduleBuilder<'_>) {
    for stage in 0..builder.stages() {
        for micro_batch in 0..builder.micro_batches() {
            builder.push_forward(stage, micro_batch);
        }
        for micro_batch in 0..builder.micro_batches() {
            builder.push_backward(stage, micro_batch);
        }
    }
}
