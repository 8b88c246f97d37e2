//! Arithmetic on tensors, element by element and as products, and random numbers: what ops are evaluated with.

pub mod counter_rng;
pub(crate) mod kernel;
pub(crate) mod matmul;
pub(crate) mod special;
pub(crate) mod strided;
