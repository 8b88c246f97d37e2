//! Kernels of `dynamic_slice` and `dynamic_update_slice`, which read or replace a slice at start indices given at run
//! time. An update overwrites its operand if no later step reads it.

use super::Lowerer;
use super::index::integer;
use partita_ir::arena::OpId;
use partita_ir::dtype::{DType, Type};
use partita_lowering::view::{Dims, dense_strides};
use partita_machine::host::{Cost, MemoryAccess, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use std::sync::Arc;

/// A slice of a contiguous operand. The slice itself is contiguous, too.
struct Window {
    /// Element type of the start index, last valid start, and bytes between consecutive starts, for each dimension of
    /// the operand.
    starts: Dims<(DType, usize, usize)>,
    /// Number of lines, contiguous in the operand, along each dimension, and the bytes between them in the operand.
    lines: Dims<(usize, usize)>,
    /// Bytes of a line.
    line_bytes: usize,
}

impl Window {
    /// Returns the slice of the given sizes. `None` for start indices that the kernels do not read.
    fn new(operand: &Type, sizes: &[usize], indices: &[&Type], width: usize) -> Option<Window> {
        // The reference implementation reads `u64` indices as bit patterns of `i64`.
        if operand.shape.count() == 0 || sizes.contains(&0) || indices.iter().any(|ty| ty.dtype == DType::U64) {
            return None;
        }
        let strides = dense_strides(&operand.shape);
        let bytes = |d: usize| strides[d].unsigned_abs() * width;
        let dims = operand.shape.iter().zip(sizes).zip(indices).enumerate();
        let starts = dims.map(|(d, ((&n, &size), index))| (index.dtype, n - size, bytes(d))).collect();
        // Trailing dimensions that the slice contains entirely, and the one before them, form a line.
        let rank = sizes.len();
        let full = (0..rank).rev().take_while(|&d| sizes[d] == operand.shape[d]).count();
        let first = rank.saturating_sub(full + 1);
        Some(Window {
            starts,
            lines: (0..first).filter(|&d| sizes[d] != 1).map(|d| (sizes[d], bytes(d))).collect(),
            line_bytes: sizes[first..].iter().product::<usize>() * width,
        })
    }

    /// Returns the offset of the slice in the operand, in bytes. Start indices are clamped, so that the slice is in
    /// bounds.
    ///
    /// # Safety
    /// `indices` has the addresses of the start indices.
    unsafe fn offset(&self, indices: &[*const u8]) -> usize {
        let at = |(&(dtype, last, stride), &index): (&(DType, usize, usize), &*const u8)| {
            // SAFETY: guaranteed by the caller.
            let start = unsafe { integer(index, 0, dtype) };
            start.clamp(0, last as i64) as usize * stride
        };
        self.starts.iter().zip(indices).map(at).sum()
    }

    fn line_count(&self) -> usize {
        self.lines.iter().map(|&(count, _)| count).product()
    }

    /// Calls `visit` with the offset of each line in the operand, relative to the slice, and in the slice, in bytes.
    fn each_line(&self, mut visit: impl FnMut(usize, usize)) {
        for line in 0..self.line_count() {
            let (mut rest, mut offset) = (line, 0);
            for &(count, stride) in self.lines.iter().rev() {
                offset += rest % count * stride;
                rest /= count;
            }
            visit(offset, line * self.line_bytes);
        }
    }

    /// Returns the work of copying the slice from or to the operand, which are accessed as given.
    fn work(&self, read: usize) -> Work {
        let bytes = self.line_count() * self.line_bytes;
        let work = Work::default().with(Cost::Line, self.line_count());
        work.with_access(MemoryAccess::Read(read), bytes).with_access(MemoryAccess::Write(0), bytes)
    }
}

/// Kernel of `dynamic_slice`.
struct SliceKernel {
    window: Window,
}

/// Kernel of `dynamic_update_slice`.
struct UpdateKernel {
    window: Window,
    /// Bytes of the operand.
    bytes: usize,
}

/// Lowers a `dynamic_slice`. Returns false for unsupported ops.
pub(super) fn lower_slice(to: &mut Lowerer<'_>, id: OpId, sizes: &[usize]) -> bool {
    let args = to.program.ops[id].args.clone();
    let operand = to.program.ty(args[0]);
    let indices: Vec<&Type> = args[1..].iter().map(|&index| to.program.ty(index)).collect();
    let Some(window) = Window::new(operand, sizes, &indices, to.width(operand.dtype)) else { return false };
    let reads = args.iter().map(|&arg| to.dense(id, arg)).collect();
    let result = to.result(id);
    to.compute(id, Arc::new(SliceKernel { window }), reads, vec![result]);
    true
}

/// Lowers a `dynamic_update_slice`. Returns false for unsupported ops.
pub(super) fn lower_update(to: &mut Lowerer<'_>, id: OpId) -> bool {
    let args = to.program.ops[id].args.clone();
    let (operand, update) = (to.program.ty(args[0]), to.program.ty(args[1]));
    let indices: Vec<&Type> = args[2..].iter().map(|&index| to.program.ty(index)).collect();
    let width = to.width(operand.dtype);
    let Some(window) = Window::new(operand, &update.shape, &indices, width) else { return false };
    let kernel = UpdateKernel { window, bytes: operand.shape.count() * width };
    let reads = args.iter().map(|&arg| to.dense(id, arg)).collect();
    let result = to.result(id);
    to.compute_with(id, Arc::new(kernel), 0, vec![(0, 0)], reads, vec![result]);
    true
}

impl Kernel for SliceKernel {
    unsafe fn run(&self, _: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: the step was compiled for these shapes; operand and result do not overlap.
        unsafe {
            let from = memory.reads[0].add(self.window.offset(&memory.reads[1..]));
            self.window.each_line(|operand, slice| {
                std::ptr::copy_nonoverlapping(from.add(operand), memory.writes[0].add(slice), self.window.line_bytes);
            });
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        self.window.work(0)
    }
}

impl Kernel for UpdateKernel {
    unsafe fn run(&self, _: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: the step was compiled for these shapes; operand and result are identical or do not overlap, and the
        // update does not overlap with the result.
        unsafe {
            let offset = self.window.offset(&memory.reads[2..]);
            if memory.reads[0] != memory.writes[0].cast_const() {
                std::ptr::copy_nonoverlapping(memory.reads[0], memory.writes[0], self.bytes);
            }
            let to = memory.writes[0].add(offset);
            self.window.each_line(|operand, slice| {
                std::ptr::copy_nonoverlapping(memory.reads[1].add(slice), to.add(operand), self.window.line_bytes);
            });
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        self.window.work(1)
    }
}
