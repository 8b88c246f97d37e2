//! Lowering of pooling over the last dimensions, which follow the channel and an optional batch.

use super::lowering::{Lowering, LoweringError, LoweringResult, first_of, malformed, single, unsupported};
use super::node::Node;
use super::scatter;
use partita_ir::arena::ValueId;
use partita_ir::build::with_last_windows;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Combine, Direction, Pad, ReduceWindow, Slice};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Operand of a pooling with a batch, and one window per dimension.
struct Pooling {
    x: ValueId,
    windows: Vec<Window>,
    /// Explicit padding before and after each spatial dimension.
    pads: Vec<(usize, usize)>,
    has_batch: bool,
}

impl Pooling {
    fn from_node(cx: &mut Lowering<'_>, node: &Node<'_>, n: usize) -> Result<Pooling, LoweringError> {
        let (x, has_batch) = batched(cx, node, n)?;
        let Some(kernel) = node.sizes("kernel_size", n)? else { return malformed("lacks its kernel size") };
        let strides = node.sizes("stride", n)?.unwrap_or_else(|| kernel.clone());
        let dilations = node.sizes("dilation", n)?.unwrap_or_else(|| vec![1; n]);
        let pads = node.sizes("padding", n)?.unwrap_or_else(|| vec![0; n]);
        if kernel.contains(&0) || strides.contains(&0) || dilations.contains(&0) {
            return malformed("has a kernel, stride or dilation of 0");
        }
        let ceil = node.flag("ceil_mode", false)?;
        let shape = cx.shape(x);
        let window = |d: usize| {
            let pad = pads[d] as i64;
            let window =
                Window { size: kernel[d], stride: strides[d], low: pad, high: pad, dilation: dilations[d], base: 1 };
            if ceil { with_last_windows(window, shape[d + 2]) } else { window }
        };
        let windows = [Window::default(); 2].into_iter().chain((0..n).map(window)).collect();
        Ok(Pooling { x, windows, pads: pads.into_iter().map(|pad| (pad, pad)).collect(), has_batch })
    }
}

/// Returns the operand with a batch, and false if it has none of its own.
fn batched(cx: &mut Lowering<'_>, node: &Node<'_>, n: usize) -> Result<(ValueId, bool), LoweringError> {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    match shape.rank() {
        rank if rank == n + 2 => Ok((x, true)),
        rank if rank == n + 1 => Ok((cx.b.unsqueeze(x, 0), false)),
        _ => malformed(format!("needs channel and {n} spatial dimensions, not {shape}")),
    }
}

/// Returns the results of a pooling. Its second result, the indices of maxima, is not computed.
fn results(cx: &mut Lowering<'_>, out: ValueId, has_batch: bool) -> LoweringResult {
    first_of(without_batch(cx, out, has_batch), 2)
}

/// Removes the batch that the operand does not have.
fn without_batch(cx: &mut Lowering<'_>, out: ValueId, has_batch: bool) -> ValueId {
    if has_batch {
        return out;
    }
    let shape = Shape::from(&cx.shape(out)[1..]);
    cx.b.reshape(out, shape)
}

/// Maximum number of elements of a window for which the indices of maxima are computed: each is a comparison.
const MAX_COMPARED_ELEMENTS: usize = 64;

