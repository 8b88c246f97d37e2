//! Calibration of this machine: cost constants of the CPU host, fitted to measured programs.
//!
//! A `Probe` is a small program whose time is dominated by a few unknown constants of a [`Host`]. A probe usually
//! runs on one device per core, so that memory bandwidth is shared as in a step. The constants are fitted so that the
//! [predictions](partita_runtime::prediction) for all probes are closest to the measurements. The same function
//! predicts a step.

mod fit;
mod gather;
pub mod import;
mod messages;
mod places;
mod probes;
mod ranks;

pub use messages::MeasuredSum;
pub use ranks::calibrate_ranks;

use crate::error::Result;
use crate::load::parse;
use fit::non_negative_least_squares;
use partita_cpu::Cpu;
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::MAX_LIVE_TENSOR_BYTES;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::verify::{Local, Verified, verify};
use partita_machine::host::{Cost, Host, OperandOrder, ProductRates};
use partita_machine::profile::{AchievedLink, AchievedRates, KernelCosts, ReservedMemory};
use partita_machine::{DeviceKind, Link, Machine, Node, Switch, Vertex};
use partita_runtime::backend::Backend;
use partita_runtime::executor::{Direct, Executable};
use partita_runtime::session::Session;
use partita_runtime::shared::{Limits, cores};
use probes::Probe;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Duration of a calibration and number of measured sizes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CalibrationEffort {
    /// Minimum number of rounds, each of which runs all probes. Rounds continue up to `max_rounds` while probes become
    /// faster.
    min_rounds: usize,
    max_rounds: usize,
    /// Minimum time of one probe in a round.
    probe_time: Duration,
    /// Stride through the lists of matrix and memory sizes.
    size_stride: usize,
}

impl CalibrationEffort {
    /// About twenty seconds, on a busy machine up to a minute.
    pub const FULL: CalibrationEffort =
        CalibrationEffort { min_rounds: 8, max_rounds: 24, probe_time: Duration::from_micros(2000), size_stride: 1 };
    /// About two seconds, less accurate.
    pub const QUICK: CalibrationEffort =
        CalibrationEffort { min_rounds: 4, max_rounds: 4, probe_time: Duration::from_micros(250), size_stride: 2 };

    /// Maximum number of progress messages, without those of ranks.
    pub fn max_progress_steps(self) -> u64 {
        1 + self.max_rounds as u64
    }
}

/// Number of devices of the calibrated machine, which limits the meshes that can be simulated on it.
const HOST_DEVICE_COUNT: usize = 64;

/// Minimum share of a probe's time that is attributed to the measured constant, because clocks are inexact.
const MIN_TIME_SHARE: f64 = 0.02;

/// Minimum number of runs of a probe in a round.
const MIN_RUNS: usize = 2;

/// Target duration of a run in seconds. Longer than clock resolution and thread wake-up.
const TARGET_RUN_SECONDS: f64 = 2e-4;

/// A probe has become faster if its best time falls below this share of the previous one.
const IMPROVEMENT_RATIO: f64 = 0.97;

/// Calibration ends when a smaller share of the probes has become faster in a round.
const CONVERGED_SHARE: f64 = 0.03;

/// Measures this machine and reports progress to `next`. Each probe runs in every round and its fastest run counts,
/// since interference seldom lasts for all rounds.
///
/// # Errors
/// Errors of running the probes.
pub fn calibrate(effort: CalibrationEffort, next: &mut dyn FnMut(&str)) -> Result<Machine> {
    next("durations of probes");
    let mut all = ProbeSet::new(cores(), effort)?;
    for round in 1..=effort.max_rounds {
        next(&format!("all probes, round {round}"));
        let faster = all.run(effort.probe_time)?;
        if round >= effort.min_rounds && faster < CONVERGED_SHARE {
            break;
        }
    }
    let host = all.fit_host();
    let link = HostLink { bandwidth: last_rate(&host), latency: host.cost(Cost::Arrival) };
    Ok(machine_from_host(host, link))
}

