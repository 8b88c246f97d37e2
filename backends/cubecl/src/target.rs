//! What GPUs compute with, for [`partita_lowering`].

use crate::fused::{at, kernels};
use crate::kernels::functions::{has_binary_f32, has_binary_int, has_unary_f32};
use crate::kernels::product::{Matrix, Sizes};
use crate::kernels::steps::{At, Lane, Term};
use crate::ops;
use crate::spec::{Launch, Spec, copy};
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, DotGeneral, UnaryOp};
use partita_ir::program::{Op, Program};
use partita_lowering::fusion::group::Calc;
use partita_lowering::fusion::row_loop::RowLoop;
use partita_lowering::product::{self, lies_in, product};
use partita_lowering::target::Target;
use partita_lowering::view::View;

/// Lowers a function for a GPU.
pub(crate) type Lowerer<'a> = partita_lowering::lowerer::Lowerer<'a, Gpu>;

/// A GPU whose memory is words of 32 bits.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Gpu;

/// How many bytes an element takes: a word.
pub(crate) fn width(_: DType) -> usize {
    4
}

impl Target for Gpu {
    type Kernel = Launch;

    fn fuses(&self, calc: &Calc, from: DType, to: DType) -> bool {
        let (Some(from_lane), Some(_)) = (Lane::of(from), Lane::of(to)) else { return false };
        match calc {
            Calc::Unary(op) => has_unary(*op, from_lane) && from != DType::I64,
            Calc::Binary(op) => has_binary(*op, from_lane) && from != DType::I64,
            Calc::Reduce(monoid) => from == DType::F32 && !matches!(monoid, Monoid::And | Monoid::Or),
            Calc::Compare(_) | Calc::Select | Calc::Clamp | Calc::Convert | Calc::Iota { .. } => true,
        }
    }

    fn fused(&self, row_loop: RowLoop, _: usize) -> (Launch, usize) {
        kernels(&row_loop)
    }

    fn strided(&self, from: &View, to: &View, _: usize) -> Launch {
        Launch::one(copy(from.count(), at(from), at(to)), 1, 1)
    }

    fn writes_as(&self, program: &Program, op: &Op, stored: &View) -> bool {
        match &op.kind {
            OpKind::DotGeneral(dot) => is_product(program, op) && lies_in(program, op, dot, stored),
            OpKind::Attention(_) | OpKind::AttentionGrad(_) => true,
            _ => false,
        }
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

fn is_product(program: &Program, op: &Op) -> bool {
    let is_f32 = |value: &_| program.ty(*value).dtype == DType::F32;
    op.args.iter().chain(&op.outs).all(is_f32) && program.ty(op.outs[0]).shape.count() > 0
}

/// Lowers a product of matrices.
pub(crate) fn lower_product(to: &mut Lowerer<'_>, id: OpId, dot: &DotGeneral) -> Option<()> {
    if !is_product(to.program, &to.program.ops[id]) {
        return None;
    }
    let (found, reads) = product(to, id, dot)?;
    let matrix = |matrix: &product::Matrix, which: usize| {
        let mut divisor = 1;
        let mut terms = Vec::new();
        for &(size, strides) in found.batch.iter().rev() {
            terms.push(Term { divisor, size: Some(size), stride: strides[which] as i32 });
            divisor *= size;
        }
        let of_batch = At { offset: matrix.offset as u32, terms };
        Matrix { of_batch, row: matrix.row as i32, column: matrix.column as i32 }
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
    let result = to.result(id);
    to.compute(id, Launch::one(Spec::product(sizes), 2, 1), reads.to_vec(), vec![result]);
    Some(())
}
