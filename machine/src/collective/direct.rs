//! Everyone to everyone: the home of a chunk combines it in the order of the ranks, and all others copy the result.
//!
//! Two steps and `2 (n-1)/n` of the tensor sent by each rank: the fewest of both, where every two ranks have a link of
//! their own (or one memory).

use crate::collective::Place;
use crate::collective::method::Flow;

/// One step.
pub(super) fn reduce(flow: &mut Flow<'_>) {
    flow.put(0, (0..flow.ranks()).map(Place::input), Place::output(flow.home));
    flow.advance(1);
}

/// One step.
pub(super) fn spread(flow: &mut Flow<'_>) {
    let home = flow.home;
    for rank in (0..flow.ranks()).filter(|&r| r != home) {
        flow.put(0, [flow.origin()], Place::output(rank));
    }
    flow.advance(1);
}
