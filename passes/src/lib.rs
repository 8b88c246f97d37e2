//! Passes: from a program as it was traced to one device's program with its collectives.
//!
//! [`pass`] says what a pass is and drives them, and [`pipelines`] is the only place where their order is written.

pub mod cut;
pub mod differentiate;
pub mod evaluation;
pub mod examples;
pub mod import;
pub mod inference;
pub mod micro_batches;
pub mod optimise;
pub mod partition;
pub mod pass;
pub mod pipelines;
pub mod plan;
pub mod provenance;
pub mod replan;
pub mod schedule;
pub mod search;
pub mod stages;
pub mod tasks;
pub mod variants;
