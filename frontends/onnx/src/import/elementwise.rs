//! Lowering of elementwise operations with broadcasting, conversions and activations, and of shape queries.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, constant_result, malformed, single, unsupported};
use crate::tensors::dtype_of;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Clamp, Direction, Gelu, Unary, UnaryOp};
use partita_ir::tensor::{Scalar, wrap};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Lowers a unary operation to the op `op`.
pub fn unary(cx: &mut Lowering<'_>, node: &Node<'_>, op: UnaryOp) -> LoweringResult {
    let x = node.arg(0)?;
    single(cx.op(op.name(), Unary { op }, &[x])?)
}

/// Lowers a binary operation to the op `op`, with broadcasting.
pub fn binary(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp) -> LoweringResult {
    let [x, y] = cx.broadcast_all([node.arg(0)?, node.arg(1)?])?;
    single(cx.b.binary(op, x, y))
}

/// Lowers a division. A division by `sqrt(2)`, which occurs in GELU, becomes a multiplication by `sqrt(1/2)`, the form
/// that the recognition of composites expects.
pub fn divide(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y) = (node.arg(0)?, node.arg(1)?);
    let dtype = cx.dtype(x);
    let root = |number| wrap(dtype, Scalar::Float(number));
    let halves = dtype.is_float() && cx.rank(y) <= cx.rank(x) && cx.dtype(y) == dtype;
    match cx.number(y) {
        Some(n) if halves && root(SQRT_2) == Scalar::Float(n) => {
            let factor = cx.b.splat_like(x, root(FRAC_1_SQRT_2));
            single(cx.b.binary(BinaryOp::Mul, x, factor))
        }
        _ => binary(cx, node, BinaryOp::Div),
    }
}

/// Lowers a comparison with broadcasting.
pub fn compare(cx: &mut Lowering<'_>, node: &Node<'_>, direction: Direction) -> LoweringResult {
    let [x, y] = cx.broadcast_all([node.arg(0)?, node.arg(1)?])?;
    single(cx.b.compare(x, direction, y))
}

/// Combines all operands with `op` from left to right, with broadcasting.
pub fn variadic(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp) -> Result<ValueId, LoweringError> {
    let all = node.all_args()?;
    let mut sum = all[0];
    for &next in &all[1..] {
        let [x, y] = cx.broadcast_all([sum, next])?;
        sum = cx.b.binary(op, x, y);
    }
    Ok(sum)
}

/// Lowers the elementwise mean of all operands.
pub fn mean(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let sum = variadic(cx, node, BinaryOp::Add)?;
    cx.require_float(sum)?;
    single(cx.b.binary_scalar(BinaryOp::Div, sum, node.all_args()?.len() as f64))
}

/// Lowers `x ^ y` with the type of `x`. Squares and cubes become multiplications.
pub fn power(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y) = (node.arg(0)?, node.arg(1)?);
    if let Some(n) = cx.number(y).filter(|n| [2.0, 3.0].contains(n))
        && cx.rank(y) <= cx.rank(x)
    {
        let square = cx.b.binary(BinaryOp::Mul, x, x);
        return single(if n == 2.0 { square } else { cx.b.binary(BinaryOp::Mul, square, x) });
    }
    let dtype = cx.dtype(x);
    // An integer with a fractional exponent is computed in floats.
    let wide = if !dtype.is_float() && cx.dtype(y).is_float() { cx.dtype(y) } else { dtype };
    let [x, y] = [x, y].map(|v| converted(cx, v, wide));
    let shapes = [x, y].map(|v| cx.shape(v));
    let shape = super::lowering::broadcast(&shapes)?;
    let (x, y) = (cx.expand(x, &shape)?, cx.expand(y, &shape)?);
    let power = cx.b.binary(BinaryOp::Pow, x, y);
    single(converted(cx, power, dtype))
}

/// Lowers the remainder, with the sign of the divisor or (`fmod`) of the dividend.
pub fn modulo(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, y] = cx.broadcast_all([node.arg(0)?, node.arg(1)?])?;
    if node.flag("fmod", false) {
        return single(cx.b.binary(BinaryOp::Rem, x, y));
    }
    match cx.dtype(x).is_float() {
        true => malformed("needs `fmod` for floats"),
        false => single(cx.b.remainder(x, y)),
    }
}

