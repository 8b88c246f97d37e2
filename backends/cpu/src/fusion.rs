//! Fused loops: chains of elementwise ops with broadcasts, and the reductions among them and behind them, computed row by row in
//! registers that stay in the cache.
//!
//! [`group`] collects ops that run over the same elements; [`build`] makes a [`program::Program`] of a group; [`run`] runs it. A
//! softmax or a layer norm, forward or backward, is one such group: its reductions are over rows, and what they give is a
//! number a row.

pub(crate) mod build;
pub(crate) mod candidate;
mod compute;
pub(crate) mod group;
pub(crate) mod math;
mod memory;
pub(crate) mod program;
pub(crate) mod run;
