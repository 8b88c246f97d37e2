//! The adjoint of attention. It keeps the operands and the result; the weights, which are as large as both sequences together,
//! are computed again, as in FlashAttention (Dao et al. 2022).

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Type;
use partita_ir::ops::{Attention, DotGeneral};
use partita_ir::text::attr::{Dims, Pairs};

/// With the weights `w`: `w^T g` to v, and through the scores `w (g v^T - sum g y)` to q and k. A row that sees nothing has
/// weights of zero.
pub fn attention(at: &mut Adjoint<'_, '_>, op: &Attention) -> Result<(), String> {
    let g = at.gradient();
    let (q, k, v, y) = (at.arg(0), at.arg(1), at.arg(2), at.out());
    let wanted = [at.wants(2), at.wants(1), at.wants(0)];
    if wanted == [false; 3] {
        return Ok(());
    }
    let mask = at.op.args.get(3).copied();
    let weights = op.weights(at.b, q, k, mask).ok_or("its operands have too few dimensions")?;
    let last = at.arg_type(0).shape.rank() - 1;
    if at.wants(2) {
        let ty = at.arg_type(2);
        let gradient = product(at.b, weights, g, (last - 1, last - 1), ty);
        at.give(2, gradient);
    }
    if at.wants(0) || at.wants(1) {
        let b = &mut *at.b;
        let ty = b.ty(weights);
        let toward = product(b, g, v, (last, last), ty.clone());
        let along = b.mul(g, y);
        let mean = b.sum(along, &[last]);
        let mean = b.spread(mean, last, &ty.shape);
        let above = b.sub(toward, mean);
        let scores = b.mul(weights, above);
        let scores = b.times(scores, op.scale);
        for (i, other, contract) in [(0, k, (last, last - 1)), (1, q, (last - 1, last - 1))] {
            if at.wants(i) {
                let ty = at.arg_type(i);
                let gradient = product(at.b, scores, other, contract, ty);
                at.give(i, gradient);
            }
        }
    }
    Ok(())
}

/// The product of two matrices for each index of the batch dimensions, summed over a dimension of each.
fn product(b: &mut Builder<'_>, x: ValueId, y: ValueId, contract: (usize, usize), ty: Type) -> ValueId {
    let batch: Dims = (0..ty.shape.rank() - 2).collect();
    let contract = Pairs { lhs: Dims::from_slice(&[contract.0]), rhs: Dims::from_slice(&[contract.1]) };
    b.op("matmul", DotGeneral { contract, batch: Pairs { lhs: batch.clone(), rhs: batch } }, &[x, y], ty)
}