/// Lowers a bit shift to the left, or a logical shift to the right.
pub fn shift(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match node.text("direction", "") {
        "LEFT" => binary(cx, node, BinaryOp::ShiftLeft),
        "RIGHT" => binary(cx, node, BinaryOp::ShiftRightLogical),
        other => malformed(format!("has the direction `{other}`")),
    }
}

/// Lowers a test for infinity, optionally of one sign only.
pub fn is_inf(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let bound = match (node.flag("detect_positive", true), node.flag("detect_negative", true)) {
        (true, true) => return unary(cx, node, UnaryOp::IsInf),
        (true, false) => f64::INFINITY,
        (false, true) => f64::NEG_INFINITY,
        (false, false) => return unsupported("neither sign detected"),
    };
    let bound = cx.b.splat_like(x, Scalar::Float(bound));
    single(cx.b.compare(x, Direction::Eq, bound))
}

/// Lowers the elementwise selection `condition ? x : y` with broadcasting.
pub fn select(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [condition, x, y] = cx.broadcast_all([node.arg(0)?, node.arg(1)?, node.arg(2)?])?;
    single(cx.b.select(condition, x, y))
}

/// Converts `x` to another element type. In a conversion to `bool` nonzero elements become true.
pub fn converted(cx: &mut Lowering<'_>, x: ValueId, dtype: DType) -> ValueId {
    match cx.dtype(x) {
        same if same == dtype => x,
        DType::Bool => cx.b.convert(x, dtype),
        _ if dtype == DType::Bool => {
            let zero = cx.b.splat_like(x, Scalar::Int(0));
            cx.b.compare(x, Direction::Ne, zero)
        }
        _ => cx.b.convert(x, dtype),
    }
}

/// Lowers a conversion to the element type that the attribute `to` specifies.
pub fn cast(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let number = i32::try_from(node.int("to", 0)).unwrap_or(0);
    let dtype = dtype_of(number).map_err(LoweringError::DType)?;
    single(converted(cx, x, dtype))
}

/// Lowers a conversion to the element type of another tensor.
pub fn cast_like(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, like) = (node.arg(0)?, node.arg(1)?);
    let dtype = cx.dtype(like);
    single(converted(cx, x, dtype))
}

/// Lowers dropout in inference mode: the result is the operand, and the mask is true everywhere.
pub fn dropout(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let number = |i, default| node.optional(i).map_or(Some(default), |v| cx.number(v));
    let (ratio, training) = (number(1, 0.5), number(2, 0.0));
    if training != Some(0.0) && ratio != Some(0.0) {
        return unsupported("`training_mode`: export the model in inference mode");
    }
    let mut outs = single(x)?;
    if node.has_result(1) {
        let ty = Type { shape: cx.shape(x), dtype: DType::Bool };
        outs.push(super::lowering::Out::Value(cx.b.splat(ty, Scalar::Int(1))));
    }
    Ok(outs)
}

/// Lowers `min(max(x, low), high)`. Both bounds are optional scalar operands.
pub fn clip(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mut x = node.arg(0)?;
    let dtype = cx.dtype(x);
    let bound = |cx: &mut Lowering<'_>, i: usize| match node.optional(i) {
        Some(bound) if cx.shape(bound).count() != 1 => malformed("has a bound that is not a scalar"),
        bound => Ok(bound),
    };
    let (low, high) = (bound(cx, 1)?, bound(cx, 2)?);
    if let (Some(low), Some(high)) = (low, high) {
        let scalar = |cx: &mut Lowering<'_>, v| if cx.rank(v) == 0 { v } else { cx.b.reshape(v, []) };
        let (low, high) = (scalar(cx, low), scalar(cx, high));
        return single(cx.op("clamp", Clamp {}, &[low, x, high])?);
    }
    for (bound, op) in [(low, BinaryOp::Max), (high, BinaryOp::Min)] {
        let Some(bound) = bound else { continue };
        if cx.dtype(bound) != dtype {
            return malformed(format!("has a bound of {} for {dtype}", cx.dtype(bound)));
        }
        let shape = cx.shape(x);
        let bound = cx.b.reshape(bound, []);
        let bound = cx.b.broadcast(bound, &[], shape);
        x = cx.b.binary(op, x, bound);
    }
    single(x)
}

