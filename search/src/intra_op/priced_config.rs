//! Configurations with their best layouts and the estimated step time.

use super::allowance::Allowance;
use super::layout_space::{Assumptions, ChosenLayouts, LayoutSpace, MemoryLimit, MeshPlacement, Overlap};
use super::search_graph::SearchGraph;
use crate::configs::ParallelConfig;
use crate::limits::PricingLimits;
use crate::problem::SearchProblem;
use partita_ir::diag::Diagnostic;
use partita_ir::mesh::DeviceMesh;
use std::fmt;

/// A configuration with the best layouts found for it.
#[derive(Clone, Debug)]
pub struct PricedConfig {
    /// The configuration.
    pub config: ParallelConfig,
    /// Layouts with their cost and a lower bound.
    pub layouts: ChosenLayouts,
}

impl fmt::Display for PricedConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:.6} s, at least {:.6} s", self.config, self.seconds(), self.bound())
    }
}

impl PricedConfig {
    /// Returns the estimated step time in seconds.
    pub fn seconds(&self) -> f64 {
        step_seconds(&self.config, self.layouts.solution.cost)
    }

    /// Returns a lower bound of the estimated step time over all layouts of the configuration, in seconds.
    pub fn bound(&self) -> f64 {
        step_seconds(&self.config, self.layouts.solution.bound)
    }

    /// Returns the estimated step time in seconds with or without recomputation.
    pub(crate) fn seconds_with(&self, recompute: bool) -> f64 {
        step_seconds(&ParallelConfig { recompute, ..self.config.clone() }, self.layouts.solution.cost)
    }

    /// Returns the estimated step time in seconds with the schedule that has the smallest bubble.
    pub(crate) fn least_seconds(&self) -> f64 {
        seconds_in_chunks(&self.config, PricingLimits::TUNED.min_bubble_chunks, self.layouts.solution.cost)
    }

    /// Returns true if a configuration with fewer axes is equally fast, so that one of the axes is redundant.
    pub(crate) fn has_needless_axis(&self, others: &[PricedConfig]) -> bool {
        let mut shorter = others.iter().filter(|other| other.config.axes.len() < self.config.axes.len());
        shorter.any(|other| self.is_as_fast_as(other))
    }

    /// Returns true if `other` is the same configuration with axes swapped.
    pub(crate) fn is_mirrored(&self, other: &PricedConfig) -> bool {
        self.config.axes == other.config.axes && self.is_as_fast_as(other)
    }

    /// Returns true if `other` has the same stages, micro-batches and recomputation, and the same estimate.
    fn is_as_fast_as(&self, other: &PricedConfig) -> bool {
        let stages = |one: &PricedConfig| (one.config.stages, one.config.micro_batches, one.config.recompute);
        stages(self) == stages(other) && (other.seconds() - self.seconds()).abs() <= 1e-6 * self.seconds()
    }
}

/// Returns the step time, given the total seconds of all stages. Includes the pipeline bubble, and one third more time
/// for recomputation.
fn step_seconds(config: &ParallelConfig, cost: f64) -> f64 {
    seconds_in_chunks(config, 1.0, cost)
}

/// Returns the step time if each stage has `chunks` chunks, which divide the bubble accordingly.
fn seconds_in_chunks(config: &ParallelConfig, chunks: f64, cost: f64) -> f64 {
    let stages = config.stages as f64;
    let recomputation = if config.recompute { 4.0 / 3.0 } else { 1.0 };
    cost / stages * recomputation * (1.0 + (stages - 1.0) / (chunks * config.micro_batches as f64))
}

/// Returns the default assumptions for a configuration.
pub(crate) fn assumptions(
    problem: &SearchProblem<'_>,
    config: &ParallelConfig,
    overlap: Option<Overlap>,
    sharded_storage: bool,
) -> Assumptions {
    // The first stage stores activations of as many micro-batches as the pipeline has stages.
    let live_micro_batches =
        if config.recompute { 0.0 } else { (config.stages as u64).min(config.micro_batches) as f64 };
    let memory = MemoryLimit { bytes: problem.memory as f64 * config.stages as f64, live_micro_batches };
    Assumptions { overlap, sharded_storage, memory }
}

