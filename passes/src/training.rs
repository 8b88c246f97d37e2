//! From a model to its training step: gradients, updates, micro-batches, and what is frozen.

pub mod differentiate;
pub mod freeze;
pub mod micro_batches;
pub mod phases;
