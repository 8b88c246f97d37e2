//! Adjoints of elementwise functions of one operand.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::float_predicates;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// Returns whether small changes of the operand can change the result.
pub fn may_depend(op: UnaryOp) -> bool {
    match op {
        UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::RoundEven => false,
        UnaryOp::Not | UnaryOp::PopCount | UnaryOp::CountLeadingZeros | float_predicates!() => false,
        UnaryOp::StopGradient => false,
        UnaryOp::Abs | UnaryOp::Neg | UnaryOp::Relu | UnaryOp::Sigmoid | UnaryOp::Reciprocal => true,
        UnaryOp::Exp | UnaryOp::Expm1 | UnaryOp::Log | UnaryOp::Log1p => true,
        UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Cbrt => true,
        UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan | UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Atan => true,
        UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Tanh | UnaryOp::Asinh | UnaryOp::Acosh | UnaryOp::Atanh => true,
        UnaryOp::Erf | UnaryOp::Erfc | UnaryOp::ErfInv | UnaryOp::Lgamma | UnaryOp::Digamma => true,
    }
}

/// Appends the adjoint of a unary op: multiplies the gradient by the derivative, computed from the result where
/// possible.
pub fn adjoint(ctx: &mut Adjoint<'_, '_>, op: UnaryOp) -> Result<(), String> {
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let (g, x, y) = (ctx.gradient(), ctx.arg(0), ctx.out());
    let b = &mut *ctx.b;
    let dx = match op {
        UnaryOp::Abs => {
            let sign = b.unary(UnaryOp::Sign, x);
            b.mul(g, sign)
        }
        UnaryOp::Neg => b.neg(g),
        UnaryOp::Exp => b.mul(g, y),
        UnaryOp::Expm1 => {
            let slope = b.plus(y, 1.0);
            b.mul(g, slope)
        }
        UnaryOp::Log => b.div(g, x),
        UnaryOp::Log1p => {
            let x = b.plus(x, 1.0);
            b.div(g, x)
        }
        UnaryOp::Sqrt => {
            let half = b.times(g, 0.5);
            b.div(half, y)
        }
        UnaryOp::Rsqrt => {
            let square = b.mul(y, y);
            let cube = b.mul(square, y);
            let slope = b.times(cube, -0.5);
            b.mul(g, slope)
        }
        UnaryOp::Cbrt => {
            let square = b.mul(y, y);
            let inverse = b.times(square, 3.0);
            b.div(g, inverse)
        }
        UnaryOp::Sin => {
            let slope = b.unary(UnaryOp::Cos, x);
            b.mul(g, slope)
        }
        UnaryOp::Cos => {
            let slope = b.unary(UnaryOp::Sin, x);
            let slope = b.neg(slope);
            b.mul(g, slope)
        }
        UnaryOp::Tan => {
            let square = b.mul(y, y);
            let slope = b.plus(square, 1.0);
            b.mul(g, slope)
        }
        UnaryOp::Asin => {
            let slope = rsqrt_one_minus_square(b, x);
            b.mul(g, slope)
        }
        UnaryOp::Acos => {
            let slope = rsqrt_one_minus_square(b, x);
            let slope = b.neg(slope);
            b.mul(g, slope)
        }
        UnaryOp::Atan => {
            let square = b.mul(x, x);
            let inverse = b.plus(square, 1.0);
            b.div(g, inverse)
        }
        UnaryOp::Sinh => {
            let slope = b.unary(UnaryOp::Cosh, x);
            b.mul(g, slope)
        }
        UnaryOp::Cosh => {
            let slope = b.unary(UnaryOp::Sinh, x);
            b.mul(g, slope)
        }
        UnaryOp::Tanh => {
            let square = b.mul(y, y);
            let slope = b.one_minus(square);
            b.mul(g, slope)
        }
        UnaryOp::Asinh => {
            let square = b.mul(x, x);
            let square = b.plus(square, 1.0);
            let slope = b.unary(UnaryOp::Rsqrt, square);
            b.mul(g, slope)
        }
        UnaryOp::Acosh => {
            let slope = rsqrt_square_minus_one(b, x);
            b.mul(g, slope)
        }
        UnaryOp::Atanh => {
            let (below, above) = (b.one_minus(x), b.plus(x, 1.0));
            let inverse = b.mul(below, above);
            b.div(g, inverse)
        }
        UnaryOp::Sigmoid => {
            let rest = b.one_minus(y);
            let slope = b.mul(y, rest);
            b.mul(g, slope)
        }
        UnaryOp::Relu => {
            let ty = b.ty(y);
            let zero = b.zeros(ty);
            let positive = b.compare(y, Direction::Gt, zero);
            b.choose(positive, g, zero)
        }
        UnaryOp::Erf => {
            let slope = gaussian(b, x, FRAC_2_SQRT_PI);
            b.mul(g, slope)
        }
        UnaryOp::Erfc => {
            let slope = gaussian(b, x, -FRAC_2_SQRT_PI);
            b.mul(g, slope)
        }
        UnaryOp::ErfInv => {
            let square = b.mul(y, y);
            let inverse = b.unary(UnaryOp::Exp, square);
            let slope = b.times(inverse, 1.0 / FRAC_2_SQRT_PI);
            b.mul(g, slope)
        }
        UnaryOp::Lgamma => {
            let slope = b.unary(UnaryOp::Digamma, x);
            b.mul(g, slope)
        }
        UnaryOp::Digamma => {
            let slope = trigamma(b, x);
            b.mul(g, slope)
        }
        UnaryOp::Reciprocal => {
            let square = b.mul(y, y);
            let slope = b.neg(square);
            b.mul(g, slope)
        }
        UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::RoundEven => return Ok(()),
        UnaryOp::Not | UnaryOp::PopCount | UnaryOp::CountLeadingZeros | float_predicates!() => return Ok(()),
        UnaryOp::StopGradient => return Ok(()),
    };
    ctx.set_gradient(0, dx);
    Ok(())
}

