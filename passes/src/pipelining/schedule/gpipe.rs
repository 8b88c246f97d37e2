//! All forward passes, then all backward passes (Huang et al. 2019, <https://arxiv.org/abs/1811.06965>). Every stage
//! keeps all micro-batches, and is busy a share of `m/(m+p-1)`.

use super::Plan;

/// By stage.
pub(super) fn order(plan: &mut Plan<'_>) {
    for stage in 0..plan.stages() {
        for micro_batch in 0..plan.micro_batches() {
            plan.forward(stage, micro_batch);
        }
        for micro_batch in 0..plan.micro_batches() {
            plan.backward(stage, micro_batch);
        }
    }
}
