//! Adjoints of selection, clamping, conversion and gelu.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Shape;
use partita_ir::ops::{Binary, BinaryOp, Direction, Gelu, UnaryOp};
use partita_ir::tensor::{Scalar, wrap};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// Appends the adjoint of `select`: the selected operand gets the gradient.
pub fn select(ctx: &mut Adjoint<'_, '_>) -> Result<(), String> {
    let (g, pred) = (ctx.gradient(), ctx.arg(0));
    if ctx.needs_gradient(1) {
        let gradient = ctx.b.select_or_zero(pred, g);
        ctx.set_gradient(1, gradient);
    }
    if ctx.needs_gradient(2) {
        let gradient = ctx.b.zero_where(pred, g);
        ctx.set_gradient(2, gradient);
    }
    Ok(())
}

/// Appends the adjoint of `clamp`. The gradient belongs to the value if it is between the bounds or equal to one, and
/// otherwise to the bound that replaces it. The upper bound is applied last.
pub fn clamp(ctx: &mut Adjoint<'_, '_>) -> Result<(), String> {
    let g = ctx.gradient();
    let ty = ctx.arg_type(1);
    let x = ctx.arg(1);
    for i in 0..3 {
        if !ctx.needs_gradient(i) {
            continue;
        }
        let (low, high) = (bound(ctx, 0, &ty.shape), bound(ctx, 2, &ty.shape));
        let b = &mut *ctx.b;
        let won = match i {
            0 => {
                let (passed, stays) = (b.compare(x, Direction::Lt, low), b.compare(low, Direction::Le, high));
                both(b, passed, stays)
            }
            1 => {
                let (above, below) = (b.compare(x, Direction::Ge, low), b.compare(x, Direction::Le, high));
                both(b, above, below)
            }
            _ => {
                let above = b.binary(BinaryOp::Max, x, low);
                b.compare(above, Direction::Gt, high)
            }
        };
        let mut gradient = b.select_or_zero(won, g);
        if ctx.arg_type(i).shape.rank() < ty.shape.rank() {
            let all: Vec<usize> = (0..ty.shape.rank()).collect();
            gradient = ctx.b.sum(gradient, &all);
        }
        ctx.set_gradient(i, gradient);
    }
    Ok(())
}

/// Returns a bound broadcast to the shape of the clamped value.
fn bound(ctx: &mut Adjoint<'_, '_>, i: usize, shape: &Shape) -> ValueId {
    let bound = ctx.arg(i);
    if ctx.arg_type(i).shape == *shape { bound } else { ctx.b.broadcast(bound, &[], shape.clone()) }
}

fn both(b: &mut Builder<'_>, x: ValueId, y: ValueId) -> ValueId {
    let ty = b.ty(x);
    b.op("and", Binary { op: BinaryOp::And }, &[x, y], ty)
}

/// Appends the adjoint of `convert`: converts the gradient back.
pub fn convert(ctx: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if ctx.needs_gradient(0) {
        let g = ctx.gradient();
        let dtype = ctx.arg_type(0).dtype;
        let gradient = ctx.b.converted(g, dtype);
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}

/// Appends the adjoint of `bitcast`, which is only differentiable if the type stays the same.
pub fn bitcast(ctx: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let (from, to) = (ctx.arg_type(0), ctx.b.ty(ctx.out()));
    if from != to {
        return Err(format!("the bits of {} are read as {}", from.dtype, to.dtype));
    }
    let g = ctx.gradient();
    ctx.set_gradient(0, g);
    Ok(())
}

/// Appends the adjoint of `gelu`: the derivative of `x P(X <= x)`, with constants as precise as those of the forward
/// pass.
pub fn gelu(ctx: &mut Adjoint<'_, '_>, op: &Gelu) -> Result<(), String> {
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let (g, x) = (ctx.gradient(), ctx.arg(0));
    let number = |x: f64| wrap(op.constants.0, Scalar::Float(x)).to_f64();
    let b = &mut *ctx.b;
    let square = b.mul(x, x);
    // `share` is the factor by which gelu multiplies `x`, and `slope` is its derivative.
    let (share, slope) = if op.tanh {
        let (cubic, scale) = (number(0.044715), number(FRAC_2_SQRT_PI * FRAC_1_SQRT_2));
        let inner = b.times(square, cubic);
        let inner = b.plus(inner, 1.0);
        let inner = b.mul(inner, x);
        let inner = b.times(inner, scale);
        let tanh = b.unary(UnaryOp::Tanh, inner);
        let twice = b.plus(tanh, 1.0);
        let share = b.times(twice, 0.5);
        let rest = b.one_minus(share);
        // Half of 1 - tanh^2, as a product of `share` and `1 - share`.
        let bell = b.mul(share, rest);
        let inner = b.times(square, 6.0 * cubic * scale);
        let inner = b.plus(inner, 2.0 * scale);
        (share, b.mul(bell, inner))
    } else {
        let scale = number(FRAC_1_SQRT_2);
        let twice = if op.erfc {
            let scaled = b.times(x, -scale);
            b.unary(UnaryOp::Erfc, scaled)
        } else {
            let scaled = b.times(x, scale);
            let erf = b.unary(UnaryOp::Erf, scaled);
            b.plus(erf, 1.0)
        };
        let share = b.times(twice, 0.5);
        let below = b.times(square, -scale * scale);
        let bell = b.unary(UnaryOp::Exp, below);
        (share, b.times(bell, 0.5 * FRAC_2_SQRT_PI * scale))
    };
    let slope = b.mul(x, slope);
    let slope = b.add(share, slope);
    let gradient = b.mul(g, slope);
    ctx.set_gradient(0, gradient);
    Ok(())
}
