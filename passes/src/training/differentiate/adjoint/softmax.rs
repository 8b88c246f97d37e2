//! Adjoints of softmax and its logarithm, which need nothing but the result.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::ops::UnaryOp;

/// `y (g - sum g y)`
pub fn softmax(at: &mut Adjoint<'_, '_>, dim: usize) -> Result<(), String> {
    if at.wants(0) {
        let (g, y) = (at.gradient(), at.out());
        let b = &mut *at.b;
        let shape = b.ty(y).shape;
        let weighted = b.mul(g, y);
        let mean = b.sum(weighted, &[dim]);
        let mean = b.spread(mean, dim, &shape);
        let above = b.sub(g, mean);
        let gradient = b.mul(above, y);
        at.give(0, gradient);
    }
    Ok(())
}

/// `g - exp(y) sum g`
pub fn log_softmax(at: &mut Adjoint<'_, '_>, dim: usize) -> Result<(), String> {
    if at.wants(0) {
        let (g, y) = (at.gradient(), at.out());
        let b = &mut *at.b;
        let shape = b.ty(y).shape;
        let sum = b.sum(g, &[dim]);
        let sum = b.spread(sum, dim, &shape);
        let weights = b.unary(UnaryOp::Exp, y);
        let share = b.mul(weights, sum);
        let gradient = b.sub(g, share);
        at.give(0, gradient);
    }
    Ok(())
}
