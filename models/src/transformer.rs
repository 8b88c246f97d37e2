//! The transformer block that `gpt` and `bert` share.

/// The sizes of one block.
#[derive(Clone, Copy, Debug)]
pub struct BlockConfig {
    /// Features of the residual stream.
    pub width: usize,
    /// Attention heads; they divide `width`.
    pub heads: usize,
    /// Features inside the feed-forward.
    pub hidden: usize,
    /// Probability of dropout on attention weights and before each residual addition.
    pub dropout: f64,
    /// Whether a position sees only itself and those before it.
    pub causal: bool,
}
