//! Attention heads: their layout, and attention as one op.

use crate::builder::ModelBuilder;
use partita_ir::arena::ValueId;
use partita_ir::dtype::Shape;
use partita_ir::ops::Attention;

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

/// Repeats keys or values `[batch, kv_heads, seq, features]` for `heads` query heads. The heads of a group are
/// adjacent.
pub(crate) fn repeat_heads(m: &mut ModelBuilder<'_>, shared: ValueId, heads: usize) -> ValueId {
    let [batch, kv_heads, seq, features] = m.dims(shared);
    if kv_heads == heads {
        return shared;
    }
    let shared = m.b.unsqueeze(shared, 2);
    let repeated = m.b.expand(shared, &Shape::from([batch, kv_heads, heads / kv_heads, seq, features]));
    m.b.reshape(repeated, [batch, heads, seq, features])
}
