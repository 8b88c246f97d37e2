//! Search for the best plan of a program on a machine. The stages are:
//!
//! | stage | result |
//! |---|---|
//! | [`Constraints::from_plan`] | [`Constraints`]: the user's plan, read once |
//! | `explore` | promising compositions of presets: mesh, stages, micro-batches, schedule, recomputation |
//! | [`mod@configs`] | [`ParallelConfig`](configs::ParallelConfig)s: mesh, stages, micro-batches |
//! | [`intra_op`] | [`PricedConfig`](intra_op::PricedConfig)s: layouts and their cost |
//! | [`inter_op`] | [`UnequalStages`](inter_op::UnequalStages): stages of different size |
//! | [`mod@write`] | plans with as few entries as propagation needs |
//! | [`evaluate`] | [`SimulatedPlan`]s |
//! | `bound` | a lower bound of the step time |
//!
//! [`target`] defines the plans that other frameworks can express. [`Goal::target`] limits all stages to them.
//!
//! No stage calls an earlier one. The driver runs them, and controls the deadline, progress and order of refinement.
//! The result is an [`Outcome`]. [`pareto`], [`replan`] and [`sweep`](sweep::sweep) run several searches. [`autotune`]
//! chooses between lowerings of a plan.

mod alternative;
pub mod autotune;
mod bound;
mod buckets;
mod composition;
pub mod configs;
mod conflict;
mod depth;
mod driver;
pub mod evaluate;
mod explore;
pub mod inter_op;
pub mod intra_op;
mod limits;
mod monitor;
mod outcome;
pub mod pareto;
mod plan_step;
mod precision;
mod problem;
mod refine;
pub mod replan;
mod stage_memory;
mod stage_paths;
pub mod sweep;
pub mod target;
pub mod write;

pub use alternative::LayoutAlternative;
pub use autotune::StepShares;
pub use evaluate::SimulatedPlan;
pub use intra_op::Stop;
pub use limits::{Effort, SearchLimits};
pub use monitor::{Monitor, Progress};
pub use outcome::Outcome;
pub use problem::{Constraints, FixedLayouts, Goal, RECOMPUTE_LEVELS, SearchProblem, SearchRequest, SpaceLimits, Step};
pub use target::Target;

use partita_ir::diag::Diagnostic;

/// Searches for the fastest plans of a program on a machine.
///
/// # Errors
/// Returns errors in the plan, `H002` for a machine that is too small, `L005` with the conflicting decisions if no plan
/// fits, and `L019` if the target cannot express a decision or any plan.
pub fn search(request: &SearchRequest<'_>, monitor: &mut Monitor<'_>) -> Result<Outcome, Vec<Diagnostic>> {
    match precision::search(request, monitor)? {
        Ok(outcome) => Ok(outcome),
        Err(infeasible) => Err(conflict::explain(request, &infeasible, monitor).into()),
    }
}
