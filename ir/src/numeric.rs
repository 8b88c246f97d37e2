//! Numerical kernels for evaluating ops: elementwise functions, matrix products, strided copies and random numbers.

pub mod counter_rng;
pub(crate) mod kernel;
pub(crate) mod matmul;
pub(crate) mod special;
pub(crate) mod strided;

pub use kernel::cast;
