//! Operations that move elements: shapes, slices, padding, repetition.

use super::lowering::{
    Lowered, Lowering, Node, Out, Outs, Refusal, broadcast, dim, dims, malformed, one, size, unsupported,
};
use crate::tensors::{dtype_of, shape_of};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Direction, Iota, Pad, Slice};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;
use smallvec::smallvec;

/// The elements in another shape, where 0 keeps a dimension and -1 is what is left.
pub fn reshape(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let from = cx.shape(x);
    let mut wanted = cx.ints(at.arg(1)?, "shape")?;
    for (i, n) in wanted.iter_mut().enumerate() {
        if *n == 0 && !at.flag("allowzero", false) {
            *n = match from.get(i) {
                Some(&kept) => kept as i64,
                None => return malformed(format!("keeps dimension {i} of {from}")),
            };
        }
    }
    if let Some(open) = wanted.iter().position(|&n| n == -1) {
        let others = wanted.iter().enumerate().filter(|(i, _)| *i != open).map(|(_, &n)| n);
        let others = others.map(|n| usize::try_from(n).ok()).try_fold(1usize, |all, n| all.checked_mul(n?));
        let whole = from.count();
        wanted[open] = match others {
            Some(n) if n > 0 && whole.is_multiple_of(n) => (whole / n) as i64,
            _ => return malformed(format!("cannot make {from} into {wanted:?}")),
        };
    }
    let shape = shape_of(&wanted).map_err(Refusal::Malformed)?;
    if shape.count() != from.count() {
        return malformed(format!("cannot make {from} into {shape}"));
    }
    one(reshaped(cx, x, shape))
}

/// `x` in another shape, if that is another one.
pub fn reshaped(cx: &mut Lowering<'_>, x: ValueId, shape: Shape) -> ValueId {
    if cx.shape(x) == shape { x } else { cx.b.reshape(x, shape) }
}

/// Dimensions before an axis as one, and those from it on as another one.
pub fn flatten(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let axis = at.int("axis", 1);
    // The axis may stand behind the last dimension.
    let axis = if axis == shape.rank() as i64 { shape.rank() } else { dim(axis, shape.rank())? };
    let count = |dims: &[usize]| dims.iter().copied().fold(1, usize::saturating_mul);
    one(reshaped(cx, x, [count(&shape[..axis]), count(&shape[axis..])].into()))
}

/// Dimensions in another order, the reverse one if nothing is said.
pub fn transpose(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let rank = cx.rank(x);
    let perm: Dims = match at.ints("perm") {
        None => (0..rank).rev().collect(),
        Some(perm) => {
            if perm.len() != rank {
                return malformed(format!("orders {} dimensions of {}", perm.len(), cx.b.ty(x)));
            }
            dims(perm, rank)?;
            perm.iter().map(|&d| dim(d, rank)).collect::<Result<_, _>>()?
        }
    };
    one(cx.b.transpose(x, perm))
}

/// Dimensions of size 1 left out: those that are named, or all.
pub fn squeeze(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let gone = match cx.ints_of(at, "axes", 1)? {
        Some(axes) => dims(&axes, shape.rank())?,
        None => (0..shape.rank()).filter(|&d| shape[d] == 1).collect(),
    };
    if let Some(&d) = gone.iter().find(|&&d| shape[d] != 1) {
        return malformed(format!("leaves out dimension {d} of {shape}, which is not 1"));
    }
    let kept: Shape = (0..shape.rank()).filter(|d| !gone.contains(d)).map(|d| shape[d]).collect();
    one(reshaped(cx, x, kept))
}

/// New dimensions of size 1, at their places in the result.
pub fn unsqueeze(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let Some(axes) = cx.ints_of(at, "axes", 1)? else { return malformed("lacks its axes") };
    let new = dims(&axes, shape.rank() + axes.len())?;
    let mut old = shape.iter().copied();
    let sizes = (0..shape.rank() + new.len()).map(|d| if new.contains(&d) { 1 } else { old.next().unwrap_or(1) });
    one(cx.b.reshape(x, sizes.collect::<Shape>()))
}

/// Operands one after the other.
pub fn concat(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let parts = at.all()?;
    let rank = cx.rank(parts[0]);
    let axis = dim(at.int("axis", 0), rank)?;
    if parts.iter().any(|&p| cx.rank(p) != rank) {
        return malformed("puts tensors of different ranks in a row");
    }
    one(cx.b.concatenate(&parts, axis))
}

