//! Contractions, by the crate `gemm`.
//!
//! The dimensions of both operands fall into those that run along together, those of the left and of the right one alone, and those that
//! are summed over. What lies at equal distances is one dimension of a matrix; where a run of dimensions does not, the operand is
//! copied so that it does.

use super::copy::Strided;
use super::float::Float;
use super::skinny::{self, Skinny};
use crate::lower::{Lowerer, offset};
use crate::view::{Dims, View};
use gemm::Parallelism;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::DotGeneral;
use partita_ir::program::{Op, Program};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use partita_runtime::routine::Span;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// Multiplications from which on threads share one product.
const WORTH_SHARING: usize = 1 << 17;

/// Products of so few rows are computed as columns when the right operand's columns lie one after the other: to put that operand into
/// another order first, as it is done for rows, would cost as much as the product.
const FEW_ROWS: usize = 128;

/// A matrix in memory: distances between rows and columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix {
    pub(crate) row: isize,
    pub(crate) column: isize,
}

/// Products of matrices, one for each index of the batch.
pub(crate) struct Dot {
    dtype: DType,
    m: usize,
    n: usize,
    k: usize,
    left: Matrix,
    right: Matrix,
    result: Matrix,
    /// By batch dimension: its size, and distances in the left and right operand and the result.
    batch: Vec<(usize, [isize; 3])>,
    /// From scratch memory to the result, where rows are computed as columns.
    turned: Option<Strided>,
}

/// Whether it is a product of matrices here.
fn is_product(program: &Program, op: &Op) -> bool {
    let (lhs, rhs, out) = (program.ty(op.args[0]), program.ty(op.args[1]), program.ty(op.outs[0]));
    matches!(out.dtype, DType::F32 | DType::F64)
        && lhs.dtype == out.dtype
        && rhs.dtype == out.dtype
        && out.shape.count() > 0
}

/// How many dimensions of the result are batch, and how many of the others are the left operand's.
fn result_runs(program: &Program, op: &Op, dot: &DotGeneral) -> (usize, usize) {
    let batch = dot.batch.lhs.len();
    (batch, program.ty(op.args[0]).shape.rank() - batch - dot.contract.lhs.len())
}

/// Whether a product's rows and columns lie at equal distances in the view.
pub(crate) fn writes_to(program: &Program, op: &Op, dot: &DotGeneral, view: &View) -> bool {
    let (batch, rows) = result_runs(program, op, dot);
    is_product(program, op)
        && run(view, batch..batch + rows).is_some()
        && run(view, batch + rows..view.shape.len()).is_some()
}

/// The distance of a run of dimensions as one.
fn run(view: &View, range: std::ops::Range<usize>) -> Option<isize> {
    let part = View { shape: view.shape[range.clone()].into(), strides: view.strides[range].into(), offset: 0 };
    part.reshaped(&[part.count()]).map(|v| v.strides[0])
}

/// Lowers a contraction of floats.
pub(super) fn lower(to: &mut Lowerer<'_>, id: OpId, dot: &DotGeneral) -> bool {
    let program = to.program;
    let op = &program.ops[id];
    let (lhs, rhs, out) = (program.ty(op.args[0]), program.ty(op.args[1]), program.ty(op.outs[0]));
    if !is_product(program, op) {
        return false;
    }
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
    let (left, left_view) = matrix(to, id, left, left_view, &[&dot.batch.lhs, &rows, &summed_left]);
    let (right, right_view) = matrix(to, id, right, right_view, &[&dot.batch.rhs, &summed_right, &columns]);
    let sizes = |dims: &[usize], shape: &[usize]| dims.iter().map(|&d| shape[d]).product::<usize>();
    let (m, n) = (sizes(&rows, &lhs.shape), sizes(&columns, &rhs.shape));
    let batch_rank = dot.batch.lhs.len();
    let stored = to.stored(op.outs[0]);
    let (_, result_rows) = result_runs(program, op, dot);
    let (Some(row), Some(column)) =
        (run(&stored, batch_rank..batch_rank + result_rows), run(&stored, batch_rank + result_rows..out.shape.rank()))
    else {
        return false;
    };
    let batch = (0..batch_rank)
        .map(|i| (left_view.shape[i], [left_view.strides[i], right_view.strides[i], stored.strides[i]]))
        .filter(|b| b.0 != 1)
        .collect();
    let mut kernel = Dot {
        dtype: out.dtype,
        m,
        n,
        k: sizes(&summed_left, &lhs.shape),
        left: Matrix { row: left_view.strides[batch_rank], column: left_view.strides[batch_rank + 1] },
        right: Matrix { row: right_view.strides[batch_rank], column: right_view.strides[batch_rank + 1] },
        result: Matrix { row, column },
        batch,
        turned: None,
    };
    let width = out.dtype.bytes() as usize;
    let mut scratch = 0;
    if kernel.is_turned() {
        let shape = || [m, n].into_iter().collect();
        let from = View { shape: shape(), strides: [1, m as isize].into_iter().collect(), offset: 0 };
        let result = View { shape: shape(), strides: [row, column].into_iter().collect(), offset: 0 };
        kernel.turned = Some(Strided::new(&from, &result, width));
        scratch = m * n * width * to.threads();
    }
    let reads = vec![offset(left, left_view.offset, width), offset(right, right_view.offset, width)];
    let result = to.result(id);
    to.compute_with(id, kernel, scratch, Vec::new(), reads, vec![result]);
    true
}

