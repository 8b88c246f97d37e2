//! Ring algorithm: a chunk starts at the rank after its owner and accumulates one operand per step until the owner has
//! the reduction, then makes a second pass to reach all ranks.
//!
//! All chunks are in flight at the same time between different neighbours, so that every link is busy in every step: `2
//! (n-1)` steps and `2 (n-1)/n` of the tensor sent by each rank, which is minimal (Patarasuk and Yuan 2009,
//! <https://doi.org/10.1016/j.jpdc.2008.09.002>).

use crate::collective::Place;
use crate::collective::method::ChunkBuilder;

/// Appends the reduction: `n - 1` steps.
pub(super) fn reduce(builder: &mut ChunkBuilder<'_>) {
    let n = builder.ranks();
    let mut last = Place::input((builder.owner + 1) % n);
    for hop in 2..=n {
        let rank = (builder.owner + hop) % n;
        let place = builder.working_place(rank);
        builder.push_transfer(0, [last, Place::input(rank)], place);
        builder.advance(1);
        last = place;
    }
}

/// Appends the broadcast: `n - 1` steps.
pub(super) fn broadcast(builder: &mut ChunkBuilder<'_>) {
    let n = builder.ranks();
    let mut last = builder.source();
    for hop in 1..n {
        let next = Place::output((builder.owner + hop) % n);
        builder.push_transfer(0, [last], next);
        builder.advance(1);
        last = next;
    }
}
