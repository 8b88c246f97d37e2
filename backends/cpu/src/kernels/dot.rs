//! Contractions, by the crate `gemm`.

use super::Lowerer;
use super::copy::Strided;
use super::float::Float;
use super::skinny::Skinny;
use crate::tuning::KernelTuning;
use gemm::Parallelism;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::DotGeneral;
use partita_ir::program::{Op, Program};
use partita_lowering::lowerer::offset;
use partita_lowering::product::{Matrix, Product, lies_in, product};
use partita_lowering::view::View;
use partita_machine::host::{self, Order, Touch, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use partita_runtime::routine::Span;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Products of matrices, one for each index of the batch.
pub(crate) struct Dot {
    dtype: DType,
    product: Product,
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

/// Whether a product is written as the view says.
pub(crate) fn writes_to(program: &Program, op: &Op, dot: &DotGeneral, view: &View) -> bool {
    is_product(program, op) && lies_in(program, op, dot, view)
}

/// Lowers a contraction of floats.
pub(super) fn lower(to: &mut Lowerer<'_>, id: OpId, dot: &DotGeneral) -> bool {
    let op = &to.program.ops[id];
    if !is_product(to.program, op) {
        return false;
    }
    let dtype = to.program.ty(op.outs[0]).dtype;
    let Some((product, [left, right])) = product(to, id, dot) else { return false };
    let at = |span: Span, matrix: Matrix| offset(span, matrix.offset, dtype.bytes() as usize);
    let reads = vec![at(left, product.left), at(right, product.right)];
    let result = to.result(id);
    let mut kernel = Dot { dtype, product, turned: None };
    let mut scratch = 0;
    if kernel.is_turned() {
        let Product { m, n, result, .. } = kernel.product;
        let view = |row, column| View {
            shape: [m, n].into_iter().collect(),
            strides: [row, column].into_iter().collect(),
            offset: 0,
        };
        let width = dtype.bytes() as usize;
        kernel.turned = Some(Strided::new(&view(1, m as isize), &view(result.row, result.column), width));
        scratch = m * n * width * to.threads();
    }
    to.compute_with(id, Arc::new(kernel), scratch, Vec::new(), reads, vec![result]);
    true
}

impl Dot {
    /// Whether it is few rows with columns that lie one after the other.
    fn is_skinny(&self) -> bool {
        let in_order = self.product.left.column == 1
            && self.product.right.row == 1
            && self.product.right.column.unsigned_abs() >= self.product.k;
        self.dtype == DType::F32
            && self.product.m <= KernelTuning::TUNED.skinny_rows
            && self.product.k >= KernelTuning::TUNED.skinny_side
            && self.product.n >= KernelTuning::TUNED.skinny_side
            && in_order
    }

    /// Whether rows are better computed as columns.
    fn is_turned(&self) -> bool {
        let in_order = self.product.left.column == 1
            && self.product.right.row == 1
            && self.product.right.column.unsigned_abs() >= self.product.k;
        let is_few = self.product.m <= KernelTuning::TUNED.few_rows
            && self.product.n >= self.product.m
            && self.product.k >= KernelTuning::TUNED.skinny_side;
        is_few && in_order && self.product.result.column == 1 && !self.is_skinny()
    }

    /// One product, on so many threads.
    ///
    /// # Safety
    /// The addresses are good for the matrices, and scratch memory for the result if it is turned.
    unsafe fn multiply<T: Float>(&self, at: [usize; 3], scratch: usize, threads: usize) {
        // Threads share the longer side. `gemm` would share rows alone, of which there may be few.
        let by_columns = self.product.n >= self.product.m || self.turned.is_some() || self.is_skinny();
        let side = if by_columns { self.product.n } else { self.product.m };
        let part = |i: usize| {
            let range = i * side / threads..(i + 1) * side / threads;
            // SAFETY: what the caller promises; parts are of different rows or columns.
            unsafe {
                match by_columns {
                    true => self.part::<T>(at, scratch, 0..self.product.m, range),
                    false => self.part::<T>(at, scratch, range, 0..self.product.n),
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
    /// As [`Dot::multiply`].
    unsafe fn part<T: Float>(&self, at: [usize; 3], scratch: usize, rows: Range<usize>, columns: Range<usize>) {
        if self.is_skinny() {
            let part = Skinny {
                m: self.product.m,
                columns,
                k: self.product.k,
                a: at[0] as *const f32,
                a_row: self.product.left.row,
                b: at[1] as *const f32,
                b_column: self.product.right.column,
                to: at[2] as *mut f32,
                to_row: self.product.result.row,
                to_column: self.product.result.column,
            };
            return Arch::new().dispatch(part);
        }
        let (to, result) = match self.turned {
            Some(_) => (scratch, Matrix { offset: 0, row: 1, column: self.product.m as isize }),
            None => (at[2], self.product.result),
        };
        let (row, column) = (rows.start as isize, columns.start as isize);
        // SAFETY: what the caller promises.
        unsafe {
            gemm::gemm(
                rows.len(),
                columns.len(),
                self.product.k,
                (to as *mut T).offset(row * result.row + column * result.column),
                result.column,
                result.row,
                false,
                (at[0] as *const T).offset(row * self.product.left.row),
                self.product.left.column,
                self.product.left.row,
                (at[1] as *const T).offset(column * self.product.right.column),
                self.product.right.column,
                self.product.right.row,
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

/// Whether elements of a row are nearer to each other than those of a column.
fn by_rows(matrix: &Matrix) -> bool {
    matrix.column.unsigned_abs() <= matrix.row.unsigned_abs()
}

impl Kernel for Dot {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let width = self.dtype.bytes() as isize;
        let count: usize = self.product.batch.iter().map(|b| b.0).product();
        let starts = [memory.reads[0] as usize, memory.reads[1] as usize, memory.writes[0] as usize];
        let each = self.product.m * self.product.n * self.product.k;
        let scratch = memory.scratch as usize;
        let each_scratch = self.turned.as_ref().map_or(0, |_| self.product.m * self.product.n * width as usize);
        let one = |i: usize, thread: usize, threads: usize| {
            let scratch = scratch + thread * each_scratch;
            let mut at = starts;
            let mut rest = i;
            for (n, strides) in self.product.batch.iter().rev() {
                let index = (rest % n) as isize;
                rest /= n;
                for (at, stride) in at.iter_mut().zip(strides) {
                    *at = at.wrapping_add_signed(index * stride * width);
                }
            }
            // SAFETY: the step was compiled for these matrices; products write different elements.
            unsafe {
                match self.dtype {
                    DType::F64 => self.multiply::<f64>(at, scratch, threads),
                    _ => self.multiply::<f32>(at, scratch, threads),
                }
            }
        };
        let share = cx.threads > 1 && count * each >= KernelTuning::TUNED.shared_product;
        if share && count >= cx.threads {
            (0..cx.threads).into_par_iter().for_each(|t| {
                (t * count / cx.threads..(t + 1) * count / cx.threads).for_each(|i| one(i, t, 1));
            });
        } else {
            (0..count).for_each(|i| one(i, 0, if share { cx.threads } else { 1 }));
        }
        Ok(())
    }

    fn work(&self, threads: usize) -> Work {
        let Product { m, n, k, left, right, result, batch } = &self.product;
        let count: usize = batch.iter().map(|b| b.0).product();
        // Who writes columns computes the transposed product.
        let (order, size) = match result.row.unsigned_abs() < result.column.unsigned_abs() {
            true => (Order(!by_rows(right), !by_rows(left)), [*n, *m, *k]),
            false => (Order(by_rows(left), by_rows(right)), [*m, *n, *k]),
        };
        let is_shared = threads > 1 && count * m * n * k >= KernelTuning::TUNED.shared_product;
        let bytes = |elements: usize| count * elements * self.dtype.bytes() as usize;
        Work::default()
            .multiplying(host::Product { dtype: self.dtype, order, size }, count)
            .over(Touch::Read(0), bytes(m * k))
            .over(Touch::Read(1), bytes(k * n))
            .over(Touch::Written(0), bytes(m * n))
            .shared_by(if is_shared { threads } else { 1 })
    }
}
