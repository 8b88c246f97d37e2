//! Lowering of data movement: shapes, slices, padding, repetition.

use super::lowering::{
    Lowering, LoweringError, LoweringResult, Node, Out, Outs, dim, dims, malformed, single, size, unsupported,
};
use crate::tensors::shape_of;
use partita_ir::arena::ValueId;
use partita_ir::build::{ChannelOrder, EdgePadding, broadcast_shape};
use partita_ir::dtype::Shape;
use partita_ir::ops::{Pad, Slice};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Lowers a reshape. In the target shape, 0 copies the input size and -1 is inferred.
pub fn reshape(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let from = cx.shape(x);
    let Some(mut target_shape) = cx.attribute_or_operand_ints(node, "shape", 1)? else {
        return malformed("lacks its shape");
    };
    for (i, n) in target_shape.iter_mut().enumerate() {
        if *n == 0 && !node.flag("allowzero", false) {
            *n = match from.get(i) {
                Some(&kept) => kept as i64,
                None => return malformed(format!("keeps dimension {i} of {from}")),
            };
        }
    }
    if let Some(open) = target_shape.iter().position(|&n| n == -1) {
        let others = target_shape.iter().enumerate().filter(|(i, _)| *i != open).map(|(_, &n)| n);
        let others = others.map(|n| usize::try_from(n).ok()).try_fold(1usize, |all, n| all.checked_mul(n?));
        let whole = from.count();
        target_shape[open] = match others {
            Some(n) if n > 0 && whole.is_multiple_of(n) => (whole / n) as i64,
            _ => return malformed(format!("cannot reshape {from} to {target_shape:?}")),
        };
    }
    let shape = shape_of(&target_shape).map_err(LoweringError::Malformed)?;
    if shape.count() != from.count() {
        return malformed(format!("cannot reshape {from} to {shape}"));
    }
    single(reshaped(cx, x, shape))
}

/// Reshapes `x`, unless it already has the shape.
pub fn reshaped(cx: &mut Lowering<'_>, x: ValueId, shape: Shape) -> ValueId {
    if cx.shape(x) == shape { x } else { cx.b.reshape(x, shape) }
}

/// Lowers a flattening to a matrix: dimensions before an axis, and dimensions from the axis on.
pub fn flatten(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let axis = node.int("axis", 1);
    // The axis may equal the rank.
    let axis = if axis == shape.rank() as i64 { shape.rank() } else { dim(axis, shape.rank())? };
    let count = |dims: &[usize]| dims.iter().copied().fold(1, usize::saturating_mul);
    single(reshaped(cx, x, [count(&shape[..axis]), count(&shape[axis..])].into()))
}

/// Lowers a permutation of dimensions; the default reverses them.
pub fn transpose(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let rank = cx.rank(x);
    let perm: Dims = match node.ints("perm") {
        None => (0..rank).rev().collect(),
        Some(perm) => {
            if perm.len() != rank {
                return malformed(format!("permutes {} dimensions of {}", perm.len(), cx.b.ty(x)));
            }
            dims(perm, rank)?;
            perm.iter().map(|&d| dim(d, rank)).collect::<Result<_, _>>()?
        }
    };
    single(cx.b.transpose(x, perm))
}

/// Lowers the removal of dimensions of size 1: the given ones, or all.
pub fn squeeze(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let removed_dims = match cx.attribute_or_operand_ints(node, "axes", 1)? {
        Some(axes) => dims(&axes, shape.rank())?,
        None => (0..shape.rank()).filter(|&d| shape[d] == 1).collect(),
    };
    if let Some(&d) = removed_dims.iter().find(|&&d| shape[d] != 1) {
        return malformed(format!("squeezes dimension {d} of {shape}, whose size is not 1"));
    }
    let kept: Shape = (0..shape.rank()).filter(|d| !removed_dims.contains(d)).map(|d| shape[d]).collect();
    single(reshaped(cx, x, kept))
}

