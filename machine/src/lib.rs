//! Machines that a program runs on: what their devices compute and hold, how these are connected, how collectives move
//! data between them, and when what happens.
//!
//! [`Machine`] is data from a file or a preset; [`collective`] has the algorithms of collectives as data, with their
//! prices on a machine; [`timeline`] is what was predicted or observed, span by span. This crate knows the types and
//! the diagnostics of `ir`, but nothing of passes or of what runs.

pub mod collective;
mod machine;
pub mod timeline;

pub use machine::{Kind, Link, Machine, Node, PRESETS, Port, Switch, Vertex, host, topology};
