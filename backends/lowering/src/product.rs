//! Contractions as matrix products.
//!
//! The dimensions of the operands are batch dimensions, free dimensions of the left or the right operand, and
//! contracted dimensions. The free dimensions of an operand and the contracted dimensions each become one matrix
//! dimension if a single stride addresses them; otherwise the operand is copied to row-major order first. Each batch
//! dimension remains separate.

use crate::lowerer::{Lowerer, Target};
use crate::view::{Dims, View};
use partita_ir::arena::OpId;
use partita_ir::ops::DotGeneral;
use partita_ir::program::{Op, Program};
use partita_runtime::routine::Span;
use std::ops::Range;

/// A strided matrix in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Matrix {
    /// Offset of the first element, in elements.
    pub offset: isize,
    /// Stride between rows, in elements.
    pub row: isize,
    /// Stride between columns, in elements.
    pub column: isize,
}

/// A batch of products of `m x k` by `k x n` matrices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Product {
    /// Rows of the left operand and the result.
    pub m: usize,
    /// Columns of the right operand and the result.
    pub n: usize,
    /// Size of the contracted dimension.
    pub k: usize,
    /// The left operand.
    pub left: Matrix,
    /// The right operand.
    pub right: Matrix,
    /// The result.
    pub result: Matrix,
    /// Batch dimensions: size, and strides in the left operand, the right operand and the result.
    pub batch: Vec<(usize, [isize; 3])>,
}

/// Returns true if `view`, as layout of the contraction's result, is a batch of strided matrices: a single stride
/// addresses the free dimensions of each operand.
pub fn is_matrix_layout(program: &Program, op: &Op, dot: &DotGeneral, view: &View) -> bool {
    let [batch, rows, columns] = result_runs(program, op, dot);
    joint_stride(view, rows).is_some() && joint_stride(view, columns).is_some() && batch.start == 0
}

/// Returns the ranges of the result's dimensions: batch, free dimensions of the left operand, free dimensions of the
/// right operand.
fn result_runs(program: &Program, op: &Op, dot: &DotGeneral) -> [Range<usize>; 3] {
    let batch = dot.batch.lhs.len();
    let columns_start = program.ty(op.args[0]).shape.rank() - dot.contract.lhs.len();
    [0..batch, batch..columns_start, columns_start..program.ty(op.outs[0]).shape.rank()]
}

/// Returns the stride of a range of dimensions merged to one dimension, if a single stride addresses it.
fn joint_stride(view: &View, range: Range<usize>) -> Option<isize> {
    let part = View { shape: view.shape[range.clone()].into(), strides: view.strides[range].into(), offset: 0 };
    part.reshaped(&[part.count()]).map(|v| v.strides[0])
}

/// Returns a contraction as a matrix product, and the memory of its operands. Operands that are not strided matrices
/// are copied. Returns `None` if the layout of the result is not a strided matrix.
pub fn product<T: Target>(lowerer: &mut Lowerer<'_, T>, id: OpId, dot: &DotGeneral) -> Option<(Product, [Span; 2])> {
    let program = lowerer.program;
    let op = &program.ops[id];
    let (lhs, rhs) = (program.ty(op.args[0]), program.ty(op.args[1]));
    let stored = lowerer.stored_layout(op.outs[0]);
    let [_, rows, columns] = result_runs(program, op, dot);
    let result =
        Matrix { offset: stored.offset, row: joint_stride(&stored, rows)?, column: joint_stride(&stored, columns)? };
    let free = |rank: usize, batch: &[usize], contract: &[usize]| -> Dims<usize> {
        (0..rank).filter(|d| !batch.contains(d) && !contract.contains(d)).collect()
    };
    let rows = free(lhs.shape.rank(), &dot.batch.lhs, &dot.contract.lhs);
    let columns = free(rhs.shape.rank(), &dot.batch.rhs, &dot.contract.rhs);
    let (left, left_view) = lowerer.span_and_view(op.args[0]);
    let (right, right_view) = lowerer.span_and_view(op.args[1]);
    // The contracted dimensions must have the same order in both operands.
    let mut order: Vec<usize> = (0..dot.contract.lhs.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(left_view.strides[dot.contract.lhs[i]].unsigned_abs()));
    let pick = |dims: &[usize]| -> Dims<usize> { order.iter().map(|&i| dims[i]).collect() };
    let (summed_left, summed_right) = (pick(&dot.contract.lhs), pick(&dot.contract.rhs));
    let (left, left_view) = matrix(lowerer, id, 0, (left, left_view), [&dot.batch.lhs, &rows, &summed_left]);
    let (right, right_view) = matrix(lowerer, id, 1, (right, right_view), [&dot.batch.rhs, &summed_right, &columns]);
    let sizes = |dims: &[usize], shape: &[usize]| dims.iter().map(|&d| shape[d]).product::<usize>();
    let rank = dot.batch.lhs.len();
    let batch = (0..rank)
        .map(|i| (left_view.shape[i], [left_view.strides[i], right_view.strides[i], stored.strides[i]]))
        .filter(|b| b.0 != 1)
        .collect();
    let to_matrix =
        |view: &View| Matrix { offset: view.offset, row: view.strides[rank], column: view.strides[rank + 1] };
    let product = Product {
        m: sizes(&rows, &lhs.shape),
        n: sizes(&columns, &rhs.shape),
        k: sizes(&summed_left, &lhs.shape),
        left: to_matrix(&left_view),
        right: to_matrix(&right_view),
        result,
        batch,
    };
    Some((product, [left, right]))
}

/// Returns the memory and view of an operand as a batch of matrices. `runs` contains the batch dimensions, which remain
/// separate, and two groups of dimensions, which become one dimension each. Copies the operand if a single stride does
/// not address a group.
fn matrix<T: Target>(
    lowerer: &mut Lowerer<'_, T>,
    id: OpId,
    operand: usize,
    (span, view): (Span, View),
    runs: [&[usize]; 3],
) -> (Span, View) {
    let order: Vec<usize> = runs.iter().flat_map(|run| run.iter().copied()).collect();
    let view = view.permuted(&order);
    let [batch, first, second] = runs.map(<[usize]>::len);
    let size = |range: Range<usize>| view.shape[range].iter().product::<usize>();
    let shape: Vec<usize> = view.shape[..batch]
        .iter()
        .copied()
        .chain([size(batch..batch + first), size(batch + first..batch + first + second)])
        .collect();
    // Each run is joined separately: dimensions of different runs must not be merged.
    let joined = |view: &View| -> Option<View> {
        let mut strides: Dims<isize> = view.strides[..batch].into();
        strides.push(joint_stride(view, batch..batch + first)?);
        strides.push(joint_stride(view, batch + first..batch + first + second)?);
        Some(View { shape: shape[..].into(), strides, offset: view.offset })
    };
    if let Some(joined) = joined(&view) {
        return (span, joined);
    }
    let dtype = lowerer.program.ty(lowerer.program.ops[id].args[operand]).dtype;
    let dense = View::dense(&view.shape);
    let copy = lowerer.temporary(view.count() * lowerer.width(dtype));
    lowerer.copy(id, dtype, (span, &view), (copy, &dense));
    (copy, joined(&dense).unwrap_or(dense))
}