/// Link between the devices of a machine and their common switch.
struct HostLink {
    /// Bytes per second.
    bandwidth: f64,
    /// Seconds.
    latency: f64,
}

/// Returns the memory bandwidth of a core for the largest measured size.
fn last_rate(host: &Host) -> f64 {
    host.memory.last().map_or(1e9, |(_, rate)| *rate)
}

/// All probes of a calibration.
struct ProbeSet {
    cores: usize,
    costs: Vec<MeasuredProbe>,
    memory: Vec<(u64, MeasuredProbe)>,
    products: Vec<ProductProbes>,
    /// Matrix sizes.
    sizes: Vec<usize>,
}

/// Matrix products of one element type and memory order, by `m`, `n` and `k`.
struct ProductProbes {
    dtype: DType,
    order: OperandOrder,
    all: Vec<([usize; 3], MeasuredProbe)>,
}

impl ProbeSet {
    fn new(cores: usize, effort: CalibrationEffort) -> Result<ProbeSet> {
        let prepare = |probe: &Probe| MeasuredProbe::prepare(probe, cores);
        let costs = probes::cost_probes(cores).iter().map(prepare).collect::<Result<_>>()?;
        let largest = if effort.size_stride > 1 { probes::MEMORY_BYTES.len() - 1 } else { probes::MEMORY_BYTES.len() };
        let memory = probes::MEMORY_BYTES[..largest].iter().step_by(effort.size_stride);
        let memory = memory.map(|&bytes| Ok((bytes, prepare(&probes::memory_probe(cores, bytes))?)));
        let sizes: Vec<usize> = probes::MATRIX_SIZES.iter().copied().step_by(effort.size_stride).collect();
        let shapes = || {
            let sizes = &sizes;
            sizes.iter().flat_map(move |&m| sizes.iter().flat_map(move |&n| sizes.iter().map(move |&k| [m, n, k])))
        };
        let table = |(dtype, order)| {
            let product = |shape| Ok((shape, prepare(&probes::product_probe(cores, dtype, order, shape))?));
            Ok(ProductProbes { dtype, order, all: shapes().map(product).collect::<Result<_>>()? })
        };
        let products = probes::product_kinds().into_iter().map(table).collect::<Result<_>>()?;
        Ok(ProbeSet { cores, costs, memory: memory.collect::<Result<_>>()?, products, sizes })
    }

    /// Runs each probe for one round. Returns the share of probes that became faster.
    fn run(&mut self, span: Duration) -> Result<f64> {
        let all = self.probes();
        let (mut faster, count) = (0, all.len());
        for measured in all {
            let before = measured.seconds;
            measured.run(span, MIN_RUNS)?;
            faster += usize::from(measured.seconds < IMPROVEMENT_RATIO * before);
        }
        Ok(faster as f64 / count as f64)
    }

    /// Returns all probes.
    fn probes(&mut self) -> Vec<&mut MeasuredProbe> {
        let memory = self.memory.iter_mut().map(|(_, measured)| measured);
        let products = self.products.iter_mut().flat_map(|shapes| &mut shapes.all).map(|(_, measured)| measured);
        self.costs.iter_mut().chain(memory).chain(products).collect()
    }

