//! What this machine does in which time, measured through the programs that it runs.
//!
//! A [`Probe`] is a small program most of whose time is one unknown figure of a [`Host`]. It runs on as many devices as there are cores,
//! so that each core has company as it has in a step, or on more or fewer where that is what is asked for. The figure is then the one
//! with which the [forecast](partita_runtime::forecast) of that program is what was measured: what a step will be predicted with is
//! solved for with the same arithmetic.

mod probes;

use crate::error::Result;
use crate::load::parse;
use partita_cpu::Cpu;
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::MAX_HELD_BYTES;
use partita_ir::machine::host::{Cost, Host, Order, Products};
use partita_ir::machine::{Kind, Link, Machine, Node, Switch, Vertex};
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::verify::verify;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use partita_runtime::session::Session;
use partita_runtime::shared::cores;
use probes::Probe;
use std::time::{Duration, Instant};

/// How much time measuring takes, and of how many sizes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    /// Of each program.
    span: Duration,
    /// How many times all sizes of products and of memory are thinned out.
    thin: usize,
}

impl Effort {
    /// Some ten seconds.
    pub const FULL: Effort = Effort { span: Duration::from_millis(10), thin: 1 };
    /// A second or two, and less exact.
    pub const QUICK: Effort = Effort { span: Duration::from_millis(1), thin: 2 };
}

/// Devices that the machine is said to have: meshes of up to so many can be simulated.
const DEVICES: usize = 64;

/// Of what is left of a program's time no less is believed: clocks are not exact.
const LEAST_SHARE: f64 = 0.02;

/// How often all programs have their turn, and how many runs each has then, however long they are.
const ROUNDS: usize = 4;
const LEAST_RUNS: usize = 3;

/// Runs last about so long, so that clocks and threads do not matter.
const RUN_SECONDS: f64 = 2e-4;

/// Measures this machine; says what it does next.
///
/// # Errors
/// What running says.
pub fn calibrate(effort: Effort, next: &mut dyn FnMut(&str)) -> Result<Machine> {
    let cores = cores();
    let mut host = Host { cores, costs: [0.0; Cost::ALL.len()], memory: Vec::new(), products: Vec::new() };
    next("what runs and tasks cost");
    let (costs, programs): (Vec<Cost>, Vec<Probe>) = probes::costs(cores).into_iter().unzip();
    let costs: Vec<(Cost, Measured)> = costs.into_iter().zip(Measured::all(&programs, effort)?).collect();
    settle(&mut host, &costs);
    next("memory");
    let largest = if effort.thin > 1 { probes::MEMORY.len() - 1 } else { probes::MEMORY.len() };
    let sizes: Vec<u64> = probes::MEMORY[..largest].iter().copied().step_by(effort.thin).collect();
    let programs: Vec<Probe> = sizes.iter().map(|&bytes| probes::memory(cores, bytes)).collect();
    let mut memory: Vec<(u64, f64)> = Vec::new();
    for (bytes, measured) in sizes.into_iter().zip(Measured::all(&programs, effort)?) {
        let rate = probes::moved(cores, bytes) / measured.rest(&host);
        // Who goes over more is not faster.
        memory.push((bytes, memory.last().map_or(rate, |last| last.1.min(rate))));
    }
    host.memory = memory;
    // All other programs stay in the first cache.
    let (far, _): (Vec<_>, Vec<_>) =
        costs.into_iter().partition(|(cost, _)| matches!(cost, Cost::Carried | Cost::Motion));
    settle(&mut host, &far);
    for (dtype, order) in probes::products() {
        next(&format!("products of {dtype}, {}", order.name()));
        let sizes: Vec<usize> = probes::SIZES.iter().copied().step_by(effort.thin).collect();
        let products = products(&host, dtype, order, sizes, effort)?;
        host.products.push(products);
    }
    Ok(machine(host))
}

/// How often all figures are solved for.
const SWEEPS: usize = 4;

/// Solves for each figure: it is known once those are that its program has besides.
fn settle(host: &mut Host, measured: &[(Cost, Measured)]) {
    for (cost, measured) in (0..SWEEPS).flat_map(|_| measured) {
        host.costs[*cost as usize] = solve(|seconds| {
            host.costs[*cost as usize] = seconds;
            measured.excess(host)
        });
    }
}

fn products(host: &Host, dtype: DType, order: Order, sizes: Vec<usize>, effort: Effort) -> Result<Products> {
    let bare = Host { memory: Vec::new(), products: Vec::new(), ..host.clone() };
    let shapes = || {
        let sizes = &sizes;
        sizes.iter().flat_map(move |&m| sizes.iter().flat_map(move |&n| sizes.iter().map(move |&k| [m, n, k])))
    };
    let programs: Vec<Probe> = shapes().map(|shape| probes::product(host.cores, dtype, order, shape)).collect();
    let measured = Measured::all(&programs, effort)?;
    let rate =
        |(shape, measured): ([usize; 3], Measured)| 2.0 * shape.iter().product::<usize>() as f64 / measured.rest(&bare);
    let rates = shapes().zip(measured).map(rate).collect();
    Ok(Products { dtype, order, sizes, rates })
}

/// A program and the least time that it took.
struct Measured {
    probe: Probe,
    executable: Executable,
    session: Session,
    seconds: f64,
}

impl Measured {
    /// Several programs in turn, several times: what else goes on seldom meets the same one each time.
    fn all(probes: &[Probe], effort: Effort) -> Result<Vec<Measured>> {
        let mut all = probes.iter().map(Measured::ready).collect::<Result<Vec<Measured>>>()?;
        for _ in 0..ROUNDS {
            for measured in &mut all {
                measured.run(effort.span / ROUNDS as u32, LEAST_RUNS)?;
            }
        }
        Ok(all)
    }

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
        let executable = Cpu.compile(verify(&program)?.of()?)?;
        let number = |ty: &Type| if ty.dtype.is_float() { Scalar::Float(0.5) } else { Scalar::Int(0) };
        let tensor = |ty: &Type| Tensor::splat(ty.clone(), number(ty));
        let main = program.main();
        let stays: Vec<Option<Tensor>> = main.inputs.iter().map(|&v| Some(tensor(program.ty(v)))).collect();
        let carried = vec![(0, stays.len() - 1)];
        let session = Session::start(executable.clone(), &stays, carried)?;
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
        let known = self.executable.forecast(host).0.seconds;
        (self.seconds - known).max(LEAST_SHARE * self.seconds) / self.probe.trip as f64
    }

    /// By how much the forecast is above what was measured.
    fn excess(&self, host: &Host) -> f64 {
        self.executable.forecast(host).0.seconds - self.seconds
    }
}

/// The figure from which on a forecast is too long: halving on a scale of powers.
fn solve(mut excess: impl FnMut(f64) -> f64) -> f64 {
    let (mut low, mut high) = (1e-12f64, 1e-1f64);
    for _ in 0..48 {
        let middle = (low * high).sqrt();
        if excess(middle) > 0.0 { high = middle } else { low = middle }
    }
    low
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
