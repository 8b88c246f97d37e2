//! Adjoints of ops that move elements. Each moves the gradient back, and the gradient of unused elements is zero.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{
    Broadcast, Concatenate, Constrain, DynamicSlice, DynamicUpdateSlice, Pad, Reverse, Slice, Transpose,
};
use partita_ir::tensor::Scalar;

/// Appends the adjoint of `broadcast`: sums over the repeated dimensions.
pub fn broadcast(ctx: &mut Adjoint<'_, '_>, op: &Broadcast) -> Result<(), String> {
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let g = ctx.gradient();
    let b = &mut *ctx.b;
    let (from, to) = (b.ty(ctx.op.args[0]).shape, b.ty(g).shape);
    let operand_dim = |d: usize| op.dims.iter().position(|&to| to == d).filter(|&i| from[i] == to[d]);
    let repeated: Vec<usize> = (0..to.rank()).filter(|&d| operand_dim(d).is_none()).collect();
    let mut gradient = b.sum(g, &repeated);
    // The remaining dimensions are in the order of the result.
    let left: Vec<usize> = (0..to.rank()).filter_map(operand_dim).collect();
    let mut perm: Vec<usize> = (0..left.len()).collect();
    perm.sort_by_key(|&i| left[i]);
    gradient = b.transposed(gradient, &perm);
    let gradient = b.reshaped(gradient, from);
    ctx.set_gradient(0, gradient);
    Ok(())
}

