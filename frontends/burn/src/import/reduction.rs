//! Reductions along dimensions, and running ones. Burn keeps a reduced dimension with size 1.

use super::lowering::{Lowered, Lowering, type_of};
use burn_ir::{DimOpIr, ReduceDimOpIr, ReduceDimWithIndicesOpIr, ReduceDimsOpIr, ReduceOpIr, TensorIr};
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::Direction;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// All elements combined: `[1]`.
pub(super) fn all(cx: &mut Lowering<'_>, op: &ReduceOpIr, monoid: Monoid) -> Lowered {
    let x = cx.read(&op.input)?;
    let dims = (0..cx.shape(x).rank()).collect();
    reduce(cx, x, monoid, dims, &op.out)
}

/// The elements along one dimension combined.
pub(super) fn dim(cx: &mut Lowering<'_>, op: &ReduceDimOpIr, monoid: Monoid) -> Lowered {
    let x = cx.read(&op.input)?;
    reduce(cx, x, monoid, Dims::from_elem(op.axis, 1), &op.out)
}

/// The elements along several dimensions added.
pub(super) fn sum_dims(cx: &mut Lowering<'_>, op: &ReduceDimsOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    reduce(cx, x, Monoid::Sum, op.axes.iter().copied().collect(), &op.out)
}

/// Whether all or any elements are not zero.
pub(super) fn truth(
    cx: &mut Lowering<'_>,
    input: &TensorIr,
    monoid: Monoid,
    axis: Option<usize>,
    out: &TensorIr,
) -> Lowered {
    let mut x = cx.read(input)?;
    if cx.b.ty(x).dtype != DType::Bool {
        let zero = cx.b.splat_like(x, Scalar::Int(0));
        x = cx.b.compare(x, Direction::Ne, zero);
    }
    let dims = axis.map_or_else(|| (0..cx.shape(x).rank()).collect(), |axis| Dims::from_elem(axis, 1));
    reduce(cx, x, monoid, dims, out)
}

/// The largest magnitude of all elements, or along one dimension.
pub(super) fn max_abs(cx: &mut Lowering<'_>, input: &TensorIr, axis: Option<usize>, out: &TensorIr) -> Lowered {
    let x = cx.read(input)?;
    let x = cx.b.unary(partita_ir::ops::UnaryOp::Abs, x);
    let dims = axis.map_or_else(|| (0..cx.shape(x).rank()).collect(), |axis| Dims::from_elem(axis, 1));
    reduce(cx, x, Monoid::Max, dims, out)
}

/// The mean of all elements, or along one dimension.
pub(super) fn mean(cx: &mut Lowering<'_>, input: &TensorIr, axis: Option<usize>, out: &TensorIr) -> Lowered {
    let x = cx.read(input)?;
    let dims = axis.map_or_else(|| (0..cx.shape(x).rank()).collect(), |axis| Dims::from_elem(axis, 1));
    let mean = cx.b.mean_dims(x, dims);
    keep_dims(cx, mean, out)
}

fn reduce(cx: &mut Lowering<'_>, x: ValueId, monoid: Monoid, dims: Dims, out: &TensorIr) -> Lowered {
    let value = cx.b.reduce_dims(monoid, x, dims);
    keep_dims(cx, value, out)
}

fn keep_dims(cx: &mut Lowering<'_>, value: ValueId, out: &TensorIr) -> Lowered {
    let value = cx.b.reshape(value, type_of(out)?.shape);
    cx.write(out, value)
}

/// Index of the largest (`Gt`) or smallest (`Lt`) element along a dimension; the first one on a tie.
pub(super) fn arg(cx: &mut Lowering<'_>, op: &ReduceDimOpIr, better: Direction) -> Lowered {
    let x = cx.read(&op.input)?;
    let (_, index) = cx.b.best(x, op.axis, better, type_of(&op.out)?.dtype);
    keep_dims(cx, index, &op.out)
}

/// The largest (`Gt`) or smallest (`Lt`) element along a dimension, and its index.
pub(super) fn with_index(cx: &mut Lowering<'_>, op: &ReduceDimWithIndicesOpIr, better: Direction) -> Lowered {
    let x = cx.read(&op.tensor)?;
    let (value, index) = cx.b.best(x, op.dim, better, type_of(&op.out_indices)?.dtype);
    keep_dims(cx, value, &op.out)?;
    keep_dims(cx, index, &op.out_indices)
}

/// Every element combined with all before it along a dimension.
pub(super) fn running(cx: &mut Lowering<'_>, op: &DimOpIr, monoid: Monoid) -> Lowered {
    let x = cx.read(&op.input)?;
    let out = cx.b.running(monoid, x, op.axis, false);
    cx.write(&op.out, out)
}
