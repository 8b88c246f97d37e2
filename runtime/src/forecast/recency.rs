//! What was gone over when: how many bytes since some memory was touched before, which says where it is found again.
//!
//! That is the distance in a stack of what was touched last (Mattson et al. 1970), over whole buffers instead of lines
//! of a cache.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A buffer of the run that is predicted: what it belongs to, and the byte in there where it begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Region {
    /// What it belongs to.
    pub(super) of: Owner,
    /// Bytes.
    pub(super) offset: usize,
}

/// What memory belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Owner {
    /// The frame of a device.
    Frame(usize),
    /// An input, by number, of the device that has that piece first.
    Input(usize, u32),
    /// An output of a device.
    Output(usize, u32),
    /// A constant.
    Constant(u32),
}

/// Distances beyond that many buffers are not told apart from the longest.
const DEEPEST: usize = 1 << 12;

/// Buffers in the order in which they were touched.
#[derive(Default)]
pub(super) struct Recency {
    /// By time: which, and how many bytes of it.
    touched: BTreeMap<u64, (Region, u64)>,
    /// When each was touched last.
    last: FxHashMap<Region, u64>,
    now: u64,
}

impl Recency {
    /// Touches so many bytes of a buffer: how many bytes were since it was before, these included, and `longest` if it
    /// never was.
    pub(super) fn touch(&mut self, region: Region, bytes: u64, longest: u64) -> u64 {
        self.now += 1;
        let Some(last) = self.last.insert(region, self.now) else {
            self.touched.insert(self.now, (region, bytes));
            return longest;
        };
        let mut distance = 0u64;
        let since = self.touched.range(last..).rev().map(|(_, (_, bytes))| *bytes);
        for (depth, bytes) in since.enumerate() {
            distance = distance.saturating_add(bytes);
            if distance >= longest || depth == DEEPEST {
                distance = longest;
                break;
            }
        }
        let held = self.touched.remove(&last).map_or(bytes, |(_, held)| held.max(bytes));
        self.touched.insert(self.now, (region, held));
        distance.max(bytes).min(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::{Owner, Recency, Region};

    #[test]
    fn distances_are_those_of_a_stack() {
        let region = |offset| Region { of: Owner::Frame(0), offset };
        let mut recency = Recency::default();
        let mut touch = |at: usize, bytes| recency.touch(region(at), bytes, 1000);
        assert_eq!([touch(0, 10), touch(1, 20), touch(2, 30)], [1000; 3], "nothing was touched before");
        assert_eq!(touch(2, 30), 30);
        assert_eq!(touch(0, 10), 60);
        // Between two touches of 1 lie 2 and 0, the latter once however often it was touched.
        assert_eq!(touch(0, 10), 10);
        assert_eq!(touch(1, 20), 60);
        assert_eq!(touch(3, 5000), 1000);
        assert_eq!(touch(1, 20), 1000, "no distance is longer than the longest");
    }
}
