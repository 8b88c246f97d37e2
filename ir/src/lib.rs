//! Intermediate representation of Partita: programs, text format, verifier, sharding rules, plans, diagnostics and the
//! reference interpreter.
//!
//! The principal type is [`program::Program`]. [`rule::Rule`] describes how an operation can be sharded,
//! and [`layout::Layout`] describes the sharding of a value. This crate does not depend on passes, devices or
//! frontends.

pub mod arena;
pub mod diag;
pub mod dtype;
pub mod expand;
pub mod graph;
pub mod initializer;
pub mod input_file;
pub mod interp;
pub mod layout;
pub mod layout_semantics;
pub mod liveness;
pub mod mesh;
pub mod mini_float;
pub mod model;
pub mod numeric;
pub mod offsets;
pub mod origin;
pub mod pipeline;
pub mod plan;
pub mod program;
pub mod rule;
pub mod schedule;
pub mod source_text;
pub mod syntax;
pub mod tensor;
pub mod text;
pub mod units;
pub mod verify;

pub use program::{build, class, op, ops};
