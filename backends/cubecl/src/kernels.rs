//! Kernels as `cube` functions that get a program or sizes when they are compiled.

pub(crate) mod attention;
pub(crate) mod pointwise;
pub(crate) mod product;
pub(crate) mod reduce;
pub(crate) mod steps;
