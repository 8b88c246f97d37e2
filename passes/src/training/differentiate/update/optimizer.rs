//! The optimizer's step for every parameter.

use super::StepBuilder;
use super::clip::{convert_gradient, times};
use super::rate::LearningRate;
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::{Builder, identifier};
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Adam, Binary, BinaryOp, Momentum, UnaryOp};
use partita_ir::plan::train::{Optimizer, TrainConfig};
use partita_ir::tensor::Scalar;

/// Appends the step of each parameter for its gradient times `factor`, and records the new values.
pub(super) fn optimizer(
    step: &mut StepBuilder<'_>,
    train: &TrainConfig,
    rate: &LearningRate,
    params: &[ParamId],
    gradients: &[ValueId],
    factor: Option<ValueId>,
) {
    let mut scalars: Vec<(DType, Scalars)> = Vec::new();
    let mut changes = Vec::new();
    for (&param, &gradient) in params.iter().zip(gradients) {
        let value = step.b.program.params[param].value;
        let ty = step.b.ty(value);
        step.enter_layer_of(None);
        let dtype = ty.dtype.compute_type();
        let existing = scalars.iter().find(|(other, _)| *other == dtype).map(|(_, scalars)| *scalars);
        let scalars = existing.unwrap_or_else(|| {
            let new = Scalars::append(step, train, rate, dtype);
            scalars.push((dtype, new));
            new
        });
        let path = identifier(&step.b.program.params[param].path);
        step.enter_layer_of(Some(param));
        let gradient = prepare_gradient(&mut step.b, gradient, ty.dtype, factor);
        match train.optimizer {
            Optimizer::Sgd => changes.push((param, sgd_difference(&mut step.b, train, value, gradient, scalars.rate))),
            Optimizer::Momentum { beta, nesterov } => {
                let (state, velocity) = step.add_param_state("velocity", param);
                let kind = Momentum { beta, nesterov, decay: train.decay };
                let args = [value, gradient, velocity, scalars.rate];
                let outs = step.b.op_many(&path, kind, &args, &[ty.clone(), ty]);
                step.replaced.extend([(param, outs[0]), (state, outs[1])]);
            }
            Optimizer::Adam { beta1, beta2, eps } => {
                let (first, m) = step.add_param_state("m", param);
                let (second, v) = step.add_param_state("v", param);
                let kind = Adam { beta1, beta2, eps, decay: train.decay };
                let args = [value, gradient, m, v, scalars.rate, scalars.corrections[0], scalars.corrections[1]];
                let outs = step.b.op_many(&path, kind, &args, &[ty.clone(), ty.clone(), ty]);
                step.replaced.extend([(param, outs[0]), (first, outs[1]), (second, outs[2])]);
            }
        }
    }
    // All differences are computed before the first one is applied, so that their reductions can be combined.
    for (param, change) in changes {
        step.enter_layer_of(Some(param));
        let value = step.b.program.params[param].value;
        let ty = step.b.ty(value);
        let path = identifier(&step.b.program.params[param].path);
        let new = step.b.op(&path, Binary { op: BinaryOp::Sub }, &[value, change], ty);
        step.replaced.push((param, new));
    }
    step.enter_layer_of(None);
}

/// Converts a gradient to the type of the parameter, and multiplies it by the factor.
fn prepare_gradient(b: &mut Builder<'_>, gradient: ValueId, dtype: DType, factor: Option<ValueId>) -> ValueId {
    let is_converted = b.program.ty(gradient).dtype == dtype;
    let gradient = if is_converted { gradient } else { convert_gradient(b, gradient, dtype) };
    match factor {
        Some(factor) => times(b, gradient, factor),
        None => gradient,
    }
}

/// Scalars that all parameters whose steps are computed in one element type share.
#[derive(Clone, Copy)]
struct Scalars {
    rate: ValueId,
    /// `1 - beta^t` for both moments of Adam.
    corrections: [ValueId; 2],
}

impl Scalars {
    fn append(step: &mut StepBuilder<'_>, train: &TrainConfig, rate: &LearningRate, dtype: DType) -> Scalars {
        let rate = rate.append(step, dtype);
        let Optimizer::Adam { beta1, beta2, .. } = train.optimizer else {
            return Scalars { rate, corrections: [rate; 2] };
        };
        let count = step.step_index();
        let count = step.b.convert(count, dtype);
        let correction = |beta| {
            let beta = step.b.splat(Type::new(dtype, []), Scalar::Float(beta));
            let left = step.b.binary(BinaryOp::Pow, beta, count);
            let below = step.b.unary(UnaryOp::Neg, left);
            step.b.binary_scalar(BinaryOp::Add, below, 1.0)
        };
        Scalars { rate, corrections: [beta1, beta2].map(correction) }
    }
}

/// Appends the difference that SGD subtracts from a parameter: `rate * (g + decay * p)`. It is linear in the gradient,
/// which may still be a partial sum.
fn sgd_difference(
    b: &mut Builder<'_>,
    train: &TrainConfig,
    value: ValueId,
    gradient: ValueId,
    rate: ValueId,
) -> ValueId {
    let mut gradient = gradient;
    if train.decay != 0.0 {
        let decay = b.binary_scalar(BinaryOp::Mul, value, train.decay);
        gradient = b.binary(BinaryOp::Add, gradient, decay);
    }
    times(b, gradient, rate)
}
