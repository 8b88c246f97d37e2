//! Lowering of sorting and the largest elements.

use super::lowering::{Lowering, LoweringError, LoweringResult, all, dim, malformed, single, size, unsupported};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, TopK, UnaryOp};
use partita_ir::tensor::Scalar;

/// Lowers the `k` largest or smallest elements along a dimension, in order, and their indices.
pub fn top_k(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let k = size(node.required_int("k")?, "number of elements")?;
    let [values, indices] = ordered(cx, node, Some(k), node.flag("largest", true)?)?;
    all([values, indices])
}

/// Lowers a sort along a dimension, and the indices of the sorted elements. Equal elements retain their order.
pub fn sort(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [values, indices] = ordered(cx, node, None, node.flag("descending", false)?)?;
    all([values, indices])
}

/// Lowers the indices of the sorted elements.
pub fn arg_sort(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [_, indices] = ordered(cx, node, None, node.flag("descending", false)?)?;
    single(indices)
}

/// Lowers the element of a given rank along a dimension, counted from the smallest, and its index.
pub fn kth_value(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let k = size(node.required_int("k")?, "rank")?;
    let dim = dim(node.int("dim", -1)?, cx.rank(x))?;
    all(of_rank(cx, node, x, dim, k)?)
}

/// Lowers the median along a dimension and its index, or that of all elements. It is the lower one of an even number.
pub fn median(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, axis) = operand_and_dim(cx, node)?;
    let n = cx.shape(x).get(axis).copied().unwrap_or(1);
    let [value, index] = of_rank(cx, node, x, axis, n.div_ceil(2))?;
    let Some(is_nan) = nan_elements(cx, x) else { return all([value, index]) };
    let value = nan_with(cx, node, (is_nan, axis), value)?;
    // The index is that of the first NaN.
    let place = cx.b.iota(DType::I64, cx.shape(x), axis);
    let place = cx.select_or(is_nan, place, Scalar::Int(n as i64))?;
    let first = cx.b.reduce(Monoid::Min, place, axis);
    let first = cx.b.checked_reshape(first, node.result_shape()?.clone())?;
    let has_nan = cx.compare_scalar(first, Direction::Lt, Scalar::Int(n as i64));
    all([value, cx.b.select(has_nan, first, index)])
}

/// Returns the operand and the dimension that a node states; without a dimension, all elements as a vector.
fn operand_and_dim(cx: &mut Lowering<'_>, node: &Node<'_>) -> Result<(ValueId, usize), LoweringError> {
    let x = node.tensor("self")?;
    match node.optional_int("dim")? {
        Some(axis) => Ok((x, dim(axis, cx.rank(x))?)),
        None => {
            let count = cx.shape(x).count();
            Ok((cx.b.checked_reshape(x, [count])?, 0))
        }
    }
}

/// Appends true for the elements that are NaN; `None` for numbers that cannot be.
fn nan_elements(cx: &mut Lowering<'_>, x: ValueId) -> Option<ValueId> {
    cx.dtype(x).is_float().then(|| cx.b.compare(x, Direction::Ne, x))
}

/// Appends `value`, or NaN where a condition holds for an element along a dimension.
fn nan_with(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    (is_nan, dim): (ValueId, usize),
    value: ValueId,
) -> Result<ValueId, LoweringError> {
    let any = cx.b.reduce(Monoid::Or, is_nan, dim);
    let any = cx.b.checked_reshape(any, node.result_shape()?.clone())?;
    let nan = cx.b.splat_like(value, Scalar::Float(f64::NAN));
    Ok(cx.b.select(any, nan, value))
}

/// Appends the element of rank `k` along a dimension and its index. NaN has the highest rank.
fn of_rank(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    x: ValueId,
    dim: usize,
    k: usize,
) -> Result<[ValueId; 2], LoweringError> {
    let shape = cx.shape(x);
    if shape.rank() == 0 || k == 0 || k > shape[dim] {
        return malformed(format!("selects element {k} along dimension {dim} of {shape}"));
    }
    let [values, indices] = first_in_order(cx, x, dim, k, false)?;
    let mut last = |all: ValueId| {
        let last = cx.b.slice_dim(all, dim, k - 1, k);
        cx.b.checked_reshape(last, node.result_shape()?.clone()).map_err(LoweringError::from)
    };
    Ok([last(values)?, last(indices)?])
}

