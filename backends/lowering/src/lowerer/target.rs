//! What a backend says about the machine for which it lowers.

use super::Lowerer;
use crate::fusion::group::Calc;
use crate::fusion::row_loop::RowLoop;
use crate::view::View;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::program::{Op, Program};
use partita_runtime::kernel::Computes;

/// A machine for which functions are lowered.
pub trait Target: Sized {
    /// What it computes with.
    type Kernel: Computes;

    /// Whether it computes that in a fused loop, from operands of one dtype to a result of another.
    fn fuses(&self, calc: &Calc, from: DType, to: DType) -> bool;

    /// How many operands and results a fused loop may have, roughly.
    fn most_operands(&self) -> usize {
        usize::MAX
    }

    /// A fused loop on so many threads, and how many bytes of scratch memory it wants.
    fn fused(&self, row_loop: RowLoop, threads: usize) -> (Self::Kernel, usize);

    /// Whether a fused loop may write elements of a dtype in the place of those that it reads.
    fn writes_in_place(&self, _: DType) -> bool {
        true
    }

    /// Copies elements of so many bytes from one view to another of the same shape. Offsets are in the addresses.
    fn strided(&self, from: &View, to: &View, width: usize) -> Self::Kernel;

    /// Whether any result of the op can be written as the view says.
    fn writes_as(&self, program: &Program, op: &Op, stored: &View) -> bool;

    /// Whether the op reads its operands as well in any order of their dimensions.
    fn reads_as_it_lies(&self, _: &Op) -> bool {
        false
    }

    /// Lowers an op that neither moves elements only nor is fused.
    fn op(to: &mut Lowerer<'_, Self>, id: OpId);
}
