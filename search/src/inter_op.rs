//! Inter-operator parallelism: assignment of layers and devices to pipeline stages (Alpa; Zheng et al. 2022, section
//! 5).
//!
//! Layers and devices are sequences. A stage consists of consecutive layers on consecutive devices, which form one of
//! several submeshes; devices after the last stage can remain unused. The step time is the sum of all stage times for
//! the first micro-batch plus the time of the slowest stage for each further one. For a given upper bound on the stage
//! time, dynamic programming minimises the sum of stage times. Bounds are tried in ascending order until the further
//! micro-batches alone would exceed the best step time. The cost of consecutive layers is a difference of prefix sums.

#[cfg(test)]
mod tests;

use crate::configs::ParallelConfig;
use crate::intra_op::{AXIS_NAMES, ChosenLayouts, LayerCost, PricedSubmeshes, SearchGraph, SubmeshCosts};
use crate::limits::SearchLimits;
use partita_ir::arena::{Id, ValueId};
use partita_ir::layout::Layout;
use partita_ir::mesh::{AxisRef, DeviceMesh};
use std::fmt;
use std::ops::Range;

/// Stages of unequal size, with layouts on the mesh of each stage.
#[derive(Clone, Debug)]
pub struct UnequalStages {
    /// Configuration on a mesh whose axes have the maximum size over all stages.
    pub config: ParallelConfig,
    /// Layouts of all values on that mesh.
    pub layouts: ChosenLayouts,
    /// Sizes of the mesh axes of each stage.
    pub meshes: Vec<[u32; 2]>,
}

impl fmt::Display for UnequalStages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mesh = |[outer, inner]: &[u32; 2]| format!("{}={outer},{}={inner}", AXIS_NAMES[0], AXIS_NAMES[1]);
        let meshes = self.meshes.iter().map(mesh).collect::<Vec<_>>();
        write!(f, "meshes: {}, micro-batches: {}", meshes.join(" | "), self.config.micro_batches)
    }
}

/// Assigns layers and devices to stages so that the step time is minimal, up to the relative tolerance
/// [`SearchLimits::stage_gap`]. Returns `None` if no assignment fits into memory, or if all stages have the same mesh,
/// which [`configs`](crate::configs) already covers.
pub fn assign_stages(graph: &SearchGraph<'_>, priced: &PricedSubmeshes) -> Option<UnequalStages> {
    let PricedSubmeshes { layers, config, submeshes, .. } = priced;
    let problem = StageProblem {
        submeshes: &priced.costs,
        layers: layers.count,
        devices: priced.devices,
        micro_batches: config.micro_batches,
        max_stages: layers.count.min(priced.devices),
    };
    let (_, stages) = problem.best()?;
    let meshes: Vec<[u32; 2]> = stages.iter().map(|stage| submeshes[stage.submesh].axes).collect();
    if meshes.iter().all(|mesh| *mesh == meshes[0]) {
        return None;
    }
    let axes = [0, 1].map(|at| meshes.iter().map(|mesh| mesh[at]).max().unwrap_or(1));
    let widest = DeviceMesh::new("mesh", AXIS_NAMES.into_iter().zip(axes));
    let stage_of = |value: ValueId| {
        let layer = layers.layer_of(graph, value);
        stages.iter().find(|stage| stage.layers.contains(&layer)).unwrap_or(&stages[0])
    };
    let on_widest = |stage: &Stage, layout: &Layout| on_widest_mesh(layout, submeshes[stage.submesh].axes, &widest);
    let first = &submeshes[stages[0].submesh].layouts;
    let chosen = |of: fn(&ChosenLayouts) -> &Vec<(ValueId, Layout)>| -> Vec<(ValueId, Layout)> {
        let layout = |(at, (value, _)): (usize, &(ValueId, Layout))| {
            let stage = stage_of(*value);
            (*value, on_widest(stage, &of(&submeshes[stage.submesh].layouts)[at].1))
        };
        of(first).iter().enumerate().map(layout).collect()
    };
    let stores_of = |stage: &Stage| {
        let stores = submeshes[stage.submesh].layouts.stores.iter().filter(|(value, _)| stage_of(*value) == stage);
        stores.map(|(value, layout)| (*value, on_widest(stage, layout))).collect::<Vec<_>>()
    };
    let layouts = ChosenLayouts {
        inputs: chosen(|layouts| &layouts.inputs),
        values: chosen(|layouts| &layouts.values),
        stores: stages.iter().flat_map(stores_of).collect(),
        gradients: chosen(|layouts| &layouts.gradients),
        solution: first.solution.clone(),
    };
    let names = AXIS_NAMES.map(str::to_owned).to_vec();
    let config =
        ParallelConfig { stages: stages.len(), axes: axes.to_vec(), names, order: vec![0, 1], ..config.clone() };
    Some(UnequalStages { config, layouts, meshes })
}

