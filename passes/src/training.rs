//! Training: from a model to its training step, with gradients, updates, micro-batches and frozen parameters.

pub mod differentiate;
pub mod freeze;
pub mod micro_batches;
pub mod phases;
