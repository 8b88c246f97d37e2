//! Operations that move elements: shapes, slices, padding, repetition.

use super::lowering::{Lowered, Lowering, number, shape_of, type_of};
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

/// The elements in another shape.
pub(super) fn reshape(cx: &mut Lowering<'_>, op: &ShapeOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    let ty = type_of(&op.out)?;
    let out = if cx.b.ty(x) == ty { x } else { cx.b.reshape(x, ty.shape) };
    cx.write(&op.out, out)
}

/// Dimensions of size 1 repeated, and new ones in front.
pub(super) fn expand(cx: &mut Lowering<'_>, op: &ShapeOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    let out = cx.b.expand(x, &shape_of(&op.out));
    cx.write(&op.out, out)
}

/// Two dimensions exchanged.
pub(super) fn swap_dims(cx: &mut Lowering<'_>, op: &SwapDimsOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    let out = cx.b.swap_dims(x, op.dim1, op.dim2);
    cx.write(&op.out, out)
}

/// Dimensions in another order.
pub(super) fn permute(cx: &mut Lowering<'_>, op: &PermuteOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    let out = cx.b.transpose(x, op.axes.iter().copied().collect());
    cx.write(&op.out, out)
}

/// The order of elements reversed along dimensions.
pub(super) fn flip(cx: &mut Lowering<'_>, op: &FlipOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    let out = cx.b.reverse(x, op.axes.iter().copied().collect());
    cx.write(&op.out, out)
}

/// Bounds of a Burn slice. Per dimension the first and the last index plus one, counted forwards, the step, and which
/// dimensions run backwards. A backward slice takes `end - 1, end - 1 - step, ...` as long as that is at least `start`.
struct Region {
    start: Dims,
    limit: Dims,
    stride: Dims,
    backward: Dims,
}

