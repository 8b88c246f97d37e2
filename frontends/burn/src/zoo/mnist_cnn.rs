//! `zoo:mnist-cnn`: the small convolutional network for MNIST of Guanhua Wang, Distributed Machine Learning with Python
//! (2022).

use super::batch_norm::normalise_over_batch;
use super::dropout::Dropout;
use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};

/// Output features of the first dense layer.
const HIDDEN: usize = 128;

/// Two convolutions, a max pooling and two dense layers on `[batch, 1, image, image]`.
#[derive(Module, Debug)]
pub struct MnistCnn {
    conv1: Conv2d,
    /// Optional batch norm after the first convolution.
    norm: Option<BatchNorm>,
    conv2: Conv2d,
    pool: MaxPool2d,
    dropout: Dropout,
    dense1: Linear,
    dense2: Linear,
}

impl MnistCnn {
    /// Builds the network for square images of `image` pixels per side, at least 6. `batch_norm` adds a batch norm
    /// after the first convolution.
    pub fn new(image: usize, classes: usize, dropout: f64, batch_norm: bool, device: &Device) -> Self {
        let pooled = (image - 4) / 2;
        Self {
            conv1: Conv2dConfig::new([1, 32], [3, 3]).init(device),
            norm: batch_norm.then(|| BatchNormConfig::new(32).init(device)),
            conv2: Conv2dConfig::new([32, 64], [3, 3]).init(device),
            pool: MaxPool2dConfig::new([2, 2]).init(),
            dropout: Dropout::new(dropout),
            dense1: LinearConfig::new(64 * pooled * pooled, HIDDEN).init(device),
            dense2: LinearConfig::new(HIDDEN, classes).init(device),
        }
    }

    /// Maps `images: [batch, 1, image, image]` to logits `[batch, classes]` in training mode: batch norm uses batch
    /// statistics. Also returns the updated running statistics, if the network has a batch norm.
    pub fn forward_train(&self, images: Tensor<4>) -> (Tensor<2>, Vec<Tensor<1>>) {
        let x = self.conv1.forward(images);
        let (x, statistics) = match &self.norm {
            Some(norm) => normalise_over_batch(norm, x),
            None => return (self.forward_after_norm(x), Vec::new()),
        };
        (self.forward_after_norm(x), statistics.into())
    }

    /// Maps `images: [batch, 1, image, image]` to logits `[batch, classes]` in inference mode.
    pub fn forward(&self, images: Tensor<4>) -> Tensor<2> {
        let x = self.conv1.forward(images);
        self.forward_after_norm(match &self.norm {
            Some(norm) => norm.forward(x),
            None => x,
        })
    }

    /// Applies the layers after the first convolution and its norm.
    fn forward_after_norm(&self, x: Tensor<4>) -> Tensor<2> {
        let x = relu(x);
        let x = relu(self.conv2.forward(x));
        let x = self.pool.forward(self.dropout.forward(x));
        let x = relu(self.dense1.forward(x.flatten(1, 3)));
        self.dense2.forward(x)
    }
}
