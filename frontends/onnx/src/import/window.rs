//! What slides over space: convolutions and pooling, of any number of spatial dimensions behind batch and channel.

use super::lowering::{Lowered, Lowering, Node, Out, Refusal, malformed, one, size, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, ConvDims, Convolution, Groups, ReduceWindow};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// An attribute of one number a spatial dimension.
fn per_dim(at: &Node<'_>, name: &str, n: usize, default: usize) -> Result<Vec<usize>, Refusal> {
    let Some(list) = at.ints(name) else { return Ok(vec![default; n]) };
    if list.len() != n {
        return malformed(format!("has {} {name} for {n} spatial dimensions", list.len()));
    }
    list.iter().map(|&x| size(x, name)).collect()
}

/// From the first tap to behind the last one; windows beyond every tensor are as long as any other such.
fn reach(taps: usize, dilation: usize) -> i64 {
    let between = taps.saturating_sub(1).saturating_mul(dilation);
    between.min(1 << 60) as i64 + 1
}

/// A window for every spatial dimension of `space`, with the paddings that attributes ask for.
fn windows(at: &Node<'_>, space: &[usize], kernel: &[usize]) -> Result<Vec<Window>, Refusal> {
    let n = space.len();
    let strides = per_dim(at, "strides", n, 1)?;
    let dilations = per_dim(at, "dilations", n, 1)?;
    if strides.contains(&0) || dilations.contains(&0) || kernel.contains(&0) {
        return malformed("has a kernel, stride or dilation of 0");
    }
    let pads = per_dim(at, "pads", 2 * n, 0)?;
    let upper = match at.text("auto_pad", "NOTSET") {
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
            // As many results as steps fit: what that lacks is padding, and the odd one stands before or behind.
            Some(Some(behind)) => {
                let reach = reach(kernel[d], dilations[d]);
                let outputs = space[d].div_ceil(strides[d]) as i64;
                let lacking = ((outputs - 1) * strides[d] as i64 + reach - space[d] as i64).max(0);
                let less = lacking / 2;
                if behind { (less, lacking - less) } else { (lacking - less, less) }
            }
        };
        Window { size: kernel[d], stride: strides[d], low, high, dilation: dilations[d], base: 1 }
    };
    Ok((0..n).map(window).collect())
}

/// Operand and kernel, which have as many dimensions.
fn operands(cx: &Lowering<'_>, at: &Node<'_>) -> Result<(ValueId, ValueId, Shape, Shape), Refusal> {
    let (x, weight) = (at.arg(0)?, at.arg(1)?);
    let (shape, kernel) = (cx.shape(x), cx.shape(weight));
    if shape.rank() < 3 || kernel.rank() != shape.rank() {
        return malformed(format!("slides {kernel} over {shape}"));
    }
    if at.ints("kernel_shape").is_some_and(|k| !k.iter().map(|&n| n as usize).eq(kernel[2..].iter().copied())) {
        return malformed(format!("has another kernel shape than its kernel {kernel}"));
    }
    Ok((x, weight, shape, kernel))
}

/// Weights are `[out, in / groups, taps ..]`, the operand `[batch, in, space ..]`.
pub fn convolution(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, weight, shape, kernel) = operands(cx, at)?;
    let convolution = Convolution {
        dims: conv_dims(kernel.rank()),
        windows: windows(at, &shape[2..], &kernel[2..])?,
        reverse: Dims::new(),
        feature_groups: Groups(size(at.int("group", 1), "group")?),
        batch_groups: Groups(1),
    };
    let out = cx.op("conv", convolution, &[x, weight])?;
    one(with_bias(cx, at, out)?)
}