/// Lowers the insertion of dimensions of size 1 at given positions of the result.
pub fn unsqueeze(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let Some(axes) = cx.attribute_or_operand_ints(node, "axes", 1)? else { return malformed("lacks its axes") };
    let new = dims(&axes, shape.rank() + axes.len())?;
    let mut old = shape.iter().copied();
    let sizes = (0..shape.rank() + new.len()).map(|d| if new.contains(&d) { 1 } else { old.next().unwrap_or(1) });
    single(cx.b.reshape(x, sizes.collect::<Shape>()))
}

/// Lowers a concatenation.
pub fn concat(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let parts = node.all_args()?;
    let rank = cx.rank(parts[0]);
    // Up to opset 3 the default is 1.
    let axis = dim(node.int("axis", if node.opset < 4 { 1 } else { 0 }), rank)?;
    if parts.iter().any(|&p| cx.rank(p) != rank) {
        return malformed("concatenates tensors of different ranks");
    }
    single(cx.b.concatenate(&parts, axis))
}

/// Lowers a split along a dimension into segments of given sizes, or of equal sizes with a smaller last segment.
pub fn split(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let axis = dim(node.int("axis", 0), shape.rank())?;
    let parts = node.result_count().max(1);
    let whole = shape[axis];
    let sizes: Vec<usize> = match cx.attribute_or_operand_ints(node, "split", 1)? {
        Some(sizes) => sizes.iter().map(|&n| size(n, "part")).collect::<Result<_, _>>()?,
        None => {
            let each = whole.div_ceil(parts);
            (0..parts).map(|i| whole.saturating_sub(i * each).min(each)).collect()
        }
    };
    let total = sizes.iter().copied().fold(0, usize::saturating_add);
    if sizes.len() != parts || total != whole {
        return malformed(format!("splits dimension {axis} of {shape} into {sizes:?} for {parts} results"));
    }
    let mut start = 0;
    let part = |&n: &usize| {
        let begin = start;
        start += n;
        Out::Value(if n == whole { x } else { cx.b.slice_dim(x, axis, begin, start) })
    };
    Ok(sizes.iter().map(part).collect::<Outs>())
}

/// Lowers a slice with steps that may be negative. Bounds and axes are operands, or attributes up to opset 9.
pub fn slice(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let list = |what, i| cx.attribute_or_operand_ints(node, what, i);
    let (Some(starts), Some(ends)) = (list("starts", 1)?, list("ends", 2)?) else {
        return malformed("lacks its bounds");
    };
    let axes = list("axes", 3)?.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = list("steps", 4)?.unwrap_or_else(|| vec![1; starts.len()]);
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
        let from_end = |index: i64| if index < 0 { index.saturating_add(n) } else { index };
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
            // A backward slice selects `from`, `from - reach`, ... above `to`. It is lowered to a forward slice of the
            // same elements and a reversal.
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
    single(cx.b.reverse(part, backward))
}

/// Lowers a broadcast to the common shape of `x` and the given shape.
pub fn expand(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let target_shape = shape_of(&cx.ints(node.arg(1)?, "shape")?).map_err(LoweringError::Malformed)?;
    let shape = broadcast_shape([&cx.shape(x), &target_shape])?;
    single(cx.expand(x, &shape)?)
}

/// Lowers a repetition of the tensor along its dimensions.
pub fn tile(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let mut repeats = cx.ints(node.arg(1)?, "repeats")?;
    // Up to opset 5 one dimension is repeated.
    if node.opset < 6 {
        let axis = dim(cx.constant_number(node.arg(2)?, "axis")? as i64, shape.rank())?;
        let [times] = repeats[..] else { return malformed(format!("repeats dimension {axis} {repeats:?} times")) };
        repeats = (0..shape.rank()).map(|d| if d == axis { times } else { 1 }).collect();
    }
    if repeats.len() != shape.rank() {
        return malformed(format!("repeats {} dimensions of {shape}", repeats.len()));
    }
    let times = repeats.iter().map(|&n| size(n, "number of repeats")).collect::<Result<Vec<_>, _>>()?;
    if times.iter().all(|&n| n == 1) {
        return single(x);
    }
    // A repeated dimension of size `n` is broadcast to `[times, n]` and then merged.
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
        return Err(LoweringError::TooLarge(format!("{shape} repeated {times:?} times")));
    };
    let copies = cx.b.broadcast(x, &places, copies);
    single(cx.b.reshape(copies, whole))
}

