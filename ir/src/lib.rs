//! The language of Partita: programs as data, their text, verifier, operation rules, plans, diagnostics and the
//! reference interpreter.
//!
//! The principal type is [`program::Program`]; [`rule::Rule`] says how each operation shards, and [`layout::Layout`]
//! where each value lies. This crate knows nothing of passes, devices or frontends.

pub mod arena;
pub mod diag;
pub mod dtype;
pub mod expand;
pub mod flow;
pub mod graph;
pub mod initializer;
pub mod input_file;
pub mod interp;
pub mod layout;
pub mod liveness;
pub mod mesh;
pub mod model;
pub mod numeric;
pub mod offsets;
pub mod origin;
pub mod pipeline;
pub mod plan;
pub mod program;
pub mod rule;
pub mod schedule;
pub mod syntax;
pub mod tensor;
pub mod text;
pub mod units;
pub mod verify;

pub use program::{build, class, op, ops};
