//! Test support: goldens, random programs, and fault injection.
//!
//! [`golden`] runs the test named by a file under `filetests/`, and [`pass_goldens`] checks which of them every pass
//! has. [`generate`] generates programs, layouts and meshes; [`soak`] checks many of them, [`train_soak`] many plans of
//! training steps, [`agree`] compares two runs, and [`coverage`] counts covered ops. [`faults`] injects faults to test
//! that the comparison detects them, and [`mutations`] changes programs op by op. [`law_sides`] computes both sides of
//! laws. [`gradients`] differentiates random programs. [`gpt`] writes transformers of any size.
//!
//! Imported [`models`] are checked in [`matrix`], with their annotations and with the [`plans`] of this crate, and in
//! [`jax`] against JAX.

pub mod agree;
pub mod coverage;
pub mod faults;
pub mod generate;
pub mod golden;
pub mod gpt;
pub mod gradients;
pub mod jax;
pub mod law_sides;
pub mod matrix;
pub mod models;
pub mod mutations;
pub mod normal_values;
pub mod pass_goldens;
pub mod plans;
pub mod small_models;
pub mod soak;
pub mod special;
pub mod train_soak;
pub mod training_step;
