//! Adjoints of softmax and log-softmax, which depend only on the result.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::ops::UnaryOp;

/// Appends the adjoint of `softmax`: `y (g - sum g y)`.
pub fn softmax(ctx: &mut Adjoint<'_, '_>, dim: usize) -> Result<(), String> {
    if ctx.needs_gradient(0) {
        let (g, y) = (ctx.gradient(), ctx.out());
        let b = &mut *ctx.b;
        let shape = b.ty(y).shape;
        let weighted = b.mul(g, y);
        let mean = b.sum(weighted, &[dim]);
        let mean = b.broadcast_along(mean, dim, &shape);
        let above = b.sub(g, mean);
        let gradient = b.mul(above, y);
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}

/// Appends the adjoint of `log_softmax`: `g - exp(y) sum g`.
pub fn log_softmax(ctx: &mut Adjoint<'_, '_>, dim: usize) -> Result<(), String> {
    if ctx.needs_gradient(0) {
        let (g, y) = (ctx.gradient(), ctx.out());
        let b = &mut *ctx.b;
        let shape = b.ty(y).shape;
        let sum = b.sum(g, &[dim]);
        let sum = b.broadcast_along(sum, dim, &shape);
        let weights = b.unary(UnaryOp::Exp, y);
        let share = b.mul(weights, sum);
        let gradient = b.sub(g, share);
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}
