//! Elements at indices that are only known at run time, and which elements are the largest.

use super::elementwise::converted;
use super::lowering::{Lowered, Lowering, Node, Out, Refusal, dim, malformed, one, size, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Combine, Direction, Gather, Scatter, TopK, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::{Scalar, Tensor};
use smallvec::smallvec;

/// Indices along dimensions of those sizes, one a component of the last dimension of `indices` (or one for all), with
/// negative ones counted from the end.
fn from_start(cx: &mut Lowering<'_>, indices: ValueId, sizes: &[usize]) -> Result<ValueId, Refusal> {
    let ty = cx.b.ty(indices);
    if !ty.dtype.is_int() {
        return malformed(format!("needs integers for indices, not {ty}"));
    }
    if ty.dtype.is_unsigned() {
        return Ok(indices);
    }
    let width = sizes.len().max(1);
    if let Some(tensor) = cx.known(indices) {
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

/// Slices of a dimension.
pub fn gather(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, indices) = (at.arg(0)?, at.arg(1)?);
    let shape = cx.shape(x);
    let axis = dim(at.int("axis", 0), shape.rank())?;
    // One slice at a known place is cut out.
    if let Some(tensor) = cx.known(indices)
        && tensor.ty.shape.rank() == 0
        && tensor.ty.dtype.is_int()
    {
        let place = dim(tensor.get(0).to_i64(), shape[axis])?;
        let part = cx.b.cut(x, axis, place, place + 1);
        let rest: Shape = (0..shape.rank()).filter(|&d| d != axis).map(|d| shape[d]).collect();
        return one(cx.b.reshape(part, rest));
    }
    let indices = from_start(cx, indices, &[shape[axis]])?;
    one(cx.b.take(x, indices, axis))
}

/// `x` cut to the sizes of `like` in all dimensions but `axis`, along which elements are addressed.
fn within(cx: &mut Lowering<'_>, x: ValueId, like: &Shape, axis: usize) -> Result<ValueId, Refusal> {
    let shape = cx.shape(x);
    if like.rank() != shape.rank() || (0..shape.rank()).any(|d| d != axis && like[d] > shape[d]) {
        return malformed(format!("addresses {shape} by indices of {like}"));
    }
    let cut = |x, d| if d != axis && like[d] < shape[d] { cx.b.cut(x, d, 0, like[d]) } else { x };
    Ok((0..shape.rank()).fold(x, cut))
}

/// Elements of one dimension, at an index for every element of the result.
pub fn gather_elements(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, indices) = (at.arg(0)?, at.arg(1)?);
    let shape = cx.shape(x);
    let axis = dim(at.int("axis", 0), shape.rank())?;
    let like = cx.shape(indices);
    let x = within(cx, x, &like, axis)?;
    let indices = from_start(cx, indices, &[shape[axis]])?;
    one(cx.b.take_along(x, indices, axis))
}

/// How many leading dimensions of `x` index vectors address, and the dimension that holds them.
fn vectors(cx: &Lowering<'_>, x: ValueId, indices: ValueId) -> Result<(usize, usize), Refusal> {
    let (shape, at) = (cx.shape(x), cx.shape(indices));
    match at.rank().checked_sub(1) {
        Some(last) if at[last] <= shape.rank() && at[last] > 0 => Ok((last, at[last])),
        _ => malformed(format!("addresses {shape} by vectors in {at}")),
    }
}

/// Slices at index vectors that address leading dimensions.
pub fn gather_nd(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, indices) = (at.arg(0)?, at.arg(1)?);
    if at.int("batch_dims", 0) != 0 {
        return unsupported("`batch_dims`");
    }
    let shape = cx.shape(x);
    let (vector, addressed) = vectors(cx, x, indices)?;
    let indices = from_start(cx, indices, &shape[..addressed])?;
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
    one(cx.op("gather", gather, &[x, indices])?)
}

/// How an update meets what is there.
fn combine(at: &Node<'_>) -> Result<Combine, Refusal> {
    Ok(match at.text("reduction", "none") {
        "none" => Combine::Set,
        "add" => Combine::Sum,
        "mul" => Combine::Prod,
        "max" => Combine::Max,
        "min" => Combine::Min,
        other => return unsupported(format!("the reduction `{other}`")),
    })
}

