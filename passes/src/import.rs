//! Passes that give imported programs one shape, whatever frontend they come from.

pub mod canonicalise;
pub mod initializers;
mod join;
pub mod raise;
pub mod simplify;
pub mod updates;
