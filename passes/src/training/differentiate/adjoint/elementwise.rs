//! Adjoints of the elementwise ops that are no family: choices, bounds, element types, and gelu.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Shape;
use partita_ir::ops::{Binary, BinaryOp, Direction, Gelu, UnaryOp};
use partita_ir::tensor::{Scalar, wrap};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// What was chosen gets the gradient.
pub fn select(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    let (g, pred) = (at.gradient(), at.arg(0));
    if at.wants(1) {
        let gradient = at.b.keep(pred, g);
        at.give(1, gradient);
    }
    if at.wants(2) {
        let gradient = at.b.drop(pred, g);
        at.give(2, gradient);
    }
    Ok(())
}

/// What lies between the bounds gets the gradient, also on them; else the bound that was passed, the upper one last.
pub fn clamp(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    let g = at.gradient();
    let ty = at.arg_type(1);
    let x = at.arg(1);
    for i in 0..3 {
        if !at.wants(i) {
            continue;
        }
        let (low, high) = (bound(at, 0, &ty.shape), bound(at, 2, &ty.shape));
        let b = &mut *at.b;
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
        let mut gradient = b.keep(won, g);
        if at.arg_type(i).shape.rank() < ty.shape.rank() {
            let all: Vec<usize> = (0..ty.shape.rank()).collect();
            gradient = at.b.sum(gradient, &all);
        }
        at.give(i, gradient);
    }
    Ok(())
}

/// A bound as large as what it bounds.
fn bound(at: &mut Adjoint<'_, '_>, i: usize, shape: &Shape) -> ValueId {
    let bound = at.arg(i);
    if at.arg_type(i).shape == *shape { bound } else { at.b.broadcast(bound, &[], shape.clone()) }
}

fn both(b: &mut Builder<'_>, x: ValueId, y: ValueId) -> ValueId {
    let ty = b.ty(x);
    b.op("and", Binary { op: BinaryOp::And }, &[x, y], ty)
}

/// Converted back.
pub fn convert(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if at.wants(0) {
        let g = at.gradient();
        let dtype = at.arg_type(0).dtype;
        let gradient = at.b.converted(g, dtype);
        at.give(0, gradient);
    }
    Ok(())
}

/// The bits of a float are no function that could be differentiated, but where they are looked at as what they were.
pub fn bitcast(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if !at.wants(0) {
        return Ok(());
    }
    let (from, to) = (at.arg_type(0), at.b.ty(at.out()));
    if from != to {
        return Err(format!("the bits of {} are read as {}", from.dtype, to.dtype));
    }
    let g = at.gradient();
    at.give(0, g);
    Ok(())
}

/// The derivative of `x P(X <= x)`, with numbers as precise as those of the forward pass.
pub fn gelu(at: &mut Adjoint<'_, '_>, op: &Gelu) -> Result<(), String> {
    if !at.wants(0) {
        return Ok(());
    }
    let (g, x) = (at.gradient(), at.arg(0));
    let number = |x: f64| wrap(op.constants.0, Scalar::Float(x)).to_f64();
    let b = &mut *at.b;
    let square = b.mul(x, x);
    // `share` is what gelu multiplies x by, `slope` the derivative of that.
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
        // Half of 1 - tanh^2, of which each factor is known.
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
    at.give(0, gradient);
    Ok(())
}
