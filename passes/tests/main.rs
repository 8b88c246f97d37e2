//! Passes and pipelines of passes on small programs.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests")]

mod canonicalise;
mod cut_stages;
mod differentiate;
mod equality;
mod inference;
mod initializers;
mod memory;
mod plan;
mod presets;
mod programs;
mod propagate;
mod store;
mod update;
