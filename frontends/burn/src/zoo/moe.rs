//! `zoo:moe`: a mixture of experts with top-1 gating (Fedus et al., Switch Transformers, 2021).
//!
//! Each expert accepts at most `capacity` tokens of a sequence, in sequence order; other tokens only pass through the
//! residual connection. Dispatch to expert slots and combination of their results are matrix products with one-hot
//! tensors. The weights of all experts are stacked along the first dimension of a parameter.

use super::dropout::Dropout;
use super::loss::mean_squared_error;
use burn::module::{Module, Param};
use burn::nn::{Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::activation::{relu, softmax};
use burn::tensor::{Device, Int, Tensor};

/// Weight of the load-balancing loss (Fedus et al. 2021, section 2.2).
const BALANCE_LOSS_WEIGHT: f64 = 0.01;

/// Sizes and dropout of a mixture-of-experts layer.
#[derive(Clone, Copy, Debug)]
pub struct MoeConfig {
    /// Number of experts.
    pub experts: usize,
    /// Features of a token.
    pub width: usize,
    /// Hidden features of an expert.
    pub hidden: usize,
    /// Expert capacity: the number of tokens of one sequence that an expert accepts.
    pub capacity: usize,
    /// Probability of dropout on the outputs of experts.
    pub dropout: f64,
}

/// Pre-norm mixture-of-experts layer with a residual connection.
#[derive(Module, Debug)]
pub struct MoeLayer {
    norm: LayerNorm,
    gate: Linear,
    /// Weight of the first layer of each expert: `[experts, width, hidden]`.
    up: Param<Tensor<3>>,
    /// Weight of the second layer of each expert: `[experts, hidden, width]`.
    down: Param<Tensor<3>>,
    dropout: Dropout,
    capacity: usize,
}

impl MoeLayer {
    fn new(config: &MoeConfig, device: &Device) -> Self {
        let MoeConfig { experts, width, hidden, capacity, dropout } = *config;
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

    /// Maps `x: [batch, seq, width]` to the same shape. Also returns the load-balancing loss `[1]`, which is 1 for
    /// equal loads.
    fn forward(&self, x: Tensor<3>) -> (Tensor<3>, Tensor<1>) {
        let normed = self.norm.forward(x.clone());
        let gates = softmax(self.gate.forward(normed.clone()), 2);
        let [batch, seq, experts] = gates.dims();

        let chosen = one_hot(gates.clone().argmax(2), experts);
        let arrival = (chosen.clone().cumsum(1) - 1.0) * chosen.clone();
        let fits = arrival.clone().lower_elem(self.capacity as f64).float();
        let accepted = chosen.clone() * fits;
        let slot = one_hot((arrival * accepted.clone()).sum_dim(2).int(), self.capacity);
        let dispatch: Tensor<4> = accepted.unsqueeze_dim::<4>(3) * slot.unsqueeze_dim::<4>(2);
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

/// Maps `index: [batch, seq, 1]` to its one-hot encoding along a last dimension of `classes`.
fn one_hot(index: Tensor<3, Int>, classes: usize) -> Tensor<3> {
    let [batch, seq, _] = index.dims();
    let class = Tensor::<1, Int>::arange(0..classes as i64, &index.device());
    index.expand([batch, seq, classes]).equal(class.unsqueeze()).float()
}

/// Mixture-of-experts layers on `[batch, seq, width]`.
#[derive(Module, Debug)]
pub struct Moe {
    layers: Vec<MoeLayer>,
}

impl Moe {
    /// Builds `layers` layers of `config`.
    pub fn new(layers: usize, config: &MoeConfig, device: &Device) -> Self {
        Self { layers: (0..layers).map(|_| MoeLayer::new(config, device)).collect() }
    }

    /// Maps `x: [batch, seq, width]` to the same shape. Also returns the load-balancing loss of each layer.
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

    /// Computes the mean squared error of the result for `x` plus the weighted load-balancing loss of each layer:
    /// `[1]`.
    pub fn loss(&self, x: Tensor<3>, target: Tensor<3>) -> Tensor<1> {
        let (output, balance) = self.forward(x);
        balance.into_iter().fold(mean_squared_error(output, target), |loss, load| loss + load * BALANCE_LOSS_WEIGHT)
    }
}
