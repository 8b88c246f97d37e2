//! The search for the best plan: what each op could do, what that costs on a machine, and the choice that costs least, with a bound on what
//! could be better.

mod bounded;
mod eliminate;
pub mod intra;
mod pricing;
mod problem;
mod spaces;
mod strategies;
#[cfg(test)]
mod tests;
pub mod write;

pub use bounded::{Effort, Solution, Stop};
