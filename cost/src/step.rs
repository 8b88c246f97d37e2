//! Predicted step of a pipeline on a machine: time, bubble, link use and memory.
//!
//! One device represents all devices of its stage, so the cost of a prediction is independent of the number of
//! replicas. Tasks that are identical except for names are priced once (`program_cache`). Transfers between stages use
//! the links of the representative devices (`transfers`). [`pipeline::simulate_step`] simulates the schedule with these
//! costs.

pub mod layered;
mod model_work;
mod program_cache;
mod reserved;
mod transfers;

use super::pipeline::{self, OncePerStep, ScheduleCosts, SimulatedStep};
use super::placement::{CollectiveCosts, LinkTable, Placement, PlacementError};
use super::roofline::parts::TimeParts;
use super::roofline::{Efficiencies, RooflineInputs, TimeBreakdown, program_time};
use super::simulate::SimulationError;
use super::stage_memory::{StageMemory, predict_stage_memory, task_needs};
use model_work::model_work;
use partita_ir::dtype::DType;
use partita_ir::pipeline::{Pipeline, TaskTime};
use partita_ir::program::Program;
use partita_ir::schedule::Durations;
use partita_ir::schedule::Work;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use program_cache::{ProgramCache, locality_hash};
pub use reserved::ReservedBytes;
use reserved::reserved_bytes;
use std::fmt;
use transfers::TransferPricing;

/// Predicted cost of a step.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Seconds until all stages have finished.
    pub seconds: f64,
    /// Fraction of the step during which stages are idle, averaged over all stages.
    pub bubble: f64,
    /// Prediction for each stage.
    pub stages: Vec<StagePrediction>,
    /// Use of each link between stages by the representative devices.
    pub links: Vec<LinkPrediction>,
    /// Number of devices of all stages.
    pub devices: usize,
    /// Floating-point operations of the model's matrix products in a step, forward and backward, without recomputation.
    pub model_flops: f64,
    /// Floating-point operations of matrix products in a step, with recomputation.
    pub hardware_flops: f64,
    /// Model FLOPs utilisation (MFU): the fraction of the step that the model's matrix products and attention would
    /// take at the peak rate of `matrix_dtype` on all devices.
    pub model_flops_utilisation: f64,
    /// Element type of most of the model's matrix products.
    pub matrix_dtype: Option<DType>,
    /// Simulation of the step.
    pub step: SimulatedStep,
}

/// Predicted cost of a stage in a step.
#[derive(Clone, PartialEq, Debug)]
pub struct StagePrediction {
    /// Fraction of the step during which the stage is busy.
    pub utilisation: f64,
    /// Seconds of kernels in a step.
    pub computing: f64,
    /// Seconds during which the stage computes nothing because it waits for one of its collectives.
    pub exposed: f64,
    /// Seconds of the stage's collectives in a step, including those overlapped with compute.
    pub communicating: f64,
    /// Seconds by activity. The sum and the idle time of the stage are the duration of the step.
    pub parts: TimeParts,
    /// Memory of one device of the stage.
    pub memory: StageMemory,
    /// Memory of one device that holds no tensor.
    pub reserved: ReservedBytes,
}

impl StagePrediction {
    /// Returns the peak memory of one device in bytes, including memory that holds no tensor.
    pub fn device_bytes(&self) -> u64 {
        self.memory.peak.saturating_add(self.reserved.total())
    }
}

/// Predicted use of a link.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkPrediction {
    /// Name of the link.
    pub name: String,
    /// Bytes transferred in a step.
    pub bytes: f64,
    /// Seconds during which the link transfers data.
    pub busy: f64,
}

/// Reason why a step cannot be predicted.
#[derive(Clone, PartialEq, Debug)]
pub enum PredictError {
    /// The pipeline does not fit on the machine.
    Placement(PlacementError),
    /// The simulation failed.
    Simulation(SimulationError),
}

impl fmt::Display for PredictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PredictError::Placement(PlacementError::TooFewDevices { needed, available }) => {
                write!(f, "the plan needs {needed} devices, and the machine has {available}")
            }
            PredictError::Placement(PlacementError::Invalid) => {
                write!(f, "the placement does not match the pipeline and the machine")
            }
            PredictError::Placement(PlacementError::Unreachable(from, to)) => {
                write!(f, "device {from} cannot reach device {to}")
            }
            PredictError::Simulation(fault) => fault.fmt(f),
        }
    }
}

