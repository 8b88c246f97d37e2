//! Lowering of functions of single elements that are composed of several ops.

use super::lowering::{Lowering, LoweringResult, first_operand, single};
use super::node::Node;
use super::promotion::operands;
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::Scalar;

/// Lowers a function with one operand, which is converted to the element type of the result.
pub fn function(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    apply: impl FnOnce(&mut Lowering<'_>, ValueId) -> ValueId,
) -> LoweringResult {
    let x = first_operand(node)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    single(apply(cx, x))
}

/// Lowers a function with two operands, which are broadcast and converted to the element type of the result.
pub fn function_of_two(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    apply: impl FnOnce(&mut Lowering<'_>, ValueId, ValueId) -> ValueId,
) -> LoweringResult {
    let both = operands(cx, node, ["self", "other"], node.result(0)?.dtype)?;
    let [x, y] = cx.broadcast_all(both)?;
    single(apply(cx, x, y))
}

/// Appends `x - trunc(x)`.
pub fn fraction(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let size = cx.b.unary(UnaryOp::Abs, x);
    let floor = cx.b.unary(UnaryOp::Floor, size);
    let rest = cx.b.binary(BinaryOp::Sub, size, floor);
    copy_sign(cx, rest, x)
}

/// Appends `sin(pi x) / (pi x)`, which is 1 at 0.
pub fn sinc(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let angle = cx.b.binary_scalar(BinaryOp::Mul, x, std::f64::consts::PI);
    let sine = cx.b.unary(UnaryOp::Sin, angle);
    let quotient = cx.b.binary(BinaryOp::Div, sine, angle);
    let is_zero = cx.compare_scalar(x, Direction::Eq, Scalar::Float(0.0));
    let one = cx.b.splat_like(x, Scalar::Float(1.0));
    cx.b.select(is_zero, one, quotient)
}

/// Appends the probability that a standard normal number is less than `x`.
pub fn normal_distribution(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, x, -std::f64::consts::FRAC_1_SQRT_2);
    let rest = cx.b.unary(UnaryOp::Erfc, scaled);
    cx.b.binary_scalar(BinaryOp::Mul, rest, 0.5)
}

/// Appends the logarithm of the probability that a standard normal number is less than `x`. In the tail it is
/// computed from a continued fraction, whose logarithm does not underflow.
pub fn log_normal_distribution(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let above = cx.b.binary_scalar(BinaryOp::Max, x, -TAIL_START);
    let probability = normal_distribution(cx, above);
    let near = cx.b.unary(UnaryOp::Log, probability);
    let t = cx.b.binary_scalar(BinaryOp::Min, x, -TAIL_START);
    let t = cx.b.unary(UnaryOp::Neg, t);
    let fraction = tail_fraction(cx, t);
    let square = cx.b.binary(BinaryOp::Mul, t, t);
    let density = cx.b.binary_scalar(BinaryOp::Mul, square, -0.5);
    let density = cx.b.binary_scalar(BinaryOp::Sub, density, std::f64::consts::TAU.ln() / 2.0);
    let log = cx.b.unary(UnaryOp::Log, fraction);
    let far = cx.b.binary(BinaryOp::Sub, density, log);
    let is_far = cx.compare_scalar(x, Direction::Lt, Scalar::Float(-TAIL_START));
    cx.b.select(is_far, far, near)
}

/// Appends `exp(x^2) (1 - erf(x))`.
pub fn scaled_erfc(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let start = TAIL_START * std::f64::consts::FRAC_1_SQRT_2;
    let below = cx.b.binary_scalar(BinaryOp::Min, x, start);
    let square = cx.b.binary(BinaryOp::Mul, below, below);
    let scale = cx.b.unary(UnaryOp::Exp, square);
    let rest = cx.b.unary(UnaryOp::Erfc, below);
    let near = cx.b.binary(BinaryOp::Mul, scale, rest);
    let above = cx.b.binary_scalar(BinaryOp::Max, x, start);
    let t = cx.b.binary_scalar(BinaryOp::Mul, above, std::f64::consts::SQRT_2);
    let fraction = tail_fraction(cx, t);
    let far = cx.b.unary(UnaryOp::Reciprocal, fraction);
    let far = cx.b.binary_scalar(BinaryOp::Mul, far, (2.0 / std::f64::consts::PI).sqrt());
    let is_far = cx.compare_scalar(x, Direction::Gt, Scalar::Float(start));
    cx.b.select(is_far, far, near)
}

/// Appends `phi(t) / (1 - Phi(t))` of the standard normal distribution: `t + 1 / (t + 2 / (t + ..))`.
fn tail_fraction(cx: &mut Lowering<'_>, t: ValueId) -> ValueId {
    let mut fraction = t;
    for k in (1..=TAIL_TERMS).rev() {
        let term = cx.b.splat_like(t, Scalar::Float(f64::from(k)));
        let term = cx.b.binary(BinaryOp::Div, term, fraction);
        fraction = cx.b.binary(BinaryOp::Add, t, term);
    }
    fraction
}

/// Distance from the mean, in standard deviations, at which the tail begins.
const TAIL_START: f64 = 5.0;

/// Number of terms of the continued fraction of the tail, exact to the precision of `f64`.
const TAIL_TERMS: u32 = 30;

/// Appends the number below which a standard normal number is with probability `x`.
pub fn normal_quantile(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let doubled = cx.b.binary_scalar(BinaryOp::Mul, x, 2.0);
    let centred = cx.b.binary_scalar(BinaryOp::Sub, doubled, 1.0);
    let inverse = cx.b.unary(UnaryOp::ErfInv, centred);
    cx.b.binary_scalar(BinaryOp::Mul, inverse, std::f64::consts::SQRT_2)
}

/// Appends `-x log(x)`, which is 0 at 0 and negative infinity below.
pub fn entropy(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let log = cx.b.unary(UnaryOp::Log, x);
    let product = cx.b.binary(BinaryOp::Mul, x, log);
    let entropy = cx.b.unary(UnaryOp::Neg, product);
    let zero = cx.b.splat_like(x, Scalar::Float(0.0));
    let least = cx.b.splat_like(x, Scalar::Float(f64::NEG_INFINITY));
    let is_zero = cx.b.compare(x, Direction::Eq, zero);
    let is_below = cx.b.compare(x, Direction::Lt, zero);
    let of_numbers = cx.b.select(is_zero, zero, entropy);
    cx.b.select(is_below, least, of_numbers)
}

/// Appends `|x|` with the sign of `y`.
pub fn copy_sign(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    let size = cx.b.unary(UnaryOp::Abs, x);
    let opposite = cx.b.unary(UnaryOp::Neg, size);
    let negative = is_negative(cx, y);
    cx.b.select(negative, opposite, size)
}

/// Appends true for negative numbers, including -0.
pub fn is_negative(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let below = cx.compare_scalar(x, Direction::Lt, Scalar::Int(0));
    if !cx.dtype(x).is_float() {
        return below;
    }
    // The reciprocal of -0 is negative.
    let inverse = cx.b.unary(UnaryOp::Reciprocal, x);
    let below_zero = cx.compare_scalar(inverse, Direction::Lt, Scalar::Int(0));
    cx.b.binary(BinaryOp::Or, below, below_zero)
}

/// Appends `sqrt(x^2 + y^2)`, the size of a complex number.
pub fn hypotenuse(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    cx.b.modulus([x, y])
}

/// Appends the maximum (`Max`) or minimum of numbers. If one of them is NaN, it is the other one.
pub fn extremum_of_numbers(cx: &mut Lowering<'_>, x: ValueId, y: ValueId, op: BinaryOp) -> ValueId {
    let extremum = cx.b.binary(op, x, y);
    let [x_nan, y_nan] = [x, y].map(|value| cx.b.compare(value, Direction::Ne, value));
    let with_y = cx.b.select(x_nan, y, extremum);
    cx.b.select(y_nan, x, with_y)
}

/// Appends `x * f(y)`, which is 0 for `x = 0` unless `y` is NaN.
pub fn times_log(cx: &mut Lowering<'_>, x: ValueId, y: ValueId, log: UnaryOp) -> ValueId {
    let log = cx.b.unary(log, y);
    let product = cx.b.binary(BinaryOp::Mul, x, log);
    let is_zero = cx.compare_scalar(x, Direction::Eq, Scalar::Float(0.0));
    let is_number = cx.b.compare(y, Direction::Eq, y);
    let vanishes = cx.b.binary(BinaryOp::And, is_zero, is_number);
    let zero = cx.b.splat_like(x, Scalar::Float(0.0));
    cx.b.select(vanishes, zero, product)
}

/// Lowers the step function: 0 for negative, 1 for positive numbers, and `values` at 0.
pub fn step(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, at_zero] = cx.broadcast_all([node.tensor("self")?, node.tensor("values")?])?;
    let positive = cx.compare_scalar(x, Direction::Gt, Scalar::Int(0));
    let dtype = cx.dtype(x);
    let positive = cx.b.convert(positive, dtype);
    let is_zero = cx.compare_scalar(x, Direction::Eq, Scalar::Int(0));
    single(cx.b.select(is_zero, at_zero, positive))
}

