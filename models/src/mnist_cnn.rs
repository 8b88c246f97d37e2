//! `zoo:mnist-cnn`: the small convolutional network for MNIST of Guanhua Wang, Distributed Machine Learning with Python
//! (2022).

use crate::builder::ModelBuilder;
use crate::layers::{ChannelNorm, convolution, cross_entropy, linear, max_pool};
use crate::options::{BuiltInModel, ModelOption, ModelOptions, OptionKind};
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;
use partita_ir::ops::UnaryOp;

/// Channels of the first convolution.
const CHANNELS: usize = 32;

/// Features of the hidden dense layer.
const HIDDEN: usize = 128;

pub(crate) const ENTRY: BuiltInModel = BuiltInModel {
    name: "mnist-cnn",
    about: "two convolutions, pooling and two dense layers; cross-entropy",
    options: &[
        ModelOption::new("image", "28", OptionKind::Size { min: 6, max: 1 << 16 }, "pixels of a side"),
        ModelOption::new("classes", "10", OptionKind::SIZE, "number of classes"),
        ModelOption::new("batch", "64", OptionKind::SIZE, "images"),
        ModelOption::DROPOUT,
        ModelOption::new("batch_norm", "false", OptionKind::Flag, "add a batch norm after the first convolution"),
        ModelOption::LOSS,
    ],
    build,
};

fn build(options: &ModelOptions, m: &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
    let [image, classes, batch] = options.sizes(["image", "classes", "batch"]);
    let images = m.input(DType::F32, [batch, 1, image, image]);
    let labels = options.flag("loss").then(|| m.input(DType::I64, [batch]));

    let mut x = convolution(m, "conv1", images, CHANNELS);
    // Updated running statistics, if the model is built for training.
    let mut statistics: Vec<(ParamId, ValueId)> = Vec::new();
    if options.flag("batch_norm") {
        let norm = ChannelNorm::new(m, CHANNELS);
        if labels.is_some() {
            let (normed, moved) = norm.normalise_with_batch(m, x);
            (x, statistics) = (normed, moved.into());
        } else {
            x = norm.normalise_with_running(m, x);
        }
    }
    let x = m.b.unary(UnaryOp::Relu, x);
    let x = convolution(m, "conv2", x, 2 * CHANNELS);
    let x = m.b.unary(UnaryOp::Relu, x);
    let x = m.dropout(x, options.probability("dropout"));
    let x = max_pool(m, x);
    let [_, channels, height, width] = m.dims(x);
    let x = m.b.reshape(x, [batch, channels * height * width]);
    let x = linear(m, "dense1", x, HIDDEN);
    let x = m.b.unary(UnaryOp::Relu, x);
    let logits = linear(m, "dense2", x, classes);
    let result = match labels {
        Some(labels) => cross_entropy(m, logits, labels),
        None => logits,
    };
    m.output(result);
    for (param, value) in statistics {
        m.replace(param, value);
    }
    Ok(())
}
