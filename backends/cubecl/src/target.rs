//! What GPUs compute with, for [`partita_lowering`].

use crate::fused::{at, kernels};
use crate::gpu::{Gpu, Lowerer};
use crate::kernels::functions::{has_binary, has_unary};
use crate::kernels::steps::Lane;
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
use partita_lowering::product::lies_in;
use partita_lowering::view::View;

impl Lowers for Gpu {
    type Kernel = Launch;

    fn fuses(&self, calc: &Calc, from: DType, to: DType) -> bool {
        let (Some(from_lane), Some(_)) = (Lane::fused(from), Lane::fused(to)) else { return false };
        match calc {
            Calc::Unary(op) => has_unary(*op, from_lane),
            Calc::Binary(op) => has_binary(*op, from_lane),
            Calc::Reduce(monoid) => from_lane == Lane::F32 && !matches!(monoid, Monoid::And | Monoid::Or),
            Calc::Compare(_) | Calc::Select | Calc::Clamp | Calc::Convert | Calc::Iota { .. } => true,
        }
    }

    fn most_operands(&self) -> usize {
        match self.target {
            Target::Cuda { .. } | Target::Hip => self.most_buffers(),
            // Devices with no more than the seven of `most_buffers` are rare, and loops with more are not.
            Target::Wgsl | Target::Metal | Target::Spirv => 24,
        }
    }

    fn fused(&self, row_loop: RowLoop, _: usize) -> (Launch, usize) {
        kernels(*self, &row_loop)
    }

    /// Narrow floats are read by words, half of which is a neighbour's element, which another thread may already have
    /// written.
    fn writes_in_place(&self, dtype: DType) -> bool {
        self.target.width(dtype) == 4
    }

    fn strided(&self, from: &View, to: &View, width: usize) -> Launch {
        Launch::one(copy(from.count(), width, at(from), at(to)), 1, 1)
    }

    /// Recogniser: results of other kernels are stored in row-major order, and a transpose is a view of that.
    fn writes_as(&self, program: &Program, op: &Op, stored: &View) -> bool {
        match &op.kind {
            OpKind::DotGeneral(dot) => self.multiplies(program, op).is_some() && lies_in(program, op, dot, stored),
            OpKind::Attention(_) | OpKind::AttentionGrad(_) => true,
            _ => false,
        }
    }

    /// Recogniser: any other reader counts, so that an operand is stored as all of its readers want it, or row-major.
    fn reads_as_it_lies(&self, op: &Op) -> bool {
        matches!(op.kind, OpKind::AttentionGrad(_))
    }

    fn op(to: &mut Lowerer<'_>, id: OpId) {
        if ops::lower(to, id).is_none() {
            to.refuse(id);
        }
    }
}
