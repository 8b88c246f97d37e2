//! Reductions along dimensions, running sums, and normalisation.

use super::lowering::{Lowered, Lowering, Node, Refusal, dim, dims, malformed, one, unsupported};
use super::movement::reshaped;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BatchNorm, BinaryOp, CrossEntropy, Direction, LayerNorm, LogSoftmax, Softmax, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// What a reduction combines: dimensions that attribute or operand name, else all of them.
pub fn reduce(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let axes = cx.ints_of(at, "axes", 1)?.unwrap_or_default();
    let over: Dims = match axes.is_empty() {
        true if at.flag("noop_with_empty_axes", false) => return one(x),
        true => (0..shape.rank()).collect(),
        false => dims(&axes, shape.rank())?,
    };
    if matches!(at.op(), "ReduceMean" | "ReduceL2" | "ReduceLogSumExp" | "ReduceLogSum") {
        cx.float(x)?;
    }
    let sum = |cx: &mut Lowering<'_>, x, over| cx.b.reduce_dims(Monoid::Sum, x, over);
    let kept: Shape = shape.iter().enumerate().map(|(d, &n)| if over.contains(&d) { 1 } else { n }).collect();
    let out = match at.op() {
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
            if at.op() == "ReduceL2" { cx.b.unary(UnaryOp::Sqrt, sum) } else { sum }
        }
        "ReduceLogSum" => {
            let sum = sum(cx, x, over);
            cx.b.unary(UnaryOp::Log, sum)
        }
        "ReduceLogSumExp" => {
            let max = cx.b.reduce_dims(Monoid::Max, x, over.clone());
            let wide = cx.b.reshape(max, kept.clone());
            let wide = cx.expand(wide, &shape)?;
            let below = cx.b.binary(BinaryOp::Sub, x, wide);
            let exp = cx.b.unary(UnaryOp::Exp, below);
            let sum = sum(cx, exp, over);
            let log = cx.b.unary(UnaryOp::Log, sum);
            cx.b.binary(BinaryOp::Add, log, max)
        }
        _ => return Err(Refusal::Unknown),
    };
    one(if at.flag("keepdims", true) { reshaped(cx, out, kept) } else { out })
}

/// The index of the largest or smallest element of a dimension.
pub fn arg(cx: &mut Lowering<'_>, at: &Node<'_>, better: Direction) -> Lowered {
    let x = at.arg(0)?;
    let mut shape = cx.shape(x);
    let axis = dim(at.int("axis", 0), shape.rank())?;
    let n = shape[axis];
    if n == 0 {
        return malformed(format!("looks for an element along dimension {axis} of {shape}"));
    }
    // The last one on a tie is the first one backwards.
    let last = at.flag("select_last_index", false);
    let x = if last { cx.b.reverse(x, Dims::from_elem(axis, 1)) } else { x };
    let (_, mut index) = cx.b.best(x, axis, better, DType::I64);
    if last {
        let end = cx.b.splat_like(index, Scalar::Int(n as i64 - 1));
        index = cx.b.binary(BinaryOp::Sub, end, index);
    }
    shape[axis] = 1;
    one(if at.flag("keepdims", true) { cx.b.reshape(index, shape) } else { index })
}

/// Running sums along a dimension, of the elements up to each one, or behind it; without it, they move by one.
pub fn cumulative_sum(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let axis = match cx.ints(at.arg(1)?, "axis")?[..] {
        [axis] => dim(axis, cx.rank(x))?,
        _ => return malformed("needs one axis"),
    };
    let sums = cx.b.running(Monoid::Sum, x, axis, at.flag("reverse", false));
    one(if at.flag("exclusive", false) { cx.b.binary(BinaryOp::Sub, sums, x) } else { sums })
}

/// Softmax or its logarithm. Up to opset 12 all dimensions from the axis on are one.
pub fn softmax(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    cx.float(x)?;
    let shape = cx.shape(x);
    let joins = at.opset < 13;
    let axis = dim(at.int("axis", if joins { 1 } else { -1 }), shape.rank().max(1))?;
    if shape.rank() == 0 {
        return malformed("needs a dimension");
    }
    let log = at.op() == "LogSoftmax";
    let along = |cx: &mut Lowering<'_>, x: ValueId, dim: usize| match log {
        true => cx.op("log_softmax", LogSoftmax { dim }, &[x]),
        false => cx.op("softmax", Softmax { dim }, &[x]),
    };
    // What is joined with dimensions of size 1 only is as it was.
    let others = shape[axis..].iter().filter(|&&n| n != 1).count();
    if !joins || others <= 1 {
        let place = if joins { (axis..shape.rank()).find(|&d| shape[d] != 1).unwrap_or(axis) } else { axis };
        return one(along(cx, x, place)?);
    }
    let count = |dims: &[usize]| dims.iter().copied().fold(1, usize::saturating_mul);
    let flat = cx.b.reshape(x, [count(&shape[..axis]), count(&shape[axis..])]);
    let flat = along(cx, flat, 1)?;
    one(cx.b.reshape(flat, shape))
}

