//! The library as a whole: options, training, searches, exports and pages.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests")]

mod depth;
mod donation;
mod exports;
mod html;
mod input_roles;
mod masked_experts;
mod options;
mod sharded_training;
mod targets;
mod trained_models;
mod zoo;
