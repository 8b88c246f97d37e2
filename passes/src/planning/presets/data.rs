//! Preset `data`: data parallelism. Every device has a shard of the batch and all parameters.
//!
//! The batch dimension of every input is sharded over the axes [`DATA_AXES`] that the mesh has ([`super::model`] infers
//! which dimension it is); propagation does the rest. Gradients are reduced in buckets, as in PyTorch's
//! DistributedDataParallel ([Li et al. 2020](https://arxiv.org/abs/2006.15704)).

use super::PresetContext;
use partita_ir::diag::Diagnostic;
use partita_ir::mesh::AxisRef;
use partita_ir::units::parse_bytes;

/// Axes that shard the batch, from across nodes to within a node. Parameters are replicated over `data`; the ZeRO
/// presets shard state over `shard` if the mesh has this axis, and over `data` otherwise.
pub const DATA_AXES: [&str; 2] = ["data", "shard"];

/// Size of a gradient bucket, if the plan does not specify it.
pub const DEFAULT_BUCKET_SIZE: &str = "25MiB";

/// Returns the default size of a bucket of gradients that are already in shards: as many gradients share a bucket as
/// without shards.
pub fn default_bucket_size(shards: u32) -> String {
    match shards {
        0 | 1 => DEFAULT_BUCKET_SIZE.to_owned(),
        _ => format!("{}KiB", parse_bytes(DEFAULT_BUCKET_SIZE).unwrap_or(0) / (u64::from(shards) << 10)),
    }
}

/// Expands `data`: shards the batch dimension of every input.
///
/// # Errors
/// `L014` if the model has no batch dimension.
pub fn expand(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    let axes: Vec<AxisRef> = cx.data_axes().collect();
    if axes.is_empty() {
        return Ok(());
    }
    let Some(batch) = cx.model.batch else {
        return Err(cx.pattern_not_found(
            "a batch dimension: a dimension of inputs that no parameter has and no product contracts",
        ));
    };
    for value in cx.model.data.clone() {
        if let Some(dim) = cx.model.dim(value, batch) {
            axes.iter().for_each(|&axis| cx.shard(value, dim, axis));
        }
    }
    cx.reduce_in_buckets();
    Ok(())
}
