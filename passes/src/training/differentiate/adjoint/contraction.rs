//! The adjoint of `dot_general`: a product of the gradient with the other operand. The order of the factors is chosen
//! so that no transpose is needed, if one of the two orders allows that.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::DotGeneral;
use partita_ir::syntax::attr::{DimPairs, Dims};

/// The dimensions of one operand of a product, by their role.
struct DotOperandDims<'a> {
    batch: &'a [usize],
    contract: &'a [usize],
    /// Free dimensions in order, which are also dimensions of the result.
    free: Dims,
    /// The first dimension of the result that corresponds to a free dimension of this operand.
    first_out: usize,
}

impl<'a> DotOperandDims<'a> {
    fn new(batch: &'a Dims, contract: &'a Dims, rank: usize) -> DotOperandDims<'a> {
        let free = (0..rank).filter(|d| !batch.contains(d) && !contract.contains(d)).collect();
        DotOperandDims { batch, contract, free, first_out: batch.len() }
    }

    /// Returns the dimensions of the result that correspond to free dimensions of this operand.
    fn free_outs(&self) -> impl Iterator<Item = usize> + '_ {
        self.first_out..self.first_out + self.free.len()
    }
}

/// Appends the adjoint of `dot_general`: for each operand, the product of the gradient with the other operand,
/// contracted over the free dimensions of the other operand.
pub fn dot_general(ctx: &mut Adjoint<'_, '_>, op: &DotGeneral) -> Result<(), String> {
    let rank = |i: usize| ctx.arg_type(i).shape.rank();
    let left = DotOperandDims::new(&op.batch.lhs, &op.contract.lhs, rank(0));
    let mut right = DotOperandDims::new(&op.batch.rhs, &op.contract.rhs, rank(1));
    right.first_out += left.free.len();
    for (i, operand, other) in [(0, &left, &right), (1, &right, &left)] {
        if ctx.needs_gradient(i) {
            let ty = ctx.arg_type(i);
            // The result may have a wider type than the operands.
            let g = ctx.gradient();
            let g = ctx.b.converted(g, ty.dtype);
            let factor = ctx.arg(1 - i);
            let gradient = product(ctx.b, g, factor, operand, other, ty);
            ctx.set_gradient(i, gradient);
        }
    }
    Ok(())
}

/// Appends the product with the dimensions of `operand`.
fn product(
    b: &mut Builder<'_>,
    g: ValueId,
    factor: ValueId,
    operand: &DotOperandDims<'_>,
    other: &DotOperandDims<'_>,
    ty: Type,
) -> ValueId {
    let batch = DimPairs { lhs: (0..operand.batch.len()).collect(), rhs: other.batch.into() };
    let contract = DimPairs { lhs: other.free_outs().collect(), rhs: other.free.clone() };
    // The gradient contributes the free dimensions of `operand`, and the factor contributes the contracted dimensions,
    // in the order of the factor.
    let mut contracted: Vec<usize> = (0..operand.contract.len()).collect();
    contracted.sort_by_key(|&i| other.contract[i]);
    let contracted: Vec<usize> = contracted.into_iter().map(|i| operand.contract[i]).collect();
    let gradient_first = [operand.batch, &operand.free, &contracted].concat();
    let factor_first = [operand.batch, &contracted, &operand.free].concat();
    let ordered = |dims: &[usize]| dims.iter().enumerate().all(|(i, &d)| i == d);
    let is_swapped = !ordered(&gradient_first) && ordered(&factor_first);
    let (args, dims, op) = if is_swapped {
        let swap = |pairs: DimPairs| DimPairs { lhs: pairs.rhs, rhs: pairs.lhs };
        ([factor, g], factor_first, DotGeneral { contract: swap(contract), batch: swap(batch) })
    } else {
        ([g, factor], gradient_first, DotGeneral { contract, batch })
    };
    let shape: Shape = dims.iter().map(|&d| ty.shape[d]).collect();
    let product = b.op("matmul", op, &args, Type { shape, dtype: ty.dtype });
    let mut back: Vec<usize> = (0..dims.len()).collect();
    back.sort_by_key(|&i| dims[i]);
    b.transposed(product, &back)
}
