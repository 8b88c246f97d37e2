//! One forward, one backward pass in turn (PipeDream-flush: Narayanan et al. 2021, <https://arxiv.org/abs/2006.09503>).
//!
//! Stage `s` of `p` goes through `p - s` micro-batches before the first one comes back, and from then on takes up one
//! for each that it is done with. It keeps so many, however many there are, and waits as long as in `gpipe`.

use super::Plan;

/// By stage.
pub(super) fn order(plan: &mut Plan<'_>) {
    for stage in 0..plan.stages() {
        let ahead = warm_up(plan, stage);
        for micro_batch in 0..plan.micro_batches().saturating_add(ahead) {
            if micro_batch < plan.micro_batches() {
                plan.forward(stage, micro_batch);
            }
            // The pass that takes the place of the one which has just begun.
            if micro_batch + 1 >= ahead && micro_batch + 1 - ahead < plan.micro_batches() {
                plan.backward(stage, micro_batch + 1 - ahead);
            }
        }
    }
}

/// Micro-batches that a stage takes up before the first one is done.
fn warm_up(plan: &Plan<'_>, stage: usize) -> u32 {
    let limit = plan.works.limit.unwrap_or(usize::MAX).max(1);
    let ahead = (plan.stages() - stage).min(limit);
    u32::try_from(ahead).unwrap_or(u32::MAX).min(plan.micro_batches()).max(1)
}
