//! Lowering of gathers and scatters at run-time indices, one-hot and top-k.

use super::elementwise::converted;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, dim, malformed, single, size, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Combine, Direction, Gather, Scatter, TopK, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::{Scalar, Tensor};
use smallvec::smallvec;

/// Converts indices that may be negative (counted from the end) to non-negative ones. `sizes` are the sizes of the
/// indexed dimensions: one for each component of the index vectors along the last dimension of `indices`, or one for
/// all indices. Errors: indices that are not integers.
fn non_negative_indices(cx: &mut Lowering<'_>, indices: ValueId, sizes: &[usize]) -> Result<ValueId, LoweringError> {
    let ty = cx.b.ty(indices);
    if !ty.dtype.is_int() {
        return malformed(format!("needs integers for indices, not {ty}"));
    }
    if ty.dtype.is_unsigned() {
        return Ok(indices);
    }
    let width = sizes.len().max(1);
    if let Some(tensor) = cx.constant_value(indices) {
        let moved = tensor.scalars().enumerate().map(|(i, x)| (i, x.to_i64()));
        let moved = moved.map(|(i, x)| if x < 0 { x.saturating_add(sizes[i % width] as i64) } else { x }).collect();
        let tensor = Tensor::from_ints(ty, moved);
        return Ok(cx.b.constant(&tensor));
    }
    let zero = cx.b.splat_like(indices, Scalar::Int(0));
    let negative = cx.b.compare(indices, Direction::Lt, zero);
    let size = match sizes {
        &[n] => cx.b.splat_like(indices, Scalar::Int(n as i64)),
        sizes => {
            let list = Tensor::from_ints(Type::new(ty.dtype, [width]), sizes.iter().map(|&n| n as i64).collect());
            let list = cx.b.constant(&list);
            cx.b.expand(list, &ty.shape)
        }
    };
    let moved = cx.b.binary(BinaryOp::Add, indices, size);
    Ok(cx.b.select(negative, moved, indices))
}

/// Lowers a gather of slices along a dimension.
pub fn gather(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, indices) = (node.arg(0)?, node.arg(1)?);
    let shape = cx.shape(x);
    let axis = dim(node.int("axis", 0), shape.rank())?;
    // A constant scalar index becomes a slice.
    if let Some(tensor) = cx.constant_value(indices)
        && tensor.ty.shape.rank() == 0
        && tensor.ty.dtype.is_int()
    {
        let place = dim(tensor.get(0).to_i64(), shape[axis])?;
        let part = cx.b.slice_dim(x, axis, place, place + 1);
        let rest: Shape = (0..shape.rank()).filter(|&d| d != axis).map(|d| shape[d]).collect();
        return single(cx.b.reshape(part, rest));
    }
    let indices = non_negative_indices(cx, indices, &[shape[axis]])?;
    single(cx.b.take(x, indices, axis))
}

/// Slices `x` to the sizes of `like` in all dimensions except the indexed `axis`. Errors: ranks differ, or `like` is
/// larger.
fn slice_to(cx: &mut Lowering<'_>, x: ValueId, like: &Shape, axis: usize) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(x);
    if like.rank() != shape.rank() || (0..shape.rank()).any(|d| d != axis && like[d] > shape[d]) {
        return malformed(format!("indexes {shape} with indices of shape {like}"));
    }
    let cut = |x, d| if d != axis && like[d] < shape[d] { cx.b.slice_dim(x, d, 0, like[d]) } else { x };
    Ok((0..shape.rank()).fold(x, cut))
}

/// Lowers a gather along one dimension with one index per element of the result.
pub fn gather_elements(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, indices) = (node.arg(0)?, node.arg(1)?);
    let shape = cx.shape(x);
    let axis = dim(node.int("axis", 0), shape.rank())?;
    let like = cx.shape(indices);
    let x = slice_to(cx, x, &like, axis)?;
    let indices = non_negative_indices(cx, indices, &[shape[axis]])?;
    single(cx.b.take_along(x, indices, axis))
}

/// Returns the dimension of `indices` that contains index vectors (the last), and the length of an index vector, which
/// is the number of indexed leading dimensions of `x`.
fn index_vectors(cx: &Lowering<'_>, x: ValueId, indices: ValueId) -> Result<(usize, usize), LoweringError> {
    let (shape, index_shape) = (cx.shape(x), cx.shape(indices));
    match index_shape.rank().checked_sub(1) {
        Some(last) if index_shape[last] <= shape.rank() && index_shape[last] > 0 => Ok((last, index_shape[last])),
        _ => malformed(format!("indexes {shape} with index vectors of shape {index_shape}")),
    }
}

/// Lowers a gather of slices at index vectors, which address the leading dimensions of the operand.
pub fn gather_nd(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, indices) = (node.arg(0)?, node.arg(1)?);
    if node.int("batch_dims", 0) != 0 {
        return unsupported("`batch_dims`");
    }
    let shape = cx.shape(x);
    let (vector, addressed) = index_vectors(cx, x, indices)?;
    let indices = non_negative_indices(cx, indices, &shape[..addressed])?;
    let rank = vector + shape.rank() - addressed;
    let gather = Gather {
        offset_dims: (vector..rank).collect(),
        collapsed_dims: (0..addressed).collect(),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: (0..addressed).collect(),
        index_vector_dim: vector,
        slice_sizes: shape.iter().enumerate().map(|(d, &n)| if d < addressed { 1 } else { n }).collect(),
        fill: false,
    };
    single(cx.op("gather", gather, &[x, indices])?)
}

