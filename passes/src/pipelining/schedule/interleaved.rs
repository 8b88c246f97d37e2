//! One forward, one backward pass in turn on stages with several chunks each (Narayanan et al. 2021,
//! <https://arxiv.org/abs/2104.04473>): filling and draining takes as many chunks as before, but these are smaller.
//!
//! Micro-batches go through in groups of as many as there are stages: a stage takes a group through its first chunk,
//! then through its second, and so on. A group that is not full goes through as if it was, and so do chunks that the
//! last round lacks: what does not exist is left out, and what remains is in an order that works.

use super::Plan;
use partita_ir::schedule::Work;

/// By stage.
pub(super) fn order(plan: &mut Plan<'_>) {
    let stages = plan.stages();
    let rounds = plan.works.parts.chunks.len().div_ceil(stages);
    let groups = (plan.micro_batches() as usize).div_ceil(stages);
    let group = rounds * stages;
    let all = groups * group;
    // The round and the micro-batch of a pass by its number.
    let pass = |number: usize| {
        let (group_number, within) = (number / group, number % group);
        (within / stages, (group_number * stages + within % stages) as u32)
    };
    for stage in 0..stages {
        let ahead = ((stages - stage - 1) * 2 + (rounds - 1) * stages).min(all);
        for number in 0..all + ahead {
            if number < all {
                let (round, micro_batch) = pass(number);
                plan.put(stage, round * stages + stage, micro_batch, [Work::Forward]);
            }
            if number >= ahead {
                let (round, micro_batch) = pass(number - ahead);
                plan.put_backward(stage, (rounds - 1 - round) * stages + stage, micro_batch);
            }
        }
    }
}
