//! An `all_to_all` in turns: in step `s` everyone sends to the rank `s` behind it and gets from the one `s` before it.
//!
//! As many bytes as sending all at once, but each rank sends and gets one message a step, so that no receiver is
//! flooded (Thakur, Rabenseifner and Gropp 2005).

use crate::collective::{Algorithm, Place};

/// `n - 1` steps; what a rank keeps is copied in the first one.
pub(super) fn all_to_all(algorithm: &mut Algorithm, chunk: usize) {
    let n = algorithm.ranks;
    let (from, to) = (chunk / n, chunk % n);
    let distance = (to + n - from) % n;
    algorithm.put(distance.saturating_sub(1), chunk, [Place::input(from)], Place::output(to));
}