impl From<PlacementError> for PredictError {
    fn from(error: PlacementError) -> PredictError {
        PredictError::Placement(error)
    }
}

impl Prediction {
    /// Returns the maximum peak memory of the stages in bytes per device, including memory that holds no tensor.
    pub fn peak_bytes(&self) -> u64 {
        self.stages.iter().map(StagePrediction::device_bytes).max().unwrap_or(0)
    }

    /// Returns the stage that computes and communicates longest, and the seconds of the step during which it is idle.
    /// The parts of this stage and its idle time add up to the step.
    pub fn bottleneck(&self) -> Option<(&StagePrediction, f64)> {
        let busiest = self.stages.iter().max_by(|a, b| a.parts.seconds().total_cmp(&b.parts.seconds()))?;
        Some((busiest, self.seconds - busiest.parts.seconds()))
    }
}

/// Predicts a step. Linear in the number of distinct chunks, of slots and of devices, but not in the product of devices
/// and slots.
///
/// # Errors
/// Returns an error if the placement is invalid, devices are not connected, or the simulation fails.
pub fn predict(
    pipeline: &Pipeline,
    machine: &Machine,
    placement: &Placement,
    efficiencies: &Efficiencies,
) -> Result<Prediction, PredictError> {
    predict_with_prices(pipeline, &Prices::new(machine), placement, efficiencies)
}

/// Predicts a step with existing collective prices of the machine, which can be shared by many predictions.
///
/// # Errors
/// Returns the errors of [`predict`].
pub fn predict_with_prices(
    pipeline: &Pipeline,
    prices: &Prices<'_>,
    placement: &Placement,
    efficiencies: &Efficiencies,
) -> Result<Prediction, PredictError> {
    let machine = prices.machine();
    let PricedPipeline { costs, stage_times, stage_memory, link_names } =
        price_pipeline(pipeline, prices, placement, efficiencies)?;
    let schedule = &pipeline.schedule;
    let step = pipeline::simulate_step(schedule, &costs).map_err(PredictError::Simulation)?;
    let (work, ideal) = model_work(pipeline, machine, placement);
    let reserved = reserved_bytes(pipeline, machine, placement, &stage_memory);
    let devices = pipeline.device_count();
    let stage = |(number, (memory, reserved)): (usize, (StageMemory, ReservedBytes))| StagePrediction {
        utilisation: step.utilisation(number),
        computing: stage_times[number].computing,
        exposed: (stage_times[number].seconds - stage_times[number].computing).max(0.0),
        communicating: stage_times[number].communicating,
        parts: stage_times[number].parts.clone(),
        memory,
        reserved,
    };
    let links = link_names.into_iter().zip(&step.outcome.links);
    Ok(Prediction {
        seconds: step.seconds(),
        bubble: step.bubble(),
        stages: stage_memory.into_iter().zip(reserved).enumerate().map(stage).collect(),
        links: links.map(|(name, used)| LinkPrediction { name, bytes: used.bytes, busy: used.busy }).collect(),
        devices,
        model_flops: work.model,
        hardware_flops: work.hardware,
        model_flops_utilisation: ideal / (step.seconds() * devices as f64),
        matrix_dtype: work.dtype(),
        step,
    })
}

/// Costs of a pipeline's chunks and transfers, independent of the order in its schedule.
pub struct PricedPipeline {
    /// Costs of chunks, transfers and once-per-step work.
    pub costs: ScheduleCosts,
    /// Memory of one device of each stage.
    pub stage_memory: Vec<StageMemory>,
    /// Time of all work of each stage in a step.
    stage_times: Vec<TimeBreakdown>,
    /// Name of each link in `costs`.
    link_names: Vec<String>,
}

