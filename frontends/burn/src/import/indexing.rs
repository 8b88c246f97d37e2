//! Lowering of gathers and scatters, whose indices are run-time values.

use super::lowering::{Lowering, LoweringResult, shape_of, type_of};
use burn::tensor::IndexingUpdateOp;
use burn_ir::{
    EmbeddingOpIr, GatherNdOpIr, GatherOpIr, ScatterNdOpIr, ScatterOpIr, SelectAssignOpIr, SelectOpIr, TensorIr,
    UnfoldOpIr,
};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Combine, CrossEntropy, Gather, Iota, Scatter, UnaryOp};
use partita_ir::syntax::attr::Dims;

/// Lowers an embedding: a gather of matrix rows.
pub(super) fn embedding(cx: &mut Lowering<'_>, op: &EmbeddingOpIr) -> LoweringResult {
    let (weights, indices) = (cx.read(&op.weights)?, cx.read(&op.indices)?);
    let out = cx.b.take(weights, indices, 0);
    cx.write(&op.out, out)
}

/// Lowers a gather of slices along one dimension.
pub(super) fn select(cx: &mut Lowering<'_>, op: &SelectOpIr) -> LoweringResult {
    let (x, indices) = (cx.read(&op.tensor)?, cx.read(&op.indices)?);
    let out = cx.b.take(x, indices, op.dim);
    cx.write(&op.out, out)
}

/// Lowers a gather along one dimension with one index per element of the result. A gather of one class per position
/// from a log-softmax becomes a negated cross-entropy.
pub(super) fn gather(cx: &mut Lowering<'_>, op: &GatherOpIr) -> LoweringResult {
    let (x, indices) = (cx.read(&op.tensor)?, cx.read(&op.indices)?);
    let ty = type_of(&op.out)?;
    let last = ty.shape.rank() - 1;
    if let Some(&logits) = cx.logits.get(&x)
        && (op.dim, ty.shape[last]) == (last, 1)
        && ty.shape[..last] == cx.shape(x)[..last]
    {
        let out = log_likelihood(cx, logits, indices, ty);
        return cx.write(&op.out, out);
    }
    let out = cx.b.take_along(x, indices, op.dim);
    cx.write(&op.out, out)
}

/// Builds the log-likelihood of labels from logits: the negated cross-entropy.
fn log_likelihood(cx: &mut Lowering<'_>, logits: ValueId, labels: ValueId, ty: Type) -> ValueId {
    let positions: Shape = ty.shape[..ty.shape.rank() - 1].into();
    let labels = cx.b.reshape(labels, positions.clone());
    let loss = cx.b.op("cross_entropy", CrossEntropy {}, &[logits, labels], Type::new(ty.dtype, positions));
    let loss = cx.b.reshape(loss, ty.shape);
    cx.b.unary(UnaryOp::Neg, loss)
}

/// Returns all dimensions but `dim`.
fn other_dims(dim: usize, rank: usize) -> Dims {
    (0..rank).filter(|&d| d != dim).collect()
}

/// Lowers a scatter along one dimension with one index per update element.
pub(super) fn scatter(cx: &mut Lowering<'_>, op: &ScatterOpIr) -> LoweringResult {
    let (x, indices, value) = (cx.read(&op.tensor)?, cx.read(&op.indices)?, cx.read(&op.value)?);
    let ty = cx.b.ty(x);
    let others = other_dims(op.dim, ty.shape.rank());
    let scatter = Scatter {
        combine: combine(op.update, &op.tensor),
        update_window_dims: Dims::new(),
        inserted_dims: Dims::from_elem(op.dim, 1),
        operand_batch_dims: others.clone(),
        index_batch_dims: others,
        index_map: Dims::from_elem(op.dim, 1),
        index_vector_dim: ty.shape.rank(),
    };
    let out = cx.b.op("scatter", scatter, &[x, indices, value], ty);
    cx.write(&op.out, out)
}

/// Lowers a scatter of slices along one dimension.
pub(super) fn select_assign(cx: &mut Lowering<'_>, op: &SelectAssignOpIr) -> LoweringResult {
    let (x, indices, value) = (cx.read(&op.tensor)?, cx.read(&op.indices)?, cx.read(&op.value)?);
    let ty = cx.b.ty(x);
    let scatter = Scatter {
        combine: combine(op.update, &op.tensor),
        update_window_dims: other_dims(op.dim, ty.shape.rank()),
        inserted_dims: Dims::from_elem(op.dim, 1),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: Dims::from_elem(op.dim, 1),
        index_vector_dim: 1,
    };
    let out = cx.b.op("scatter", scatter, &[x, indices, value], ty);
    cx.write(&op.out, out)
}

