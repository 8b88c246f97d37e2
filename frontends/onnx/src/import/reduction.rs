//! Lowering of reductions, cumulative sums, normalisation and losses.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, dim, dims, malformed, single, unsupported};
use super::movement::reshaped;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BatchNorm, BinaryOp, CrossEntropy, Direction, LayerNorm, LogSoftmax, Softmax, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Lowers a reduction over the axes of the attribute or operand. Without axes it is over all dimensions, or the
/// identity with `noop_with_empty_axes`.
pub fn reduce(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let axes = cx.attribute_or_operand_ints(node, "axes", 1)?.unwrap_or_default();
    let over: Dims = match axes.is_empty() {
        true if node.flag("noop_with_empty_axes", false) => return single(x),
        true => (0..shape.rank()).collect(),
        false => dims(&axes, shape.rank())?,
    };
    if matches!(node.op(), "ReduceMean" | "ReduceL2" | "ReduceLogSumExp" | "ReduceLogSum") {
        cx.require_float(x)?;
    }
    let sum = |cx: &mut Lowering<'_>, x, over| cx.b.reduce_dims(Monoid::Sum, x, over);
    let reduced_shape: Shape = shape.iter().enumerate().map(|(d, &n)| if over.contains(&d) { 1 } else { n }).collect();
    let out = match node.op() {
        "ReduceSum" => sum(cx, x, over),
        "ReduceMean" => cx.b.mean_dims(x, over),
        "ReduceMax" => cx.b.reduce_dims(Monoid::Max, x, over),
        "ReduceMin" => cx.b.reduce_dims(Monoid::Min, x, over),
        "ReduceProd" => cx.b.reduce_dims(Monoid::Prod, x, over),
        "ReduceL1" => {
            let size = cx.b.unary(UnaryOp::Abs, x);
            sum(cx, size, over)
        }
        "ReduceSumSquare" | "ReduceL2" => {
            let squares = cx.b.binary(BinaryOp::Mul, x, x);
            let sum = sum(cx, squares, over);
            if node.op() == "ReduceL2" { cx.b.unary(UnaryOp::Sqrt, sum) } else { sum }
        }
        "ReduceLogSum" => {
            let sum = sum(cx, x, over);
            cx.b.unary(UnaryOp::Log, sum)
        }
        "ReduceLogSumExp" => {
            let max = cx.b.reduce_dims(Monoid::Max, x, over.clone());
            let wide = cx.b.reshape(max, reduced_shape.clone());
            let wide = cx.expand(wide, &shape)?;
            let below = cx.b.binary(BinaryOp::Sub, x, wide);
            let exp = cx.b.unary(UnaryOp::Exp, below);
            let sum = sum(cx, exp, over);
            let log = cx.b.unary(UnaryOp::Log, sum);
            cx.b.binary(BinaryOp::Add, log, max)
        }
        _ => return Err(LoweringError::Unsupported),
    };
    single(if node.flag("keepdims", true) { reshaped(cx, out, reduced_shape) } else { out })
}

/// Lowers the index of the largest (`Direction::Gt`) or smallest (`Direction::Lt`) element along a dimension. Among
/// equal elements the first index is returned, or the last with `select_last_index`.
pub fn arg_extremum(cx: &mut Lowering<'_>, node: &Node<'_>, better: Direction) -> LoweringResult {
    let x = node.arg(0)?;
    let mut shape = cx.shape(x);
    let axis = dim(node.int("axis", 0), shape.rank())?;
    let n = shape[axis];
    if n == 0 {
        return malformed(format!("reduces dimension {axis} of {shape}, which is empty"));
    }
    // The last index among ties is the first index of the reversed tensor.
    let last = node.flag("select_last_index", false);
    let x = if last { cx.b.reverse(x, Dims::from_elem(axis, 1)) } else { x };
    let (_, mut index) = cx.b.extremum_with_index(x, axis, better, DType::I64);
    if last {
        let end = cx.b.splat_like(index, Scalar::Int(n as i64 - 1));
        index = cx.b.binary(BinaryOp::Sub, end, index);
    }
    shape[axis] = 1;
    single(if node.flag("keepdims", true) { cx.b.reshape(index, shape) } else { index })
}

/// Lowers a cumulative sum along a dimension: forward or reverse, inclusive or exclusive.
pub fn cumulative_sum(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let axis = match cx.ints(node.arg(1)?, "axis")?[..] {
        [axis] => dim(axis, cx.rank(x))?,
        _ => return malformed("needs one axis"),
    };
    let sums = cx.b.cumulative(Monoid::Sum, x, axis, node.flag("reverse", false));
    single(if node.flag("exclusive", false) { cx.b.binary(BinaryOp::Sub, sums, x) } else { sums })
}

