//! Lowering of matrix products and cross products.

use super::lowering::{Lowering, LoweringResult, shape_of, type_of};
use burn_ir::{CrossOpIr, LinearOpIr, MatmulOpIr};
use partita_ir::arena::ValueId;
use partita_ir::ops::{BinaryOp, Concatenate, DotGeneral};
use partita_ir::syntax::attr::{DimPairs, Dims};

/// Lowers a batched matrix product. The last dimension of `x` is contracted with the second-to-last of `y`. Leading
/// dimensions are batch dimensions.
pub(super) fn matmul(cx: &mut Lowering<'_>, op: &MatmulOpIr) -> LoweringResult {
    let (x, y) = (cx.read(&op.lhs)?, cx.read(&op.rhs)?);
    let dtype = type_of(&op.out)?.dtype;
    let out = cx.b.matmul(x, y, dtype);
    cx.write(&op.out, out)
}

/// Lowers `x w + b` on the last dimension of `x`, with `w: [in, out]` and an optional bias `b: [out]`.
pub(super) fn linear(cx: &mut Lowering<'_>, op: &LinearOpIr) -> LoweringResult {
    let (x, weight) = (cx.read(&op.x)?, cx.read(&op.weight)?);
    let ty = type_of(&op.out)?;
    let last = ty.shape.rank() - 1;
    let contract = DimPairs { lhs: Dims::from_elem(last, 1), rhs: Dims::from_elem(0, 1) };
    let mut out = cx.b.op("matmul", DotGeneral { contract, batch: DimPairs::default() }, &[x, weight], ty.clone());
    if let Some(bias) = &op.bias {
        let bias = cx.read(bias)?;
        let bias = cx.b.broadcast(bias, &[last], ty.shape);
        out = cx.b.binary(BinaryOp::Add, out, bias);
    }
    cx.write(&op.out, out)
}

/// Lowers the cross product of 3-vectors along a dimension: element `i` is `x[i+1] y[i+2] - x[i+2] y[i+1]`, with
/// indices modulo 3.
pub(super) fn cross(cx: &mut Lowering<'_>, op: &CrossOpIr) -> LoweringResult {
    let (x, y) = (cx.read(&op.lhs)?, cx.read(&op.rhs)?);
    let shape = shape_of(&op.out);
    let (x, y) = (cx.b.expand(x, &shape), cx.b.expand(y, &shape));
    let (x1, x2) = (rotate(cx, x, op.dim, 1), rotate(cx, x, op.dim, 2));
    let (y1, y2) = (rotate(cx, y, op.dim, 1), rotate(cx, y, op.dim, 2));
    let (left, right) = (cx.b.binary(BinaryOp::Mul, x1, y2), cx.b.binary(BinaryOp::Mul, x2, y1));
    let out = cx.b.binary(BinaryOp::Sub, left, right);
    cx.write(&op.out, out)
}

/// Rotates the elements of `value` along `dim` by `by` positions towards index 0, cyclically.
fn rotate(cx: &mut Lowering<'_>, value: ValueId, dim: usize, by: usize) -> ValueId {
    let ty = cx.b.ty(value);
    let size = ty.shape[dim];
    let (back, front) = (cx.b.slice_dim(value, dim, by, size), cx.b.slice_dim(value, dim, 0, by));
    cx.b.op("concatenate", Concatenate { dim }, &[back, front], ty)
}
