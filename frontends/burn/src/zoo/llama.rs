//! `zoo:llama`: a decoder-only language model (Touvron et al. 2023) with RMS norm, rotary position embeddings,
//! grouped-query attention and a SwiGLU feed-forward. Input: token ids. Output: logits over the vocabulary, for
//! [`super::loss::cross_entropy`].

use super::dropout::Dropout;
use super::transformer::embedding;
use burn::module::Module;
use burn::nn::{Embedding, Linear, LinearConfig, RmsNorm, RmsNormConfig};
use burn::tensor::activation::silu;
use burn::tensor::module::attention;
use burn::tensor::ops::AttentionModuleOptions;
use burn::tensor::{Device, Int, Tensor};

/// Base of the wavelengths of the rotary position embedding (`rope_theta`).
const ROPE_THETA: f32 = 10_000.0;

/// Sizes and dropout of one block.
#[derive(Clone, Copy, Debug)]
pub struct LlamaConfig {
    /// Features of the residual stream.
    pub width: usize,
    /// Number of query heads. `width / heads` must be an even integer.
    pub heads: usize,
    /// Number of key and value heads, a divisor of `heads`.
    pub kv_heads: usize,
    /// Hidden features of the feed-forward.
    pub hidden: usize,
    /// Probability of dropout before each residual addition.
    pub dropout: f64,
}

impl LlamaConfig {
    /// Returns the number of features of one head.
    pub fn features(&self) -> usize {
        self.width / self.heads
    }
}

/// An embedding, transformer blocks, a final norm and an output projection (`head`).
#[derive(Module, Debug)]
pub struct Llama {
    tokens: Embedding,
    blocks: Vec<LlamaBlock>,
    norm: RmsNorm,
    head: Linear,
}

impl Llama {
    /// Builds `layers` blocks of `config` for a vocabulary of `vocab` tokens.
    pub fn new(layers: usize, config: &LlamaConfig, vocab: usize, device: &Device) -> Self {
        Self {
            tokens: embedding(vocab, config.width, device),
            blocks: (0..layers).map(|_| LlamaBlock::new(config, device)).collect(),
            norm: RmsNormConfig::new(config.width).init(device),
            head: linear(config.width, vocab, device),
        }
    }

    /// Maps `tokens: [batch, seq]` to logits `[batch, seq, vocab]`; `features` is [`LlamaConfig::features`].
    pub fn forward(&self, tokens: Tensor<2, Int>, features: usize) -> Tensor<3> {
        let [_, seq] = tokens.dims();
        let rotation = Rotation::new(seq, features, &tokens.device());
        let x = self.tokens.forward(tokens);
        let x = self.blocks.iter().fold(x, |x, block| block.forward(x, &rotation));
        self.head.forward(self.norm.forward(x))
    }
}

/// Cosines and sines of the rotary position embedding (Su et al. 2021): `[1, 1, seq, features]`. A rotated pair
/// consists of the features `i` and `i + features / 2`.
struct Rotation {
    cos: Tensor<4>,
    sin: Tensor<4>,
}

impl Rotation {
    fn new(seq: usize, features: usize, device: &Device) -> Rotation {
        let numbers = |count: usize| Tensor::<1, Int>::arange(0..count as i64, device).float();
        let rate = numbers(features / 2).mul_scalar(-2.0 * ROPE_THETA.ln() / features as f32).exp();
        let angle = numbers(seq).unsqueeze_dim::<2>(1) * rate.unsqueeze_dim::<2>(0);
        let angle = Tensor::cat(vec![angle.clone(), angle], 1).unsqueeze::<4>();
        Rotation { cos: angle.clone().cos(), sin: angle.sin() }
    }

    /// Rotates `x: [batch, heads, seq, features]`.
    fn rotate(&self, x: Tensor<4>) -> Tensor<4> {
        let half = x.dims()[3] / 2;
        let (first, second) = (x.clone().narrow(3, 0, half), x.clone().narrow(3, half, half));
        x * self.cos.clone() + Tensor::cat(vec![second.neg(), first], 3) * self.sin.clone()
    }
}