/// Parts along a dimension: of given sizes, or equal ones, of which the last may be smaller.
pub fn split(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let axis = dim(at.int("axis", 0), shape.rank())?;
    let parts = at.results().max(1);
    let whole = shape[axis];
    let sizes: Vec<usize> = match cx.ints_of(at, "split", 1)? {
        Some(sizes) => sizes.iter().map(|&n| size(n, "part")).collect::<Result<_, _>>()?,
        None => {
            let each = whole.div_ceil(parts);
            (0..parts).map(|i| whole.saturating_sub(i * each).min(each)).collect()
        }
    };
    let total = sizes.iter().copied().fold(0, usize::saturating_add);
    if sizes.len() != parts || total != whole {
        return malformed(format!("takes dimension {axis} of {shape} apart into {sizes:?} for {parts} results"));
    }
    let mut start = 0;
    let part = |&n: &usize| {
        let begin = start;
        start += n;
        Out::Value(if n == whole { x } else { cx.b.cut(x, axis, begin, start) })
    };
    Ok(sizes.iter().map(part).collect::<Outs>())
}

/// A box, with steps that may be negative.
pub fn slice(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let (starts, ends) = (cx.ints(at.arg(1)?, "starts")?, cx.ints(at.arg(2)?, "ends")?);
    let list = |i, what, default: Vec<i64>| at.optional(i).map_or(Ok(default), |v| cx.ints(v, what));
    let axes = list(3, "axes", (0..starts.len() as i64).collect())?;
    let steps = list(4, "steps", vec![1; starts.len()])?;
    if [ends.len(), axes.len(), steps.len()].iter().any(|&n| n != starts.len()) {
        return malformed("has starts, ends, axes and steps of different lengths");
    }
    dims(&axes, shape.rank())?;
    let mut start: Dims = Dims::from_elem(0, shape.rank());
    let mut limit = Dims::from_slice(&shape);
    let mut stride = Dims::from_elem(1, shape.rank());
    let mut backward = Dims::new();
    for i in 0..starts.len() {
        let d = dim(axes[i], shape.rank())?;
        let n = shape[d] as i64;
        let from_end = |at: i64| if at < 0 { at.saturating_add(n) } else { at };
        let (from, to) = (from_end(starts[i]), from_end(ends[i]));
        let step = steps[i];
        let reach = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX).min(shape[d].max(1));
        if step == 0 {
            return malformed("has a step of 0");
        }
        if step > 0 {
            let (from, to) = (from.clamp(0, n), to.clamp(0, n));
            (start[d], limit[d], stride[d]) = (from as usize, to.max(from) as usize, reach);
        } else {
            // Backwards from `from` as long as it is beyond `to`: the same elements forwards, then reversed.
            let (from, to) = (from.clamp(-1, n - 1), to.clamp(-1, n - 1));
            let taken = ((from - to).max(0) as usize).div_ceil(reach);
            let first = if taken == 0 { 0 } else { from as usize - (taken - 1) * reach };
            (start[d], limit[d], stride[d]) = (first, if taken == 0 { 0 } else { from as usize + 1 }, reach);
            backward.push(d);
        }
    }
    let whole = start.iter().all(|&s| s == 0) && limit[..] == shape[..] && stride.iter().all(|&s| s == 1);
    let stride = if stride.iter().all(|&s| s == 1) { Dims::new() } else { stride };
    let part = if whole { x } else { cx.op("slice", Slice { start, limit, stride }, &[x])? };
    one(cx.b.reverse(part, backward))
}

/// `x` repeated to a shape, and by it.
pub fn expand(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let wanted = shape_of(&cx.ints(at.arg(1)?, "shape")?).map_err(Refusal::Malformed)?;
    let shape = broadcast([&cx.shape(x), &wanted])?;
    one(cx.expand(x, &shape)?)
}

/// The whole tensor several times along its dimensions.
pub fn tile(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let repeats = cx.ints(at.arg(1)?, "repeats")?;
    if repeats.len() != shape.rank() {
        return malformed(format!("repeats {} dimensions of {shape}", repeats.len()));
    }
    let times = repeats.iter().map(|&n| size(n, "number of repeats")).collect::<Result<Vec<_>, _>>()?;
    if times.iter().all(|&n| n == 1) {
        return one(x);
    }
    // A dimension `n` that is repeated is a pair `times, n` on the way.
    let (mut places, mut copies) = (Vec::new(), Shape::scalar());
    for (&n, &times) in shape.iter().zip(&times) {
        if times != 1 {
            copies.0.push(times);
        }
        places.push(copies.rank());
        copies.0.push(n);
    }
    let whole = shape.iter().zip(&times).map(|(&n, &t)| n.checked_mul(t)).collect::<Option<Vec<_>>>();
    let Some(whole) = whole.map(|dims| Shape::from(&dims[..])).filter(|s| s.checked_count().is_some()) else {
        return Err(Refusal::TooLarge(format!("{shape} repeated {times:?} times")));
    };
    let copies = cx.b.broadcast(x, &places, copies);
    one(cx.b.reshape(copies, whole))
}