/// Returns how the node combines an update with the existing element, from its attribute `reduction`.
fn combine(node: &Node<'_>) -> Result<Combine, LoweringError> {
    Ok(match node.text("reduction", "none") {
        "none" => Combine::Set,
        "add" => Combine::Sum,
        "mul" => Combine::Prod,
        "max" => Combine::Max,
        "min" => Combine::Min,
        other => return unsupported(format!("the reduction `{other}`")),
    })
}

/// Lowers a scatter of slices at index vectors, which address the leading dimensions of the operand.
pub fn scatter_nd(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, indices, updates) = (node.arg(0)?, node.arg(1)?, node.arg(2)?);
    let shape = cx.shape(x);
    let (vector, addressed) = index_vectors(cx, x, indices)?;
    let indices = non_negative_indices(cx, indices, &shape[..addressed])?;
    let scatter = Scatter {
        combine: combine(node)?,
        update_window_dims: (vector..cx.rank(updates)).collect(),
        inserted_dims: (0..addressed).collect(),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: (0..addressed).collect(),
        index_vector_dim: vector,
    };
    single(cx.op("scatter", scatter, &[x, indices, updates])?)
}

/// Lowers a scatter along one dimension with one index per update element.
pub fn scatter_elements(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, indices, updates) = (node.arg(0)?, node.arg(1)?, node.arg(2)?);
    let shape = cx.shape(x);
    let axis = dim(node.int("axis", 0), shape.rank())?;
    let like = cx.shape(indices);
    if slice_to(cx, x, &like, axis)? != x {
        return unsupported("updates smaller than the operand in other dimensions");
    }
    let indices = non_negative_indices(cx, indices, &[shape[axis]])?;
    let others: Dims = (0..shape.rank()).filter(|&d| d != axis).collect();
    let scatter = Scatter {
        combine: combine(node)?,
        update_window_dims: Dims::new(),
        inserted_dims: smallvec![axis],
        operand_batch_dims: others.clone(),
        index_batch_dims: others,
        index_map: smallvec![axis],
        index_vector_dim: shape.rank(),
    };
    single(cx.op("scatter", scatter, &[x, indices, updates])?)
}

/// Lowers a one-hot encoding along a new dimension. The operand `values` contains the off and the on value.
pub fn one_hot(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (indices, depth, values) = (node.arg(0)?, node.arg(1)?, node.arg(2)?);
    let depth = size(cx.constant_number(depth, "depth")? as i64, "depth")?;
    if cx.shape(values)[..] != [2] {
        return malformed(format!("needs two values, not {}", cx.b.ty(values)));
    }
    let indices = if cx.dtype(indices).is_float() { cx.b.convert(indices, DType::I64) } else { indices };
    let from = cx.shape(indices);
    let axis = dim(node.int("axis", -1), from.rank() + 1)?;
    let indices = non_negative_indices(cx, indices, &[depth])?;
    let mut ty = cx.b.ty(indices);
    ty.shape.0.insert(axis, depth);
    let spread = cx.b.broadcast_along(indices, axis, &ty.shape);
    let count = cx.b.op("iota", partita_ir::ops::Iota { dim: axis }, &[], ty.clone());
    let hot = cx.b.compare(spread, Direction::Eq, count);
    let value = |cx: &mut Lowering<'_>, i: usize| {
        let value = cx.b.slice_dim(values, 0, i, i + 1);
        let value = cx.b.reshape(value, []);
        cx.b.broadcast(value, &[], ty.shape.clone())
    };
    let (off, on) = (value(cx, 0), value(cx, 1));
    single(cx.b.select(hot, on, off))
}

/// Lowers the k largest or smallest elements along a dimension, and their indices. The smallest are the largest of the
/// negated operand, which is supported for floats only.
pub fn top_k(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let k = match cx.ints(node.arg(1)?, "number")?[..] {
        [k] => size(k, "number")?,
        _ => return malformed("needs one number"),
    };
    let rank = cx.rank(x);
    let axis = dim(node.int("axis", -1), rank)?;
    let largest = node.flag("largest", true);
    if !largest && !cx.dtype(x).is_float() {
        return unsupported("the smallest integers");
    }
    // `TopK` selects along the last dimension, so the axis is exchanged with it.
    let mut perm: Dims = (0..rank).collect();
    perm.swap(axis, rank - 1);
    let x = cx.b.transpose(x, perm.clone());
    let x = if largest { x } else { cx.b.unary(UnaryOp::Neg, x) };
    let mut ty = cx.b.ty(x);
    if k > ty.shape[rank - 1] {
        return malformed(format!("selects {k} of {} elements", ty.shape[rank - 1]));
    }
    ty.shape[rank - 1] = k;
    let index_ty = Type { dtype: DType::I32, shape: ty.shape.clone() };
    let outs = cx.b.op_many("top", TopK { k }, &[x], &[ty, index_ty]);
    let values = if largest { outs[0] } else { cx.b.unary(UnaryOp::Neg, outs[0]) };
    let values = cx.b.transpose(values, perm.clone());
    let indices = converted(cx, outs[1], DType::I64);
    let indices = cx.b.transpose(indices, perm);
    Ok(smallvec![Out::Value(values), Out::Value(indices)])
}
