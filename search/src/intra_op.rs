//! Layouts on one mesh: what each op could do, what that and the collectives in between cost, and the cheapest choice.
//!
//! A [`Subject`] is what is searched; [`Intra`] has the costs of one mesh as a [`Problem`], whose [`Solution`] comes
//! with a bound.

mod bounded;
mod columns;
mod eliminate;
mod intra;
mod keepers;
mod linear;
mod order;
mod pricing;
mod problem;
mod spaces;
mod strategies;
mod subject;
#[cfg(test)]
mod tests;
mod writer;

pub use bounded::{Effort, Solution, Stop};
pub use intra::{Assumed, Intra, Layouts, On, Room, Waits};
pub use linear::Solver;
pub use problem::{Limit, Problem};
pub use subject::Subject;
pub(crate) use writer::When;
