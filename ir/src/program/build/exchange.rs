//! Exchange of the shards of a dimension between devices.

use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::mesh::{Axes, shard_count};
use crate::program::build::Builder;
use crate::program::ops::{BinaryOp, Concatenate, DynamicSlice, Fill, Iota, Permute, ShardStart, Slice};
use crate::tensor::{Scalar, Tensor};
use smallvec::smallvec;

impl Builder<'_> {
    /// Appends the position of this device along mesh axes, an `i32` scalar.
    pub fn position(&mut self, axes: &Axes) -> ValueId {
        let op = ShardStart { size: shard_count(axes), axes: axes.clone() };
        self.op("position", op, &[], Type::new(DType::I32, []))
    }

    /// Appends the entry of a table for the position of this device along mesh axes, an `i32` scalar.
    pub fn entry_of_device(&mut self, axes: &Axes, table: &[i64]) -> ValueId {
        if let Some(&first) = table.first()
            && table.iter().all(|&entry| entry == first)
        {
            return self.scalar(DType::I32, Scalar::Int(first));
        }
        let table = self.constant(&Tensor::from_ints(Type::new(DType::I32, [table.len()]), table.to_vec()));
        let position = self.position(axes);
        let one = Type::new(DType::I32, [1]);
        let entry = self.op("entry", DynamicSlice { sizes: smallvec![1] }, &[table, position], one);
        self.reshape(entry, Shape::scalar())
    }

    /// Appends the position in an unsharded dimension of each element of this device's shard, of the given shape.
    pub fn global_index(&mut self, dim: usize, axes: &Axes, shape: &Shape) -> ValueId {
        let position = self.position(axes);
        let start = self.binary_scalar(BinaryOp::Mul, position, shape[dim] as f64);
        let start = self.broadcast(start, &[], shape.clone());
        let index = self.op("index", Iota { dim }, &[], Type { shape: shape.clone(), dtype: DType::I32 });
        self.binary(BinaryOp::Add, index, start)
    }

    /// Appends the elements `starts[p]..starts[p] + length` of a dimension for the device at position `p` along mesh
    /// axes. Each device has a shard of the dimension in `x`, all of one size. Elements before the first shard and
    /// after the last one are 0.
    pub fn fetch_range(&mut self, x: ValueId, dim: usize, axes: &Axes, starts: &[i64], length: usize) -> ValueId {
        let ty = self.program.values[x].local_type();
        let (size, length) = (ty.shape[dim] as i64, length as i64);
        // A range outside of all shards may start anywhere outside of them.
        let starts: Vec<i64> =
            starts.iter().map(|&start| start.clamp(-length, size * shard_count(axes) as i64)).collect();
        let fetch = Fetch::cheapest(&starts, size, length);
        let received: Vec<ValueId> =
            fetch.receipts().into_iter().map(|receipt| self.receive(x, dim, axes, receipt)).collect();
        let together = match received[..] {
            [one] => one,
            _ => {
                let mut shape = ty.shape.clone();
                shape[dim] = (fetch.end - fetch.start) as usize;
                self.op("received", Concatenate { dim }, &received, Type { shape, dtype: ty.dtype })
            }
        };
        let offsets: Vec<i64> = fetch.offsets.iter().map(|offset| offset - fetch.start).collect();
        self.range_of_device(together, dim, axes, &offsets, length as usize)
    }

    /// Appends one receipt of a [`Fetch`].
    fn receive(&mut self, x: ValueId, dim: usize, axes: &Axes, receipt: Receipt) -> ValueId {
        let mut cut = self.program.values[x].local_type();
        cut.shape[dim] = receipt.length();
        if receipt.pairs.is_empty() {
            let zero = Fill::Zero.scalar(cut.dtype);
            return self.splat(cut, zero);
        }
        let sent = self.slice_from(x, dim, receipt.start as usize, cut.clone());
        if receipt.stays {
            return sent;
        }
        self.op("from", Permute { axes: axes.clone(), pairs: receipt.pairs }, &[sent], cut)
    }

    /// Appends the elements `starts[p]..starts[p] + length` of a dimension of this device's `x`, for the device at
    /// position `p` along mesh axes.
    pub fn range_of_device(&mut self, x: ValueId, dim: usize, axes: &Axes, starts: &[i64], length: usize) -> ValueId {
        let mut cut = self.program.values[x].local_type();
        cut.shape[dim] = length;
        if let Some(&first) = starts.first()
            && starts.iter().all(|&start| start == first)
        {
            return self.slice_from(x, dim, first as usize, cut);
        }
        let start = self.entry_of_device(axes, starts);
        let zero = self.scalar(DType::I32, Scalar::Int(0));
        let at = (0..cut.shape.rank()).map(|d| if d == dim { start } else { zero });
        let operands: Vec<ValueId> = std::iter::once(x).chain(at).collect();
        self.op("range", DynamicSlice { sizes: cut.shape.iter().copied().collect() }, &operands, cut)
    }

    /// Appends the elements of a dimension from `start` on that fill `cut`.
    fn slice_from(&mut self, x: ValueId, dim: usize, start: usize, cut: Type) -> ValueId {
        if start == 0 && self.program.values[x].local_type() == cut {
            return x;
        }
        let mut slice = Slice {
            start: smallvec![0; cut.shape.rank()],
            limit: cut.shape.iter().copied().collect(),
            stride: Default::default(),
        };
        slice.start[dim] = start;
        slice.limit[dim] += start;
        self.op("range", slice, &[x], cut)
    }
}

