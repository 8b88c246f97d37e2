//! Lowering of normalisation and softmax.

use super::lowering::{Lowering, LoweringError, LoweringResult, dim, first_of, first_operand, malformed, single, size};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BatchNorm, BinaryOp, LayerNorm, LogSoftmax, RmsNorm, Softmax, UnaryOp};
use partita_ir::tensor::Scalar;
use smallvec::smallvec;

/// Weight of a normalisation that the node omits.
#[derive(Clone, Copy)]
enum Omitted {
    Ones,
    Zeros,
}

/// Returns a weight of the given shape, or a constant if it is omitted.
fn weight(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    name: &str,
    ty: Type,
    omitted: Omitted,
) -> Result<ValueId, LoweringError> {
    match node.optional(name)? {
        Some(weight) => {
            let weight = cx.converted(weight, ty.dtype);
            Ok(cx.b.checked_reshape(weight, ty.shape)?)
        }
        None => Ok(cx.b.splat(ty, Scalar::Float(if matches!(omitted, Omitted::Ones) { 1.0 } else { 0.0 }))),
    }
}

/// Lowers layer normalisation, or that by the root mean square, over the last dimensions. The further results of the
/// native forms, the statistics, are not computed.
pub fn layer_norm(cx: &mut Lowering<'_>, node: &Node<'_>, centred: bool) -> LoweringResult {
    let x = node.tensor("input")?;
    let ty = cx.b.ty(x);
    let normalized = node.ints("normalized_shape")?.unwrap_or_default().len();
    let Some(outer) = ty.shape.rank().checked_sub(normalized).filter(|_| normalized > 0) else {
        return malformed(format!("normalises {normalized} dimensions of {ty}"));
    };
    let default_eps = if centred { 1e-5 } else { epsilon(ty.dtype) };
    let eps = node.float("eps", default_eps)?;
    let joined = ty.shape[outer..].iter().copied().fold(1, usize::saturating_mul);
    let flat: Shape = ty.shape[..outer].iter().copied().chain([joined]).collect();
    let vector = Type::new(ty.dtype, [joined]);
    let mut args = vec![cx.b.checked_reshape(x, flat)?];
    args.push(weight(cx, node, "weight", vector.clone(), Omitted::Ones)?);
    if node.has("bias") {
        args.push(weight(cx, node, "bias", vector, Omitted::Zeros)?);
    }
    let out = match centred {
        true => cx.op("layer_norm", LayerNorm { eps }, &args)?,
        false => cx.op("rms_norm", RmsNorm { eps }, &args)?,
    };
    first_of(cx.b.checked_reshape(out, ty.shape)?, 3)
}

/// Returns the distance from 1 to the next number of an element type.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        _ => f64::from(f32::EPSILON),
    }
}

/// Lowers batch normalisation of channels (dimension 1). In training mode it is by the statistics of the batch, and the
/// running statistics are updated: `functional` returns them as results, otherwise the operands are changed.
pub fn batch_norm(cx: &mut Lowering<'_>, node: &Node<'_>, training: bool, functional: bool) -> LoweringResult {
    let x = node.tensor("input")?;
    let ty = cx.b.ty(x);
    if ty.shape.rank() < 2 || !ty.dtype.is_float() {
        return malformed(format!("needs floats with batch and channel, not {ty}"));
    }
    let vector = Type::new(ty.dtype, [ty.shape[1]]);
    let scale = weight(cx, node, "weight", vector.clone(), Omitted::Ones)?;
    let shift = weight(cx, node, "bias", vector.clone(), Omitted::Zeros)?;
    let eps = node.float("eps", 1e-5)?;
    let running = [node.optional("running_mean")?, node.optional("running_var")?];
    let from_batch = training || running[0].is_none();
    let (mean, variance) = match from_batch {
        true => cx.b.batch_statistics(x),
        false => {
            let mean = weight(cx, node, "running_mean", vector.clone(), Omitted::Zeros)?;
            (mean, weight(cx, node, "running_var", vector, Omitted::Ones)?)
        }
    };
    let out = cx.op("batch_norm", BatchNorm { dim: 1, eps }, &[x, scale, shift, mean, variance])?;
    let mut outs: super::lowering::Outs = smallvec![Some(out.into()), None, None];
    if !from_batch {
        return Ok(outs);
    }
    let momentum = node.float("momentum", 0.1)?;
    let count = ty.shape.count().checked_div(ty.shape[1]).unwrap_or(0);
    // The running variance is the unbiased estimate.
    let unbiased = count as f64 / count.saturating_sub(1).max(1) as f64;
    let updates = [("running_mean", running[0], mean, 1.0), ("running_var", running[1], variance, unbiased)];
    for (name, running, batch, factor) in updates {
        let Some(running) = running else { continue };
        let dtype = cx.dtype(running);
        let old = cx.b.binary_scalar(BinaryOp::Mul, running, 1.0 - momentum);
        let batch = cx.converted(batch, dtype);
        let new = cx.b.binary_scalar(BinaryOp::Mul, batch, momentum * factor);
        let sum = cx.binary(BinaryOp::Add, old, new)?;
        match functional {
            true => outs.push(Some(sum.into())),
            false => cx.updates.push((name, sum)),
        }
    }
    Ok(outs)
}

