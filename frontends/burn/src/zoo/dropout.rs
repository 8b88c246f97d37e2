//! Dropout that a trace can see.
//!
//! Burn's own `Dropout` drops only on an autodiff device, so a plain trace of it records nothing. This one drops
//! whenever its probability is above zero; the importer makes the mask a function of a key and the element's global
//! index.

use burn::module::Module;
use burn::tensor::{Distribution, Tensor};

/// Sets elements to zero with probability `prob` and scales the others by `1 / (1 - prob)`.
#[derive(Module, Debug)]
pub struct Dropout {
    /// The probability that an element is dropped, in `[0, 1)`; 0 turns the layer off.
    pub prob: f64,
}

impl Dropout {
    /// A layer that drops with probability `prob`.
    pub fn new(prob: f64) -> Self {
        Self { prob }
    }

    /// `input` with some elements dropped; the same shape.
    pub fn forward<const D: usize>(&self, input: Tensor<D>) -> Tensor<D> {
        if self.prob == 0.0 {
            return input;
        }
        let keep = 1.0 - self.prob;
        let mask = input.random_like(Distribution::Bernoulli(keep));
        input * mask * (1.0 / keep)
    }
}
