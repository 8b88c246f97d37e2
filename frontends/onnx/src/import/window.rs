//! Lowering of convolutions and pooling over any number of spatial dimensions, which follow batch and channel.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, malformed, single, size, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, ConvDims, Convolution, GroupCount, ReduceWindow};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Returns an attribute with `n` integers, for example one per spatial dimension; `default` for each if the node lacks
/// it.
fn per_dim(node: &Node<'_>, name: &str, n: usize, default: usize) -> Result<Vec<usize>, LoweringError> {
    let Some(list) = node.ints(name) else { return Ok(vec![default; n]) };
    if list.len() != n {
        return malformed(format!("has {} {name} for {n} spatial dimensions", list.len()));
    }
    list.iter().map(|&x| size(x, name)).collect()
}

/// Returns the extent in elements of a dilated kernel with `taps` elements, saturated at 2^60.
fn kernel_extent(taps: usize, dilation: usize) -> i64 {
    let between = taps.saturating_sub(1).saturating_mul(dilation);
    between.min(1 << 60) as i64 + 1
}

/// Returns a window for each spatial dimension, with the padding that `pads` and `auto_pad` specify.
fn windows(node: &Node<'_>, space: &[usize], kernel: &[usize]) -> Result<Vec<Window>, LoweringError> {
    let n = space.len();
    let strides = per_dim(node, "strides", n, 1)?;
    let dilations = per_dim(node, "dilations", n, 1)?;
    if strides.contains(&0) || dilations.contains(&0) || kernel.contains(&0) {
        return malformed("has a kernel, stride or dilation of 0");
    }
    let pads = per_dim(node, "pads", 2 * n, 0)?;
    let upper = match node.text("auto_pad", "NOTSET") {
        "NOTSET" => None,
        "VALID" => Some(None),
        "SAME_UPPER" => Some(Some(true)),
        "SAME_LOWER" => Some(Some(false)),
        other => return malformed(format!("has the padding `{other}`")),
    };
    let window = |d: usize| {
        let (low, high) = match upper {
            None => (pads[d] as i64, pads[n + d] as i64),
            Some(None) => (0, 0),
            // Same padding: the number of results is the size divided by the stride, rounded up; an odd element of
            // padding is added before or after.
            Some(Some(upper)) => {
                let reach = kernel_extent(kernel[d], dilations[d]);
                let outputs = space[d].div_ceil(strides[d]) as i64;
                let total_padding = ((outputs - 1) * strides[d] as i64 + reach - space[d] as i64).max(0);
                let smaller_half = total_padding / 2;
                if upper {
                    (smaller_half, total_padding - smaller_half)
                } else {
                    (total_padding - smaller_half, smaller_half)
                }
            }
        };
        Window { size: kernel[d], stride: strides[d], low, high, dilation: dilations[d], base: 1 }
    };
    Ok((0..n).map(window).collect())
}

/// Returns the operand and the kernel with their shapes. Errors: their ranks differ or are below 3, or the kernel
/// contradicts `kernel_shape`.
fn operands(cx: &Lowering<'_>, node: &Node<'_>) -> Result<(ValueId, ValueId, Shape, Shape), LoweringError> {
    let (x, weight) = (node.arg(0)?, node.arg(1)?);
    let (shape, kernel) = (cx.shape(x), cx.shape(weight));
    if shape.rank() < 3 || kernel.rank() != shape.rank() {
        return malformed(format!("applies the kernel {kernel} to {shape}"));
    }
    if node.ints("kernel_shape").is_some_and(|k| !k.iter().map(|&n| n as usize).eq(kernel[2..].iter().copied())) {
        return malformed(format!("has a kernel shape that differs from its kernel {kernel}"));
    }
    Ok((x, weight, shape, kernel))
}

