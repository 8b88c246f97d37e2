//! Partitioning: from layouts to one device's program with its collectives.

pub(crate) mod choose;
pub mod decompose;
pub mod insert_reshards;
pub mod localize;
pub mod lower_reshards;
pub mod pad_reshapes;
pub mod path;
pub mod pending;
pub(crate) mod running_sums;
pub mod split_sums;
mod splits;
