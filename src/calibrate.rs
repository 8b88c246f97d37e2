//! What this machine does in which time, measured through the programs that it runs.
//!
//! A `Probe` is a small program most of whose time is a few unknown figures of a [`Host`]. It runs on as many devices
//! as there are cores, so that each core has company as it has in a step, or on more or fewer where that is what is
//! asked for. The figures are then those with which the [forecasts](partita_runtime::forecast) of all programs are
//! closest to what was measured: what a step will be predicted with is solved for with the same arithmetic.

mod fit;
mod probes;

use crate::error::Result;
use crate::load::parse;
use fit::closest;
use partita_cpu::Cpu;
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::MAX_HELD_BYTES;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::verify::verify;
use partita_machine::host::{Cost, Host, Order, Products};
use partita_machine::{Kind, Link, Machine, Node, Switch, Vertex};
use partita_runtime::backend::Backend;
use partita_runtime::executor::{Direct, Executable};
use partita_runtime::session::Session;
use partita_runtime::shared::cores;
use probes::Probe;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much time measuring takes, and of how many sizes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    /// How often all programs have their turn, and how often at most while some of them still become faster.
    rounds: usize,
    most: usize,
    /// Of each program in a round.
    span: Duration,
    /// How many times all sizes of products and of memory are thinned out.
    thin: usize,
}

impl Effort {
    /// Some twenty seconds, on a busy machine up to a minute.
    pub const FULL: Effort = Effort { rounds: 8, most: 24, span: Duration::from_micros(2000), thin: 1 };
    /// A second or two, and less exact.
    pub const QUICK: Effort = Effort { rounds: 4, most: 4, span: Duration::from_micros(250), thin: 2 };

    /// How often it is said at most what is done next.
    pub fn steps(self) -> u64 {
        1 + self.most as u64
    }
}

/// Devices that the machine is said to have: meshes of up to so many can be simulated.
const DEVICES: usize = 64;

/// Of what is left of a program's time no less is believed: clocks are not exact.
const LEAST_SHARE: f64 = 0.02;

/// How many runs a program has in a round, however long they are.
const LEAST_RUNS: usize = 2;

/// Runs last about so long, so that clocks and threads do not matter.
const RUN_SECONDS: f64 = 2e-4;

/// A program is faster than before when it takes less than that share of the time.
const FASTER: f64 = 0.97;

/// Where less than that share of programs are faster than before, more rounds would tell nothing.
const SETTLED: f64 = 0.03;

/// Measures this machine; says what it does next. All programs have their turn again and again, and of each the fastest
/// run counts: what else goes on seldom lasts as long as that.
///
/// # Errors
/// What running says.
pub fn calibrate(effort: Effort, next: &mut dyn FnMut(&str)) -> Result<Machine> {
    next("how long programs take");
    let mut all = Programs::new(cores(), effort)?;
    for round in 1..=effort.most {
        next(&format!("all programs, round {round}"));
        let faster = all.run(effort.span)?;
        if round >= effort.rounds && faster < SETTLED {
            break;
        }
    }
    Ok(machine(all.solved()))
}

/// All programs.
struct Programs {
    cores: usize,
    costs: Vec<Measured>,
    memory: Vec<(u64, Measured)>,
    products: Vec<Shapes>,
    /// Of matrices.
    sizes: Vec<usize>,
}

/// Products of matrices of one kind, by `m`, `n` and `k`.
struct Shapes {
    dtype: DType,
    order: Order,
    all: Vec<([usize; 3], Measured)>,
}

