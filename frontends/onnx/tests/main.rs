//! Import of ONNX models.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests")]

mod common;
mod contradictions;
mod control;
mod data;
mod errors;
mod ops;
mod opsets;
mod weights;
