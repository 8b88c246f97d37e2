//! Partitioning: from a program with layouts to the program of one device with collectives.

mod axis_assignments;
pub mod choose;
pub mod decompose;
pub mod exchange_attention;
pub mod insert_reshards;
pub mod localize;
pub mod lower_attention;
pub mod lower_reshards;
pub mod overlap_matmul;
pub mod pad_reshapes;
pub mod partial_sums;
pub mod repeated_products;
pub mod reshard_path;
mod ring;
pub mod running_sums;
pub mod split_attention;
pub mod split_scans;

use crate::driver::variant::Variant;
use crate::driver::{Pass, Passes, Pipeline};
use crate::optimising::bucket::Bucket;
use crate::optimising::collectives::Collectives;
use crate::optimising::dce::Dce;
use crate::optimising::early_reductions::EarlyReductions;
use decompose::Decompose;
use exchange_attention::ExchangeAttention;
use insert_reshards::InsertReshards;
use localize::Localize;
use lower_attention::LowerAttention;
use lower_reshards::LowerReshards;
use overlap_matmul::OverlapMatmul;
use pad_reshapes::PadReshapes;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Form;
use split_attention::SplitAttention;
use split_scans::SplitScans;

/// Returns the passes from layouts to explicit reshards, and those from explicit reshards to the program of one device.
pub fn passes(variant: Variant) -> (Passes, Passes) {
    let explicit: Passes = vec![
        Box::new(SplitScans),
        Box::new(PadReshapes),
        Box::new(SplitAttention),
        Box::new(ExchangeAttention),
        Box::new(Decompose),
        Box::new(InsertReshards { when: variant.reductions }),
    ];
    let mut local: Passes = vec![Box::new(LowerReshards), Box::new(Dce(Form::Explicit))];
    if variant.is_rearranged {
        local.push(Box::new(Collectives));
    }
    local.extend([
        Box::new(Bucket) as Box<dyn Pass>,
        Box::new(EarlyReductions),
        Box::new(Localize),
        Box::new(LowerAttention),
        Box::new(OverlapMatmul),
    ]);
    (explicit, local)
}

/// Returns the pipeline from layouts to the program of one device, without recomputation.
///
/// # Errors
/// Internal errors only: the forms of these passes chain.
pub fn pipeline() -> Result<Pipeline, Diagnostic> {
    let (explicit, local) = passes(Variant::default());
    Pipeline::new(explicit.into_iter().chain(local).collect())
}
