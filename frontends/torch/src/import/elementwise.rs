//! Lowering of elementwise operations.

use super::lowering::{
    Lowering, LoweringError, LoweringResult, first_operand, malformed, real_result, single, unsupported,
};
use super::node::{Node, Operand};
use super::promotion::{operands, promoted, scalar};
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, Direction, Unary, UnaryOp};
use partita_ir::tensor::Scalar;

/// Lowers a unary operation. Integers are converted if the result is a float.
pub fn unary(cx: &mut Lowering<'_>, node: &Node<'_>, op: UnaryOp) -> LoweringResult {
    let x = first_operand(node)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    single(cx.op(op.name(), Unary { op }, &[x])?)
}

/// Lowers a test of floats. No integer is NaN or infinite.
pub fn predicate(cx: &mut Lowering<'_>, node: &Node<'_>, op: UnaryOp) -> LoweringResult {
    let x = first_operand(node)?;
    let x = if cx.dtype(x).is_float() { x } else { cx.b.convert(x, DType::F32) };
    single(cx.op(op.name(), Unary { op }, &[x])?)
}

/// Lowers a logical negation.
pub fn logical_not(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    let x = cx.converted(x, DType::Bool);
    single(cx.b.unary(UnaryOp::Not, x))
}

/// Lowers `x^2`.
pub fn square(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    single(cx.b.binary(BinaryOp::Mul, x, x))
}

/// Lowers `log(exp(x) + exp(y))`, without overflow.
pub fn log_add_exp(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let pair = operands(cx, node, ["self", "other"], node.result(0)?.dtype)?;
    let [x, y] = cx.broadcast_all(pair)?;
    let largest = cx.b.binary(BinaryOp::Max, x, y);
    let difference = cx.b.binary(BinaryOp::Sub, x, y);
    let difference = cx.b.unary(UnaryOp::Abs, difference);
    let difference = cx.b.unary(UnaryOp::Neg, difference);
    let below = cx.b.unary(UnaryOp::Exp, difference);
    let below = cx.b.unary(UnaryOp::Log1p, below);
    let sum = cx.b.binary(BinaryOp::Add, largest, below);
    // The difference of equal infinite numbers is not a number.
    let is_equal = cx.b.compare(x, Direction::Eq, y);
    let twice = cx.b.binary_scalar(BinaryOp::Add, largest, std::f64::consts::LN_2);
    single(cx.b.select(is_equal, twice, sum))
}

/// Lowers a logarithm to a base.
pub fn logarithm(cx: &mut Lowering<'_>, node: &Node<'_>, base: f64) -> LoweringResult {
    let x = first_operand(node)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let log = cx.b.unary(UnaryOp::Log, x);
    single(cx.b.binary_scalar(BinaryOp::Mul, log, base.ln().recip()))
}

/// Lowers `2 ^ x`.
pub fn exp2(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, x, std::f64::consts::LN_2);
    single(cx.b.unary(UnaryOp::Exp, scaled))
}

/// Lowers `log2(2^x + 2^y)`, without overflow.
pub fn log_add_exp2(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let scaled = operands(cx, node, ["self", "other"], dtype)?
        .map(|x| cx.b.binary_scalar(BinaryOp::Mul, x, std::f64::consts::LN_2));
    let [x, y] = scaled.map(Operand::Tensor);
    let sum = real_result(&log_add_exp(cx, &node.as_operation("logaddexp", [("self", x), ("other", y)]))?)?;
    single(cx.b.binary_scalar(BinaryOp::Mul, sum, std::f64::consts::LN_2.recip()))
}

/// Lowers `self * 2^other`.
pub fn scale_by_power(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, exponent] = operands(cx, node, ["self", "other"], node.result(0)?.dtype)?;
    let two = cx.b.splat_like(exponent, Scalar::Float(2.0));
    let power = cx.b.binary(BinaryOp::Pow, two, exponent);
    single(cx.binary(BinaryOp::Mul, x, power)?)
}

