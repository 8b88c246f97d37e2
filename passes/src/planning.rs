//! Planning: from the user's annotations to a layout of every value.

pub mod apply_plan;
pub mod interleave;
pub mod name_dims;
pub mod name_layers;
pub mod path_index;
pub mod presets;
pub mod propagate;
pub mod reduce_depth;
pub mod remat;
pub mod ties;

use crate::driver::variant::{ReductionPlacement, Variant};
use crate::driver::{Pass, Pipeline};
use crate::partitioning;
use partita_ir::diag::Diagnostic;

use propagate::Propagate;

/// Returns the pipeline from a traced program with layouts to the local program of one micro-batch.
///
/// # Errors
/// Internal errors only: the forms of these passes chain.
pub fn micro_batch_pipeline() -> Result<Pipeline, Diagnostic> {
    let variant = Variant { reductions: ReductionPlacement::AtReader, ..Variant::default() };
    let (explicit, local) = partitioning::passes(variant);
    let propagate: Box<dyn Pass> = Box::new(Propagate);
    Pipeline::new([propagate].into_iter().chain(explicit).chain(local).collect())
}
