//! Predicted step of a pipeline on a machine: time, bubble, link use and memory.
//!
//! One device represents all devices of its stage, so the cost of a prediction is independent of the number of
//! replicas. Tasks that are identical except for names are priced once (`program_cache`). Transfers between stages use
//! the links of the representative devices (`transfers`). [`pipeline::simulate_step`] simulates the schedule with these
//! costs.

pub mod layered;
mod program_cache;
mod transfers;

use super::pipeline::{self, OncePerStep, ScheduleCosts, SimulatedStep};
use super::placement::{CollectiveCosts, LinkTable, Placement, PlacementError};
use super::roofline::{Efficiencies, RooflineInputs, TimeBreakdown, program_time};
use super::simulate::SimulationError;
use super::stage_memory::{StageMemory, predict_stage_memory, task_needs};
use crate::constants::CostConstants;
use partita_ir::op::OpKind;
use partita_ir::pipeline::{Pipeline, TaskTime};
use partita_ir::program::{Form, Phase, Program};
use partita_ir::schedule::Durations;
use partita_ir::schedule::Work;
use partita_machine::collective::choice::Prices;
use partita_machine::{DeviceKind, Machine};
use program_cache::{ProgramCache, locality_hash};
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
    /// Model FLOPs utilisation (MFU): the fraction of the step that the model's matrix products would take at the peak
    /// rates of all devices.
    pub model_flops_utilisation: f64,
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
    /// Memory of one device of the stage.
    pub memory: StageMemory,
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
    /// Returns the maximum peak memory of the stages, in bytes per device.
    pub fn peak_bytes(&self) -> u64 {
        self.stages.iter().map(|stage| stage.memory.peak).max().unwrap_or(0)
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
    let (model, hardware, ideal) = model_work(pipeline, machine, placement);
    let devices = pipeline.device_count();
    let stage = |(number, memory): (usize, StageMemory)| StagePrediction {
        utilisation: step.utilisation(number),
        computing: stage_times[number].computing,
        exposed: (stage_times[number].seconds - stage_times[number].computing).max(0.0),
        communicating: stage_times[number].communicating,
        memory,
    };
    let links = link_names.into_iter().zip(&step.outcome.links);
    Ok(Prediction {
        seconds: step.seconds(),
        bubble: step.bubble(),
        stages: stage_memory.into_iter().enumerate().map(stage).collect(),
        links: links.map(|(name, used)| LinkPrediction { name, bytes: used.bytes, busy: used.busy }).collect(),
        devices,
        model_flops: model,
        hardware_flops: hardware,
        model_flops_utilisation: ideal / (step.seconds() * devices as f64),
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
    let mut transfers =
        TransferPricing { pipeline, machine, placement, efficiencies, prices, link_table: &mut link_table, seen: &mut Vec::new() };
    transfers.write(&mut costs)?;
    costs.links = link_table.bandwidths.iter().map(|bandwidth| bandwidth * efficiencies.link).collect();
    let stage_memory = predict_stage_memory(pipeline, &task_needs(pipeline));
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
                    let seconds = collectives.seconds(program, op);
                    is_unreachable |= seconds.is_none();
                    seconds.unwrap_or(0.0) / efficiencies.link
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

/// Returns the floating-point operations of the model's matrix products in a step, the same with recomputation, and the
/// device-seconds that the former take at peak rates.
fn model_work(pipeline: &Pipeline, machine: &Machine, placement: &Placement) -> (f64, f64, f64) {
    let (mut model, mut hardware, mut ideal) = (0.0, 0.0, 0.0);
    let mut cache = ProgramCache::default();
    for (number, (chunk, &stage)) in pipeline.chunks.iter().zip(&pipeline.schedule.stage_of_chunk).enumerate() {
        let devices = &placement.stages[stage];
        let Some(kind) = machine.slowest_kind(devices.iter().copied()) else { continue };
        for task in &chunk.tasks {
            let times = pipeline.runs_per_step(number, task.moment) as f64 * devices.len() as f64;
            let (of_model, all, seconds) =
                cache.get_or_compute(&task.program, stage as u64 | (1 << 63), || product_work(&task.program, kind));
            model += times * of_model;
            hardware += times * all;
            ideal += times * seconds;
        }
    }
    (model, hardware, ideal)
}

/// Returns, for one run of a program, the floating-point operations of the model's matrix products, those of all matrix
/// products, and the seconds of the former at the peak rate.
fn product_work(program: &Program, kind: &DeviceKind) -> (f64, f64, f64) {
    debug_assert!(program.form >= Form::Local);
    let (mut model, mut hardware, mut ideal) = (0.0, 0.0, 0.0);
    for (func, times) in super::run_counts(program) {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            // Recomputed scores of an attention gradient do not count as model FLOPs.
            let of_model = match op.kind {
                OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Attention(_) => 1.0,
                OpKind::AttentionGrad(_) => CostConstants::TUNED.model_share_of_attention_grad,
                OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => continue,
                OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) => continue,
                OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) | OpKind::Gelu(_) => continue,
                OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => continue,
                OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) | OpKind::DynamicSlice(_) => continue,
                OpKind::DynamicUpdateSlice(_) | OpKind::Gather(_) | OpKind::Scatter(_) => continue,
                OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) => continue,
                OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => continue,
                OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => continue,
                OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) | OpKind::Momentum(_) | OpKind::Adam(_) => continue,
                OpKind::Loop(_) | OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) => continue,
                OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => continue,
                OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) => continue,
                OpKind::ShardStart(_) => continue,
            };
            let local_types =
                |values: &[_]| -> Vec<_> { values.iter().map(|&v| program.values[v].local_type()).collect() };
            let (args, outs) = (local_types(&op.args), local_types(&op.outs));
            let flops = op.kind.flops(&args.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>());
            let flops = flops as f64 * times as f64;
            hardware += flops;
            if op.phase != Phase::Recompute {
                model += of_model * flops;
                ideal += of_model * flops / kind.rate(args[0].dtype);
            }
        }
    }
    (model, hardware, ideal)
}
