//! Adjoints of ops that move elements: each moves the gradient back, and puts zeros where nothing came from.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{
    Broadcast, Concatenate, Constrain, DynamicSlice, DynamicUpdateSlice, Pad, Reverse, Slice, Transpose,
};
use partita_ir::tensor::Scalar;

/// Summed over what was repeated.
pub fn broadcast(at: &mut Adjoint<'_, '_>, op: &Broadcast) -> Result<(), String> {
    if !at.wants(0) {
        return Ok(());
    }
    let g = at.gradient();
    let b = &mut *at.b;
    let (from, to) = (b.ty(at.op.args[0]).shape, b.ty(g).shape);
    let kept = |d: usize| op.dims.iter().position(|&to| to == d).filter(|&i| from[i] == to[d]);
    let repeated: Vec<usize> = (0..to.rank()).filter(|&d| kept(d).is_none()).collect();
    let mut gradient = b.sum(g, &repeated);
    // What is left comes in the order of the result.
    let left: Vec<usize> = (0..to.rank()).filter_map(kept).collect();
    let mut perm: Vec<usize> = (0..left.len()).collect();
    perm.sort_by_key(|&i| left[i]);
    gradient = b.transposed(gradient, &perm);
    let gradient = b.reshaped(gradient, from);
    at.give(0, gradient);
    Ok(())
}

/// Reshaped back.
pub fn reshape(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if at.wants(0) {
        let g = at.gradient();
        let shape = at.arg_type(0).shape;
        let gradient = at.b.reshaped(g, shape);
        at.give(0, gradient);
    }
    Ok(())
}

/// Transposed back.
pub fn transpose(at: &mut Adjoint<'_, '_>, op: &Transpose) -> Result<(), String> {
    if at.wants(0) {
        let g = at.gradient();
        let mut back: Vec<usize> = (0..op.perm.len()).collect();
        back.sort_by_key(|&d| op.perm[d]);
        let gradient = at.b.transposed(g, &back);
        at.give(0, gradient);
    }
    Ok(())
}

/// Reversed again.
pub fn reverse(at: &mut Adjoint<'_, '_>, op: &Reverse) -> Result<(), String> {
    if at.wants(0) {
        let g = at.gradient();
        let ty = at.arg_type(0);
        let gradient = at.b.op("reverse", op.clone(), &[g], ty);
        at.give(0, gradient);
    }
    Ok(())
}

/// Padded with zeros.
pub fn slice(at: &mut Adjoint<'_, '_>, op: &Slice) -> Result<(), String> {
    if !at.wants(0) {
        return Ok(());
    }
    let g = at.gradient();
    let ty = at.arg_type(0);
    let stride: Vec<usize> = (0..ty.shape.rank()).map(|d| op.stride.get(d).copied().unwrap_or(1)).collect();
    let gradient = apart(at.b, g, &op.start, &stride, ty);
    at.give(0, gradient);
    Ok(())
}

/// Zeros of that type with the elements of `x` at `start, start + stride, ..`: the way back from [`Algebra::taken`].
pub(super) fn apart(b: &mut Builder<'_>, x: ValueId, start: &[usize], stride: &[usize], ty: Type) -> ValueId {
    let taken = b.ty(x).shape;
    if taken.contains(&0) {
        return b.zeros(ty);
    }
    if taken == ty.shape {
        return x;
    }
    let behind = |d: usize| ty.shape[d] as i64 - (start[d] + (taken[d] - 1) * stride[d] + 1) as i64;
    let pad = Pad {
        low: start.iter().map(|&n| n as i64).collect(),
        high: (0..taken.rank()).map(behind).collect(),
        interior: stride.iter().map(|&n| n - 1).collect(),
    };
    let zero = b.zeros(Type { shape: Shape::scalar(), dtype: ty.dtype });
    b.op("pad", plain(pad), &[x, zero], ty)
}

