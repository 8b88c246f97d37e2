//! `zoo:mlp`: linear layers that alternate between `width` and `hidden` features, with ReLU between them.

use super::dropout::Dropout;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};

/// Multi-layer perceptron on `[batch, width]`.
#[derive(Module, Debug)]
pub struct Mlp {
    layers: Vec<Linear>,
    dropout: Dropout,
}

impl Mlp {
    /// Builds `layers` linear layers whose sizes alternate between `width` and `hidden`.
    pub fn new(layers: usize, width: usize, hidden: usize, dropout: f64, device: &Device) -> Self {
        let layer = |i| match i % 2 {
            0 => LinearConfig::new(width, hidden).init(device),
            _ => LinearConfig::new(hidden, width).init(device),
        };
        Self { layers: (0..layers).map(layer).collect(), dropout: Dropout::new(dropout) }
    }

    /// Maps `x: [batch, width]` to `[batch, width]`, or to `[batch, hidden]` if the number of layers is odd.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let mut x = x;
        for (i, layer) in self.layers.iter().enumerate() {
            if i > 0 {
                x = self.dropout.forward(relu(x));
            }
            x = layer.forward(x);
        }
        x
    }
}