/// Converts a layout on a submesh to the widest mesh, whose axes have the maximum size over all stages.
fn on_widest_mesh(layout: &Layout, axes: [u32; 2], widest: &DeviceMesh) -> Layout {
    // On a mesh with one axis, the axis corresponds to the only axis of size greater than 1.
    let only = if axes[0] == 1 { 1 } else { 0 };
    let is_single = axes.contains(&1);
    let renamed = |axis: &AxisRef| {
        let at = if is_single { only } else { axis.axis.index() };
        widest.axis_ids().nth(at).map_or(*axis, |id| AxisRef::full(widest, id))
    };
    let mut layout = layout.clone();
    for axes in layout.dims.iter_mut().map(|dim| &mut dim.axes).chain([&mut layout.replicated]) {
        *axes = axes.iter().map(renamed).collect();
    }
    for (axis, _) in &mut layout.partial {
        *axis = renamed(axis);
    }
    layout
}

/// A stage: consecutive layers on a submesh.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Stage {
    /// Layer indices.
    layers: Range<usize>,
    /// Index in [`StageProblem::submeshes`].
    submesh: usize,
    /// Index of the first device.
    first: usize,
}

/// Inputs of the stage assignment.
#[derive(Clone, Copy, Debug)]
struct StageProblem<'a> {
    /// Layer costs on each submesh.
    submeshes: &'a [SubmeshCosts],
    /// Number of layers.
    layers: usize,
    /// Number of devices.
    devices: usize,
    /// Number of micro-batches.
    micro_batches: u64,
    /// Maximum number of stages.
    max_stages: usize,
}

impl StageProblem<'_> {
    /// Returns the minimum step time in seconds and its stages. Returns `None` if no assignment fits into memory.
    fn best(&self) -> Option<(f64, Vec<Stage>)> {
        let sums = PrefixSums::new(self);
        let remaining_micro_batches = self.micro_batches.saturating_sub(1) as f64;
        let mut best: Option<(f64, Vec<Stage>)> = None;
        for max_seconds in sums.bounds(self) {
            if best.as_ref().is_some_and(|(seconds, _)| {
                remaining_micro_batches * max_seconds * (1.0 - SearchLimits::TUNED.stage_gap) >= *seconds
            }) {
                break;
            }
            let Some(stages) = StageTable::new(self, &sums, max_seconds).stages(self) else { continue };
            let each = stages.iter().map(|stage| sums.seconds(stage.submesh, &stage.layers));
            let (sum, slowest) = each.fold((0.0, 0.0f64), |(sum, max_seconds), one| (sum + one, max_seconds.max(one)));
            let seconds = sum + remaining_micro_batches * slowest;
            if best.as_ref().is_none_or(|(known, _)| seconds < *known) {
                best = Some((seconds, stages));
            }
        }
        best
    }
}

/// Prefix sums of layer costs for each submesh.
struct PrefixSums(Vec<Vec<LayerCost>>);

impl PrefixSums {
    fn new(problem: &StageProblem<'_>) -> PrefixSums {
        let row = |row: &SubmeshCosts| {
            let mut sums = vec![LayerCost::default()];
            let mut sum = LayerCost::default();
            for layer in &row.layers {
                sum.seconds += layer.seconds;
                sum.persistent_bytes += layer.persistent_bytes;
                sum.activation_bytes += layer.activation_bytes;
                sums.push(sum);
            }
            sums
        };
        PrefixSums(problem.submeshes.iter().map(row).collect())
    }

    fn seconds(&self, row: usize, layers: &Range<usize>) -> f64 {
        self.0[row][layers.end].seconds - self.0[row][layers.start].seconds
    }

