//! Kernels as `cube` functions with compile-time parameters: a program of steps, sizes and layouts.
//!
//! The documentation uses CubeCL's terms: a unit is a thread, a plane is a warp or subgroup, and a cube is a thread
//! block or workgroup.

pub(crate) mod attention;
pub(crate) mod contract;
pub(crate) mod evaluate;
pub(crate) mod fold;
pub(crate) mod functions;
pub(crate) mod half;
pub(crate) mod horizontal;
pub(crate) mod merge;
pub(crate) mod pointwise;
pub(crate) mod product;
pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod scatter;
pub(crate) mod steps;
pub(crate) mod tensor_product;
