//! The initialisers of a module's parameters, read off the operations that Burn recorded while it built the module.
//!
//! Burn fills a parameter with one number, which it may record as data, or with random ones, which may then be scaled,
//! shifted and given another shape. Initialisers that compute more (an orthogonal matrix) are not recognised.

use super::lowering::number;
use crate::capture::Captured;
use burn::tensor::Distribution;
use burn_ir::{
    BaseOperationIr as Base, FloatOperationIr as Float, NumericOperationIr as Numeric, OperationIr, ScalarIr, TensorId,
};
use partita_ir::initializer::Initializer;
use rustc_hash::FxHashMap;

/// The operation that defines each tensor.
pub(super) struct Makers<'c> {
    captured: &'c Captured,
    ops: FxHashMap<TensorId, &'c OperationIr>,
}

impl<'c> Makers<'c> {
    pub(super) fn of(captured: &'c Captured) -> Makers<'c> {
        let mut ops = FxHashMap::default();
        for op in &captured.operations {
            ops.extend(op.outputs().map(|out| (out.id, op)));
        }
        Makers { captured, ops }
    }

    /// The distribution of a tensor's numbers; `None` if it is not that of one of Burn's random tensors, scaled and
    /// shifted.
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
