//! Partitioning: from layouts to one device's program with its collectives.

pub mod choose;
pub mod decompose;
pub mod insert_reshards;
pub mod localize;
pub mod lower_reshards;
pub mod pad_reshapes;
pub mod path;
pub mod pending;
pub mod running_sums;
pub mod split_sums;
mod splits;

use crate::driver::variant::Variant;
use crate::driver::{Pass, Passes, Pipeline};
use crate::optimising::bucket::Bucket;
use crate::optimising::collectives::Collectives;
use crate::optimising::dce::Dce;
use decompose::Decompose;
use insert_reshards::InsertReshards;
use localize::Localize;
use lower_reshards::LowerReshards;
use pad_reshapes::PadReshapes;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Form;
use split_sums::SplitSums;

/// The passes from layouts to their changes written out, and from there to one device's program, in order.
pub fn passes(variant: Variant) -> (Passes, Passes) {
    let explicit: Passes = vec![
        Box::new(SplitSums),
        Box::new(PadReshapes),
        Box::new(Decompose),
        Box::new(InsertReshards { when: variant.when }),
    ];
    let mut local: Passes = vec![Box::new(LowerReshards), Box::new(Dce(Form::Explicit))];
    if variant.is_rearranged {
        local.push(Box::new(Collectives));
    }
    local.extend([Box::new(Bucket) as Box<dyn Pass>, Box::new(Localize)]);
    (explicit, local)
}

/// From layouts to one device's program, without recomputation.
///
/// # Errors
/// Only bugs: the forms of these passes chain.
pub fn lower() -> Result<Pipeline, Diagnostic> {
    let (explicit, local) = passes(Variant::default());
    Pipeline::new(explicit.into_iter().chain(local).collect())
}
