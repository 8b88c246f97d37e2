//! The transformer block of `gpt` and `bert`: pre-norm attention and a GELU feed-forward, each with a residual
//! connection.

use super::dropout::Dropout;
use burn::module::Module;
use burn::nn::{Embedding, EmbeddingConfig, Gelu, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::activation::softmax;
use burn::tensor::module::attention;
use burn::tensor::ops::AttentionModuleOptions;
use burn::tensor::{Device, Int, Tensor};

/// Sizes and options of one block.
#[derive(Clone, Copy, Debug)]
pub struct BlockConfig {
    /// Features of the residual stream.
    pub width: usize,
    /// Number of attention heads, a divisor of `width`.
    pub heads: usize,
    /// Hidden features of the feed-forward.
    pub hidden: usize,
    /// Probability of dropout on attention weights and before each residual addition.
    pub dropout: f64,
    /// Causal masking: each position attends only to itself and earlier positions.
    pub causal: bool,
}

/// Creates an embedding of `rows` vectors of `width` features with an initial standard deviation of 0.02, as in GPT-2
/// and BERT (Radford et al. 2019, section 2.3; Devlin et al. 2019). Burn's default of 1 would dominate the positions
/// and blocks.
pub fn embedding(rows: usize, width: usize, device: &Device) -> Embedding {
    let small = Initializer::Normal { mean: 0.0, std: 0.02 };
    EmbeddingConfig::new(rows, width).with_initializer(small).init(device)
}

/// Pre-norm transformer block on `[batch, seq, width]`.
#[derive(Module, Debug)]
pub struct Block {
    norm1: LayerNorm,
    attention: Attention,
    norm2: LayerNorm,
    feed_forward: FeedForward,
    dropout: Dropout,
}

impl Block {
    /// Creates a block with the sizes of `config`.
    pub fn new(config: &BlockConfig, device: &Device) -> Self {
        Self {
            norm1: LayerNormConfig::new(config.width).init(device),
            attention: Attention::new(config, device),
            norm2: LayerNormConfig::new(config.width).init(device),
            feed_forward: FeedForward::new(config, device),
            dropout: Dropout::new(config.dropout),
        }
    }

    /// Maps `x: [batch, seq, width]` to the same shape.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let attended = self.attention.forward(self.norm1.forward(x.clone()));
        let x = x + self.dropout.forward(attended);
        let fed = self.feed_forward.forward(self.norm2.forward(x.clone()));
        x + self.dropout.forward(fed)
    }
}

/// Multi-head self-attention on `[batch, seq, width]`.
#[derive(Module, Debug)]
pub struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    dropout: Dropout,
    heads: usize,
    causal: bool,
}

impl Attention {
    fn new(config: &BlockConfig, device: &Device) -> Self {
        let linear = || LinearConfig::new(config.width, config.width).init(device);
        Self {
            query: linear(),
            key: linear(),
            value: linear(),
            output: linear(),
            dropout: Dropout::new(config.dropout),
            heads: config.heads,
            causal: config.causal,
        }
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let [batch, seq, width] = x.dims();
        let split = |t: Tensor<3>| t.reshape([batch, seq, self.heads, width / self.heads]).swap_dims(1, 2);
        let query = split(self.query.forward(x.clone()));
        let key = split(self.key.forward(x.clone()));
        let value = split(self.value.forward(x));
        let heads = match self.dropout.prob {
            0.0 => attention(
                query,
                key,
                value,
                None,
                None,
                AttentionModuleOptions { is_causal: self.causal, ..Default::default() },
            ),
            _ => self.attention_with_dropout(query, key, value),
        };
        self.output.forward(heads.swap_dims(1, 2).reshape([batch, seq, width]))
    }

    /// Computes attention from basic operations, because Burn's fused attention has no dropout on its weights.
    fn attention_with_dropout(&self, query: Tensor<4>, key: Tensor<4>, value: Tensor<4>) -> Tensor<4> {
        let [_, _, seq, features] = query.dims();
        let mut scores = query.matmul(key.transpose()) / (features as f64).sqrt();
        if self.causal {
            let position = Tensor::<1, Int>::arange(0..seq as i64, &scores.device());
            let future = position.clone().unsqueeze_dim::<2>(1).lower(position.unsqueeze_dim(0));
            scores = scores.mask_fill(future.unsqueeze::<4>(), f32::NEG_INFINITY);
        }
        self.dropout.forward(softmax(scores, 3)).matmul(value)
    }
}

/// Two linear layers with a GELU between them, on the last dimension.
#[derive(Module, Debug)]
pub struct FeedForward {
    up: Linear,
    down: Linear,
    gelu: Gelu,
}

impl FeedForward {
    fn new(config: &BlockConfig, device: &Device) -> Self {
        Self {
            up: LinearConfig::new(config.width, config.hidden).init(device),
            down: LinearConfig::new(config.hidden, config.width).init(device),
            gelu: Gelu::new(),
        }
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.down.forward(self.gelu.forward(self.up.forward(x)))
    }
}
