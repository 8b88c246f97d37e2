//! Generator steps for data movement operations.

use super::pool::Generator;
use super::{Step, is_within_element_limit};
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::{Broadcast, Concatenate, Pad, Reshape, Reverse, Slice, Transpose};
use partita_ir::rule::Window;

// Steps that are listed several times are drawn more often.
pub(super) const STEPS: &[(&str, Step)] = &[
    ("broadcast", broadcast),
    ("reshape", reshape),
    ("reshape", reshape),
    ("transpose", transpose),
    ("reverse", reverse),
    ("slice", slice),
    ("pad", pad),
    ("concatenate", concatenate),
];

fn broadcast(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() < 4)?;
    let extra = 1 + d.tape.below(2);
    let mut dims = d.tape.permutation(x.rank() + extra);
    dims.truncate(x.rank());
    if d.tape.below(4) > 0 {
        dims.sort_unstable();
    }
    let mut shape: Shape = (0..x.rank() + extra).map(|_| d.size()).collect();
    for (i, &dim) in dims.iter().enumerate() {
        let repeat = x.ty.shape[i] == 1 && d.tape.one_in(2);
        if !repeat {
            shape[dim] = x.ty.shape[i];
        }
    }
    let ty = Type { shape, dtype: x.ty.dtype };
    d.push(Broadcast { dims: dims.into_iter().collect() }, &[&x], ty, x.bound, x.integral)?;
    Some(())
}

/// Appends a reshape that merges and splits dimensions, so that dimensions of the result have several factors.
fn reshape(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0)?;
    let mut shape = Shape::default();
    let mut dims = x.ty.shape.iter().copied().peekable();
    while let Some(size) = dims.next() {
        match d.tape.below(4) {
            0 if dims.peek().is_some() => shape.0.push(size * dims.next().unwrap_or(1)),
            1 => {
                let divisors: Vec<usize> = (1..=size).filter(|&n| size.is_multiple_of(n)).collect();
                let major = d.tape.pick(&divisors).unwrap_or(1);
                shape.0.extend([major, size / major]);
            }
            2 if size == 1 => {}
            _ => shape.0.push(size),
        }
    }
    if shape.rank() > 6 || shape == x.ty.shape {
        return None;
    }
    d.push(Reshape {}, &[&x], Type { shape, dtype: x.ty.dtype }, x.bound, x.integral)?;
    Some(())
}

pub(super) fn transpose(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 1)?;
    let perm = d.tape.permutation(x.rank());
    let shape = perm.iter().map(|&p| x.ty.shape[p]).collect();
    let op = Transpose { perm: perm.into_iter().collect() };
    d.push(op, &[&x], Type { shape, dtype: x.ty.dtype }, x.bound, x.integral)?;
    Some(())
}

fn reverse(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0)?;
    let dims = d.tape.subset(x.rank()).into_iter().collect();
    d.push(Reverse { dims }, &[&x], x.ty.clone(), x.bound, x.integral)?;
    Some(())
}

fn slice(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0)?;
    let mut op = Slice { start: Default::default(), limit: Default::default(), stride: Default::default() };
    let mut shape = Shape::default();
    for &size in x.ty.shape.iter() {
        let whole = d.tape.one_in(2);
        let start = if whole { 0 } else { d.tape.below(size + 1) };
        let limit = if whole { size } else { start + d.tape.below(size - start + 1) };
        let stride = [1, 1, 2, 3][d.tape.below(4)];
        op.start.push(start);
        op.limit.push(limit);
        op.stride.push(stride);
        shape.0.push((limit - start).div_ceil(stride));
    }
    if op.stride.iter().all(|&s| s == 1) {
        op.stride.clear();
    }
    d.push(op, &[&x], Type { shape, dtype: x.ty.dtype }, x.bound, x.integral)?;
    Some(())
}

fn pad(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0)?;
    let value = d.value_of_type(&Type::new(x.ty.dtype, []));
    let mut op = Pad { low: vec![], high: vec![], interior: Default::default() };
    let mut shape = Shape::default();
    for &size in x.ty.shape.iter() {
        let (low, high) = (d.tape.below(4) as i64 - 1, d.tape.below(4) as i64 - 1);
        let interior = [0, 0, 1][d.tape.below(3)];
        op.low.push(low);
        op.high.push(high);
        op.interior.push(interior);
        shape.0.push(Window { low, high, base: interior + 1, ..Window::default() }.outputs(size)?);
    }
    let bound = x.bound.max(value.bound);
    d.push(op, &[&x, &value], Type { shape, dtype: x.ty.dtype }, bound, x.integral && value.integral)?;
    Some(())
}

fn concatenate(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0)?;
    let dim = d.tape.below(x.rank());
    let mut parts = vec![x.clone()];
    let mut ty = x.ty.clone();
    for _ in 0..1 + d.tape.below(2) {
        let is_compatible = |v: &super::GeneratedValue| {
            v.ty.dtype == x.ty.dtype
                && v.rank() == x.rank()
                && (0..x.rank()).all(|i| i == dim || v.ty.shape[i] == x.ty.shape[i])
        };
        let part = if d.tape.one_in(2) { d.find(is_compatible)? } else { d.value_of_type(&x.ty) };
        ty.shape[dim] += part.ty.shape[dim];
        parts.push(part);
    }
    if !is_within_element_limit(&ty) {
        return None;
    }
    let bound = parts.iter().map(|p| p.bound).fold(0.0, f64::max);
    let whole = parts.iter().all(|p| p.integral);
    let args: Vec<_> = parts.iter().collect();
    d.push(Concatenate { dim }, &args, ty, bound, whole)?;
    Some(())
}
