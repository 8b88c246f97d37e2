//! Blocks of a dimension: as many equal parts as the ring has devices, one for each device.

use crate::partitioning::ring::{Ring, position_dtype};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{DynamicSlice, DynamicUpdateSlice, Pad};
use partita_ir::program::Values;
use partita_ir::tensor::Scalar;

/// The blocks of a dimension.
pub(super) struct Blocks<'r> {
    ring: &'r Ring,
    /// Size of a block.
    pub rows: usize,
    /// Type of positions.
    dtype: DType,
    zero: ValueId,
}

/// The block of the device some distance after this one.
pub(super) struct DeviceBlock {
    /// Size.
    pub rows: usize,
    start: ValueId,
    zero: ValueId,
    /// Slices so far: value, dimension, slice.
    slices: Vec<(ValueId, usize, ValueId)>,
}

impl<'r> Blocks<'r> {
    pub fn new(b: &mut Builder<'_>, ring: &'r Ring, rows: usize) -> Blocks<'r> {
        let dtype = position_dtype(rows.saturating_mul(ring.devices));
        let zero = b.splat(Type::new(dtype, Shape::scalar()), Scalar::Int(0));
        Blocks { ring, rows, dtype, zero }
    }

    /// Returns the size of the dimension.
    pub fn size(&self) -> usize {
        self.rows * self.ring.devices
    }

    /// Returns the block of the device `distance` after this one.
    pub fn block(&self, b: &mut Builder<'_>, distance: usize) -> DeviceBlock {
        let start = self.ring.numbers_of(b, self.dtype, distance, |rank| vec![rank * self.rows]);
        DeviceBlock { rows: self.rows, start: b.reshape(start, Shape::scalar()), zero: self.zero, slices: Vec::new() }
    }

    /// Appends zeros to a dimension such that it has all blocks.
    pub fn padded(&self, b: &mut Builder<'_>, value: ValueId, dim: usize) -> ValueId {
        let mut ty = b.program.values[value].local_type();
        let more = self.size() - ty.shape[dim];
        if more == 0 {
            return value;
        }
        ty.shape[dim] += more;
        let mut high = vec![0; ty.shape.rank()];
        high[dim] = more as i64;
        let zero = zero_of(b, Type::new(ty.dtype, Shape::scalar()));
        b.op("padded", Pad { low: vec![0; ty.shape.rank()], high, interior: Default::default() }, &[value, zero], ty)
    }
}

impl DeviceBlock {
    /// Returns the slice of the block along a dimension, which is appended once.
    pub fn slice(&mut self, b: &mut Builder<'_>, value: ValueId, dim: usize) -> ValueId {
        if let Some((.., slice)) = self.slices.iter().find(|(known, at, _)| (*known, *at) == (value, dim)) {
            return *slice;
        }
        let mut ty = b.program.values[value].local_type();
        ty.shape[dim] = self.rows;
        let args: Values = [value].into_iter().chain(self.starts(ty.shape.rank(), dim)).collect();
        let slice = b.op("block", DynamicSlice { sizes: ty.shape.iter().copied().collect() }, &args, ty);
        self.slices.push((value, dim, slice));
        slice
    }

    /// Appends the replacement of the block along a dimension. Without a buffer, all other blocks are zero.
    pub fn write(
        &self,
        b: &mut Builder<'_>,
        (name, buffer): (&str, Option<ValueId>),
        part: ValueId,
        (dim, size): (usize, usize),
    ) -> ValueId {
        let mut ty = b.ty(part);
        ty.shape[dim] = size;
        let buffer = buffer.unwrap_or_else(|| zero_of(b, ty.clone()));
        let args: Values = [buffer, part].into_iter().chain(self.starts(ty.shape.rank(), dim)).collect();
        b.op(name, DynamicUpdateSlice {}, &args, ty)
    }

    /// Returns the start in each dimension.
    fn starts(&self, rank: usize, dim: usize) -> impl Iterator<Item = ValueId> + use<> {
        let (start, zero) = (self.start, self.zero);
        (0..rank).map(move |other| if other == dim { start } else { zero })
    }
}

fn zero_of(b: &mut Builder<'_>, ty: Type) -> ValueId {
    let zero = if ty.dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) };
    b.splat(ty, zero)
}
