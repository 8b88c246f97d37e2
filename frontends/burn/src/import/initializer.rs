//! Recognition of parameter initializers from the operations that Burn recorded while it built the module.
//!
//! Burn fills a parameter with a constant, which may be recorded as data, or with random numbers, which may then be
//! scaled, shifted and reshaped. Initializers that compute more (an orthogonal matrix) are not recognised.

use super::lowering::number;
use crate::capture::Captured;
use burn::tensor::Distribution;
use burn_ir::{
    BaseOperationIr as Base, FloatOperationIr as Float, NumericOperationIr as Numeric, OperationIr, ScalarIr, TensorId,
};
use partita_ir::initializer::Initializer;
use rustc_hash::FxHashMap;

/// The defining operation of each tensor.
pub(super) struct Definitions<'c> {
    captured: &'c Captured,
    ops: FxHashMap<TensorId, &'c OperationIr>,
}

impl<'c> Definitions<'c> {
    pub(super) fn new(captured: &'c Captured) -> Definitions<'c> {
        let mut ops = FxHashMap::default();
        for op in &captured.operations {
            ops.extend(op.outputs().map(|out| (out.id, op)));
        }
        Definitions { captured, ops }
    }

    /// Returns the distribution of a tensor's elements; `None` unless the tensor is constant or random, optionally
    /// scaled and shifted.
    pub(super) fn initializer(&self, id: TensorId) -> Option<Initializer> {
        let constant = |x| Some(Initializer::Constant(x));
        let value = |x: ScalarIr| number(x).to_f64();
        if let Some(data) = self.captured.values.get(&id) {
            let mut numbers = data.iter::<f64>();
            let first = numbers.next()?;
            return numbers.all(|x| x == first).then_some(Initializer::Constant(first));
        }
        match self.ops.get(&id)? {
            OperationIr::BaseFloat(op) | OperationIr::BaseInt(op) | OperationIr::BaseBool(op) => match op {
                Base::Zeros(_) => constant(0.0),
                Base::Ones(_) => constant(1.0),
                Base::Reshape(op) => self.initializer(op.input.id),
                Base::SwapDims(op) => self.initializer(op.input.id),
                Base::Permute(op) => self.initializer(op.input.id),
                Base::Cast(op) => self.initializer(op.input.id),
                _ => None,
            },
            OperationIr::NumericFloat(_, op) | OperationIr::NumericInt(_, op) => match op {
                Numeric::Full(op) => constant(value(op.value)),
                Numeric::AddScalar(op) => Some(self.initializer(op.lhs.id)?.scaled(1.0, value(op.rhs))),
                Numeric::SubScalar(op) => Some(self.initializer(op.lhs.id)?.scaled(1.0, -value(op.rhs))),
                Numeric::MulScalar(op) => Some(self.initializer(op.lhs.id)?.scaled(value(op.rhs), 0.0)),
                Numeric::DivScalar(op) => Some(self.initializer(op.lhs.id)?.scaled(1.0 / value(op.rhs), 0.0)),
                Numeric::Neg(op) => Some(self.initializer(op.input.id)?.scaled(-1.0, 0.0)),
                _ => None,
            },
            OperationIr::Float(_, Float::Random(op)) => match op.distribution {
                Distribution::Default => Some(Initializer::Uniform { low: 0.0, high: 1.0 }),
                Distribution::Uniform(low, high) => Some(Initializer::Uniform { low, high }),
                Distribution::Normal(mean, deviation) => Some(Initializer::Normal { mean, deviation }),
                Distribution::Bernoulli(_) => None,
            },
            _ => None,
        }
    }
}
