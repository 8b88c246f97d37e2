//! What inputs are, where nobody declared it.

use super::model::{Model, Stem};
use partita_ir::arena::ValueId;

/// Whether a dimension is the first one of every value that has it.
pub fn leading_everywhere(model: &Model<'_>, values: &[ValueId], stem: Stem) -> bool {
    values.iter().all(|&v| model.dim(v, stem).is_none_or(|dim| dim == 0))
}
