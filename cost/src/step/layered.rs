//! Costs of a deep pipeline, extrapolated from two short pipelines of the same model.
//!
//! The layers of a model are usually identical. Two pipelines with two chunks each, one with fewer and one with more
//! layers, determine the cost of one layer and of the rest of the first and the last chunk. The costs of a pipeline
//! with any number of chunks and layers follow, so that a schedule can be simulated without lowering the model again.

use super::reserved::reserved_bytes;
use super::transfers::{Received, TransferPricing};
use super::{PredictError, PricedPipeline, price_pipeline};
use crate::pipeline::{
    EdgeTransfer, OncePerStep, OncePerStepTransfer, SavedActivations, ScheduleCosts, SimulatedStep, simulate_step,
};
use crate::placement::{LinkTable, Placement};
use crate::roofline::Efficiencies;
use crate::simulate::Route;
use partita_ir::pipeline::{Pipeline, TaskTime};
use partita_ir::schedule::check::CheckedSchedule;
use partita_ir::schedule::{ChunkWork, Durations};
use partita_machine::collective::choice::Prices;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A lowered pipeline with two chunks of `layers` layers each, on two stages.
pub struct ShortPipeline {
    /// The pipeline.
    pub pipeline: Pipeline,
    /// Number of layers in each chunk.
    pub layers: usize,
}

/// Cost of a chunk on one device of its stage.
#[derive(Clone, Default, Debug)]
struct ChunkCost {
    durations: [f64; 4],
    saved: [f64; 3],
    resident_bytes: f64,
    /// Seconds of once-per-step work.
    once: BTreeMap<TaskTime, f64>,
}

impl ChunkCost {
    fn new(priced: &PricedPipeline, chunk: usize) -> ChunkCost {
        let costs = &priced.costs;
        let Durations { forward, backward, backward_input, backward_weight } = costs.durations[chunk];
        let SavedActivations { input, weight, gradient } = costs.saved[chunk];
        let once = costs.once_per_step.iter().filter(|once| once.stage == chunk);
        ChunkCost {
            durations: [forward, backward, backward_input, backward_weight],
            saved: [input as f64, weight as f64, gradient as f64],
            resident_bytes: costs.resident_bytes[chunk] as f64,
            once: once.map(|once| (once.moment, once.seconds)).collect(),
        }
    }

    /// Returns `self + factor * other`, and zero instead of negative costs.
    fn plus(&self, factor: f64, other: &ChunkCost) -> ChunkCost {
        let add = |a: f64, b: f64| (a + factor * b).max(0.0);
        let moments = self.once.keys().chain(other.once.keys());
        let seconds = |costs: &ChunkCost, moment: &TaskTime| costs.once.get(moment).copied().unwrap_or(0.0);
        ChunkCost {
            durations: std::array::from_fn(|at| add(self.durations[at], other.durations[at])),
            saved: std::array::from_fn(|at| add(self.saved[at], other.saved[at])),
            resident_bytes: add(self.resident_bytes, other.resident_bytes),
            once: moments.map(|moment| (*moment, add(seconds(self, moment), seconds(other, moment)))).collect(),
        }
    }

    fn durations(&self) -> Durations {
        let [forward, backward, backward_input, backward_weight] = self.durations;
        Durations { forward, backward, backward_input, backward_weight }
    }
}

/// Costs of the layers of a model, and of the rest of its first and last chunk.
pub struct LayeredCosts {
    short: Pipeline,
    /// Placement of the two stages of `short`.
    placement: Placement,
    /// Cost of one layer.
    layer: ChunkCost,
    /// Cost of the first and of the last chunk, without layers.
    ends: [ChunkCost; 2],
    /// Memory of a device that holds no tensor, without fragmentation, and fragmentation as a fraction of the peak.
    reserved: (u64, f64),
    /// Data that devices receive in the transfers of `short`, which does not depend on the placement.
    received: Mutex<Vec<(usize, Received)>>,
}

