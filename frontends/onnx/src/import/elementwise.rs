//! Functions of elements, on tensors that broadcast.

use super::lowering::{Lowered, Lowering, Node, Refusal, known, malformed, one, unsupported};
use crate::tensors::dtype_of;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Clamp, Direction, Gelu, Unary, UnaryOp};
use partita_ir::tensor::{Scalar, wrap};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// A function of one operand that programs have.
pub fn unary(cx: &mut Lowering<'_>, at: &Node<'_>, op: UnaryOp) -> Lowered {
    let x = at.arg(0)?;
    one(cx.op(op.name(), Unary { op }, &[x])?)
}

/// A function of two operands that programs have.
pub fn binary(cx: &mut Lowering<'_>, at: &Node<'_>, op: BinaryOp) -> Lowered {
    let [x, y] = cx.together([at.arg(0)?, at.arg(1)?])?;
    one(cx.b.binary(op, x, y))
}

/// A quotient. By the square root of 2, which stands in a gelu, it is a product with the root of a half, as composites
/// have it.
pub fn divide(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, y) = (at.arg(0)?, at.arg(1)?);
    let dtype = cx.dtype(x);
    let root = |number| wrap(dtype, Scalar::Float(number));
    let halves = dtype.is_float() && cx.rank(y) <= cx.rank(x) && cx.dtype(y) == dtype;
    match cx.number(y) {
        Some(n) if halves && root(SQRT_2) == Scalar::Float(n) => {
            let factor = cx.b.splat_like(x, root(FRAC_1_SQRT_2));
            one(cx.b.binary(BinaryOp::Mul, x, factor))
        }
        _ => binary(cx, at, BinaryOp::Div),
    }
}

/// A comparison.
pub fn compare(cx: &mut Lowering<'_>, at: &Node<'_>, direction: Direction) -> Lowered {
    let [x, y] = cx.together([at.arg(0)?, at.arg(1)?])?;
    one(cx.b.compare(x, direction, y))
}

/// All operands combined one after the other.
pub fn variadic(cx: &mut Lowering<'_>, at: &Node<'_>, op: BinaryOp) -> Result<ValueId, Refusal> {
    let all = at.all()?;
    let mut sum = all[0];
    for &next in &all[1..] {
        let [x, y] = cx.together([sum, next])?;
        sum = cx.b.binary(op, x, y);
    }
    Ok(sum)
}

/// The mean of all operands.
pub fn mean(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let sum = variadic(cx, at, BinaryOp::Add)?;
    cx.float(sum)?;
    one(cx.b.binary_scalar(BinaryOp::Div, sum, at.all()?.len() as f64))
}

/// `x ^ y`, of the type of `x`; a square or a cube is a product.
pub fn power(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, y) = (at.arg(0)?, at.arg(1)?);
    if let Some(n) = cx.number(y).filter(|n| [2.0, 3.0].contains(n))
        && cx.rank(y) <= cx.rank(x)
    {
        let square = cx.b.binary(BinaryOp::Mul, x, x);
        return one(if n == 2.0 { square } else { cx.b.binary(BinaryOp::Mul, square, x) });
    }
    let dtype = cx.dtype(x);
    // An integer to a broken power is computed in floats.
    let wide = if !dtype.is_float() && cx.dtype(y).is_float() { cx.dtype(y) } else { dtype };
    let [x, y] = [x, y].map(|v| converted(cx, v, wide));
    let known = [x, y].map(|v| cx.shape(v));
    let shape = super::lowering::broadcast(&known)?;
    let (x, y) = (cx.expand(x, &shape)?, cx.expand(y, &shape)?);
    let power = cx.b.binary(BinaryOp::Pow, x, y);
    one(converted(cx, power, dtype))
}

/// The remainder: with the sign of the divisor, or (`fmod`) of the dividend.
pub fn modulo(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let [x, y] = cx.together([at.arg(0)?, at.arg(1)?])?;
    if at.flag("fmod", false) {
        return one(cx.b.binary(BinaryOp::Rem, x, y));
    }
    match cx.dtype(x).is_float() {
        true => malformed("needs `fmod` for floats"),
        false => one(cx.b.remainder(x, y)),
    }
}

/// Bits moved to the left or to the right.
pub fn shift(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    match at.text("direction", "") {
        "LEFT" => binary(cx, at, BinaryOp::ShiftLeft),
        "RIGHT" => binary(cx, at, BinaryOp::ShiftRightLogical),
        other => malformed(format!("has the direction `{other}`")),
    }
}

/// Whether elements are infinite.
pub fn is_inf(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let bound = match (at.flag("detect_positive", true), at.flag("detect_negative", true)) {
        (true, true) => return unary(cx, at, UnaryOp::IsInf),
        (true, false) => f64::INFINITY,
        (false, true) => f64::NEG_INFINITY,
        (false, false) => return unsupported("neither sign detected"),
    };
    let bound = cx.b.splat_like(x, Scalar::Float(bound));
    one(cx.b.compare(x, Direction::Eq, bound))
}

/// `condition ? x : y`
pub fn select(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let [condition, x, y] = cx.together([at.arg(0)?, at.arg(1)?, at.arg(2)?])?;
    one(cx.b.select(condition, x, y))
}

/// The same numbers as another element type; what is not 0 is true.
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

/// A conversion to the element type that an attribute names.
pub fn cast(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let number = i32::try_from(at.int("to", 0)).unwrap_or(0);
    let dtype = dtype_of(number).map_err(Refusal::DType)?;
    one(converted(cx, x, dtype))
}

