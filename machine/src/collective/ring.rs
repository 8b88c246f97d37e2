//! Around a ring: a chunk starts behind its home, takes up one operand a step until it is home, and goes once more
//! around.
//!
//! All chunks are on their way at once, each between other neighbours, so that every link is busy in every step: `2
//! (n-1)` steps and `2 (n-1)/n` of the tensor sent by each rank, which is the least possible (Patarasuk and Yuan 2009,
//! <https://doi.org/10.1016/j.jpdc.2008.09.002>).

use crate::collective::Place;
use crate::collective::method::Flow;

/// `n - 1` steps.
pub(super) fn reduce(flow: &mut Flow<'_>) {
    let n = flow.ranks();
    let mut last = Place::input((flow.home + 1) % n);
    for hop in 2..=n {
        let rank = (flow.home + hop) % n;
        let room = flow.room(rank);
        flow.put(0, [last, Place::input(rank)], room);
        flow.advance(1);
        last = room;
    }
}

/// `n - 1` steps.
pub(super) fn spread(flow: &mut Flow<'_>) {
    let n = flow.ranks();
    let mut last = flow.origin();
    for hop in 1..n {
        let next = Place::output((flow.home + hop) % n);
        flow.put(0, [last], next);
        flow.advance(1);
        last = next;
    }
}
