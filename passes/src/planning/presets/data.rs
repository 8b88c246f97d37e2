//! `data`: every device has its share of the batch, and all of the parameters.
//!
//! The batch is split over the axis `data` in every input that has it ([`super::model`] says how it is found);
//! propagation does the rest. Gradients are reduced in buckets, as PyTorch's DistributedDataParallel does ([Li et al.
//! 2020](https://arxiv.org/abs/2006.15704)).

use super::Cx;
use partita_ir::diag::Diagnostic;

/// What a bucket holds where the plan does not say.
pub const BUCKET: &str = "25MiB";

/// Splits the batch.
pub fn expand(cx: &mut Cx<'_>) -> Result<(), Diagnostic> {
    let Some(axis) = cx.axis("data") else { return Ok(()) };
    let Some(batch) = cx.model.batch else {
        return Err(
            cx.nothing("a batch: a dimension of inputs that no parameter has and that is summed over with none")
        );
    };
    for value in cx.model.data.clone() {
        if let Some(dim) = cx.model.dim(value, batch) {
            cx.split(value, dim, axis);
        }
    }
    if !cx.model.updates.is_empty() {
        cx.wishes.bucket = Some(BUCKET);
    }
    Ok(())
}
