//! Lowering of reductions and cumulative operations. Burn retains a reduced dimension with size 1.

use super::lowering::{Lowering, LoweringResult, type_of};
use burn_ir::{DimOpIr, ReduceDimOpIr, ReduceDimWithIndicesOpIr, ReduceDimsOpIr, ReduceOpIr, TensorIr};
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::Direction;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Lowers a reduction of all elements to shape `[1]`.
pub(super) fn reduce_all(cx: &mut Lowering<'_>, op: &ReduceOpIr, monoid: Monoid) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let dims = (0..cx.shape(x).rank()).collect();
    reduce(cx, x, monoid, dims, &op.out)
}

/// Lowers a reduction along one dimension.
pub(super) fn reduce_dim(cx: &mut Lowering<'_>, op: &ReduceDimOpIr, monoid: Monoid) -> LoweringResult {
    let x = cx.read(&op.input)?;
    reduce(cx, x, monoid, Dims::from_elem(op.axis, 1), &op.out)
}

/// Lowers a sum along several dimensions.
pub(super) fn sum_dims(cx: &mut Lowering<'_>, op: &ReduceDimsOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    reduce(cx, x, Monoid::Sum, op.axes.iter().copied().collect(), &op.out)
}

/// Lowers a logical "all" (`Monoid::And`) or "any" (`Monoid::Or`) of all elements or along one dimension. Nonzero
/// elements count as true.
pub(super) fn all_or_any(
    cx: &mut Lowering<'_>,
    input: &TensorIr,
    monoid: Monoid,
    axis: Option<usize>,
    out: &TensorIr,
) -> LoweringResult {
    let mut x = cx.read(input)?;
    if cx.b.ty(x).dtype != DType::Bool {
        let zero = cx.b.splat_like(x, Scalar::Int(0));
        x = cx.b.compare(x, Direction::Ne, zero);
    }
    let dims = axis.map_or_else(|| (0..cx.shape(x).rank()).collect(), |axis| Dims::from_elem(axis, 1));
    reduce(cx, x, monoid, dims, out)
}

/// Lowers the maximum of the absolute values of all elements or along one dimension.
pub(super) fn max_abs(cx: &mut Lowering<'_>, input: &TensorIr, axis: Option<usize>, out: &TensorIr) -> LoweringResult {
    let x = cx.read(input)?;
    let x = cx.b.unary(partita_ir::ops::UnaryOp::Abs, x);
    let dims = axis.map_or_else(|| (0..cx.shape(x).rank()).collect(), |axis| Dims::from_elem(axis, 1));
    reduce(cx, x, Monoid::Max, dims, out)
}

/// Lowers the mean of all elements or along one dimension.
pub(super) fn mean(cx: &mut Lowering<'_>, input: &TensorIr, axis: Option<usize>, out: &TensorIr) -> LoweringResult {
    let x = cx.read(input)?;
    let dims = axis.map_or_else(|| (0..cx.shape(x).rank()).collect(), |axis| Dims::from_elem(axis, 1));
    let mean = cx.b.mean_dims(x, dims);
    keep_dims(cx, mean, out)
}

/// Reduces the dimensions `dims` of `x` and records the result under `out`.
fn reduce(cx: &mut Lowering<'_>, x: ValueId, monoid: Monoid, dims: Dims, out: &TensorIr) -> LoweringResult {
    let value = cx.b.reduce_dims(monoid, x, dims);
    keep_dims(cx, value, out)
}

/// Reshapes a reduced value to the shape of `out`, where reduced dimensions have size 1, and records it.
fn keep_dims(cx: &mut Lowering<'_>, value: ValueId, out: &TensorIr) -> LoweringResult {
    let value = cx.b.reshape(value, type_of(out)?.shape);
    cx.write(out, value)
}

/// Lowers the index of the largest (`Direction::Gt`) or smallest (`Direction::Lt`) element along a dimension. Among
/// equal elements the first index is returned.
pub(super) fn arg_extremum(cx: &mut Lowering<'_>, op: &ReduceDimOpIr, better: Direction) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let (_, index) = cx.b.extremum_with_index(x, op.axis, better, type_of(&op.out)?.dtype);
    keep_dims(cx, index, &op.out)
}

/// Lowers the largest (`Direction::Gt`) or smallest (`Direction::Lt`) element along a dimension, and its index.
pub(super) fn extremum_with_index(
    cx: &mut Lowering<'_>,
    op: &ReduceDimWithIndicesOpIr,
    better: Direction,
) -> LoweringResult {
    let x = cx.read(&op.tensor)?;
    let (value, index) = cx.b.extremum_with_index(x, op.dim, better, type_of(&op.out_indices)?.dtype);
    keep_dims(cx, value, &op.out)?;
    keep_dims(cx, index, &op.out_indices)
}

/// Lowers a cumulative (inclusive prefix) reduction along a dimension.
pub(super) fn cumulative(cx: &mut Lowering<'_>, op: &DimOpIr, monoid: Monoid) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let out = cx.b.cumulative(monoid, x, op.axis, false);
    cx.write(&op.out, out)
}
