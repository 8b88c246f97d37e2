//! Loss scaling (Micikevicius et al., Mixed Precision Training, 2018): the loss is multiplied by a large number, so
//! that small gradients do not underflow in `f16`, and gradients are divided by it again. A step whose gradients
//! overflow changes nothing. Such a step halves a dynamic scale, and [`SCALE_GROWTH_STEPS`] steps without overflow
//! double it.

use super::StepBuilder;
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Compare, Direction, Select, Unary, UnaryOp};
use partita_ir::plan::train::LossScaling;
use partita_ir::tensor::Scalar;

/// Initial value of a dynamic scale.
const INITIAL_SCALE: f64 = 65536.0;

/// Number of steps without overflow after which a dynamic scale doubles.
const SCALE_GROWTH_STEPS: f64 = 2000.0;

/// A loss scale in a training step.
#[derive(Clone, Copy)]
pub(crate) struct LossScale {
    /// The value of the scale in this step, `f32[]`.
    pub(crate) value: ValueId,
    /// State of a dynamic scale: the scale, and the number of steps without overflow.
    state: Option<[(ParamId, ValueId); 2]>,
}

impl LossScale {
    /// Adds the scale to the program. Returns `None` if the loss is not scaled.
    pub(crate) fn add_to(step: &mut StepBuilder<'_>, scaling: LossScaling) -> Option<LossScale> {
        let ty = Type::new(DType::F32, []);
        match scaling {
            LossScaling::None => None,
            LossScaling::Static(number) => {
                Some(LossScale { value: step.b.splat(ty, Scalar::Float(number)), state: None })
            }
            LossScaling::Dynamic => {
                let scale = step.add_state("optimizer.scale".into(), None, ty, INITIAL_SCALE);
                let good = step.add_state("optimizer.good_steps".into(), None, Type::new(DType::I32, []), 0.0);
                Some(LossScale { value: scale.1, state: Some([scale, good]) })
            }
        }
    }

    /// Appends the reciprocal of the scale.
    pub(super) fn inverse(self, b: &mut Builder<'_>) -> ValueId {
        b.unary(UnaryOp::Reciprocal, self.value)
    }

    /// Appends the condition that all gradients are finite, from the sum of their squares.
    pub(super) fn all_finite(self, b: &mut Builder<'_>, sum: ValueId) -> ValueId {
        b.op("finite", Unary { op: UnaryOp::IsFinite }, &[sum], Type::new(DType::Bool, []))
    }

    /// Appends the scale of the next step.
    pub(super) fn adapt(self, step: &mut StepBuilder<'_>, finite: ValueId) {
        let Some([(scale_param, scale), (good_param, good)]) = self.state else { return };
        let b = &mut step.b;
        let (float, int) = (b.ty(scale), b.ty(good));
        let more = b.binary_scalar(BinaryOp::Add, good, 1.0);
        let patience = b.splat(int.clone(), Scalar::Int(SCALE_GROWTH_STEPS as i64));
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