    /// Fits the host's constants to the measurements.
    fn fit_host(&self) -> Host {
        let costs = [MIN_COST_SECONDS; Cost::ALL.len()];
        let mut host = Host { cores: self.cores, costs, memory: Vec::new(), products: Vec::new(), ranks: None };
        // Probes with matrix products are left out until the rates of products are fitted.
        let alone: Vec<&MeasuredProbe> = self.costs.iter().filter(|measured| !measured.probe.has_products()).collect();
        fit_costs(&mut host, &alone);
        let mut memory: Vec<(u64, f64)> = Vec::new();
        let measured_rate = |bytes: u64, measured: &MeasuredProbe| {
            probes::moved_bytes(self.cores, bytes) / measured.iteration_seconds()
        };
        let rates = self.memory.iter().map(|(bytes, measured)| measured_rate(*bytes, measured));
        let best = rates.fold(0.0, f64::max);
        for (bytes, measured) in &self.memory {
            // A probe about as fast as without memory cost gives no bandwidth, except that it is not below any measured
            // one.
            let waits = measured.seconds > MEMORY_BOUND_RATIO * measured.predicted_seconds(&host);
            let rate = if waits { measured_rate(*bytes, measured) } else { best };
            // Bandwidth does not increase with the number of bytes.
            memory.push((*bytes, memory.last().map_or(rate, |last| last.1.min(rate))));
        }
        let bare = host.clone();
        for ProductProbes { dtype, order, all } in &self.products {
            let flops = |shape: &[usize; 3]| 2.0 * shape.iter().product::<usize>() as f64;
            // The costs of the loop are inexact, so that a short product may seem to take no time. None is faster than
            // the best product together with its loop.
            let same_dtype = self.products.iter().filter(|of| of.dtype == *dtype).flat_map(|of| &of.all);
            let best = same_dtype.map(|(shape, measured)| flops(shape) / measured.iteration_seconds());
            let best = best.fold(0.0, f64::max);
            let rate = |(shape, measured): &([usize; 3], MeasuredProbe)| {
                (flops(shape) / measured.unexplained_seconds(&bare)).min(best)
            };
            let (dtype, order, sizes) = (*dtype, *order, self.sizes.clone());
            host.products.push(ProductRates { dtype, order, sizes, rates: all.iter().map(rate).collect() });
        }
        host.memory = memory;
        fit_costs(&mut host, &self.costs.iter().collect::<Vec<_>>());
        host
    }
}

/// Minimum ratio of measured to predicted time from which a probe counts as memory-bound.
const MEMORY_BOUND_RATIO: f64 = 1.2;

/// Number of Gauss-Newton iterations. Predictions are nearly linear in the constants.
const GAUSS_NEWTON_ITERATIONS: usize = 3;

/// Step of the numeric derivatives, in seconds.
const DERIVATIVE_STEP_SECONDS: f64 = 1e-9;
/// Lower bound of the fitted cost constants, in seconds.
const MIN_COST_SECONDS: f64 = 1e-3 * DERIVATIVE_STEP_SECONDS;

/// Fits the host's cost constants, none below zero, by non-negative least squares of the relative prediction errors.
fn fit_costs(host: &mut Host, programs: &[&MeasuredProbe]) {
    for _ in 0..GAUSS_NEWTON_ITERATIONS {
        let shares = |host: &Host| -> Vec<f64> {
            programs.iter().map(|measured| measured.predicted_seconds(host) / measured.seconds).collect()
        };
        let now = shares(host);
        let more = |&cost: &Cost| -> Vec<f64> {
            let mut more = host.clone();
            more.costs[cost as usize] += DERIVATIVE_STEP_SECONDS;
            shares(&more).iter().zip(&now).map(|(more, now)| more - now).collect()
        };
        let slopes: Vec<Vec<f64>> = Cost::ALL.iter().map(more).collect();
        let before: Vec<f64> = host.costs.iter().map(|cost| cost / DERIVATIVE_STEP_SECONDS).collect();
        let off: Vec<f64> = now.iter().map(|share| share - 1.0).collect();
        let figures = non_negative_least_squares(&slopes, off, &before);
        host.costs
            .iter_mut()
            .zip(figures)
            .for_each(|(cost, figure)| *cost = (figure * DERIVATIVE_STEP_SECONDS).max(MIN_COST_SECONDS));
    }
}

