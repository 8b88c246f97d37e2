//! Where blocks of memory lie that are needed for some time each.
//!
//! Greedy by size (Pisarchyk and Lee, Efficient memory management for deep neural net inference, 2020): the largest
//! block first, each at the lowest place where no block lies that is needed at the same time.

use crate::dtype::{DType, Type};
use std::cmp::Reverse;

/// On a CPU values begin at multiples of so many bytes: a cache line, and the widest vector register.
pub const ALIGN: usize = 64;

/// Storage of values on devices of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Storage {
    /// Bytes of an element.
    pub width: fn(DType) -> usize,
    /// Alignment of values in bytes.
    pub align: usize,
}

impl Storage {
    /// Storage of devices that are threads of this process.
    pub const HOST: Storage = Storage { width: |dtype| dtype.bytes() as usize, align: ALIGN };

    /// Bytes of a dense tensor.
    pub fn bytes(&self, ty: &Type) -> usize {
        ty.shape.count().saturating_mul((self.width)(ty.dtype))
    }
}

/// Memory that is needed from one event to another, both included.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// How large it is.
    pub bytes: usize,
    /// The first event at which it is needed.
    pub first: usize,
    /// The last one.
    pub last: usize,
}

/// The place of each block, a multiple of so many bytes, and how much memory they take together.
pub fn offsets(blocks: &[Block], align: usize) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..blocks.len()).filter(|&b| blocks[b].bytes > 0).collect();
    order.sort_by_key(|&b| (Reverse(blocks[b].bytes), blocks[b].first, b));
    let mut offsets = vec![0; blocks.len()];
    // By place.
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
                // The smallest gap that is large enough.
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
        let (places, total) = offsets(&[block(640, 0, 1), block(64, 1, 3), block(640, 2, 3)], 64);
        assert_eq!((places, total), (vec![0, 640, 0], 704));
    }

    #[test]
    fn the_smallest_gap_is_taken() {
        // At time 1 there are holes of 128 and 64 bytes.
        let blocks = [block(256, 0, 9), block(192, 0, 9), block(128, 0, 0), block(64, 1, 1)];
        assert_eq!(offsets(&blocks, 64), (vec![0, 256, 448, 448], 576));
    }

    proptest! {
        #[test]
        fn nothing_overlaps_in_place_and_time(
            blocks in prop::collection::vec((0..1000usize, 0..20usize, 0..20usize), 0..40)
        ) {
            let blocks: Vec<Block> = blocks.into_iter().map(|(b, x, y)| block(b, x.min(y), x.max(y))).collect();
            let (places, total) = offsets(&blocks, 64);
            for (i, a) in blocks.iter().enumerate() {
                prop_assert!(places[i] + a.bytes <= total && places[i] % 64 == 0);
                for (j, b) in blocks.iter().enumerate().take(i) {
                    let together = a.first <= b.last && b.first <= a.last;
                    let overlap = places[i] < places[j] + b.bytes && places[j] < places[i] + a.bytes;
                    prop_assert!(!(together && overlap && a.bytes > 0 && b.bytes > 0));
                }
            }
        }
    }
}
