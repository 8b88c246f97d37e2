//! Kernels as `cube` functions that get a program or sizes when they are compiled.

pub(crate) mod attention;
pub(crate) mod contract;
pub(crate) mod evaluate;
pub(crate) mod fold;
pub(crate) mod functions;
pub(crate) mod half;
pub(crate) mod merge;
pub(crate) mod pointwise;
pub(crate) mod product;
pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod scatter;
pub(crate) mod steps;
pub(crate) mod tensor_product;
pub(crate) mod together;