/// Lowers the numbers that a fraction of the elements along a dimension, or of all elements, do not exceed: the
/// weighted means of the two closest elements.
pub fn quantile(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let Some(fraction) = node.operand("q").number().map(Scalar::to_f64) else {
        return unsupported("several fractions");
    };
    if node.text("interpolation")?.is_some_and(|name| name != "linear") || !(0.0..=1.0).contains(&fraction) {
        return unsupported(format!("the fraction {fraction}, or other interpolations than `linear`"));
    }
    let (x, axis) = operand_and_dim(cx, node)?;
    let n = cx.shape(x).get(axis).copied().unwrap_or(0);
    if n == 0 {
        return malformed(format!("selects elements of {}", cx.shape(x)));
    }
    let position = fraction * (n - 1) as f64;
    let low = position.floor() as usize;
    let high = (low + 1).min(n - 1);
    let [sorted, _] = first_in_order(cx, x, axis, high + 1, false)?;
    let [below, above] = [low, high].map(|at| cx.b.slice_dim(sorted, axis, at, at + 1));
    let difference = cx.b.binary(BinaryOp::Sub, above, below);
    let part = cx.b.binary_scalar(BinaryOp::Mul, difference, position.fract());
    let out = cx.b.binary(BinaryOp::Add, below, part);
    let out = cx.b.checked_reshape(out, node.result_shape()?.clone())?;
    match nan_elements(cx, x) {
        Some(is_nan) => single(nan_with(cx, node, (is_nan, axis), out)?),
        None => single(out),
    }
}

/// Lowers the largest or smallest element up to each position along a dimension, and its last index.
pub fn running_extremum(cx: &mut Lowering<'_>, node: &Node<'_>, monoid: Monoid) -> LoweringResult {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let dim = dim(node.required_int("dim")?, shape.rank())?;
    if shape.rank() == 0 {
        return malformed("needs a dimension");
    }
    let values = cx.b.cumulative(monoid, x, dim, false);
    // A NaN is the extremum from its position on.
    let reached = cx.b.compare(x, Direction::Eq, values);
    let is_nan = cx.b.compare(x, Direction::Ne, x);
    let reached = cx.b.binary(BinaryOp::Or, reached, is_nan);
    let place = cx.b.iota(DType::I64, shape, dim);
    let first = cx.b.splat_like(place, Scalar::Int(0));
    let place = cx.b.select(reached, place, first);
    let indices = cx.b.cumulative(Monoid::Max, place, dim, false);
    all([values, indices])
}

/// Appends the first `k` elements (`None` for all) along the dimension that a node states, and their indices.
fn ordered(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    k: Option<usize>,
    descending: bool,
) -> Result<[ValueId; 2], LoweringError> {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    if shape.rank() == 0 {
        return malformed("needs a dimension");
    }
    let dim = dim(node.int("dim", -1)?, shape.rank())?;
    first_in_order(cx, x, dim, k.unwrap_or(shape[dim]), descending)
}

/// Appends the first `k` elements along a dimension in descending or ascending order, and their indices. The smallest
/// elements are the largest of the negated floats, or of the complements of integers.
pub fn first_in_order(
    cx: &mut Lowering<'_>,
    x: ValueId,
    dim: usize,
    k: usize,
    descending: bool,
) -> Result<[ValueId; 2], LoweringError> {
    let ty = cx.b.ty(x);
    let last = ty.shape.rank() - 1;
    let opposite = if ty.dtype.is_float() { UnaryOp::Neg } else { UnaryOp::Not };
    let mut rows = cx.b.swap_dims(x, dim, last);
    if !descending {
        rows = cx.b.unary(opposite, rows);
    }
    let mut shape = cx.shape(rows);
    if k > shape[last] {
        return malformed(format!("selects {k} of {} elements", shape[last]));
    }
    shape[last] = k;
    let types = [Type { shape: shape.clone(), dtype: ty.dtype }, Type { shape, dtype: DType::I32 }];
    let outs = cx.b.op_many("top_k", TopK { k }, &[rows], &types);
    let (mut values, indices) = (outs[0], outs[1]);
    if !descending {
        values = cx.b.unary(opposite, values);
    }
    let indices = cx.b.convert(indices, DType::I64);
    Ok([values, indices].map(|v| cx.b.swap_dims(v, dim, last)))
}
