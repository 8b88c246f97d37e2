//! Maximal periodic runs of a sequence (Main and Lorentz, "An O(n log n) algorithm for finding all repetitions in a
//! string", 1984).
//!
//! A run of `MIN_REPETITIONS` periods contains a position of every grid with twice the period as its step. From such a
//! position, the run is extended in both directions with a binary search over prefix hashes. The positions to examine
//! are `n / 2` for period 1, `n / 4` for period 2, ..., in total `O(n log n)`.

use super::MIN_REPETITIONS;
use rustc_hash::FxHashSet;

/// A maximal range of a sequence in which each symbol equals the symbol one period later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    /// Position of the first symbol.
    pub(super) start: usize,
    /// Position after the last symbol.
    pub(super) end: usize,
    /// Smallest period of the range.
    pub(super) period: usize,
}

impl Run {
    /// Returns the number of complete periods.
    pub(super) fn repetitions(&self) -> usize {
        (self.end - self.start) / self.period
    }

    /// Returns the number of symbols in complete periods.
    pub(super) fn covered(&self) -> usize {
        self.repetitions() * self.period
    }
}

/// Returns all maximal runs of at least [`MIN_REPETITIONS`] periods, by ascending period. Ranges that also have a
/// shorter period are listed with the shortest one only.
pub(super) fn find_runs(symbols: &[u64]) -> Vec<Run> {
    let hashes = PrefixHashes::new(symbols);
    let (mut runs, mut ranges) = (Vec::new(), FxHashSet::default());
    for period in 1..=symbols.len() / MIN_REPETITIONS {
        let mut at = 0;
        while at + 2 * period < symbols.len() {
            let next = at + period;
            if symbols[at] != symbols[next] || symbols[next] != symbols[next + period] {
                at += 2 * period;
                continue;
            }
            let start = at - hashes.common_suffix(at, next);
            let end = next + hashes.common_prefix(at, next);
            if end - start >= MIN_REPETITIONS * period && ranges.insert((start, end)) {
                runs.push(Run { start, end, period });
            }
            // Two runs of the same period overlap by less than the period.
            at = (at + 2 * period).max(end - period + 1);
        }
    }
    runs
}

/// Polynomial hashes of all prefixes of a sequence, modulo 2^64.
struct PrefixHashes {
    prefixes: Vec<u64>,
    powers: Vec<u64>,
}

/// Base of the polynomial: odd, so that its powers are never zero.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

impl PrefixHashes {
    fn new(symbols: &[u64]) -> PrefixHashes {
        let (mut prefixes, mut powers) = (vec![0], vec![1]);
        let (mut hash, mut power) = (0u64, 1u64);
        for &symbol in symbols {
            hash = hash.wrapping_mul(BASE).wrapping_add(symbol);
            power = power.wrapping_mul(BASE);
            prefixes.push(hash);
            powers.push(power);
        }
        PrefixHashes { prefixes, powers }
    }

    /// Returns the number of symbols.
    fn len(&self) -> usize {
        self.prefixes.len() - 1
    }

    /// Returns true if the ranges of `length` symbols from `a` and from `b` have equal hashes.
    fn are_equal(&self, a: usize, b: usize, length: usize) -> bool {
        let hash =
            |at: usize| self.prefixes[at + length].wrapping_sub(self.prefixes[at].wrapping_mul(self.powers[length]));
        hash(a) == hash(b)
    }

    /// Returns the length of the longest common prefix of the suffixes from `a` and from `b > a`.
    fn common_prefix(&self, a: usize, b: usize) -> usize {
        longest(self.len() - b, |length| self.are_equal(a, b, length))
    }

    /// Returns the length of the longest common suffix of the prefixes that end before `a` and before `b > a`.
    fn common_suffix(&self, a: usize, b: usize) -> usize {
        longest(a, |length| self.are_equal(a - length, b - length, length))
    }
}

/// Returns the largest length up to `limit` for which the predicate is true. The predicate is true for length 0 and
/// monotone.
fn longest(limit: usize, is_equal: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, limit);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if is_equal(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Finds all runs by comparing every pair of positions.
    fn runs_by_definition(symbols: &[u64]) -> Vec<Run> {
        let (n, mut runs) = (symbols.len(), Vec::<Run>::new());
        for period in 1..=n / MIN_REPETITIONS {
            for start in 0..n - period {
                let repeats = |&i: &usize| symbols[i] == symbols[i + period];
                if !repeats(&start) || (start > 0 && repeats(&(start - 1))) {
                    continue;
                }
                let end = period + (start..n - period).find(|i| !repeats(i)).unwrap_or(n - period);
                let is_known = runs.iter().any(|run| run.start == start && run.end == end);
                if end - start >= MIN_REPETITIONS * period && !is_known {
                    runs.push(Run { start, end, period });
                }
            }
        }
        runs
    }

    proptest! {
        #[test]
        fn runs_equal_their_definition(
            before in prop::collection::vec(0..3u64, 0..12),
            period in prop::collection::vec(0..3u64, 1..7),
            repetitions in 1..9usize,
            after in prop::collection::vec(0..3u64, 0..12),
        ) {
            let symbols = [before, period.repeat(repetitions), after].concat();
            prop_assert_eq!(find_runs(&symbols), runs_by_definition(&symbols));
        }
    }

    #[test]
    fn a_constant_sequence_is_one_run() {
        assert_eq!(find_runs(&[7; 100_000]), [Run { start: 0, end: 100_000, period: 1 }]);
    }
}
