//! Direct algorithm: the owner of a chunk reduces the operands in rank order, and all other ranks copy the result.
//!
//! An `all_reduce` has two steps, in which each rank sends `2 (n-1)/n` of the tensor, the minimum of any algorithm.
//! Every rank sends to every other rank in the same step, which suits ranks that are fully connected or share memory.

use crate::collective::Place;
use crate::collective::method::ChunkBuilder;

/// Appends the reduction to the owner: one step.
pub(super) fn reduce(builder: &mut ChunkBuilder<'_>) {
    builder.push_transfer(0, (0..builder.ranks()).map(Place::input), Place::output(builder.owner));
    builder.advance(1);
}

/// Appends the broadcast from the owner: one step.
pub(super) fn broadcast(builder: &mut ChunkBuilder<'_>) {
    let owner = builder.owner;
    for rank in (0..builder.ranks()).filter(|&r| r != owner) {
        builder.push_transfer(0, [builder.source()], Place::output(rank));
    }
    builder.advance(1);
}