/// Appends `height * exp(-x^2)`.
fn gaussian(b: &mut Builder<'_>, x: ValueId, height: f64) -> ValueId {
    let square = b.mul(x, x);
    let below = b.neg(square);
    let bell = b.unary(UnaryOp::Exp, below);
    b.times(bell, height)
}

/// Appends `1 / sqrt(1 - x^2)`, with the radicand as a product of two factors: near 1, the square loses precision.
fn rsqrt_one_minus_square(b: &mut Builder<'_>, x: ValueId) -> ValueId {
    let (below, above) = (b.one_minus(x), b.plus(x, 1.0));
    let product = b.mul(below, above);
    b.unary(UnaryOp::Rsqrt, product)
}

/// Appends `1 / sqrt(x^2 - 1)`.
fn rsqrt_square_minus_one(b: &mut Builder<'_>, x: ValueId) -> ValueId {
    let (below, above) = (b.plus(x, -1.0), b.plus(x, 1.0));
    let product = b.mul(below, above);
    b.unary(UnaryOp::Rsqrt, product)
}

/// Appends the derivative of the digamma function: ten steps of the recurrence, then the asymptotic series, with
/// reflection below one half (Abramowitz and Stegun, 6.4.6, 6.4.7, 6.4.12).
fn trigamma(b: &mut Builder<'_>, x: ValueId) -> ValueId {
    const RECURRENCE_STEPS: u32 = 10;
    /// Bernoulli numbers `B(2k)`, highest first.
    const BERNOULLI_NUMBERS: [f64; 7] =
        [7.0 / 6.0, -691.0 / 2730.0, 5.0 / 66.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 1.0 / 6.0];
    let ty = b.ty(x);
    let low = b.compare_with(x, Direction::Lt, 0.5);
    let mirrored = b.one_minus(x);
    let from = b.choose(low, mirrored, x);
    let far = b.plus(from, f64::from(RECURRENCE_STEPS));
    let inverse = b.unary(UnaryOp::Reciprocal, far);
    let square = b.mul(inverse, inverse);
    let mut series = b.filled(ty, BERNOULLI_NUMBERS[0]);
    for &number in &BERNOULLI_NUMBERS[1..] {
        let inner = b.mul(series, square);
        series = b.plus(inner, number);
    }
    let tail = b.mul(series, square);
    let tail = b.mul(tail, inverse);
    let half = b.times(square, 0.5);
    let tail = b.add(tail, half);
    let mut sum = b.add(tail, inverse);
    for step in 0..RECURRENCE_STEPS {
        let at = b.plus(from, f64::from(step));
        let square = b.mul(at, at);
        let term = b.unary(UnaryOp::Reciprocal, square);
        sum = b.add(sum, term);
    }
    let turns = b.times(x, PI);
    let sine = b.unary(UnaryOp::Sin, turns);
    let square = b.mul(sine, sine);
    let reflected = b.unary(UnaryOp::Reciprocal, square);
    let reflected = b.times(reflected, PI * PI);
    let reflected = b.binary(BinaryOp::Sub, reflected, sum);
    b.choose(low, reflected, sum)
}
