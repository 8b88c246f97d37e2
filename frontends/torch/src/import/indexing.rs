//! Lowering of reads at indices that are known at run time.

use super::lowering::{Lowering, LoweringError, LoweringResult, dim, malformed, single, size};
use super::node::Node;
use super::scatter;
use partita_ir::arena::ValueId;
use partita_ir::build::broadcast_shape;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Combine, Direction, Gather};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Lowers an embedding: the rows of a table. No gradient flows to the row of padding, and that of other rows may be
/// divided by the number of their indices.
pub fn embedding(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (table, indices) = (node.tensor("weight")?, node.tensor("indices")?);
    if cx.rank(table) != 2 || !cx.dtype(indices).is_int() {
        return malformed(format!("reads rows {} of {}", cx.b.ty(indices), cx.b.ty(table)));
    }
    let mut rows = cx.b.take(table, indices, 0);
    if node.flag("scale_grad_by_freq", false)? {
        rows = with_mean_gradient(cx, table, indices, rows)?;
    }
    let padding = node.int("padding_idx", -1)?;
    let stopped = cx.stop_gradient(rows);
    if padding >= 0 && stopped != rows {
        let is_padding = cx.compare_scalar(indices, Direction::Eq, Scalar::Int(padding));
        let shape = cx.shape(rows);
        let dims: Vec<usize> = (0..shape.rank() - 1).collect();
        let is_padding = cx.b.broadcast(is_padding, &dims, shape);
        rows = cx.b.select(is_padding, stopped, rows);
    }
    single(rows)
}

/// Appends rows of a table whose gradients are divided by the number of times that their index occurs.
pub fn with_mean_gradient(
    cx: &mut Lowering<'_>,
    table: ValueId,
    indices: ValueId,
    rows: ValueId,
) -> Result<ValueId, LoweringError> {
    let stopped = cx.stop_gradient(rows);
    if stopped == rows {
        return Ok(rows);
    }
    let (shape, dtype) = (cx.shape(rows), cx.dtype(rows));
    let flat = cx.b.checked_reshape(indices, [cx.shape(indices).count()])?;
    let ones = Type { dtype, shape: cx.shape(flat) };
    let ones = cx.b.splat(ones, Scalar::Float(1.0));
    let zeros = cx.b.splat(Type::new(dtype, [cx.shape(table)[0]]), Scalar::Float(0.0));
    let counts = scatter::slices(cx, [zeros, flat, ones], 0, Combine::Sum)?;
    let counts = cx.b.take(counts, indices, 0);
    let dims: Vec<usize> = (0..shape.rank() - 1).collect();
    let counts = cx.b.broadcast(counts, &dims, shape);
    // The value is that of the rows, since the difference is zero.
    let scaled = cx.b.binary(BinaryOp::Div, rows, counts);
    let constant = cx.stop_gradient(scaled);
    let difference = cx.b.binary(BinaryOp::Sub, scaled, constant);
    Ok(cx.b.binary(BinaryOp::Add, stopped, difference))
}

/// Lowers the slices of a dimension at the indices of a vector.
pub fn index_select(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, index) = (node.tensor("self")?, node.tensor("index")?);
    let (shape, index_type) = (cx.shape(x), cx.b.ty(index));
    let dim = dim(node.required_int("dim")?, shape.rank())?;
    if index_type.shape.rank() != 1 || !index_type.dtype.is_int() || shape.rank() == 0 {
        return malformed(format!("selects {index_type} of {shape}"));
    }
    single(cx.b.take(x, index, dim))
}

/// Lowers a gather along one dimension with one index for each element of the result. In other dimensions the index may
/// be smaller than the operand.
pub fn gather(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (mut x, index) = (node.tensor("self")?, node.tensor("index")?);
    let (shape, index_type) = (cx.shape(x), cx.b.ty(index));
    let rank = shape.rank();
    let dim = dim(node.required_int("dim")?, rank)?;
    if rank == 0 || index_type.shape.rank() != rank || !index_type.dtype.is_int() {
        return malformed(format!("gathers {index_type} of {shape}"));
    }
    for d in (0..rank).filter(|&d| d != dim) {
        let (n, own) = (index_type.shape[d], shape[d]);
        if n > own {
            return malformed(format!("gathers {index_type} of {shape}"));
        }
        if n < own {
            x = cx.b.slice_dim(x, d, 0, n);
        }
    }
    single(cx.b.take_along(x, index, dim))
}

/// The index tensors of a tensor, with the dimensions that they index.
pub struct Index {
    /// The indexed dimensions, in ascending order.
    pub dims: Dims,
    /// Index vectors along a new last dimension, with nonnegative components.
    pub vectors: ValueId,
    /// Common shape of the index tensors.
    pub shape: Shape,
    /// Position of the dimensions of the index in the result.
    pub position: usize,
}

