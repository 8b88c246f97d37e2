//! Adjoints of normalisations. Means and deviations are recomputed, because that is cheaper than storing them.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Shape;
use partita_ir::ops::{BatchNorm, BinaryOp, LayerNorm, RmsNorm, UnaryOp};

/// Appends the adjoint of `layer_norm`. With `n = (x - mean) / deviation` and `h = g gamma`, the gradients are `(h -
/// mean h - n mean(h n)) / deviation` for x, `sum g n` for gamma and `sum g` for beta.
pub fn layer_norm(ctx: &mut Adjoint<'_, '_>, op: &LayerNorm) -> Result<(), String> {
    let (g, x, gamma) = (ctx.gradient(), ctx.arg(0), ctx.arg(1));
    let shape = ctx.arg_type(0).shape;
    let Some(dim) = shape.rank().checked_sub(1) else { return Ok(()) };
    let outer: Vec<usize> = (0..dim).collect();
    if ctx.needs_gradient(0) || ctx.needs_gradient(1) {
        let mean = broadcast_mean(ctx.b, x, dim, &shape);
        let centred = ctx.b.sub(x, mean);
        let (normal, inverse) = normalised(ctx.b, centred, dim, op.eps);
        if ctx.needs_gradient(0) {
            let b = &mut *ctx.b;
            let gamma = b.broadcast(gamma, &[dim], shape.clone());
            let h = b.mul(g, gamma);
            let mean = broadcast_mean(b, h, dim, &shape);
            let along = b.mul(h, normal);
            let along = broadcast_mean(b, along, dim, &shape);
            let along = b.mul(normal, along);
            let rest = b.sub(h, mean);
            let rest = b.sub(rest, along);
            let gradient = b.mul(rest, inverse);
            ctx.set_gradient(0, gradient);
        }
        if ctx.needs_gradient(1) {
            let weighted = ctx.b.mul(g, normal);
            let gradient = ctx.b.sum(weighted, &outer);
            ctx.set_gradient(1, gradient);
        }
    }
    if ctx.op.args.len() > 2 && ctx.needs_gradient(2) {
        let gradient = ctx.b.sum(g, &outer);
        ctx.set_gradient(2, gradient);
    }
    Ok(())
}

/// Appends the adjoint of `rms_norm`. With `r = 1 / sqrt(mean(x^2) + eps)`, `n = x r` and `h = g gamma`, the gradients
/// are `r (h - n mean(h n))` for x and `sum g n` for gamma.
pub fn rms_norm(ctx: &mut Adjoint<'_, '_>, op: &RmsNorm) -> Result<(), String> {
    let (g, x, gamma) = (ctx.gradient(), ctx.arg(0), ctx.arg(1));
    let shape = ctx.arg_type(0).shape;
    let Some(dim) = shape.rank().checked_sub(1) else { return Ok(()) };
    if !ctx.needs_gradient(0) && !ctx.needs_gradient(1) {
        return Ok(());
    }
    let (normal, inverse) = normalised(ctx.b, x, dim, op.eps);
    if ctx.needs_gradient(0) {
        let b = &mut *ctx.b;
        let gamma = b.broadcast(gamma, &[dim], shape.clone());
        let h = b.mul(g, gamma);
        let along = b.mul(h, normal);
        let along = broadcast_mean(b, along, dim, &shape);
        let along = b.mul(normal, along);
        let rest = b.sub(h, along);
        let gradient = b.mul(rest, inverse);
        ctx.set_gradient(0, gradient);
    }
    if ctx.needs_gradient(1) {
        let outer: Vec<usize> = (0..dim).collect();
        let weighted = ctx.b.mul(g, normal);
        let gradient = ctx.b.sum(weighted, &outer);
        ctx.set_gradient(1, gradient);
    }
    Ok(())
}

/// Appends `x r` and `r = 1 / sqrt(mean(x^2) + eps)`, with the mean along a dimension. If `x` is centred, `mean(x^2)`
/// is the variance.
fn normalised(b: &mut Builder<'_>, x: ValueId, dim: usize, eps: f64) -> (ValueId, ValueId) {
    let shape = b.ty(x).shape;
    let squares = b.mul(x, x);
    let mean = b.sum(squares, &[dim]);
    let mean = b.binary_scalar(BinaryOp::Div, mean, shape[dim] as f64);
    let mean = b.plus(mean, eps);
    let inverse = b.unary(UnaryOp::Rsqrt, mean);
    let inverse = b.broadcast_along(inverse, dim, &shape);
    (b.mul(x, inverse), inverse)
}

/// Appends the mean along a dimension, broadcast to the original shape.
fn broadcast_mean(b: &mut Builder<'_>, x: ValueId, dim: usize, shape: &Shape) -> ValueId {
    let sum = b.sum(x, &[dim]);
    let mean = b.binary_scalar(BinaryOp::Div, sum, shape[dim] as f64);
    b.broadcast_along(mean, dim, shape)
}

/// Appends the adjoint of `batch_norm`: `g gamma / deviation` for x. The gradients of the four weights are functions of
/// `sum g` and `sum g (x - mean)` for each feature.
pub fn batch_norm(ctx: &mut Adjoint<'_, '_>, op: &BatchNorm) -> Result<(), String> {
    let g = ctx.gradient();
    let &[x, gamma, _, mean, variance] = &ctx.op.args[..] else { return Ok(()) };
    let shape = ctx.arg_type(0).shape;
    let others: Vec<usize> = (0..shape.rank()).filter(|&d| d != op.dim).collect();
    if ctx.needs_gradient(0) {
        let b = &mut *ctx.b;
        let inverse = inverse_deviation(b, variance, op.eps);
        let scale = b.mul(gamma, inverse);
        let scale = b.broadcast(scale, &[op.dim], shape.clone());
        let gradient = b.mul(g, scale);
        ctx.set_gradient(0, gradient);
    }
    if ctx.needs_gradient(2) || ctx.needs_gradient(3) {
        let total = ctx.b.sum(g, &others);
        if ctx.needs_gradient(2) {
            ctx.set_gradient(2, total);
        }
        if ctx.needs_gradient(3) {
            let b = &mut *ctx.b;
            let inverse = inverse_deviation(b, variance, op.eps);
            let scale = b.mul(gamma, inverse);
            let gradient = b.mul(total, scale);
            let gradient = b.neg(gradient);
            ctx.set_gradient(3, gradient);
        }
    }
    if ctx.needs_gradient(1) || ctx.needs_gradient(4) {
        let b = &mut *ctx.b;
        let centre = b.broadcast(mean, &[op.dim], shape);
        let centred = b.sub(x, centre);
        let weighted = b.mul(g, centred);
        let along = b.sum(weighted, &others);
        let inverse = inverse_deviation(b, variance, op.eps);
        let normal = b.mul(along, inverse);
        if ctx.needs_gradient(1) {
            ctx.set_gradient(1, normal);
        }
        if ctx.needs_gradient(4) {
            let b = &mut *ctx.b;
            let square = b.mul(inverse, inverse);
            let slope = b.mul(normal, square);
            let slope = b.mul(slope, gamma);
            let gradient = b.times(slope, -0.5);
            ctx.set_gradient(4, gradient);
        }
    }
    Ok(())
}

/// Appends `1 / sqrt(var + eps)`.
fn inverse_deviation(b: &mut Builder<'_>, variance: ValueId, eps: f64) -> ValueId {
    let variance = b.plus(variance, eps);
    b.unary(UnaryOp::Rsqrt, variance)
}
