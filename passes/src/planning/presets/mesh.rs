//! Preset `mesh`: the two-dimensional layout of [Mesh-TensorFlow](https://arxiv.org/abs/1811.02084) (Shazeer et al.
//! 2018). The batch is sharded over `data`, and every dimension that parameters produce in activations over `model`:
//! hidden units, heads, the vocabulary.
//!
//! Unlike `megatron`, it also shards hidden dimensions that no parameter contracts, and inputs that have them.

use super::PresetContext;
use super::megatron::{shard_matching_dim, sharded_dims};
use partita_ir::diag::Diagnostic;

/// Expands `mesh`: shards every parameter and input along its first dimension that a parameter produces in activations.
/// The preset `data` shards the batch.
///
/// # Errors
/// `L014` if the model has no such dimension.
pub fn expand(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    let Some(axis) = cx.axis("model") else { return Ok(()) };
    let sharded_dims = sharded_dims(cx, axis, false);
    if sharded_dims.is_empty() {
        return Err(
            cx.pattern_not_found("a dimension of activations that a parameter produces and that is not normalised")
        );
    }
    let entries: Vec<_> = cx.model.params.iter().chain(&cx.model.data).copied().collect();
    for value in entries {
        shard_matching_dim(cx, value, &sharded_dims);
    }
    Ok(())
}
