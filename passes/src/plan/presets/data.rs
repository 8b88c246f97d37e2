//! `data`: every device has its share of the batch, and all of the parameters.
//!
//! The batch is split over the axis `data` in every input that has it ([`super::model`] says how it is found); propagation
//! does the rest.

use super::Cx;
use partita_ir::diag::Diagnostic;

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
    Ok(())
}
