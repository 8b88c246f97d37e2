//! Prediction of a run by discrete-event simulation of the devices' tasks.
//!
//! Devices are scheduled as in `devices`: a waiting device yields its core to the next ready device, and the last
//! device to arrive at a collective executes it, together with idle cores. The [work](partita_machine::host::Work) of
//! kernels and collectives is priced by the measured costs of the [`Host`]. Memory accesses have the bandwidth of the
//! cache level that contains the data, estimated by reuse distance: the bytes that all devices accessed since the
//! previous access.

mod reuse_distance;
mod works;

use crate::code::{Address, Base, TaskAction};
use crate::devices::{DeviceProgram, Interval};
use crate::kernel::Kernel;
use partita_machine::host::{Cost, Host, MemoryAccess, Work};
use partita_machine::timeline::{Category, Span, Timeline, Track};
use reuse_distance::{LruStack, Region, SimulatedBuffer};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::{SmolStr, format_smolstr};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
pub(crate) use works::works;

/// Predicted run.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct RunPrediction {
    /// Duration in seconds from the start of the first device to the end of the last.
    pub seconds: f64,
    /// Seconds of computation of each device.
    pub computing: Vec<f64>,
    /// Seconds of each device in which it waits for or executes collectives.
    pub communicating: Vec<f64>,
    /// Predicted intervals of each device.
    pub(crate) intervals: Vec<Vec<Interval>>,
}

/// Returns the timeline of a program's devices: their waits, with computation in between, in a run of `seconds`
/// seconds.
pub(crate) fn timeline(programs: &[DeviceProgram], intervals: &[Vec<Interval>], seconds: f64) -> Timeline {
    let mut timeline = Timeline::default();
    for (track, (program, intervals)) in programs.iter().zip(intervals).enumerate() {
        let group = SmolStr::new_static("stage 0");
        timeline.tracks.push(Track { name: format_smolstr!("{group}.{track}"), group });
        let mut done = 0.0;
        let mut span = |name: SmolStr, category, from: f64, to: f64| {
            let (label, arguments) = Default::default();
            if to > from {
                timeline.spans.push(Span { track, name, label, category, start: from, seconds: to - from, arguments });
            }
        };
        for interval in intervals {
            let task = program.code.bodies.last().and_then(|main| main.tasks.get(interval.task));
            let Some(task) = task.filter(|task| matches!(task.action, TaskAction::Wait(_))) else { continue };
            span("computes".into(), Category::Other, done, interval.start);
            span(
                program.code.names[task.name as usize].as_str().into(),
                Category::Communication,
                interval.start,
                interval.end,
            );
            done = interval.end;
        }
        span("computes".into(), Category::Other, done, seconds);
    }
    timeline
}

/// Predicts a run of devices that access `footprint` bytes in total.
pub(crate) fn predict(programs: &[DeviceProgram], footprint: u64, host: &Host) -> RunPrediction {
    let mut simulator = Simulator::new(programs, footprint, host);
    while let Some(Reverse(SimulatedEvent { at, device, has_core, .. })) = simulator.events.pop() {
        match has_core {
            true => simulator.advance(device, at),
            false => simulator.make_ready(device, at),
        }
    }
    let mut prediction = RunPrediction { seconds: simulator.ended, ..RunPrediction::default() };
    for device in simulator.devices {
        prediction.computing.push(device.computing);
        prediction.communicating.push(device.communicating);
        prediction.intervals.push(device.intervals);
    }
    prediction
}

/// Members and channel of a sequence of collectives.
type SimulatedChannel = (Arc<[usize]>, u32);

/// Continuation of a device at a given time.
#[derive(PartialEq)]
struct SimulatedEvent {
    at: f64,
    /// Sequence number, which orders events of the same time.
    number: usize,
    device: usize,
    /// False if the device must first acquire a core.
    has_core: bool,
}

impl Eq for SimulatedEvent {}

