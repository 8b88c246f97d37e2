//! Ops that move elements to where no view could show them: copies.

use super::{Lowerer, Target};
use crate::view::{View, dense_strides};
use partita_ir::arena::OpId;
use partita_ir::op::OpKind;
use partita_ir::ops::{Concatenate, Pad};

/// Lowers an op that moves elements; whether it is one.
pub(crate) fn lower<T: Target>(to: &mut Lowerer<'_, T>, id: OpId) -> bool {
    let program = to.program;
    match &program.ops[id].kind {
        OpKind::Reshape(_) => reshape(to, id),
        OpKind::Concatenate(op) => concatenate(to, id, op),
        OpKind::Pad(op) => pad(to, id, op),
        _ => return false,
    }
    true
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
