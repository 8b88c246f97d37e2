//! Ring of devices along mesh axes: exchanges between neighbours, and numbers that depend on the device.

use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::mesh::{Axes, shard_count};
use partita_ir::ops::{Permute, Reshape, Shard};
use partita_ir::tensor::Tensor;

/// The devices along mesh axes, in the order of their shards.
pub(super) struct Ring {
    /// The axes.
    pub axes: Axes,
    /// Number of devices.
    pub devices: usize,
}

impl Ring {
    pub fn new(axes: Axes) -> Ring {
        Ring { devices: shard_count(&axes), axes }
    }

    /// Appends a permute in which each device sends to the one before it.
    pub fn send_back(&self, b: &mut Builder<'_>, value: ValueId) -> ValueId {
        let n = self.devices as u32;
        self.permute(b, value, |rank| (rank + n - 1) % n)
    }

    /// Appends a permute in which each device sends to the rank that `target` returns for its own.
    pub fn permute(&self, b: &mut Builder<'_>, value: ValueId, target: impl Fn(u32) -> u32) -> ValueId {
        self.exchange(b, value, (0..self.devices as u32).map(|rank| (rank, target(rank))).collect())
    }

    /// Appends a permute with pairs of source and target rank.
    pub fn exchange(&self, b: &mut Builder<'_>, value: ValueId, pairs: Vec<(u32, u32)>) -> ValueId {
        let ty = b.ty(value);
        b.op("received", Permute { axes: self.axes.clone(), pairs }, &[value], ty)
    }

    /// Appends a vector of numbers of the device `distance` after this one. `numbers` returns those of a rank, equally
    /// many for all ranks.
    pub fn numbers_of(
        &self,
        b: &mut Builder<'_>,
        dtype: DType,
        distance: usize,
        numbers: impl Fn(usize) -> Vec<usize>,
    ) -> ValueId {
        let by_device: Vec<Vec<usize>> =
            (0..self.devices).map(|rank| numbers((rank + distance) % self.devices)).collect();
        let count = by_device[0].len();
        let items = by_device.concat().into_iter().map(|number| number as i64).collect();
        let table = Tensor::from_ints(Type::new(dtype, [self.devices, count]), items);
        let table = b.constant(&table);
        let shard = Shard { dim: 0, axes: self.axes.clone() };
        let own = b.op("start", shard, &[table], Type::new(dtype, [1, count]));
        b.reshape(own, [count])
    }
}

/// Returns a value of a local program with its local type, which an input of the program does not have.
pub(super) fn local_operand(b: &mut Builder<'_>, value: ValueId) -> ValueId {
    let local = b.program.values[value].local_type();
    match b.ty(value) == local {
        true => value,
        false => b.op("shard", Reshape {}, &[value], local),
    }
}

/// Returns the element type of positions in a dimension of the given size.
pub(super) fn position_dtype(size: usize) -> DType {
    if size < i32::MAX as usize / 2 { DType::I32 } else { DType::I64 }
}
