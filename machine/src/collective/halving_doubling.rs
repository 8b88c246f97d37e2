//! Rabenseifner's algorithm: recursive halving reduces, recursive doubling broadcasts. Ranks exchange halves with
//! partners at distance `p/2`, then quarters at distance `p/4`, until each has reduced one chunk; the broadcast
//! reverses the steps.
//!
//! For a power of two `p`, an `all_reduce` has `2 log2 p` steps, and each rank sends `2 (p-1)/p` of the tensor: as few
//! bytes as in a ring, with logarithmic latency. For other numbers of ranks `n`, `p` is the largest power of two less
//! than `n`. The last `n - p` ranks add their operands to those of the first ranks and receive the result from them,
//! one step each (Thakur, Rabenseifner and Gropp 2005, <https://doi.org/10.1177/1094342005051521>).

use crate::collective::method::ChunkBuilder;
use crate::collective::{Buffer, Place};

/// Returns the largest power of two that does not exceed the number of ranks. The first ranks, the core, execute the
/// algorithm; the others attach to them.
pub(super) fn core(ranks: usize) -> usize {
    1 << ranks.max(1).ilog2()
}

/// Returns the exchange distances in the order of doubling, which is the reverse of halving.
fn distances(core: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..core.ilog2()).map(|bit| 1 << bit)
}

/// Returns the ranks of the core that still contribute to a chunk owned by `owner` after halving down to this distance.
fn holders(core: usize, owner: usize, distance: usize) -> impl Iterator<Item = usize> {
    (0..core).filter(move |rank| rank / distance == owner / distance)
}

/// Appends the reduction: `log2 p` steps, and up to two more for ranks outside the core.
pub(super) fn reduce(builder: &mut ChunkBuilder<'_>) {
    let (n, core) = (builder.ranks(), core(builder.ranks()));
    let owner = builder.owner % core;
    for outer in core..n {
        let place = builder.working_place(outer - core);
        builder.push_transfer(0, [Place::input(outer - core), Place::input(outer)], place);
    }
    builder.advance(usize::from(n > core));
    for distance in distances(core).rev() {
        let partial_place = |builder: &ChunkBuilder<'_>, rank: usize| {
            let is_unreduced = distance == core / 2 && rank + core >= n;
            if is_unreduced { Place::input(rank) } else { builder.working_place(rank) }
        };
        for rank in holders(core, owner, distance) {
            let from = [partial_place(builder, rank), partial_place(builder, rank ^ distance)];
            let place = builder.working_place(rank);
            builder.push_transfer(0, from, place);
        }
        builder.advance(1);
    }
    if builder.owner >= core {
        builder.push_transfer(0, [builder.working_place(owner)], Place::output(builder.owner));
    }
    // All chunks advance together: those of core ranks wait while the others are copied to ranks outside the core.
    let needs_copy_step = builder.owner >= core || (n > core && builder.working_place(n - 1).buffer == Buffer::Scratch);
    builder.advance(usize::from(needs_copy_step));
}

/// Appends the broadcast: `log2 p` steps, and two more if ranks outside the core own chunks, else one.
pub(super) fn broadcast(builder: &mut ChunkBuilder<'_>) {
    let (n, core) = (builder.ranks(), core(builder.ranks()));
    let owner = builder.owner % core;
    if builder.owner >= core {
        builder.push_transfer(0, [builder.source()], Place::output(owner));
    }
    builder.advance(usize::from(n > core && builder.source() == Place::input(builder.owner)));
    for distance in distances(core) {
        for rank in holders(core, owner, distance) {
            builder.push_transfer(0, [builder.copy_place(rank)], Place::output(rank ^ distance));
        }
        builder.advance(1);
    }
    for outer in core..n {
        if outer != builder.owner {
            builder.push_transfer(0, [builder.copy_place(outer - core)], Place::output(outer));
        }
    }
    builder.advance(usize::from(n > core));
}
