//! Bidirectional ring: the operands reach a chunk's owner from both directions, and the result leaves in both
//! directions.
//!
//! Each rank sends as many bytes as in the unidirectional ring, in half as many steps, if links carry both directions
//! at the same time, as between TPUs. With an even number of ranks one arm is longer by one: the right arm for even
//! chunks, the left arm for odd chunks.

use crate::collective::Place;
use crate::collective::method::ChunkBuilder;

/// Ranks on one side of the owner, nearest first.
type Arm = Vec<usize>;

/// Returns both arms, the longer one first.
fn arms(builder: &ChunkBuilder<'_>) -> [Arm; 2] {
    let (n, owner) = (builder.ranks(), builder.owner);
    let short = (n - 1) / 2;
    let right = |d: usize| (owner + d) % n;
    let left = |d: usize| (owner + n - d) % n;
    let (long, other): (&dyn Fn(usize) -> usize, &dyn Fn(usize) -> usize) =
        if builder.chunk().is_multiple_of(2) { (&right, &left) } else { (&left, &right) };
    [(1..n - short).map(long).collect(), (1..=short).map(other).collect()]
}

/// Appends the reduction: `n / 2` steps, rounded down.
pub(super) fn reduce(builder: &mut ChunkBuilder<'_>) {
    let arms = arms(builder);
    let steps = arms[0].len();
    let mut last = vec![Place::input(builder.owner)];
    for arm in &arms {
        let mut inner: Option<Place> = None;
        for (i, &rank) in arm.iter().enumerate().rev() {
            inner = Some(match inner {
                None => Place::input(rank),
                Some(outer) => {
                    let place = builder.working_place(rank);
                    builder.push_transfer(steps - 2 - i, [outer, Place::input(rank)], place);
                    place
                }
            });
        }
        last.extend(inner);
    }
    builder.push_transfer(steps - 1, last, Place::output(builder.owner));
    builder.advance(steps);
}

/// Appends the broadcast: `n / 2` steps, rounded down.
pub(super) fn broadcast(builder: &mut ChunkBuilder<'_>) {
    let arms = arms(builder);
    for arm in &arms {
        let mut last = builder.source();
        for (step, &rank) in arm.iter().enumerate() {
            builder.push_transfer(step, [last], Place::output(rank));
            last = Place::output(rank);
        }
    }
    builder.advance(arms[0].len());
}
