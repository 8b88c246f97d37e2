//! Stages of a pipeline: which layers each of them computes, and on which devices (Zheng et al. 2022, section 5).
//!
//! Layers stand in a row, and so do the machine's devices. A stage takes the next layers and the next devices, as one
//! of several submeshes, and devices may be left over behind the last one. A step takes what all stages together take
//! for a micro-batch, and for each further one what the slowest of them takes. For a bound on the slowest stage a
//! dynamic program finds the stages that together take least; bounds are tried from the shortest on, until they alone
//! are longer than a step is known to take. What a stretch of layers takes is a difference of two sums, so that
//! stretches that are alike cost nothing to look at again.

#[cfg(test)]
mod tests;

use crate::configs::ParallelConfig;
use crate::intra_op::{AXES, ChosenLayouts, LayerCost, PricedSubmeshes, SearchGraph, SubmeshCosts};
use crate::limits::SearchLimits;
use partita_ir::arena::{Id, ValueId};
use partita_ir::layout::Layout;
use partita_ir::mesh::{AxisRef, Mesh};
use std::fmt;
use std::ops::Range;

/// Stages of different size, with layouts on the mesh of each stage.
#[derive(Clone, Debug)]
pub struct UnequalStages {
    /// The configuration, on a mesh whose axes are as long as the longest of any stage.
    pub config: ParallelConfig,
    /// Layouts of all values, each in terms of that mesh.
    pub layouts: ChosenLayouts,
    /// Sizes of the mesh axes of each stage.
    pub meshes: Vec<[u32; 2]>,
}

impl fmt::Display for UnequalStages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mesh = |[outer, inner]: &[u32; 2]| format!("{}={outer},{}={inner}", AXES[0], AXES[1]);
        let meshes = self.meshes.iter().map(mesh).collect::<Vec<_>>();
        write!(f, "meshes: {}, micro-batches: {}", meshes.join(" | "), self.config.micro_batches)
    }
}

/// Assigns layers and devices to stages, so that a step takes least; `None` if nothing fits, or if all stages have the
/// same mesh, as configurations have it.
pub fn assign(graph: &SearchGraph<'_>, priced: &PricedSubmeshes) -> Option<UnequalStages> {
    let PricedSubmeshes { layers, config, submeshes, .. } = priced;
    let problem = StageProblem {
        submeshes: &priced.costs,
        layers: layers.count,
        devices: priced.devices,
        micro_batches: config.micro_batches,
        most_stages: layers.count.min(priced.devices),
    };
    let (_, stages) = problem.best()?;
    let meshes: Vec<[u32; 2]> = stages.iter().map(|stage| submeshes[stage.submesh].axes).collect();
    if meshes.iter().all(|mesh| *mesh == meshes[0]) {
        return None;
    }
    let axes = [0, 1].map(|at| meshes.iter().map(|mesh| mesh[at]).max().unwrap_or(1));
    let widest = Mesh::new("mesh", AXES.into_iter().zip(axes));
    let stage_of = |value: ValueId| {
        let layer = layers.of_value(graph, value);
        stages.iter().find(|stage| stage.layers.contains(&layer)).unwrap_or(&stages[0])
    };
    let on_widest = |stage: &Stage, layout: &Layout| renamed(layout, submeshes[stage.submesh].axes, &widest);
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
    let names = AXES.map(str::to_owned).to_vec();
    let config =
        ParallelConfig { stages: stages.len(), axes: axes.to_vec(), names, order: vec![0, 1], ..config.clone() };
    Some(UnequalStages { config, layouts, meshes })
}

/// A layout on a submesh as one on the widest mesh.
fn renamed(layout: &Layout, axes: [u32; 2], widest: &Mesh) -> Layout {
    // The only axis of a mesh of one axis is the one that splits.
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

/// A stage: layers on a submesh.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Stage {
    /// Its layers.
    layers: Range<usize>,
    /// Number of its submesh.
    submesh: usize,
    /// First of its devices.
    first: usize,
}

/// Layers and devices to assign to stages.
#[derive(Clone, Copy, Debug)]
struct StageProblem<'a> {
    /// Costs of the layers, by submesh.
    submeshes: &'a [SubmeshCosts],
    /// Number of layers.
    layers: usize,
    /// Number of devices.
    devices: usize,
    /// Number of micro-batches.
    micro_batches: u64,
    /// Largest number of stages.
    most_stages: usize,
}

