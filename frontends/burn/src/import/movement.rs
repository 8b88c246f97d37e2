//! Lowering of data movement: shapes, slices, padding, repetition.

use super::lowering::{Lowering, LoweringResult, number, shape_of, type_of};
use burn::tensor::Slice as Range;
use burn_ir::{
    CatOpIr, CreationOpIr, FlipOpIr, FullOpIr, PadModeIr, PadOpIr, PermuteOpIr, RepeatDimOpIr, ShapeOpIr,
    SliceAssignOpIr, SliceOpIr, SwapDimsOpIr,
};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{DynamicUpdateSlice, Pad, Slice};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::{Scalar, wrap};

/// Lowers a reshape.
pub(super) fn reshape(cx: &mut Lowering<'_>, op: &ShapeOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let ty = type_of(&op.out)?;
    let out = if cx.b.ty(x) == ty { x } else { cx.b.reshape(x, ty.shape) };
    cx.write(&op.out, out)
}

/// Lowers a broadcast of dimensions of size 1, with new leading dimensions.
pub(super) fn expand(cx: &mut Lowering<'_>, op: &ShapeOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let out = cx.b.expand(x, &shape_of(&op.out));
    cx.write(&op.out, out)
}

/// Lowers an exchange of two dimensions.
pub(super) fn swap_dims(cx: &mut Lowering<'_>, op: &SwapDimsOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let out = cx.b.swap_dims(x, op.dim1, op.dim2);
    cx.write(&op.out, out)
}

/// Lowers a permutation of dimensions.
pub(super) fn permute(cx: &mut Lowering<'_>, op: &PermuteOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let out = cx.b.transpose(x, op.axes.iter().copied().collect());
    cx.write(&op.out, out)
}

/// Lowers a reversal of elements along dimensions.
pub(super) fn flip(cx: &mut Lowering<'_>, op: &FlipOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let out = cx.b.reverse(x, op.axes.iter().copied().collect());
    cx.write(&op.out, out)
}

/// Bounds of a Burn slice with forward indices: for each dimension the first index, the exclusive end and the step; and
/// the dimensions that run backwards. A backward slice selects `end - 1, end - 1 - step, ...` down to at least `start`.
struct SliceBounds {
    start: Dims,
    limit: Dims,
    stride: Dims,
    backward: Dims,
}

impl SliceBounds {
    fn new(ranges: &[Range], shape: &Shape) -> SliceBounds {
        let full_range = Range::full();
        let mut this =
            SliceBounds { start: Dims::new(), limit: Dims::new(), stride: Dims::new(), backward: Dims::new() };
        for (dim, &size) in shape.iter().enumerate() {
            let (range, step) = ranges.get(dim).unwrap_or(&full_range).to_range_and_step(size);
            let (stride, end) = (step.unsigned_abs().max(1), range.end.max(range.start));
            let count = (end - range.start).div_ceil(stride);
            // A backward selection is anchored at its end, which may move the smallest selected index up.
            let start = if step < 0 && count > 0 { end - 1 - (count - 1) * stride } else { range.start };
            this.start.push(start);
            this.limit.push(end);
            this.stride.push(stride);
            if step < 0 {
                this.backward.push(dim);
            }
        }
        this
    }

    fn is_dense(&self) -> bool {
        self.stride.iter().all(|&s| s == 1)
    }
}

/// Lowers a slice with steps that may be negative.
pub(super) fn slice(cx: &mut Lowering<'_>, op: &SliceOpIr) -> LoweringResult {
    let x = cx.read(&op.tensor)?;
    let SliceBounds { start, limit, stride, backward } = SliceBounds::new(&op.ranges, &cx.shape(x));
    let stride = if stride.iter().all(|&s| s == 1) { Dims::new() } else { stride };
    let ty = type_of(&op.out)?;
    let out = if cx.b.ty(x) == ty { x } else { cx.b.op("slice", Slice { start, limit, stride }, &[x], ty) };
    let out = cx.b.reverse(out, backward);
    cx.write(&op.out, out)
}

/// Lowers the replacement of a slice of the operand.
pub(super) fn slice_assign(cx: &mut Lowering<'_>, op: &SliceAssignOpIr) -> LoweringResult {
    let (x, value) = (cx.read(&op.tensor)?, cx.read(&op.value)?);
    let ty = cx.b.ty(x);
    let bounds = SliceBounds::new(&op.ranges, &ty.shape);
    let value = cx.b.reverse(value, bounds.backward.clone());
    let out = if bounds.is_dense() {
        update(cx, x, value, &bounds.start)
    } else {
        let ones_ty = Type::new(DType::Bool, cx.shape(value));
        let ones = cx.b.splat(ones_ty, Scalar::Int(1));
        let (mask, embed_in_zeros) =
            (embed_in_zeros(cx, ones, &bounds, &ty.shape), embed_in_zeros(cx, value, &bounds, &ty.shape));
        cx.b.select(mask, embed_in_zeros, x)
    };
    cx.write(&op.out, out)
}

/// Replaces the contiguous slice of `x` that begins at `start` by `value`.
fn update(cx: &mut Lowering<'_>, x: ValueId, value: ValueId, start: &Dims) -> ValueId {
    let ty = cx.b.ty(x);
    let mut args = vec![x, value];
    args.extend(start.iter().map(|&s| cx.b.scalar(DType::I32, Scalar::Int(s as i64))));
    cx.b.op("update", DynamicUpdateSlice {}, &args, ty)
}

