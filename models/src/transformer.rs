//! The transformer block that `gpt` and `bert` share: pre-norm attention and a GELU feed-forward, each added to the
//! residual.

use crate::builder::ModelBuilder;
use crate::layers::{gelu, layer_norm, linear, softmax};
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::ops::{Attention, BinaryOp, Direction};
use partita_ir::tensor::Scalar;

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

/// The block's result for `x: [batch, seq, width]`, in the same shape.
pub(crate) fn block(m: &mut ModelBuilder<'_>, config: &BlockConfig, x: ValueId) -> ValueId {
    let normed = layer_norm(m, "norm1", x);
    let attended = m.module("attention", |m| attention(m, config, normed));
    let x = add_dropped(m, x, attended, config.dropout);
    let normed = layer_norm(m, "norm2", x);
    let fed = m.module("feed_forward", |m| {
        let hidden = linear(m, "up", normed, config.hidden);
        let hidden = gelu(m, hidden);
        linear(m, "down", hidden, config.width)
    });
    add_dropped(m, x, fed, config.dropout)
}

/// The residual `x` and the result of a layer, with dropout of that probability.
pub(crate) fn add_dropped(m: &mut ModelBuilder<'_>, x: ValueId, layer: ValueId, dropout: f64) -> ValueId {
    let layer = m.dropout(layer, dropout);
    m.b.binary(BinaryOp::Add, x, layer)
}

/// Multi-head self-attention on `x: [batch, seq, width]`.
fn attention(m: &mut ModelBuilder<'_>, config: &BlockConfig, x: ValueId) -> ValueId {
    let [query, key, value] = ["query", "key", "value"].map(|name| {
        let x = linear(m, name, x, config.width);
        split_heads(m, x, config.heads)
    });
    let attended = match config.dropout {
        0.0 => fused_attention(m, query, key, value, config.causal),
        _ => dropped_attention(m, config, query, key, value),
    };
    let joined = join_heads(m, attended);
    linear(m, "output", joined, config.width)
}

/// `[batch, seq, width]` to `[batch, heads, seq, width / heads]`.
pub(crate) fn split_heads(m: &mut ModelBuilder<'_>, x: ValueId, heads: usize) -> ValueId {
    let [batch, seq, width] = m.dims(x);
    let split = m.b.reshape(x, [batch, seq, heads, width / heads]);
    m.b.swap_dims(split, 1, 2)
}

/// `[batch, heads, seq, features]` to `[batch, seq, heads * features]`.
pub(crate) fn join_heads(m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
    let [batch, heads, seq, features] = m.dims(x);
    let x = m.b.swap_dims(x, 1, 2);
    m.b.reshape(x, [batch, seq, heads * features])
}

/// Attention of heads `[batch, heads, seq, features]`, as one op.
pub(crate) fn fused_attention(
    m: &mut ModelBuilder<'_>,
    query: ValueId,
    key: ValueId,
    value: ValueId,
    causal: bool,
) -> ValueId {
    let [_, _, _, features] = m.dims(query);
    let ty = m.b.ty(query);
    m.b.op("attention", Attention { causal, scale: 1.0 / (features as f64).sqrt() }, &[query, key, value], ty)
}

/// Attention written out, because the op has no dropout on its weights.
fn dropped_attention(
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
        let future = future(m, seq);
        let (future, _) = m.broadcast_both(future, scores);
        let never = m.b.splat_like(scores, Scalar::Float(f64::NEG_INFINITY));
        scores = m.b.select(future, never, scores);
    }
    let weights = softmax(m, scores, 3);
    let weights = m.dropout(weights, config.dropout);
    m.product(weights, value)
}

/// Which keys come after each query: `bool[seq, seq]`.
fn future(m: &mut ModelBuilder<'_>, seq: usize) -> ValueId {
    let position = m.b.arange(DType::I64, seq);
    let (query, key) = (m.b.unsqueeze(position, 1), m.b.unsqueeze(position, 0));
    let (query, key) = m.broadcast_both(query, key);
    m.b.compare(query, Direction::Lt, key)
}