impl StageProblem<'_> {
    /// Seconds of the fastest step, and its stages; `None` if nothing fits.
    fn best(&self) -> Option<(f64, Vec<Stage>)> {
        let sums = Sums::of(self);
        let further = self.micro_batches.saturating_sub(1) as f64;
        let mut best: Option<(f64, Vec<Stage>)> = None;
        for most in sums.bounds(self) {
            if best
                .as_ref()
                .is_some_and(|(seconds, _)| further * most * (1.0 - SearchLimits::TUNED.stage_gap) >= *seconds)
            {
                break;
            }
            let Some(stages) = Table::of(self, &sums, most).stages(self) else { continue };
            let each = stages.iter().map(|stage| sums.seconds(stage.submesh, &stage.layers));
            let (sum, slowest) = each.fold((0.0, 0.0f64), |(sum, most), one| (sum + one, most.max(one)));
            let seconds = sum + further * slowest;
            if best.as_ref().is_none_or(|(known, _)| seconds < *known) {
                best = Some((seconds, stages));
            }
        }
        best
    }
}

/// By row and place between layers, what those before it come to.
struct Sums(Vec<Vec<LayerCost>>);

impl Sums {
    fn of(of: &StageProblem<'_>) -> Sums {
        let row = |row: &SubmeshCosts| {
            let mut sums = vec![LayerCost::default()];
            let mut sum = LayerCost::default();
            for layer in &row.layers {
                sum.seconds += layer.seconds;
                sum.kept += layer.kept;
                sum.alive += layer.alive;
                sums.push(sum);
            }
            sums
        };
        Sums(of.submeshes.iter().map(row).collect())
    }

    fn seconds(&self, row: usize, layers: &Range<usize>) -> f64 {
        self.0[row][layers.end].seconds - self.0[row][layers.start].seconds
    }

    /// Bytes of a stage that holds so many micro-batches.
    fn bytes(&self, row: usize, layers: &Range<usize>, held: f64) -> f64 {
        let (start, end) = (self.0[row][layers.start], self.0[row][layers.end]);
        end.kept - start.kept + held * (end.alive - start.alive)
    }

    /// What the slowest stage may take, the shortest first.
    fn bounds(&self, of: &StageProblem<'_>) -> Vec<f64> {
        let stretches =
            |row: usize| (0..of.layers).flat_map(move |from| (from + 1..=of.layers).map(move |to| (row, from..to)));
        let mut all: Vec<f64> =
            (0..of.submeshes.len()).flat_map(stretches).map(|(row, layers)| self.seconds(row, &layers)).collect();
        all.retain(|seconds| seconds.is_finite());
        all.sort_by(f64::total_cmp);
        // Of those that are close to each other the longest one lets through what the others do.
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

/// By how many stages are left, the first of their layers and the first of the devices that are left: the least that
/// they take together.
struct Table {
    /// Seconds, and the stage that comes first.
    least: Vec<(f64, Option<Stage>)>,
    devices: usize,
    layers: usize,
}

impl Table {
    fn of(of: &StageProblem<'_>, sums: &Sums, most: f64) -> Table {
        let (layers, devices) = (of.layers, of.devices);
        let states = (of.most_stages + 1) * (layers + 1) * (devices + 1);
        let mut table = Table { least: vec![(f64::INFINITY, None); states], devices, layers };
        for first in 0..=devices {
            let done = table.at(0, layers, first);
            table.least[done].0 = 0.0;
        }
        for stages in 1..=of.most_stages {
            // Those that come first hold as many micro-batches as there are stages until the last one.
            let held = (stages as u64).min(of.micro_batches) as f64;
            for first in (0..devices).rev() {
                for from in (0..layers).rev() {
                    let mut least = (f64::INFINITY, None);
                    for (number, row) in of.submeshes.iter().enumerate() {
                        let behind = first + row.devices;
                        if behind > devices || row.starts.binary_search(&first).is_err() {
                            continue;
                        }
                        for to in from + 1..=layers {
                            let seconds = sums.seconds(number, &(from..to));
                            if seconds > most || sums.bytes(number, &(from..to), held) > row.memory {
                                break;
                            }
                            let all = seconds + table.least[table.at(stages - 1, to, behind)].0;
                            if all < least.0 {
                                least = (all, Some(Stage { layers: from..to, submesh: number, first }));
                            }
                        }
                    }
                    let at = table.at(stages, from, first);
                    table.least[at] = least;
                }
            }
        }
        table
    }

    fn at(&self, stages: usize, layer: usize, device: usize) -> usize {
        (stages * (self.layers + 1) + layer) * (self.devices + 1) + device
    }

    /// The stages by which all layers together take least.
    fn stages(&self, of: &StageProblem<'_>) -> Option<Vec<Stage>> {
        let seconds = |stages: &usize| self.least[self.at(*stages, 0, 0)].0;
        let count = (1..=of.most_stages).min_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
        let mut found = Vec::with_capacity(count);
        let (mut layer, mut device) = (0, 0);
        for left in (1..=count).rev() {
            let stage = self.least[self.at(left, layer, device)].1.clone()?;
            layer = stage.layers.end;
            device = stage.first + of.submeshes[stage.submesh].devices;
            found.push(stage);
        }
        Some(found)
    }
}
