//! Builder methods for losses of models that were exported for inference.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::program::ops::{BinaryOp, CrossEntropy};
use crate::syntax::attr::Dims;

/// Loss function that compares a result with targets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// Mean cross-entropy over all positions, for scores along the last dimension or their log-softmax.
    CrossEntropy,
    /// Mean of squared differences.
    MeanSquaredError,
}

impl Loss {
    /// Names of the loss functions in a model name.
    pub const ALL: [(&'static str, Loss); 2] = [("cross_entropy", Loss::CrossEntropy), ("mse", Loss::MeanSquaredError)];
}

impl Builder<'_> {
    /// Appends the mean loss of `result` as a scalar. The targets become an additional input: class labels `labels` for
    /// the cross-entropy over the last dimension, or `targets` with the shape of `result` for the mean squared error.
    ///
    /// # Errors
    /// `result` is not a nonempty float tensor with at least one dimension.
    pub fn mean_loss(&mut self, loss: Loss, result: ValueId) -> Result<ValueId, String> {
        let ty = self.ty(result);
        let nonempty = ty.shape.split_last().filter(|_| ty.shape.count() > 0 && ty.dtype.is_float());
        let Some((_, positions)) = nonempty else {
            return Err(format!("needs scores or numbers to compare, not {ty}"));
        };
        let losses = match loss {
            Loss::CrossEntropy => {
                let labels = self.target("labels", Type::new(DType::I64, Shape::from(positions)));
                self.checked_op("cross_entropy", CrossEntropy {}, &[result, labels])?
            }
            Loss::MeanSquaredError => {
                let targets = self.target("targets", ty);
                let difference = self.binary(BinaryOp::Sub, result, targets);
                self.binary(BinaryOp::Mul, difference, difference)
            }
        };
        let all: Dims = (0..self.ty(losses).shape.rank()).collect();
        Ok(self.mean_dims(losses, all))
    }

    /// Adds an input with an unused name to the program.
    fn target(&mut self, name: &str, ty: Type) -> ValueId {
        let name = self.names.fresh(name);
        self.program.input(name, ty)
    }
}
