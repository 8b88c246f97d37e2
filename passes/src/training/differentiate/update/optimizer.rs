//! The optimizer's step for every parameter.

use super::Step;
use super::clip::times;
use super::rate::Rate;
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::{Builder, identifier};
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Adam, Binary, BinaryOp, Momentum, UnaryOp};
use partita_ir::plan::train::{Optimizer, Train};
use partita_ir::tensor::Scalar;

/// Appends the step of each parameter, by its gradient times `factor`, and notes what it replaces.
pub(super) fn optimizer(
    step: &mut Step<'_>,
    train: &Train,
    rate: &Rate,
    params: &[ParamId],
    gradients: &[ValueId],
    factor: Option<ValueId>,
) {
    let mut scalars: Vec<(DType, Scalars)> = Vec::new();
    let mut changes = Vec::new();
    for (&param, &gradient) in params.iter().zip(gradients) {
        let value = step.b.program.params[param].value;
        let ty = step.b.ty(value);
        let known = scalars.iter().find(|(dtype, _)| *dtype == ty.dtype).map(|(_, scalars)| *scalars);
        let scalars = known.unwrap_or_else(|| {
            let new = Scalars::of(step, train, rate, ty.dtype);
            scalars.push((ty.dtype, new));
            new
        });
        let path = identifier(&step.b.program.params[param].path);
        let gradient = ready(&mut step.b, gradient, ty.dtype, factor);
        match train.optimizer {
            Optimizer::Sgd => changes.push((param, change(&mut step.b, train, value, gradient, scalars.rate))),
            Optimizer::Momentum { beta, nesterov } => {
                let (state, velocity) = step.state_of("velocity", param);
                let kind = Momentum { beta, nesterov, decay: train.decay };
                let args = [value, gradient, velocity, scalars.rate];
                let outs = step.b.op_many(&path, kind, &args, &[ty.clone(), ty]);
                step.replaced.extend([(param, outs[0]), (state, outs[1])]);
            }
            Optimizer::Adam { beta1, beta2, eps } => {
                let (first, m) = step.state_of("m", param);
                let (second, v) = step.state_of("v", param);
                let kind = Adam { beta1, beta2, eps, decay: train.decay };
                let args = [value, gradient, m, v, scalars.rate, scalars.corrections[0], scalars.corrections[1]];
                let outs = step.b.op_many(&path, kind, &args, &[ty.clone(), ty.clone(), ty]);
                step.replaced.extend([(param, outs[0]), (first, outs[1]), (second, outs[2])]);
            }
        }
    }
    // All of them are there before the first is taken, so that they can be reduced together.
    for (param, change) in changes {
        let value = step.b.program.params[param].value;
        let ty = step.b.ty(value);
        let path = identifier(&step.b.program.params[param].path);
        let new = step.b.op(&path, Binary { op: BinaryOp::Sub }, &[value, change], ty);
        step.replaced.push((param, new));
    }
}

/// The gradient as the optimizer takes it: in the type of the parameter, and times a factor.
fn ready(b: &mut Builder<'_>, gradient: ValueId, dtype: DType, factor: Option<ValueId>) -> ValueId {
    let gradient = if b.program.ty(gradient).dtype == dtype { gradient } else { b.convert(gradient, dtype) };
    match factor {
        Some(factor) => times(b, gradient, factor),
        None => gradient,
    }
}

/// The scalars that all parameters of one element type share.
#[derive(Clone, Copy)]
struct Scalars {
    rate: ValueId,
    /// `1 - beta^t` of Adam's moments.
    corrections: [ValueId; 2],
}

impl Scalars {
    fn of(step: &mut Step<'_>, train: &Train, rate: &Rate, dtype: DType) -> Scalars {
        let rate = rate.at(step, dtype);
        let Optimizer::Adam { beta1, beta2, .. } = train.optimizer else {
            return Scalars { rate, corrections: [rate; 2] };
        };
        let count = step.count();
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

/// What SGD takes from a parameter: `rate * (g + decay * p)`. It is linear in the gradient, which may still be a
/// pending sum.
fn change(b: &mut Builder<'_>, train: &Train, value: ValueId, gradient: ValueId, rate: ValueId) -> ValueId {
    let mut gradient = gradient;
    if train.decay != 0.0 {
        let decay = b.binary_scalar(BinaryOp::Mul, value, train.decay);
        gradient = b.binary(BinaryOp::Add, gradient, decay);
    }
    times(b, gradient, rate)
}
