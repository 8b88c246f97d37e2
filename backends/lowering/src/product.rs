//! Contractions as products of matrices.
//!
//! The dimensions of both operands fall into those that run along together, those of the left and of the right one
//! alone, and those that are summed over. What lies at equal distances is one dimension of a matrix; where a run of
//! dimensions does not, the operand is copied so that it does.

use crate::lowerer::{Lowerer, Target};
use crate::view::{Dims, View};
use partita_ir::arena::OpId;
use partita_ir::ops::DotGeneral;
use partita_ir::program::{Op, Program};
use partita_runtime::routine::Span;
use std::ops::Range;

/// A matrix in memory: where its first element is, and the distances between rows and columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Matrix {
    /// Elements from the beginning of the memory.
    pub offset: isize,
    /// Elements from one row to the next.
    pub row: isize,
    /// Elements from one column to the next.
    pub column: isize,
}

/// Products of `m x k` by `k x n` matrices, one for each index of the batch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Product {
    /// Rows of the left operand and the result.
    pub m: usize,
    /// Columns of the right operand and the result.
    pub n: usize,
    /// How many products are summed.
    pub k: usize,
    /// The left operand.
    pub left: Matrix,
    /// The right operand.
    pub right: Matrix,
    /// The result.
    pub result: Matrix,
    /// By batch dimension: its size, and distances in the left and right operand and the result.
    pub batch: Vec<(usize, [isize; 3])>,
}

/// Whether a product's rows and columns lie at equal distances in the view.
pub fn lies_in(program: &Program, op: &Op, dot: &DotGeneral, view: &View) -> bool {
    let [batch, rows, columns] = result_runs(program, op, dot);
    run(view, rows).is_some() && run(view, columns).is_some() && batch.start == 0
}

/// The dimensions of the result that are batch, the left operand's, and the right one's.
fn result_runs(program: &Program, op: &Op, dot: &DotGeneral) -> [Range<usize>; 3] {
    let batch = dot.batch.lhs.len();
    let behind = program.ty(op.args[0]).shape.rank() - dot.contract.lhs.len();
    [0..batch, batch..behind, behind..program.ty(op.outs[0]).shape.rank()]
}

/// The distance of a run of dimensions as one.
fn run(view: &View, range: Range<usize>) -> Option<isize> {
    let part = View { shape: view.shape[range.clone()].into(), strides: view.strides[range].into(), offset: 0 };
    part.reshaped(&[part.count()]).map(|v| v.strides[0])
}

/// A contraction as a product, and where its operands lie; copies operands where they do not lie as matrices. `None`
/// when the result is to lie as no matrix does.
pub fn product<T: Target>(to: &mut Lowerer<'_, T>, id: OpId, dot: &DotGeneral) -> Option<(Product, [Span; 2])> {
    let program = to.program;
    let op = &program.ops[id];
    let (lhs, rhs) = (program.ty(op.args[0]), program.ty(op.args[1]));
    let stored = to.stored(op.outs[0]);
    let [_, rows, columns] = result_runs(program, op, dot);
    let result = Matrix { offset: stored.offset, row: run(&stored, rows)?, column: run(&stored, columns)? };
    let free = |rank: usize, batch: &[usize], contract: &[usize]| -> Dims<usize> {
        (0..rank).filter(|d| !batch.contains(d) && !contract.contains(d)).collect()
    };
    let rows = free(lhs.shape.rank(), &dot.batch.lhs, &dot.contract.lhs);
    let columns = free(rhs.shape.rank(), &dot.batch.rhs, &dot.contract.rhs);
    let (left, left_view) = to.strided(op.args[0]);
    let (right, right_view) = to.strided(op.args[1]);
    // Both operands must have the summed dimensions in one order.
    let mut order: Vec<usize> = (0..dot.contract.lhs.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(left_view.strides[dot.contract.lhs[i]].unsigned_abs()));
    let pick = |dims: &[usize]| -> Dims<usize> { order.iter().map(|&i| dims[i]).collect() };
    let (summed_left, summed_right) = (pick(&dot.contract.lhs), pick(&dot.contract.rhs));
    let (left, left_view) = matrix(to, id, 0, (left, left_view), [&dot.batch.lhs, &rows, &summed_left]);
    let (right, right_view) = matrix(to, id, 1, (right, right_view), [&dot.batch.rhs, &summed_right, &columns]);
    let sizes = |dims: &[usize], shape: &[usize]| dims.iter().map(|&d| shape[d]).product::<usize>();
    let rank = dot.batch.lhs.len();
    let batch = (0..rank)
        .map(|i| (left_view.shape[i], [left_view.strides[i], right_view.strides[i], stored.strides[i]]))
        .filter(|b| b.0 != 1)
        .collect();
    let of = |view: &View| Matrix { offset: view.offset, row: view.strides[rank], column: view.strides[rank + 1] };
    let product = Product {
        m: sizes(&rows, &lhs.shape),
        n: sizes(&columns, &rhs.shape),
        k: sizes(&summed_left, &lhs.shape),
        left: of(&left_view),
        right: of(&right_view),
        result,
        batch,
    };
    Some((product, [left, right]))
}

/// An operand with three runs of dimensions: each batch dimension, then one for each of the other two runs. Copies it
/// if they are not at equal distances.
fn matrix<T: Target>(
    to: &mut Lowerer<'_, T>,
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
    // Run by run: dimensions of different runs must not be taken for one.
    let joined = |view: &View| -> Option<View> {
        let mut strides: Dims<isize> = view.strides[..batch].into();
        strides.push(run(view, batch..batch + first)?);
        strides.push(run(view, batch + first..batch + first + second)?);
        Some(View { shape: shape[..].into(), strides, offset: view.offset })
    };
    if let Some(joined) = joined(&view) {
        return (span, joined);
    }
    let dtype = to.program.ty(to.program.ops[id].args[operand]).dtype;
    let dense = View::dense(&view.shape);
    let copy = to.temporary(view.count() * to.width(dtype));
    to.copy(id, dtype, (span, &view), (copy, &dense));
    (copy, joined(&dense).unwrap_or(dense))
}
