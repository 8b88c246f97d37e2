//! The transformer block of `gpt` and `bert`: pre-norm attention and a GELU feed-forward, each with a residual
//! connection.

use crate::attention::{fused_attention, join_heads, split_heads};
use crate::builder::ModelBuilder;
use crate::layers::{gelu, layer_norm, linear, softmax};
use crate::options::ModelOptions;
use crate::phase::Phase;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, Direction};
use partita_ir::tensor::Scalar;

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

impl BlockConfig {
    /// Reads the options `width`, `heads`, `hidden` and `dropout`.
    ///
    /// # Errors
    /// Returns an error if the heads do not divide the width.
    pub fn from_options(options: &ModelOptions, causal: bool) -> Result<BlockConfig, Vec<Diagnostic>> {
        let [width, heads] = options.width_and_heads()?;
        let hidden = options.size_or("hidden", 4 * width);
        Ok(BlockConfig { width, heads, hidden, dropout: options.probability("dropout"), causal })
    }
}

/// Applies a transformer block to `x: [batch, seq, width]`; the shape is unchanged. A decoder has a phase.
pub(crate) fn block(m: &mut ModelBuilder<'_>, config: &BlockConfig, phase: Option<&mut Phase>, x: ValueId) -> ValueId {
    let normed = layer_norm(m, "norm1", x);
    let attended = m.module("attention", |m| attention(m, config, phase, normed));
    let x = add_residual(m, x, attended, config.dropout);
    let normed = layer_norm(m, "norm2", x);
    let fed = m.module("feed_forward", |m| {
        let hidden = linear(m, "up", normed, config.hidden);
        let hidden = gelu(m, hidden);
        linear(m, "down", hidden, config.width)
    });
    add_residual(m, x, fed, config.dropout)
}

/// Adds the result of a layer to the residual `x`, with dropout on the result.
pub(crate) fn add_residual(m: &mut ModelBuilder<'_>, x: ValueId, layer: ValueId, dropout: f64) -> ValueId {
    let layer = m.dropout(layer, dropout);
    m.b.binary(BinaryOp::Add, x, layer)
}

/// Applies multi-head self-attention to `x: [batch, seq, width]`.
fn attention(m: &mut ModelBuilder<'_>, config: &BlockConfig, phase: Option<&mut Phase>, x: ValueId) -> ValueId {
    let [query, key, value] = ["query", "key", "value"].map(|name| {
        let x = linear(m, name, x, config.width);
        split_heads(m, x, config.heads)
    });
    let attended = match (phase, config.dropout) {
        (Some(phase), 0.0) => phase.attention(m, query, [key, value]),
        (None, 0.0) => fused_attention(m, query, key, value, config.causal),
        (_, _) => attention_with_dropout(m, config, query, key, value),
    };
    let joined = join_heads(m, attended);
    linear(m, "output", joined, config.width)
}

/// Computes attention to heads `[batch, heads, seq, features]` from basic ops, because the `attention` op has no
/// dropout on its weights.
fn attention_with_dropout(
    m: &mut ModelBuilder<'_>,
    config: &BlockConfig,
    query: ValueId,
    key: ValueId,
    value: ValueId,
) -> ValueId {
    let [_, _, seq, features] = m.dims(query);
    let key = m.b.swap_dims(key, 2, 3);
    let scores = m.product(query, key);
    let mut scores = m.scalar(BinaryOp::Div, scores, (features as f64).sqrt());
    if config.causal {
        let causal_mask = causal_mask(m, seq);
        let (causal_mask, _) = m.broadcast_both(causal_mask, scores);
        let never = m.b.splat_like(scores, Scalar::Float(f64::NEG_INFINITY));
        scores = m.b.select(causal_mask, never, scores);
    }
    let weights = softmax(m, scores, 3);
    let weights = m.dropout(weights, config.dropout);
    m.product(weights, value)
}

/// Returns the mask of hidden keys `bool[seq, seq]`, by query and key: true where the position of the key is after that
/// of the query.
fn causal_mask(m: &mut ModelBuilder<'_>, seq: usize) -> ValueId {
    let position = m.b.arange(DType::I64, seq);
    let (query, key) = (m.b.unsqueeze(position, 1), m.b.unsqueeze(position, 0));
    let (query, key) = m.broadcast_both(query, key);
    m.b.compare(query, Direction::Lt, key)
}
