//! Layouts on one mesh: what each op could do, what that and the collectives in between cost, and the cheapest choice.
//!
//! A [`SearchGraph`] is what is searched; [`ChosenLayouts`] has the costs of one mesh as a [`Problem`], whose
//! [`Solution`] comes with a bound.

mod branch_and_bound;
mod bucket_elimination;
mod columns;
mod decision_groups;
mod layout_space;
mod linear;
mod order;
mod param_storage;
mod pricing;
mod problem;
mod search_graph;
mod strategies;
#[cfg(test)]
mod tests;
mod writer;

pub use branch_and_bound::{Effort, Solution, Stop};
pub use layout_space::{Assumptions, ChosenLayouts, LayoutSpace, MemoryLimit, MeshPlacement, Overlap};
pub use linear::Solver;
pub use problem::{Limit, Problem};
pub use search_graph::SearchGraph;
pub(crate) use writer::When;