impl Programs {
    fn new(cores: usize, effort: Effort) -> Result<Programs> {
        let costs = probes::costs(cores).iter().map(Measured::ready).collect::<Result<_>>()?;
        let largest = if effort.thin > 1 { probes::MEMORY.len() - 1 } else { probes::MEMORY.len() };
        let memory = probes::MEMORY[..largest].iter().step_by(effort.thin);
        let memory = memory.map(|&bytes| Ok((bytes, Measured::ready(&probes::memory(cores, bytes))?)));
        let sizes: Vec<usize> = probes::SIZES.iter().copied().step_by(effort.thin).collect();
        let shapes = || {
            let sizes = &sizes;
            sizes.iter().flat_map(move |&m| sizes.iter().flat_map(move |&n| sizes.iter().map(move |&k| [m, n, k])))
        };
        let table = |(dtype, order)| {
            let product = |shape| Ok((shape, Measured::ready(&probes::product(cores, dtype, order, shape))?));
            Ok(Shapes { dtype, order, all: shapes().map(product).collect::<Result<_>>()? })
        };
        let products = probes::products().into_iter().map(table).collect::<Result<_>>()?;
        Ok(Programs { cores, costs, memory: memory.collect::<Result<_>>()?, products, sizes })
    }

    /// Gives each its turn; the share of those that were faster than ever before.
    fn run(&mut self, span: Duration) -> Result<f64> {
        let memory = self.memory.iter_mut().map(|(_, measured)| measured);
        let products = self.products.iter_mut().flat_map(|shapes| &mut shapes.all).map(|(_, measured)| measured);
        let all = self.costs.iter_mut().chain(memory).chain(products).collect::<Vec<_>>();
        let (mut faster, count) = (0, all.len());
        for measured in all {
            let before = measured.seconds;
            measured.run(span, LEAST_RUNS)?;
            faster += usize::from(measured.seconds < FASTER * before);
        }
        Ok(faster as f64 / count as f64)
    }

    /// The host of whom all forecasts are about what was measured.
    fn solved(&self) -> Host {
        let costs = [LEAST; Cost::ALL.len()];
        let mut host = Host { cores: self.cores, costs, memory: Vec::new(), products: Vec::new() };
        // What multiplies tells nothing before products are known.
        let alone: Vec<&Measured> = self.costs.iter().filter(|measured| !measured.probe.multiplies()).collect();
        fit_costs(&mut host, &alone);
        let mut memory: Vec<(u64, f64)> = Vec::new();
        for (bytes, measured) in &self.memory {
            let moved = probes::moved(self.cores, *bytes) * measured.probe.trip as f64;
            // Who is about as fast as without any memory says nothing of it.
            let waits = measured.seconds > WAITING * measured.forecast(&host);
            let rate = if waits { moved / measured.seconds } else { AT_HAND };
            // Who goes over more is not faster.
            memory.push((*bytes, memory.last().map_or(rate, |last| last.1.min(rate))));
        }
        let bare = host.clone();
        for Shapes { dtype, order, all } in &self.products {
            let rate = |(shape, measured): &([usize; 3], Measured)| {
                2.0 * shape.iter().product::<usize>() as f64 / measured.rest(&bare)
            };
            let (dtype, order, sizes) = (*dtype, *order, self.sizes.clone());
            host.products.push(Products { dtype, order, sizes, rates: all.iter().map(rate).collect() });
        }
        host.memory = memory;
        fit_costs(&mut host, &self.costs.iter().collect::<Vec<_>>());
        host
    }
}

/// How much longer a program takes that waits for memory.
const WAITING: f64 = 1.2;

/// Bytes a second of memory that nobody waits for.
const AT_HAND: f64 = 1e12;

/// How often all figures are solved for: forecasts are nearly linear in them.
const FITS: usize = 3;

/// Figures are changed by so many seconds to see what comes of it, and none is less than a thousandth of it.
const STEP: f64 = 1e-9;
const LEAST: f64 = 1e-3 * STEP;

