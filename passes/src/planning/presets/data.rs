//! Preset `data`: data parallelism. Every device has a shard of the batch and all parameters.
//!
//! The batch dimension of every input is sharded over the axes [`DATA_AXES`] that the mesh has ([`super::model`] infers
//! which dimension it is), and so is the batch of another tower, such as the texts beside images, or of other data,
//! such as the noise of a generator, which may be drawn from a key; propagation does the rest. A program that divides
//! its examples into micro-batches has shards of every micro-batch, which an all_to_all collects from the shards of the
//! inputs.
//!
//! Gradients are reduced in buckets, as in PyTorch's DistributedDataParallel
//! ([Li et al. 2020](https://arxiv.org/abs/2006.15704)).

use super::PresetContext;
use super::leading_dim::is_leading_dim;
use super::model::{Contraction, ModelStructure, Stem};
use partita_ir::arena::ValueId;
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
    let mut others = batches_of_towers(&cx.model, batch);
    others.extend(&cx.model.other_batches);
    for value in cx.model.data.clone() {
        let dim = cx.model.examples_dim(value).or_else(|| others.iter().find_map(|&other| cx.model.dim(value, other)));
        if let Some(dim) = dim {
            axes.iter().for_each(|&axis| cx.shard(value, dim, axis));
        }
    }
    let drawn = cx.model.drawn.iter().filter_map(|&(value, stem)| Some((value, cx.model.dim(value, stem)?)));
    let drawn: Vec<(ValueId, usize)> = drawn.collect();
    for (value, dim) in cx.model.micro_batches().into_iter().chain(drawn) {
        axes.iter().for_each(|&axis| cx.shard_only(value, dim, axis));
    }
    cx.reduce_in_buckets();
    Ok(())
}

/// Returns the batches of other towers, which few products combine with `batch`, such as the similarities of images and
/// texts: leading dimensions of inputs without `batch` that have its size, and that most values have without it.
fn batches_of_towers(model: &ModelStructure<'_>, batch: Stem) -> Vec<Stem> {
    let size = |stem: Stem| model.data.iter().find_map(|&v| Some(model.program.ty(v).shape[model.dim(v, stem)?]));
    let mut others: Vec<Stem> = Vec::new();
    for &value in model.data.iter().filter(|&&v| model.examples_dim(v).is_none()) {
        let first = model.dims(value).next().filter(|(dim, _)| *dim == 0).map(|(_, stem)| stem);
        others.extend(first.filter(|first| size(*first) == size(batch) && !others.contains(first)));
    }
    others.retain(|&other| {
        let results = || model.ops.iter().flat_map(|&op| &model.program.ops[op].outs);
        let with_other = results().filter(|&&v| model.has_stem(v, other));
        let with_both = with_other.clone().filter(|&&v| model.has_stem(v, batch));
        let is_in_product = |product: &Contraction| model.has_stem(model.program.ops[product.op].outs[0], other);
        model.contractions.iter().any(is_in_product)
            && is_leading_dim(model, &model.data, other)
            && 2 * with_both.count() < with_other.count()
    });
    others
}