/// Rounds toward zero.
fn truncated(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let size = cx.b.unary(UnaryOp::Abs, x);
    let floor = cx.b.unary(UnaryOp::Floor, size);
    let sign = cx.b.unary(UnaryOp::Sign, x);
    cx.b.binary(BinaryOp::Mul, sign, floor)
}

/// Lowers a rounding toward zero.
pub fn truncate(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    single(if cx.dtype(x).is_float() { truncated(cx, x) } else { x })
}

/// Lowers a rounding that is the identity on integers.
pub fn round(cx: &mut Lowering<'_>, node: &Node<'_>, op: UnaryOp) -> LoweringResult {
    let x = first_operand(node)?;
    if node.int("decimals", 0)? != 0 {
        return unsupported("decimals");
    }
    single(if cx.dtype(x).is_float() { cx.b.unary(op, x) } else { x })
}

/// Lowers a binary operation with broadcasting, in the element type of the result.
pub fn binary(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp) -> LoweringResult {
    let [x, y] = operands(cx, node, ["self", "other"], node.result(0)?.dtype)?;
    single(cx.binary(op, x, y)?)
}

/// Lowers `self + alpha other`. The sum of booleans is their disjunction.
pub fn add(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let op = if node.result(0)?.dtype == DType::Bool { BinaryOp::Or } else { BinaryOp::Add };
    with_scaled(cx, node, op, ["self", "other"])
}

/// Lowers `x - alpha y`; `names` are the operands.
pub fn subtract(cx: &mut Lowering<'_>, node: &Node<'_>, names: [&str; 2]) -> LoweringResult {
    with_scaled(cx, node, BinaryOp::Sub, names)
}

/// Appends an operation whose second operand is scaled by the operand `alpha`.
fn with_scaled(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp, names: [&str; 2]) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let [x, mut y] = operands(cx, node, names, dtype)?;
    if let Some(alpha) = node.number("alpha")?.filter(|alpha| alpha.to_f64() != 1.0) {
        let alpha = scalar(cx, dtype, alpha);
        y = cx.binary(BinaryOp::Mul, y, alpha)?;
    }
    single(cx.binary(op, x, y)?)
}

/// Lowers a product. The product of booleans is their conjunction.
pub fn multiply(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let op = if node.result(0)?.dtype == DType::Bool { BinaryOp::And } else { BinaryOp::Mul };
    binary(cx, node, op)
}

/// Lowers a division, whose quotient may be rounded.
pub fn divide(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match node.text("rounding_mode")? {
        None => binary(cx, node, BinaryOp::Div),
        Some("floor") => floor_divide(cx, node),
        Some("trunc") => {
            let dtype = node.result(0)?.dtype;
            let [x, y] = operands(cx, node, ["self", "other"], dtype)?;
            let quotient = cx.binary(BinaryOp::Div, x, y)?;
            single(if dtype.is_float() { truncated(cx, quotient) } else { quotient })
        }
        Some(other) => malformed(format!("has the rounding mode `{other}`")),
    }
}

/// Lowers a division whose quotient is rounded down.
pub fn floor_divide(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let xy = operands(cx, node, ["self", "other"], dtype)?;
    let [x, y] = cx.broadcast_all(xy)?;
    if dtype.is_float() {
        let quotient = cx.b.binary(BinaryOp::Div, x, y);
        return single(cx.b.unary(UnaryOp::Floor, quotient));
    }
    let rest = cx.b.remainder(x, y);
    let multiple = cx.b.binary(BinaryOp::Sub, x, rest);
    single(cx.b.binary(BinaryOp::Div, multiple, y))
}

/// Lowers the remainder with the sign of the divisor.
pub fn remainder(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let xy = operands(cx, node, ["self", "other"], node.result(0)?.dtype)?;
    let [x, y] = cx.broadcast_all(xy)?;
    single(cx.b.remainder(x, y))
}