/// Pre-norm transformer block on `[batch, seq, width]`.
#[derive(Module, Debug)]
pub struct LlamaBlock {
    norm1: RmsNorm,
    attention: GroupedAttention,
    norm2: RmsNorm,
    feed_forward: GatedFeedForward,
    dropout: Dropout,
}

impl LlamaBlock {
    fn new(config: &LlamaConfig, device: &Device) -> Self {
        Self {
            norm1: RmsNormConfig::new(config.width).init(device),
            attention: GroupedAttention::new(config, device),
            norm2: RmsNormConfig::new(config.width).init(device),
            feed_forward: GatedFeedForward {
                gate: linear(config.width, config.hidden, device),
                up: linear(config.width, config.hidden, device),
                down: linear(config.hidden, config.width, device),
            },
            dropout: Dropout::new(config.dropout),
        }
    }

    fn forward(&self, x: Tensor<3>, rotation: &Rotation) -> Tensor<3> {
        let attended = self.attention.forward(self.norm1.forward(x.clone()), rotation);
        let x = x + self.dropout.forward(attended);
        let fed = self.feed_forward.forward(self.norm2.forward(x.clone()));
        x + self.dropout.forward(fed)
    }
}

/// Causal grouped-query attention on `[batch, seq, width]` (Ainslie et al. 2023): groups of query heads share keys and
/// values.
#[derive(Module, Debug)]
pub struct GroupedAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    heads: usize,
    kv_heads: usize,
}

impl GroupedAttention {
    fn new(config: &LlamaConfig, device: &Device) -> Self {
        let shared = config.kv_heads * config.features();
        Self {
            query: linear(config.width, config.width, device),
            key: linear(config.width, shared, device),
            value: linear(config.width, shared, device),
            output: linear(config.width, config.width, device),
            heads: config.heads,
            kv_heads: config.kv_heads,
        }
    }

    fn forward(&self, x: Tensor<3>, rotation: &Rotation) -> Tensor<3> {
        let [batch, seq, width] = x.dims();
        let features = width / self.heads;
        let split = |t: Tensor<3>, heads| t.reshape([batch, seq, heads, features]).swap_dims(1, 2);
        let query = rotation.rotate(split(self.query.forward(x.clone()), self.heads));
        let key = rotation.rotate(split(self.key.forward(x.clone()), self.kv_heads));
        let value = split(self.value.forward(x), self.kv_heads);
        let options = AttentionModuleOptions { is_causal: true, ..Default::default() };
        let heads = attention(query, self.repeat_kv(key), self.repeat_kv(value), None, None, options);
        self.output.forward(heads.swap_dims(1, 2).reshape([batch, seq, width]))
    }

    /// Repeats keys or values `[batch, kv_heads, seq, features]` to `[batch, heads, seq, features]`. The query heads of
    /// a group are adjacent.
    fn repeat_kv(&self, shared: Tensor<4>) -> Tensor<4> {
        let [batch, _, seq, features] = shared.dims();
        if self.kv_heads == self.heads {
            return shared;
        }
        let group = self.heads / self.kv_heads;
        let all = shared.unsqueeze_dim::<5>(2).expand([batch, self.kv_heads, group, seq, features]);
        all.reshape([batch, self.heads, seq, features])
    }
}

/// SwiGLU feed-forward (Shazeer 2020).
#[derive(Module, Debug)]
pub struct GatedFeedForward {
    gate: Linear,
    up: Linear,
    down: Linear,
}

impl GatedFeedForward {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.down.forward(silu(self.gate.forward(x.clone())) * self.up.forward(x))
    }
}

fn linear(from: usize, to: usize, device: &Device) -> Linear {
    LinearConfig::new(from, to).with_bias(false).init(device)
}
