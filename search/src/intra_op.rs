//! Intra-operator parallelism: layouts on one mesh. Enumerates sharding strategies of ops, prices them and the
//! collectives between them, and selects the cheapest combination.
//!
//! A [`SearchGraph`] describes the step independently of the mesh. A [`LayoutSpace`] prices it for one mesh as a
//! [`Problem`], whose [`Solution`] includes a lower bound. These price configurations, and submeshes for stages of
//! unequal size.

mod allowance;
mod branch_and_bound;
mod bucket_elimination;
mod critical_path;
mod decision_groups;
mod elimination_order;
mod equal_layers;
mod layers;
mod layout_space;
mod least_kernels;
mod least_step;
mod linear;
mod overlapped_products;
mod param_storage;
mod postponed_sums;
mod priced_config;
mod pricing;
mod problem;
mod problem_builder;
mod restrict;
mod search_graph;
mod sequence_exchange;
mod serial_work;
mod solve;
mod step_graphs;
mod strategies;
mod strategy_table;
mod submeshes;
#[cfg(test)]
mod tests;

pub(crate) use allowance::Allowance;
pub use branch_and_bound::{Solution, Stop};
pub(crate) use equal_layers::with_equal_layers;
pub use layers::LayerCost;
pub(crate) use layers::Layers;
pub use layout_space::{Assumptions, ChosenLayouts, LayoutSpace, MemoryLimit, MeshPlacement, Overlap};
pub(crate) use least_kernels::LayerSeconds;
pub(crate) use least_step::PassSeconds;
pub use priced_config::PricedConfig;
pub(crate) use priced_config::{assumptions, price, with_interchangeable_axes, with_layouts};
pub use problem::{Limit, Problem};
pub use search_graph::SearchGraph;
pub use solve::solve;
pub use step_graphs::StepGraphs;
pub(crate) use submeshes::AXIS_NAMES;
pub use submeshes::{PricedSubmeshes, SubmeshCosts, price_submeshes};