/// Lowers an activation function whose parameters are attributes.
pub fn activation(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let zero = |cx: &mut Lowering<'_>| cx.b.splat_like(x, Scalar::Float(0.0));
    // Computes `x > 0 ? x : scale * (exp(x / by) - 1)`.
    let exponential = |cx: &mut Lowering<'_>, scale: f64, by: f64| {
        let small = cx.b.binary_scalar(BinaryOp::Min, x, 0.0);
        let small = if by == 1.0 { small } else { cx.b.binary_scalar(BinaryOp::Div, small, by) };
        let below = cx.b.unary(UnaryOp::Expm1, small);
        let below = if scale == 1.0 { below } else { cx.b.binary_scalar(BinaryOp::Mul, below, scale) };
        let zero = cx.b.splat_like(x, Scalar::Float(0.0));
        let positive = cx.b.compare(x, Direction::Gt, zero);
        cx.b.select(positive, x, below)
    };
    let y = match node.op() {
        "LeakyRelu" => {
            let slope = cx.b.splat_like(x, Scalar::Float(node.float("alpha", 0.01)));
            cx.b.leaky_relu(x, slope)
        }
        "Elu" => exponential(cx, node.float("alpha", 1.0), 1.0),
        "Celu" => {
            let alpha = node.float("alpha", 1.0);
            exponential(cx, alpha, alpha)
        }
        "Selu" => {
            let alpha = node.float("alpha", 1.673_263_2);
            let elu = exponential(cx, alpha, 1.0);
            cx.b.binary_scalar(BinaryOp::Mul, elu, node.float("gamma", 1.050_701))
        }
        "ThresholdedRelu" => {
            let bound = cx.b.splat_like(x, Scalar::Float(node.float("alpha", 1.0)));
            let above = cx.b.compare(x, Direction::Gt, bound);
            let zero = zero(cx);
            cx.b.select(above, x, zero)
        }
        "HardSigmoid" => cx.b.hard_sigmoid(x, node.float("alpha", 0.2), node.float("beta", 0.5)),
        "HardSwish" => {
            let gate = cx.b.hard_sigmoid(x, 1.0 / 6.0, 0.5);
            cx.b.binary(BinaryOp::Mul, x, gate)
        }
        "Softplus" => softplus(cx, x),
        "Mish" => {
            let plus = softplus(cx, x);
            let gate = cx.b.unary(UnaryOp::Tanh, plus);
            cx.b.binary(BinaryOp::Mul, x, gate)
        }
        "Softsign" => {
            let size = cx.b.unary(UnaryOp::Abs, x);
            let below = cx.b.binary_scalar(BinaryOp::Add, size, 1.0);
            cx.b.binary(BinaryOp::Div, x, below)
        }
        "Gelu" => {
            let tanh = match node.text("approximate", "none") {
                "none" => false,
                "tanh" => true,
                other => return unsupported(format!("the approximation `{other}`")),
            };
            cx.op("gelu", Gelu { tanh, ..Gelu::default() }, &[x])?
        }
        _ => return Err(LoweringError::Unsupported),
    };
    single(y)
}

/// Computes `log(1 + exp(x))` without overflow.
fn softplus(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let negative = cx.b.unary(UnaryOp::Neg, x);
    let log = cx.b.log_sigmoid(negative);
    cx.b.unary(UnaryOp::Neg, log)
}

/// Lowers a leaky ReLU with a learned slope, which broadcasts to `x`.
pub fn prelu(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, slope) = (node.arg(0)?, node.arg(1)?);
    let shape = cx.shape(x);
    let slope = cx.expand(slope, &shape)?;
    single(cx.b.leaky_relu(x, slope))
}

/// Lowers the shape of a tensor, or its range `start..end`, to a constant.
pub fn shape_of(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let shape = cx.shape(node.arg(0)?);
    let rank = shape.rank() as i64;
    let place = |n: i64| (if n < 0 { n.saturating_add(rank) } else { n }).clamp(0, rank) as usize;
    let (start, end) = (place(node.int("start", 0)), place(node.int("end", rank)));
    let sizes: Vec<i64> = shape[start..end.max(start)].iter().map(|&n| n as i64).collect();
    let ty = Type::new(DType::I64, [sizes.len()]);
    constant_result(partita_ir::tensor::Tensor::from_ints(ty, sizes))
}

/// Lowers the number of elements of a tensor to a constant.
pub fn element_count(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let count = cx.shape(node.arg(0)?).count() as i64;
    constant_result(partita_ir::tensor::Tensor::from_ints(Type::new(DType::I64, []), vec![count]))
}