/// The operand with three runs of dimensions: each batch dimension, then one for each of the other two runs. Copies it if they are
/// not at equal distances.
fn matrix(to: &mut Lowerer<'_>, id: OpId, span: Span, view: View, runs: &[&[usize]; 3]) -> (Span, View) {
    let order: Vec<usize> = runs.iter().flat_map(|run| run.iter().copied()).collect();
    let view = view.permuted(&order);
    let [batch, first, second] = runs.map(<[usize]>::len);
    let size = |range: std::ops::Range<usize>| view.shape[range].iter().product::<usize>();
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
    let width = 4.max(to.program.ty(to.program.ops[id].args[0]).dtype.bytes() as usize);
    let dense = View::dense(&view.shape);
    let copy = to.temporary(view.count() * width);
    let kernel = Strided::new(&view, &dense, width);
    to.compute(id, kernel, vec![offset(span, view.offset, width)], vec![copy]);
    (copy, joined(&dense).unwrap_or(dense))
}

impl Dot {
    /// Whether it is few rows with columns that lie one after the other.
    fn is_skinny(&self) -> bool {
        let in_order = self.left.column == 1 && self.right.row == 1 && self.right.column.unsigned_abs() >= self.k;
        self.dtype == DType::F32 && self.m <= skinny::ROWS && self.k >= 64 && self.n >= 64 && in_order
    }

    /// Whether rows are better computed as columns.
    fn is_turned(&self) -> bool {
        let in_order = self.left.column == 1 && self.right.row == 1 && self.right.column.unsigned_abs() >= self.k;
        let is_few = self.m <= FEW_ROWS && self.n >= self.m && self.k >= 64;
        is_few && in_order && self.result.column == 1 && !self.is_skinny()
    }

    /// One product, on so many threads.
    ///
    /// # Safety
    /// The addresses are good for the matrices, and scratch memory for the result if it is turned.
    unsafe fn product<T: Float>(&self, at: [usize; 3], scratch: usize, threads: usize) {
        // Threads share the longer side. `gemm` would share rows alone, of which there may be few.
        let by_columns = self.n >= self.m || self.turned.is_some() || self.is_skinny();
        let side = if by_columns { self.n } else { self.m };
        let part = |i: usize| {
            let range = i * side / threads..(i + 1) * side / threads;
            // SAFETY: what the caller promises; parts are of different rows or columns.
            unsafe {
                match by_columns {
                    true => self.part::<T>(at, scratch, 0..self.m, range),
                    false => self.part::<T>(at, scratch, range, 0..self.n),
                }
            }
        };
        match threads {
            1 => part(0),
            threads => (0..threads).into_par_iter().for_each(part),
        }
        if let Some(turned) = &self.turned {
            // SAFETY: both have all elements of the result.
            unsafe { turned.copy(scratch, at[2], threads) };
        }
    }

    /// Some rows and columns of a product.
    ///
    /// # Safety
    /// As [`Dot::product`].
    unsafe fn part<T: Float>(&self, at: [usize; 3], scratch: usize, rows: Range<usize>, columns: Range<usize>) {
        if self.is_skinny() {
            let part = Skinny {
                m: self.m,
                columns,
                k: self.k,
                a: at[0] as *const f32,
                a_row: self.left.row,
                b: at[1] as *const f32,
                b_column: self.right.column,
                to: at[2] as *mut f32,
                to_row: self.result.row,
                to_column: self.result.column,
            };
            return Arch::new().dispatch(part);
        }
        let (to, result) = match self.turned {
            Some(_) => (scratch, Matrix { row: 1, column: self.m as isize }),
            None => (at[2], self.result),
        };
        let (row, column) = (rows.start as isize, columns.start as isize);
        // SAFETY: what the caller promises.
        unsafe {
            gemm::gemm(
                rows.len(),
                columns.len(),
                self.k,
                (to as *mut T).offset(row * result.row + column * result.column),
                result.column,
                result.row,
                false,
                (at[0] as *const T).offset(row * self.left.row),
                self.left.column,
                self.left.row,
                (at[1] as *const T).offset(column * self.right.column),
                self.right.column,
                self.right.row,
                T::ZERO,
                T::ONE,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
    }
}

impl Kernel for Dot {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let width = self.dtype.bytes() as isize;
        let count: usize = self.batch.iter().map(|b| b.0).product();
        let starts = [memory.reads[0] as usize, memory.reads[1] as usize, memory.writes[0] as usize];
        let each = self.m * self.n * self.k;
        let scratch = memory.scratch as usize;
        let each_scratch = self.turned.as_ref().map_or(0, |_| self.m * self.n * width as usize);
        let one = |i: usize, thread: usize, threads: usize| {
            let scratch = scratch + thread * each_scratch;
            let mut at = starts;
            let mut rest = i;
            for (n, strides) in self.batch.iter().rev() {
                let index = (rest % n) as isize;
                rest /= n;
                for (at, stride) in at.iter_mut().zip(strides) {
                    *at = at.wrapping_add_signed(index * stride * width);
                }
            }
            // SAFETY: the step was compiled for these matrices; products write different elements.
            unsafe {
                match self.dtype {
                    DType::F64 => self.product::<f64>(at, scratch, threads),
                    _ => self.product::<f32>(at, scratch, threads),
                }
            }
        };
        let share = cx.threads > 1 && count * each >= WORTH_SHARING;
        if share && count >= cx.threads {
            (0..cx.threads).into_par_iter().for_each(|t| {
                (t * count / cx.threads..(t + 1) * count / cx.threads).for_each(|i| one(i, t, 1));
            });
        } else {
            (0..count).for_each(|i| one(i, 0, if share { cx.threads } else { 1 }));
        }
        Ok(())
    }
}
