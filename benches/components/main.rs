//! Time of each component in isolation, on models of several depths: `cargo bench --bench components [-- FILTER]`.
//!
//! Groups are named after components, so that `-- passes/` measures passes alone.
#![allow(clippy::panic, reason = "without its programs there is nothing to measure")]

mod checkpoints;
mod collectives;
mod import;
mod kernels;
mod models;
mod passes;
mod search;
#[path = "../short/mod.rs"]
mod short;
mod text;
mod verifier;

use criterion::{criterion_group, criterion_main};

/// The allocator of the `partita` binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

criterion_group!(
    benches,
    text::bench,
    import::bench,
    passes::bench,
    verifier::bench,
    search::bench,
    kernels::bench,
    collectives::bench,
    checkpoints::bench
);
criterion_main!(benches);
