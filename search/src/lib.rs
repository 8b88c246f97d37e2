//! The search for the best plan: what each op could do, what that costs on a machine, and the choice that costs least,
//! with a bound on what could be better.
//!
//! [`intra_op`] chooses layouts on one mesh, [`inter_op`] cuts a model into stages over several; [`mod@write`] makes a
//! plan of what they chose. [`autotune`] decides which way of computing a plan is faster, and [`replan`] what moves
//! between two plans.

pub mod autotune;
mod fixed_layouts;
pub mod inter_op;
pub mod intra_op;
mod limits;
pub mod replan;
pub mod write;

pub use fixed_layouts::FixedLayouts;
pub use intra_op::{Effort, Limit, Problem, SearchGraph, Solution, Solver, Stop};
pub use limits::SearchLimits;