impl LayeredCosts {
    /// Derives the costs from two pipelines of the same model and plan with different numbers of layers. Both are
    /// placed on the first devices of the machine; `placement` is that of both.
    ///
    /// # Errors
    /// Returns the errors of [`price_pipeline`].
    pub fn new(
        [fewer, more]: [ShortPipeline; 2],
        prices: &Prices<'_>,
        placement: Placement,
        efficiencies: &Efficiencies,
    ) -> Result<LayeredCosts, PredictError> {
        let price = |short: &ShortPipeline| price_pipeline(&short.pipeline, prices, &placement, efficiencies);
        let priced = [price(&fewer)?, price(&more)?];
        let [first, last] = [0, 1].map(|chunk| priced.each_ref().map(|priced| ChunkCost::new(priced, chunk)));
        let count = (more.layers - fewer.layers) as f64;
        let slope = |[fewer, more]: &[ChunkCost; 2]| more.plus(-1.0, fewer);
        let layer = slope(&first).plus(1.0, &slope(&last));
        let layer = ChunkCost::default().plus(0.5 / count, &layer);
        let ends = [first, last].map(|[short, _]| short.plus(-(fewer.layers as f64), &layer));
        let machine = prices.machine();
        let reserved = reserved_bytes(&fewer.pipeline, machine, &placement, &priced[0].stage_memory);
        let fixed = reserved.first().map_or(0, |reserved| reserved.total() - reserved.fragmentation);
        let kind = machine.slowest_kind(placement.stages[0].iter().copied());
        let reserved = (fixed, kind.map_or(0.0, |kind| kind.reserved.fragmentation));
        Ok(LayeredCosts { short: fewer.pipeline, placement, layer, ends, reserved, received: Mutex::default() })
    }

    /// Returns the peak memory of a device whose tensors take at most `peak` bytes, with memory that holds no tensor.
    pub fn device_bytes(&self, peak: u64) -> u64 {
        let (fixed, fragmentation) = self.reserved;
        peak.saturating_add(fixed).saturating_add((fragmentation * peak as f64) as u64)
    }

    /// Returns the number of devices of a stage.
    pub fn stage_devices(&self) -> usize {
        self.placement.stages[0].len()
    }

    /// Returns the mesh of a stage for messages.
    pub fn mesh_text(&self) -> String {
        self.short.list_meshes()
    }

    /// Returns the work of a chunk of a pipeline with `count` chunks.
    pub fn chunk_work(&self, chunk: usize, count: usize) -> ChunkWork {
        let work = &self.short.schedule.work().chunks;
        let [first, last] = [work[0], work[work.len() - 1]];
        match chunk {
            0 => first,
            _ if chunk + 1 == count => last,
            _ => ChunkWork { backward_input: last.backward_input, ..first },
        }
    }

    /// Returns the durations of the chunks of a pipeline in which chunk `i` has `layers[i]` layers.
    pub fn durations(&self, layers: &[usize]) -> Vec<Durations> {
        self.chunk_costs(layers).iter().map(ChunkCost::durations).collect()
    }

    /// Returns the numbers of layers of `chunks` chunks such that the longest chunk is as short as possible.
    pub fn balanced_layers(&self, chunks: usize, layers: usize) -> Vec<usize> {
        let seconds = |cost: &ChunkCost| cost.durations.iter().sum::<f64>();
        let [first, last] = self.ends.each_ref().map(seconds);
        let extra =
            |chunk: usize| f64::from(u8::from(chunk == 0)) * first + f64::from(u8::from(chunk + 1 == chunks)) * last;
        let mut all = vec![1; chunks];
        for _ in chunks..layers {
            let after = |chunk: usize| extra(chunk) + (all[chunk] + 1) as f64 * seconds(&self.layer);
            let next = (0..chunks).min_by(|&a, &b| after(a).total_cmp(&after(b)));
            next.into_iter().for_each(|chunk| all[chunk] += 1);
        }
        all
    }

    fn chunk_costs(&self, layers: &[usize]) -> Vec<ChunkCost> {
        let last = layers.len() - 1;
        let cost = |(chunk, &layers): (usize, &usize)| {
            let mut cost = ChunkCost::default().plus(layers as f64, &self.layer);
            for (at, end) in [0, last].into_iter().zip(&self.ends) {
                if at == chunk {
                    cost = cost.plus(1.0, end);
                }
            }
            cost
        };
        layers.iter().enumerate().map(cost).collect()
    }