impl PartialOrd for SimulatedEvent {
    fn partial_cmp(&self, other: &SimulatedEvent) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SimulatedEvent {
    fn cmp(&self, other: &SimulatedEvent) -> Ordering {
        self.at.total_cmp(&other.at).then(self.number.cmp(&other.number))
    }
}

/// Function call in progress.
struct SimulatedCall {
    body: usize,
    task: usize,
    iterations_left: u64,
    since: f64,
    /// Offset of its frame in that of the device; regions of its inputs and outputs.
    frame: usize,
    inputs: Regions,
    outputs: Regions,
}

/// Buffers in the order of the addresses that refer to them.
type Regions = SmallVec<[Region; 4]>;

/// Simulated device and its position in the program.
struct SimulatedDevice {
    calls: Vec<SimulatedCall>,
    /// Handle of each communication site whose collective is in progress.
    handles: Vec<Option<(usize, u64)>>,
    /// Number of collectives started on each channel.
    arrived: FxHashMap<usize, u64>,
    /// Start of the current wait in seconds since the start of the run; `None` if the device does not wait.
    waits_since: Option<f64>,
    computing: f64,
    communicating: f64,
    intervals: Vec<Interval>,
}

/// Collective at which some members have arrived.
#[derive(Default)]
struct SimulatedCollective {
    arrived: usize,
    /// Operands and results of each member that arrived.
    regions_of_members: Vec<[Regions; 2]>,
    waiting: Vec<usize>,
    complete: Option<f64>,
}

/// Discrete-event simulator of the devices of a run.
struct Simulator<'a> {
    programs: &'a [DeviceProgram],
    host: &'a Host,
    footprint: u64,
    /// Number of threads of a kernel.
    threads: usize,
    idle: usize,
    /// Devices that wait for a core.
    ready: VecDeque<usize>,
    events: BinaryHeap<Reverse<SimulatedEvent>>,
    event_count: usize,
    devices: Vec<SimulatedDevice>,
    channels: FxHashMap<SimulatedChannel, usize>,
    collectives: FxHashMap<(usize, u64), SimulatedCollective>,
    /// Work and compute time of each kernel.
    kernel_costs: FxHashMap<*const (), (Work, f64)>,
    /// Accesses of all devices, for reuse distances.
    accesses: LruStack,
    /// Time at which the last device ends.
    ended: f64,
}

