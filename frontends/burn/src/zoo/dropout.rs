//! Traceable dropout.
//!
//! Burn's own `Dropout` is active only on an autodiff device, so a trace in inference mode does not record it. This
//! layer is active whenever its probability is above zero. In the imported program the mask is a function of a key and
//! the global index of the element.

use burn::module::Module;
use burn::tensor::{Distribution, Tensor};

/// Dropout layer: sets elements to zero with probability `prob` and scales the others by `1 / (1 - prob)`.
#[derive(Module, Debug)]
pub struct Dropout {
    /// Probability that an element is dropped, in `[0, 1)`; 0 disables the layer.
    pub prob: f64,
}

impl Dropout {
    /// Creates a layer with drop probability `prob`.
    pub fn new(prob: f64) -> Self {
        Self { prob }
    }

    /// Applies dropout to `input`; the shape is unchanged.
    pub fn forward<const D: usize>(&self, input: Tensor<D>) -> Tensor<D> {
        if self.prob == 0.0 {
            return input;
        }
        let keep = 1.0 - self.prob;
        let mask = input.random_like(Distribution::Bernoulli(keep));
        input * mask * (1.0 / keep)
    }
}
