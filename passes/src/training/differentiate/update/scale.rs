//! Loss scaling (Micikevicius et al., Mixed Precision Training, 2018): the loss is multiplied by a large number, so
//! that small gradients survive in `f16`, and gradients are divided by it again. A step whose gradients overflow all
//! the same changes nothing; a dynamic scale is halved by it, and doubles after so many steps without.

use super::Step;
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Compare, Direction, Select, Unary, UnaryOp};
use partita_ir::plan::train::Scaling;
use partita_ir::tensor::Scalar;

/// What a dynamic scale starts with.
const START: f64 = 65536.0;

/// Steps without overflow after which it doubles.
const PATIENCE: f64 = 2000.0;

/// A scale, once the program has it.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// Its value in this step, `f32[]`.
    pub(crate) value: ValueId,
    /// The state of a dynamic one: the scale, and the steps without overflow.
    state: Option<[(ParamId, ValueId); 2]>,
}

impl Scale {
    /// Gives the program the scale; `None` when there is none.
    pub(crate) fn of(step: &mut Step<'_>, scaling: Scaling) -> Option<Scale> {
        let ty = Type::new(DType::F32, []);
        match scaling {
            Scaling::None => None,
            Scaling::Static(number) => Some(Scale { value: step.b.splat(ty, Scalar::Float(number)), state: None }),
            Scaling::Dynamic => {
                let scale = step.state("optimizer.scale".into(), None, ty, START);
                let good = step.state("optimizer.good_steps".into(), None, Type::new(DType::I32, []), 0.0);
                Some(Scale { value: scale.1, state: Some([scale, good]) })
            }
        }
    }

    /// What undoes it.
    pub(super) fn inverse(self, b: &mut Builder<'_>) -> ValueId {
        b.unary(UnaryOp::Reciprocal, self.value)
    }

    /// Whether gradients are finite: their squares have a finite sum.
    pub(super) fn finite(self, b: &mut Builder<'_>, sum: ValueId) -> ValueId {
        b.op("finite", Unary { op: UnaryOp::IsFinite }, &[sum], Type::new(DType::Bool, []))
    }

    /// The scale of the next step.
    pub(super) fn adapt(self, step: &mut Step<'_>, finite: ValueId) {
        let Some([(scale_param, scale), (good_param, good)]) = self.state else { return };
        let b = &mut step.b;
        let (float, int) = (b.ty(scale), b.ty(good));
        let more = b.binary_scalar(BinaryOp::Add, good, 1.0);
        let patience = b.splat(int.clone(), Scalar::Int(PATIENCE as i64));
        let at_least = Compare { direction: Direction::Ge, total: false };
        let patient = b.op("patient", at_least, &[more, patience], Type::new(DType::Bool, []));
        let zero = b.splat(int.clone(), Scalar::Int(0));
        let counted = b.op("good_steps", Select {}, &[patient, zero, more], int.clone());
        let good = b.op("good_steps", Select {}, &[finite, counted, zero], int);
        let twice = b.binary_scalar(BinaryOp::Mul, scale, 2.0);
        let half = b.binary_scalar(BinaryOp::Mul, scale, 0.5);
        let grown = b.op("scale", Select {}, &[patient, twice, scale], float.clone());
        let next = b.op("scale", Select {}, &[finite, grown, half], float);
        step.replaced.extend([(scale_param, next), (good_param, good)]);
    }
}
