//! Exchange of the shards of a dimension between devices.

use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::mesh::{Axes, shard_count};
use crate::program::build::Builder;
use crate::program::ops::{BinaryOp, Concatenate, DynamicSlice, Iota, Permute, ShardStart, Slice};
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
    ///
    /// Shards are received one by one: the first of each range together, then the second. Ranges of different devices
    /// must start in different shards, since a device sends its shard to one other device at a time.
    pub fn fetch_range(&mut self, x: ValueId, dim: usize, axes: &Axes, starts: &[i64], length: usize) -> ValueId {
        let ty = self.program.values[x].local_type();
        let size = ty.shape[dim] as i64;
        let (devices, length) = (starts.len() as i64, length as i64);
        let offsets: Vec<i64> = starts.iter().map(|start| start.rem_euclid(size)).collect();
        let shards = offsets.iter().map(|offset| (offset + length - 1) / size + 1).max().unwrap_or(1);
        let mut received = Vec::new();
        for number in 0..shards {
            let mut pairs: Vec<(u32, u32)> = Vec::new();
            for (to, (start, offset)) in starts.iter().zip(&offsets).enumerate() {
                let from = start.div_euclid(size) + number;
                if (0..devices).contains(&from) && number * size < offset + length {
                    pairs.push((from as u32, to as u32));
                }
            }
            pairs.sort_unstable();
            let stays = pairs.len() == starts.len() && pairs.iter().all(|(from, to)| from == to);
            let permute = Permute { axes: axes.clone(), pairs };
            received.push(if stays { x } else { self.op("from", permute, &[x], ty.clone()) });
        }
        let together = match received[..] {
            [one] => one,
            _ => {
                let mut shape = ty.shape.clone();
                shape[dim] *= received.len();
                self.op("received", Concatenate { dim }, &received, Type { shape, dtype: ty.dtype })
            }
        };
        let mut shape = ty.shape.clone();
        shape[dim] = length as usize;
        let cut = Type { shape, dtype: ty.dtype };
        if offsets.iter().all(|offset| *offset == offsets[0]) {
            return self.slice_from(together, dim, offsets[0] as usize, cut);
        }
        let offset = self.entry_of_device(axes, &offsets);
        let zero = self.scalar(DType::I32, Scalar::Int(0));
        let at = (0..cut.shape.rank()).map(|d| if d == dim { offset } else { zero });
        let operands: Vec<ValueId> = std::iter::once(together).chain(at).collect();
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
