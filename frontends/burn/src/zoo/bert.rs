//! `zoo:bert`: an encoder that predicts each token of a sequence. Inputs: token and segment ids. Output: logits over
//! the vocabulary, for [`super::loss::cross_entropy`].

use super::dropout::Dropout;
use super::transformer::{Block, BlockConfig, embedding};
use burn::module::{Module, Param};
use burn::nn::{Embedding, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::activation::gelu;
use burn::tensor::{Device, Int, Tensor};

/// Embeddings, bidirectional transformer blocks and the masked-token head.
#[derive(Module, Debug)]
pub struct Bert {
    tokens: Embedding,
    positions: Embedding,
    segments: Embedding,
    norm: LayerNorm,
    dropout: Dropout,
    blocks: Vec<Block>,
    dense: Linear,
    head_norm: LayerNorm,
    /// Output projection; `None` if the transposed token embedding is used.
    head: Option<Linear>,
    head_bias: Param<Tensor<1>>,
}

impl Bert {
    /// Builds `layers` blocks of `config` for sequences of `seq` tokens from a vocabulary of `vocab`. With `tied` the
    /// head shares the weight of the token embedding.
    pub fn new(layers: usize, config: &BlockConfig, seq: usize, vocab: usize, tied: bool, device: &Device) -> Self {
        let norm = || LayerNormConfig::new(config.width).init(device);
        let head = || LinearConfig::new(config.width, vocab).with_bias(false).init(device);
        Self {
            tokens: embedding(vocab, config.width, device),
            positions: embedding(seq, config.width, device),
            segments: embedding(2, config.width, device),
            norm: norm(),
            dropout: Dropout::new(config.dropout),
            blocks: (0..layers).map(|_| Block::new(config, device)).collect(),
            dense: LinearConfig::new(config.width, config.width).init(device),
            head_norm: norm(),
            head: (!tied).then(head),
            head_bias: Initializer::Zeros.init([vocab], device),
        }
    }

    /// Maps `tokens`, `segments: [batch, seq]` to logits `[batch, seq, vocab]`.
    pub fn forward(&self, tokens: Tensor<2, Int>, segments: Tensor<2, Int>) -> Tensor<3> {
        let embedded =
            self.tokens.forward(tokens) + self.segments.forward(segments) + self.positions.weight.val().unsqueeze();
        let x = self.dropout.forward(self.norm.forward(embedded));
        let x = self.blocks.iter().fold(x, |x, block| block.forward(x));
        let x = self.head_norm.forward(gelu(self.dense.forward(x)));
        let logits = match &self.head {
            Some(head) => head.forward(x),
            None => x.matmul(self.tokens.weight.val().transpose().unsqueeze()),
        };
        logits + self.head_bias.val().unsqueeze()
    }
}
