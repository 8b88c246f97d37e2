//! What GPUs compute with, for [`partita_lowering`].

use crate::fused::{at, kernels};
use crate::kernels::functions::{has_binary_f32, has_binary_int, has_unary_f32};
use crate::kernels::half::Half;
use crate::kernels::product::{Matrix, Sizes};
use crate::kernels::steps::{At, Lane, Step, Term};
use crate::kernels::tensor_product::Cut;
use crate::ops;
use crate::spec::{Factors, Float, Launch, Spec, copy};
use partita_gpu::Target;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, DotGeneral, UnaryOp};
use partita_ir::program::{Op, Program};
use partita_lowering::fusion::group::Calc;
use partita_lowering::fusion::row_loop::RowLoop;
use partita_lowering::lowerer::Target as Lowers;
use partita_lowering::product::{self, lies_in, product};
use partita_lowering::view::View;

/// Lowers a function for a GPU.
pub(crate) type Lowerer<'a> = partita_lowering::lowerer::Lowerer<'a, Gpu>;

/// A GPU of some kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gpu {
    pub(crate) target: Target,
}

impl Gpu {
    /// How many bytes an element takes.
    pub(crate) fn width(self) -> fn(DType) -> usize {
        match self.target {
            Target::Cuda { .. } => |dtype| Target::Cuda { arch: 0 }.width(dtype),
            Target::Wgsl | Target::Hip | Target::Metal | Target::Spirv => |dtype| Target::Wgsl.width(dtype),
        }
    }

    /// How many buffers a kernel that is made of several may have.
    pub(crate) fn most_buffers(self) -> usize {
        match self.target {
            // Of the 4 KiB that parameters may take, half.
            Target::Cuda { .. } | Target::Hip => 256,
            // What every device can bind, but one, which is CubeCL's own.
            Target::Wgsl | Target::Metal | Target::Spirv => 7,
        }
    }

    /// A dtype that memory holds as narrow floats.
    pub(crate) fn half(self, dtype: DType) -> Option<Half> {
        Half::of(dtype).filter(|_| self.target.width(dtype) == 2)
    }

    /// With what floats a product is computed that has a kernel.
    fn multiplies(self, program: &Program, op: &Op) -> Option<Float> {
        let dtype = |value: &_| program.ty(*value).dtype;
        let (left, right, out) = (dtype(&op.args[0]), dtype(&op.args[1]), dtype(&op.outs[0]));
        let is_here = left == right && self.floats(out).is_some() && program.ty(op.outs[0]).shape.count() > 0;
        self.floats(left).filter(|_| is_here)
    }

    /// What floats of a dtype are in memory. Where it has no narrow floats, they are words.
    pub(crate) fn floats(self, dtype: DType) -> Option<Float> {
        match (dtype, self.half(dtype)) {
            (_, Some(Half::Bf16)) => Some(Float::Bf16),
            (_, Some(Half::F16)) => Some(Float::F16),
            (DType::F32 | DType::BF16 | DType::F16, None) => Some(Float::F32),
            _ => None,
        }
    }
}

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

    fn strided(&self, from: &View, to: &View, width: usize) -> Launch {
        Launch::one(copy(from.count(), width, at(from), at(to)), 1, 1)
    }

    fn writes_as(&self, program: &Program, op: &Op, stored: &View) -> bool {
        match &op.kind {
            OpKind::DotGeneral(dot) => self.multiplies(program, op).is_some() && lies_in(program, op, dot, stored),
            OpKind::Attention(_) | OpKind::AttentionGrad(_) => true,
            _ => false,
        }
    }

    fn reads_as_it_lies(&self, op: &Op) -> bool {
        matches!(op.kind, OpKind::AttentionGrad(_))
    }

    fn op(to: &mut Lowerer<'_>, id: OpId) {
        if ops::lower(to, id).is_none() {
            to.refuse(id);
        }
    }
}

/// Whether registers of that lane have the function.
pub(crate) fn has_unary(op: UnaryOp, lane: Lane) -> bool {
    use UnaryOp::{Abs, CountLeadingZeros, Neg, Not, PopCount, Relu, Sign};
    match lane {
        Lane::F32 => has_unary_f32(op),
        Lane::I32 | Lane::U32 => matches!(op, Abs | Neg | Sign | Relu | Not | PopCount | CountLeadingZeros),
        Lane::Bool => op == Not,
    }
}

/// Whether registers of that lane have the function.
pub(crate) fn has_binary(op: BinaryOp, lane: Lane) -> bool {
    use BinaryOp::{Add, And, Max, Min, Mul, Or, Xor};
    match lane {
        Lane::F32 => has_binary_f32(op),
        Lane::I32 | Lane::U32 => has_binary_int(op),
        Lane::Bool => matches!(op, Add | Mul | Max | Min | And | Or | Xor),
    }
}

/// Lowers a product of matrices.
pub(crate) fn lower_product(to: &mut Lowerer<'_>, id: OpId, dot: &DotGeneral) -> Option<()> {
    let float = to.target().multiplies(to.program, &to.program.ops[id])?;
    let (found, reads) = product(to, id, dot)?;
    let matrix = |matrix: &product::Matrix, which: usize| {
        let mut divisor = 1;
        let mut terms = Vec::new();
        for &(size, strides) in found.batch.iter().rev() {
            terms.push(Term { divisor, size: Some(size), stride: strides[which] as i64 });
            divisor *= size;
        }
        let of_batch = At { offset: matrix.offset as i64, terms };
        Matrix { of_batch, row: matrix.row as i64, column: matrix.column as i64 }
    };
    let sizes = Sizes {
        m: found.m,
        n: found.n,
        k: found.k,
        batch: found.batch.iter().map(|b| b.0).product(),
        left: matrix(&found.left, 0),
        right: matrix(&found.right, 1),
        result: matrix(&found.result, 2),
    };
    let dtype = to.program.ty(to.program.ops[id].outs[0]).dtype;
    let at = At::dense();
    let store = match to.target().half(dtype) {
        Some(half) => Step::StoreHalf { memory: 0, at, half, a: 0 },
        None => Step::Store { memory: 0, at, lane: Lane::F32, a: 0 },
    };
    let epilogue = vec![Step::Reduced { number: 0, half: Half::of(dtype) }, store];
    let of = match float {
        Float::F32 => Factors::Words(sizes),
        Float::Bf16 | Float::F16 => Factors::Narrow(sizes.clone(), Cut::of(&sizes), float),
    };
    let spec = Spec::Product { of, reads: 0, writes: 1, epilogue };
    let result = to.result(id);
    to.compute(id, Launch::one(spec, 2, 1), reads.to_vec(), vec![result]);
    Some(())
}
