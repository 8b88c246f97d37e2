//! The search for the best plan: what each op could do, what that costs on a machine, and the choice that costs least, with a bound on what
//! could be better.

pub mod autotune;
mod bounded;
mod columns;
mod eliminate;
mod fixed;
pub mod inter;
pub mod intra;
mod keepers;
mod linear;
mod order;
mod pricing;
mod problem;
pub mod replan;
mod spaces;
mod strategies;
mod subject;
#[cfg(test)]
mod tests;
pub mod write;
mod writer;

pub use bounded::{Effort, Solution, Stop};
pub use fixed::Fixed;
pub use linear::Solver;
pub use problem::{Limit, Problem};
pub use subject::Subject;
