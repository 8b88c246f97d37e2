//! From what the user decided to a layout for every value.

pub mod apply_plan;
pub mod find;
pub mod name_dims;
pub mod presets;
pub mod propagate;
pub mod remat;
pub mod ties;

use crate::driver::variant::Variant;
use crate::driver::{Pass, Pipeline};
use crate::partitioning;
use partita_ir::diag::Diagnostic;

use propagate::Propagate;

/// From a traced program with layouts to one part of the batch, as a local program.
///
/// # Errors
/// Only bugs: the forms of these passes chain.
pub fn split_batch() -> Result<Pipeline, Diagnostic> {
    let (explicit, local) = partitioning::passes(Variant::default());
    let propagate: Box<dyn Pass> = Box::new(Propagate);
    Pipeline::new([propagate].into_iter().chain(explicit).chain(local).collect())
}
