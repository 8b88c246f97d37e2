//! The adjoint of `dot_general`: a product of the gradient with the other operand, its factors in the order that gives
//! the operand's dimensions as they are, where one of both orders does.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::DotGeneral;
use partita_ir::syntax::attr::{Dims, Pairs};

/// One side of a product: its dimensions by what they do, as dimensions of that operand.
struct Side<'a> {
    batch: &'a [usize],
    contract: &'a [usize],
    /// In order; they are also the result's.
    free: Dims,
    /// The first of the result's dimensions that are this side's free ones.
    first: usize,
}

impl<'a> Side<'a> {
    fn new(batch: &'a Dims, contract: &'a Dims, rank: usize) -> Side<'a> {
        let free = (0..rank).filter(|d| !batch.contains(d) && !contract.contains(d)).collect();
        Side { batch, contract, free, first: batch.len() }
    }

    /// The result's dimensions that are this side's free ones.
    fn outs(&self) -> impl Iterator<Item = usize> + '_ {
        self.first..self.first + self.free.len()
    }
}

/// To each operand the product of the gradient with the other one, summed over what is the other one's alone.
pub fn dot_general(at: &mut Adjoint<'_, '_>, op: &DotGeneral) -> Result<(), String> {
    let rank = |i: usize| at.arg_type(i).shape.rank();
    let left = Side::new(&op.batch.lhs, &op.contract.lhs, rank(0));
    let mut right = Side::new(&op.batch.rhs, &op.contract.rhs, rank(1));
    right.first += left.free.len();
    for (i, mine, other) in [(0, &left, &right), (1, &right, &left)] {
        if at.wants(i) {
            let ty = at.arg_type(i);
            // The result may be wider than the operands.
            let g = at.gradient();
            let g = at.b.converted(g, ty.dtype);
            let factor = at.arg(1 - i);
            let gradient = product(at.b, g, factor, mine, other, ty);
            at.give(i, gradient);
        }
    }
    Ok(())
}

/// The product whose result has the dimensions of the operand of side `mine`.
fn product(b: &mut Builder<'_>, g: ValueId, factor: ValueId, mine: &Side<'_>, other: &Side<'_>, ty: Type) -> ValueId {
    let batch = Pairs { lhs: (0..mine.batch.len()).collect(), rhs: other.batch.into() };
    let contract = Pairs { lhs: other.outs().collect(), rhs: other.free.clone() };
    // What is left of the gradient are my free dimensions; what is left of the factor are the contracted ones, in its
    // order.
    let mut contracted: Vec<usize> = (0..mine.contract.len()).collect();
    contracted.sort_by_key(|&i| other.contract[i]);
    let contracted: Vec<usize> = contracted.into_iter().map(|i| mine.contract[i]).collect();
    let gradient_first = [mine.batch, &mine.free, &contracted].concat();
    let factor_first = [mine.batch, &contracted, &mine.free].concat();
    let ordered = |dims: &[usize]| dims.iter().enumerate().all(|(i, &d)| i == d);
    let turned = !ordered(&gradient_first) && ordered(&factor_first);
    let (args, dims, op) = if turned {
        let turn = |pairs: Pairs| Pairs { lhs: pairs.rhs, rhs: pairs.lhs };
        ([factor, g], factor_first, DotGeneral { contract: turn(contract), batch: turn(batch) })
    } else {
        ([g, factor], gradient_first, DotGeneral { contract, batch })
    };
    let shape: Shape = dims.iter().map(|&d| ty.shape[d]).collect();
    let product = b.op("matmul", op, &args, Type { shape, dtype: ty.dtype });
    let mut back: Vec<usize> = (0..dims.len()).collect();
    back.sort_by_key(|&i| dims[i]);
    b.transposed(product, &back)
}
