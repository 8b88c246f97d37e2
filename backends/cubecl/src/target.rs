//! Capabilities of GPUs, for [`partita_lowering`].

use crate::fused::{address_map, kernels};
use crate::gpu::{Gpu, Lowerer};
use crate::kernels::functions::{has_binary, has_unary};
use crate::kernels::steps::RegClass;
use crate::launch::Launch;
use crate::ops;
use crate::spec::copy;
use partita_gpu::Target;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};
use partita_lowering::fusion::group::Calc;
use partita_lowering::fusion::row_loop::RowLoop;
use partita_lowering::lowerer::Target as Lowers;
use partita_lowering::product::is_matrix_layout;
use partita_lowering::view::View;

impl Lowers for Gpu {
    type Kernel = Launch;

    fn fuses(&self, calc: &Calc, from: DType, to: DType) -> bool {
        let (Some(from_lane), Some(_)) = (RegClass::from_dtype(from), RegClass::from_dtype(to)) else { return false };
        match calc {
            Calc::Unary(op) => has_unary(*op, from_lane),
            Calc::Binary(op) => has_binary(*op, from_lane),
            Calc::Reduce(monoid) => from_lane == RegClass::F32 && !matches!(monoid, Monoid::And | Monoid::Or),
            Calc::Compare(_) | Calc::Select | Calc::Clamp | Calc::Convert | Calc::Iota { .. } => true,
        }
    }

    fn max_operands(&self) -> usize {
        match self.target {
            Target::Cuda { .. } | Target::Hip => self.max_buffers(),
            // Few devices have only the seven buffers of `max_buffers`, whereas many loops need more.
            Target::Wgsl | Target::Metal | Target::Spirv => 24,
        }
    }

    fn fused_kernel(&self, row_loop: RowLoop, _: usize) -> (Launch, usize) {
        kernels(*self, &row_loop)
    }

    /// 16-bit floats are loaded as words that contain two elements; another thread may already have overwritten the
    /// neighbouring element.
    fn writes_in_place(&self, dtype: DType) -> bool {
        self.target.width(dtype) == 4
    }

    fn copy_kernel(&self, from: &View, to: &View, width: usize) -> Launch {
        Launch::with_all_buffers(copy(from.count(), width, address_map(from), address_map(to)), 1, 1)
    }

    /// Recogniser: results of other kernels are stored in row-major order, and a transpose is a view of that.
    fn supports_result_layout(&self, program: &Program, op: &Op, stored: &View) -> bool {
        match &op.kind {
            OpKind::DotGeneral(dot) => {
                self.product_float(program, op).is_some() && is_matrix_layout(program, op, dot, stored)
            }
            OpKind::Attention(_) | OpKind::AttentionGrad(_) => true,
            _ => false,
        }
    }

    /// Recogniser: every other reader is layout-sensitive, so its operands are stored as all readers need them, or in
    /// row-major order.
    fn reads_any_layout(&self, op: &Op) -> bool {
        matches!(op.kind, OpKind::AttentionGrad(_))
    }

    fn lower_op(to: &mut Lowerer<'_>, id: OpId) {
        if ops::lower(to, id).is_none() {
            to.reject(id);
        }
    }
}
