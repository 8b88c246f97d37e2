//! Stages on meshes of different size: where devices differ or do not divide into equal stages, some stages are better
//! off with more of them than others.

use super::outline::{Ground, Outline};
use super::plans::Plans;
use super::spreads::{Spread, shapes};
use crate::error::Result;
use partita_ir::arena::{Id, ValueId};
use partita_ir::layout::Layout;
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::plan::{self, Plan};
use partita_machine::Machine;
use partita_search::SearchGraph;
use partita_search::inter_op::{Layers, Row, Stage, Stretches};
use partita_search::intra_op::ChosenLayouts;
use partita_search::write::Detail;
use std::collections::BTreeMap;

/// A step is cut into about so many layers.
const LAYERS: usize = 32;

/// With more ops, all ways together, stages are equal: what is priced for each size of a stage takes too long.
const MOST: usize = 200_000;

/// More devices are not handed out one by one.
const MOST_DEVICES: usize = 32;

/// Of so many numbers of parts, those that equal stages are best with, stages are looked for.
const NUMBERS_OF_PARTS: usize = 2;

/// Names of axes, from the one across devices that are far from each other on.
const NAMES: [&str; 2] = ["data", "model"];

/// Devices of a machine that are alike wherever they begin: how many there are, of which kind the slowest one is, and
/// in how many nodes they are.
type Alike = (usize, String, usize);

/// Layouts of the whole step on a submesh.
struct Submesh {
    /// Sizes of [`NAMES`].
    axes: [u32; 2],
    found: ChosenLayouts,
}

/// Plans with stages of different size, the best one for each number of parts that is good with equal stages.
///
/// # Errors
/// What is wrong with what is decided.
pub(super) fn unequal(of: &Plans<'_>, outlines: &[Outline]) -> Result<Vec<Plan>> {
    let Ground { base, along, machine, .. } = *of.ground;
    let is_decided = base.mesh.is_some() || base.map.is_some() || base.said_of_stages().is_some();
    let devices = outlines.iter().map(|one| one.spread.stages * one.spread.devices_of_stage()).max().unwrap_or(1);
    let names_axes = !base.shards.is_empty() || !base.stores.is_empty() || !base.rules.is_empty() || !along.is_empty();
    if is_decided || names_axes || devices > MOST_DEVICES {
        return Ok(Vec::new());
    }
    let mut parts: Vec<u64> = Vec::new();
    for one in outlines.iter().filter(|one| one.spread.stages > 1) {
        if !parts.contains(&one.spread.parts) && parts.len() < NUMBERS_OF_PARTS {
            parts.push(one.spread.parts);
        }
    }
    let mut plans = Vec::new();
    for parts in parts {
        let usual =
            Spread { stages: 1, axes: Vec::new(), names: Vec::new(), order: Vec::new(), parts, recompute: false };
        if let Some(graph) = of.graph(&usual) {
            let looked = Looked { of, graph, usual: &usual, devices, machine };
            plans.extend(looked.best()?);
        }
    }
    Ok(plans)
}

/// What is looked at, for one number of parts.
struct Looked<'a> {
    of: &'a Plans<'a>,
    graph: &'a SearchGraph<'a>,
    usual: &'a Spread,
    devices: usize,
    machine: &'a Machine,
}