/// The operand with slices updated at index vectors that address leading dimensions.
pub fn scatter_nd(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, indices, updates) = (at.arg(0)?, at.arg(1)?, at.arg(2)?);
    let shape = cx.shape(x);
    let (vector, addressed) = vectors(cx, x, indices)?;
    let indices = from_start(cx, indices, &shape[..addressed])?;
    let scatter = Scatter {
        combine: combine(at)?,
        update_window_dims: (vector..cx.rank(updates)).collect(),
        inserted_dims: (0..addressed).collect(),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: (0..addressed).collect(),
        index_vector_dim: vector,
    };
    one(cx.op("scatter", scatter, &[x, indices, updates])?)
}

/// The operand with elements of one dimension updated, at an index for every update.
pub fn scatter_elements(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, indices, updates) = (at.arg(0)?, at.arg(1)?, at.arg(2)?);
    let shape = cx.shape(x);
    let axis = dim(at.int("axis", 0), shape.rank())?;
    let like = cx.shape(indices);
    if within(cx, x, &like, axis)? != x {
        return unsupported("updates that do not reach over the other dimensions");
    }
    let indices = from_start(cx, indices, &[shape[axis]])?;
    let others: Dims = (0..shape.rank()).filter(|&d| d != axis).collect();
    let scatter = Scatter {
        combine: combine(at)?,
        update_window_dims: Dims::new(),
        inserted_dims: smallvec![axis],
        operand_batch_dims: others.clone(),
        index_batch_dims: others,
        index_map: smallvec![axis],
        index_vector_dim: shape.rank(),
    };
    one(cx.op("scatter", scatter, &[x, indices, updates])?)
}

/// One number at an index and another one elsewhere, along a new dimension.
pub fn one_hot(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (indices, depth, values) = (at.arg(0)?, at.arg(1)?, at.arg(2)?);
    let depth = match cx.number(depth) {
        Some(n) => size(n as i64, "depth")?,
        None => return Err(Refusal::Unknowable("depth")),
    };
    if cx.shape(values)[..] != [2] {
        return malformed(format!("needs two values, not {}", cx.b.ty(values)));
    }
    let indices = if cx.dtype(indices).is_float() { cx.b.convert(indices, DType::I64) } else { indices };
    let from = cx.shape(indices);
    let axis = dim(at.int("axis", -1), from.rank() + 1)?;
    let indices = from_start(cx, indices, &[depth])?;
    let mut ty = cx.b.ty(indices);
    ty.shape.0.insert(axis, depth);
    let spread = cx.b.spread(indices, axis, &ty.shape);
    let count = cx.b.op("iota", partita_ir::ops::Iota { dim: axis }, &[], ty.clone());
    let hot = cx.b.compare(spread, Direction::Eq, count);
    let value = |cx: &mut Lowering<'_>, i: usize| {
        let value = cx.b.cut(values, 0, i, i + 1);
        let value = cx.b.reshape(value, []);
        cx.b.broadcast(value, &[], ty.shape.clone())
    };
    let (off, on) = (value(cx, 0), value(cx, 1));
    one(cx.b.select(hot, on, off))
}

/// The largest or smallest elements of a dimension, and their indices.
pub fn top_k(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let x = at.arg(0)?;
    let k = match cx.ints(at.arg(1)?, "number")?[..] {
        [k] => size(k, "number")?,
        _ => return malformed("needs one number"),
    };
    let rank = cx.rank(x);
    let axis = dim(at.int("axis", -1), rank)?;
    let largest = at.flag("largest", true);
    if !largest && !cx.dtype(x).is_float() {
        return unsupported("the smallest integers");
    }
    // The op works on the last dimension, and finds the largest.
    let mut perm: Dims = (0..rank).collect();
    perm.swap(axis, rank - 1);
    let x = cx.b.transpose(x, perm.clone());
    let x = if largest { x } else { cx.b.unary(UnaryOp::Neg, x) };
    let mut ty = cx.b.ty(x);
    if k > ty.shape[rank - 1] {
        return malformed(format!("takes {k} of {} elements", ty.shape[rank - 1]));
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
