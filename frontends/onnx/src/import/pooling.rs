//! Lowering of pooling over any number of spatial dimensions, which follow batch and channel, and of its inverses.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, malformed, single, size, unsupported};
use super::window::{kernel_extent, per_dim, windows};
use partita_ir::arena::ValueId;
use partita_ir::build::with_last_windows;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Combine, Direction, Fill, Pad, ReduceWindow, Scatter, Slice, UnaryOp};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Returns the operand of a pooling, its shape, and one window per dimension, including batch and channel. In ceil mode
/// the high padding is extended to cover the last windows.
fn pooling(cx: &Lowering<'_>, node: &Node<'_>) -> Result<(ValueId, Shape, Vec<Window>), LoweringError> {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let Some(space) = shape.get(2..).filter(|s| !s.is_empty()) else {
        return malformed(format!("needs batch, channel and space, not {shape}"));
    };
    if !node.has_attribute("kernel_shape") {
        return malformed("lacks its kernel shape");
    }
    let kernel = per_dim(node, "kernel_shape", space.len(), 1)?;
    let mut spatial_windows = windows(node, space, &kernel)?;
    if node.flag("ceil_mode", false) && node.text("auto_pad", "NOTSET") == "NOTSET" {
        for (w, &n) in spatial_windows.iter_mut().zip(space) {
            *w = with_last_windows(*w, n);
        }
    }
    let all = [Window::default(), Window::default()].into_iter().chain(spatial_windows).collect();
    Ok((x, shape, all))
}

/// Lowers max pooling. The optional second result is the index of each maximum in the flattened operand.
pub fn max_pool(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, _, windows) = pooling(cx, node)?;
    if node.has_result(1) {
        return max_with_indices(cx, x, &windows, node.flag("storage_order", false));
    }
    single(cx.op("max_pool", ReduceWindow { monoid: Monoid::Max, windows }, &[x])?)
}

/// Maximum number of elements of a window for which the index of the maximum is computed.
const MAX_INDEXED_TAPS: usize = 1 << 10;

/// Appends max pooling and the index of each maximum: the elements of each window are compared one after the other, so
/// that the first one wins a tie. With `column_major` the index is that of the transposed spatial dimensions.
fn max_with_indices(cx: &mut Lowering<'_>, x: ValueId, windows: &[Window], column_major: bool) -> LoweringResult {
    let ty = cx.b.ty(x);
    let out = cx.op("max_pool", ReduceWindow { monoid: Monoid::Max, windows: windows.to_vec() }, &[x])?;
    let out_shape = cx.shape(out);
    let taps = windows.iter().map(|w| w.size).fold(1, usize::saturating_mul);
    if taps > MAX_INDEXED_TAPS {
        return unsupported(format!("its second result, the indices, in windows of {taps} elements"));
    }
    let mut strides = ty.shape.strides();
    if column_major {
        let mut stride = 1;
        for d in 2..ty.shape.rank() {
            strides[d] = stride;
            stride *= ty.shape[d];
        }
    }
    let mut index = cx.b.splat(Type { dtype: DType::I64, shape: ty.shape.clone() }, Scalar::Int(0));
    for (d, &stride) in strides.iter().enumerate() {
        let count = cx.b.iota(DType::I64, ty.shape.clone(), d);
        let scaled = cx.b.binary_scalar(BinaryOp::Mul, count, stride as f64);
        index = cx.b.binary(BinaryOp::Add, index, scaled);
    }
    let mut padded = |x: ValueId, fill: Scalar| -> Result<ValueId, LoweringError> {
        let (low, high) = windows.iter().map(|w| (w.low, w.high)).unzip();
        let dtype = cx.dtype(x);
        let fill = cx.b.scalar(dtype, fill);
        cx.op("pad", Pad { low, high, interior: Dims::new() }, &[x, fill])
    };
    let (x, index) = (padded(x, Fill::Lowest.scalar(ty.dtype))?, padded(index, Scalar::Int(-1))?);
    let mut best: Option<(ValueId, ValueId)> = None;
    for tap in 0..taps {
        let mut rest = tap;
        let mut start = Dims::from_elem(0, windows.len());
        for (d, window) in windows.iter().enumerate().rev() {
            start[d] = rest % window.size * window.dilation;
            rest /= window.size;
        }
        let limit =
            (0..windows.len()).map(|d| start[d] + out_shape[d].saturating_sub(1) * windows[d].stride + 1).collect();
        let slice = Slice { start, limit, stride: windows.iter().map(|w| w.stride).collect() };
        let (value, place) = (cx.op("slice", slice.clone(), &[x])?, cx.op("slice", slice, &[index])?);
        best = Some(match best {
            None => (value, place),
            Some((best, best_place)) => {
                let larger = cx.b.compare(value, Direction::Gt, best);
                // An element of the operand wins against padding.
                let padding = cx.compare_scalar(best_place, Direction::Lt, Scalar::Int(0));
                let wins = cx.b.binary(BinaryOp::Or, larger, padding);
                (cx.b.select(wins, value, best), cx.b.select(wins, place, best_place))
            }
        });
    }
    let Some((_, place)) = best else { return malformed("has an empty window") };
    Ok([out, place].into_iter().map(Out::Value).collect())
}