/// The operand surrounded by a number, its mirror image, its border, or itself.
pub fn pad(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let mut x = at.arg(0)?;
    let shape = cx.shape(x);
    let pads = cx.ints(at.arg(1)?, "pads")?;
    let axes = match at.optional(3) {
        Some(axes) => cx.ints(axes, "axes")?,
        None => (0..shape.rank() as i64).collect(),
    };
    if pads.len() != 2 * axes.len() {
        return malformed(format!("has {} paddings for {} dimensions", pads.len(), axes.len()));
    }
    dims(&axes, shape.rank())?;
    let (mut low, mut high) = (vec![0; shape.rank()], vec![0; shape.rank()]);
    for (i, &axis) in axes.iter().enumerate() {
        let d = dim(axis, shape.rank())?;
        for (side, n) in [(&mut low, pads[i]), (&mut high, pads[axes.len() + i])] {
            size(n.saturating_abs(), "padding")?;
            side[d] = n;
        }
    }
    let mode = at.text("mode", "constant");
    if mode == "constant" {
        let value = match at.optional(2) {
            Some(value) if cx.shape(value).count() != 1 => return malformed("pads with what is not one number"),
            Some(value) => reshaped(cx, value, Shape::scalar()),
            None => {
                let dtype = cx.dtype(x);
                cx.b.scalar(dtype, Scalar::Int(0))
            }
        };
        return one(cx.op("pad", Pad { low, high, interior: Dims::new() }, &[x, value])?);
    }
    for d in 0..shape.rank() {
        let (before, behind) = (low[d], high[d]);
        if before == 0 && behind == 0 {
            continue;
        }
        let (Ok(before), Ok(behind)) = (usize::try_from(before), usize::try_from(behind)) else {
            return unsupported(format!("negative padding in the mode `{mode}`"));
        };
        x = padded(cx, x, d, before, behind, mode)?;
    }
    one(x)
}

fn padded(
    cx: &mut Lowering<'_>,
    x: ValueId,
    d: usize,
    before: usize,
    behind: usize,
    mode: &str,
) -> Result<ValueId, Refusal> {
    let n = cx.shape(x)[d];
    let least = if mode == "reflect" { 1 } else { 0 };
    let reach = if mode == "edge" { 1 } else { before.max(behind) };
    if n < reach + least {
        return unsupported(format!("a padding of {before} and {behind} by `{mode}` around {n} elements"));
    }
    let (front, back) = match mode {
        "reflect" => {
            let (front, back) = (cx.b.cut(x, d, 1, before + 1), cx.b.cut(x, d, n - 1 - behind, n - 1));
            (cx.b.reverse(front, smallvec![d]), cx.b.reverse(back, smallvec![d]))
        }
        "wrap" => (cx.b.cut(x, d, n - before, n), cx.b.cut(x, d, 0, behind)),
        "edge" => {
            let mut repeated = |from: usize, times: usize| {
                let edge = cx.b.cut(x, d, from, from + 1);
                let mut shape = cx.shape(edge);
                shape[d] = times;
                cx.b.expand(edge, &shape)
            };
            (repeated(0, before), repeated(n - 1, behind))
        }
        other => return unsupported(format!("the mode `{other}`")),
    };
    Ok(cx.b.concatenate(&[front, x, back], d))
}