/// A conversion to the element type of another tensor.
pub fn cast_like(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, like) = (at.arg(0)?, at.arg(1)?);
    let dtype = cx.dtype(like);
    one(converted(cx, x, dtype))
}

/// The operand, as it is: a model is read as it predicts. The second result says what was kept, which is everything.
pub fn dropout(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let number = |i, default| at.optional(i).map_or(Some(default), |v| cx.number(v));
    let (ratio, training) = (number(1, 0.5), number(2, 0.0));
    if training != Some(0.0) && ratio != Some(0.0) {
        return unsupported("`training_mode`: export the model as it predicts");
    }
    let mut outs = one(x)?;
    if at.gives(1) {
        let ty = Type { shape: cx.shape(x), dtype: DType::Bool };
        outs.push(super::lowering::Out::Value(cx.b.splat(ty, Scalar::Int(1))));
    }
    Ok(outs)
}

/// `min(max(x, low), high)`: bounds are attributes or operands, and each may be missing.
pub fn clip(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let mut x = at.arg(0)?;
    let dtype = cx.dtype(x);
    let bound = |cx: &mut Lowering<'_>, i: usize| match at.optional(i) {
        Some(bound) if cx.shape(bound).count() != 1 => malformed("has a bound that is not one number"),
        bound => Ok(bound),
    };
    let (low, high) = (bound(cx, 1)?, bound(cx, 2)?);
    if let (Some(low), Some(high)) = (low, high) {
        let scalar = |cx: &mut Lowering<'_>, v| if cx.rank(v) == 0 { v } else { cx.b.reshape(v, []) };
        let (low, high) = (scalar(cx, low), scalar(cx, high));
        return one(cx.op("clamp", Clamp {}, &[low, x, high])?);
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
    one(x)
}

/// `x` where it is positive, else something that depends on a constant of the activation.
pub fn activation(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    cx.float(x)?;
    let zero = |cx: &mut Lowering<'_>| cx.b.splat_like(x, Scalar::Float(0.0));
    // `x > 0 ? x : scale * (exp(x / by) - 1)`
    let exponential = |cx: &mut Lowering<'_>, scale: f64, by: f64| {
        let small = cx.b.binary_scalar(BinaryOp::Min, x, 0.0);
        let small = if by == 1.0 { small } else { cx.b.binary_scalar(BinaryOp::Div, small, by) };
        let below = cx.b.unary(UnaryOp::Expm1, small);
        let below = if scale == 1.0 { below } else { cx.b.binary_scalar(BinaryOp::Mul, below, scale) };
        let zero = cx.b.splat_like(x, Scalar::Float(0.0));
        let positive = cx.b.compare(x, Direction::Gt, zero);
        cx.b.select(positive, x, below)
    };
    let y = match at.op() {
        "LeakyRelu" => {
            let slope = cx.b.splat_like(x, Scalar::Float(at.float("alpha", 0.01)));
            cx.b.leaky_relu(x, slope)
        }
        "Elu" => exponential(cx, at.float("alpha", 1.0), 1.0),
        "Celu" => {
            let alpha = at.float("alpha", 1.0);
            exponential(cx, alpha, alpha)
        }
        "Selu" => {
            let alpha = at.float("alpha", 1.673_263_2);
            let elu = exponential(cx, alpha, 1.0);
            cx.b.binary_scalar(BinaryOp::Mul, elu, at.float("gamma", 1.050_701))
        }
        "ThresholdedRelu" => {
            let bound = cx.b.splat_like(x, Scalar::Float(at.float("alpha", 1.0)));
            let above = cx.b.compare(x, Direction::Gt, bound);
            let zero = zero(cx);
            cx.b.select(above, x, zero)
        }
        "HardSigmoid" => cx.b.hard_sigmoid(x, at.float("alpha", 0.2), at.float("beta", 0.5)),
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
            let tanh = match at.text("approximate", "none") {
                "none" => false,
                "tanh" => true,
                other => return unsupported(format!("the approximation `{other}`")),
            };
            cx.op("gelu", Gelu { tanh, ..Gelu::default() }, &[x])?
        }
        _ => return Err(Refusal::Unknown),
    };
    one(y)
}

/// `log(1 + exp(x))`, which does not overflow.
fn softplus(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let negative = cx.b.unary(UnaryOp::Neg, x);
    let log = cx.b.log_sigmoid(negative);
    cx.b.unary(UnaryOp::Neg, log)
}

/// Leaky ReLU with a learnt slope, which broadcasts to `x`.
pub fn prelu(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, slope) = (at.arg(0)?, at.arg(1)?);
    let shape = cx.shape(x);
    let slope = cx.expand(slope, &shape)?;
    one(cx.b.leaky_relu(x, slope))
}

/// The shape of a tensor, of which `start` and `end` take a part.
pub fn shape_of(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let shape = cx.shape(at.arg(0)?);
    let rank = shape.rank() as i64;
    let place = |n: i64| (if n < 0 { n.saturating_add(rank) } else { n }).clamp(0, rank) as usize;
    let (start, end) = (place(at.int("start", 0)), place(at.int("end", rank)));
    let sizes: Vec<i64> = shape[start..end.max(start)].iter().map(|&n| n as i64).collect();
    let ty = Type::new(DType::I64, [sizes.len()]);
    known(partita_ir::tensor::Tensor::from_ints(ty, sizes))
}

/// The number of elements of a tensor.
pub fn count_of(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let count = cx.shape(at.arg(0)?).count() as i64;
    known(partita_ir::tensor::Tensor::from_ints(Type::new(DType::I64, []), vec![count]))
}
