//! `mesh`: the two-dimensional layout of [Mesh-TensorFlow](https://arxiv.org/abs/1811.02084) (Shazeer et al. 2018): the
//! batch over `data`, and over `model` every dimension that activations get from parameters, wherever it is: hidden
//! units, heads, the vocabulary.
//!
//! It goes by dimensions where `megatron` goes by pairs of parameters: a hidden dimension is split also where nothing
//! sums over it, and inputs that have it are split like parameters.

use super::Cx;
use super::megatron::{cuts, lay_out};
use partita_ir::diag::Diagnostic;

/// Splits every value that enters and has such a dimension. The batch is `data`'s.
pub fn expand(cx: &mut Cx<'_>) -> Result<(), Diagnostic> {
    let Some(axis) = cx.axis("model") else { return Ok(()) };
    let cuts = cuts(cx, axis, false);
    if cuts.is_empty() {
        return Err(cx.nothing("dimensions that activations get from parameters and that are not normalised"));
    }
    let entries: Vec<_> = cx.model.params.iter().chain(&cx.model.data).copied().collect();
    for value in entries {
        lay_out(cx, value, &cuts);
    }
    Ok(())
}
