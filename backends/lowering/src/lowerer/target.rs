//! Interface of a backend: its kernels and capabilities.

use super::Lowerer;
use crate::fusion::group::Calc;
use crate::fusion::row_loop::RowLoop;
use crate::view::View;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::program::{Op, Program};
use partita_runtime::kernel::BackendKernel;

/// A backend, as target of lowering.
pub trait Target: Sized {
    /// The kernel type of the backend.
    type Kernel: BackendKernel;

    /// Returns true if the target supports `calc` in a fused loop. `from` is the dtype of the first operand, or of the
    /// result if there are no operands; `to` is the dtype of the result.
    fn fuses(&self, calc: &Calc, from: DType, to: DType) -> bool;

    /// Returns the approximate maximum number of operands and results of a fused loop in total.
    fn max_operands(&self) -> usize {
        usize::MAX
    }

    /// Returns the kernel of a fused loop for a number of threads, and the bytes of scratch memory that it needs.
    fn fused_kernel(&self, row_loop: RowLoop, threads: usize) -> (Self::Kernel, usize);

    /// Returns true if a fused loop may overwrite its operands with results of a dtype.
    fn writes_in_place(&self, _: DType) -> bool {
        true
    }

    /// Returns a kernel that copies elements of `width` bytes from one view to another of the same shape. Offsets of
    /// the views are in elements.
    fn copy_kernel(&self, from: &View, to: &View, width: usize) -> Self::Kernel;

    /// Returns true if every result of the op can be stored with the layout `stored`.
    fn supports_result_layout(&self, program: &Program, op: &Op, stored: &View) -> bool;

    /// Returns true if the op reads its operands equally fast for any order of their dimensions.
    fn reads_any_layout(&self, _: &Op) -> bool {
        false
    }

    /// Lowers an op that is neither a view, fused, nor a copy. Calls [`Lowerer::reject`] if the target does not support
    /// the op.
    fn lower_op(lowerer: &mut Lowerer<'_, Self>, id: OpId);
}
