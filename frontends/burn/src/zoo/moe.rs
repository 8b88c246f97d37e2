//! `zoo:moe`: a mixture of experts with top-1 gating (Fedus et al., Switch Transformers, 2021).
//!
//! Every expert takes at most `capacity` tokens of a sequence, in order of arrival; one-hot tensors carry tokens to
//! their expert's slots and back, so that dispatch is matrix products and the experts' weights are stacked in one
//! tensor.

use super::dropout::Dropout;
use super::loss::mean_squared_error;
use burn::module::{Module, Param};
use burn::nn::{Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::activation::{relu, softmax};
use burn::tensor::{Device, Int, Tensor};

/// Weight of the load-balancing loss.
const BALANCE: f64 = 0.01;

/// The sizes of a mixture.
#[derive(Clone, Copy, Debug)]
pub struct MixtureConfig {
    /// Number of experts.
    pub experts: usize,
    /// Features of a token.
    pub width: usize,
    /// Features inside an expert.
    pub hidden: usize,
    /// Tokens of one sequence that an expert takes.
    pub capacity: usize,
    /// Probability of dropout on what the experts return.
    pub dropout: f64,
}

/// Pre-norm layer of experts, added to the residual.
#[derive(Module, Debug)]
pub struct Mixture {
    norm: LayerNorm,
    gate: Linear,
    /// `[experts, width, hidden]`
    up: Param<Tensor<3>>,
    /// `[experts, hidden, width]`
    down: Param<Tensor<3>>,
    dropout: Dropout,
    capacity: usize,
}

impl Mixture {
    fn new(config: &MixtureConfig, device: &Device) -> Self {
        let MixtureConfig { experts, width, hidden, capacity, dropout } = *config;
        let weight = |fan_in, fan_out| {
            Initializer::XavierUniform { gain: 1.0 }.init_with(
                [experts, fan_in, fan_out],
                Some(fan_in),
                Some(fan_out),
                device,
            )
        };
        Self {
            norm: LayerNormConfig::new(width).init(device),
            gate: LinearConfig::new(width, experts).with_bias(false).init(device),
            up: weight(width, hidden),
            down: weight(hidden, width),
            dropout: Dropout::new(dropout),
            capacity,
        }
    }

    /// `x: [batch, seq, width]` to the same shape, and the load-balancing loss `[1]`.
    fn forward(&self, x: Tensor<3>) -> (Tensor<3>, Tensor<1>) {
        let normed = self.norm.forward(x.clone());
        let gates = softmax(self.gate.forward(normed.clone()), 2);
        let [batch, seq, experts] = gates.dims();

        let chosen = one_hot(gates.clone().argmax(2), experts);
        let arrival = (chosen.clone().cumsum(1) - 1.0) * chosen.clone();
        let fits = arrival.clone().lower_elem(self.capacity as f64).float();
        let kept = chosen.clone() * fits;
        let slot = one_hot((arrival * kept.clone()).sum_dim(2).int(), self.capacity);
        let dispatch: Tensor<4> = kept.unsqueeze_dim::<4>(3) * slot.unsqueeze_dim::<4>(2);
        let gate: Tensor<3> = (gates.clone() * chosen.clone()).sum_dim(2);
        let dispatch = dispatch.reshape([batch, seq, experts * self.capacity]);

        let width = normed.dims()[2];
        let slots = dispatch.clone().swap_dims(1, 2).matmul(normed);
        let slots = slots.reshape([batch, experts, self.capacity, width]).swap_dims(0, 1);
        let hidden = relu(slots.matmul(self.up.val().unsqueeze_dim(1)));
        let done = hidden.matmul(self.down.val().unsqueeze_dim(1));
        let done = done.swap_dims(0, 1).reshape([batch, experts * self.capacity, width]);
        let output = self.dropout.forward(dispatch.matmul(done) * gate);

        let output = x + output;
        let load = chosen.mean_dims(&[0, 1]) * gates.mean_dims(&[0, 1]);
        (output, load.sum() * experts as f64)
    }
}

/// `index: [batch, seq, 1]` to ones at the index along a last dimension of `classes`.
fn one_hot(index: Tensor<3, Int>, classes: usize) -> Tensor<3> {
    let [batch, seq, _] = index.dims();
    let class = Tensor::<1, Int>::arange(0..classes as i64, &index.device());
    index.expand([batch, seq, classes]).equal(class.unsqueeze()).float()
}

/// Layers of experts on `[batch, seq, width]`.
#[derive(Module, Debug)]
pub struct Moe {
    layers: Vec<Mixture>,
}

impl Moe {
    /// `layers` mixtures of `config`.
    pub fn new(layers: usize, config: &MixtureConfig, device: &Device) -> Self {
        Self { layers: (0..layers).map(|_| Mixture::new(config, device)).collect() }
    }

    /// `x: [batch, seq, width]` to the same shape, and each layer's load-balancing loss.
    pub fn forward(&self, x: Tensor<3>) -> (Tensor<3>, Vec<Tensor<1>>) {
        let mut x = x;
        let mut balance = Vec::with_capacity(self.layers.len());
        for layer in &self.layers {
            let (output, load) = layer.forward(x);
            x = output;
            balance.push(load);
        }
        (x, balance)
    }

    /// The mean squared error of the result for `x`, with each layer's load-balancing loss: `[1]`.
    pub fn loss(&self, x: Tensor<3>, target: Tensor<3>) -> Tensor<1> {
        let (output, balance) = self.forward(x);
        balance.into_iter().fold(mean_squared_error(output, target), |loss, load| loss + load * BALANCE)
    }
}
