//! Ops that move elements in a way that no view can represent: they are lowered to copies.

use super::{Lowerer, Target};
use crate::view::{View, dense_strides};
use partita_ir::arena::OpId;
use partita_ir::op::OpKind;
use partita_ir::ops::{Concatenate, Pad};

/// An op that is lowered to copies of its operands.
#[derive(Clone, Copy)]
pub enum CopyOp<'a> {
    /// A reshape whose result is not a strided view of the operand.
    Reshape,
    /// A concatenation along a dimension.
    Concatenate(&'a Concatenate),
    /// An operand with padding.
    Pad(&'a Pad),
}

impl<'a> CopyOp<'a> {
    /// Classifies an op; returns `None` for ops that are not copies.
    pub fn from_kind(kind: &'a OpKind) -> Option<CopyOp<'a>> {
        match kind {
            OpKind::Reshape(_) => Some(CopyOp::Reshape),
            OpKind::Concatenate(op) => Some(CopyOp::Concatenate(op)),
            OpKind::Pad(op) => Some(CopyOp::Pad(op)),
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => None,
            OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) => None,
            OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) => None,
            OpKind::Broadcast(_) | OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) => None,
            OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) => None,
            OpKind::Gather(_) | OpKind::Scatter(_) | OpKind::DotGeneral(_) | OpKind::Convolution(_) => None,
            OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Reduce(_) | OpKind::ReduceFunc(_) => None,
            OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => None,
            OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => None,
            OpKind::HouseholderProduct(_)
            | OpKind::Svd(_)
            | OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_) => None,
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => None,
            OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => None,
            OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) => None,
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => None,
            OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => None,
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => None,
        }
    }
}

/// Lowers an op to copies of its operands.
pub(crate) fn lower<T: Target>(lowerer: &mut Lowerer<'_, T>, id: OpId, copies: CopyOp<'_>) {
    match copies {
        CopyOp::Reshape => reshape(lowerer, id),
        CopyOp::Concatenate(op) => concatenate(lowerer, id, op),
        CopyOp::Pad(op) => pad(lowerer, id, op),
    }
}

/// Copies the operand of a reshape to row-major order.
fn reshape<T: Target>(lowerer: &mut Lowerer<'_, T>, id: OpId) {
    let op = &lowerer.program.ops[id];
    let ty = lowerer.program.ty(op.args[0]);
    let (span, view) = lowerer.span_and_view(op.args[0]);
    let result = lowerer.result(id);
    lowerer.copy(id, ty.dtype, (span, &view), (result, &View::dense(&ty.shape)));
}

/// Copies each operand to its range of the result.
fn concatenate<T: Target>(lowerer: &mut Lowerer<'_, T>, id: OpId, concatenate: &Concatenate) {
    let op = &lowerer.program.ops[id];
    let out = lowerer.program.ty(op.outs[0]);
    let strides = dense_strides(&out.shape);
    let result = lowerer.result(id);
    let mut at = 0;
    for &arg in &op.args {
        let (span, view) = lowerer.span_and_view(arg);
        let offset = at as isize * strides[concatenate.dim];
        let part = View { shape: view.shape.clone(), strides: strides.clone(), offset };
        at += view.shape[concatenate.dim];
        if view.count() > 0 {
            lowerer.copy(id, out.dtype, (span, &view), (result, &part));
        }
    }
}

/// Fills the result with the padding value and copies the operand over it.
fn pad<T: Target>(lowerer: &mut Lowerer<'_, T>, id: OpId, pad: &Pad) {
    let op = &lowerer.program.ops[id];
    let out = lowerer.program.ty(op.outs[0]);
    let (fill, fill_view) = lowerer.span_and_view(op.args[1]);
    let (span, mut view) = lowerer.span_and_view(op.args[0]);
    let result = lowerer.result(id);
    let everywhere = View { offset: fill_view.offset, ..View::repeated(&out.shape) };
    lowerer.copy(id, out.dtype, (fill, &everywhere), (result, &View::dense(&out.shape)));
    let mut part = View::dense(&out.shape);
    for d in 0..out.shape.rank() {
        let step = pad.interior.get(d).copied().unwrap_or(0) + 1;
        let low = pad.low.get(d).copied().unwrap_or(0);
        // Element `i` of the operand is stored at `low + i * step`. Elements outside of the result are skipped.
        let (n, size) = (view.shape[d] as i64, out.shape[d] as i64);
        let first = if low < 0 { (-low + step as i64 - 1) / step as i64 } else { 0 };
        let end = if size > low { ((size - 1 - low).max(-1) / step as i64 + 1).min(n) } else { 0 };
        let len = (end - first).max(0) as usize;
        view = view.sliced(d, if len == 0 { 0 } else { first as usize }, len, 1);
        let start = low + first * step as i64;
        part = part.sliced(d, if len == 0 { 0 } else { start as usize }, len, step);
    }
    if view.count() > 0 {
        lowerer.copy(id, out.dtype, (span, &view), (result, &part));
    }
}
