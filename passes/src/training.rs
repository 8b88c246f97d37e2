//! Training: from a model to its training step, with gradients, updates, micro-batches and frozen parameters.

pub(crate) mod batch_sums;
pub mod differentiate;
pub mod freeze;
pub mod micro_batches;
pub mod phases;