/// Prices the chunks and transfers of a pipeline.
///
/// # Errors
/// Returns an error if the placement is invalid or devices are not connected.
pub fn price_pipeline(
    pipeline: &Pipeline,
    prices: &Prices<'_>,
    placement: &Placement,
    efficiencies: &Efficiencies,
) -> Result<PricedPipeline, PredictError> {
    let machine = prices.machine();
    placement.check(pipeline, machine)?;
    let mut link_table = LinkTable::default();
    let priced = task_times(pipeline, machine, placement, efficiencies, prices)?;
    let schedule = &pipeline.schedule;
    let mut costs = ScheduleCosts::default();
    let mut stage_times = vec![TimeBreakdown::default(); schedule.stages];
    for (number, (chunk, time)) in pipeline.chunks.iter().zip(&priced).enumerate() {
        let stage = schedule.stage_of_chunk[number];
        let mut durations = Durations::default();
        for (task, time) in chunk.tasks.iter().zip(time) {
            let seconds = time.seconds;
            match task.moment {
                TaskTime::Slot(work) => match work {
                    Work::Forward => durations.forward = seconds,
                    Work::Backward => durations.backward = seconds,
                    Work::BackwardInput => durations.backward_input = seconds,
                    Work::BackwardWeight => durations.backward_weight = seconds,
                },
                moment @ (TaskTime::Before | TaskTime::After(_)) => {
                    costs.once_per_step.push(OncePerStep { stage, moment, seconds })
                }
            }
            let times = pipeline.runs_per_step(number, task.moment) as f64;
            stage_times[stage].add(time, times);
            stage_times[stage].seconds += times * time.seconds;
        }
        costs.durations.push(durations);
    }
    let mut transfers = TransferPricing {
        pipeline,
        machine,
        placement,
        efficiencies,
        prices,
        link_table: &mut link_table,
        seen: &mut Vec::new(),
    };
    transfers.write(&mut costs)?;
    costs.links.clone_from(&link_table.bandwidths);
    let stage_memory = predict_stage_memory(pipeline, &task_needs(pipeline, efficiencies.fusion));
    costs.resident_bytes = stage_memory
        .iter()
        .map(|memory| i64::try_from(memory.resident_bytes() + memory.largest_frame).unwrap_or(i64::MAX))
        .collect();
    costs.saved = stage_memory.iter().flat_map(|memory| memory.saved.iter().copied()).fold(
        vec![pipeline::SavedActivations::default(); pipeline.chunks.len()],
        |mut all, (chunk, saved)| {
            all[chunk] = saved;
            all
        },
    );
    Ok(PricedPipeline { costs, stage_memory, stage_times, link_names: link_table.names })
}

/// Returns the time of one execution of each task of each chunk.
fn task_times(
    pipeline: &Pipeline,
    machine: &Machine,
    placement: &Placement,
    efficiencies: &Efficiencies,
    prices: &Prices<'_>,
) -> Result<Vec<Vec<TimeBreakdown>>, PredictError> {
    let mut cache = ProgramCache::default();
    let mut all = Vec::with_capacity(pipeline.chunks.len());
    for (chunk, &stage) in pipeline.chunks.iter().zip(&pipeline.schedule.stage_of_chunk) {
        let devices = &placement.stages[stage];
        let locality = locality_hash(machine, devices);
        let mut collectives = CollectiveCosts::new(machine, prices, &chunk.mesh, devices);
        let mut of_chunk = Vec::with_capacity(chunk.tasks.len());
        for task in &chunk.tasks {
            let mut is_unreachable = false;
            let time = cache.get_or_compute(&task.program, locality, || {
                let mut collective = |program: &Program, op: &_| {
                    let seconds = collectives.achieved_seconds(program, op, efficiencies);
                    is_unreachable |= seconds.is_none();
                    seconds.unwrap_or(0.0)
                };
                let kind = machine.slowest_kind(devices.iter().copied());
                let pricing = kind.map(|kind| RooflineInputs { kind, efficiencies, collective: &mut collective });
                pricing.map(|mut pricing| program_time(&task.program, &mut pricing)).unwrap_or_default()
            });
            if is_unreachable {
                return Err(PlacementError::Unreachable(devices[0], devices[devices.len() - 1]).into());
            }
            of_chunk.push(time);
        }
        all.push(of_chunk);
    }
    Ok(all)
}
