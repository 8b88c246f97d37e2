//! Implementation of the lowering target for the CPU.

use crate::Cpu;
use crate::fusion::compute::{has_binary, has_reduce, has_unary};
use crate::fusion::run::FusedKernel;
use crate::kernels::copy::StridedCopy;
use crate::kernels::{self, Lowerer, dot};
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};
use partita_lowering::fusion::group::Calc;
use partita_lowering::fusion::row_loop::RowLoop;
use partita_lowering::lowerer::Target;
use partita_lowering::view::View;
use partita_runtime::kernel::Kernel;
use std::sync::Arc;

impl Target for Cpu {
    type Kernel = Arc<dyn Kernel>;

    fn fuses(&self, calc: &Calc, dtype: DType, _: DType) -> bool {
        match calc {
            Calc::Unary(op) => has_unary(*op, dtype),
            Calc::Binary(op) => has_binary(*op, dtype),
            Calc::Reduce(monoid) => has_reduce(*monoid, dtype),
            Calc::Compare(_) | Calc::Select | Calc::Clamp | Calc::Convert | Calc::Iota { .. } => true,
        }
    }

    fn fused_kernel(&self, row_loop: RowLoop, threads: usize) -> (Arc<dyn Kernel>, usize) {
        let kernel = FusedKernel { row_loop, arch: pulp::Arch::new(), threads };
        let scratch = kernel.scratch();
        (Arc::new(kernel), scratch)
    }

    fn copy_kernel(&self, from: &View, to: &View, width: usize) -> Arc<dyn Kernel> {
        Arc::new(StridedCopy::new(from, to, width))
    }

    /// Recogniser: results of other kernels are stored in row-major order, and a transpose is a view of them.
    fn supports_result_layout(&self, program: &Program, op: &Op, stored: &View) -> bool {
        matches!(&op.kind, OpKind::DotGeneral(dot) if dot::writes_to(program, op, dot, stored))
    }

    fn lower_op(to: &mut Lowerer<'_>, id: OpId) {
        kernels::lower(to, id);
    }
}