/// Returns the indices of the first maxima of windows, in the flattened space; `None` for large windows, whose indices
/// are not computed.
fn indices_of_maxima(cx: &mut Lowering<'_>, pooling: &Pooling, out: &Type) -> Result<Option<ValueId>, LoweringError> {
    let windows = &pooling.windows[2..];
    let elements = windows.iter().try_fold(1_usize, |count, window| count.checked_mul(window.size));
    let Some(elements) = elements.filter(|&count| count <= MAX_COMPARED_ELEMENTS) else { return Ok(None) };
    let shape = cx.shape(pooling.x);
    let lowest = cx.b.splat(Type::new(out.dtype, []), Monoid::Max.identity(out.dtype));
    let sides = |side: fn(&Window) -> i64| pooling.windows.iter().map(side).collect::<Vec<i64>>();
    let pad = Pad { low: sides(|window| window.low), high: sides(|window| window.high), interior: Dims::new() };
    let padded = cx.op("pad", pad, &[pooling.x, lowest])?;
    // Index of the first element of each window, from which those of its other elements differ by constants.
    let mut first = cx.b.splat(Type { dtype: DType::I64, shape: out.shape.clone() }, Scalar::Int(0));
    let strides: Vec<usize> = (0..windows.len()).map(|d| shape[d + 3..].iter().product()).collect();
    for (d, window) in windows.iter().enumerate() {
        let place = cx.b.iota(DType::I64, out.shape.clone(), d + 2);
        let place = cx.b.binary_scalar(BinaryOp::Mul, place, (window.stride * strides[d]) as f64);
        first = cx.b.binary(BinaryOp::Add, first, place);
    }
    let mut best: Option<[ValueId; 2]> = None;
    for element in 0..elements {
        let (mut rest, mut offset) = (element, 0);
        let mut slice = Slice {
            start: Dims::from_elem(0, shape.rank()),
            limit: Dims::from_slice(&cx.shape(padded)),
            stride: Dims::from_elem(1, shape.rank()),
        };
        for (d, window) in windows.iter().enumerate().rev() {
            let at = rest % window.size * window.dilation;
            rest /= window.size;
            offset += (at as i64 - window.low) * strides[d] as i64;
            let last = at + out.shape[d + 2].saturating_sub(1) * window.stride;
            (slice.start[d + 2], slice.limit[d + 2], slice.stride[d + 2]) = (at, last + 1, window.stride);
        }
        let values = cx.op("slice", slice, &[padded])?;
        let indices = cx.b.binary_scalar(BinaryOp::Add, first, offset as f64);
        best = Some(match best {
            None => [values, indices],
            Some([most, index]) => {
                let is_more = cx.b.compare(values, Direction::Gt, most);
                [cx.b.select(is_more, values, most), cx.b.select(is_more, indices, index)]
            }
        });
    }
    Ok(best.map(|[_, indices]| indices))
}

/// Lowers the inverse of max pooling: elements are at the indices of maxima, and others are zero.
pub fn max_unpool(cx: &mut Lowering<'_>, node: &Node<'_>, n: usize) -> LoweringResult {
    let (x, indices) = (node.tensor("self")?, node.tensor("indices")?);
    let (shape, ty) = (cx.shape(x), node.result(0)?.clone());
    if cx.shape(indices) != shape || shape.rank() <= n || ty.shape.rank() != shape.rank() {
        return malformed(format!("places {shape} at {} of {ty}", cx.b.ty(indices)));
    }
    let leading = shape.rank() - n;
    let flat = |shape: &Shape| -> Shape {
        shape[..leading].iter().copied().chain([shape[leading..].iter().product()]).collect()
    };
    let (x, indices) = (cx.b.checked_reshape(x, flat(&shape))?, cx.b.checked_reshape(indices, flat(&shape))?);
    let zeros = cx.b.splat(Type { dtype: ty.dtype, shape: flat(&ty.shape) }, Scalar::Int(0));
    let vectors = scatter::index_vectors(cx, indices, leading);
    let out = scatter::elements(cx, [zeros, vectors, x], Combine::Set)?;
    single(cx.b.checked_reshape(out, ty.shape)?)
}

/// Maximum number of windows of unequal sizes along a dimension: each is a reduction.
const MAX_UNEQUAL_WINDOWS: usize = 256;

