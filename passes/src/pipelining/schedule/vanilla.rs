//! One micro-batch after the other, forward and backward: all stages but one wait, so that each of `n` is busy a share
//! of `1/n`.

use super::Plan;

/// By stage.
pub(super) fn order(plan: &mut Plan<'_>) {
    for stage in 0..plan.stages() {
        for micro_batch in 0..plan.micro_batches() {
            plan.forward(stage, micro_batch);
            plan.backward(stage, micro_batch);
        }
    }
}
