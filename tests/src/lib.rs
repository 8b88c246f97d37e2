//! The net under everything: goldens, random programs, and faults put in on purpose.
//!
//! [`golden`] does what a file under `filetests/` says, and [`pass_goldens`] checks which of them every pass has.
//! [`generate`] draws programs, layouts and meshes; [`soak`] checks many of them, [`train_soak`] many plans of training
//! steps, [`agree`] says when two runs agree, and [`coverage`] counts what they have met. [`faults`] breaks programs to
//! see that the check notices, and [`mutations`] changes them op by op. [`sides`] are those of laws. [`gradients`]
//! differentiates random programs. [`gpt`] writes transformers of any size.
//!
//! Real [`models`] are checked in [`matrix`], as they are annotated and by [`plans`] of our own, and in [`jax`] against
//! what JAX computed.

pub mod agree;
pub mod coverage;
pub mod faults;
pub mod generate;
pub mod golden;
pub mod gpt;
pub mod gradients;
pub mod jax;
pub mod matrix;
pub mod models;
pub mod mutations;
pub mod pass_goldens;
pub mod plans;
pub mod sides;
pub mod soak;
pub mod special;
pub mod train_soak;
pub mod trained;
