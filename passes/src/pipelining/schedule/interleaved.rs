//! The interleaved 1F1B schedule, with several chunks for each stage (Narayanan et al. 2021,
//! <https://arxiv.org/abs/2104.04473>). The bubble has as many slots as in `1f1b`, but these are shorter.
//!
//! Micro-batches are processed in groups of as many as there are stages: a stage runs its first chunk for all of a
//! group, then its second chunk, and so on. An incomplete group, or an incomplete last round of chunks, is scheduled as
//! if it was complete. Slots that do not exist are then omitted.

use super::ScheduleBuilder;
use partita_ir::schedule::Work;

/// Appends the slots of all stages.
pub(super) fn build_orders(builder: &mut ScheduleBuilder<'_>) {
    let stages = builder.stages();
    let rounds = builder.input.parts.chunks.len().div_ceil(stages);
    let groups = (builder.micro_batches() as usize).div_ceil(stages);
    let group = rounds * stages;
    let all = groups * group;
    // Returns the round and the micro-batch of the pass with this number.
    let pass = |number: usize| {
        let (group_number, within) = (number / group, number % group);
        (within / stages, (group_number * stages + within % stages) as u32)
    };
    for stage in 0..stages {
        let warm_up = ((stages - stage - 1) * 2 + (rounds - 1) * stages).min(all);
        for number in 0..all + warm_up {
            if number < all {
                let (round, micro_batch) = pass(number);
                builder.push_works(stage, round * stages + stage, micro_batch, [Work::Forward]);
            }
            if number >= warm_up {
                let (round, micro_batch) = pass(number - warm_up);
                builder.push_backward_of_chunk(stage, (rounds - 1 - round) * stages + stage, micro_batch);
            }
        }
    }
}