/// Appends the adjoint of `reshape`: reshapes to the operand's shape.
pub fn reshape(ctx: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if ctx.needs_gradient(0) {
        let g = ctx.gradient();
        let shape = ctx.arg_type(0).shape;
        let gradient = ctx.b.reshaped(g, shape);
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}

/// Appends the adjoint of `transpose`: transposes with the inverse permutation.
pub fn transpose(ctx: &mut Adjoint<'_, '_>, op: &Transpose) -> Result<(), String> {
    if ctx.needs_gradient(0) {
        let g = ctx.gradient();
        let mut back: Vec<usize> = (0..op.perm.len()).collect();
        back.sort_by_key(|&d| op.perm[d]);
        let gradient = ctx.b.transposed(g, &back);
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}

/// Appends the adjoint of `reverse`: reverses again.
pub fn reverse(ctx: &mut Adjoint<'_, '_>, op: &Reverse) -> Result<(), String> {
    if ctx.needs_gradient(0) {
        let g = ctx.gradient();
        let ty = ctx.arg_type(0);
        let gradient = ctx.b.op("reverse", op.clone(), &[g], ty);
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}

/// Appends the adjoint of `slice`: pads with zeros.
pub fn slice(ctx: &mut Adjoint<'_, '_>, op: &Slice) -> Result<(), String> {
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let g = ctx.gradient();
    let ty = ctx.arg_type(0);
    let stride: Vec<usize> = (0..ty.shape.rank()).map(|d| op.stride.get(d).copied().unwrap_or(1)).collect();
    let gradient = dilate_into(ctx.b, g, &op.start, &stride, ty);
    ctx.set_gradient(0, gradient);
    Ok(())
}

/// Appends zeros of this type with the elements of `x` at `start, start + stride, ..`. The adjoint of
/// [`Algebra::strided_slice`].
pub(super) fn dilate_into(b: &mut Builder<'_>, x: ValueId, start: &[usize], stride: &[usize], ty: Type) -> ValueId {
    let shape = b.ty(x).shape;
    if shape.contains(&0) {
        return b.zeros(ty);
    }
    if shape == ty.shape {
        return x;
    }
    let high = |d: usize| ty.shape[d] as i64 - (start[d] + (shape[d] - 1) * stride[d] + 1) as i64;
    let pad = Pad {
        low: start.iter().map(|&n| n as i64).collect(),
        high: (0..shape.rank()).map(high).collect(),
        interior: stride.iter().map(|&n| n - 1).collect(),
    };
    let zero = b.zeros(Type { shape: Shape::scalar(), dtype: ty.dtype });
    b.op("pad", canonical_pad(pad), &[x, zero], ty)
}

/// Replaces lists that contain only zeros by empty lists, their canonical form.
fn canonical_pad(mut pad: Pad) -> Pad {
    for list in [&mut pad.low, &mut pad.high] {
        if list.iter().all(|&n| n == 0) {
            list.clear();
        }
    }
    if pad.interior.iter().all(|&n| n == 0) {
        pad.interior.clear();
    }
    pad
}

/// Appends the adjoint of `pad`. The operand's gradient is sliced from the gradient of the result, and is zero for
/// cropped elements. The gradient of the padding value is the sum of all other elements.
pub fn pad(ctx: &mut Adjoint<'_, '_>, op: &Pad) -> Result<(), String> {
    let g = ctx.gradient();
    let ty = ctx.arg_type(0);
    if ctx.needs_gradient(0) {
        let gradient = slice_padded(ctx.b, g, op, ty.clone());
        ctx.set_gradient(0, gradient);
    }
    if ctx.needs_gradient(1) {
        let b = &mut *ctx.b;
        let bools = |shape: Shape| Type { shape, dtype: DType::Bool };
        let padded = b.ty(g).shape;
        let inside = b.splat(bools(ty.shape), Scalar::Int(1));
        let outside = b.splat(bools(Shape::scalar()), Scalar::Int(0));
        let inside = b.op("inside", op.clone(), &[inside, outside], bools(padded.clone()));
        let rest = Algebra::zero_where(b, inside, g);
        let all: Vec<usize> = (0..padded.rank()).collect();
        let gradient = b.sum(rest, &all);
        ctx.set_gradient(1, gradient);
    }
    Ok(())
}

/// Appends the slice of a padded tensor that corresponds to the operand of `op`. `ty` is the type of the operand.
pub(super) fn slice_padded(b: &mut Builder<'_>, g: ValueId, op: &Pad, ty: Type) -> ValueId {
    if ty.shape.contains(&0) || b.ty(g).shape.contains(&0) {
        return b.zeros(ty);
    }
    let rank = ty.shape.rank();
    let number = |list: &[i64], d: usize| list.get(d).copied().unwrap_or(0);
    let stride: Vec<usize> = (0..rank).map(|d| op.interior.get(d).copied().unwrap_or(0) + 1).collect();
    // Cropped elements are added as zeros, so that the slice contains every element of the operand.
    let cropped = |list: &[i64]| -> Vec<i64> { (0..rank).map(|d| (-number(list, d)).max(0)).collect() };
    let back = Pad { low: cropped(&op.low), high: cropped(&op.high), interior: Default::default() };
    let mut whole = g;
    if back.low.iter().chain(&back.high).any(|&n| n > 0) {
        let mut shape = b.ty(g).shape;
        shape.iter_mut().enumerate().for_each(|(d, n)| *n += (back.low[d] + back.high[d]) as usize);
        let zero = b.zeros(Type { shape: Shape::scalar(), dtype: ty.dtype });
        whole = b.op("pad", canonical_pad(back), &[g, zero], Type { shape, dtype: ty.dtype });
    }
    let start: Vec<usize> = (0..rank).map(|d| number(&op.low, d).max(0) as usize).collect();
    b.strided_slice(whole, &start, &stride, &ty.shape)
}

/// Appends the adjoint of `concatenate`: slices the gradient.
pub fn concatenate(ctx: &mut Adjoint<'_, '_>, op: &Concatenate) -> Result<(), String> {
    let g = ctx.gradient();
    let rank = ctx.b.ty(g).shape.rank();
    let mut start = vec![0; rank];
    for i in 0..ctx.op.args.len() {
        let shape = ctx.arg_type(i).shape;
        if ctx.needs_gradient(i) {
            let gradient = ctx.b.strided_slice(g, &start, &vec![1; rank], &shape);
            ctx.set_gradient(i, gradient);
        }
        start[op.dim] += shape[op.dim];
    }
    Ok(())
}

/// Appends the adjoint of `dynamic_slice`: zeros with the gradient in the slice.
pub fn dynamic_slice(ctx: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if ctx.needs_gradient(0) {
        let g = ctx.gradient();
        let ty = ctx.arg_type(0);
        let zeros = ctx.b.zeros(ty.clone());
        let args: Vec<ValueId> = [zeros, g].into_iter().chain(ctx.op.args[1..].iter().copied()).collect();
        let gradient = ctx.b.op("dynamic_update_slice", DynamicUpdateSlice {}, &args, ty);
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}

/// Appends the adjoint of `dynamic_update_slice`: the slice to the update, the remaining elements to the operand.
pub fn dynamic_update_slice(ctx: &mut Adjoint<'_, '_>) -> Result<(), String> {
    let g = ctx.gradient();
    let (whole, part) = (ctx.arg_type(0), ctx.arg_type(1));
    let starts = &ctx.op.args[2..];
    if ctx.needs_gradient(0) {
        let zeros = ctx.b.zeros(part.clone());
        let args: Vec<ValueId> = [g, zeros].iter().chain(starts).copied().collect();
        let gradient = ctx.b.op("dynamic_update_slice", DynamicUpdateSlice {}, &args, whole);
        ctx.set_gradient(0, gradient);
    }
    if ctx.needs_gradient(1) {
        let args: Vec<ValueId> = [g].iter().chain(starts).copied().collect();
        let sizes = part.shape.iter().copied().collect();
        let gradient = ctx.b.op("dynamic_slice", DynamicSlice { sizes }, &args, part);
        ctx.set_gradient(1, gradient);
    }
    Ok(())
}

/// Appends the adjoint of `constrain`: the gradient gets the layout of the result.
pub fn constrain(ctx: &mut Adjoint<'_, '_>, op: &Constrain) -> Result<(), String> {
    if ctx.needs_gradient(0) {
        let g = ctx.gradient();
        let ty = ctx.arg_type(0);
        let kind = Constrain { sharding: op.sharding.clone(), ..Constrain::default() };
        let gradient = ctx.b.op("constrain", kind, &[g], ty);
        ctx.b.program.values[gradient].layout = ctx.b.program.values[ctx.op.outs[0]].layout.clone();
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}