impl Region {
    fn new(ranges: &[Range], shape: &Shape) -> Region {
        let whole = Range::full();
        let mut this = Region { start: Dims::new(), limit: Dims::new(), stride: Dims::new(), backward: Dims::new() };
        for (dim, &size) in shape.iter().enumerate() {
            let (range, step) = ranges.get(dim).unwrap_or(&whole).to_range_and_step(size);
            let (stride, end) = (step.unsigned_abs().max(1), range.end.max(range.start));
            let taken = (end - range.start).div_ceil(stride);
            // Backwards, what is taken ends at the end: the first index taken forwards moves up.
            let start = if step < 0 && taken > 0 { end - 1 - (taken - 1) * stride } else { range.start };
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

/// A box of the operand, with steps that may be negative.
pub(super) fn slice(cx: &mut Lowering<'_>, op: &SliceOpIr) -> Lowered {
    let x = cx.read(&op.tensor)?;
    let Region { start, limit, stride, backward } = Region::new(&op.ranges, &cx.shape(x));
    let stride = if stride.iter().all(|&s| s == 1) { Dims::new() } else { stride };
    let ty = type_of(&op.out)?;
    let out = if cx.b.ty(x) == ty { x } else { cx.b.op("slice", Slice { start, limit, stride }, &[x], ty) };
    let out = cx.b.reverse(out, backward);
    cx.write(&op.out, out)
}

/// The operand with a box replaced.
pub(super) fn slice_assign(cx: &mut Lowering<'_>, op: &SliceAssignOpIr) -> Lowered {
    let (x, value) = (cx.read(&op.tensor)?, cx.read(&op.value)?);
    let ty = cx.b.ty(x);
    let place = Region::new(&op.ranges, &ty.shape);
    let value = cx.b.reverse(value, place.backward.clone());
    let out = if place.is_dense() {
        update(cx, x, value, &place.start)
    } else {
        let ones_ty = Type::new(DType::Bool, cx.shape(value));
        let ones = cx.b.splat(ones_ty, Scalar::Int(1));
        let (mask, spread) = (spread(cx, ones, &place, &ty.shape), spread(cx, value, &place, &ty.shape));
        cx.b.select(mask, spread, x)
    };
    cx.write(&op.out, out)
}

/// `x` with a dense box that starts at `start` replaced by `value`.
fn update(cx: &mut Lowering<'_>, x: ValueId, value: ValueId, start: &Dims) -> ValueId {
    let ty = cx.b.ty(x);
    let mut args = vec![x, value];
    args.extend(start.iter().map(|&s| cx.b.scalar(DType::I32, Scalar::Int(s as i64))));
    cx.b.op("update", DynamicUpdateSlice {}, &args, ty)
}

/// The elements of `x` at the places of a box in a tensor of zeros.
fn spread(cx: &mut Lowering<'_>, x: ValueId, place: &Region, shape: &Shape) -> ValueId {
    let ty = cx.b.ty(x);
    let zero = cx.b.scalar(ty.dtype, Scalar::Int(0));
    let reach = |d: usize| if ty.shape[d] == 0 { 0 } else { place.start[d] + (ty.shape[d] - 1) * place.stride[d] + 1 };
    let high = (0..shape.rank()).map(|d| (shape[d] - reach(d)) as i64).collect();
    let low = place.start.iter().map(|&s| s as i64).collect();
    let interior = place.stride.iter().map(|&s| s - 1).collect();
    cx.b.op("pad", Pad { low, high, interior }, &[x, zero], Type::new(ty.dtype, shape.clone()))
}

/// The operand surrounded by a number, by its mirror image, or by its border.
pub(super) fn pad(cx: &mut Lowering<'_>, op: &PadOpIr) -> Lowered {
    let mut x = cx.read(&op.input)?;
    let ty = type_of(&op.out)?;
    // Burn pads the last dimensions when there are fewer entries than dimensions.
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
        let (before, behind) = match op.mode {
            PadModeIr::Reflect => {
                let (before, behind) = (cx.b.cut(x, dim, 1, low + 1), cx.b.cut(x, dim, size - 1 - high, size - 1));
                let dims: Dims = Dims::from_elem(dim, 1);
                (cx.b.reverse(before, dims.clone()), cx.b.reverse(behind, dims))
            }
            PadModeIr::Edge | PadModeIr::Constant(_) => {
                let (first, last) = (cx.b.cut(x, dim, 0, 1), cx.b.cut(x, dim, size - 1, size));
                (repeated(cx, first, dim, low), repeated(cx, last, dim, high))
            }
        };
        x = cx.b.concatenate(&[before, x, behind], dim);
    }
    cx.write(&op.out, x)
}

/// `x`, of size 1 along `dim`, repeated.
fn repeated(cx: &mut Lowering<'_>, x: ValueId, dim: usize, times: usize) -> ValueId {
    let mut shape = cx.shape(x);
    shape[dim] = times;
    cx.b.expand(x, &shape)
}

/// Operands one after the other.
pub(super) fn cat(cx: &mut Lowering<'_>, op: &CatOpIr) -> Lowered {
    let parts = op.tensors.iter().map(|t| cx.read(t)).collect::<Result<Vec<_>, _>>()?;
    let out = cx.b.concatenate(&parts, op.dim);
    cx.write(&op.out, out)
}

/// The whole tensor several times along a dimension.
pub(super) fn repeat_dim(cx: &mut Lowering<'_>, op: &RepeatDimOpIr) -> Lowered {
    let x = cx.read(&op.tensor)?;
    let (dim, shape) = (op.dim, cx.shape(x));
    let out = if shape[dim] == 1 {
        repeated(cx, x, dim, op.times)
    } else {
        let dims: Vec<usize> = (0..shape.rank()).map(|d| if d < dim { d } else { d + 1 }).collect();
        let mut copies = shape.clone();
        copies.0.insert(dim, op.times);
        let copies = cx.b.broadcast(x, &dims, copies);
        cx.b.reshape(copies, shape_of(&op.out))
    };
    cx.write(&op.out, out)
}

/// A tensor filled with a number.
pub(super) fn full(cx: &mut Lowering<'_>, op: &FullOpIr) -> Lowered {
    let ty = type_of(&op.out)?;
    let value = wrap(ty.dtype, number(op.value));
    let out = cx.b.splat(ty, value);
    cx.write(&op.out, out)
}

/// A tensor filled with zeros or ones. A tensor whose elements were never set is filled with zeros.
pub(super) fn fill(cx: &mut Lowering<'_>, op: &CreationOpIr, value: Scalar) -> Lowered {
    let ty = type_of(&op.out)?;
    let value = wrap(ty.dtype, value);
    let out = cx.b.splat(ty, value);
    cx.write(&op.out, out)
}
