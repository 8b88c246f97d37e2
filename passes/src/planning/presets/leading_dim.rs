//! Criterion for the batch dimension, for programs that do not declare it.

use super::model::{ModelStructure, Stem};
use partita_ir::arena::ValueId;

/// Returns true if a dimension, identified by its stem, is dimension 0 of every value that has it.
pub fn is_leading_dim(model: &ModelStructure<'_>, values: &[ValueId], stem: Stem) -> bool {
    values.iter().all(|&v| model.dim(v, stem).is_none_or(|dim| dim == 0))
}
