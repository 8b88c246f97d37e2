//! A step of a pipeline on a machine, predicted: seconds, who waits, what links carry, what is held when.
//!
//! One device stands for all of its stage, so that replicas cost nothing here. Tasks that are alike but for names are
//! priced once (`alike`); what stages hand each other goes over the links of those devices (`transfers`), and
//! [`pipeline::step`] lets all of it happen.

mod alike;
mod transfers;

use super::pipeline::{self, Costs, Once, Step};
use super::placement::{Collectives, Lanes, Misplaced, Placement};
use super::roofline::{Efficiencies, Pricing, Spent, spent};
use super::simulate::Fault;
use super::stage_memory::{Held, held, needs};
use crate::constants::CostConstants;
use alike::{Alike, place};
use partita_ir::op::OpKind;
use partita_ir::pipeline::{Moment, Pipeline};
use partita_ir::program::{Form, Phase, Program};
use partita_ir::schedule::Durations;
use partita_ir::schedule::Work;
use partita_machine::collective::choice::Prices;
use partita_machine::{Kind, Machine};
use std::fmt;
use transfers::Transfers;

/// What a step comes to.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// From its beginning to where all stages are done.
    pub seconds: f64,
    /// The share of it in which stages wait, on average over them.
    pub bubble: f64,
    /// By stage.
    pub stages: Vec<Stage>,
    /// What carries bytes between stages, as the devices that stand for theirs see it.
    pub links: Vec<Link>,
    /// How many devices there are.
    pub devices: usize,
    /// Arithmetic of products of the whole model in a step, forward and backward; what is computed again is not
    /// counted.
    pub model_flops: f64,
    /// The same with what is computed again.
    pub hardware_flops: f64,
    /// The share of the step that the model's products would take if all devices reached their data sheets.
    pub model_flops_utilisation: f64,
    /// What happened when.
    pub step: Step,
}

/// What a stage does in a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// The share of the step in which it is at work.
    pub utilisation: f64,
    /// Seconds of kernels.
    pub computing: f64,
    /// Seconds in which nothing is computed since a collective inside of it is waited for.
    pub exposed: f64,
    /// Seconds of collectives inside of it, whatever is computed meanwhile.
    pub communicating: f64,
    /// What one of its devices holds.
    pub held: Held,
}

/// What carries bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// What it is called.
    pub name: String,
    /// Bytes that it carries in a step.
    pub bytes: f64,
    /// Seconds in which it carries any.
    pub busy: f64,
}

/// Why nothing can be said.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The pipeline does not fit on the machine.
    Misplaced(Misplaced),
    /// What was simulated is not sound.
    Fault(Fault),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Misplaced(Misplaced::TooFew { needed, available }) => {
                write!(f, "the plan needs {needed} devices, and the machine has {available}")
            }
            Failure::Misplaced(Misplaced::Unsound) => write!(f, "the placement is not for this pipeline and machine"),
            Failure::Misplaced(Misplaced::Apart(from, to)) => write!(f, "device {from} cannot reach device {to}"),
            Failure::Fault(fault) => fault.fmt(f),
        }
    }
}

impl From<Misplaced> for Failure {
    fn from(misplaced: Misplaced) -> Failure {
        Failure::Misplaced(misplaced)
    }
}

impl Prediction {
    /// The most bytes that a device of any stage holds.
    pub fn peak_bytes(&self) -> u64 {
        self.stages.iter().map(|stage| stage.held.peak).max().unwrap_or(0)
    }
}

/// Predicts a step. Takes time in proportion to chunks that differ, to slots and to devices, but not to devices times
/// slots.
///
/// # Errors
/// A placement that is none, or devices that cannot reach each other.
pub fn predict(
    pipeline: &Pipeline,
    machine: &Machine,
    placement: &Placement,
    efficiencies: &Efficiencies,
) -> Result<Prediction, Failure> {
    predict_by(pipeline, &Prices::new(machine), placement, efficiencies)
}

