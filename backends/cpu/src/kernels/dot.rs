//! Kernel of contractions (`dot_general`): batched matrix products, computed by the crate `gemm` or, for few rows, by
//! [`SkinnyProduct`].

use super::Lowerer;
use super::copy::StridedCopy;
use super::float::Float;
use super::skinny::SkinnyProduct;
use crate::tuning::KernelTuning;
use gemm::Parallelism;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::DotGeneral;
use partita_ir::program::{Op, Program};
use partita_lowering::lowerer::offset;
use partita_lowering::product::{Matrix, Product, is_matrix_layout, product};
use partita_lowering::view::View;
use partita_machine::host::{self, MemoryAccess, OperandOrder, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use partita_runtime::routine::Span;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Kernel of a batched matrix product.
pub(crate) struct DotKernel {
    dtype: DType,
    product: Product,
    /// Copy of the transposed result from scratch memory to the result; `None` if the product is written directly.
    transposed_copy: Option<StridedCopy>,
}

/// Returns true if this kernel supports the dtypes of a contraction and the result is not empty.
fn has_supported_dtypes(program: &Program, op: &Op) -> bool {
    let (lhs, rhs, out) = (program.ty(op.args[0]), program.ty(op.args[1]), program.ty(op.outs[0]));
    matches!(out.dtype, DType::F32 | DType::F64)
        && lhs.dtype == out.dtype
        && rhs.dtype == out.dtype
        && out.shape.count() > 0
}

/// Returns true if a product can write its result with the layout of the view.
pub(crate) fn writes_to(program: &Program, op: &Op, dot: &DotGeneral, view: &View) -> bool {
    has_supported_dtypes(program, op) && is_matrix_layout(program, op, dot, view)
}

/// Lowers a contraction of floats. Returns false for unsupported ops.
pub(super) fn lower(to: &mut Lowerer<'_>, id: OpId, dot: &DotGeneral) -> bool {
    let op = &to.program.ops[id];
    if !has_supported_dtypes(to.program, op) {
        return false;
    }
    let dtype = to.program.ty(op.outs[0]).dtype;
    let Some((product, [left, right])) = product(to, id, dot) else { return false };
    let at = |span: Span, matrix: Matrix| offset(span, matrix.offset, dtype.bytes() as usize);
    let reads = vec![at(left, product.left), at(right, product.right)];
    let result = to.result(id);
    let mut kernel = DotKernel { dtype, product, transposed_copy: None };
    let mut scratch = 0;
    if kernel.is_transposed() {
        let Product { m, n, result, .. } = kernel.product;
        let view = |row, column| View {
            shape: [m, n].into_iter().collect(),
            strides: [row, column].into_iter().collect(),
            offset: 0,
        };
        let width = dtype.bytes() as usize;
        kernel.transposed_copy = Some(StridedCopy::new(&view(1, m as isize), &view(result.row, result.column), width));
        scratch = m * n * width * to.threads();
    }
    to.compute_with(id, Arc::new(kernel), scratch, Vec::new(), reads, vec![result]);
    true
}

impl DotKernel {
    /// Returns true if [`SkinnyProduct`] computes the product: it has few rows, and the columns of the right operand
    /// are contiguous.
    fn is_skinny(&self) -> bool {
        let is_k_contiguous = self.product.left.column == 1
            && self.product.right.row == 1
            && self.product.right.column.unsigned_abs() >= self.product.k;
        self.dtype == DType::F32
            && self.product.m <= KernelTuning::TUNED.max_skinny_rows
            && self.product.k >= KernelTuning::TUNED.min_skinny_side
            && self.product.n >= KernelTuning::TUNED.min_skinny_side
            && is_k_contiguous
    }

    /// Returns true if the transposed result is computed in scratch memory and then copied, which is faster for
    /// products with a moderate number of rows.
    fn is_transposed(&self) -> bool {
        let is_k_contiguous = self.product.left.column == 1
            && self.product.right.row == 1
            && self.product.right.column.unsigned_abs() >= self.product.k;
        let has_few_rows = self.product.m <= KernelTuning::TUNED.max_transposed_rows
            && self.product.n >= self.product.m
            && self.product.k >= KernelTuning::TUNED.min_skinny_side;
        has_few_rows && is_k_contiguous && self.product.result.column == 1 && !self.is_skinny()
    }

    /// Computes one product of the batch on the given number of threads. `at` contains the addresses of left operand,
    /// right operand and result.
    ///
    /// # Safety
    /// The addresses are valid for the matrices, and `scratch` for the transposed result if there is a
    /// `transposed_copy`.
    unsafe fn multiply<T: Float>(&self, at: [usize; 3], scratch: usize, threads: usize) {
        // Threads partition the longer side, since `gemm` would partition only rows, which may be few.
        let by_columns = self.product.n >= self.product.m || self.transposed_copy.is_some() || self.is_skinny();
        let side = if by_columns { self.product.n } else { self.product.m };
        let part = |i: usize| {
            let range = i * side / threads..(i + 1) * side / threads;
            // SAFETY: guaranteed by the caller; parts write disjoint rows or columns.
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
        if let Some(transposed_copy) = &self.transposed_copy {
            // SAFETY: both have all elements of the result.
            unsafe { transposed_copy.copy(scratch, at[2], threads) };
        }
    }

    /// Computes some rows and columns of one product of the batch.
    ///
    /// # Safety
    /// Same as [`DotKernel::multiply`].
    unsafe fn part<T: Float>(&self, at: [usize; 3], scratch: usize, rows: Range<usize>, columns: Range<usize>) {
        if self.is_skinny() {
            let part = SkinnyProduct {
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
        let (to, result) = match self.transposed_copy {
            Some(_) => (scratch, Matrix { offset: 0, row: 1, column: self.product.m as isize }),
            None => (at[2], self.product.result),
        };
        let (row, column) = (rows.start as isize, columns.start as isize);
        // SAFETY: guaranteed by the caller.
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

/// Returns true for a row-major matrix: adjacent elements of a row are at most as far apart as adjacent elements of a
/// column.
fn is_row_major(matrix: &Matrix) -> bool {
    matrix.column.unsigned_abs() <= matrix.row.unsigned_abs()
}

impl Kernel for DotKernel {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let width = self.dtype.bytes() as isize;
        let count: usize = self.product.batch.iter().map(|b| b.0).product();
        let starts = [memory.reads[0] as usize, memory.reads[1] as usize, memory.writes[0] as usize];
        let each = self.product.m * self.product.n * self.product.k;
        let scratch = memory.scratch as usize;
        let each_scratch =
            self.transposed_copy.as_ref().map_or(0, |_| self.product.m * self.product.n * width as usize);
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
            // SAFETY: the step was compiled for these matrices; products write disjoint elements.
            unsafe {
                match self.dtype {
                    DType::F64 => self.multiply::<f64>(at, scratch, threads),
                    _ => self.multiply::<f32>(at, scratch, threads),
                }
            }
        };
        let share = cx.threads > 1 && count * each >= KernelTuning::TUNED.min_parallel_product;
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
        // A column-major result is computed as the transposed product.
        let (order, size) = match result.row.unsigned_abs() < result.column.unsigned_abs() {
            true => (OperandOrder(!is_row_major(right), !is_row_major(left)), [*n, *m, *k]),
            false => (OperandOrder(is_row_major(left), is_row_major(right)), [*m, *n, *k]),
        };
        let is_shared = threads > 1 && count * m * n * k >= KernelTuning::TUNED.min_parallel_product;
        let bytes = |elements: usize| count * elements * self.dtype.bytes() as usize;
        Work::default()
            .with_product(host::Product { dtype: self.dtype, order, size }, count)
            .with_access(MemoryAccess::Read(0), bytes(m * k))
            .with_access(MemoryAccess::Read(1), bytes(k * n))
            .with_access(MemoryAccess::Write(0), bytes(m * n))
            .with_max_cores(if is_shared { threads } else { 1 })
    }
}
