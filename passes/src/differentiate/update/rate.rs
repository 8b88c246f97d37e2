//! The learning rate: a warm-up along a line, then a schedule, all in proportion to a height that may depend on the number of
//! replicas.

use super::Step;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_ir::plan::Plan;
use partita_ir::plan::train::{Replicas, Schedule, Train};
use partita_ir::tensor::Scalar;
use std::f64::consts::PI;

/// The mesh axis whose devices share a batch.
const DATA: &str = "data";

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
    /// What the plan says.
    pub(crate) fn of(train: &Train, plan: &Plan) -> Rate {
        let axes = plan.mesh.iter().flat_map(|mesh| &mesh.axes);
        let replicas: f64 = axes.filter(|a| a.name == DATA).map(|a| f64::from(a.size)).product();
        let factor = match train.replicas {
            Replicas::None => 1.0,
            Replicas::Linear => replicas,
            Replicas::Sqrt => replicas.sqrt(),
        };
        let Train { warmup, schedule, steps, end, .. } = *train;
        Rate { height: train.rate * factor, warmup, schedule, steps, end }
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