    /// Returns the bytes per device of a stage that stores activations of `live_micro_batches` micro-batches.
    fn bytes(&self, row: usize, layers: &Range<usize>, live_micro_batches: f64) -> f64 {
        let (start, end) = (self.0[row][layers.start], self.0[row][layers.end]);
        end.persistent_bytes - start.persistent_bytes
            + live_micro_batches * (end.activation_bytes - start.activation_bytes)
    }

    /// Returns the candidate bounds of the stage time in ascending order.
    fn bounds(&self, problem: &StageProblem<'_>) -> Vec<f64> {
        let layer_ranges = |row: usize| {
            (0..problem.layers).flat_map(move |from| (from + 1..=problem.layers).map(move |to| (row, from..to)))
        };
        let mut all: Vec<f64> = (0..problem.submeshes.len())
            .flat_map(layer_ranges)
            .map(|(row, layers)| self.seconds(row, &layers))
            .collect();
        all.retain(|seconds| seconds.is_finite());
        all.sort_by(f64::total_cmp);
        // The largest of similar bounds admits all stages that the others admit.
        let mut bounds: Vec<f64> = Vec::new();
        let mut shortest = f64::NEG_INFINITY;
        for seconds in all {
            match bounds.last_mut() {
                Some(last) if seconds <= shortest * (1.0 + SearchLimits::TUNED.stage_gap) => *last = seconds,
                _ => {
                    shortest = seconds;
                    bounds.push(seconds);
                }
            }
        }
        bounds
    }
}

/// Dynamic programming table: the minimum sum of stage times for each number of remaining stages, first remaining layer
/// and first remaining device.
struct StageTable {
    /// Sum of stage times in seconds, and the first of the remaining stages.
    minimum: Vec<(f64, Option<Stage>)>,
    devices: usize,
    layers: usize,
}

impl StageTable {
    fn new(problem: &StageProblem<'_>, sums: &PrefixSums, max_seconds: f64) -> StageTable {
        let (layers, devices) = (problem.layers, problem.devices);
        let states = (problem.max_stages + 1) * (layers + 1) * (devices + 1);
        let mut table = StageTable { minimum: vec![(f64::INFINITY, None); states], devices, layers };
        for first in 0..=devices {
            let done = table.index(0, layers, first);
            table.minimum[done].0 = 0.0;
        }
        for stages in 1..=problem.max_stages {
            // The first of `stages` remaining stages stores activations of that many micro-batches (1F1B schedule).
            let live_micro_batches = (stages as u64).min(problem.micro_batches) as f64;
            for first in (0..devices).rev() {
                for from in (0..layers).rev() {
                    let mut minimum = (f64::INFINITY, None);
                    for (number, row) in problem.submeshes.iter().enumerate() {
                        let end = first + row.devices;
                        if end > devices || row.starts.binary_search(&first).is_err() {
                            continue;
                        }
                        for to in from + 1..=layers {
                            let seconds = sums.seconds(number, &(from..to));
                            if seconds > max_seconds || sums.bytes(number, &(from..to), live_micro_batches) > row.memory
                            {
                                break;
                            }
                            let all = seconds + table.minimum[table.index(stages - 1, to, end)].0;
                            if all < minimum.0 {
                                minimum = (all, Some(Stage { layers: from..to, submesh: number, first }));
                            }
                        }
                    }
                    let at = table.index(stages, from, first);
                    table.minimum[at] = minimum;
                }
            }
        }
        table
    }

    fn index(&self, stages: usize, layer: usize, device: usize) -> usize {
        (stages * (self.layers + 1) + layer) * (self.devices + 1) + device
    }

    /// Returns the stages with the minimum sum of stage times.
    fn stages(&self, problem: &StageProblem<'_>) -> Option<Vec<Stage>> {
        let seconds = |stages: &usize| self.minimum[self.index(*stages, 0, 0)].0;
        let count = (1..=problem.max_stages).min_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
        let mut found = Vec::with_capacity(count);
        let (mut layer, mut device) = (0, 0);
        for left in (1..=count).rev() {
            let stage = self.minimum[self.index(left, layer, device)].1.clone()?;
            layer = stage.layers.end;
            device = stage.first + problem.submeshes[stage.submesh].devices;
            found.push(stage);
        }
        Some(found)
    }
}
