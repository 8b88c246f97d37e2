//! Capture of Burn modules.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod agree;
mod annotate;
mod capture;
mod weights;
mod zoo;