/// Calls `look` with the layout space of a step on a mesh that starts at `first_device`, restricted to the constraints.
/// Returns `None` if no layouts satisfy the constraints.
///
/// # Errors
/// Returns errors in the layouts that the constraints fix.
pub(crate) fn with_layouts<T>(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    config: &ParallelConfig,
    first_device: usize,
    look: impl FnOnce(&mut LayoutSpace<'_>) -> T,
) -> Result<Option<T>, Vec<Diagnostic>> {
    with_layouts_of(problem, graph, config, first_device, false, look)
}

/// Calls `look` with the layout space of a step on a mesh whose axes of the same size are interchangeable. Returns
/// `None` if no layouts satisfy the constraints.
///
/// # Errors
/// Returns errors in the layouts that the constraints fix.
pub(crate) fn with_interchangeable_axes<T>(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    config: &ParallelConfig,
    look: impl FnOnce(&mut LayoutSpace<'_>) -> T,
) -> Result<Option<T>, Vec<Diagnostic>> {
    with_layouts_of(problem, graph, config, 0, true, look)
}

fn with_layouts_of<T>(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    config: &ParallelConfig,
    first_device: usize,
    axes_are_interchangeable: bool,
    look: impl FnOnce(&mut LayoutSpace<'_>) -> T,
) -> Result<Option<T>, Vec<Diagnostic>> {
    let mesh = DeviceMesh::new("mesh", config.named_axes());
    let constraints = problem.constraints;
    let fixed = constraints.fixed_layouts(graph.program(), constraints.mesh_or(config.named_axes())?)?;
    let devices: Vec<usize> = config.devices(&mesh).into_iter().map(|device| first_device + device).collect();
    let SearchProblem { prices, efficiencies, .. } = *problem;
    let placement = MeshPlacement { mesh: &mesh, devices: &devices, machine: problem.machine(), prices, efficiencies };
    let layouts = match axes_are_interchangeable {
        true => LayoutSpace::with_interchangeable_axes(graph, placement),
        false => LayoutSpace::new(graph, placement),
    };
    let Some(mut layouts) = layouts else { return Ok(None) };
    let keeps_to_all = layouts.restrict_to(&fixed).is_empty();
    if let Some(target) = problem.target {
        layouts.restrict_to_target(target, &mesh);
    }
    Ok(keeps_to_all.then(|| look(&mut layouts)))
}

/// Prices a configuration with or without recomputation, whichever is faster. Returns `None` if nothing fits, or the
/// allowed work is spent.
///
/// # Errors
/// Returns the errors of [`with_layouts`].
pub(crate) fn price(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    config: &ParallelConfig,
    allowance: Allowance,
) -> Result<Option<PricedConfig>, Vec<Diagnostic>> {
    let priced = with_layouts(problem, graph, config, 0, |layouts| {
        layouts.allow(allowance);
        let mut price = |recompute: bool| {
            let config = ParallelConfig { recompute, ..config.clone() };
            let layouts = layouts.best(&assumptions(problem, &config, None, true), problem.effort)?;
            Some(PricedConfig { config, layouts })
        };
        let stored = price(false);
        let recomputed = ParallelConfig { recompute: true, ..config.clone() };
        // Without a memory limit, recomputation is always slower.
        let priced = match stored {
            Some(stored) if stored.seconds() <= step_seconds(&recomputed, stored.layouts.solution.unlimited_bound) => {
                Some(stored)
            }
            stored => price(true).into_iter().chain(stored).min_by(|a, b| a.seconds().total_cmp(&b.seconds())),
        };
        priced.filter(|_| !layouts.is_exhausted())
    })?;
    Ok(priced.flatten())
}
