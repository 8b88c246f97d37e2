//! Optimisations that reduce the cost of a program and preserve its results.

pub mod bucket;
pub mod collectives;
pub mod dce;
pub mod early_reductions;
