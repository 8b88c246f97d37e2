//! Equality of the results of imported programs and of Burn.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

mod composites;
mod elementwise;
mod gradients;
mod harness;
mod indexing;
mod layers;
mod movement;
mod reductions;
mod windows;
mod zoo;
