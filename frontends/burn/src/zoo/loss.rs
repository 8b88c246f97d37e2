//! Loss functions of the zoo.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor};

/// Computes the mean negative log-likelihood of `targets [.., 1]` under `logits [.., classes]`: `[1]`.
pub fn cross_entropy<const D: usize>(logits: Tensor<D>, targets: Tensor<D, Int>) -> Tensor<1> {
    log_softmax(logits, D - 1).gather(D - 1, targets).neg().mean()
}

/// Computes the mean of squared differences: `[1]`.
pub fn mean_squared_error<const D: usize>(output: Tensor<D>, target: Tensor<D>) -> Tensor<1> {
    let difference = output - target;
    (difference.clone() * difference).mean()
}