/// Places the elements of `x` at the positions of a slice in a tensor of zeros of the given shape.
fn embed_in_zeros(cx: &mut Lowering<'_>, x: ValueId, bounds: &SliceBounds, shape: &Shape) -> ValueId {
    let ty = cx.b.ty(x);
    let zero = cx.b.scalar(ty.dtype, Scalar::Int(0));
    let extent =
        |d: usize| if ty.shape[d] == 0 { 0 } else { bounds.start[d] + (ty.shape[d] - 1) * bounds.stride[d] + 1 };
    let high = (0..shape.rank()).map(|d| (shape[d] - extent(d)) as i64).collect();
    let low = bounds.start.iter().map(|&s| s as i64).collect();
    let interior = bounds.stride.iter().map(|&s| s - 1).collect();
    cx.b.op("pad", Pad { low, high, interior }, &[x, zero], Type::new(ty.dtype, shape.clone()))
}

/// Lowers padding with a constant, by reflection, or with the edge element.
pub(super) fn pad(cx: &mut Lowering<'_>, op: &PadOpIr) -> LoweringResult {
    let mut x = cx.read(&op.input)?;
    let ty = type_of(&op.out)?;
    // Burn pads the last dimensions if there are fewer entries than dimensions.
    let skip = ty.shape.rank() - op.padding.len();
    if let PadModeIr::Constant(value) = op.mode {
        let value = cx.b.scalar(ty.dtype, number(value));
        let amount = |f: fn(&(usize, usize)) -> usize| {
            let padding = op.padding.iter().map(|p| f(p) as i64);
            std::iter::repeat_n(0, skip).chain(padding).collect()
        };
        let pad = Pad { low: amount(|p| p.0), high: amount(|p| p.1), interior: Dims::new() };
        let out = cx.b.op("pad", pad, &[x, value], ty);
        return cx.write(&op.out, out);
    }
    for (i, &(low, high)) in op.padding.iter().enumerate() {
        let dim = skip + i;
        let size = cx.shape(x)[dim];
        let (before, after) = match op.mode {
            PadModeIr::Reflect => {
                let (before, after) =
                    (cx.b.slice_dim(x, dim, 1, low + 1), cx.b.slice_dim(x, dim, size - 1 - high, size - 1));
                let dims: Dims = Dims::from_elem(dim, 1);
                (cx.b.reverse(before, dims.clone()), cx.b.reverse(after, dims))
            }
            PadModeIr::Edge | PadModeIr::Constant(_) => {
                let (first, last) = (cx.b.slice_dim(x, dim, 0, 1), cx.b.slice_dim(x, dim, size - 1, size));
                (repeat_unit_dim(cx, first, dim, low), repeat_unit_dim(cx, last, dim, high))
            }
        };
        x = cx.b.concatenate(&[before, x, after], dim);
    }
    cx.write(&op.out, x)
}

/// Repeats `x`, whose dimension `dim` has size 1, `times` times along `dim`.
fn repeat_unit_dim(cx: &mut Lowering<'_>, x: ValueId, dim: usize, times: usize) -> ValueId {
    let mut shape = cx.shape(x);
    shape[dim] = times;
    cx.b.expand(x, &shape)
}

/// Lowers a concatenation.
pub(super) fn cat(cx: &mut Lowering<'_>, op: &CatOpIr) -> LoweringResult {
    let parts = op.tensors.iter().map(|t| cx.read(t)).collect::<Result<Vec<_>, _>>()?;
    let out = cx.b.concatenate(&parts, op.dim);
    cx.write(&op.out, out)
}

/// Lowers a repetition of the tensor along a dimension.
pub(super) fn repeat_dim(cx: &mut Lowering<'_>, op: &RepeatDimOpIr) -> LoweringResult {
    let x = cx.read(&op.tensor)?;
    let (dim, shape) = (op.dim, cx.shape(x));
    let out = if shape[dim] == 1 {
        repeat_unit_dim(cx, x, dim, op.times)
    } else {
        let dims: Vec<usize> = (0..shape.rank()).map(|d| if d < dim { d } else { d + 1 }).collect();
        let mut copies = shape.clone();
        copies.0.insert(dim, op.times);
        let copies = cx.b.broadcast(x, &dims, copies);
        cx.b.reshape(copies, shape_of(&op.out))
    };
    cx.write(&op.out, out)
}

/// Lowers the creation of a tensor filled with a scalar.
pub(super) fn full(cx: &mut Lowering<'_>, op: &FullOpIr) -> LoweringResult {
    let ty = type_of(&op.out)?;
    let value = wrap(ty.dtype, number(op.value));
    let out = cx.b.splat(ty, value);
    cx.write(&op.out, out)
}

/// Lowers the creation of a tensor of zeros or ones. An uninitialised tensor is filled with zeros.
pub(super) fn fill(cx: &mut Lowering<'_>, op: &CreationOpIr, value: Scalar) -> LoweringResult {
    let ty = type_of(&op.out)?;
    let value = wrap(ty.dtype, value);
    let out = cx.b.splat(ty, value);
    cx.write(&op.out, out)
}
