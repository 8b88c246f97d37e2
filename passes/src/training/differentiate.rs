//! Differentiation: from a forward model to a training step.
//!
//! [`reverse`] is reverse mode over the ops of one function; [`adjoint`] holds the rules, one file an op family.
//! [`train`] is the pass that makes a training step of a model, and `update` what it does with the gradients.

pub mod adjoint;
pub mod copy;
pub mod reverse;
pub mod train;
mod update;

use self::reverse::Sides;
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::Diagnostic;
use partita_ir::expand::expand_all;
use partita_ir::op::OpKind;
use partita_ir::ops::{Constant, Literal};
use partita_ir::program::{Phase, Program};
use partita_ir::tensor::Scalar;

/// Appends the backward pass to the main function of a traced program: the gradients of the sum of `loss` for each of
/// `wrt`; `None` for what the loss does not depend on. Inputs of the main function that are no parameters count as
/// data.
///
/// # Errors
/// `D001` for each op on the way that has no adjoint. The program is of no use then.
pub fn gradients(
    program: &mut Program,
    loss: ValueId,
    wrt: &[ValueId],
) -> Result<Vec<Option<ValueId>>, Vec<Diagnostic>> {
    take_apart(program);
    // entry only: gradients are appended to it; a loop has an adjoint of its own
    let mut forward = program.funcs[program.entry()].ops().to_vec();
    let data: Vec<ValueId> = train::data(program).collect();
    let sides = Sides::of(program, &forward, wrt, &data);
    let mut names = Namer::of(program);
    let mut b = Builder::new(program, &mut names);
    b.phase = Phase::BackwardInput;
    let (name, ty) = (format!("{}.grad", b.program.values[loss].name), b.ty(loss));
    let one = Constant { value: Literal::Splat(Scalar::Float(1.0)) };
    let seed = b.op(&name, one, &[], ty);
    let gradients = reverse::reverse(&mut b, &mut forward, &[(loss, seed)], wrt, &sides);
    let backward = b.body;
    *program.entry_ops_mut() = forward.into_iter().chain(backward).collect();
    gradients
}

/// Takes apart what has no adjoint, but parts that have.
///
/// Recogniser: an op without an adjoint is refused by [`adjoint::adjoint`], which matches every one.
fn take_apart(program: &mut Program) {
    let has_parts = |program: &Program, op| matches!(program.ops[op].kind, OpKind::AttentionGrad(_));
    expand_all(program, has_parts, |builder, op, types| op.kind.decompose(builder, &op.args, types));
}
