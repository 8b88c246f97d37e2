//! Ops that move elements to where no view could show them: copies.

use super::{Lowerer, Target};
use crate::view::{View, dense_strides};
use partita_ir::arena::OpId;
use partita_ir::op::OpKind;
use partita_ir::ops::{Concatenate, Pad};

/// An op that copies its operands.
#[derive(Clone, Copy)]
pub enum Copies<'a> {
    /// A reshape of what no view shows in the new shape.
    Reshape,
    /// Operands one after the other.
    Concatenate(&'a Concatenate),
    /// An operand within its padding.
    Pad(&'a Pad),
}

impl<'a> Copies<'a> {
    /// The copies that an op is; `None` for other ops.
    pub fn of(kind: &'a OpKind) -> Option<Copies<'a>> {
        match kind {
            OpKind::Reshape(_) => Some(Copies::Reshape),
            OpKind::Concatenate(op) => Some(Copies::Concatenate(op)),
            OpKind::Pad(op) => Some(Copies::Pad(op)),
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => None,
            OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) => None,
            OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) => None,
            OpKind::Broadcast(_) | OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) => None,
            OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) => None,
            OpKind::Gather(_) | OpKind::Scatter(_) | OpKind::DotGeneral(_) | OpKind::Convolution(_) => None,
            OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Reduce(_) | OpKind::ReduceFunc(_) => None,
            OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => None,
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => None,
            OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => None,
            OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) => None,
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => None,
            OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => None,
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::PieceStart(_) => None,
        }
    }
}

/// Lowers an op that copies its operands.
pub(crate) fn lower<T: Target>(to: &mut Lowerer<'_, T>, id: OpId, copies: Copies<'_>) {
    match copies {
        Copies::Reshape => reshape(to, id),
        Copies::Concatenate(op) => concatenate(to, id, op),
        Copies::Pad(op) => pad(to, id, op),
    }
}

/// A reshape of what does not lie as its result wants it.
fn reshape<T: Target>(to: &mut Lowerer<'_, T>, id: OpId) {
    let op = &to.program.ops[id];
    let ty = to.program.ty(op.args[0]);
    let (span, view) = to.strided(op.args[0]);
    let result = to.result(id);
    to.copy(id, ty.dtype, (span, &view), (result, &View::dense(&ty.shape)));
}

/// Each operand is copied to its place.
fn concatenate<T: Target>(to: &mut Lowerer<'_, T>, id: OpId, concatenate: &Concatenate) {
    let op = &to.program.ops[id];
    let out = to.program.ty(op.outs[0]);
    let strides = dense_strides(&out.shape);
    let result = to.result(id);
    let mut at = 0;
    for &arg in &op.args {
        let (span, view) = to.strided(arg);
        let offset = at as isize * strides[concatenate.dim];
        let part = View { shape: view.shape.clone(), strides: strides.clone(), offset };
        at += view.shape[concatenate.dim];
        if view.count() > 0 {
            to.copy(id, out.dtype, (span, &view), (result, &part));
        }
    }
}

/// The padding everywhere, then the operand over it.
fn pad<T: Target>(to: &mut Lowerer<'_, T>, id: OpId, pad: &Pad) {
    let op = &to.program.ops[id];
    let out = to.program.ty(op.outs[0]);
    let (fill, fill_view) = to.strided(op.args[1]);
    let (span, mut view) = to.strided(op.args[0]);
    let result = to.result(id);
    let everywhere = View { offset: fill_view.offset, ..View::repeated(&out.shape) };
    to.copy(id, out.dtype, (fill, &everywhere), (result, &View::dense(&out.shape)));
    let mut part = View::dense(&out.shape);
    for d in 0..out.shape.rank() {
        let step = pad.interior.get(d).copied().unwrap_or(0) + 1;
        let low = pad.low.get(d).copied().unwrap_or(0);
        // Of the operand what lies inside of the result: element i is at low + i * step.
        let (n, size) = (view.shape[d] as i64, out.shape[d] as i64);
        let first = if low < 0 { (-low + step as i64 - 1) / step as i64 } else { 0 };
        let behind = if size > low { ((size - 1 - low).max(-1) / step as i64 + 1).min(n) } else { 0 };
        let len = (behind - first).max(0) as usize;
        view = view.sliced(d, if len == 0 { 0 } else { first as usize }, len, 1);
        let start = low + first * step as i64;
        part = part.sliced(d, if len == 0 { 0 } else { start as usize }, len, step);
    }
    if view.count() > 0 {
        to.copy(id, out.dtype, (span, &view), (result, &part));
    }
}
