//! Import and export of StableHLO.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod common;
mod complex;
mod contradictions;
mod data;
mod errors;
mod export;
mod import;
mod jax;
mod linear_algebra;
mod literals;
mod loops;
mod manual;
mod robust;
mod shardy;
