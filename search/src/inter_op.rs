//! Stages of a pipeline: which layers each of them computes, and on which devices (Zheng et al. 2022, section 5).
//!
//! Layers stand in a row, and so do the machine's devices. A stage takes the next layers and the next devices, as one
//! of several submeshes, and devices may be left over behind the last one. A step takes what all stages together take
//! for a micro-batch, and for each further one what the slowest of them takes. For a bound on the slowest stage a
//! dynamic program finds the stages that together take least; bounds are tried from the shortest on, until they alone
//! are longer than a step is known to take. What a stretch of layers takes is a difference of two sums, so that
//! stretches that are alike cost nothing to look at again.

mod layers;
#[cfg(test)]
mod tests;

pub use layers::Layers;

use crate::limits::SearchLimits;
use std::ops::Range;

/// What layers come to on one kind of submesh.
#[derive(Clone, Debug)]
pub struct Row {
    /// How many devices it has.
    pub devices: usize,
    /// The devices of the machine that it may begin at.
    pub starts: Vec<usize>,
    /// Bytes of its smallest device.
    pub memory: f64,
    /// By layer.
    pub layers: Vec<Layer>,
}

/// What a layer comes to on a submesh.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Layer {
    /// Seconds of a micro-batch, with its gradients and its share of what is done once.
    pub seconds: f64,
    /// Bytes of a device that are always held: parameters, their state, what gradients add up to.
    pub kept: f64,
    /// Bytes of a device for each micro-batch that is on its way.
    pub alive: f64,
}

/// A stage: layers, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Its layers.
    pub layers: Range<usize>,
    /// The number of its row.
    pub row: usize,
    /// The first of its devices.
    pub first: usize,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Stretches<'a> {
    /// The submeshes that there are.
    pub rows: &'a [Row],
    /// How many layers there are.
    pub layers: usize,
    /// How many devices.
    pub devices: usize,
    /// How many micro-batches.
    pub micro_batches: u64,
    /// More stages are not looked at.
    pub most_stages: usize,
}

impl Stretches<'_> {
    /// The stages by which a step takes least, and its seconds; none if nothing fits.
    pub fn best(&self) -> Option<(f64, Vec<Stage>)> {
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
            let each = stages.iter().map(|stage| sums.seconds(stage.row, &stage.layers));
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
struct Sums(Vec<Vec<Layer>>);

impl Sums {
    fn of(of: &Stretches<'_>) -> Sums {
        let row = |row: &Row| {
            let mut sums = vec![Layer::default()];
            let mut sum = Layer::default();
            for layer in &row.layers {
                sum.seconds += layer.seconds;
                sum.kept += layer.kept;
                sum.alive += layer.alive;
                sums.push(sum);
            }
            sums
        };
        Sums(of.rows.iter().map(row).collect())
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
    fn bounds(&self, of: &Stretches<'_>) -> Vec<f64> {
        let stretches =
            |row: usize| (0..of.layers).flat_map(move |from| (from + 1..=of.layers).map(move |to| (row, from..to)));
        let mut all: Vec<f64> =
            (0..of.rows.len()).flat_map(stretches).map(|(row, layers)| self.seconds(row, &layers)).collect();
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
    fn of(of: &Stretches<'_>, sums: &Sums, most: f64) -> Table {
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
                    for (number, row) in of.rows.iter().enumerate() {
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
                                least = (all, Some(Stage { layers: from..to, row: number, first }));
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
    fn stages(&self, of: &Stretches<'_>) -> Option<Vec<Stage>> {
        let seconds = |stages: &usize| self.least[self.at(*stages, 0, 0)].0;
        let count = (1..=of.most_stages).min_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
        let mut found = Vec::with_capacity(count);
        let (mut layer, mut device) = (0, 0);
        for left in (1..=count).rev() {
            let stage = self.least[self.at(left, layer, device)].1.clone()?;
            layer = stage.layers.end;
            device = stage.first + of.rows[stage.row].devices;
            found.push(stage);
        }
        Some(found)
    }
}