/// Normalisation over the dimensions from an axis on, which are one for the weights.
pub fn layer_norm(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let shape = cx.shape(x);
    let axis = dim(at.int("axis", -1), shape.rank())?;
    if at.gives(1) || at.gives(2) {
        return unsupported("its further results, mean and deviation");
    }
    let joined = shape[axis..].iter().copied().fold(1, usize::saturating_mul);
    let flat: Shape = shape[..axis].iter().copied().chain([joined]).collect();
    let mut args = vec![reshaped(cx, x, flat)];
    for weight in [Some(at.arg(1)?), at.optional(2)].into_iter().flatten() {
        let own: Shape = shape[axis..].into();
        let weight = cx.expand(weight, &own)?;
        args.push(reshaped(cx, weight, [joined].into()));
    }
    let out = cx.op("layer_norm", LayerNorm { eps: at.float("epsilon", 1e-5) }, &args)?;
    one(reshaped(cx, out, shape))
}

/// Normalisation of channels by statistics that are given.
pub fn batch_norm(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let args = at.all()?;
    if at.flag("training_mode", false) || (1..5).any(|i| at.gives(i)) {
        return unsupported("`training_mode`: export the model as it predicts");
    }
    if cx.rank(args[0]) < 2 {
        return malformed(format!("needs batch and channel, not {}", cx.b.ty(args[0])));
    }
    let eps = at.float("epsilon", 1e-5);
    // Statistics may be wider than the data since opset 15.
    let dtype = cx.dtype(args[0]);
    let args: Vec<ValueId> = args.into_iter().map(|v| super::elementwise::converted(cx, v, dtype)).collect();
    one(cx.op("batch_norm", BatchNorm { dim: 1, eps }, &args)?)
}

/// Normalisation over all of space, or over groups of channels with all of space, and then a scale and a shift for each
/// channel.
pub fn group_norm(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, scale, bias) = (at.arg(0)?, at.arg(1)?, at.arg(2)?);
    cx.float(x)?;
    let shape = cx.shape(x);
    if shape.rank() < 2 {
        return malformed(format!("needs batch and channel, not {shape}"));
    }
    let channels = shape[1];
    let groups = match at.op() {
        "InstanceNormalization" => channels,
        _ => super::lowering::size(at.int("num_groups", 0), "number of groups")?,
    };
    if channels.checked_rem(groups) != Some(0) {
        return malformed(format!("has {groups} groups of {channels} channels"));
    }
    let space = shape[2..].iter().copied().fold(channels / groups, usize::saturating_mul);
    let flat = cx.b.reshape(x, [shape[0], groups, space]);
    let mean = |cx: &mut Lowering<'_>, x| {
        let mean = cx.b.mean_dims(x, Dims::from_elem(2, 1));
        let whole = Shape::from([shape[0], groups, space]);
        cx.b.spread(mean, 2, &whole)
    };
    let centre = mean(cx, flat);
    let centred = cx.b.binary(BinaryOp::Sub, flat, centre);
    let squares = cx.b.binary(BinaryOp::Mul, centred, centred);
    let variance = mean(cx, squares);
    let variance = cx.b.binary_scalar(BinaryOp::Add, variance, at.float("epsilon", 1e-5));
    let factor = cx.b.unary(UnaryOp::Rsqrt, variance);
    let normal = cx.b.binary(BinaryOp::Mul, centred, factor);
    let mut out = cx.b.reshape(normal, shape.clone());
    for (weight, op) in [(scale, BinaryOp::Mul), (bias, BinaryOp::Add)] {
        let weight = each_channel(cx, weight, channels, groups)?;
        let weight = cx.b.broadcast(weight, &[1], shape.clone());
        out = cx.b.binary(op, out, weight);
    }
    one(out)
}

/// A weight for each channel: up to opset 20 there is one for each group.
fn each_channel(cx: &mut Lowering<'_>, weight: ValueId, channels: usize, groups: usize) -> Result<ValueId, Refusal> {
    match cx.shape(weight)[..] {
        [n] if n == channels => Ok(weight),
        [n] if n == groups => {
            let spread = cx.b.broadcast(weight, &[0], [groups, channels / groups]);
            Ok(cx.b.reshape(spread, [channels]))
        }
        _ => malformed(format!("has a weight of {} for {channels} channels", cx.shape(weight))),
    }
}

/// `x` divided by its norm along a dimension.
pub fn lp_norm(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    cx.float(x)?;
    let shape = cx.shape(x);
    let axis = dim(at.int("axis", -1), shape.rank())?;
    let norm = match at.int("p", 2) {
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
    let norm = cx.b.spread(norm, axis, &shape);
    one(cx.b.binary(BinaryOp::Div, x, norm))
}

/// The cross-entropy of scores and labels, or (`NegativeLogLikelihoodLoss`) the negative scores at the labels. Where
/// those are a log-softmax, that is the cross-entropy of what it is of.
pub fn cross_entropy(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (scores, labels) = (at.arg(0)?, at.arg(1)?);
    if at.optional(2).is_some() || at.has("ignore_index") || at.gives(1) {
        return unsupported("weights of classes, `ignore_index` or a second result");
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
    let logits = if at.op() == "SoftmaxCrossEntropyLoss" { Some(scores) } else { log_softmax_of(cx) };
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
    match at.text("reduction", "mean") {
        "none" => {}
        "sum" => loss = cx.b.reduce_dims(Monoid::Sum, loss, all),
        "mean" => loss = cx.b.mean_dims(loss, all),
        other => return malformed(format!("has the reduction `{other}`")),
    }
    one(loss)
}
