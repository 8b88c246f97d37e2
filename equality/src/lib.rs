//! Proof of equality of programs by equality saturation (Willsey et al., *egg: Fast and extensible equality
//! saturation*, 2021).
//!
//! A [term](term::Term) is a global value, as on one device, or the shards of a value on the devices of a mesh. Shards
//! are determined by the global value and by the [placement](placement::Placement): the layout, including partial axes,
//! and the contents of the padding. The term `part[P] x`, the shards of `x` with the placement `P`, is therefore the
//! same whichever collectives produced it, and two programs are equal if their outputs are shards of the same values.
//!
//! [Laws](laws::Law) state which terms are equal. They are data with names, in four families: [algebra](laws::algebra)
//! with [identities](laws::identities) on global values, [layouts](laws::layouts) (an op on shards yields shards of the
//! op's result, by the op's sharding rule), [collectives](laws::collectives) (each changes the placement of a value)
//! and [rearrangements](laws::rearrange) (exchange of collectives with ops). Only laws make terms equal. The
//! [analysis](term::TermAnalysis) of e-classes reports terms of different type or placement in one e-class, which would
//! be a bug of a law.
//!
//! Equality by arithmetic on elements is not stated as laws but decided by [normal forms](normal_form), which equate
//! all terms of global values that have the same one.
//!
//! [`prove`] translates the original and a partitioned program to terms and proves that their outputs are equal, with
//! the list of laws used.

pub mod certificate;
pub mod extract;
pub mod laws;
pub mod normal_form;
pub mod placement;
pub mod prove;
pub mod reading;
pub mod term;
pub mod window;
pub mod write;