/// Compiles a probe for the devices that run it.
type CompileProbe<'c> = &'c dyn Fn(Verified<'_, Local>) -> Result<Direct>;

/// A probe and its fastest measured time.
struct MeasuredProbe {
    probe: Probe,
    executable: Arc<Direct>,
    session: Session,
    seconds: f64,
}

impl MeasuredProbe {
    /// Prepares a probe for a number of cores and sets its trip count for runs of `TARGET_RUN_SECONDS`.
    fn prepare(probe: &Probe, cores: usize) -> Result<MeasuredProbe> {
        let compile =
            |local: Verified<'_, Local>| Ok(Cpu.compile(local)?.with_limits(Limits { cores, ..Limits::default() }));
        let mut first = MeasuredProbe::new(probe.clone(), &compile)?;
        if probe.has_single_iteration() {
            return Ok(first);
        }
        first.run(Duration::ZERO, MIN_RUNS)?;
        let iterations = (TARGET_RUN_SECONDS / first.seconds * first.probe.trip as f64).clamp(1.0, 10_000.0);
        MeasuredProbe::new(probe.clone().with_trip_count(iterations as u64), &compile)
    }

    fn new(probe: Probe, compile: CompileProbe<'_>) -> Result<MeasuredProbe> {
        let program = parse("probe.pir", &probe.text())?;
        let executable = Arc::new(compile(verify(&program)?.into_form()?)?);
        let number = |ty: &Type| if ty.dtype.is_float() { Scalar::Float(0.5) } else { Scalar::Int(0) };
        let tensor = |ty: &Type| Tensor::splat(ty.clone(), number(ty));
        let main = &program.funcs[program.entry()];
        let stays: Vec<Option<Tensor>> = main.inputs.iter().map(|&v| Some(tensor(program.ty(v)))).collect();
        let session = Session::start(executable.clone(), &stays, &[(0, stays.len() - 1)])?;
        Ok(MeasuredProbe { probe, executable, session, seconds: f64::INFINITY })
    }

    fn run(&mut self, probe_time: Duration, least: usize) -> Result<()> {
        let began = Instant::now();
        let mut runs = 0;
        while runs < least || began.elapsed() < probe_time {
            self.session.run(&[])?;
            self.seconds = self.seconds.min(self.session.seconds());
            runs += 1;
        }
        Ok(())
    }

    /// Returns the seconds of one loop iteration that the host's fitted constants do not explain.
    fn unexplained_seconds(&self, host: &Host) -> f64 {
        (self.seconds - self.predicted_seconds(host)).max(MIN_TIME_SHARE * self.seconds) / self.probe.trip as f64
    }

    /// Returns the seconds of one loop iteration.
    fn iteration_seconds(&self) -> f64 {
        self.seconds / self.probe.trip as f64
    }

    fn predicted_seconds(&self, host: &Host) -> f64 {
        self.executable.predict(host).0.seconds
    }
}

/// Builds a machine description with this host, whose devices can be simulated.
fn machine_from_host(host: Host, HostLink { bandwidth, latency }: HostLink) -> Machine {
    let fastest = |dtype: DType| {
        let rates = host.products.iter().filter(|p| p.dtype == dtype).flat_map(|p| &p.rates);
        rates.copied().reduce(f64::max).map(|rate| (dtype, rate))
    };
    let core = DeviceKind {
        name: "core".into(),
        rates: [DType::F32, DType::F64].into_iter().filter_map(fastest).collect(),
        memory: MAX_LIVE_TENSOR_BYTES,
        bandwidth: last_rate(&host),
        achieved: AchievedRates::default(),
        earlier: None,
        kernels: KernelCosts::default(),
        reserved: ReservedMemory::default(),
        uncertainty: DeviceKind::UNCERTAINTY,
    };
    let link = |device| Link {
        ends: [Vertex::Device(device), Vertex::Switch(0)],
        bandwidth,
        latency,
        is_shared: false,
        achieved: AchievedLink::default(),
    };
    let node = Node {
        name: "process".into(),
        count: 1,
        devices: vec![0; HOST_DEVICE_COUNT],
        switches: vec![Switch { name: "memory".into(), bandwidth: None }],
        links: (0..HOST_DEVICE_COUNT).map(link).collect(),
        ports: Vec::new(),
    };
    Machine { name: "host".into(), kinds: vec![core], nodes: vec![node], network: None, host: Some(host) }
}