/// Blocks of a channel dimension spread over space, or the other way round.
pub fn depth_space(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let block = size(at.int("blocksize", 0), "block size")?;
    let &[n, c, h, w] = &shape[..] else { return malformed(format!("needs 4 dimensions, not {shape}")) };
    let to_space = at.op() == "DepthToSpace";
    let fits = if to_space {
        c.checked_rem(block * block)
    } else {
        h.checked_rem(block).zip(w.checked_rem(block)).map(|(a, b)| a + b)
    };
    if fits != Some(0) {
        return malformed(format!("cannot take {shape} apart into blocks of {block}"));
    }
    let (split, perm, joined): (Vec<usize>, [usize; 6], [usize; 4]) = if to_space {
        let inner = c / (block * block);
        let joined = [n, inner, h.saturating_mul(block), w.saturating_mul(block)];
        match at.text("mode", "DCR") {
            "DCR" => (vec![n, block, block, inner, h, w], [0, 3, 4, 1, 5, 2], joined),
            "CRD" => (vec![n, inner, block, block, h, w], [0, 1, 4, 2, 5, 3], joined),
            other => return unsupported(format!("the mode `{other}`")),
        }
    } else {
        let joined = [n, c.saturating_mul(block * block), h / block, w / block];
        (vec![n, c, h / block, block, w / block, block], [0, 3, 5, 1, 2, 4], joined)
    };
    let apart = cx.b.reshape(x, &split[..]);
    let moved = cx.b.transpose(apart, perm.into_iter().collect());
    one(cx.b.reshape(moved, joined))
}

/// A tensor filled with the number of an attribute, 0 if there is none.
pub fn constant_of_shape(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let shape = shape_of(&cx.ints(at.arg(0)?, "shape")?).map_err(Refusal::Malformed)?;
    let (dtype, number) = match at.tensor("value")? {
        None => (DType::F32, Scalar::Float(0.0)),
        Some(value) if value.ty.shape.count() == 1 => (value.ty.dtype, value.get(0)),
        Some(value) => return malformed(format!("fills a tensor with {}", value.ty)),
    };
    one(cx.b.splat(Type { shape, dtype }, number))
}

/// Ones on a diagonal.
pub fn eye_like(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let dtype = match at.int("dtype", 0) {
        0 => cx.dtype(x),
        number => dtype_of(number as i32).map_err(Refusal::DType)?,
    };
    let diagonal = distance(cx, x, at.int("k", 0), Direction::Eq)?;
    one(super::elementwise::converted(cx, diagonal, dtype))
}

/// The upper or lower triangle; the rest is 0.
pub fn trilu(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let k = match at.optional(1) {
        Some(k) => cx.ints(k, "diagonal")?.first().copied().unwrap_or(0),
        None => 0,
    };
    let direction = if at.flag("upper", true) { Direction::Ge } else { Direction::Le };
    let kept = distance(cx, x, k, direction)?;
    let zero = cx.b.splat_like(x, Scalar::Int(0));
    one(cx.b.select(kept, x, zero))
}

/// Where `column` stands in that relation to `row + k`, in the last two dimensions of `x`.
fn distance(cx: &mut Lowering<'_>, x: ValueId, k: i64, direction: Direction) -> Result<ValueId, Refusal> {
    let shape = cx.shape(x);
    let Some(last) = shape.rank().checked_sub(1).filter(|&last| last > 0) else {
        return malformed(format!("needs a matrix, not {shape}"));
    };
    // Beyond the matrix it does not matter how far.
    let reach = shape[last].max(shape[last - 1]) as i64 + 1;
    let ty = Type { shape, dtype: DType::I64 };
    let row = cx.b.op("row", Iota { dim: last - 1 }, &[], ty.clone());
    let row = match k.clamp(-reach, reach) {
        0 => row,
        k => cx.b.binary_scalar(partita_ir::ops::BinaryOp::Add, row, k as f64),
    };
    let column = cx.b.op("column", Iota { dim: last }, &[], ty);
    Ok(cx.b.compare(column, direction, row))
}

/// `start, start + delta, ..` as long as it is below `limit`.
pub fn range(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let [start, limit, delta] = [at.arg(0)?, at.arg(1)?, at.arg(2)?];
    let dtype = cx.dtype(start);
    let number = |v| cx.number(v).ok_or(Refusal::Unknowable("bounds"));
    let (from, to, step) = (number(start)?, number(limit)?, number(delta)?);
    let count = ((to - from) / step).ceil().max(0.0);
    if !count.is_finite() || step == 0.0 {
        return malformed(format!("counts from {from} to {to} by {step}"));
    }
    let n = size(count as i64, "length")?;
    let counted = cx.b.op("range", Iota { dim: 0 }, &[], Type::new(dtype, [n]));
    let scaled = cx.b.binary_scalar(partita_ir::ops::BinaryOp::Mul, counted, step);
    one(cx.b.binary_scalar(partita_ir::ops::BinaryOp::Add, scaled, from))
}