/// Lowers a convolution. Weights are `[out, in / groups, kernel ..]`, the operand is `[batch, in, space ..]`.
pub fn convolution(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, weight, shape, kernel) = operands(cx, node)?;
    let convolution = Convolution {
        dims: conv_dims(kernel.rank()),
        windows: windows(node, &shape[2..], &kernel[2..])?,
        reverse: Dims::new(),
        feature_groups: GroupCount(size(node.int("group", 1), "group")?),
        batch_groups: GroupCount(1),
    };
    let out = cx.op("conv", convolution, &[x, weight])?;
    single(with_bias(cx, node, out)?)
}

/// Lowers a transposed convolution, the gradient of a convolution with respect to its operand: a convolution of the
/// operand, dilated by the stride, with the mirrored kernel. Weights are `[in, out / groups, kernel ..]`.
pub fn transposed(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, weight, shape, kernel) = operands(cx, node)?;
    let n = kernel.rank() - 2;
    let groups = size(node.int("group", 1), "group")?;
    if kernel[0].checked_rem(groups) != Some(0) {
        return malformed(format!("has {groups} groups of {} features", kernel[0]));
    }
    let (strides, dilations) = (per_dim(node, "strides", n, 1)?, per_dim(node, "dilations", n, 1)?);
    let extra = per_dim(node, "output_padding", n, 0)?;
    let mut pads: Vec<i64> = per_dim(node, "pads", 2 * n, 0)?.into_iter().map(|p| p as i64).collect();
    // Distance from the first to the last kernel element.
    let reach: Vec<i64> = (0..n).map(|d| kernel_extent(kernel[2 + d], dilations[d]) - 1).collect();
    let auto = node.text("auto_pad", "NOTSET");
    let output_shape = match node.ints("output_shape") {
        // The attribute may include batch and channel.
        Some(list) if list.len() >= n => Some(
            list[list.len() - n..]
                .iter()
                .map(|&s| size(s, "output shape").map(|s| s as i64))
                .collect::<Result<Vec<_>, _>>()?,
        ),
        Some(list) => return malformed(format!("has an output shape of {} dimensions", list.len())),
        None if auto.starts_with("SAME") => {
            Some((0..n).map(|d| (shape[2 + d] as i64).saturating_mul(strides[d] as i64)).collect())
        }
        None => None,
    };
    if let Some(output_shape) = output_shape {
        for d in 0..n {
            let whole = (shape[2 + d] as i64 - 1).saturating_mul(strides[d] as i64);
            let total = whole.saturating_add(extra[d] as i64 + reach[d] + 1).saturating_sub(output_shape[d]);
            let smaller_half = total.div_euclid(2);
            (pads[d], pads[n + d]) = if auto == "SAME_UPPER" {
                (smaller_half, total - smaller_half)
            } else {
                (total - smaller_half, smaller_half)
            };
        }
    }
    let window = |d: usize| Window {
        size: kernel[2 + d],
        stride: 1,
        low: reach[d].saturating_sub(pads[d]),
        high: (reach[d] + extra[d] as i64).saturating_sub(pads[n + d]),
        dilation: dilations[d],
        base: strides[d],
    };
    let convolution = Convolution {
        dims: conv_dims(kernel.rank()),
        windows: (0..n).map(window).collect(),
        reverse: (0..n).collect(),
        feature_groups: GroupCount(groups),
        batch_groups: GroupCount(1),
    };
    let weight = cx.b.regroup_conv_weight(weight, groups);
    let out = cx.op("conv", convolution, &[x, weight])?;
    single(with_bias(cx, node, out)?)
}

/// Returns dimension numbers for kernels `[out, in / groups, space ..]`. The operand and the result are laid out as
/// `[batch, feature, space ..]`.
fn conv_dims(rank: usize) -> ConvDims {
    let natural: Dims = (0..rank).collect();
    let mut kernel = natural.clone();
    kernel.swap(0, 1);
    ConvDims { input: natural.clone(), kernel, output: natural }
}