/// Lowers `log(x / (1 - x))`, of operands within `eps` and `1 - eps`.
pub fn logit(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let mut x = cx.converted(x, node.result(0)?.dtype);
    if let Some(eps) = node.number("eps")?.map(Scalar::to_f64) {
        x = cx.b.clamp(x, Scalar::Float(eps), Scalar::Float(1.0 - eps));
    }
    let one = cx.b.splat_like(x, Scalar::Float(1.0));
    let rest = cx.b.binary(BinaryOp::Sub, one, x);
    let odds = cx.b.binary(BinaryOp::Div, x, rest);
    single(cx.b.unary(UnaryOp::Log, odds))
}

/// Lowers the replacement of NaN and infinities by numbers; the defaults are 0 and the largest finite numbers.
pub fn finite(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let dtype = cx.dtype(x);
    if !dtype.is_float() {
        return single(x);
    }
    let largest = match dtype {
        DType::F64 => f64::MAX,
        DType::F16 => 65504.0,
        DType::BF16 => f64::from(f32::from_bits(0x7F7F_0000)),
        DType::Mini(format) => f64::from(format.largest()),
        _ => f64::from(f32::MAX),
    };
    let mut out = x;
    for (name, special, default) in
        [("nan", f64::NAN, 0.0), ("posinf", f64::INFINITY, largest), ("neginf", f64::NEG_INFINITY, -largest)]
    {
        let condition = match special.is_nan() {
            true => cx.b.compare(x, Direction::Ne, x),
            false => cx.compare_scalar(x, Direction::Eq, Scalar::Float(special)),
        };
        let number = cx.b.splat_like(x, Scalar::Float(node.float(name, default)?));
        out = cx.b.select(condition, number, out);
    }
    single(out)
}

