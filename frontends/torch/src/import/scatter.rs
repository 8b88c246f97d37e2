//! Lowering of writes at indices that are known at run time.

use super::indexing::{Index, nonnegative};
use super::lowering::{Lowering, LoweringError, LoweringResult, dim, malformed, single, unsupported};
use super::node::Node;
use super::promotion::operands;
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Combine, Scatter};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Lowers the replacement of, or the addition to, elements or slices at index tensors.
pub fn index_put(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let index = Index::from_node(cx, node, x)?;
    let ty = cx.b.ty(x);
    let window_dims = index.window_dims(ty.shape.rank());
    let kept = ty.shape.iter().enumerate().filter(|(d, _)| !index.dims.contains(d)).map(|(_, &n)| n);
    let mut shape: Vec<usize> = kept.collect();
    shape.splice(index.position..index.position, index.shape.iter().copied());
    let [values] = operands(cx, node, ["values"], ty.dtype)?;
    let values = cx.expand(values, &shape[..].into())?;
    let scatter = Scatter {
        combine: if node.flag("accumulate", false)? { Combine::Sum } else { Combine::Set },
        update_window_dims: window_dims,
        inserted_dims: index.dims.clone(),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: index.dims.clone(),
        index_vector_dim: index.shape.rank(),
    };
    single(cx.op("scatter", scatter, &[x, index.vectors, values])?)
}

/// A reduction of updates that have the same index.
struct UpdateReduction {
    combine: Combine,
    /// True for the mean: the sum is divided by the number of updates.
    is_mean: bool,
    /// False if the elements to which updates are written are not part of the reduction.
    includes_self: bool,
}

impl UpdateReduction {
    /// Reads the operands `reduce` and `include_self`; `combine` applies without the former.
    fn from_node(node: &Node<'_>, combine: Combine) -> Result<UpdateReduction, LoweringError> {
        let name = node.text("reduce")?;
        let combine = match name {
            None => combine,
            Some("sum" | "add" | "mean") => Combine::Sum,
            Some("prod" | "multiply") => Combine::Prod,
            Some("amax") => Combine::Max,
            Some("amin") => Combine::Min,
            Some(other) => return unsupported(format!("the reduction `{other}`")),
        };
        Ok(UpdateReduction { combine, is_mean: name == Some("mean"), includes_self: node.flag("include_self", true)? })
    }

