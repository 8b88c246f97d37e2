//! Lowering shared by the backends: functions of the IR become routines of kernels.
//!
//! Ops that only move elements become [`view`]s, which need no kernel. Groups of elementwise ops and reductions become
//! fused loops, described as data ([`fusion`]). Contractions become matrix products ([`product`]). Other movements,
//! such as padding, become copies. The [`Target`](lowerer::Target) lowers every other op.

pub mod fusion;
pub mod lowerer;
pub mod product;
pub mod view;