/// Lowers the replacement of numbers up to a threshold by a value.
pub fn threshold(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let bound = node.number("threshold")?.unwrap_or(Scalar::Int(0));
    let above = cx.compare_scalar(x, Direction::Gt, bound);
    single(cx.select_or(above, x, node.number("value")?.unwrap_or(Scalar::Int(0)))?)
}

/// Lowers shrinkage: numbers within `lambd` of 0 become 0, and with `is_soft` others move towards 0 by it.
pub fn shrink(cx: &mut Lowering<'_>, node: &Node<'_>, is_soft: bool) -> LoweringResult {
    let x = first_operand(node)?;
    let bound = node.float("lambd", 0.5)?;
    let size = cx.b.unary(UnaryOp::Abs, x);
    let outside = cx.compare_scalar(size, Direction::Gt, Scalar::Float(bound));
    let mut value = x;
    if is_soft {
        let rest = cx.b.binary_scalar(BinaryOp::Sub, size, bound);
        value = copy_sign(cx, rest, x);
    }
    single(cx.select_or(outside, value, Scalar::Float(0.0))?)
}

/// Lowers the comparison with an infinity.
pub fn is_infinity(cx: &mut Lowering<'_>, node: &Node<'_>, infinity: f64) -> LoweringResult {
    let x = node.tensor("self")?;
    single(match cx.dtype(x).is_float() {
        true => cx.compare_scalar(x, Direction::Eq, Scalar::Float(infinity)),
        false => cx.b.compare(x, Direction::Ne, x),
    })
}