    /// Appends the reduction of `x` and updates; `write` appends their combination.
    fn append(
        &self,
        cx: &mut Lowering<'_>,
        x: ValueId,
        updates: ValueId,
        write: impl Fn(&mut Lowering<'_>, [ValueId; 2], Combine) -> Result<ValueId, LoweringError>,
    ) -> Result<ValueId, LoweringError> {
        let neutral = match self.combine {
            Combine::Set => None,
            Combine::Sum => Some(Monoid::Sum),
            Combine::Prod => Some(Monoid::Prod),
            Combine::Max => Some(Monoid::Max),
            Combine::Min => Some(Monoid::Min),
        };
        let dtype = cx.dtype(x);
        let mut start = x;
        if let Some(monoid) = neutral.filter(|_| !self.includes_self) {
            let neutral = cx.b.splat_like(updates, monoid.identity(dtype));
            start = write(cx, [x, neutral], Combine::Set)?;
        }
        let out = write(cx, [start, updates], self.combine)?;
        if !self.is_mean {
            return Ok(out);
        }
        let [one, zero] = [1, 0].map(|n| cx.b.splat_like(updates, Scalar::Int(n)));
        let mut counts = cx.b.splat_like(x, Scalar::Int(1));
        if !self.includes_self {
            counts = write(cx, [counts, zero], Combine::Set)?;
        }
        let counts = write(cx, [counts, one], Combine::Sum)?;
        if dtype.is_float() {
            return Ok(cx.b.binary(BinaryOp::Div, out, counts));
        }
        let rest = cx.b.remainder(out, counts);
        let multiple = cx.b.binary(BinaryOp::Sub, out, rest);
        Ok(cx.b.binary(BinaryOp::Div, multiple, counts))
    }
}

/// Lowers a scatter along one dimension with one index for each element of the updates.
pub fn scatter(cx: &mut Lowering<'_>, node: &Node<'_>, combine: Combine) -> LoweringResult {
    let reduction = UpdateReduction::from_node(node, combine)?;
    let (x, index) = (node.tensor("self")?, node.tensor("index")?);
    let (ty, index_type) = (cx.b.ty(x), cx.b.ty(index));
    let rank = ty.shape.rank();
    let axis = dim(node.required_int("dim")?, rank)?;
    if rank == 0 || index_type.shape.rank() != rank || !index_type.dtype.is_int() {
        return malformed(format!("writes to {index_type} of {ty}"));
    }
    let name = if node.has("src") { "src" } else { "value" };
    let [mut updates] = operands(cx, node, [name], ty.dtype)?;
    if cx.rank(updates) == 0 {
        updates = cx.expand(updates, &index_type.shape)?;
    }
    // Updates beyond the index are not read.
    for d in 0..rank {
        let (n, own) = (index_type.shape[d], cx.shape(updates).get(d).copied().unwrap_or(0));
        if n > own {
            return malformed(format!("writes {} to {index_type}", cx.b.ty(updates)));
        }
        if n < own {
            updates = cx.b.slice_dim(updates, d, 0, n);
        }
    }
    let vectors = index_vectors(cx, index, axis);
    single(reduction.append(cx, x, updates, |cx, [x, updates], combine| elements(cx, [x, vectors, updates], combine))?)
}

/// Appends the combination of `x` with elements at index vectors, which are along the last dimension.
pub fn elements(
    cx: &mut Lowering<'_>,
    [x, vectors, updates]: [ValueId; 3],
    combine: Combine,
) -> Result<ValueId, LoweringError> {
    let rank = cx.rank(x);
    let scatter = Scatter {
        combine,
        update_window_dims: Dims::new(),
        inserted_dims: (0..rank).collect(),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: (0..rank).collect(),
        index_vector_dim: rank,
    };
    cx.op("scatter", scatter, &[x, vectors, updates])
}

/// Returns the index vectors of updates, along a new last dimension, from their indices along one dimension.
pub fn index_vectors(cx: &mut Lowering<'_>, index: ValueId, axis: usize) -> ValueId {
    let shape = cx.shape(index);
    let index = cx.converted(index, DType::I64);
    let components: Vec<ValueId> = (0..shape.rank())
        .map(|d| {
            let component = if d == axis { index } else { cx.b.iota(DType::I64, shape.clone(), d) };
            cx.b.unsqueeze(component, shape.rank())
        })
        .collect();
    cx.b.concatenate(&components, shape.rank())
}

/// Slices along a dimension, and the indices to which they are written.
struct SliceUpdates {
    x: ValueId,
    dim: usize,
    index: ValueId,
    updates: ValueId,
}

impl SliceUpdates {
    /// Reads the operands `self`, `dim`, `index` and the updates with the given name, which broadcast to the slices.
    fn from_node(cx: &mut Lowering<'_>, node: &Node<'_>, name: &str) -> Result<SliceUpdates, LoweringError> {
        let (x, mut index) = (node.tensor("self")?, node.tensor("index")?);
        if cx.rank(index) == 0 {
            index = cx.b.unsqueeze(index, 0);
        }
        let (ty, index_type) = (cx.b.ty(x), cx.b.ty(index));
        let dim = dim(node.required_int("dim")?, ty.shape.rank())?;
        if ty.shape.rank() == 0 || index_type.shape.rank() != 1 || !index_type.dtype.is_int() {
            return malformed(format!("writes to {index_type} of {ty}"));
        }
        let [mut updates] = operands(cx, node, [name], ty.dtype)?;
        let shape = cx.resized(x, dim, index_type.shape[0]);
        if cx.shape(updates) != shape {
            updates = cx.expand(updates, &shape)?;
        }
        let index = cx.converted(index, DType::I64);
        let index = nonnegative(cx, index, ty.shape[dim]);
        Ok(SliceUpdates { x, dim, index, updates })
    }
}

/// Lowers the addition of slices along a dimension at the indices of a vector.
pub fn index_add(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let SliceUpdates { x, dim, index, mut updates } = SliceUpdates::from_node(cx, node, "source")?;
    let alpha = node.float("alpha", 1.0)?;
    if alpha != 1.0 {
        updates = cx.b.binary_scalar(BinaryOp::Mul, updates, alpha);
    }
    single(slices(cx, [x, index, updates], dim, Combine::Sum)?)
}

/// Lowers the replacement of slices along a dimension at the indices of a vector by the operand `name`.
pub fn index_write(cx: &mut Lowering<'_>, node: &Node<'_>, name: &str) -> LoweringResult {
    let SliceUpdates { x, dim, index, updates } = SliceUpdates::from_node(cx, node, name)?;
    single(slices(cx, [x, index, updates], dim, Combine::Set)?)
}

/// Lowers the reduction of slices along a dimension at the indices of a vector.
pub fn index_reduce(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let reduction = UpdateReduction::from_node(node, Combine::Sum)?;
    let SliceUpdates { x, dim, index, updates } = SliceUpdates::from_node(cx, node, "source")?;
    single(reduction.append(cx, x, updates, |cx, [x, updates], combine| slices(cx, [x, index, updates], dim, combine))?)
}

/// Appends the combination of `x` with slices along a dimension, which are written to the indices of a vector.
pub fn slices(
    cx: &mut Lowering<'_>,
    [x, index, updates]: [ValueId; 3],
    dim: usize,
    combine: Combine,
) -> Result<ValueId, LoweringError> {
    let rank = cx.rank(x);
    let scatter = Scatter {
        combine,
        update_window_dims: (0..rank).filter(|&d| d != dim).collect(),
        inserted_dims: Dims::from_elem(dim, 1),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: Dims::from_elem(dim, 1),
        index_vector_dim: 1,
    };
    cx.op("scatter", scatter, &[x, index, updates])
}

/// Lowers the replacement of the elements that a mask selects by the first elements of another tensor, in order.
pub fn masked_scatter(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, mask, source) = (node.tensor("self")?, node.tensor("mask")?, node.tensor("source")?);
    let [x, mask] = cx.broadcast_all([x, mask])?;
    let (shape, count) = (cx.shape(x), cx.shape(source).count());
    if count == 0 {
        return single(x);
    }
    let flat_mask = cx.b.checked_reshape(mask, [shape.count()])?;
    let selected = cx.b.convert(flat_mask, DType::I64);
    let number = cx.b.cumulative(Monoid::Sum, selected, 0, false);
    let index = cx.b.binary_scalar(BinaryOp::Sub, number, 1.0);
    let source = cx.b.checked_reshape(source, [count])?;
    let taken = cx.b.take(source, index, 0);
    let taken = cx.b.checked_reshape(taken, shape)?;
    single(cx.b.select(mask, taken, x))
}
