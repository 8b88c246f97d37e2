//! Batch norm that a trace can see.
//!
//! Burn's own `BatchNorm` looks at the batch only on an autodiff device, and keeps what it learns of it to itself. Here
//! the statistics of the batch and the running ones that they make are values of the trace.

use burn::nn::BatchNorm;
use burn::tensor::Tensor;
use partita_ir::program::{ParamKind, Program};

/// Normalises every channel of `x: [batch, channels, height, width]` by its mean and variance over the batch (Ioffe and
/// Szegedy 2015). Gives the result, and the running mean and variance `[channels]` after this batch.
pub fn over_batch(norm: &BatchNorm, x: Tensor<4>) -> (Tensor<4>, [Tensor<1>; 2]) {
    let mean = x.clone().mean_dims(&[0, 2, 3]);
    let centred = x - mean.clone();
    let variance = (centred.clone() * centred.clone()).mean_dims(&[0, 2, 3]);
    let scaled = centred / (variance.clone() + norm.epsilon).sqrt();
    let per_channel = |weight: Tensor<1>| weight.unsqueeze_dims::<4>(&[0, -1, -1]);
    let y = scaled * per_channel(norm.gamma.val()) + per_channel(norm.beta.val());
    let moved = |running: Tensor<1>, batch: Tensor<4>| {
        let channels = running.dims()[0];
        running * (1.0 - norm.momentum) + batch.reshape([channels]) * norm.momentum
    };
    (y, [moved(norm.running_mean.value(), mean), moved(norm.running_var.value(), variance)])
}

/// Lets the results behind the loss replace the running statistics, in the order of both.
pub fn replace_running_statistics(mut program: Program) -> Program {
    let running: Vec<_> = program.params.iter().filter(|(_, p)| p.kind == ParamKind::State).map(|(id, _)| id).collect();
    let names: Vec<_> = running.iter().map(|&id| program.params[id].path.as_str().into()).collect();
    let results = program.outputs_mut().iter_mut().skip(1);
    for ((output, param), name) in results.zip(running).zip(names) {
        (output.alias, output.name) = (Some(param), name);
    }
    program
}
