//! Lowering of reductions, cumulative sums and products, and softmax.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, dim, dims, malformed, single};
use super::movement::reshaped;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, LogSoftmax, Softmax, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Lowers a reduction over the axes of the attribute or operand. Without axes it is over all dimensions, or the
/// identity with `noop_with_empty_axes`.
pub fn reduce(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let axes = cx.attribute_or_operand_ints(node, "axes", 1)?.unwrap_or_default();
    let over: Dims = match axes.is_empty() {
        true if node.flag("noop_with_empty_axes", false) => return single(x),
        true => (0..shape.rank()).collect(),
        false => dims(&axes, shape.rank())?,
    };
    if matches!(node.op(), "ReduceMean" | "ReduceL2" | "ReduceLogSumExp" | "ReduceLogSum") {
        cx.require_float(x)?;
    }
    let sum = |cx: &mut Lowering<'_>, x, over| cx.b.reduce_dims(Monoid::Sum, x, over);
    let reduced_shape: Shape = shape.iter().enumerate().map(|(d, &n)| if over.contains(&d) { 1 } else { n }).collect();
    let out = match node.op() {
        "ReduceSum" => sum(cx, x, over),
        "ReduceMean" => cx.b.mean_dims(x, over),
        "ReduceMax" => cx.b.reduce_dims(Monoid::Max, x, over),
        "ReduceMin" => cx.b.reduce_dims(Monoid::Min, x, over),
        "ReduceProd" => cx.b.reduce_dims(Monoid::Prod, x, over),
        "ReduceL1" => {
            let size = cx.b.unary(UnaryOp::Abs, x);
            sum(cx, size, over)
        }
        "ReduceSumSquare" | "ReduceL2" => {
            let squares = cx.b.binary(BinaryOp::Mul, x, x);
            let sum = sum(cx, squares, over);
            if node.op() == "ReduceL2" { cx.b.unary(UnaryOp::Sqrt, sum) } else { sum }
        }
        "ReduceLogSum" => {
            let sum = sum(cx, x, over);
            cx.b.unary(UnaryOp::Log, sum)
        }
        "ReduceLogSumExp" => {
            let max = cx.b.reduce_dims(Monoid::Max, x, over.clone());
            let wide = cx.b.reshape(max, reduced_shape.clone());
            let wide = cx.expand(wide, &shape)?;
            let below = cx.b.binary(BinaryOp::Sub, x, wide);
            let exp = cx.b.unary(UnaryOp::Exp, below);
            let sum = sum(cx, exp, over);
            let log = cx.b.unary(UnaryOp::Log, sum);
            cx.b.binary(BinaryOp::Add, log, max)
        }
        _ => return Err(LoweringError::Unsupported),
    };
    single(if node.flag("keepdims", true) { reshaped(cx, out, reduced_shape) } else { out })
}

/// Lowers the index of the largest (`Direction::Gt`) or smallest (`Direction::Lt`) element along a dimension. Among
/// equal elements the first index is returned, or the last with `select_last_index`.
pub fn arg_extremum(cx: &mut Lowering<'_>, node: &Node<'_>, better: Direction) -> LoweringResult {
    let x = node.arg(0)?;
    let mut shape = cx.shape(x);
    let axis = dim(node.int("axis", 0), shape.rank())?;
    let n = shape[axis];
    if n == 0 {
        return malformed(format!("reduces dimension {axis} of {shape}, which is empty"));
    }
    // The last index among ties is the first index of the reversed tensor.
    let last = node.flag("select_last_index", false);
    let x = if last { cx.b.reverse(x, Dims::from_elem(axis, 1)) } else { x };
    let (_, mut index) = cx.b.extremum_with_index(x, axis, better, DType::I64);
    if last {
        let end = cx.b.splat_like(index, Scalar::Int(n as i64 - 1));
        index = cx.b.binary(BinaryOp::Sub, end, index);
    }
    shape[axis] = 1;
    single(if node.flag("keepdims", true) { cx.b.reshape(index, shape) } else { index })
}

/// Lowers a cumulative sum or product along a dimension: forward or reverse, inclusive or exclusive.
pub fn cumulative(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let axis = match cx.ints(node.arg(1)?, "axis")?[..] {
        [axis] => dim(axis, cx.rank(x))?,
        _ => return malformed("needs one axis"),
    };
    let reverse = node.flag("reverse", false);
    let monoid = if node.op() == "CumProd" { Monoid::Prod } else { Monoid::Sum };
    let results = cx.b.cumulative(monoid, x, axis, reverse);
    if !node.flag("exclusive", false) {
        return single(results);
    }
    // The results are shifted by one position, and the first one is that of no elements.
    let n = cx.shape(x)[axis];
    if n == 0 {
        return single(results);
    }
    let (kept, end) = if reverse { ((1, n), (n - 1, n)) } else { ((0, n - 1), (0, 1)) };
    let edge = cx.b.slice_dim(x, axis, end.0, end.1);
    let identity = cx.b.splat_like(edge, Scalar::Int(i64::from(monoid == Monoid::Prod)));
    let shifted = cx.b.slice_dim(results, axis, kept.0, kept.1);
    let parts = if reverse { [shifted, identity] } else { [identity, shifted] };
    single(cx.b.concatenate(&parts, axis))
}

/// Lowers a softmax, its logarithm, or a hardmax (1 for the first largest element, 0 for others) along an axis. Up to
/// opset 12 all dimensions from the axis on are flattened into one.
pub fn softmax(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let shape = cx.shape(x);
    let joins = node.opset < 13;
    let axis = dim(node.int("axis", if joins { 1 } else { -1 }), shape.rank().max(1))?;
    if shape.rank() == 0 {
        return malformed("needs a dimension");
    }
    let along = |cx: &mut Lowering<'_>, x: ValueId, dim: usize| match node.op() {
        "LogSoftmax" => cx.op("log_softmax", LogSoftmax { dim }, &[x]),
        "Hardmax" => hardmax(cx, x, dim),
        _ => cx.op("softmax", Softmax { dim }, &[x]),
    };
    // If at most one of the flattened dimensions is larger than 1, no reshape is necessary.
    let others = shape[axis..].iter().filter(|&&n| n != 1).count();
    if !joins || others <= 1 {
        let place = if joins { (axis..shape.rank()).find(|&d| shape[d] != 1).unwrap_or(axis) } else { axis };
        return single(along(cx, x, place)?);
    }
    let count = |dims: &[usize]| dims.iter().copied().fold(1, usize::saturating_mul);
    let flat = cx.b.reshape(x, [count(&shape[..axis]), count(&shape[axis..])]);
    let flat = along(cx, flat, 1)?;
    single(cx.b.reshape(flat, shape))
}

/// Returns 1 for the first largest element along a dimension, and 0 for others.
fn hardmax(cx: &mut Lowering<'_>, x: ValueId, dim: usize) -> Result<ValueId, LoweringError> {
    let ty = cx.b.ty(x);
    let (_, index) = cx.b.extremum_with_index(x, dim, Direction::Gt, DType::I64);
    let index = cx.b.broadcast_along(index, dim, &ty.shape);
    let place = cx.b.iota(DType::I64, ty.shape, dim);
    let chosen = cx.b.compare(place, Direction::Eq, index);
    Ok(cx.b.convert(chosen, ty.dtype))
}
