//! Plans, program text and the verifier.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests")]

mod plan;
mod text;
mod verify;
