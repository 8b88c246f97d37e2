//! Passes that normalise imported programs, independent of the frontend.

pub mod block_slices;
pub mod canonicalise;
pub mod initializers;
mod join;
pub mod raise;
pub(crate) mod row_wise;
pub mod simplify;
pub mod unsort;
pub mod updates;
