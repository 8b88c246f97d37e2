//! Running fused loops: a thread computes a row at a time, in registers that are memory which stays in the cache.

pub(crate) mod compute;
pub(crate) mod math;
mod memory;
pub(crate) mod run;
