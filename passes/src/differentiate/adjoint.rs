//! Adjoints: for each op, the gradients of its operands from those of its results.
//!
//! A rule reads op, operands and results through [`Adjoint`], asks of each operand whether its gradient is wanted, and gives
//! it. Rules are written with ops of the IR, so that what they append is partitioned like everything else.

use super::reverse::Sides;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::program::Op;
use partita_ir::tensor::Scalar;
use smallvec::SmallVec;

/// A gradient for each operand or result; `None` where it is zero or nobody wants it.
pub type Gradients = SmallVec<[Option<ValueId>; 3]>;

/// An op whose adjoint is asked for.
pub struct Adjoint<'a, 'p> {
    /// Gets the new ops.
    pub b: &'a mut Builder<'p>,
    /// The op.
    pub op: &'a Op,
    gradients: Gradients,
    sides: &'a Sides,
    given: Gradients,
}

impl<'a, 'p> Adjoint<'a, 'p> {
    /// The op, with the gradients of its results; at least one of them is there.
    pub fn new(b: &'a mut Builder<'p>, op: &'a Op, gradients: Gradients, sides: &'a Sides) -> Adjoint<'a, 'p> {
        let given = op.args.iter().map(|_| None).collect();
        Adjoint { b, op, gradients, sides, given }
    }

    /// Operand `i`.
    pub fn arg(&self, i: usize) -> ValueId {
        self.op.args[i]
    }

    /// Result 0.
    pub fn out(&self) -> ValueId {
        self.op.outs[0]
    }

    /// The gradient of result `i`.
    pub fn gradient_of(&self, i: usize) -> Option<ValueId> {
        self.gradients[i]
    }

    /// The gradient of result 0, zeros if there is none.
    pub fn gradient(&mut self) -> ValueId {
        match self.gradients[0] {
            Some(gradient) => gradient,
            None => {
                let ty = self.b.ty(self.out());
                self.b.splat(ty, Scalar::Float(0.0))
            }
        }
    }

    /// The type of operand `i`.
    pub fn arg_type(&self, i: usize) -> Type {
        self.b.ty(self.arg(i))
    }

    /// Whether the gradient of operand `i` is wanted. The ops that are appended next are part of computing it.
    pub fn wants(&mut self, i: usize) -> bool {
        let arg = self.arg(i);
        self.b.phase = self.sides.phase(arg);
        self.sides.is_wanted(arg)
    }

    /// States the gradient of operand `i`.
    pub fn give(&mut self, i: usize, gradient: ValueId) {
        debug_assert_eq!(self.b.ty(gradient), self.arg_type(i), "the gradient of operand {i} of {:?}", self.op.kind);
        self.given[i] = Some(gradient);
    }

    /// What was given, by operand.
    pub fn given(self) -> Gradients {
        self.given
    }
}

/// Whether small changes of a float operand can change the results at all: rounding and comparing have gradient zero almost
/// everywhere.
pub fn passes_gradients(kind: &OpKind) -> bool {
    !matches!(kind, OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Compare(_))
}

/// Gives the gradients of an op's operands.
///
/// # Errors
/// Why the op has no adjoint, in words.
pub fn adjoint(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    match &at.op.kind {
        _ => Err("no rule is known".into()),
    }
}
