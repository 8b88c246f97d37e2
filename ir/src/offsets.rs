//! Static memory planning: offsets for blocks of memory with known lifetimes.
//!
//! Greedy by size (Pisarchyk and Lee, Efficient memory management for deep neural net inference, 2020): the largest
//! block first, each in the smallest sufficient gap between the blocks whose lifetimes overlap with its own.

use crate::dtype::{DType, Type};
use std::cmp::Reverse;

/// Alignment of values on CPUs in bytes: a cache line, and the widest vector register.
pub const HOST_ALIGN_BYTES: usize = 64;

/// Storage format of values on one kind of device.
#[derive(Clone, Copy, Debug)]
pub struct Storage {
    /// Bytes per element of a type.
    pub width: fn(DType) -> usize,
    /// Alignment of values in bytes.
    pub align: usize,
}

impl Storage {
    /// Storage format of devices that are threads of this process.
    pub const HOST: Storage = Storage { width: |dtype| dtype.bytes() as usize, align: HOST_ALIGN_BYTES };

    /// Returns the size of a dense tensor in bytes.
    pub fn bytes(&self, ty: &Type) -> usize {
        ty.shape.count().saturating_mul((self.width)(ty.dtype))
    }
}

/// Block of memory with its lifetime.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Size in bytes.
    pub bytes: usize,
    /// First event at which the block is in use.
    pub first: usize,
    /// Last event at which the block is in use, inclusive.
    pub last: usize,
}

/// Returns the offset of each block, a multiple of `align` bytes, and the total size in bytes. Quadratic in the number
/// of blocks.
pub fn assign_offsets(blocks: &[Block], align: usize) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..blocks.len()).filter(|&b| blocks[b].bytes > 0).collect();
    order.sort_by_key(|&b| (Reverse(blocks[b].bytes), blocks[b].first, b));
    let mut offsets = vec![0; blocks.len()];
    // Placed blocks as (start, end, index), sorted by start.
    let mut placed: Vec<(usize, usize, usize)> = Vec::new();
    let mut end = 0;
    for b in order {
        let Block { bytes, first, last } = blocks[b];
        let bytes = bytes.next_multiple_of(align);
        let (mut at, mut best) = (0, None::<(usize, usize)>);
        for &(start, stop, other) in &placed {
            if blocks[other].last < first || last < blocks[other].first {
                continue;
            }
            if start >= at + bytes {
                // Prefer the smallest sufficient gap.
                let gap = start - at;
                if best.is_none_or(|(smallest, _)| gap < smallest) {
                    best = Some((gap, at));
                }
            }
            at = at.max(stop);
        }
        let at = best.map_or(at, |(_, at)| at);
        offsets[b] = at;
        end = end.max(at + bytes);
        let position = placed.partition_point(|&(start, ..)| start <= at);
        placed.insert(position, (at, at + bytes, b));
    }
    (offsets, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(bytes: usize, first: usize, last: usize) -> Block {
        Block { bytes, first, last }
    }

    #[test]
    fn blocks_of_different_times_share_memory() {
        let (offsets, total) = assign_offsets(&[block(640, 0, 1), block(64, 1, 3), block(640, 2, 3)], 64);
        assert_eq!((offsets, total), (vec![0, 640, 0], 704));
    }

    #[test]
    fn the_smallest_sufficient_gap_is_used() {
        // At time 1 there are holes of 128 and 64 bytes.
        let blocks = [block(256, 0, 9), block(192, 0, 9), block(128, 0, 0), block(64, 1, 1)];
        assert_eq!(assign_offsets(&blocks, 64), (vec![0, 256, 448, 448], 576));
    }

    proptest! {
        #[test]
        fn live_blocks_do_not_overlap(
            blocks in prop::collection::vec((0..1000usize, 0..20usize, 0..20usize), 0..40)
        ) {
            let blocks: Vec<Block> = blocks.into_iter().map(|(b, x, y)| block(b, x.min(y), x.max(y))).collect();
            let (offsets, total) = assign_offsets(&blocks, 64);
            for (i, a) in blocks.iter().enumerate() {
                prop_assert!(offsets[i] + a.bytes <= total && offsets[i] % 64 == 0);
                for (j, b) in blocks.iter().enumerate().take(i) {
                    let together = a.first <= b.last && b.first <= a.last;
                    let overlap = offsets[i] < offsets[j] + b.bytes && offsets[j] < offsets[i] + a.bytes;
                    prop_assert!(!(together && overlap && a.bytes > 0 && b.bytes > 0));
                }
            }
        }
    }
}
