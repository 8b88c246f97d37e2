//! Lowering of convolutions over any number of spatial dimensions, which follow batch and channel.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, malformed, single, size};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::{BinaryOp, ConvDims, Convolution, GroupCount};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Returns an attribute with `n` integers, for example one per spatial dimension; `default` for each if the node lacks
/// it.
pub fn per_dim(node: &Node<'_>, name: &str, n: usize, default: usize) -> Result<Vec<usize>, LoweringError> {
    let Some(list) = node.ints(name) else { return Ok(vec![default; n]) };
    if list.len() != n {
        return malformed(format!("has {} {name} for {n} spatial dimensions", list.len()));
    }
    list.iter().map(|&x| size(x, name)).collect()
}

/// Returns the extent in elements of a dilated kernel with `taps` elements, saturated at 2^60.
pub fn kernel_extent(taps: usize, dilation: usize) -> i64 {
    let between = taps.saturating_sub(1).saturating_mul(dilation);
    between.min(1 << 60) as i64 + 1
}

/// Returns a window for each spatial dimension, with the padding that `pads` and `auto_pad` specify.
pub fn windows(node: &Node<'_>, space: &[usize], kernel: &[usize]) -> Result<Vec<Window>, LoweringError> {
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

/// Returns the shapes of the operand and the kernel. Errors: their ranks differ or are below 3, or the kernel
/// contradicts `kernel_shape`.
fn shapes(cx: &Lowering<'_>, node: &Node<'_>, x: ValueId, weight: ValueId) -> Result<(Shape, Shape), LoweringError> {
    let (shape, kernel) = (cx.shape(x), cx.shape(weight));
    if shape.rank() < 3 || kernel.rank() != shape.rank() {
        return malformed(format!("applies the kernel {kernel} to {shape}"));
    }
    if node.ints("kernel_shape").is_some_and(|k| !k.iter().map(|&n| n as usize).eq(kernel[2..].iter().copied())) {
        return malformed(format!("has a kernel shape that differs from its kernel {kernel}"));
    }
    Ok((shape, kernel))
}

/// Lowers a convolution with an optional bias.
pub fn convolution(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let out = convolve(cx, node, node.arg(0)?, node.arg(1)?)?;
    single(with_bias(cx, out, node.optional(2))?)
}

/// Appends a convolution with the attributes of the node. Weights are `[out, in / groups, kernel ..]`, the operand is
/// `[batch, in, space ..]`.
pub fn convolve(cx: &mut Lowering<'_>, node: &Node<'_>, x: ValueId, weight: ValueId) -> Result<ValueId, LoweringError> {
    let (shape, kernel) = shapes(cx, node, x, weight)?;
    let convolution = Convolution {
        dims: ConvDims::channels_first(kernel.rank()),
        windows: windows(node, &shape[2..], &kernel[2..])?,
        reverse: Dims::new(),
        feature_groups: GroupCount(size(node.int("group", 1), "group")?),
        batch_groups: GroupCount(1),
    };
    cx.op("conv", convolution, &[x, weight])
}

/// Lowers a transposed convolution, the gradient of a convolution with respect to its operand: a convolution of the
/// operand, dilated by the stride, with the mirrored kernel. Weights are `[in, out / groups, kernel ..]`.
pub fn transposed(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, weight) = (node.arg(0)?, node.arg(1)?);
    let (shape, kernel) = shapes(cx, node, x, weight)?;
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
        dims: ConvDims::channels_first(kernel.rank()),
        windows: (0..n).map(window).collect(),
        reverse: (0..n).collect(),
        feature_groups: GroupCount(groups),
        batch_groups: GroupCount(1),
    };
    let weight = cx.b.regroup_conv_weight(weight, groups);
    let out = cx.op("conv", convolution, &[x, weight])?;
    single(with_bias(cx, out, node.optional(2))?)
}

/// Adds an optional bias `[feature]` to the result of a convolution.
pub fn with_bias(cx: &mut Lowering<'_>, x: ValueId, bias: Option<ValueId>) -> Result<ValueId, LoweringError> {
    let Some(bias) = bias else { return Ok(x) };
    let shape = cx.shape(x);
    if cx.shape(bias)[..] != [shape[1]] {
        return malformed(format!("has a bias of {} for {shape}", cx.shape(bias)));
    }
    let bias = cx.b.broadcast(bias, &[1], shape);
    Ok(cx.b.binary(BinaryOp::Add, x, bias))
}

/// Lowers a causal convolution of each channel along the last dimension, after the last elements of the previous call.
/// The second result is the state for the next call.
pub fn causal_convolution(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, weight) = (node.arg(0)?, node.arg(1)?);
    let (&[batch, channels, _], &[_, 1, taps]) = (&cx.shape(x)[..], &cx.shape(weight)[..]) else {
        return malformed(format!("applies the kernel {} to {}", cx.b.ty(weight), cx.b.ty(x)));
    };
    let Some(kept) = taps.checked_sub(1) else { return malformed("has an empty kernel") };
    let state_type = Type::new(cx.dtype(x), [batch, channels, kept]);
    let state = match node.optional(3) {
        Some(state) if cx.b.ty(state) != state_type => {
            return malformed(format!("has the state {}, not {state_type}", cx.b.ty(state)));
        }
        Some(state) => state,
        None => cx.b.splat(state_type, Scalar::Float(0.0)),
    };
    let padded = cx.concat(&[state, x], 2)?;
    let convolution = Convolution {
        dims: ConvDims::channels_first(3),
        windows: vec![Window { size: taps, ..Window::default() }],
        reverse: Dims::new(),
        feature_groups: GroupCount(channels),
        batch_groups: GroupCount(1),
    };
    let out = cx.op("conv", convolution, &[padded, weight])?;
    let out = with_bias(cx, out, node.optional(2))?;
    let out = match node.text("activation", "none") {
        "none" => out,
        "silu" | "swish" => cx.b.swish(out, 1.0),
        other => return malformed(format!("has the activation `{other}`")),
    };
    let end = cx.shape(padded)[2];
    let state = cx.b.slice_dim(padded, 2, end - kept, end);
    Ok([out, state].into_iter().map(Out::Value).collect())
}