/// Lowers max pooling over `n` dimensions.
pub fn max_pool(cx: &mut Lowering<'_>, node: &Node<'_>, n: usize) -> LoweringResult {
    let pooling = Pooling::from_node(cx, node, n)?;
    let windows = pooling.windows.clone();
    let out = cx.op("max_pool", ReduceWindow { monoid: Monoid::Max, windows }, &[pooling.x])?;
    if node.result_count() < 2 {
        return results(cx, out, pooling.has_batch);
    }
    let ty = cx.b.ty(out);
    let indices = indices_of_maxima(cx, &pooling, &ty)?;
    let outs = [Some(out), indices].map(|value| Some(without_batch(cx, value?, pooling.has_batch).into()));
    Ok(outs.into_iter().collect())
}

/// Lowers average pooling over `n` dimensions.
pub fn average_pool(cx: &mut Lowering<'_>, node: &Node<'_>, n: usize) -> LoweringResult {
    let Pooling { x, windows, pads, has_batch } = Pooling::from_node(cx, node, n)?;
    let out = match node.optional_int("divisor_override")? {
        Some(0) => return malformed("has the divisor 0"),
        Some(divisor) => {
            let sum = cx.op("sum_pool", ReduceWindow { monoid: Monoid::Sum, windows }, &[x])?;
            cx.b.binary_scalar(BinaryOp::Div, sum, divisor as f64)
        }
        None => cx.b.average_pool(x, &windows, &pads, node.flag("count_include_pad", true)?)?,
    };
    results(cx, out, has_batch)
}

/// Lowers pooling to a result of given sizes.
pub fn adaptive_pool(cx: &mut Lowering<'_>, node: &Node<'_>, n: usize, monoid: Monoid) -> LoweringResult {
    let (x, has_batch) = batched(cx, node, n)?;
    let shape = cx.shape(x);
    let Some(wanted) = node.sizes("output_size", n)? else { return malformed("lacks its output size") };
    let mut windows = vec![Window::default(); 2];
    for (&size, &outputs) in shape[2..].iter().zip(&wanted) {
        if outputs == 0 || size == 0 {
            return malformed(format!("pools {size} elements to {outputs}"));
        }
        if size % outputs != 0 {
            let out = unequal_windows(cx, x, &wanted, monoid)?;
            return results(cx, out, has_batch);
        }
        windows.push(Window { size: size / outputs, stride: size / outputs, ..Window::default() });
    }
    let out = match monoid {
        Monoid::Sum => cx.b.average_pool(x, &windows, &vec![(0, 0); n], false)?,
        _ => cx.op("max_pool", ReduceWindow { monoid, windows }, &[x])?,
    };
    results(cx, out, has_batch)
}

/// Appends pooling of the spatial dimensions of `x: [batch, channel, space ..]` to the given sizes, by windows whose
/// sizes differ: window `i` of `n` starts at `floor(i size / n)` and ends at `ceil((i + 1) size / n)`.
fn unequal_windows(
    cx: &mut Lowering<'_>,
    x: ValueId,
    wanted: &[usize],
    monoid: Monoid,
) -> Result<ValueId, LoweringError> {
    let mut out = x;
    for (dim, &outputs) in (2..).zip(wanted) {
        let size = cx.shape(out)[dim];
        if outputs == 0 || size == 0 || outputs > MAX_UNEQUAL_WINDOWS {
            return unsupported(format!("{outputs} windows of unequal sizes of {size} elements"));
        }
        let window = |i: usize| {
            let (start, end) = (i * size / outputs, ((i + 1) * size).div_ceil(outputs));
            let part = cx.b.slice_dim(out, dim, start, end);
            let dims = std::iter::once(dim).collect();
            let pooled = match monoid {
                Monoid::Sum => cx.b.mean_dims(part, dims),
                _ => cx.b.reduce_dims(monoid, part, dims),
            };
            cx.b.unsqueeze(pooled, dim)
        };
        let parts: Vec<ValueId> = (0..outputs).map(window).collect();
        out = cx.b.concatenate(&parts, dim);
    }
    Ok(out)
}
