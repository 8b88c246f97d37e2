//! Lowering of gathers and scatters at run-time indices, one-hot and top-k.

use super::elementwise::converted;
use super::lowering::{
    Lowering, LoweringError, LoweringResult, Node, Out, constant_result, dim, malformed, single, size, unsupported,
};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Combine, Direction, DynamicUpdateSlice, Gather, Scatter, TopK, UnaryOp};
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
    let shape = cx.shape(x);
    let (vector, addressed) = index_vectors(cx, x, indices)?;
    let batch = size(node.int("batch_dims", 0), "number of batch dimensions")?;
    let end = batch.saturating_add(addressed);
    if batch > vector || end > shape.rank() || cx.shape(indices)[..batch] != shape[..batch] {
        return malformed(format!("has {batch} batch dimensions of {shape} and {}", cx.shape(indices)));
    }
    let indices = non_negative_indices(cx, indices, &shape[batch..end])?;
    let rank = vector + shape.rank() - end;
    let gather = Gather {
        offset_dims: (vector..rank).collect(),
        collapsed_dims: (batch..end).collect(),
        operand_batch_dims: (0..batch).collect(),
        index_batch_dims: (0..batch).collect(),
        index_map: (batch..end).collect(),
        index_vector_dim: vector,
        slice_sizes: shape.iter().enumerate().map(|(d, &n)| if d < end { 1 } else { n }).collect(),
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
    let is_partial = slice_to(cx, x, &like, axis)? != x;
    let indices = non_negative_indices(cx, indices, &[shape[axis]])?;
    if is_partial {
        let indices = full_index_vectors(cx, indices, axis);
        let scatter = Scatter {
            combine: combine(node)?,
            update_window_dims: Dims::new(),
            inserted_dims: (0..shape.rank()).collect(),
            operand_batch_dims: Dims::new(),
            index_batch_dims: Dims::new(),
            index_map: (0..shape.rank()).collect(),
            index_vector_dim: shape.rank(),
        };
        return single(cx.op("scatter", scatter, &[x, indices, updates])?);
    }
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

/// Returns the index vectors of updates, along a new last dimension, from their indices along one dimension.
fn full_index_vectors(cx: &mut Lowering<'_>, indices: ValueId, axis: usize) -> ValueId {
    let ty = cx.b.ty(indices);
    let rank = ty.shape.rank();
    let parts: Vec<ValueId> = (0..rank)
        .map(|d| {
            let part = if d == axis { indices } else { cx.b.iota(ty.dtype, ty.shape.clone(), d) };
            cx.b.unsqueeze(part, rank)
        })
        .collect();
    cx.b.concatenate(&parts, rank)
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
    // Up to opset 10 negative indices are out of range.
    let indices = if node.opset < 11 { indices } else { non_negative_indices(cx, indices, &[depth])? };
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
/// negated floats, or of the complements of integers.
pub fn top_k(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    // Up to opset 9 the number is an attribute.
    let k = if node.has_attribute("k") { vec![node.int("k", 0)] } else { cx.ints(node.arg(1)?, "number")? };
    let k = match k[..] {
        [k] => size(k, "number")?,
        _ => return malformed("needs one number"),
    };
    let rank = cx.rank(x);
    let axis = dim(node.int("axis", -1), rank)?;
    let largest = node.flag("largest", true);
    let reversed = if cx.dtype(x).is_float() { UnaryOp::Neg } else { UnaryOp::Not };
    // `TopK` selects along the last dimension, so the axis is exchanged with it.
    let mut perm: Dims = (0..rank).collect();
    perm.swap(axis, rank - 1);
    let x = cx.b.transpose(x, perm.clone());
    let x = if largest { x } else { cx.b.unary(reversed, x) };
    let mut ty = cx.b.ty(x);
    if k > ty.shape[rank - 1] {
        return malformed(format!("selects {k} of {} elements", ty.shape[rank - 1]));
    }
    ty.shape[rank - 1] = k;
    let index_ty = Type { dtype: DType::I32, shape: ty.shape.clone() };
    let outs = cx.b.op_many("top", TopK { k }, &[x], &[ty, index_ty]);
    let values = if largest { outs[0] } else { cx.b.unary(reversed, outs[0]) };
    let values = cx.b.transpose(values, perm.clone());
    let indices = converted(cx, outs[1], DType::I64);
    let indices = cx.b.transpose(indices, perm);
    Ok(smallvec![Out::Value(values), Out::Value(indices)])
}

/// Lowers the selection of slices by a constant condition, along a dimension or of the flattened operand.
pub fn compress(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let condition = cx.ints(node.arg(1)?, "condition")?;
    let (x, axis) = match node.has_attribute("axis") {
        true => (x, dim(node.int("axis", 0), shape.rank())?),
        false => (cx.b.reshape(x, [shape.count()]), 0),
    };
    let n = cx.shape(x)[axis];
    if condition.len() > n {
        return malformed(format!("has {} conditions for {n} elements", condition.len()));
    }
    let chosen: Vec<i64> = (0i64..).zip(&condition).filter(|(_, c)| **c != 0).map(|(i, _)| i).collect();
    let chosen = cx.int_constant(DType::I64, [chosen.len()], chosen);
    single(cx.b.take(x, chosen, axis))
}

/// Lowers the indices of the nonzero elements of a constant.
pub fn non_zero(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let value = node.arg(0)?;
    let tensor = cx.constant_value(value).ok_or(LoweringError::NotConstant { operand: "operand", value })?;
    let shape = &tensor.ty.shape;
    let places: Vec<usize> = tensor.scalars().enumerate().filter(|(_, x)| x.to_f64() != 0.0).map(|(i, _)| i).collect();
    let along = |(&stride, &n): (&usize, &usize)| places.iter().map(|&i| (i / stride % n) as i64).collect::<Vec<_>>();
    let indices: Vec<i64> = shape.strides().iter().zip(shape.iter()).flat_map(along).collect();
    constant_result(Tensor::from_ints(Type::new(DType::I64, [shape.rank(), places.len()]), indices))
}

/// Lowers the reversal of the first elements of each sequence, whose number differs between batches.
pub fn reverse_sequence(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, lengths) = (node.arg(0)?, node.arg(1)?);
    let shape = cx.shape(x);
    let (batch, time) = (dim(node.int("batch_axis", 1), shape.rank())?, dim(node.int("time_axis", 0), shape.rank())?);
    if batch == time || cx.shape(lengths)[..] != [shape[batch]] {
        return malformed(format!("has lengths of {} for {shape}", cx.shape(lengths)));
    }
    let lengths = converted(cx, lengths, DType::I64);
    let lengths = cx.b.broadcast(lengths, &[batch], shape.clone());
    let place = cx.b.iota(DType::I64, shape, time);
    let last = cx.b.binary_scalar(BinaryOp::Sub, lengths, 1.0);
    let mirrored = cx.b.binary(BinaryOp::Sub, last, place);
    let reversed = cx.b.compare(place, Direction::Lt, lengths);
    let index = cx.b.select(reversed, mirrored, place);
    single(cx.b.take_along(x, index, time))
}

/// Lowers the update of a cache: a slice along a dimension is replaced, from a start that differs between batches on.
/// In the mode `circular` the slice continues at the start of the cache.
pub fn tensor_scatter(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (cache, update) = (node.arg(0)?, node.arg(1)?);
    let shape = cx.shape(cache);
    let axis = dim(node.int("axis", -2), shape.rank())?;
    let mut like = cx.shape(update);
    let n = like.get(axis).copied().unwrap_or(0);
    if n == 0 || n > shape[axis] || axis == 0 || like.rank() != shape.rank() {
        return malformed(format!("updates {shape} by {like} along dimension {axis}"));
    }
    like[axis] = shape[axis];
    if like != shape {
        return malformed(format!("updates {shape} by {}", cx.shape(update)));
    }
    let linear = match node.text("mode", "linear") {
        "linear" => true,
        "circular" => false,
        other => return malformed(format!("has the mode `{other}`")),
    };
    if linear && (node.optional(2).is_none() || shape[0] == 1) {
        return replaced_slice(cx, cache, update, node.optional(2), axis);
    }
    let place = cx.b.iota(DType::I64, shape.clone(), axis);
    let mut number = place;
    if let Some(start) = node.optional(2) {
        let start = converted(cx, start, DType::I64);
        if cx.shape(start)[..] != [shape[0]] {
            return malformed(format!("has starts of {} for {shape}", cx.shape(start)));
        }
        let start = cx.b.broadcast(start, &[0], shape.clone());
        number = cx.b.binary(BinaryOp::Sub, place, start);
    }
    if !linear {
        let count = cx.b.splat_like(number, Scalar::Int(shape[axis] as i64));
        number = cx.b.remainder(number, count);
    }
    let before = cx.compare_scalar(number, Direction::Lt, Scalar::Int(0));
    let after = cx.compare_scalar(number, Direction::Ge, Scalar::Int(n as i64));
    let kept = cx.b.binary(BinaryOp::Or, before, after);
    let number = cx.b.clamp(number, Scalar::Int(0), Scalar::Int(n as i64 - 1));
    let new = cx.b.take_along(update, number, axis);
    single(cx.b.select(kept, cache, new))
}

/// Replaces a slice of a cache, from the same start in all batches on, which is 0 if it is omitted. The cache may be
/// updated in place.
fn replaced_slice(
    cx: &mut Lowering<'_>,
    cache: ValueId,
    update: ValueId,
    start: Option<ValueId>,
    axis: usize,
) -> LoweringResult {
    let zero = cx.b.scalar(DType::I64, Scalar::Int(0));
    let start = match start {
        Some(start) => {
            let start = cx.reshape(start, Shape::scalar())?;
            converted(cx, start, DType::I64)
        }
        None => zero,
    };
    let starts = (0..cx.rank(cache)).map(|d| if d == axis { start } else { zero });
    let args: Vec<ValueId> = [cache, update].into_iter().chain(starts).collect();
    single(cx.op("updated", DynamicUpdateSlice {}, &args)?)
}