/// Lists of zeros are left out.
fn plain(mut pad: Pad) -> Pad {
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

/// The operand's places are cut out; what was cropped gets zeros. The padding's value gets the sum of all other places.
pub fn pad(at: &mut Adjoint<'_, '_>, op: &Pad) -> Result<(), String> {
    let g = at.gradient();
    let ty = at.arg_type(0);
    if at.wants(0) {
        let gradient = unpadded(at.b, g, op, ty.clone());
        at.give(0, gradient);
    }
    if at.wants(1) {
        let b = &mut *at.b;
        let bools = |shape: Shape| Type { shape, dtype: DType::Bool };
        let padded = b.ty(g).shape;
        let inside = b.splat(bools(ty.shape), Scalar::Int(1));
        let outside = b.splat(bools(Shape::scalar()), Scalar::Int(0));
        let inside = b.op("inside", op.clone(), &[inside, outside], bools(padded.clone()));
        let rest = Algebra::drop(b, inside, g);
        let all: Vec<usize> = (0..padded.rank()).collect();
        let gradient = b.sum(rest, &all);
        at.give(1, gradient);
    }
    Ok(())
}

/// What a pad's operand of that type became, taken out of the padded tensor.
pub(super) fn unpadded(b: &mut Builder<'_>, g: ValueId, op: &Pad, ty: Type) -> ValueId {
    if ty.shape.contains(&0) || b.ty(g).shape.contains(&0) {
        return b.zeros(ty);
    }
    let rank = ty.shape.rank();
    let number = |list: &[i64], d: usize| list.get(d).copied().unwrap_or(0);
    let stride: Vec<usize> = (0..rank).map(|d| op.interior.get(d).copied().unwrap_or(0) + 1).collect();
    // What was cropped comes back as zeros, so that every element has its place.
    let cropped = |list: &[i64]| -> Vec<i64> { (0..rank).map(|d| (-number(list, d)).max(0)).collect() };
    let back = Pad { low: cropped(&op.low), high: cropped(&op.high), interior: Default::default() };
    let mut whole = g;
    if back.low.iter().chain(&back.high).any(|&n| n > 0) {
        let mut shape = b.ty(g).shape;
        shape.iter_mut().enumerate().for_each(|(d, n)| *n += (back.low[d] + back.high[d]) as usize);
        let zero = b.zeros(Type { shape: Shape::scalar(), dtype: ty.dtype });
        whole = b.op("pad", plain(back), &[g, zero], Type { shape, dtype: ty.dtype });
    }
    let start: Vec<usize> = (0..rank).map(|d| number(&op.low, d).max(0) as usize).collect();
    b.taken(whole, &start, &stride, &ty.shape)
}

/// Each operand gets its part.
pub fn concatenate(at: &mut Adjoint<'_, '_>, op: &Concatenate) -> Result<(), String> {
    let g = at.gradient();
    let rank = at.b.ty(g).shape.rank();
    let mut start = vec![0; rank];
    for i in 0..at.op.args.len() {
        let shape = at.arg_type(i).shape;
        if at.wants(i) {
            let gradient = at.b.taken(g, &start, &vec![1; rank], &shape);
            at.give(i, gradient);
        }
        start[op.dim] += shape[op.dim];
    }
    Ok(())
}

/// Zeros with the gradient in the box.
pub fn dynamic_slice(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if at.wants(0) {
        let g = at.gradient();
        let ty = at.arg_type(0);
        let zeros = at.b.zeros(ty.clone());
        let args: Vec<ValueId> = [zeros, g].into_iter().chain(at.op.args[1..].iter().copied()).collect();
        let gradient = at.b.op("dynamic_update_slice", DynamicUpdateSlice {}, &args, ty);
        at.give(0, gradient);
    }
    Ok(())
}

/// The box to the update, the rest to the operand.
pub fn dynamic_update_slice(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    let g = at.gradient();
    let (whole, part) = (at.arg_type(0), at.arg_type(1));
    let starts = &at.op.args[2..];
    if at.wants(0) {
        let zeros = at.b.zeros(part.clone());
        let args: Vec<ValueId> = [g, zeros].iter().chain(starts).copied().collect();
        let gradient = at.b.op("dynamic_update_slice", DynamicUpdateSlice {}, &args, whole);
        at.give(0, gradient);
    }
    if at.wants(1) {
        let args: Vec<ValueId> = [g].iter().chain(starts).copied().collect();
        let sizes = part.shape.iter().copied().collect();
        let gradient = at.b.op("dynamic_slice", DynamicSlice { sizes }, &args, part);
        at.give(1, gradient);
    }
    Ok(())
}

/// The gradient lies where the value was asked to lie.
pub fn constrain(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if at.wants(0) {
        let g = at.gradient();
        let ty = at.arg_type(0);
        let gradient = at.b.op("constrain", Constrain { fresh: false }, &[g], ty);
        at.b.program.values[gradient].layout = at.b.program.values[at.op.outs[0]].layout.clone();
        at.give(0, gradient);
    }
    Ok(())
}
