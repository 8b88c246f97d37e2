//! Pairwise exchange for `all_to_all`: in step `s` every rank sends to the rank at distance `s` and receives from the
//! rank at distance `-s`.
//!
//! The number of bytes equals that of the direct algorithm, but each rank sends and receives one message per step,
//! which avoids congestion at receivers (Thakur, Rabenseifner and Gropp 2005).

use crate::collective::{Algorithm, Place};

/// Appends the transfer of one chunk; `n - 1` steps in all. A rank's block for itself is copied in the first step.
pub(super) fn all_to_all(algorithm: &mut Algorithm, chunk: usize) {
    let n = algorithm.ranks;
    let (from, to) = (chunk / n, chunk % n);
    let distance = (to + n - from) % n;
    algorithm.push_transfer(distance.saturating_sub(1), chunk, [Place::input(from)], Place::output(to));
}