/// The same by prices of the machine's collectives, which are worked out once for many steps.
///
/// # Errors
/// As [`predict`].
pub fn predict_by(
    pipeline: &Pipeline,
    prices: &Prices<'_>,
    placement: &Placement,
    efficiencies: &Efficiencies,
) -> Result<Prediction, Failure> {
    let machine = prices.machine();
    placement.check(pipeline, machine)?;
    let mut lanes = Lanes::default();
    let priced = priced(pipeline, machine, placement, efficiencies, prices)?;
    let schedule = &pipeline.schedule;
    let mut costs = Costs::default();
    let mut all_spent = vec![Spent::default(); schedule.stages];
    for (number, (chunk, spent)) in pipeline.chunks.iter().zip(&priced).enumerate() {
        let stage = schedule.home[number];
        let mut durations = Durations::default();
        for (task, spent) in chunk.tasks.iter().zip(spent) {
            let seconds = spent.seconds;
            match task.moment {
                Moment::Slot(work) => match work {
                    Work::Forward => durations.forward = seconds,
                    Work::Backward => durations.backward = seconds,
                    Work::BackwardInput => durations.backward_input = seconds,
                    Work::BackwardWeight => durations.backward_weight = seconds,
                },
                moment @ (Moment::Before | Moment::After(_)) => costs.once.push(Once { stage, moment, seconds }),
            }
            let times = pipeline.times(number, task.moment) as f64;
            all_spent[stage].add(spent, times);
            all_spent[stage].seconds += times * spent.seconds;
        }
        costs.durations.push(durations);
    }
    let mut sending = Transfers { pipeline, machine, placement, efficiencies, prices, lanes: &mut lanes };
    sending.write(&mut costs)?;
    costs.links = lanes.bandwidths.iter().map(|bandwidth| bandwidth * efficiencies.link).collect();
    let all_held = held(pipeline, &needs(pipeline));
    costs.held =
        all_held.iter().map(|held| i64::try_from(held.always() + held.largest_frame).unwrap_or(i64::MAX)).collect();
    costs.kept = all_held.iter().flat_map(|held| held.kept.iter().copied()).fold(
        vec![pipeline::Kept::default(); pipeline.chunks.len()],
        |mut all, (chunk, kept)| {
            all[chunk] = kept;
            all
        },
    );
    let step = pipeline::step(schedule, &costs).map_err(Failure::Fault)?;
    let (model, hardware, ideal) = work(pipeline, machine, placement);
    let devices = pipeline.device_count();
    let stage = |(number, held): (usize, Held)| Stage {
        utilisation: step.utilisation(number),
        computing: all_spent[number].computing,
        exposed: (all_spent[number].seconds - all_spent[number].computing).max(0.0),
        communicating: all_spent[number].communicating,
        held,
    };
    let links = lanes.names.into_iter().zip(&step.outcome.links);
    Ok(Prediction {
        seconds: step.seconds(),
        bubble: step.bubble(),
        stages: all_held.into_iter().enumerate().map(stage).collect(),
        links: links.map(|(name, used)| Link { name, bytes: used.bytes, busy: used.busy }).collect(),
        devices,
        model_flops: model,
        hardware_flops: hardware,
        model_flops_utilisation: ideal / (step.seconds() * devices as f64),
        step,
    })
}

/// By chunk and task, where its time goes.
fn priced(
    pipeline: &Pipeline,
    machine: &Machine,
    placement: &Placement,
    efficiencies: &Efficiencies,
    prices: &Prices<'_>,
) -> Result<Vec<Vec<Spent>>, Failure> {
    let mut alike = Alike::default();
    let mut all = Vec::with_capacity(pipeline.chunks.len());
    for (chunk, &stage) in pipeline.chunks.iter().zip(&pipeline.schedule.home) {
        let devices = &placement.stages[stage];
        let at = place(machine, devices);
        let mut collectives = Collectives::new(machine, prices, &chunk.mesh, devices);
        let mut of_chunk = Vec::with_capacity(chunk.tasks.len());
        for task in &chunk.tasks {
            let mut apart = false;
            let spent = alike.once(&task.program, at, || {
                let mut collective = |program: &Program, op: &_| {
                    let seconds = collectives.seconds(program, op);
                    apart |= seconds.is_none();
                    seconds.unwrap_or(0.0) / efficiencies.link
                };
                let kind = machine.slowest(devices.iter().copied());
                let pricing = kind.map(|kind| Pricing { kind, efficiencies, collective: &mut collective });
                pricing.map(|mut pricing| spent(&task.program, &mut pricing)).unwrap_or_default()
            });
            if apart {
                return Err(Misplaced::Apart(devices[0], devices[devices.len() - 1]).into());
            }
            of_chunk.push(spent);
        }
        all.push(of_chunk);
    }
    Ok(all)
}

/// Arithmetic of the model's products in a step, that with what is computed again, and the seconds of devices that the
/// former takes at the rates of data sheets.
fn work(pipeline: &Pipeline, machine: &Machine, placement: &Placement) -> (f64, f64, f64) {
    let (mut model, mut hardware, mut ideal) = (0.0, 0.0, 0.0);
    let mut alike = Alike::default();
    for (number, (chunk, &stage)) in pipeline.chunks.iter().zip(&pipeline.schedule.home).enumerate() {
        let devices = &placement.stages[stage];
        let Some(kind) = machine.slowest(devices.iter().copied()) else { continue };
        for task in &chunk.tasks {
            let times = pipeline.times(number, task.moment) as f64 * devices.len() as f64;
            let (of_model, all, seconds) =
                alike.once(&task.program, stage as u64 | (1 << 63), || products(&task.program, kind));
            model += times * of_model;
            hardware += times * all;
            ideal += times * seconds;
        }
    }
    (model, hardware, ideal)
}

/// Of one run of a program: arithmetic of the model's products, of all products, and seconds of the former at full
/// rate.
fn products(program: &Program, kind: &Kind) -> (f64, f64, f64) {
    debug_assert!(program.form >= Form::Local);
    let (mut model, mut hardware, mut ideal) = (0.0, 0.0, 0.0);
    for (func, times) in super::runs(program) {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            // The scores that a gradient computes again are no part of the model.
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
                OpKind::PieceStart(_) => continue,
            };
            let held = |values: &[_]| -> Vec<_> { values.iter().map(|&v| program.values[v].local_type()).collect() };
            let (args, outs) = (held(&op.args), held(&op.outs));
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
