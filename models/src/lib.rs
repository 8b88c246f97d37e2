//! The built-in models.
//!
//! A model is requested by a line such as `zoo:gpt?layers=2&width=256&heads=8`.

pub mod llama;
mod options;
pub mod transformer;

pub use options::{Entry, Kind, Opt, Options};
