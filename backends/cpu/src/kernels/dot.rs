//! Contractions, by the crate `gemm`.
//!
//! The dimensions of both operands fall into those that run along together, those of the left and of the right one alone, and those that
//! are summed over. What lies at equal distances is one dimension of a matrix; where a run of dimensions does not, the operand is
//! copied so that it does.

use super::copy::Strided;
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

/// Multiplications from which on threads share one product.
const WORTH_SHARING: usize = 1 << 17;

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
    let kernel = Dot {
        dtype: out.dtype,
        m,
        n,
        k: sizes(&summed_left, &lhs.shape),
        left: Matrix { row: left_view.strides[batch_rank], column: left_view.strides[batch_rank + 1] },
        right: Matrix { row: right_view.strides[batch_rank], column: right_view.strides[batch_rank + 1] },
        result: Matrix { row, column },
        batch,
    };
    let width = out.dtype.bytes() as usize;
    let reads = vec![offset(left, left_view.offset, width), offset(right, right_view.offset, width)];
    let result = to.result(id);
    to.compute(id, kernel, reads, vec![result]);
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

    /// One product.
    ///
    /// # Safety
    /// The addresses are good for the matrices.
    unsafe fn product<T: 'static>(&self, at: [usize; 3], one: T, zero: T, threads: usize) {
        if self.is_skinny() {
            let part = |i: usize| Skinny {
                m: self.m,
                columns: i * self.n / threads..(i + 1) * self.n / threads,
                k: self.k,
                a: at[0] as *const f32,
                a_row: self.left.row,
                b: at[1] as *const f32,
                b_column: self.right.column,
                to: at[2] as *mut f32,
                to_row: self.result.row,
                to_column: self.result.column,
            };
            let arch = Arch::new();
            return match threads {
                1 => arch.dispatch(part(0)),
                threads => (0..threads).into_par_iter().for_each(|i| arch.dispatch(part(i))),
            };
        }
        let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
        // SAFETY: what the caller promises.
        unsafe {
            gemm::gemm(
                self.m,
                self.n,
                self.k,
                at[2] as *mut T,
                self.result.column,
                self.result.row,
                false,
                at[0] as *const T,
                self.left.column,
                self.left.row,
                at[1] as *const T,
                self.right.column,
                self.right.row,
                zero,
                one,
                false,
                false,
                false,
                parallelism,
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
        let one = |i: usize, threads: usize| {
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
                    DType::F64 => self.product(at, 1.0f64, 0.0, threads),
                    _ => self.product(at, 1.0f32, 0.0, threads),
                }
            }
        };
        let share = cx.threads > 1 && count * each >= WORTH_SHARING;
        if share && count >= cx.threads {
            (0..cx.threads).into_par_iter().for_each(|t| {
                (t * count / cx.threads..(t + 1) * count / cx.threads).for_each(|i| one(i, 1));
            });
        } else {
            (0..count).for_each(|i| one(i, if share { cx.threads } else { 1 }));
        }
        Ok(())
    }
}
