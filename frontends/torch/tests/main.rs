//! Import of programs exported by PyTorch.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests")]

mod common;
mod exported;
mod rejected;
