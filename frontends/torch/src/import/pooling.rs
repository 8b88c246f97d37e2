//! Lowering of pooling over the last dimensions, which follow the channel and an optional batch.

use super::lowering::{Lowering, LoweringError, LoweringResult, first_of, malformed, unsupported};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::build::with_last_windows;
use partita_ir::dtype::Shape;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, ReduceWindow};
use partita_ir::rule::Window;

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
    let out = match has_batch {
        true => out,
        false => {
            let shape = Shape::from(&cx.shape(out)[1..]);
            cx.b.reshape(out, shape)
        }
    };
    first_of(out, 2)
}

/// Maximum number of windows of unequal sizes along a dimension: each is a reduction.
const MAX_UNEQUAL_WINDOWS: usize = 256;

/// Lowers max pooling over `n` dimensions.
pub fn max_pool(cx: &mut Lowering<'_>, node: &Node<'_>, n: usize) -> LoweringResult {
    let pooling = Pooling::from_node(cx, node, n)?;
    let out = cx.op("max_pool", ReduceWindow { monoid: Monoid::Max, windows: pooling.windows }, &[pooling.x])?;
    results(cx, out, pooling.has_batch)
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