/// Finds the figures, none below zero, with which forecasts are off least: by least squares of their shares of what was
/// measured.
fn fit_costs(host: &mut Host, programs: &[&Measured]) {
    for _ in 0..FITS {
        let shares = |host: &Host| -> Vec<f64> {
            programs.iter().map(|measured| measured.forecast(host) / measured.seconds).collect()
        };
        let now = shares(host);
        let more = |&cost: &Cost| -> Vec<f64> {
            let mut more = host.clone();
            more.costs[cost as usize] += STEP;
            shares(&more).iter().zip(&now).map(|(more, now)| more - now).collect()
        };
        let slopes: Vec<Vec<f64>> = Cost::ALL.iter().map(more).collect();
        let before: Vec<f64> = host.costs.iter().map(|cost| cost / STEP).collect();
        let off: Vec<f64> = now.iter().map(|share| share - 1.0).collect();
        let figures = closest(&slopes, off, &before);
        host.costs.iter_mut().zip(figures).for_each(|(cost, figure)| *cost = (figure * STEP).max(LEAST));
    }
}

/// A program and the least time that it took.
struct Measured {
    probe: Probe,
    executable: Arc<Direct>,
    session: Session,
    seconds: f64,
}

impl Measured {
    /// With as many turns as make a run long enough.
    fn ready(probe: &Probe) -> Result<Measured> {
        let mut first = Measured::new(probe.clone())?;
        if probe.is_once() {
            return Ok(first);
        }
        first.run(Duration::ZERO, LEAST_RUNS)?;
        let turns = (RUN_SECONDS / first.seconds * first.probe.trip as f64).clamp(1.0, 10_000.0);
        Measured::new(probe.clone().turning(turns as u64))
    }

    fn new(probe: Probe) -> Result<Measured> {
        let program = parse("probe.pir", &probe.text())?;
        let executable = Arc::new(Cpu.compile(verify(&program)?.of()?)?);
        let number = |ty: &Type| if ty.dtype.is_float() { Scalar::Float(0.5) } else { Scalar::Int(0) };
        let tensor = |ty: &Type| Tensor::splat(ty.clone(), number(ty));
        let main = &program.funcs[program.entry()];
        let stays: Vec<Option<Tensor>> = main.inputs.iter().map(|&v| Some(tensor(program.ty(v)))).collect();
        let session = Session::start(executable.clone(), &stays, &[(0, stays.len() - 1)])?;
        Ok(Measured { probe, executable, session, seconds: f64::INFINITY })
    }

    fn run(&mut self, span: Duration, least: usize) -> Result<()> {
        let began = Instant::now();
        let mut runs = 0;
        while runs < least || began.elapsed() < span {
            self.session.run(&[])?;
            self.seconds = self.seconds.min(self.session.seconds());
            runs += 1;
        }
        Ok(())
    }

    /// What a turn takes beyond what is known of the host.
    fn rest(&self, host: &Host) -> f64 {
        (self.seconds - self.forecast(host)).max(LEAST_SHARE * self.seconds) / self.probe.trip as f64
    }

    fn forecast(&self, host: &Host) -> f64 {
        self.executable.forecast(host).0.seconds
    }
}

/// A machine with that host, whose devices can be simulated as any others.
fn machine(host: Host) -> Machine {
    let fastest = |dtype: DType| {
        let rates = host.products.iter().filter(|p| p.dtype == dtype).flat_map(|p| &p.rates);
        rates.copied().reduce(f64::max).map(|rate| (dtype, rate))
    };
    let bandwidth = host.memory.last().map_or(1e9, |(_, rate)| *rate);
    let core = Kind {
        name: "core".into(),
        rates: [DType::F32, DType::F64].into_iter().filter_map(fastest).collect(),
        memory: MAX_HELD_BYTES,
        bandwidth,
    };
    let link = |device| Link {
        ends: [Vertex::Device(device), Vertex::Switch(0)],
        bandwidth,
        latency: host.cost(Cost::Arrival),
        is_shared: false,
    };
    let node = Node {
        name: "process".into(),
        count: 1,
        devices: vec![0; DEVICES],
        switches: vec![Switch { name: "memory".into(), bandwidth: None }],
        links: (0..DEVICES).map(link).collect(),
        ports: Vec::new(),
    };
    Machine { name: "host".into(), kinds: vec![core], nodes: vec![node], network: None, host: Some(host) }
}
