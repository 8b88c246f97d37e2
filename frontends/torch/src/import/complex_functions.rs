//! Functions of complex numbers, by those of their parts.

use super::lowering::Lowering;
use partita_ir::arena::ValueId;
use partita_ir::build::Pair;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::Scalar;

/// Appends `exp(x)`.
pub fn exp(cx: &mut Lowering<'_>, [re, im]: Pair) -> Pair {
    let size = cx.b.unary(UnaryOp::Exp, re);
    cx.b.complex_from_polar(size, im)
}

/// Appends the principal logarithm.
pub fn log(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    let size = cx.b.modulus(x);
    [cx.b.unary(UnaryOp::Log, size), angle(cx, x)]
}

/// Appends the angle of numbers.
pub fn angle(cx: &mut Lowering<'_>, [re, im]: Pair) -> ValueId {
    cx.b.binary(BinaryOp::Atan2, im, re)
}

/// Appends the power with a real exponent.
pub fn power(cx: &mut Lowering<'_>, x: Pair, exponent: f64) -> Pair {
    let size = cx.b.modulus(x);
    let exponents = cx.b.splat_like(size, Scalar::Float(exponent));
    let size =
        if exponent == 0.5 { cx.b.unary(UnaryOp::Sqrt, size) } else { cx.b.binary(BinaryOp::Pow, size, exponents) };
    let angle = angle(cx, x);
    let angle = cx.b.binary_scalar(BinaryOp::Mul, angle, exponent);
    cx.b.complex_from_polar(size, angle)
}

/// Appends `scale x` for a real number.
pub fn scaled(cx: &mut Lowering<'_>, x: Pair, scale: f64) -> Pair {
    x.map(|part| cx.b.binary_scalar(BinaryOp::Mul, part, scale))
}

/// Appends the products of two functions of the real part and two of the imaginary part.
fn products(cx: &mut Lowering<'_>, [re, im]: Pair, of_re: [UnaryOp; 2], of_im: [UnaryOp; 2]) -> Pair {
    [0, 1].map(|i| {
        let (left, right) = (cx.b.unary(of_re[i], re), cx.b.unary(of_im[i], im));
        cx.b.binary(BinaryOp::Mul, left, right)
    })
}

/// Appends `sin(x)`.
pub fn sin(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    products(cx, x, [UnaryOp::Sin, UnaryOp::Cos], [UnaryOp::Cosh, UnaryOp::Sinh])
}

/// Appends `cos(x)`.
pub fn cos(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    let [re, im] = products(cx, x, [UnaryOp::Cos, UnaryOp::Sin], [UnaryOp::Cosh, UnaryOp::Sinh]);
    [re, cx.b.unary(UnaryOp::Neg, im)]
}

/// Appends `sinh(x)`.
pub fn sinh(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    products(cx, x, [UnaryOp::Sinh, UnaryOp::Cosh], [UnaryOp::Cos, UnaryOp::Sin])
}

/// Appends `cosh(x)`.
pub fn cosh(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    products(cx, x, [UnaryOp::Cosh, UnaryOp::Sinh], [UnaryOp::Cos, UnaryOp::Sin])
}

/// Appends `tanh(x)`.
pub fn tanh(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    let (sine, cosine) = (sinh(cx, x), cosh(cx, x));
    cx.b.complex_quotient(sine, cosine)
}

/// Appends `tan(x)`.
pub fn tan(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    let (sine, cosine) = (sin(cx, x), cos(cx, x));
    cx.b.complex_quotient(sine, cosine)
}

/// Appends `1 / x`.
pub fn reciprocal(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    let one = cx.b.splat_like(x[0], Scalar::Float(1.0));
    let one = cx.b.complex_from_real(one);
    cx.b.complex_quotient(one, x)
}

/// Appends `1 / (1 + exp(-x))`.
pub fn sigmoid(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    let negative = scaled(cx, x, -1.0);
    let [re, im] = exp(cx, negative);
    let sum = [cx.b.binary_scalar(BinaryOp::Add, re, 1.0), im];
    reciprocal(cx, sum)
}

/// Appends `x / |x|`, which is 0 for 0.
pub fn sign(cx: &mut Lowering<'_>, x: Pair) -> Pair {
    let size = cx.b.modulus(x);
    let is_zero = cx.compare_scalar(size, Direction::Eq, Scalar::Float(0.0));
    let one = cx.b.splat_like(size, Scalar::Float(1.0));
    let size = cx.b.select(is_zero, one, size);
    x.map(|part| cx.b.binary(BinaryOp::Div, part, size))
}

/// Appends whether numbers are equal.
pub fn equal(cx: &mut Lowering<'_>, x: Pair, y: Pair) -> ValueId {
    let [re, im] = [0, 1].map(|i| cx.b.compare(x[i], Direction::Eq, y[i]));
    cx.b.binary(BinaryOp::And, re, im)
}
