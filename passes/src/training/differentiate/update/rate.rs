//! The learning rate: a schedule (constant, linear or cosine) multiplied by a linear warm-up, relative to a peak rate
//! that may depend on the batch size.

use super::StepBuilder;
use crate::training::micro_batches::batch_size;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_ir::plan::SourceText;
use partita_ir::plan::train::{RateSchedule, TrainConfig};
use partita_ir::program::Program;
use partita_ir::tensor::Scalar;
use std::f64::consts::PI;

/// Learning rate as a function of the step, which is counted from 1.
pub(crate) struct LearningRate {
    /// Peak learning rate, after scaling with the batch size.
    peak: f64,
    /// Number of warm-up steps, in which the rate rises linearly; 0 for no warm-up.
    warmup: u64,
    /// Schedule after the warm-up.
    schedule: RateSchedule,
    /// Total number of steps, warm-up included, at which the schedule ends.
    steps: u64,
    /// Rate at the end of the schedule, as a fraction of the peak.
    end: f64,
}

impl LearningRate {
    /// Returns the learning rate that the plan specifies for a model.
    ///
    /// # Errors
    /// `D003` when the rate depends on the batch size and the model has no batch dimension.
    pub(crate) fn from_plan(
        train: &TrainConfig,
        written: &SourceText,
        model: &Program,
    ) -> Result<LearningRate, Diagnostic> {
        let factor = match &train.base_batch {
            None => 1.0,
            Some(base) => base.factor(batch_size(model).ok_or_else(|| {
                Diagnostic::new(
                    Code::D003,
                    "the learning rate depends on the batch size, but no dimension of the inputs is a batch",
                )
                .label(written.span_of(base.at.clone()), "batch size of the rate")
                .help("leave `lr_base_batch` out, and set the rate for this model: `lr=`")
            })?),
        };
        let TrainConfig { warmup, schedule, steps, end, .. } = *train;
        Ok(LearningRate { peak: train.rate * factor, warmup, schedule, steps, end })
    }

    /// Appends the learning rate of the current step, a scalar of type `dtype`.
    pub(super) fn append(&self, step: &mut StepBuilder<'_>, dtype: DType) -> ValueId {
        let scalar = Type::new(dtype, []);
        if self.warmup == 0 && self.schedule == RateSchedule::Constant {
            return step.b.splat(scalar, Scalar::Float(self.peak));
        }
        let count = step.step_index();
        let b = &mut step.b;
        let count = b.convert(count, dtype);
        let mut factor = b.splat(scalar, Scalar::Float(1.0));
        if self.schedule != RateSchedule::Constant {
            // Fraction of the steps after the warm-up that are completed, 0 to 1.
            let schedule_steps = (self.steps - self.warmup) as f64;
            let progress = b.binary_scalar(BinaryOp::Sub, count, self.warmup as f64);
            let progress = b.binary_scalar(BinaryOp::Div, progress, schedule_steps);
            let progress = b.binary_scalar(BinaryOp::Max, progress, 0.0);
            let progress = b.binary_scalar(BinaryOp::Min, progress, 1.0);
            let left = match self.schedule {
                RateSchedule::Cosine => {
                    let angle = b.binary_scalar(BinaryOp::Mul, progress, PI);
                    let cosine = b.unary(UnaryOp::Cos, angle);
                    let above = b.binary_scalar(BinaryOp::Add, cosine, 1.0);
                    b.binary_scalar(BinaryOp::Mul, above, 0.5)
                }
                RateSchedule::Linear | RateSchedule::Constant => {
                    let below = b.unary(UnaryOp::Neg, progress);
                    b.binary_scalar(BinaryOp::Add, below, 1.0)
                }
            };
            let decayed = b.binary_scalar(BinaryOp::Mul, left, 1.0 - self.end);
            factor = b.binary_scalar(BinaryOp::Add, decayed, self.end);
        }
        if self.warmup > 0 {
            let warmed_up = b.binary_scalar(BinaryOp::Div, count, self.warmup as f64);
            let warmed_up = b.binary_scalar(BinaryOp::Min, warmed_up, 1.0);
            factor = b.binary(BinaryOp::Mul, factor, warmed_up);
        }
        b.binary_scalar(BinaryOp::Mul, factor, self.peak)
    }
}