/// Lowers group normalisation, followed by a scale and a shift for each channel.
pub fn group_norm(cx: &mut Lowering<'_>, node: &Node<'_>, groups_operand: &str) -> LoweringResult {
    let x = node.tensor("input")?;
    let groups = size(node.required_int(groups_operand)?, "number of groups")?;
    let out = normalise_groups(cx, node, x, groups)?;
    first_of(out, 3)
}

/// Lowers instance normalisation: each channel of an example is a group. Without the statistics of the input it is by
/// running statistics, which are otherwise updated by the means of those of the examples.
pub fn instance_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("input")?;
    if !node.flag("use_input_stats", true)? {
        let outs = batch_norm(cx, node, false, false)?;
        return Ok(outs.into_iter().take(1).collect());
    }
    let shape = cx.shape(x);
    let channels = shape.get(1).copied().unwrap_or(0);
    if let (Some(mean), Some(variance)) = (node.optional("running_mean")?, node.optional("running_var")?) {
        if shape.rank() < 3 || shape[..2].contains(&0) {
            return malformed(format!("needs batch, channel and space, not {shape}"));
        }
        let space: Vec<usize> = (2..shape.rank()).collect();
        let count = shape[2..].iter().product::<usize>();
        let means = cx.b.mean_keep(x, &space);
        let centred = cx.binary(BinaryOp::Sub, x, means)?;
        let squares = cx.b.binary(BinaryOp::Mul, centred, centred);
        let variances = cx.b.mean_keep(squares, &space);
        let unbiased = count as f64 / count.saturating_sub(1).max(1) as f64;
        let momentum = node.float("momentum", 0.1)?;
        for (name, running, found, factor) in
            [("running_mean", mean, means, 1.0), ("running_var", variance, variances, unbiased)]
        {
            let of_examples = cx.b.checked_reshape(found, [shape[0], channels])?;
            let found = cx.b.mean_dims(of_examples, std::iter::once(0).collect());
            let dtype = cx.dtype(running);
            let found = cx.converted(found, dtype);
            let new = cx.b.binary_scalar(BinaryOp::Mul, found, momentum * factor);
            let old = cx.b.binary_scalar(BinaryOp::Mul, running, 1.0 - momentum);
            let sum = cx.binary(BinaryOp::Add, old, new)?;
            cx.updates.push((name, sum));
        }
    }
    single(normalise_groups(cx, node, x, channels)?)
}

fn normalise_groups(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    x: ValueId,
    groups: usize,
) -> Result<ValueId, LoweringError> {
    let ty = cx.b.ty(x);
    if ty.shape.rank() < 2 || !ty.dtype.is_float() || ty.shape[1].checked_rem(groups) != Some(0) {
        return malformed(format!("has {groups} groups of channels of {ty}"));
    }
    let mut out = cx.b.normalise_groups(x, groups, node.float("eps", 1e-5)?);
    for (name, op) in [("weight", BinaryOp::Mul), ("bias", BinaryOp::Add)] {
        if node.has(name) {
            let vector = Type::new(ty.dtype, [ty.shape[1]]);
            let weight = weight(cx, node, name, vector, Omitted::Ones)?;
            let weight = cx.b.broadcast(weight, &[1], ty.shape.clone());
            out = cx.b.binary(op, out, weight);
        }
    }
    Ok(out)
}

/// Lowers a softmax or, with `log`, its logarithm. Its element type may be wider than that of the operand.
pub fn softmax(cx: &mut Lowering<'_>, node: &Node<'_>, log: bool) -> LoweringResult {
    let x = first_operand(node)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let rank = cx.rank(x);
    let dim = dim(node.required_int("dim")?, rank)?;
    if rank == 0 {
        return malformed("needs a dimension");
    }
    if !log {
        return single(cx.op("softmax", Softmax { dim }, &[x])?);
    }
    let out = cx.op("log_softmax", LogSoftmax { dim }, &[x])?;
    cx.logits.insert(out, (x, dim));
    single(out)
}

/// Lowers a softmax in which a row of `-inf` becomes zero.
pub fn safe_softmax(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let rank = cx.rank(x);
    let dim = dim(node.required_int("dim")?, rank)?;
    if rank == 0 || !cx.dtype(x).is_float() {
        return malformed("needs floats with a dimension");
    }
    let moved = cx.b.swap_dims(x, dim, rank - 1);
    let out = cx.b.masked_softmax(moved);
    single(cx.b.swap_dims(out, dim, rank - 1))
}

/// Lowers a weight that is stored as a direction `v` and a size `g` for each index of a dimension: `v g / |v|`. The
/// second result of the native form is the norms.
pub fn weight_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (v, g) = (node.tensor("v")?, node.tensor("g")?);
    let rank = cx.rank(v);
    // The dimension -1 selects the norm of all elements.
    let kept = match node.int("dim", 0)? {
        -1 => None,
        number => Some(dim(number, rank)?),
    };
    let squares = cx.b.binary(BinaryOp::Mul, v, v);
    let reduced: Vec<usize> = (0..rank).filter(|&d| Some(d) != kept).collect();
    let sums = cx.b.reduce_keep(Monoid::Sum, squares, &reduced);
    let norms = cx.b.unary(UnaryOp::Sqrt, sums);
    let scale = cx.binary(BinaryOp::Div, g, norms)?;
    let out = cx.binary(BinaryOp::Mul, v, scale)?;
    first_of(out, node.result_count().max(1))
}
