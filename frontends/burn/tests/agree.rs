//! Equality of the results of imported programs and of Burn.

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