/// Lowers average pooling. The divisor of each window is the number of its operand elements; with `count_include_pad`
/// the explicit padding is counted too. Padding that ceil mode adds is never counted.
pub fn average_pool(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, shape, windows) = pooling(cx, node)?;
    cx.require_float(x)?;
    let n = shape.rank() - 2;
    // Padding specified by the model, excluding the padding that ceil mode adds.
    let pads: Vec<(usize, usize)> = match node.text("auto_pad", "NOTSET") {
        "NOTSET" => {
            let pads = per_dim(node, "pads", 2 * n, 0)?;
            (0..n).map(|d| (pads[d], pads[n + d])).collect()
        }
        _ => windows[2..].iter().map(|w| (w.low as usize, w.high as usize)).collect(),
    };
    single(cx.b.average_pool(x, &windows, &pads, node.flag("count_include_pad", false))?)
}

/// Lowers max or average pooling over all spatial dimensions, which remain with size 1.
pub fn global_pool(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let mut shape = cx.shape(x);
    if shape.rank() < 3 {
        return malformed(format!("needs batch, channel and space, not {shape}"));
    }
    let space: Dims = (2..shape.rank()).collect();
    let pooled = if node.op() == "GlobalMaxPool" {
        cx.b.reduce_dims(Monoid::Max, x, space)
    } else {
        cx.require_float(x)?;
        cx.b.mean_dims(x, space)
    };
    shape[2..].fill(1);
    Ok([Out::Value(cx.b.reshape(pooled, shape))].into_iter().collect())
}

/// Returns `|x|^p` or its inverse.
fn power(cx: &mut Lowering<'_>, x: ValueId, p: i64, inverse: bool) -> ValueId {
    match (p, inverse) {
        (1, true) => x,
        (1, false) => cx.b.unary(UnaryOp::Abs, x),
        (2, true) => cx.b.unary(UnaryOp::Sqrt, x),
        (2, false) => cx.b.binary(BinaryOp::Mul, x, x),
        (p, true) => cx.b.binary_scalar(BinaryOp::Pow, x, (p as f64).recip()),
        (p, false) => {
            let size = cx.b.unary(UnaryOp::Abs, x);
            cx.b.binary_scalar(BinaryOp::Pow, size, p as f64)
        }
    }
}

/// Returns the attribute `p` of a norm. Errors: it is not positive.
fn norm(node: &Node<'_>) -> Result<i64, LoweringError> {
    // In opset 1 the attribute is a float.
    let p = if node.opset < 2 { node.float("p", 2.0) as i64 } else { node.int("p", 2) };
    match p {
        p @ 1.. => Ok(p),
        p => malformed(format!("has the norm {p}")),
    }
}

/// Lowers pooling by the norm of the elements of each window.
pub fn lp_pool(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let p = norm(node)?;
    let (x, _, windows) = pooling(cx, node)?;
    cx.require_float(x)?;
    let powers = power(cx, x, p, false);
    let sum = cx.op("sum_pool", ReduceWindow { monoid: Monoid::Sum, windows }, &[powers])?;
    single(power(cx, sum, p, true))
}

/// Lowers pooling by the norm over all spatial dimensions, which remain with size 1.
pub fn global_lp_pool(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, p) = (node.arg(0)?, norm(node)?);
    cx.require_float(x)?;
    let space: Vec<usize> = (2..cx.rank(x)).collect();
    let powers = power(cx, x, p, false);
    let sum = cx.b.reduce_keep(Monoid::Sum, powers, &space);
    single(power(cx, sum, p, true))
}