impl<'a> Simulator<'a> {
    fn new(programs: &'a [DeviceProgram], footprint: u64, host: &'a Host) -> Simulator<'a> {
        let device = |program: &DeviceProgram| SimulatedDevice {
            calls: vec![SimulatedCall {
                body: program.code.bodies.len() - 1,
                task: 0,
                iterations_left: 1,
                since: 0.0,
                frame: 0,
                inputs: Regions::new(),
                outputs: Regions::new(),
            }],
            handles: vec![None; program.code.sites.len()],
            arrived: FxHashMap::default(),
            waits_since: None,
            computing: 0.0,
            communicating: 0.0,
            intervals: Vec::new(),
        };
        let mut simulator = Simulator {
            programs,
            host,
            footprint,
            threads: (host.cores / programs.len().max(1)).max(1),
            idle: host.cores,
            ready: VecDeque::new(),
            events: BinaryHeap::new(),
            event_count: 0,
            devices: programs.iter().map(device).collect(),
            channels: FxHashMap::default(),
            collectives: FxHashMap::default(),
            kernel_costs: FxHashMap::default(),
            accesses: LruStack::default(),
            ended: host.cost(Cost::Run),
        };
        (0..programs.len()).for_each(|device| simulator.make_ready(device, host.cost(Cost::Run)));
        simulator
    }

    /// Schedules the continuation of a device at a time.
    fn schedule(&mut self, device: usize, at: f64, has_core: bool) {
        self.event_count += 1;
        self.events.push(Reverse(SimulatedEvent { at, number: self.event_count, device, has_core }));
    }

    /// Assigns a core to a device, or queues the device.
    fn make_ready(&mut self, device: usize, at: f64) {
        if self.idle > 0 {
            self.idle -= 1;
            let begins = at <= self.host.cost(Cost::Run);
            let wake = self.host.cost(if begins { Cost::Device } else { Cost::Wake });
            self.schedule(device, at + wake, true);
        } else {
            self.ready.push_back(device);
        }
    }

    /// Assigns a released core to the next ready device.
    fn leave_core(&mut self, at: f64) {
        match self.ready.pop_front() {
            Some(next) => {
                let begins = self.devices[next].arrived.is_empty();
                let seconds = if begins { self.host.cost(Cost::Device) } else { 0.0 };
                self.schedule(next, at + seconds, true);
            }
            None => self.idle += 1,
        }
    }

    /// Executes a device until its next collective. Collectives are processed in the order of simulated time.
    fn advance(&mut self, number: usize, now: f64) {
        let DeviceProgram { code, mesh, position, .. } = &self.programs[number];
        let mut at = now;
        self.end_wait(number, now);
        loop {
            let device = &mut self.devices[number];
            let Some(call) = device.calls.last_mut() else { break };
            let Some(task) = code.bodies[call.body].tasks.get(call.task) else {
                call.iterations_left -= 1;
                call.task = 0;
                if call.iterations_left == 0 {
                    let since = call.since;
                    device.calls.pop();
                    self.record(number, since, at);
                }
                continue;
            };
            if task.owner.device_for(mesh, *position) != *position {
                call.task += 1;
                continue;
            }
            match &task.action {
                TaskAction::Compute(kernel, _) => {
                    call.task += 1;
                    let regions = [&task.reads, &task.writes].map(|all| self.regions(number, all));
                    let seconds = self.host.cost(Cost::Task) + self.price(kernel, &regions);
                    self.devices[number].computing += seconds;
                    at += seconds;
                }
                TaskAction::Loop { trip, body, frame, .. } => {
                    call.task += 1;
                    let frame = call.frame + frame;
                    if *trip > 0 {
                        let [inputs, outputs] = [&task.reads, &task.writes].map(|all| self.regions(number, all));
                        let call = SimulatedCall {
                            body: *body,
                            task: 0,
                            iterations_left: *trip,
                            since: at,
                            frame,
                            inputs,
                            outputs,
                        };
                        self.devices[number].calls.push(call);
                    }
                }
                TaskAction::Start(_) | TaskAction::Wait(_) if at > now => return self.schedule(number, at, true),
                TaskAction::Start(site) => {
                    call.task += 1;
                    let regions = [&task.reads, &task.writes].map(|all| self.regions(number, all));
                    at = self.start(number, *site, regions, at);
                }
                TaskAction::Wait(site) => {
                    let handle = device.handles[*site];
                    let collective = handle.and_then(|handle| self.collectives.get_mut(&handle));
                    match collective {
                        Some(SimulatedCollective { complete: Some(complete), .. }) if *complete <= at => call.task += 1,
                        None => call.task += 1,
                        Some(collective) => {
                            collective.waiting.push(number);
                            let complete = collective.complete;
                            device.waits_since.get_or_insert(at);
                            self.leave_core(at);
                            if let Some(complete) = complete {
                                self.schedule(number, complete, false);
                            }
                            return;
                        }
                    }
                }
            }
        }
        self.ended = self.ended.max(at);
        self.leave_core(at);
    }

    /// Registers the arrival of a device at a collective. The last device to arrive executes the collective.
    fn start(&mut self, number: usize, site: usize, regions: [Regions; 2], at: f64) -> f64 {
        let DeviceProgram { code, position, .. } = &self.programs[number];
        let group = &code.sites[site].groups[*position];
        let next = self.channels.len();
        let channel = *self.channels.entry((group.members().clone(), group.channel())).or_insert(next);
        let device = &mut self.devices[number];
        let arrived = device.arrived.entry(channel).or_default();
        let handle = (channel, *arrived);
        *arrived += 1;
        device.handles[site] = Some(handle);
        let at = at + self.host.cost(Cost::Arrival);
        let collective = self.collectives.entry(handle).or_default();
        collective.arrived += 1;
        collective.regions_of_members.push(regions);
        if collective.arrived < group.len() {
            return at;
        }
        let (waiting, regions_of_members) =
            (std::mem::take(&mut collective.waiting), std::mem::take(&mut collective.regions_of_members));
        let threads = self.idle + 1;
        let execs = code.sites[site].execs.iter().enumerate();
        let seconds = execs.map(|(i, exec)| {
            let work = exec.work(threads);
            let moved =
                work.accesses.iter().map(|&(touch, bytes)| self.access_all(&regions_of_members, touch, i, bytes)).sum();
            self.host.kernel_seconds(&work, self.host.compute_seconds(&work), moved)
        });
        let seconds: f64 = seconds.sum();
        let complete = at + seconds;
        if let Some(collective) = self.collectives.get_mut(&handle) {
            collective.complete = Some(complete);
        }
        self.devices[number].communicating += seconds;
        waiting.into_iter().for_each(|device| self.schedule(device, complete, false));
        complete
    }

    /// Returns the duration of a kernel in seconds, with the given operands and results.
    fn price(&mut self, kernel: &Arc<dyn Kernel>, [reads, writes]: &[Regions; 2]) -> f64 {
        let (host, threads, footprint) = (self.host, self.threads, self.footprint);
        let new_cost = || {
            let work = kernel.work(threads);
            let computing = host.compute_seconds(&work);
            (work, computing)
        };
        let (work, computing) = self.kernel_costs.entry(Arc::as_ptr(kernel).cast()).or_insert_with(new_cost);
        let accesses = &mut self.accesses;
        let moved = work.accesses.iter().map(|&(touch, bytes)| {
            let region = match touch {
                MemoryAccess::Read(i) => reads.get(i),
                MemoryAccess::Write(i) => writes.get(i),
            };
            let distance = region.map_or(footprint, |&region| accesses.access(region, bytes as u64, footprint));
            bytes / host.bandwidth(distance)
        });
        let moved = moved.sum();
        host.kernel_seconds(work, *computing, moved)
    }

    /// Returns the time to access an operand or result of all members: `bytes` bytes in total, divided equally.
    fn access_all(
        &mut self,
        regions_of_members: &[[Regions; 2]],
        touch: MemoryAccess,
        number: usize,
        bytes: f64,
    ) -> f64 {
        let side = if matches!(touch, MemoryAccess::Read(_)) { 0 } else { 1 };
        let regions: Vec<Region> =
            regions_of_members.iter().filter_map(|sides| sides[side].get(number).copied()).collect();
        let each = bytes / regions.len().max(1) as f64;
        let seconds = |region| each / self.host.bandwidth(self.accesses.access(region, each as u64, self.footprint));
        regions.into_iter().map(seconds).sum()
    }

    /// Returns the regions at addresses of the running function.
    fn regions(&self, number: usize, addresses: &[Address]) -> Regions {
        let Some(call) = self.devices[number].calls.last() else { return Regions::new() };
        let is_main = self.devices[number].calls.len() == 1;
        let outside = |given: &Regions, i: u32, own: SimulatedBuffer| match given.get(i as usize) {
            Some(&region) if !is_main => region,
            _ => Region { buffer: own, offset: 0 },
        };
        let region = |address: &Address| {
            let start = match address.base {
                Base::Frame => Region { buffer: SimulatedBuffer::Frame(number), offset: call.frame },
                Base::Input(i) => {
                    let first = self.programs[number].first_replicas.get(i as usize).copied().unwrap_or(number);
                    outside(&call.inputs, i, SimulatedBuffer::Input(first, i))
                }
                Base::Output(i) => outside(&call.outputs, i, SimulatedBuffer::Output(number, i)),
                Base::Constant(i) => Region { buffer: SimulatedBuffer::Constant(i), offset: 0 },
            };
            Region { offset: start.offset + address.offset, ..start }
        };
        addresses.iter().map(region).collect()
    }

    fn end_wait(&mut self, number: usize, now: f64) {
        let Some(since) = self.devices[number].waits_since.take() else { return };
        self.devices[number].communicating += now - since;
        self.record(number, since, now);
    }

    /// Records the interval of the current task of the main function.
    fn record(&mut self, number: usize, from: f64, to: f64) {
        let device = &mut self.devices[number];
        if let [main] = &device.calls[..] {
            device.intervals.push(Interval { task: main.task.saturating_sub(1), start: from, end: to });
        }
    }
}