/// Lowers a softmax or its logarithm along an axis. Up to opset 12 all dimensions from the axis on are flattened into
/// one.
pub fn softmax(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let shape = cx.shape(x);
    let joins = node.opset < 13;
    let axis = dim(node.int("axis", if joins { 1 } else { -1 }), shape.rank().max(1))?;
    if shape.rank() == 0 {
        return malformed("needs a dimension");
    }
    let log = node.op() == "LogSoftmax";
    let along = |cx: &mut Lowering<'_>, x: ValueId, dim: usize| match log {
        true => cx.op("log_softmax", LogSoftmax { dim }, &[x]),
        false => cx.op("softmax", Softmax { dim }, &[x]),
    };
    // If at most one of the flattened dimensions is larger than 1, no reshape is necessary.
    let others = shape[axis..].iter().filter(|&&n| n != 1).count();
    if !joins || others <= 1 {
        let place = if joins { (axis..shape.rank()).find(|&d| shape[d] != 1).unwrap_or(axis) } else { axis };
        return single(along(cx, x, place)?);
    }
    let count = |dims: &[usize]| dims.iter().copied().fold(1, usize::saturating_mul);
    let flat = cx.b.reshape(x, [count(&shape[..axis]), count(&shape[axis..])]);
    let flat = along(cx, flat, 1)?;
    single(cx.b.reshape(flat, shape))
}

/// Lowers layer normalisation over all dimensions from an axis on, flattened into one.
pub fn layer_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let axis = dim(node.int("axis", -1), shape.rank())?;
    if node.has_result(1) || node.has_result(2) {
        return unsupported("its further results, mean and deviation");
    }
    let joined = shape[axis..].iter().copied().fold(1, usize::saturating_mul);
    let flat: Shape = shape[..axis].iter().copied().chain([joined]).collect();
    let mut args = vec![reshaped(cx, x, flat)];
    for weight in [Some(node.arg(1)?), node.optional(2)].into_iter().flatten() {
        let normalized_shape: Shape = shape[axis..].into();
        let weight = cx.expand(weight, &normalized_shape)?;
        args.push(reshaped(cx, weight, [joined].into()));
    }
    let out = cx.op("layer_norm", LayerNorm { eps: node.float("epsilon", 1e-5) }, &args)?;
    single(reshaped(cx, out, shape))
}

/// Lowers batch normalisation of channels (dimension 1) with given statistics, that is, in inference mode.
pub fn batch_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let args = node.all_args()?;
    if node.flag("training_mode", false) || (1..5).any(|i| node.has_result(i)) {
        return unsupported("`training_mode`: export the model in inference mode");
    }
    if cx.rank(args[0]) < 2 {
        return malformed(format!("needs batch and channel, not {}", cx.b.ty(args[0])));
    }
    let eps = node.float("epsilon", 1e-5);
    // Since opset 15 statistics may have a wider element type than the data.
    let dtype = cx.dtype(args[0]);
    let args: Vec<ValueId> = args.into_iter().map(|v| super::elementwise::converted(cx, v, dtype)).collect();
    single(cx.op("batch_norm", BatchNorm { dim: 1, eps }, &args)?)
}

/// Lowers instance or group normalisation, followed by a scale and a shift for each channel. Mean and variance are over
/// the spatial dimensions of a channel, or over the channels and spatial dimensions of a group.
pub fn group_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, scale, bias) = (node.arg(0)?, node.arg(1)?, node.arg(2)?);
    cx.require_float(x)?;
    let shape = cx.shape(x);
    if shape.rank() < 2 {
        return malformed(format!("needs batch and channel, not {shape}"));
    }
    let channels = shape[1];
    let groups = match node.op() {
        "InstanceNormalization" => channels,
        _ => super::lowering::size(node.int("num_groups", 0), "number of groups")?,
    };
    if channels.checked_rem(groups) != Some(0) {
        return malformed(format!("has {groups} groups of {channels} channels"));
    }
    let space = shape[2..].iter().copied().fold(channels / groups, usize::saturating_mul);
    let flat = cx.b.reshape(x, [shape[0], groups, space]);
    let mean = |cx: &mut Lowering<'_>, x| {
        let mean = cx.b.mean_dims(x, Dims::from_elem(2, 1));
        let group_shape = Shape::from([shape[0], groups, space]);
        cx.b.broadcast_along(mean, 2, &group_shape)
    };
    let centre = mean(cx, flat);
    let centred = cx.b.binary(BinaryOp::Sub, flat, centre);
    let squares = cx.b.binary(BinaryOp::Mul, centred, centred);
    let variance = mean(cx, squares);
    let variance = cx.b.binary_scalar(BinaryOp::Add, variance, node.float("epsilon", 1e-5));
    let factor = cx.b.unary(UnaryOp::Rsqrt, variance);
    let normal = cx.b.binary(BinaryOp::Mul, centred, factor);
    let mut out = cx.b.reshape(normal, shape.clone());
    for (weight, op) in [(scale, BinaryOp::Mul), (bias, BinaryOp::Add)] {
        let weight = per_channel(cx, weight, channels, groups)?;
        let weight = cx.b.broadcast(weight, &[1], shape.clone());
        out = cx.b.binary(op, out, weight);
    }
    single(out)
}

