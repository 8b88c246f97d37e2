//! `zoo:llama`: a decoder-only language model after Touvron et al. 2023.

/// The sizes of one block.
#[derive(Clone, Copy, Debug)]
pub struct LlamaConfig {
    /// Features of the residual stream.
    pub width: usize,
    /// Heads of queries; they divide `width` into even numbers of features.
    pub heads: usize,
    /// Heads of keys and values; they divide `heads`.
    pub kv_heads: usize,
    /// Features inside the feed-forward.
    pub hidden: usize,
    /// Probability of dropout before each residual addition.
    pub dropout: f64,
}

impl LlamaConfig {
    /// Features of a head.
    pub fn features(&self) -> usize {
        self.width / self.heads
    }
}
