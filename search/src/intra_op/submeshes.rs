//! Prices of a step on submeshes, for stages of unequal size: the cost of each layer on each kind of submesh.

use super::layers::{LayerCost, Layers};
use super::layout_space::ChosenLayouts;
use super::priced_config::{assumptions, with_layouts};
use super::search_graph::SearchGraph;
use crate::configs::ParallelConfig;
use crate::limits::PricingLimits;
use crate::problem::{SearchProblem, mesh_shapes};
use partita_ir::diag::Diagnostic;
use partita_machine::Machine;
use std::collections::BTreeMap;

/// Layer costs on one kind of submesh.
#[derive(Clone, Debug)]
pub struct SubmeshCosts {
    /// Number of devices.
    pub devices: usize,
    /// First machine device of each position of the submesh.
    pub starts: Vec<usize>,
    /// Memory in bytes of its smallest device.
    pub memory: f64,
    /// Cost of each layer.
    pub layers: Vec<LayerCost>,
}

/// Best layouts of the step on one kind of submesh.
pub(crate) struct Submesh {
    /// Sizes of the axes [`AXIS_NAMES`].
    pub(crate) axes: [u32; 2],
    pub(crate) layouts: ChosenLayouts,
}

/// Priced submeshes for stages of unequal size.
pub struct PricedSubmeshes {
    /// Layers of the step.
    pub(crate) layers: Layers,
    /// Configuration of the step, without stages and mesh.
    pub(crate) config: ParallelConfig,
    /// Number of devices to distribute.
    pub(crate) devices: usize,
    pub(crate) costs: Vec<SubmeshCosts>,
    /// Layouts of each submesh, in the order of `costs`.
    pub(crate) submeshes: Vec<Submesh>,
}

/// Names of the mesh axes: across nodes, and within a node.
pub(crate) const AXIS_NAMES: [&str; 2] = ["data", "model"];

/// Class of interchangeable submeshes: number of devices, slowest device kind, and number of nodes.
type SubmeshClass = (usize, String, usize);

/// Prices a step on all kinds of submeshes of the machine's first devices. Returns `None` if this would take too long.
///
/// # Errors
/// Returns errors in the layouts that the constraints fix.
pub fn price_submeshes(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    micro_batches: u64,
    devices: usize,
) -> Result<Option<PricedSubmeshes>, Vec<Diagnostic>> {
    let groups = submesh_classes(problem.machine(), devices);
    let shapes: usize = groups.keys().map(|(size, ..)| mesh_shapes(*size).len()).sum();
    if shapes * graph.program().ops.len() > PricingLimits::TUNED.max_submesh_ops {
        return Ok(None);
    }
    let (axes, names, order) = (Vec::new(), Vec::new(), Vec::new());
    let config = ParallelConfig { stages: 1, axes, names, order, micro_batches, recompute: false };
    let layers = Layers::partition(graph, PricingLimits::TUNED.layers);
    let mut priced = PricedSubmeshes { layers, config, devices, costs: Vec::new(), submeshes: Vec::new() };
    for ((size, ..), starts) in groups {
        for axes in mesh_shapes(size) {
            priced.add(problem, graph, axes, &starts)?;
        }
    }
    Ok(Some(priced))
}

impl PricedSubmeshes {
    /// Adds a submesh with the best layouts, as if all stages had its size, if any fit.
    fn add(
        &mut self,
        problem: &SearchProblem<'_>,
        graph: &SearchGraph<'_>,
        axes: Vec<u32>,
        starts: &[usize],
    ) -> Result<(), Vec<Diagnostic>> {
        let devices = axes.iter().product::<u32>() as usize;
        let (stages, order) = ((self.devices / devices).max(1), (0..axes.len()).collect());
        let config = ParallelConfig { stages, axes, order, ..self.config.clone() };
        let first = starts.first().copied().unwrap_or(0);
        let priced = with_layouts(problem, graph, &config, first, |layouts| {
            let assumptions = assumptions(problem, &config, None, true);
            let best = layouts.best(&assumptions, problem.effort)?;
            let costs = layouts.layer_costs(&self.layers, &assumptions, &best.solution.choice, config.micro_batches);
            Some((best, costs))
        })?;
        let Some((layouts, layers)) = priced.flatten() else { return Ok(()) };
        let Some(axes) = sizes_of_axes(graph, &config.axes, &layouts) else { return Ok(()) };
        let machine = problem.machine();
        let kinds = (first..first + devices).filter_map(|device| machine.kind_of(device));
        let memory = kinds.map(|kind| kind.memory).min().unwrap_or(0).min(problem.memory) as f64;
        self.costs.push(SubmeshCosts { devices, starts: starts.to_vec(), memory, layers });
        self.submeshes.push(Submesh { axes, layouts });
        Ok(())
    }
}

/// Returns the sizes of [`AXIS_NAMES`], where the axis that shards the batch is the first one. Returns `None` if the
/// axes have other uses.
fn sizes_of_axes(graph: &SearchGraph<'_>, axes: &[u32], layouts: &ChosenLayouts) -> Option<[u32; 2]> {
    match (axes, graph.splits_examples(layouts, 0)) {
        ([1], _) => Some([1, 1]),
        ([one], true) => Some([*one, 1]),
        ([one], false) => Some([1, *one]),
        ([data, model], true) if !graph.splits_examples(layouts, 1) => Some([*data, *model]),
        _ => None,
    }
}

/// Returns the submeshes of a stage and their possible first devices: a part of one node, or several consecutive nodes.
fn submesh_classes(machine: &Machine, devices: usize) -> BTreeMap<SubmeshClass, Vec<usize>> {
    let mut nodes = Vec::new();
    let mut first = 0;
    for node in &machine.nodes {
        for _ in 0..node.count {
            nodes.push(first..(first + node.devices.len()).min(devices));
            first += node.devices.len();
        }
    }
    nodes.retain(|node| !node.is_empty());
    let mut groups: BTreeMap<SubmeshClass, Vec<usize>> = BTreeMap::new();
    let mut add = |first: usize, size: usize, nodes: usize| {
        let kind = machine.slowest_kind(first..first + size).map_or(String::new(), |kind| kind.name.to_string());
        let starts = groups.entry((size, kind, nodes)).or_default();
        if !starts.contains(&first) {
            starts.push(first);
        }
    };
    for (number, node) in nodes.iter().enumerate() {
        for size in (1..=node.len()).filter(|size| size.is_power_of_two() || *size == node.len()) {
            (node.start..=node.end - size).for_each(|first| add(first, size, 1));
        }
        for (further, last) in nodes[number..].iter().enumerate().skip(1) {
            add(node.start, last.end - node.start, further + 1);
        }
    }
    groups.values_mut().for_each(|starts| starts.sort_unstable());
    groups
}
