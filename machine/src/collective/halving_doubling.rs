//! Recursive halving and doubling, by Rabenseifner: ranks exchange halves with partners at a distance of `p/2`, then
//! quarters at `p/4`, until each has reduced one share; and the same way back.
//!
//! `2 log2 p` steps and `2 (p-1)/p` of the tensor sent by each of a power of two of ranks: as few bytes as around a
//! ring, at a latency that grows with the logarithm only. Of `n` ranks the last `n - p` fold their operands into those
//! of the first ones and get the result from them, a step each (Thakur, Rabenseifner and Gropp 2005,
//! <https://doi.org/10.1177/1094342005051521>).

use crate::collective::method::Flow;
use crate::collective::{Buffer, Place};

/// The largest power of two that is not above the number of ranks: so many take part, with the others behind them.
pub(super) fn core(ranks: usize) -> usize {
    1 << ranks.max(1).ilog2()
}

/// The steps of halving, last to first: at these distances.
fn distances(core: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..core.ilog2()).map(|bit| 1 << bit)
}

/// The ranks of the core that still have a part in a chunk which goes to `home`, once halving is at this distance.
fn holders(core: usize, home: usize, distance: usize) -> impl Iterator<Item = usize> {
    (0..core).filter(move |rank| rank / distance == home / distance)
}

/// `log2 p` steps, and two more if there are ranks outside of the core.
pub(super) fn reduce(flow: &mut Flow<'_>) {
    let (n, core) = (flow.ranks(), core(flow.ranks()));
    let home = flow.home % core;
    for outer in core..n {
        let room = flow.room(outer - core);
        flow.put(0, [Place::input(outer - core), Place::input(outer)], room);
    }
    flow.advance(usize::from(n > core));
    for distance in distances(core).rev() {
        let held = |flow: &Flow<'_>, rank: usize| {
            let fresh = distance == core / 2 && rank + core >= n;
            if fresh { Place::input(rank) } else { flow.room(rank) }
        };
        for rank in holders(core, home, distance) {
            let from = [held(flow, rank), held(flow, rank ^ distance)];
            let room = flow.room(rank);
            flow.put(0, from, room);
        }
        flow.advance(1);
    }
    if flow.home >= core {
        flow.put(0, [flow.room(home)], Place::output(flow.home));
    }
    // A chunk of the core waits for those that leave it, if there are any.
    let leaves = flow.home >= core || (n > core && flow.room(n - 1).buffer == Buffer::Scratch);
    flow.advance(usize::from(leaves));
}

/// `log2 p` steps, and two more if there are ranks outside of the core that have chunks of their own, else one.
pub(super) fn spread(flow: &mut Flow<'_>) {
    let (n, core) = (flow.ranks(), core(flow.ranks()));
    let home = flow.home % core;
    if flow.home >= core {
        flow.put(0, [flow.origin()], Place::output(home));
    }
    flow.advance(usize::from(n > core && flow.origin() == Place::input(flow.home)));
    for distance in distances(core) {
        for rank in holders(core, home, distance) {
            flow.put(0, [flow.copy_at(rank)], Place::output(rank ^ distance));
        }
        flow.advance(1);
    }
    for outer in core..n {
        if outer != flow.home {
            flow.put(0, [flow.copy_at(outer - core)], Place::output(outer));
        }
    }
    flow.advance(usize::from(n > core));
}