impl Index {
    /// Reads the operand `indices`: a tensor or nothing for each of the leading dimensions of `x`. The dimensions of
    /// the index replace the indexed ones if these are adjacent, and are the first otherwise, as in NumPy.
    pub fn from_node(cx: &mut Lowering<'_>, node: &Node<'_>, x: ValueId) -> Result<Index, LoweringError> {
        let x_shape = cx.shape(x);
        let tensors = node.optional_tensors("indices")?;
        if tensors.len() > x_shape.rank() {
            return malformed(format!("has {} indices for {x_shape}", tensors.len()));
        }
        let present: Vec<(usize, ValueId)> =
            tensors.iter().enumerate().filter_map(|(d, tensor)| Some((d, (*tensor)?))).collect();
        let shapes: Vec<Shape> = present.iter().map(|&(_, v)| cx.shape(v)).collect();
        let shape = broadcast_shape(&shapes)?;
        let mut components = Vec::new();
        for &(d, value) in &present {
            let ty = cx.b.ty(value);
            if ty.dtype == DType::Bool {
                return Err(LoweringError::DynamicShape);
            }
            if !ty.dtype.is_int() {
                return malformed(format!("needs integers for indices, not {ty}"));
            }
            let value = cx.converted(value, DType::I64);
            let value = nonnegative(cx, value, x_shape[d]);
            let value = cx.expand(value, &shape)?;
            components.push(cx.b.unsqueeze(value, shape.rank()));
        }
        let Some(&(first, _)) = present.first() else { return malformed("has no indices") };
        let dims: Dims = present.iter().map(|&(d, _)| d).collect();
        let adjacent = dims.iter().enumerate().all(|(i, &d)| d == first + i);
        let vectors = cx.b.concatenate(&components, shape.rank());
        Ok(Index { dims, vectors, shape, position: if adjacent { first } else { 0 } })
    }

    /// Returns the dimensions of the result that are not those of the index.
    pub fn window_dims(&self, x_rank: usize) -> Dims {
        let rank = x_rank - self.dims.len() + self.shape.rank();
        (0..rank).filter(|&d| d < self.position || d >= self.position + self.shape.rank()).collect()
    }
}

/// Converts indices that may count from the end to nonnegative ones.
pub fn nonnegative(cx: &mut Lowering<'_>, indices: ValueId, n: usize) -> ValueId {
    let negative = cx.compare_scalar(indices, Direction::Lt, Scalar::Int(0));
    let from_start = cx.b.binary_scalar(BinaryOp::Add, indices, n as f64);
    cx.b.select(negative, from_start, indices)
}

/// Lowers a gather whose operand and index broadcast to a common shape, except along the dimension. Without a
/// dimension, both are flattened.
pub fn take_along(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (mut x, mut index) = (node.tensor("self")?, node.tensor("indices")?);
    let Some(number) = node.optional_int("dim")? else {
        let [n, m] = [x, index].map(|value| cx.shape(value).count());
        let (x, index) = (cx.b.checked_reshape(x, [n])?, cx.b.checked_reshape(index, [m])?);
        return single(cx.b.take_along(x, index, 0));
    };
    let (shape, index_type) = (cx.shape(x), cx.b.ty(index));
    let dim = dim(number, shape.rank())?;
    if shape.rank() == 0 || index_type.shape.rank() != shape.rank() || !index_type.dtype.is_int() {
        return malformed(format!("gathers {index_type} of {shape}"));
    }
    let mut common = broadcast_shape([&cx.resized(x, dim, 1), &cx.resized(index, dim, 1)])?;
    common[dim] = shape[dim];
    x = cx.expand(x, &common)?;
    common[dim] = index_type.shape[dim];
    index = cx.expand(index, &common)?;
    single(cx.b.take_along(x, index, dim))
}

/// Lowers the elements or slices at index tensors.
pub fn index(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let index = Index::from_node(cx, node, x)?;
    let shape = cx.shape(x);
    let mut slice_sizes = Dims::from_slice(&shape);
    index.dims.iter().for_each(|&d| slice_sizes[d] = 1);
    let gather = Gather {
        offset_dims: index.window_dims(shape.rank()),
        collapsed_dims: index.dims.clone(),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: index.dims.clone(),
        index_vector_dim: index.shape.rank(),
        slice_sizes,
        fill: false,
    };
    single(cx.op("index", gather, &[x, index.vectors])?)
}

/// Lowers a one-hot encoding along a new last dimension.
pub fn one_hot(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let classes = node.int("num_classes", -1)?;
    if classes < 0 {
        return Err(LoweringError::DynamicShape);
    }
    let ty = cx.b.ty(x);
    let mut shape = ty.shape.clone();
    shape.0.push(size(classes, "number of classes")?);
    let last = shape.rank() - 1;
    let class = cx.b.iota(ty.dtype, shape.clone(), last);
    let spread = cx.b.broadcast_along(x, last, &shape);
    let equal = cx.b.compare(spread, Direction::Eq, class);
    single(cx.converted(equal, node.result(0)?.dtype))
}
