//! Preset `data`: data parallelism. Every device has a shard of the batch and all parameters.
//!
//! The batch dimension of every input is sharded over the axis `data` ([`super::model`] infers which dimension it is);
//! propagation does the rest. Gradients are reduced in buckets, as in PyTorch's DistributedDataParallel ([Li et al.
//! 2020](https://arxiv.org/abs/2006.15704)).

use super::PresetContext;
use partita_ir::diag::Diagnostic;

/// Size of a gradient bucket, if the plan does not specify it.
pub const DEFAULT_BUCKET_SIZE: &str = "25MiB";

/// Expands `data`: shards the batch dimension of every input.
///
/// # Errors
/// `L014` if the model has no batch dimension.
pub fn expand(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    let Some(axis) = cx.axis("data") else { return Ok(()) };
    let Some(batch) = cx.model.batch else {
        return Err(cx.pattern_not_found(
            "a batch dimension: a dimension of inputs that no parameter has and no product contracts",
        ));
    };
    for value in cx.model.data.clone() {
        if let Some(dim) = cx.model.dim(value, batch) {
            cx.shard(value, dim, axis);
        }
    }
    if !cx.model.updates.is_empty() {
        cx.expansion.bucket = Some(DEFAULT_BUCKET_SIZE);
    }
    Ok(())
}
