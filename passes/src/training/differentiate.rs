//! Differentiation: from a forward model to a training step.
//!
//! [`reverse`] implements reverse mode over the ops of one function. [`adjoint`] contains the rules, one file for each
//! family of ops. [`train`] is the pass that turns a model into a training step. `update` applies the optimizer.

pub mod adjoint;
pub mod copy;
pub mod reverse;
pub mod train;
mod update;

use self::reverse::Activity;
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::Diagnostic;
use partita_ir::expand::expand_all;
use partita_ir::op::OpKind;
use partita_ir::ops::{Constant, Literal};
use partita_ir::program::{Phase, Program};
use partita_ir::tensor::Scalar;

/// Appends the backward pass to the main function of a traced program.
///
/// Returns, in the order of `wrt`, the gradient of the sum of `loss` with respect to each value, or `None` if the loss
/// does not depend on that value. Inputs of the main function that are not parameters count as data: ops that compute
/// gradients of values that depend on data have the phase [`Phase::BackwardInput`].
///
/// # Errors
/// `D001` for each op without an adjoint on a path from `wrt` to `loss`. The program is then left with an incomplete
/// backward pass.
pub fn gradients(
    program: &mut Program,
    loss: ValueId,
    wrt: &[ValueId],
) -> Result<Vec<Option<ValueId>>, Vec<Diagnostic>> {
    decompose_ops(program);
    // entry only: gradients are appended to it; a loop has its own adjoint
    let mut forward = program.funcs[program.entry()].ops().to_vec();
    let data: Vec<ValueId> = train::data_inputs(program).collect();
    let activity = Activity::analyse(program, &forward, wrt, &data);
    let mut names = Namer::from_program(program);
    let mut b = Builder::new(program, &mut names);
    b.phase = Phase::BackwardInput;
    let (name, ty) = (format!("{}.grad", b.program.values[loss].name), b.ty(loss));
    let one = Constant { value: Literal::Splat(Scalar::Float(1.0)) };
    let seed = b.op(&name, one, &[], ty);
    let gradients = reverse::reverse(&mut b, &mut forward, &[(loss, seed)], wrt, &activity);
    let backward = b.body;
    *program.entry_ops_mut() = forward.into_iter().chain(backward).collect();
    gradients
}

/// Decomposes ops that have no adjoint into ops that do.
///
/// Recogniser: [`adjoint::adjoint`] matches every op and returns an error for those without an adjoint.
fn decompose_ops(program: &mut Program) {
    let is_decomposed = |program: &Program, op| matches!(program.ops[op].kind, OpKind::AttentionGrad(_));
    expand_all(program, is_decomposed, |builder, op, types| op.kind.decompose(builder, &op.args, types));
}
