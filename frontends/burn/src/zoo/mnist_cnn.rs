//! `zoo:mnist-cnn`: the small convolutional net for MNIST of Guanhua Wang, Distributed Machine Learning with Python (2022).

use super::batch_norm::over_batch;
use super::dropout::Dropout;
use super::loss::cross_entropy;
use crate::trace;
use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Int, Tensor};
use partita_ir::diag::Diagnostic;
use partita_ir::program::{ParamKind, Program};
use partita_models::{Entry, Kind, Opt, Options};

/// Features of the hidden dense layer.
const HIDDEN: usize = 128;

/// Two convolutions, a pooling and two dense layers on `[batch, 1, image, image]`.
#[derive(Module, Debug)]
pub struct MnistCnn {
    conv1: Conv2d,
    /// Behind the first convolution, if at all.
    norm: Option<BatchNorm>,
    conv2: Conv2d,
    pool: MaxPool2d,
    dropout: Dropout,
    dense1: Linear,
    dense2: Linear,
}

impl MnistCnn {
    /// The net for square images of `image` pixels a side, at least 6; with or without batch norm.
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

    /// `images: [batch, 1, image, image]` to logits `[batch, classes]`, as one who is trained sees them: with the statistics of
    /// the batch and, if there is a batch norm, its running statistics afterwards.
    pub fn train(&self, images: Tensor<4>) -> (Tensor<2>, Vec<Tensor<1>>) {
        let x = self.conv1.forward(images);
        let (x, statistics) = match &self.norm {
            Some(norm) => over_batch(norm, x),
            None => return (self.behind(x), Vec::new()),
        };
        (self.behind(x), statistics.into())
    }

    /// `images: [batch, 1, image, image]` to logits `[batch, classes]`.
    pub fn forward(&self, images: Tensor<4>) -> Tensor<2> {
        let x = self.conv1.forward(images);
        self.behind(match &self.norm {
            Some(norm) => norm.forward(x),
            None => x,
        })
    }

    /// What comes behind the first convolution and its norm.
    fn behind(&self, x: Tensor<4>) -> Tensor<2> {
        let x = relu(x);
        let x = relu(self.conv2.forward(x));
        let x = self.pool.forward(self.dropout.forward(x));
        let x = relu(self.dense1.forward(x.flatten(1, 3)));
        self.dense2.forward(x)
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "mnist-cnn",
    about: "two convolutions, pooling and two dense layers; cross-entropy",
    options: &[
        Opt::new("image", "28", Kind::Size { min: 6, max: 1 << 16 }, "pixels of a side"),
        Opt::new("classes", "10", Kind::SIZE, "classes told apart"),
        Opt::new("batch", "64", Kind::SIZE, "images"),
        Opt::DROPOUT,
        Opt::new("batch_norm", "false", Kind::Flag, "whether a batch norm follows the first convolution"),
        Opt::LOSS,
    ],
    program,
};

fn program(options: &Options) -> Result<Program, Vec<Diagnostic>> {
    let [image, classes, batch] = options.sizes(["image", "classes", "batch"]);
    let batch_norm = options.flag("batch_norm");
    let init = |device: &Device| MnistCnn::new(image, classes, options.probability("dropout"), batch_norm, device);
    let images = [batch, 1, image, image];
    if options.flag("loss") {
        let forward = |cnn: &MnistCnn, (images, labels): (Tensor<4>, Tensor<1, Int>)| {
            let (logits, statistics) = cnn.train(images);
            (cross_entropy(logits, labels.unsqueeze_dim(1)), statistics)
        };
        trace(init, forward, (images, [batch])).map(running_statistics)
    } else {
        trace(init, |cnn, images: Tensor<4>| cnn.forward(images), images)
    }
}

/// Lets the results behind the loss replace the running statistics, in the order of both.
fn running_statistics(mut program: Program) -> Program {
    let running: Vec<_> = program.params.iter().filter(|(_, p)| p.kind == ParamKind::State).map(|(id, _)| id).collect();
    let names: Vec<_> = running.iter().map(|&id| program.params[id].path.as_str().into()).collect();
    let results = program.main_mut().outputs.iter_mut().skip(1);
    for ((output, param), name) in results.zip(running).zip(names) {
        (output.alias, output.name) = (Some(param), name);
    }
    program
}
