//! Traceable batch norm in training mode.
//!
//! Burn's own `BatchNorm` uses batch statistics only on an autodiff device and updates its running statistics
//! internally. In this module the batch statistics and the updated running statistics are values of the trace.

use burn::nn::BatchNorm;
use burn::tensor::Tensor;
use partita_ir::arena::ValueId;
use partita_ir::program::{Name, ParamKind, Program};

/// Normalises each channel of `x: [batch, channels, height, width]` by its mean and variance over batch, height and
/// width (Ioffe and Szegedy 2015). Returns the result, and the updated running mean and variance `[channels]`.
pub fn normalise_over_batch(norm: &BatchNorm, x: Tensor<4>) -> (Tensor<4>, [Tensor<1>; 2]) {
    let mean = x.clone().mean_dims(&[0, 2, 3]);
    let centred = x - mean.clone();
    let variance = (centred.clone() * centred.clone()).mean_dims(&[0, 2, 3]);
    let scaled = centred / (variance.clone() + norm.epsilon).sqrt();
    let per_channel = |weight: Tensor<1>| weight.unsqueeze_dims::<4>(&[0, -1, -1]);
    let y = scaled * per_channel(norm.gamma.val()) + per_channel(norm.beta.val());
    let updated = |running: Tensor<1>, batch: Tensor<4>| {
        let channels = running.dims()[0];
        running * (1.0 - norm.momentum) + batch.reshape([channels]) * norm.momentum
    };
    (y, [updated(norm.running_mean.value(), mean), updated(norm.running_var.value(), variance)])
}

/// Marks the results after the first, which is the loss, as updates of the state parameters, in parameter order.
pub fn replace_running_statistics(mut program: Program) -> Program {
    let running = program.params.values().filter(|param| param.kind == ParamKind::State);
    let running: Vec<(ValueId, Name)> = running.map(|param| (param.value, param.path.as_str().into())).collect();
    for (output, (value, name)) in program.outputs_mut().iter_mut().skip(1).zip(running) {
        (output.replaces, output.name) = (Some(value), name);
    }
    program
}