/// The shards from which each device receives a range of a sharded dimension, in order.
struct Fetch {
    /// Number of elements of a shard.
    size: i64,
    /// Number of elements of a range.
    length: i64,
    /// The first shard that each device receives; all are different, since a device sends to one other at a time.
    first_shards: Vec<i64>,
    /// Start of each device's range, relative to its first shard.
    offsets: Vec<i64>,
    /// Range that contains the ranges of all devices, relative to their first shards.
    start: i64,
    end: i64,
}

/// Elements that each device receives from one other device at most.
struct Receipt {
    /// Range of the sender's shard.
    start: i64,
    end: i64,
    /// Pairs of sender and receiver; none for elements outside of all shards.
    pairs: Vec<(u32, u32)>,
    /// True if each device that reads the elements has them.
    stays: bool,
}

impl Receipt {
    fn length(&self) -> usize {
        (self.end - self.start) as usize
    }
}

impl Fetch {
    /// Returns the fetch that sends the fewest elements: from the shards that contain the ranges, or from shards at the
    /// same distance on every device.
    fn cheapest(starts: &[i64], size: i64, length: i64) -> Fetch {
        let containing: Vec<i64> = starts.iter().map(|start| start.div_euclid(size)).collect();
        let distances = (0i64..).zip(&containing).map(|(device, shard)| shard - device);
        let nearest = distances.min().unwrap_or(0);
        let neighbours = (0..starts.len() as i64).map(|device| device + nearest).collect();
        let by_distance = Fetch::new(starts, size, length, neighbours);
        let mut distinct = containing.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < starts.len() {
            return by_distance;
        }
        let by_shard = Fetch::new(starts, size, length, containing);
        if by_shard.received() < by_distance.received() { by_shard } else { by_distance }
    }

    fn new(starts: &[i64], size: i64, length: i64, first_shards: Vec<i64>) -> Fetch {
        let offsets: Vec<i64> = starts.iter().zip(&first_shards).map(|(start, shard)| start - shard * size).collect();
        let start = offsets.iter().copied().min().unwrap_or(0);
        let end = offsets.iter().copied().max().unwrap_or(0) + length;
        Fetch { size, length, first_shards, offsets, start, end }
    }

    /// Returns the number of elements that a device receives at most.
    fn received(&self) -> usize {
        self.receipts().iter().filter(|r| !r.pairs.is_empty() && !r.stays).map(Receipt::length).sum()
    }

    /// Returns the receipts in the order of their elements.
    fn receipts(&self) -> Vec<Receipt> {
        let devices = self.first_shards.len() as i64;
        let numbers = self.start.div_euclid(self.size)..=(self.end - 1).div_euclid(self.size);
        let mut receipts: Vec<Receipt> = Vec::new();
        for number in numbers {
            let shard = number * self.size..(number + 1) * self.size;
            let (start, end) = (self.start.max(shard.start) - shard.start, self.end.min(shard.end) - shard.start);
            let mut receipt = Receipt { start, end, pairs: Vec::new(), stays: true };
            for (to, (first, offset)) in (0i64..).zip(self.first_shards.iter().zip(&self.offsets)) {
                let from = first + number;
                if shard.start < offset + self.length && *offset < shard.end {
                    receipt.stays &= from == to;
                    if (0..devices).contains(&from) {
                        receipt.pairs.push((from as u32, to as u32));
                    }
                }
            }
            receipt.pairs.sort_unstable();
            match receipts.last_mut() {
                Some(last) if last.pairs.is_empty() && receipt.pairs.is_empty() => last.end += end - start,
                _ => receipts.push(receipt),
            }
        }
        receipts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the length and the pairs of each receipt of the cheapest fetch.
    fn receipts(starts: &[i64], size: i64, length: i64) -> Vec<(usize, Vec<(u32, u32)>)> {
        let fetch = Fetch::cheapest(starts, size, length);
        fetch.receipts().into_iter().map(|receipt| (receipt.length(), receipt.pairs)).collect()
    }

    #[test]
    fn halos_come_from_both_neighbours() {
        let want = [(1, vec![(0, 1), (1, 2)]), (4, vec![(0, 0), (1, 1), (2, 2)]), (2, vec![(1, 0), (2, 1)])];
        assert_eq!(receipts(&[-1, 3, 7], 4, 7), want);
    }

    #[test]
    fn only_the_range_of_distant_shards_is_received() {
        assert_eq!(receipts(&[9, 13, 17, 21], 4, 2), [(2, vec![(2, 0), (3, 1)])]);
    }

    #[test]
    fn ranges_in_reverse_come_from_the_shards_that_contain_them() {
        let want = [(2, vec![(0, 1), (1, 0)]), (1, vec![(0, 2), (1, 1), (2, 0)])];
        assert_eq!(receipts(&[4, 1, -2], 3, 3), want);
    }

    #[test]
    fn ranges_that_start_in_one_shard_are_received_by_distance() {
        // The third device reads 4..6, the others 0..2 and 1..3.
        let want = [(1, vec![(0, 1)]), (2, vec![(0, 0), (1, 1), (2, 2)])];
        assert_eq!(receipts(&[0, 1, 4], 2, 2), want);
    }
}