/// Lowers the inverse of max pooling: each element is written to its index, other elements are 0. An output shape that
/// is larger than the inferred one adds zeros at the end of each dimension.
pub fn max_unpool(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, index) = (node.arg(0)?, node.arg(1)?);
    let (shape, dtype) = (cx.shape(x), cx.dtype(x));
    let Some(n) = shape.rank().checked_sub(2) else {
        return malformed(format!("needs batch and channel, not {shape}"));
    };
    if cx.shape(index) != shape {
        return malformed(format!("has indices of {} for {shape}", cx.shape(index)));
    }
    let kernel = per_dim(node, "kernel_shape", n, 1)?;
    let (strides, pads) = (per_dim(node, "strides", n, 1)?, per_dim(node, "pads", 2 * n, 0)?);
    let mut full = shape.clone();
    for d in 0..n {
        let end = shape[d + 2].saturating_sub(1).saturating_mul(strides[d]).saturating_add(kernel[d]);
        full[d + 2] = size(end as i64 - (pads[d] + pads[n + d]) as i64, "size")?;
    }
    let Some(count) = full.checked_count() else { return Err(LoweringError::TooLarge(full.to_string())) };
    let zeros = cx.b.splat(Type::new(dtype, [count]), Scalar::Int(0));
    let [flat, index] = [x, index].map(|v| cx.b.reshape(v, [shape.count()]));
    let scatter = Scatter {
        combine: Combine::Set,
        update_window_dims: Dims::new(),
        inserted_dims: Dims::from_elem(0, 1),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: Dims::from_elem(0, 1),
        index_vector_dim: 1,
    };
    let out = cx.op("unpool", scatter, &[zeros, index, flat])?;
    let out = cx.b.reshape(out, full.clone());
    let Some(wanted) = node.optional(2) else { return single(out) };
    let wanted = cx.ints(wanted, "output shape")?;
    if wanted.len() != full.rank() || wanted.iter().zip(full.iter()).any(|(&to, &n)| to < n as i64) {
        return malformed(format!("has the output shape {wanted:?} for {full}"));
    }
    let high = wanted.iter().zip(full.iter()).map(|(&to, &n)| to - n as i64).collect();
    let zero = cx.b.scalar(dtype, Scalar::Int(0));
    single(cx.op("pad", Pad { low: vec![0; full.rank()], high, interior: Dims::new() }, &[out, zero])?)
}

/// Lowers the sum of the blocks of an image, `[batch, channels block, positions]`, at their positions: the transpose of
/// the extraction of blocks (im2col).
pub fn col2im(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let (shape, dtype) = (cx.shape(x), cx.dtype(x));
    let sizes = |v, what| -> Result<Vec<usize>, LoweringError> {
        cx.ints(v, what)?.into_iter().map(|n| size(n, what)).collect()
    };
    let (image, block) = (sizes(node.arg(1)?, "image shape")?, sizes(node.arg(2)?, "block shape")?);
    let n = image.len();
    let taps = block.iter().copied().fold(1, usize::saturating_mul);
    if shape.rank() != 3 || n != block.len() || shape[1].checked_rem(taps) != Some(0) || taps > MAX_INDEXED_TAPS {
        return malformed(format!("adds blocks {block:?} of {shape} to an image {image:?}"));
    }
    let (strides, dilations) = (per_dim(node, "strides", n, 1)?, per_dim(node, "dilations", n, 1)?);
    let pads = per_dim(node, "pads", 2 * n, 0)?;
    let positions = |d: usize| {
        let room = image[d] as i64 + (pads[d] + pads[n + d]) as i64 - kernel_extent(block[d], dilations[d]);
        size(room.div_euclid(strides[d].max(1) as i64) + 1, "number of blocks")
    };
    let positions = (0..n).map(positions).collect::<Result<Vec<_>, _>>()?;
    if positions.iter().copied().fold(1, usize::saturating_mul) != shape[2] || strides.contains(&0) {
        return malformed(format!("has {} blocks, but an image of {image:?} has {positions:?}", shape[2]));
    }
    let channels = shape[1] / taps;
    let split = cx.b.reshape(x, [shape[0], channels, taps, shape[2]]);
    let grid: Shape = [shape[0], channels].iter().chain(&positions).copied().collect();
    let zero = cx.b.scalar(dtype, Scalar::Int(0));
    let mut sum: Option<ValueId> = None;
    for tap in 0..taps {
        let part = cx.b.slice_dim(split, 2, tap, tap + 1);
        let part = cx.b.reshape(part, grid.clone());
        let (mut low, mut high, mut interior) = (vec![0; n + 2], vec![0; n + 2], Dims::from_elem(0, n + 2));
        let mut rest = tap;
        for d in (0..n).rev() {
            let at = (rest % block[d] * dilations[d]) as i64 - pads[d] as i64;
            rest /= block[d];
            let extent = (positions[d].saturating_sub(1) * strides[d]) as i64 + 1;
            (low[d + 2], high[d + 2], interior[d + 2]) = (at, image[d] as i64 - at - extent, strides[d] - 1);
        }
        let part = cx.op("pad", Pad { low, high, interior }, &[part, zero])?;
        sum = Some(sum.map_or(part, |sum| cx.b.binary(BinaryOp::Add, sum, part)));
    }
    match sum {
        Some(sum) => single(sum),
        None => malformed("has an empty block"),
    }
}
