//! Prices of a step on submeshes, for stages of different size: by layer, what each kind of submesh takes.

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

/// Costs of the layers of a step on one kind of submesh.
#[derive(Clone, Debug)]
pub struct SubmeshCosts {
    /// Devices of the submesh.
    pub devices: usize,
    /// Devices of the machine at which such a submesh may begin.
    pub starts: Vec<usize>,
    /// Bytes of its smallest device.
    pub memory: f64,
    /// Costs by layer.
    pub layers: Vec<LayerCost>,
}

/// Best layouts of the step on one kind of submesh.
pub(crate) struct Submesh {
    /// Sizes of [`AXES`].
    pub(crate) axes: [u32; 2],
    pub(crate) layouts: ChosenLayouts,
}

/// Priced submeshes for stages of different size.
pub struct PricedSubmeshes {
    /// Layers of the step.
    pub(crate) layers: Layers,
    /// Configuration of the step, without stages and mesh.
    pub(crate) config: ParallelConfig,
    /// Devices to distribute.
    pub(crate) devices: usize,
    pub(crate) costs: Vec<SubmeshCosts>,
    /// Layouts, in the order of `costs`.
    pub(crate) submeshes: Vec<Submesh>,
}

/// Names of mesh axes: across devices that are far from each other, and within.
pub(crate) const AXES: [&str; 2] = ["data", "model"];

/// Devices of a machine that are alike wherever they begin: their number, the slowest kind among them, and the number
/// of nodes that they are in.
type Alike = (usize, String, usize);

/// Prices a step on all kinds of submeshes of the first devices of the machine; `None` if that takes too long.
///
/// # Errors
/// Errors in the layouts that the constraints fix.
pub fn price_submeshes(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    micro_batches: u64,
    devices: usize,
) -> Result<Option<PricedSubmeshes>, Vec<Diagnostic>> {
    let groups = groups(problem.machine(), devices);
    let shapes: usize = groups.keys().map(|(size, ..)| mesh_shapes(*size).len()).sum();
    if shapes * graph.program().ops.len() > PricingLimits::TUNED.submesh_ops {
        return Ok(None);
    }
    let (axes, names, order) = (Vec::new(), Vec::new(), Vec::new());
    let config = ParallelConfig { stages: 1, axes, names, order, micro_batches, recompute: false };
    let layers = Layers::of(graph, PricingLimits::TUNED.layers);
    let mut priced = PricedSubmeshes { layers, config, devices, costs: Vec::new(), submeshes: Vec::new() };
    for ((size, ..), starts) in groups {
        for axes in mesh_shapes(size) {
            priced.add(problem, graph, axes, &starts)?;
        }
    }
    Ok(Some(priced))
}

impl PricedSubmeshes {
    /// Adds a submesh with the best layouts as if all of the step were on stages of its size, if anything fits.
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

/// Sizes of [`AXES`]: the axis that splits examples is the first one. `None` where axes do something else.
fn sizes_of_axes(graph: &SearchGraph<'_>, axes: &[u32], layouts: &ChosenLayouts) -> Option<[u32; 2]> {
    match (axes, graph.splits_examples(layouts, 0)) {
        ([1], _) => Some([1, 1]),
        ([one], true) => Some([*one, 1]),
        ([one], false) => Some([1, *one]),
        ([data, model], true) if !graph.splits_examples(layouts, 1) => Some([*data, *model]),
        _ => None,
    }
}

/// Devices that a stage may have, each with the devices that they may begin at: some of a node, or whole nodes that
/// follow each other.
fn groups(machine: &Machine, devices: usize) -> BTreeMap<Alike, Vec<usize>> {
    let mut nodes = Vec::new();
    let mut first = 0;
    for node in &machine.nodes {
        for _ in 0..node.count {
            nodes.push(first..(first + node.devices.len()).min(devices));
            first += node.devices.len();
        }
    }
    nodes.retain(|node| !node.is_empty());
    let mut groups: BTreeMap<Alike, Vec<usize>> = BTreeMap::new();
    let mut add = |first: usize, size: usize, nodes: usize| {
        let kind = machine.slowest(first..first + size).map_or(String::new(), |kind| kind.name.to_string());
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
