//! What backends share on the way from a function to steps: what only moves elements becomes a [`view`] and costs
//! nothing, chains of elementwise ops and reductions become fused loops as data ([`fusion`]), contractions are
//! [`product`]s of matrices, and every other op is the [`Target`](lowerer::Target)'s to lower.

pub mod fusion;
pub mod lowerer;
pub mod product;
pub mod view;