/// The gradient of a convolution by its operand, as a layer: the operand is spread by the stride and met by the
/// mirrored kernel. Weights are `[in, out / groups, taps ..]`.
pub fn transposed(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, weight, shape, kernel) = operands(cx, at)?;
    let n = kernel.rank() - 2;
    let groups = size(at.int("group", 1), "group")?;
    if kernel[0].checked_rem(groups) != Some(0) {
        return malformed(format!("has {groups} groups of {} features", kernel[0]));
    }
    let (strides, dilations) = (per_dim(at, "strides", n, 1)?, per_dim(at, "dilations", n, 1)?);
    let extra = per_dim(at, "output_padding", n, 0)?;
    let mut pads: Vec<i64> = per_dim(at, "pads", 2 * n, 0)?.into_iter().map(|p| p as i64).collect();
    // From the first tap to the last one.
    let reach: Vec<i64> = (0..n).map(|d| reach(kernel[2 + d], dilations[d]) - 1).collect();
    let auto = at.text("auto_pad", "NOTSET");
    let wanted = match at.ints("output_shape") {
        // Batch and channel may stand in front.
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
    if let Some(wanted) = wanted {
        for d in 0..n {
            let whole = (shape[2 + d] as i64 - 1).saturating_mul(strides[d] as i64);
            let total = whole.saturating_add(extra[d] as i64 + reach[d] + 1).saturating_sub(wanted[d]);
            let less = total.div_euclid(2);
            (pads[d], pads[n + d]) = if auto == "SAME_UPPER" { (less, total - less) } else { (total - less, less) };
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
        feature_groups: Groups(groups),
        batch_groups: Groups(1),
    };
    let weight = cx.b.regroup(weight, groups);
    let out = cx.op("conv", convolution, &[x, weight])?;
    one(with_bias(cx, at, out)?)
}

/// Batch and feature in front, kernels with the output feature first.
fn conv_dims(rank: usize) -> ConvDims {
    let natural: Dims = (0..rank).collect();
    let mut kernel = natural.clone();
    kernel.swap(0, 1);
    ConvDims { input: natural.clone(), kernel, output: natural }
}

fn with_bias(cx: &mut Lowering<'_>, at: &Node<'_>, x: ValueId) -> Result<ValueId, Refusal> {
    let Some(bias) = at.optional(2) else { return Ok(x) };
    let shape = cx.shape(x);
    if cx.shape(bias)[..] != [shape[1]] {
        return malformed(format!("has a bias of {} for {shape}", cx.shape(bias)));
    }
    let bias = cx.b.broadcast(bias, &[1], shape);
    Ok(cx.b.binary(BinaryOp::Add, x, bias))
}

/// The operand of a pooling, its shape, and one window a dimension. Where the number of windows is rounded up, the last
/// ones reach behind the padding.
fn pooling(cx: &Lowering<'_>, at: &Node<'_>) -> Result<(ValueId, Shape, Vec<Window>), Refusal> {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let Some(space) = shape.get(2..).filter(|s| !s.is_empty()) else {
        return malformed(format!("needs batch, channel and space, not {shape}"));
    };
    if !at.has("kernel_shape") {
        return malformed("lacks its kernel shape");
    }
    let kernel = per_dim(at, "kernel_shape", space.len(), 1)?;
    let mut own = windows(at, space, &kernel)?;
    if at.flag("ceil_mode", false) && at.text("auto_pad", "NOTSET") == "NOTSET" {
        for (w, &n) in own.iter_mut().zip(space) {
            let reach = reach(w.size, w.dilation);
            let room = n as i64 + w.low + w.high - reach;
            let stride = w.stride as i64;
            let mut steps = (room.max(0) + stride - 1) / stride;
            // A window that would begin in the padding behind is left out.
            if steps * stride >= n as i64 + w.low {
                steps -= 1;
            }
            w.high = w.high.max(steps * stride + reach - n as i64 - w.low);
        }
    }
    let all = [Window::default(), Window::default()].into_iter().chain(own).collect();
    Ok((x, shape, all))
}

/// The largest element of every window; where it was is refused when something reads it.
pub fn max_pool(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    if at.gives(1) {
        return unsupported("its second result, the indices");
    }
    let (x, _, windows) = pooling(cx, at)?;
    one(cx.op("max_pool", ReduceWindow { monoid: Monoid::Max, windows }, &[x])?)
}

/// The mean of every window, over the elements in it or, with `count_include_pad`, over what lies in the padding too.
/// What only rounding up the number of windows adds behind the padding never counts.
pub fn average_pool(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, shape, windows) = pooling(cx, at)?;
    cx.float(x)?;
    let sum = cx.op("sum_pool", ReduceWindow { monoid: Monoid::Sum, windows: windows.clone() }, &[x])?;
    let n = shape.rank() - 2;
    // The padding that the model asks for, without what rounding up added.
    let asked = match at.text("auto_pad", "NOTSET") {
        "NOTSET" => per_dim(at, "pads", 2 * n, 0)?,
        _ => {
            windows[2..].iter().map(|w| w.low).chain(windows[2..].iter().map(|w| w.high)).map(|p| p as usize).collect()
        }
    };
    let even = windows[2..].iter().enumerate().all(|(d, w)| w.high <= asked[n + d] as i64);
    let counts = at.flag("count_include_pad", false);
    if even && (counts || asked.iter().all(|&p| p == 0)) {
        let taps = windows.iter().map(|w| w.size).fold(1, usize::saturating_mul);
        return one(cx.b.binary_scalar(BinaryOp::Div, sum, taps as f64));
    }
    // Count by summing ones, which are wider than the operand when its padding counts.
    let margin = |d: usize| if counts && d >= 2 { (asked[d - 2], asked[n + d - 2]) } else { (0, 0) };
    let ones: Shape =
        shape.iter().enumerate().map(|(d, &n)| if d < 2 { 1 } else { n + margin(d).0 + margin(d).1 }).collect();
    let ones = cx.b.splat(Type::new(cx.dtype(x), ones), Scalar::Float(1.0));
    let inner =
        |(d, w): (usize, &Window)| Window { low: w.low - margin(d).0 as i64, high: w.high - margin(d).1 as i64, ..*w };
    let windows = windows.iter().enumerate().map(inner).collect();
    let count = cx.op("count", ReduceWindow { monoid: Monoid::Sum, windows }, &[ones])?;
    let shape = cx.shape(sum);
    let count = cx.expand(count, &shape)?;
    one(cx.b.binary(BinaryOp::Div, sum, count))
}

/// All of space as one window, whose largest element or mean stays with size 1.
pub fn global_pool(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let mut shape = cx.shape(x);
    if shape.rank() < 3 {
        return malformed(format!("needs batch, channel and space, not {shape}"));
    }
    let space: Dims = (2..shape.rank()).collect();
    let pooled = if at.op() == "GlobalMaxPool" {
        cx.b.reduce_dims(Monoid::Max, x, space)
    } else {
        cx.float(x)?;
        cx.b.mean_dims(x, space)
    };
    shape[2..].fill(1);
    Ok([Out::Value(cx.b.reshape(pooled, shape))].into_iter().collect())
}
