//! Checksums of shards that can be computed in parts, by different processes.
//!
//! The checksum of a shard is the sum of a hash of each element and its index, modulo 2^64. Processes that read
//! disjoint parts of a shard add their sums, so that a shard is verified although no process reads all of it. For a
//! given index the hash is a bijection of the element, so every change of a single element changes the sum; other
//! damage has the same sum with a probability of 2^-64.

/// Partial checksum of a shard.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct ElementSum {
    /// Sum of the hashes.
    pub(super) sum: u64,
    /// Number of elements.
    pub(super) count: u64,
}

impl ElementSum {
    /// Adds consecutive elements of `width` bytes, of which the first has index `first` in the shard.
    pub(super) fn add(&mut self, first: u64, bytes: &[u8], width: usize) {
        let sum = match width {
            8 => sum(first, bytes.as_chunks().0, |&b| u64::from_le_bytes(b)),
            4 => sum(first, bytes.as_chunks().0, |&b| u32::from_le_bytes(b).into()),
            2 => sum(first, bytes.as_chunks().0, |&b| u16::from_le_bytes(b).into()),
            _ => sum(first, bytes, |&b| b.into()),
        };
        self.sum = self.sum.wrapping_add(sum);
        self.count += (bytes.len() / width) as u64;
    }

    /// Returns the checksum of the elements of both.
    pub(super) fn plus(self, other: ElementSum) -> ElementSum {
        ElementSum { sum: self.sum.wrapping_add(other.sum), count: self.count + other.count }
    }
}

fn sum<T>(first: u64, elements: &[T], value: impl Fn(&T) -> u64) -> u64 {
    elements.iter().zip(first..).fold(0, |sum: u64, (element, index)| sum.wrapping_add(hash(index, value(element))))
}

/// Returns the hash of an element and its index: SplitMix64 (Steele, Lea and Flood 2014) of the element, combined with
/// a multiple of the index.
fn hash(index: u64, element: u64) -> u64 {
    const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut x = element ^ (index + 1).wrapping_mul(GOLDEN_GAMMA);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::ElementSum;

    fn sum_of(bytes: &[u8], width: usize) -> ElementSum {
        let mut sum = ElementSum::default();
        sum.add(0, bytes, width);
        sum
    }

    #[test]
    fn sums_of_parts_are_the_sum_of_all_in_any_order() {
        let bytes: Vec<u8> = (0..240).map(|i| (i * 37 % 251) as u8).collect();
        for width in [1, 2, 4, 8] {
            for split in 0..240 / width {
                let (head, tail) = bytes.split_at(split * width);
                let mut parts = ElementSum::default();
                parts.add(split as u64, tail, width);
                parts = parts.plus(sum_of(head, width));
                assert_eq!(parts, sum_of(&bytes, width));
            }
        }
    }

    #[test]
    fn changed_bits_and_exchanged_elements_change_the_sum() {
        let bytes: Vec<u8> = (0..64).map(|i| i as u8).collect();
        for width in [1, 2, 4, 8] {
            let expected = sum_of(&bytes, width);
            for bit in 0..64 * 8 {
                let mut damaged = bytes.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(sum_of(&damaged, width), expected, "{width} {bit}");
            }
            let mut exchanged = bytes.clone();
            exchanged.rotate_left(width);
            assert_ne!(sum_of(&exchanged, width), expected);
            assert_ne!(sum_of(&bytes[..64 - width], width), expected);
        }
    }
}
