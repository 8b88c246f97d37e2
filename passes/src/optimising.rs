//! Passes that make a program cheaper without changing what it means.

pub mod bucket;
pub mod collectives;
pub mod dce;
