//! Around a ring, both ways at once: the operands come to a chunk's home from both sides, and leave it to both sides.
//!
//! As many bytes as around a ring, in half of the steps; worth it where links carry both directions at a time, as
//! between TPUs. With an even number of ranks one side is longer by one: the right one for even chunks, the left one
//! for odd ones.

use crate::collective::Place;
use crate::collective::method::Flow;

/// The ranks on one side of the home, nearest first.
type Arm = Vec<usize>;

/// Both arms, the longer one first.
fn arms(flow: &Flow<'_>) -> [Arm; 2] {
    let (n, home) = (flow.ranks(), flow.home);
    let short = (n - 1) / 2;
    let right = |d: usize| (home + d) % n;
    let left = |d: usize| (home + n - d) % n;
    let (long, other): (&dyn Fn(usize) -> usize, &dyn Fn(usize) -> usize) =
        if flow.chunk().is_multiple_of(2) { (&right, &left) } else { (&left, &right) };
    [(1..n - short).map(long).collect(), (1..=short).map(other).collect()]
}

/// `n / 2` steps, rounded down.
pub(super) fn reduce(flow: &mut Flow<'_>) {
    let arms = arms(flow);
    let steps = arms[0].len();
    let mut last = vec![Place::input(flow.home)];
    for arm in &arms {
        let mut inner: Option<Place> = None;
        for (i, &rank) in arm.iter().enumerate().rev() {
            inner = Some(match inner {
                None => Place::input(rank),
                Some(outer) => {
                    let room = flow.room(rank);
                    flow.put(steps - 2 - i, [outer, Place::input(rank)], room);
                    room
                }
            });
        }
        last.extend(inner);
    }
    flow.put(steps - 1, last, Place::output(flow.home));
    flow.advance(steps);
}

/// `n / 2` steps, rounded down.
pub(super) fn spread(flow: &mut Flow<'_>) {
    let arms = arms(flow);
    for arm in &arms {
        let mut last = flow.origin();
        for (step, &rank) in arm.iter().enumerate() {
            flow.put(step, [last], Place::output(rank));
            last = Place::output(rank);
        }
    }
    flow.advance(arms[0].len());
}