    /// Simulates a schedule of a pipeline in which chunk `i` has `layers[i]` layers.
    ///
    /// # Errors
    /// Returns an error if the machine has too few devices, or devices are not connected.
    pub fn simulate(
        &self,
        schedule: &CheckedSchedule,
        layers: &[usize],
        prices: &Prices<'_>,
        efficiencies: &Efficiencies,
    ) -> Result<SimulatedStep, PredictError> {
        let chunks = self.chunk_costs(layers);
        let mut costs = ScheduleCosts {
            durations: chunks.iter().map(ChunkCost::durations).collect(),
            resident_bytes: vec![0; schedule.stages],
            ..ScheduleCosts::default()
        };
        let mut once: BTreeMap<(TaskTime, usize), f64> = BTreeMap::new();
        for (chunk, &stage) in chunks.iter().zip(&schedule.stage_of_chunk) {
            let [input, weight, gradient] = chunk.saved.map(|bytes| bytes as i64);
            costs.saved.push(SavedActivations { input, weight, gradient });
            costs.resident_bytes[stage] += chunk.resident_bytes as i64;
            for (&moment, seconds) in &chunk.once {
                *once.entry((moment, stage)).or_default() += seconds;
            }
        }
        let once = once.into_iter().map(|((moment, stage), seconds)| OncePerStep { stage, moment, seconds });
        costs.once_per_step = once.collect();
        self.add_transfers(schedule, prices, efficiencies, &mut costs)?;
        simulate_step(schedule, &costs).map_err(PredictError::Simulation)
    }

    /// Adds the transfers between consecutive chunks, and the once-per-step transfers between the first and the last.
    fn add_transfers(
        &self,
        schedule: &CheckedSchedule,
        prices: &Prices<'_>,
        efficiencies: &Efficiencies,
        costs: &mut ScheduleCosts,
    ) -> Result<(), PredictError> {
        let mut link_table = LinkTable::default();
        let mut seen = self.received.lock().map(|seen| seen.clone()).unwrap_or_default();
        let mut between = |stages: [usize; 2]| -> Result<ScheduleCosts, PredictError> {
            let mut costs = ScheduleCosts::default();
            let placement = Placement { stages: stages.map(|stage| self.devices(stage)).to_vec() };
            let mut transfers = TransferPricing {
                pipeline: &self.short,
                machine: prices.machine(),
                placement: &placement,
                efficiencies,
                prices,
                link_table: &mut link_table,
                seen: &mut seen,
            };
            transfers.write(&mut costs)?;
            Ok(costs)
        };
        let mut known: BTreeMap<[usize; 2], EdgeTransfer> = BTreeMap::new();
        for &(from, to) in &schedule.work().edges {
            let stages = [from, to].map(|chunk| schedule.stage_of_chunk[chunk]);
            let none = EdgeTransfer { bytes: 0.0, route: 0, gradient_bytes: 0.0, gradient_route: 0 };
            let transfer = match (stages[0] == stages[1], known.get(&stages)) {
                (true, _) => none,
                (false, Some(transfer)) => *transfer,
                (false, None) => {
                    let edge = between(stages)?;
                    let first = costs.routes.len();
                    costs.routes.extend(edge.routes);
                    let moved = |transfer: &EdgeTransfer| EdgeTransfer {
                        route: first + transfer.route,
                        gradient_route: first + transfer.gradient_route,
                        ..*transfer
                    };
                    edge.transfers.first().map_or(none, moved)
                }
            };
            known.insert(stages, transfer);
            costs.transfers.push(transfer);
        }
        let ends = [0, schedule.stages - 1];
        if ends[0] != ends[1] {
            let all = between(ends)?;
            let first = costs.routes.len();
            costs.routes.extend(all.routes);
            let moved = |sent: &OncePerStepTransfer| OncePerStepTransfer {
                stages: sent.stages.map(|stage| ends[stage]),
                route: first + sent.route,
                ..*sent
            };
            costs.once_per_step_transfers = all.once_per_step_transfers.iter().map(moved).collect();
        }
        if let Ok(mut received) = self.received.lock() {
            *received = seen;
        }
        if costs.routes.is_empty() {
            costs.routes.push(Route { links: Vec::new(), latency: 0.0 });
        }
        costs.links.clone_from(&link_table.bandwidths);
        Ok(())
    }

    /// Returns the devices of a stage, which follow those of the stage before it.
    fn devices(&self, stage: usize) -> Vec<usize> {
        let first = &self.placement.stages[0];
        first.iter().map(|device| device + stage * first.len()).collect()
    }
}
