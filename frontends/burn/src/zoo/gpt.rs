//! `zoo:gpt`: a decoder-only language model. Input: token ids. Output: logits over the vocabulary, for
//! [`super::loss::cross_entropy`].

use super::dropout::Dropout;
use super::transformer::{Block, BlockConfig, embedding};
use burn::module::Module;
use burn::nn::{Embedding, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Int, Tensor};

/// Embeddings, causal transformer blocks, a final norm and a head.
#[derive(Module, Debug)]
pub struct Gpt {
    tokens: Embedding,
    positions: Embedding,
    dropout: Dropout,
    blocks: Vec<Block>,
    norm: LayerNorm,
    /// Output projection; `None` if the transposed token embedding is used.
    head: Option<Linear>,
}

impl Gpt {
    /// Builds `layers` blocks of `config` for sequences of `seq` tokens from a vocabulary of `vocab`. With `tied` the
    /// head shares the weight of the token embedding.
    pub fn new(layers: usize, config: &BlockConfig, seq: usize, vocab: usize, tied: bool, device: &Device) -> Self {
        let head = || LinearConfig::new(config.width, vocab).with_bias(false).init(device);
        Self {
            tokens: embedding(vocab, config.width, device),
            positions: embedding(seq, config.width, device),
            dropout: Dropout::new(config.dropout),
            blocks: (0..layers).map(|_| Block::new(config, device)).collect(),
            norm: LayerNormConfig::new(config.width).init(device),
            head: (!tied).then(head),
        }
    }

    /// Maps `tokens: [batch, seq]` to logits `[batch, seq, vocab]`.
    pub fn forward(&self, tokens: Tensor<2, Int>) -> Tensor<3> {
        let embedded = self.tokens.forward(tokens) + self.positions.weight.val().unsqueeze();
        let x = self.blocks.iter().fold(self.dropout.forward(embedded), |x, block| block.forward(x));
        let x = self.norm.forward(x);
        match &self.head {
            Some(head) => head.forward(x),
            None => x.matmul(self.tokens.weight.val().transpose().unsqueeze()),
        }
    }
}
