//! Configurations with the best layouts, and the price of a step by these.

use super::layout_space::{Assumptions, ChosenLayouts, LayoutSpace, MemoryLimit, MeshPlacement, Overlap};
use super::search_graph::SearchGraph;
use crate::configs::ParallelConfig;
use crate::limits::PricingLimits;
use crate::problem::SearchProblem;
use partita_ir::diag::Diagnostic;
use partita_ir::mesh::Mesh;
use std::fmt;

/// Configuration with the best layouts that were found for it.
#[derive(Clone, Debug)]
pub struct PricedConfig {
    /// The configuration.
    pub config: ParallelConfig,
    /// Layouts, with their cost and a bound.
    pub layouts: ChosenLayouts,
}

impl fmt::Display for PricedConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:.6} s, at least {:.6} s", self.config, self.seconds(), self.bound())
    }
}

impl PricedConfig {
    /// Estimated seconds of a step.
    pub fn seconds(&self) -> f64 {
        step_seconds(&self.config, self.layouts.solution.cost)
    }

    /// Seconds that no layouts of the configuration take less than, by the same estimate.
    pub fn bound(&self) -> f64 {
        step_seconds(&self.config, self.layouts.solution.bound)
    }

    /// Estimated seconds of a step with or without recomputation.
    pub(crate) fn seconds_with(&self, recompute: bool) -> f64 {
        step_seconds(&ParallelConfig { recompute, ..self.config.clone() }, self.layouts.solution.cost)
    }

    /// Estimated seconds of a step by the schedule that lets stages wait least.
    pub(crate) fn least_seconds(&self) -> f64 {
        seconds_in_chunks(&self.config, PricingLimits::TUNED.most_chunks, self.layouts.solution.cost)
    }

    /// Returns whether a configuration with fewer axes is as fast: two of the axes then do what one could do.
    pub(crate) fn has_needless_axis(&self, others: &[PricedConfig]) -> bool {
        let mut shorter = others.iter().filter(|other| other.config.axes.len() < self.config.axes.len());
        shorter.any(|other| self.is_as_fast_as(other))
    }

    /// Returns whether `other` is the same with axes swapped.
    pub(crate) fn is_mirrored(&self, other: &PricedConfig) -> bool {
        self.config.axes == other.config.axes && self.is_as_fast_as(other)
    }

    /// Returns whether `other` has as many stages and micro-batches, and is as fast.
    fn is_as_fast_as(&self, other: &PricedConfig) -> bool {
        let stages = |one: &PricedConfig| (one.config.stages, one.config.micro_batches, one.config.recompute);
        stages(self) == stages(other) && (other.seconds() - self.seconds()).abs() <= 1e-6 * self.seconds()
    }
}

/// Seconds of a step by the seconds that all stages together take for it: stages wait for the first micro-batch to
/// arrive and the last one to leave, and recomputation takes about a third of the rest.
fn step_seconds(config: &ParallelConfig, cost: f64) -> f64 {
    seconds_in_chunks(config, 1.0, cost)
}

/// Seconds of a step where each stage has so many chunks, and waits for so much less.
fn seconds_in_chunks(config: &ParallelConfig, chunks: f64, cost: f64) -> f64 {
    let stages = config.stages as f64;
    let recomputation = if config.recompute { 4.0 / 3.0 } else { 1.0 };
    cost / stages * recomputation * (1.0 + (stages - 1.0) / (chunks * config.micro_batches as f64))
}

/// Assumptions for a configuration.
pub(crate) fn assumptions(
    problem: &SearchProblem<'_>,
    config: &ParallelConfig,
    overlap: Option<Overlap>,
    sharded_storage: bool,
) -> Assumptions {
    // The first stage holds as many micro-batches as there are stages.
    let alive = if config.recompute { 0.0 } else { (config.stages as u64).min(config.micro_batches) as f64 };
    let memory = MemoryLimit { bytes: problem.memory as f64 * config.stages as f64, alive };
    Assumptions { overlap, sharded_storage, memory }
}

/// Calls `look` with the layouts of a step on a mesh that begins at `first_device`, restricted to the constraints;
/// `None` if no layouts keep to these.
///
/// # Errors
/// Errors in the layouts that the constraints fix.
pub(crate) fn with_layouts<T>(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    config: &ParallelConfig,
    first_device: usize,
    look: impl FnOnce(&mut LayoutSpace<'_>) -> T,
) -> Result<Option<T>, Vec<Diagnostic>> {
    let mesh = Mesh::new("mesh", config.named_axes());
    let constraints = problem.constraints;
    let fixed = constraints.fixed_layouts(graph.program(), constraints.mesh_or(config.named_axes())?)?;
    let devices: Vec<usize> = config.devices(&mesh).into_iter().map(|device| first_device + device).collect();
    let SearchProblem { prices, efficiencies, .. } = *problem;
    let placement = MeshPlacement { mesh: &mesh, devices: &devices, machine: problem.machine(), prices, efficiencies };
    let Some(mut layouts) = LayoutSpace::of(graph, placement) else { return Ok(None) };
    let keeps_to_all = layouts.restrict_to(&fixed).is_empty();
    Ok(keeps_to_all.then(|| look(&mut layouts)))
}

/// Prices a configuration without recomputation or with it, whichever is faster; `None` if nothing fits.
///
/// # Errors
/// As [`with_layouts`].
pub(crate) fn price(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    config: &ParallelConfig,
) -> Result<Option<PricedConfig>, Vec<Diagnostic>> {
    let priced = with_layouts(problem, graph, config, 0, |layouts| {
        let mut price = |recompute: bool| {
            let config = ParallelConfig { recompute, ..config.clone() };
            let layouts = layouts.best(&assumptions(problem, &config, None, true), problem.effort)?;
            Some(PricedConfig { config, layouts })
        };
        let stored = price(false);
        let recomputed = ParallelConfig { recompute: true, ..config.clone() };
        // Whatever the memory limit, recomputation takes longer.
        match stored {
            Some(stored) if stored.seconds() <= step_seconds(&recomputed, stored.layouts.solution.limitless) => {
                Some(stored)
            }
            stored => price(true).into_iter().chain(stored).min_by(|a, b| a.seconds().total_cmp(&b.seconds())),
        }
    })?;
    Ok(priced.flatten())
}