/// Adds the optional bias `[feature]`, operand 2 of the node, to the result of a convolution.
fn with_bias(cx: &mut Lowering<'_>, node: &Node<'_>, x: ValueId) -> Result<ValueId, LoweringError> {
    let Some(bias) = node.optional(2) else { return Ok(x) };
    let shape = cx.shape(x);
    if cx.shape(bias)[..] != [shape[1]] {
        return malformed(format!("has a bias of {} for {shape}", cx.shape(bias)));
    }
    let bias = cx.b.broadcast(bias, &[1], shape);
    Ok(cx.b.binary(BinaryOp::Add, x, bias))
}

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
            let reach = kernel_extent(w.size, w.dilation);
            let room = n as i64 + w.low + w.high - reach;
            let stride = w.stride as i64;
            let mut steps = (room.max(0) + stride - 1) / stride;
            // A window that would start in the high padding is dropped.
            if steps * stride >= n as i64 + w.low {
                steps -= 1;
            }
            w.high = w.high.max(steps * stride + reach - n as i64 - w.low);
        }
    }
    let all = [Window::default(), Window::default()].into_iter().chain(spatial_windows).collect();
    Ok((x, shape, all))
}

/// Lowers max pooling. Errors: the node has the second result, the indices, which is not supported.
pub fn max_pool(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    if node.has_result(1) {
        return unsupported("its second result, the indices");
    }
    let (x, _, windows) = pooling(cx, node)?;
    single(cx.op("max_pool", ReduceWindow { monoid: Monoid::Max, windows }, &[x])?)
}

/// Lowers average pooling. The divisor of each window is the number of its operand elements; with `count_include_pad`
/// the explicit padding is counted too. Padding that ceil mode adds is never counted.
pub fn average_pool(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, shape, windows) = pooling(cx, node)?;
    cx.require_float(x)?;
    let sum = cx.op("sum_pool", ReduceWindow { monoid: Monoid::Sum, windows: windows.clone() }, &[x])?;
    let n = shape.rank() - 2;
    // Padding specified by the model, excluding the padding that ceil mode adds.
    let explicit_pads = match node.text("auto_pad", "NOTSET") {
        "NOTSET" => per_dim(node, "pads", 2 * n, 0)?,
        _ => {
            windows[2..].iter().map(|w| w.low).chain(windows[2..].iter().map(|w| w.high)).map(|p| p as usize).collect()
        }
    };
    let even = windows[2..].iter().enumerate().all(|(d, w)| w.high <= explicit_pads[n + d] as i64);
    let counts = node.flag("count_include_pad", false);
    if even && (counts || explicit_pads.iter().all(|&p| p == 0)) {
        let taps = windows.iter().map(|w| w.size).fold(1, usize::saturating_mul);
        return single(cx.b.binary_scalar(BinaryOp::Div, sum, taps as f64));
    }
    // The divisor is a sum pooling of ones. The tensor of ones covers the explicit padding if that is counted.
    let margin = |d: usize| if counts && d >= 2 { (explicit_pads[d - 2], explicit_pads[n + d - 2]) } else { (0, 0) };
    let ones: Shape =
        shape.iter().enumerate().map(|(d, &n)| if d < 2 { 1 } else { n + margin(d).0 + margin(d).1 }).collect();
    let ones = cx.b.splat(Type::new(cx.dtype(x), ones), Scalar::Float(1.0));
    let inner =
        |(d, w): (usize, &Window)| Window { low: w.low - margin(d).0 as i64, high: w.high - margin(d).1 as i64, ..*w };
    let windows = windows.iter().enumerate().map(inner).collect();
    let count = cx.op("count", ReduceWindow { monoid: Monoid::Sum, windows }, &[ones])?;
    let shape = cx.shape(sum);
    let count = cx.expand(count, &shape)?;
    single(cx.b.binary(BinaryOp::Div, sum, count))
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
