//! Reuse distances of buffers: the bytes accessed since the previous access of a buffer, which determine the cache
//! level that contains it.
//!
//! These are LRU stack distances (Mattson et al. 1970) with buffers in place of cache lines.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Region of a simulated buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Region {
    /// Buffer that contains the region.
    pub(super) buffer: SimulatedBuffer,
    /// Offset in bytes.
    pub(super) offset: usize,
}

/// Buffer of the simulated run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum SimulatedBuffer {
    /// Frame of a device.
    Frame(usize),
    /// Input of the first device with an identical shard: device and input number.
    Input(usize, u32),
    /// Output of a device: device and output number.
    Output(usize, u32),
    /// Constant with the given number.
    Constant(u32),
}

/// Maximum number of buffers searched; larger distances count as infinite.
const MAX_SEARCHED_BUFFERS: usize = 1 << 12;

/// LRU stack of regions.
#[derive(Default)]
pub(super) struct LruStack {
    /// Region and bytes of each access, by time.
    accesses: BTreeMap<u64, (Region, u64)>,
    /// Time of the last access of each region.
    last: FxHashMap<Region, u64>,
    now: u64,
}

impl LruStack {
    /// Accesses bytes of a region. Returns the bytes accessed since its previous access, including these; `longest` for
    /// the first access.
    pub(super) fn access(&mut self, region: Region, bytes: u64, longest: u64) -> u64 {
        self.now += 1;
        let Some(last) = self.last.insert(region, self.now) else {
            self.accesses.insert(self.now, (region, bytes));
            return longest;
        };
        let mut distance = 0u64;
        let since = self.accesses.range(last..).rev().map(|(_, (_, bytes))| *bytes);
        for (depth, bytes) in since.enumerate() {
            distance = distance.saturating_add(bytes);
            if distance >= longest || depth == MAX_SEARCHED_BUFFERS {
                distance = longest;
                break;
            }
        }
        let size = self.accesses.remove(&last).map_or(bytes, |(_, size)| size.max(bytes));
        self.accesses.insert(self.now, (region, size));
        distance.max(bytes).min(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::{LruStack, Region, SimulatedBuffer};

    #[test]
    fn distances_are_lru_stack_distances() {
        let region = |offset| Region { buffer: SimulatedBuffer::Frame(0), offset };
        let mut stack = LruStack::default();
        let mut touch = |at: usize, bytes| stack.access(region(at), bytes, 1000);
        assert_eq!([touch(0, 10), touch(1, 20), touch(2, 30)], [1000; 3], "first accesses");
        assert_eq!(touch(2, 30), 30);
        assert_eq!(touch(0, 10), 60);
        // Regions 2 and 0 are accessed between the accesses of 1; 0 counts once although it is accessed twice.
        assert_eq!(touch(0, 10), 10);
        assert_eq!(touch(1, 20), 60);
        assert_eq!(touch(3, 5000), 1000);
        assert_eq!(touch(1, 20), 1000, "no distance is longer than the longest");
    }
}
