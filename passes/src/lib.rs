//! Passes: from a program as it was traced to one device's program with its collectives.
//!
//! [`driver`] says what a pass is and runs them, and [`pipelines`] is the only place where their order is written.

pub mod cut;
pub mod driver;
pub mod evaluation;
pub mod examples;
pub mod import;
pub mod inference;
pub mod no_effect;
pub mod optimising;
pub mod partitioning;
pub mod pipelines;
pub mod pipelining;
pub mod planning;
pub mod precision;
pub mod training;