/// Returns a weight for each channel. Up to opset 20, `GroupNormalization` has one weight for each group.
fn per_channel(
    cx: &mut Lowering<'_>,
    weight: ValueId,
    channels: usize,
    groups: usize,
) -> Result<ValueId, LoweringError> {
    match cx.shape(weight)[..] {
        [n] if n == channels => Ok(weight),
        [n] if n == groups => {
            let spread = cx.b.broadcast(weight, &[0], [groups, channels / groups]);
            Ok(cx.b.reshape(spread, [channels]))
        }
        _ => malformed(format!("has a weight of {} for {channels} channels", cx.shape(weight))),
    }
}

/// Lowers a division by the L1 or L2 norm along a dimension.
pub fn lp_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let shape = cx.shape(x);
    let axis = dim(node.int("axis", -1), shape.rank())?;
    let norm = match node.int("p", 2) {
        1 => {
            let size = cx.b.unary(UnaryOp::Abs, x);
            cx.b.reduce(Monoid::Sum, size, axis)
        }
        2 => {
            let squares = cx.b.binary(BinaryOp::Mul, x, x);
            let sum = cx.b.reduce(Monoid::Sum, squares, axis);
            cx.b.unary(UnaryOp::Sqrt, sum)
        }
        p => return malformed(format!("has the norm {p}")),
    };
    let norm = cx.b.broadcast_along(norm, axis, &shape);
    single(cx.b.binary(BinaryOp::Div, x, norm))
}

/// Lowers the cross-entropy of scores and labels (`SoftmaxCrossEntropyLoss`), or the negative log-likelihood
/// (`NegativeLogLikelihoodLoss`). If the operand of the latter is a log-softmax, the result is the cross-entropy of its
/// logits.
pub fn cross_entropy(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (scores, labels) = (node.arg(0)?, node.arg(1)?);
    if node.optional(2).is_some() || node.has_attribute("ignore_index") || node.has_result(1) {
        return unsupported("class weights, `ignore_index` or a second result");
    }
    let (shape, positions) = (cx.shape(scores), cx.shape(labels));
    let rank = shape.rank();
    if rank < 2 || positions.rank() + 1 != rank || positions[0] != shape[0] || positions[1..] != shape[2..] {
        return malformed(format!("compares {shape} with {positions}"));
    }
    let log_softmax_of = |cx: &Lowering<'_>| {
        let ops = &cx.b.program.ops;
        let maker = cx.b.body.iter().rev().map(|&op| &ops[op]).find(|op| op.outs.contains(&scores))?;
        matches!(&maker.kind, OpKind::LogSoftmax(l) if l.dim == 1).then(|| maker.args[0])
    };
    let logits = if node.op() == "SoftmaxCrossEntropyLoss" { Some(scores) } else { log_softmax_of(cx) };
    let mut loss = match logits {
        Some(logits) => {
            let classes_last: Dims = [0].into_iter().chain(2..rank).chain([1]).collect();
            let logits = cx.b.transpose(logits, classes_last);
            cx.op("cross_entropy", CrossEntropy {}, &[logits, labels])?
        }
        None => {
            let mut one_class = shape;
            one_class[1] = 1;
            let index = cx.b.reshape(labels, one_class);
            let picked = cx.b.take_along(scores, index, 1);
            let picked = cx.b.reshape(picked, positions);
            cx.b.unary(UnaryOp::Neg, picked)
        }
    };
    let all: Dims = (0..rank - 1).collect();
    match node.text("reduction", "mean") {
        "none" => {}
        "sum" => loss = cx.b.reduce_dims(Monoid::Sum, loss, all),
        "mean" => loss = cx.b.mean_dims(loss, all),
        other => return malformed(format!("has the reduction `{other}`")),
    }
    single(loss)
}
