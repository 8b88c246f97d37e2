//! Lowering of operations of linear algebra.

use super::lowering::{Lowering, LoweringResult, Node, malformed, single};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, Iota, Lu};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Lowers the determinant of each matrix of a batch: the product of the diagonal of the LU factors, with the sign of
/// the permutation of rows.
pub fn determinant(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let ty = cx.b.ty(x);
    let (batch, n) = match ty.shape[..] {
        [ref batch @ .., rows, columns] if rows == columns && rows > 0 => (Shape::from(batch), rows),
        _ => return malformed(format!("needs square matrices, not {ty}")),
    };
    let vector: Shape = batch.iter().copied().chain([n]).collect();
    let pivots = Type { dtype: DType::I32, shape: vector.clone() };
    let info = Type { dtype: DType::I32, shape: batch };
    let last = vector.rank() - 1;
    let outs = cx.b.op_many("lu", Lu {}, &[x], &[ty.clone(), pivots.clone(), info]);
    let (factors, swapped) = (outs[0], outs[1]);
    let index = Type { dtype: DType::I64, shape: ty.shape.clone() };
    let (row, column) =
        (cx.b.op("row", Iota { dim: last }, &[], index.clone()), cx.b.op("column", Iota { dim: last + 1 }, &[], index));
    let diagonal = cx.b.compare(row, Direction::Eq, column);
    let diagonal = cx.select_or(diagonal, factors, Scalar::Float(1.0))?;
    let product = cx.b.reduce_dims(Monoid::Prod, diagonal, Dims::from_slice(&[last, last + 1]));
    // Each exchange of two different rows changes the sign.
    let position = cx.b.op("position", Iota { dim: last }, &[], pivots);
    let moved = cx.b.compare(swapped, Direction::Ne, position);
    let sign = cx.b.splat(Type { dtype: ty.dtype, shape: vector }, Scalar::Float(-1.0));
    let sign = cx.select_or(moved, sign, Scalar::Float(1.0))?;
    let sign = cx.b.reduce_dims(Monoid::Prod, sign, Dims::from_slice(&[last]));
    single(cx.b.binary(BinaryOp::Mul, product, sign))
}
