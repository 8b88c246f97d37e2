//! The transformer block of `gpt` and `bert`: pre-norm attention and a GELU feed-forward, each with a residual
//! connection.

use crate::builder::ModelBuilder;
use crate::layers::{gelu, layer_norm, linear, softmax};
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::ops::{Attention, BinaryOp, Direction};
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

/// Applies a transformer block to `x: [batch, seq, width]`; the shape is unchanged.
pub(crate) fn block(m: &mut ModelBuilder<'_>, config: &BlockConfig, x: ValueId) -> ValueId {
    let normed = layer_norm(m, "norm1", x);
    let attended = m.module("attention", |m| attention(m, config, normed));
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
fn attention(m: &mut ModelBuilder<'_>, config: &BlockConfig, x: ValueId) -> ValueId {
    let [query, key, value] = ["query", "key", "value"].map(|name| {
        let x = linear(m, name, x, config.width);
        split_heads(m, x, config.heads)
    });
    let attended = match config.dropout {
        0.0 => fused_attention(m, query, key, value, config.causal),
        _ => attention_with_dropout(m, config, query, key, value),
    };
    let joined = join_heads(m, attended);
    linear(m, "output", joined, config.width)
}

/// Maps `[batch, seq, width]` to `[batch, heads, seq, width / heads]`.
pub(crate) fn split_heads(m: &mut ModelBuilder<'_>, x: ValueId, heads: usize) -> ValueId {
    let [batch, seq, width] = m.dims(x);
    let split = m.b.reshape(x, [batch, seq, heads, width / heads]);
    m.b.swap_dims(split, 1, 2)
}

/// Maps `[batch, heads, seq, features]` to `[batch, seq, heads * features]`.
pub(crate) fn join_heads(m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
    let [batch, heads, seq, features] = m.dims(x);
    let x = m.b.swap_dims(x, 1, 2);
    m.b.reshape(x, [batch, seq, heads * features])
}

/// Applies attention to heads `[batch, heads, seq, features]` as one `attention` op.
pub(crate) fn fused_attention(
    m: &mut ModelBuilder<'_>,
    query: ValueId,
    key: ValueId,
    value: ValueId,
    causal: bool,
) -> ValueId {
    let [_, _, _, features] = m.dims(query);
    let ty = m.b.ty(query);
    m.b.op("attention", Attention::new(causal, 1.0 / (features as f64).sqrt()), &[query, key, value], ty)
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