fn combine(update: IndexingUpdateOp, tensor: &TensorIr) -> Combine {
    match update {
        IndexingUpdateOp::Assign => Combine::Set,
        // Burn's addition of booleans is a logical or.
        IndexingUpdateOp::Add if tensor.dtype.is_bool() => Combine::Max,
        IndexingUpdateOp::Add => Combine::Sum,
        IndexingUpdateOp::Mul => Combine::Prod,
        IndexingUpdateOp::Min => Combine::Min,
        IndexingUpdateOp::Max => Combine::Max,
    }
}

/// Lowers a gather of slices at index vectors that address the leading dimensions.
pub(super) fn gather_nd(cx: &mut Lowering<'_>, op: &GatherNdOpIr) -> LoweringResult {
    let (x, indices) = (cx.read(&op.data)?, cx.read(&op.indices)?);
    let (shape, ty) = (cx.shape(x), type_of(&op.out)?);
    let (vector, addressed) = last_dim(&cx.shape(indices));
    let gather = Gather {
        offset_dims: (vector..ty.shape.rank()).collect(),
        collapsed_dims: (0..addressed).collect(),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: (0..addressed).collect(),
        index_vector_dim: vector,
        slice_sizes: shape.iter().enumerate().map(|(d, &n)| if d < addressed { 1 } else { n }).collect(),
        fill: false,
    };
    let out = cx.b.op("gather", gather, &[x, indices], ty);
    cx.write(&op.out, out)
}

/// Lowers a scatter of slices at index vectors that address the leading dimensions.
pub(super) fn scatter_nd(cx: &mut Lowering<'_>, op: &ScatterNdOpIr) -> LoweringResult {
    let (x, indices, values) = (cx.read(&op.data)?, cx.read(&op.indices)?, cx.read(&op.values)?);
    let ty = cx.b.ty(x);
    let (vector, addressed) = last_dim(&cx.shape(indices));
    let scatter = Scatter {
        combine: combine(op.reduction, &op.data),
        update_window_dims: (vector..shape_of(&op.values).rank()).collect(),
        inserted_dims: (0..addressed).collect(),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: (0..addressed).collect(),
        index_vector_dim: vector,
    };
    let out = cx.b.op("scatter", scatter, &[x, indices, values], ty);
    cx.write(&op.out, out)
}

/// Returns the index and the size of the last dimension.
fn last_dim(shape: &Shape) -> (usize, usize) {
    let last = shape.rank() - 1;
    (last, shape[last])
}

/// Lowers the extraction of windows of `size` elements, `step` apart, along a dimension. The elements of a window form
/// a new last dimension.
pub(super) fn unfold(cx: &mut Lowering<'_>, op: &UnfoldOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let ty = type_of(&op.out)?;
    let (dim, rank) = (op.dim, ty.shape.rank());
    let index = cx.b.op("iota", Iota { dim: 0 }, &[], Type::new(DType::I32, [ty.shape[dim]]));
    let starts = cx.b.binary_scalar(BinaryOp::Mul, index, op.step as f64);
    let mut slice_sizes = Dims::from_slice(&cx.shape(x));
    slice_sizes[dim] = op.size;
    // The windows are the only batch dimension of the gather, so the gather returns them in dimension 0; the transpose
    // below moves them to `dim`.
    let gathered: Shape = std::iter::once(ty.shape[dim]).chain(slice_sizes.iter().copied()).collect();
    let gather = Gather {
        offset_dims: (1..rank).collect(),
        collapsed_dims: Dims::new(),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: Dims::from_elem(dim, 1),
        index_vector_dim: 1,
        slice_sizes,
        fill: false,
    };
    let windows = cx.b.op("windows", gather, &[x, starts], Type::new(ty.dtype, gathered));
    let perm = (0..rank - 1).map(|d| if d == dim { 0 } else { d + 1 }).chain([dim + 1]).collect();
    let out = cx.b.transpose(windows, perm);
    cx.write(&op.out, out)
}
