//! Compiler passes: import, planning, training, precision, partitioning, pipelining and optimisation.
//!
//! [`driver`] defines passes and runs them. [`pipelines`] is the only place that fixes their order.

pub mod batch_independence;
pub mod driver;
pub mod evaluation;
pub mod frozen_prefix;
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
