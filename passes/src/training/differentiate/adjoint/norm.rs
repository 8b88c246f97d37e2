//! Adjoints of normalisations. Means and deviations are computed again: they cost little, and would be kept.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Shape;
use partita_ir::ops::{BatchNorm, BinaryOp, LayerNorm, RmsNorm, UnaryOp};

/// With `n = (x - mean) / deviation` and `h = g gamma`: `(h - mean h - n mean(h n)) / deviation` to x, `sum g n` to
/// gamma and `sum g` to beta.
pub fn layer_norm(at: &mut Adjoint<'_, '_>, op: &LayerNorm) -> Result<(), String> {
    let (g, x, gamma) = (at.gradient(), at.arg(0), at.arg(1));
    let shape = at.arg_type(0).shape;
    let Some(dim) = shape.rank().checked_sub(1) else { return Ok(()) };
    let outer: Vec<usize> = (0..dim).collect();
    if at.wants(0) || at.wants(1) {
        let mean = spread_mean(at.b, x, dim, &shape);
        let centred = at.b.sub(x, mean);
        let (normal, inverse) = scaled_to_one(at.b, centred, dim, op.eps);
        if at.wants(0) {
            let b = &mut *at.b;
            let gamma = b.broadcast(gamma, &[dim], shape.clone());
            let h = b.mul(g, gamma);
            let mean = spread_mean(b, h, dim, &shape);
            let along = b.mul(h, normal);
            let along = spread_mean(b, along, dim, &shape);
            let along = b.mul(normal, along);
            let rest = b.sub(h, mean);
            let rest = b.sub(rest, along);
            let gradient = b.mul(rest, inverse);
            at.give(0, gradient);
        }
        if at.wants(1) {
            let weighted = at.b.mul(g, normal);
            let gradient = at.b.sum(weighted, &outer);
            at.give(1, gradient);
        }
    }
    if at.op.args.len() > 2 && at.wants(2) {
        let gradient = at.b.sum(g, &outer);
        at.give(2, gradient);
    }
    Ok(())
}

/// With `r = 1 / sqrt(mean(x^2) + eps)`, `n = x r` and `h = g gamma`: `r (h - n mean(h n))` to x and `sum g n` to
/// gamma.
pub fn rms_norm(at: &mut Adjoint<'_, '_>, op: &RmsNorm) -> Result<(), String> {
    let (g, x, gamma) = (at.gradient(), at.arg(0), at.arg(1));
    let shape = at.arg_type(0).shape;
    let Some(dim) = shape.rank().checked_sub(1) else { return Ok(()) };
    if !at.wants(0) && !at.wants(1) {
        return Ok(());
    }
    let (normal, inverse) = scaled_to_one(at.b, x, dim, op.eps);
    if at.wants(0) {
        let b = &mut *at.b;
        let gamma = b.broadcast(gamma, &[dim], shape.clone());
        let h = b.mul(g, gamma);
        let along = b.mul(h, normal);
        let along = spread_mean(b, along, dim, &shape);
        let along = b.mul(normal, along);
        let rest = b.sub(h, along);
        let gradient = b.mul(rest, inverse);
        at.give(0, gradient);
    }
    if at.wants(1) {
        let outer: Vec<usize> = (0..dim).collect();
        let weighted = at.b.mul(g, normal);
        let gradient = at.b.sum(weighted, &outer);
        at.give(1, gradient);
    }
    Ok(())
}

/// `x r` and `r = 1 / sqrt(mean(x^2) + eps)`, the mean along a dimension: of what is centred, the mean is the variance.
fn scaled_to_one(b: &mut Builder<'_>, x: ValueId, dim: usize, eps: f64) -> (ValueId, ValueId) {
    let shape = b.ty(x).shape;
    let squares = b.mul(x, x);
    let mean = b.sum(squares, &[dim]);
    let mean = b.binary_scalar(BinaryOp::Div, mean, shape[dim] as f64);
    let mean = b.plus(mean, eps);
    let inverse = b.unary(UnaryOp::Rsqrt, mean);
    let inverse = b.spread(inverse, dim, &shape);
    (b.mul(x, inverse), inverse)
}

/// The mean along a dimension, repeated.
fn spread_mean(b: &mut Builder<'_>, x: ValueId, dim: usize, shape: &Shape) -> ValueId {
    let sum = b.sum(x, &[dim]);
    let mean = b.binary_scalar(BinaryOp::Div, sum, shape[dim] as f64);
    b.spread(mean, dim, shape)
}

/// `g gamma / deviation` to x; what the four weights get is made of `sum g` and `sum g (x - mean)`, one number a
/// feature.
pub fn batch_norm(at: &mut Adjoint<'_, '_>, op: &BatchNorm) -> Result<(), String> {
    let g = at.gradient();
    let &[x, gamma, _, mean, variance] = &at.op.args[..] else { return Ok(()) };
    let shape = at.arg_type(0).shape;
    let others: Vec<usize> = (0..shape.rank()).filter(|&d| d != op.dim).collect();
    if at.wants(0) {
        let b = &mut *at.b;
        let inverse = inverse_deviation(b, variance, op.eps);
        let scale = b.mul(gamma, inverse);
        let scale = b.broadcast(scale, &[op.dim], shape.clone());
        let gradient = b.mul(g, scale);
        at.give(0, gradient);
    }
    if at.wants(2) || at.wants(3) {
        let total = at.b.sum(g, &others);
        if at.wants(2) {
            at.give(2, total);
        }
        if at.wants(3) {
            let b = &mut *at.b;
            let inverse = inverse_deviation(b, variance, op.eps);
            let scale = b.mul(gamma, inverse);
            let gradient = b.mul(total, scale);
            let gradient = b.neg(gradient);
            at.give(3, gradient);
        }
    }
    if at.wants(1) || at.wants(4) {
        let b = &mut *at.b;
        let centre = b.broadcast(mean, &[op.dim], shape);
        let centred = b.sub(x, centre);
        let weighted = b.mul(g, centred);
        let along = b.sum(weighted, &others);
        let inverse = inverse_deviation(b, variance, op.eps);
        let normal = b.mul(along, inverse);
        if at.wants(1) {
            at.give(1, normal);
        }
        if at.wants(4) {
            let b = &mut *at.b;
            let square = b.mul(inverse, inverse);
            let slope = b.mul(normal, square);
            let slope = b.mul(slope, gamma);
            let gradient = b.times(slope, -0.5);
            at.give(4, gradient);
        }
    }
    Ok(())
}

/// `1 / sqrt(var + eps)`
fn inverse_deviation(b: &mut Builder<'_>, variance: ValueId, eps: f64) -> ValueId {
    let variance = b.plus(variance, eps);
    b.unary(UnaryOp::Rsqrt, variance)
}