/// Lowers a power. Squares and cubes become multiplications, the form that the recognition of composites expects.
pub fn power(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let exponent = node.operand("exponent").number().map(Scalar::to_f64);
    if let (Operand::Tensor(x), Some(exponent)) = (node.operand("self"), exponent) {
        let x = cx.converted(*x, dtype);
        if exponent == 1.0 {
            return single(x);
        }
        if exponent == 2.0 || exponent == 3.0 {
            let square = cx.b.binary(BinaryOp::Mul, x, x);
            return single(if exponent == 2.0 { square } else { cx.b.binary(BinaryOp::Mul, square, x) });
        }
        let root = [(0.5, UnaryOp::Sqrt), (-0.5, UnaryOp::Rsqrt), (-1.0, UnaryOp::Reciprocal)];
        if let Some((_, op)) = root.into_iter().find(|(known, _)| *known == exponent && dtype.is_float()) {
            return single(cx.b.unary(op, x));
        }
    }
    let [x, y] = operands(cx, node, ["self", "exponent"], dtype)?;
    single(cx.binary(BinaryOp::Pow, x, y)?)
}

/// Lowers a comparison with broadcasting.
pub fn compare(cx: &mut Lowering<'_>, node: &Node<'_>, direction: Direction) -> LoweringResult {
    let Some(dtype) = promoted(cx, &[node.operand("self"), node.operand("other")]) else {
        return malformed("needs tensors or numbers to compare");
    };
    let xy = operands(cx, node, ["self", "other"], dtype)?;
    let [x, y] = cx.broadcast_all(xy)?;
    single(cx.b.compare(x, direction, y))
}

/// Lowers a logical operation on the truth of elements.
pub fn logical(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp) -> LoweringResult {
    let [x, y] = operands(cx, node, ["self", "other"], DType::Bool)?;
    single(cx.binary(op, x, y)?)
}

/// Lowers `condition ? self : other`.
pub fn select(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    if !node.has("self") {
        return Err(LoweringError::DynamicShape);
    }
    let condition = node.tensor("condition")?;
    let condition = cx.converted(condition, DType::Bool);
    let [x, y] = operands(cx, node, ["self", "other"], node.result(0)?.dtype)?;
    let [condition, x, y] = cx.broadcast_all([condition, x, y])?;
    single(cx.b.select(condition, x, y))
}

/// Lowers the replacement of elements where a mask is true.
pub fn masked_fill(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mask = node.tensor("mask")?;
    let mask = cx.converted(mask, DType::Bool);
    let [x, value] = operands(cx, node, ["self", "value"], node.result(0)?.dtype)?;
    let [mask, value, x] = cx.broadcast_all([mask, value, x])?;
    single(cx.b.select(mask, value, x))
}

/// Lowers `min(max(x, min), max)` with optional bounds.
pub fn clamp(cx: &mut Lowering<'_>, node: &Node<'_>, [low, high]: [&str; 2]) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let [mut x] = operands(cx, node, ["self"], dtype)?;
    for (name, op) in [(low, BinaryOp::Max), (high, BinaryOp::Min)] {
        if node.has(name) {
            let [bound] = operands(cx, node, [name], dtype)?;
            x = cx.binary(op, x, bound)?;
        }
    }
    single(x)
}

/// Lowers a conversion to the element type of the result, or the identity.
pub fn convert(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    single(cx.converted(x, node.result(0)?.dtype))
}

/// Lowers the replacement of all elements by those of another tensor.
pub fn copy(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let source = node.tensor("src")?;
    let source = cx.converted(source, ty.dtype);
    single(cx.expand(source, &ty.shape)?)
}

/// Lowers `self + value x y` or `self + value x / y`.
pub fn add_scaled(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let [sum, x, y] = operands(cx, node, ["self", "tensor1", "tensor2"], dtype)?;
    let mut product = cx.binary(op, x, y)?;
    let value = node.float("value", 1.0)?;
    if value != 1.0 {
        product = cx.b.binary_scalar(BinaryOp::Mul, product, value);
    }
    single(cx.binary(BinaryOp::Add, sum, product)?)
}

/// Lowers `self + weight (end - self)`.
pub fn interpolate(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [start, end, weight] = operands(cx, node, ["self", "end", "weight"], node.result(0)?.dtype)?;
    let difference = cx.binary(BinaryOp::Sub, end, start)?;
    let scaled = cx.binary(BinaryOp::Mul, difference, weight)?;
    single(cx.binary(BinaryOp::Add, start, scaled)?)
}
