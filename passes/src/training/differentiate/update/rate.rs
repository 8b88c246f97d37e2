//! The learning rate: a warm-up along a line, then a schedule, all in proportion to a height that may depend on the
//! batch.

use super::Step;
use crate::training::micro_batches::batch;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_ir::plan::Written;
use partita_ir::plan::train::{Schedule, Train};
use partita_ir::program::Program;
use partita_ir::tensor::Scalar;
use std::f64::consts::PI;

/// The learning rate as a function of the step.
pub(crate) struct Rate {
    /// At its full height.
    height: f64,
    warmup: u64,
    schedule: Schedule,
    steps: u64,
    end: f64,
}

impl Rate {
    /// The rate that the plan asks for in the training step of a model.
    ///
    /// # Errors
    /// `D003` when it depends on the batch and the model has none.
    pub(crate) fn of(train: &Train, written: &Written, model: &Program) -> Result<Rate, Diagnostic> {
        let factor = match &train.base_batch {
            None => 1.0,
            Some(base) => base.factor(batch(model).ok_or_else(|| {
                Diagnostic::new(
                    Code::D003,
                    "no dimension of the inputs is a batch that the learning rate could grow with",
                )
                .at(written.part(base.at.clone()), "says which batch it is for")
                .help("leave `lr_base_batch` out, and say the rate of this model: `lr=`")
            })?),
        };
        let Train { warmup, schedule, steps, end, .. } = *train;
        Ok(Rate { height: train.rate * factor, warmup, schedule, steps, end })
    }

    /// The rate of this step, a scalar.
    pub(super) fn at(&self, step: &mut Step<'_>, dtype: DType) -> ValueId {
        let scalar = Type::new(dtype, []);
        if self.warmup == 0 && self.schedule == Schedule::Constant {
            return step.b.splat(scalar, Scalar::Float(self.height));
        }
        let count = step.count();
        let b = &mut step.b;
        let count = b.convert(count, dtype);
        let mut factor = b.splat(scalar, Scalar::Float(1.0));
        if self.schedule != Schedule::Constant {
            // How much of the way behind the warm-up has been gone, 0 to 1.
            let way = (self.steps - self.warmup) as f64;
            let gone = b.binary_scalar(BinaryOp::Sub, count, self.warmup as f64);
            let gone = b.binary_scalar(BinaryOp::Div, gone, way);
            let gone = b.binary_scalar(BinaryOp::Max, gone, 0.0);
            let gone = b.binary_scalar(BinaryOp::Min, gone, 1.0);
            let left = match self.schedule {
                Schedule::Cosine => {
                    let angle = b.binary_scalar(BinaryOp::Mul, gone, PI);
                    let cosine = b.unary(UnaryOp::Cos, angle);
                    let above = b.binary_scalar(BinaryOp::Add, cosine, 1.0);
                    b.binary_scalar(BinaryOp::Mul, above, 0.5)
                }
                Schedule::Linear | Schedule::Constant => {
                    let below = b.unary(UnaryOp::Neg, gone);
                    b.binary_scalar(BinaryOp::Add, below, 1.0)
                }
            };
            let falls = b.binary_scalar(BinaryOp::Mul, left, 1.0 - self.end);
            factor = b.binary_scalar(BinaryOp::Add, falls, self.end);
        }
        if self.warmup > 0 {
            let rises = b.binary_scalar(BinaryOp::Div, count, self.warmup as f64);
            let rises = b.binary_scalar(BinaryOp::Min, rises, 1.0);
            factor = b.binary(BinaryOp::Mul, factor, rises);
        }
        b.binary_scalar(BinaryOp::Mul, factor, self.height)
    }
}
