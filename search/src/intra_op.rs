//! Layouts on one mesh: what each op could do, what that and the collectives in between cost, and the cheapest choice.
//!
//! A [`SearchGraph`] is what is searched; a [`LayoutSpace`] has the costs of one mesh as a [`Problem`], whose
//! [`Solution`] comes with a bound. Configurations are priced by these, and submeshes for stages of different size.

mod branch_and_bound;
mod bucket_elimination;
mod columns;
mod decision_groups;
mod layers;
mod layout_space;
mod linear;
mod order;
mod param_storage;
mod priced_config;
mod pricing;
mod problem;
mod restrict;
mod search_graph;
mod solve;
mod step_graphs;
mod strategies;
mod submeshes;
#[cfg(test)]
mod tests;
mod writer;

pub use branch_and_bound::{Solution, Stop};
pub use layers::LayerCost;
pub use layout_space::{Assumptions, ChosenLayouts, LayoutSpace, MemoryLimit, MeshPlacement, Overlap};
pub use priced_config::PricedConfig;
pub(crate) use priced_config::{assumptions, price, with_layouts};
pub use problem::{Limit, Problem};
pub use search_graph::SearchGraph;
pub use solve::{PricedConfigs, solve};
pub use step_graphs::StepGraphs;
pub(crate) use submeshes::AXES;
pub use submeshes::{PricedSubmeshes, SubmeshCosts, price_submeshes};