/// Lowers padding: constant, reflected, edge, or wrapped. Paddings and the value are operands, or attributes up to
/// opset 10.
pub fn pad(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mut x = node.arg(0)?;
    let shape = cx.shape(x);
    // In opset 1 the attribute has another name.
    let name = if node.has_attribute("paddings") { "paddings" } else { "pads" };
    let Some(pads) = cx.attribute_or_operand_ints(node, name, 1)? else { return malformed("lacks its paddings") };
    let axes = match node.optional(3) {
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
    let mode = node.text("mode", "constant");
    if mode == "constant" {
        let value = match node.optional(2) {
            Some(value) if cx.shape(value).count() != 1 => return malformed("pads with a value that is not a scalar"),
            Some(value) => reshaped(cx, value, Shape::scalar()),
            None => {
                let dtype = cx.dtype(x);
                cx.b.scalar(dtype, Scalar::Float(node.float("value", 0.0)))
            }
        };
        return single(cx.op("pad", Pad { low, high, interior: Dims::new() }, &[x, value])?);
    }
    for d in 0..shape.rank() {
        let (before, after) = (low[d], high[d]);
        if before == 0 && after == 0 {
            continue;
        }
        let (Ok(before), Ok(after)) = (usize::try_from(before), usize::try_from(after)) else {
            return unsupported(format!("negative padding in the mode `{mode}`"));
        };
        let padding = match mode {
            "reflect" => EdgePadding::Reflect,
            "edge" => EdgePadding::Repeat,
            "wrap" => EdgePadding::Wrap,
            other => return unsupported(format!("the mode `{other}`")),
        };
        x = cx.b.pad_with_elements(x, d, [before, after], padding).map_err(LoweringError::UnsupportedOption)?;
    }
    single(x)
}

/// Lowers the rearrangement of blocks between the channel and the spatial dimensions, in either direction.
pub fn depth_space(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let block = size(node.int("blocksize", 0), "block size")?;
    if cx.rank(x) != 4 {
        return malformed(format!("needs 4 dimensions, not {}", cx.shape(x)));
    }
    let order = match node.text("mode", "DCR") {
        "DCR" => ChannelOrder::BlockFirst,
        "CRD" => ChannelOrder::ChannelFirst,
        other => return unsupported(format!("the mode `{other}`")),
    };
    single(match node.op() {
        "DepthToSpace" => cx.b.depth_to_space(x, block, order)?,
        _ => cx.b.space_to_depth(x, block, order)?,
    })
}

/// Lowers the extraction or zero padding of the centre, so that the given dimensions get the given sizes.
pub fn center_crop_pad(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mut x = node.arg(0)?;
    let rank = cx.rank(x);
    let sizes = cx.ints(node.arg(1)?, "shape")?;
    let axes = match node.ints("axes") {
        Some(axes) => axes.iter().map(|&axis| dim(axis, rank)).collect::<Result<Vec<_>, _>>()?,
        None => (0..rank).collect(),
    };
    if axes.len() != sizes.len() {
        return malformed(format!("has {} sizes for {} dimensions", sizes.len(), axes.len()));
    }
    let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
    for (&d, &to) in axes.iter().zip(&sizes) {
        let (from, to) = (cx.shape(x)[d], size(to, "size")?);
        if to < from {
            let start = (from - to) / 2;
            x = cx.b.slice_dim(x, d, start, start + to);
        } else {
            let missing = (to - from) as i64;
            (low[d], high[d]) = (missing / 2, missing - missing / 2);
        }
    }
    if low.iter().chain(&high).all(|&n| n == 0) {
        return single(x);
    }
    let dtype = cx.dtype(x);
    let zero = cx.b.scalar(dtype, Scalar::Int(0));
    single(cx.op("pad", Pad { low, high, interior: Dims::new() }, &[x, zero])?)
}