impl Looked<'_> {
    /// The plan with the best stages, if these differ.
    fn best(&self) -> Result<Option<Plan>> {
        let groups = groups(self.machine, self.devices);
        let ways: usize = groups.keys().map(|(size, ..)| shapes(*size).len()).sum();
        if ways * self.graph.program().ops.len() > MOST {
            return Ok(None);
        }
        let layers = Layers::of(self.graph, LAYERS);
        let mut looked: Vec<(Row, Submesh)> = Vec::new();
        for ((size, ..), starts) in &groups {
            for axes in shapes(*size) {
                looked.extend(self.look(&layers, &axes, starts)?);
            }
        }
        let (rows, submeshes): (Vec<Row>, Vec<Submesh>) = looked.into_iter().unzip();
        let stretches = Stretches {
            rows: &rows,
            layers: layers.count,
            devices: self.devices,
            micro_batches: self.usual.parts,
            most_stages: layers.count.min(self.devices),
        };
        let Some((_, stages)) = stretches.best() else { return Ok(None) };
        let first = submeshes[stages[0].row].axes;
        if stages.iter().all(|stage| submeshes[stage.row].axes == first) {
            return Ok(None);
        }
        self.plan(&layers, &stages, &submeshes).map(Some)
    }

    /// Looks for the best layouts on a submesh, as if all of the step were on stages of its size; none if nothing fits.
    fn look(&self, layers: &Layers, axes: &[u32], starts: &[usize]) -> Result<Option<(Row, Submesh)>> {
        let ground = self.of.ground;
        let devices = axes.iter().product::<u32>() as usize;
        let stages = (self.devices / devices).max(1);
        let order = (0..axes.len()).collect();
        let spread = Spread { stages, axes: axes.to_vec(), order, ..self.usual.clone() };
        let first = starts.first().copied().unwrap_or(0);
        let looked = ground.layouts_from(first, self.graph, &spread, |layouts| {
            let assumed = ground.assumed(&spread, (None, true));
            let found = layouts.best(&assumed, ground.effort)?;
            let row = layouts.row(layers, &assumed, &found.solution.choice, spread.parts);
            Some((found, row))
        })?;
        let Some((found, row)) = looked.flatten() else { return Ok(None) };
        let Some(axes) = axes_of(self.graph, axes, &found) else { return Ok(None) };
        let kinds = (first..first + devices).filter_map(|device| self.machine.kind_of(device));
        let memory = kinds.map(|kind| kind.memory).min().unwrap_or(0).min(ground.memory) as f64;
        Ok(Some((Row { devices, starts: starts.to_vec(), memory, layers: row }, Submesh { axes, found })))
    }

    /// The plan in which each stage has the layouts that were found for its mesh.
    fn plan(&self, layers: &Layers, stages: &[Stage], submeshes: &[Submesh]) -> Result<Plan> {
        let widest = |at: usize| stages.iter().map(|stage| submeshes[stage.row].axes[at]).max().unwrap_or(1);
        let widest = Mesh::new("mesh", [0, 1].map(|at| (NAMES[at], widest(at))));
        let stage_of = |value: ValueId| {
            let layer = layers.of_value(self.graph, value);
            stages.iter().find(|stage| stage.layers.contains(&layer)).unwrap_or(&stages[0])
        };
        let lies = |of: fn(&ChosenLayouts) -> &Vec<(ValueId, Layout)>| -> Vec<(ValueId, Layout)> {
            let each = of(&submeshes[stages[0].row].found).iter().enumerate();
            let lie = |(at, (value, _)): (usize, &(ValueId, Layout))| {
                let submesh = &submeshes[stage_of(*value).row];
                (*value, renamed(&of(&submesh.found)[at].1, &submesh.axes, &widest))
            };
            each.map(lie).collect()
        };
        let of_stage = |stage: &'_ Stage| {
            let submesh = &submeshes[stage.row];
            let own = submesh.found.stores.iter().filter(|(value, _)| stage_of(*value) == stage);
            own.map(|(value, layout)| (*value, renamed(layout, &submesh.axes, &widest))).collect::<Vec<_>>()
        };
        let stores = stages.iter().flat_map(of_stage);
        let found = ChosenLayouts {
            inputs: lies(|intra| &intra.inputs),
            values: lies(|intra| &intra.values),
            stores: stores.collect(),
            gradients: lies(|intra| &intra.gradients),
            solution: submeshes[stages[0].row].found.solution.clone(),
        };
        let axes = widest.axes.iter().map(|axis| axis.size).collect();
        let names = NAMES.map(str::to_owned).to_vec();
        let spread = Spread { stages: stages.len(), axes, names, order: vec![0, 1], ..self.usual.clone() };
        let plan = self.of.write(&spread, &found, Detail::Values)?;
        let meshes = stages.iter().map(|stage| plan::Mesh::new(NAMES.into_iter().zip(submeshes[stage.row].axes)));
        Ok(plan.with_meshes(meshes.collect::<std::result::Result<_, _>>()?)?)
    }
}

/// Sizes of [`NAMES`]: what splits examples is the first of them, and lies across what is far from each other. None
/// where axes mean something else.
fn axes_of(graph: &SearchGraph<'_>, axes: &[u32], found: &ChosenLayouts) -> Option<[u32; 2]> {
    match (axes, graph.splits_examples(found, 0)) {
        ([1], _) => Some([1, 1]),
        ([one], true) => Some([*one, 1]),
        ([one], false) => Some([1, *one]),
        ([data, model], true) if !graph.splits_examples(found, 1) => Some([*data, *model]),
        _ => None,
    }
}

/// A layout on a submesh as one on the widest mesh.
fn renamed(layout: &Layout, axes: &[u32; 2], widest: &Mesh) -> Layout {
    // Of a mesh of one axis that is the one that is split by.
    let only = if axes[0] == 1 { 1 } else { 0 };
    let is_single = axes.contains(&1);
    let renamed = |axis: &AxisRef| {
        let at = if is_single { only } else { axis.axis.index() };
        widest.axis_ids().nth(at).map_or(*axis, |id| AxisRef::whole(widest, id))
    };
    let mut layout = layout.clone();
    for axes in layout.dims.iter_mut().map(|dim| &mut dim.axes).chain([&mut layout.replicated]) {
        *axes = axes.iter().map(renamed).collect();
    }
    for (axis, _) in &mut layout.pending {
        *axis = renamed(axis);
    }
    layout
}

/// Devices that a stage may have, and where: some of a node, or whole nodes that follow each other. Those that are
/// alike are one.
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
