//! Discrete-event simulator of devices.
//!
//! Devices are scheduled as in `devices`: a waiting device yields its core to the next ready device of its process, and
//! the last device to arrive at a collective executes it, together with idle cores. The
//! [work](partita_machine::host::Work) of kernels and collectives is priced by the measured costs of the [`Host`].
//! Memory accesses have the bandwidth of the cache level that contains the data, estimated by reuse distance: the bytes
//! that all devices on the same cores accessed since the previous access.

use super::RunPrediction;
use super::rank_network::{MessageId, SimulatedRanks};
use super::reuse_distance::{LruStack, Region, SimulatedBuffer};
use crate::code::{Address, Base, TaskAction};
use crate::devices::{DeviceProgram, Interval};
use crate::kernel::Kernel;
use partita_machine::host::{Cost, Host, MemoryAccess, Work};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// Members and channel of a sequence of collectives.
type SimulatedChannel = (Arc<[usize]>, u32);

/// Number of a channel, and of a collective on it.
pub(super) type SimulatedHandle = (usize, u64);

/// Event of a simulation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Occurrence {
    /// A device that has a core continues.
    Resume(usize),
    /// A device acquires a core and continues.
    AcquireCore(usize),
    /// A job on a group of cores ends, unless the number of its changes differs.
    JobEnds(usize, u64),
    /// A message arrives at another process.
    MessageArrives(MessageId),
}

/// Event at a given time.
#[derive(PartialEq)]
struct SimulatedEvent {
    at: f64,
    /// Sequence number, which orders events of the same time.
    number: usize,
    occurrence: Occurrence,
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
pub(super) type Regions = SmallVec<[Region; 4]>;

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

/// Simulated process with its devices.
pub(super) struct SimulatedProcess {
    idle: usize,
    /// Devices that wait for a core.
    ready: VecDeque<usize>,
}

/// Discrete-event simulator of the devices of a run.
pub(super) struct Simulator<'a> {
    pub(super) programs: &'a [DeviceProgram],
    pub(super) host: &'a Host,
    /// Bytes that all devices on the same cores access.
    pub(super) footprint: u64,
    /// Number of threads of a kernel.
    threads: usize,
    processes: Vec<SimulatedProcess>,
    /// Ranks that execute the devices, if there are several.
    pub(super) ranks: Option<SimulatedRanks<'a>>,
    events: BinaryHeap<Reverse<SimulatedEvent>>,
    event_count: usize,
    devices: Vec<SimulatedDevice>,
    channels: FxHashMap<SimulatedChannel, usize>,
    collectives: FxHashMap<(usize, u64), SimulatedCollective>,
    /// Work and compute time of each kernel.
    kernel_costs: FxHashMap<*const (), (Work, f64)>,
    /// Accesses of the devices of each group of cores, for reuse distances.
    accesses: Vec<LruStack>,
    /// Time at which the last device ends.
    ended: f64,
}

impl<'a> Simulator<'a> {
    pub(super) fn new(programs: &'a [DeviceProgram], footprint: u64, host: &'a Host) -> Simulator<'a> {
        let ranks = host.ranks.as_ref().and_then(|network| SimulatedRanks::new(network, programs.len()));
        let largest = ranks.as_ref().map_or(programs.len(), SimulatedRanks::max_devices_of_process);
        let process = || SimulatedProcess { idle: host.cores, ready: VecDeque::new() };
        let groups = ranks.as_ref().map_or(1, SimulatedRanks::group_count);
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
            footprint: footprint / groups.max(1) as u64,
            threads: (host.cores / largest.max(1)).max(1),
            processes: (0..ranks.as_ref().map_or(1, SimulatedRanks::process_count)).map(|_| process()).collect(),
            ranks,
            events: BinaryHeap::new(),
            event_count: 0,
            devices: programs.iter().map(device).collect(),
            channels: FxHashMap::default(),
            collectives: FxHashMap::default(),
            kernel_costs: FxHashMap::default(),
            accesses: (0..groups).map(|_| LruStack::default()).collect(),
            ended: host.cost(Cost::Run),
        };
        (0..programs.len()).for_each(|device| simulator.make_ready(device, host.cost(Cost::Run)));
        simulator
    }

    /// Simulates all events.
    pub(super) fn run(mut self) -> RunPrediction {
        while let Some(Reverse(SimulatedEvent { at, occurrence, .. })) = self.events.pop() {
            match occurrence {
                Occurrence::Resume(device) => self.advance(device, at),
                Occurrence::AcquireCore(device) => self.make_ready(device, at),
                Occurrence::JobEnds(group, changes) => self.end_jobs(group, changes, at),
                Occurrence::MessageArrives(message) => self.receive_message(message, at),
            }
        }
        let mut prediction = RunPrediction { seconds: self.ended, ..RunPrediction::default() };
        for device in self.devices {
            prediction.computing.push(device.computing);
            prediction.communicating.push(device.communicating);
            prediction.intervals.push(device.intervals);
        }
        prediction
    }

    /// Schedules an event.
    pub(super) fn schedule(&mut self, at: f64, occurrence: Occurrence) {
        self.event_count += 1;
        self.events.push(Reverse(SimulatedEvent { at, number: self.event_count, occurrence }));
    }

    /// Schedules the continuation of a device after `seconds` seconds of work. The work of processes that share cores
    /// takes longer if there are too few.
    fn work(&mut self, device: usize, now: f64, seconds: f64) {
        if self.ranks.is_some() {
            self.add_device_job(device, now, seconds);
        } else {
            self.schedule(now + seconds, Occurrence::Resume(device));
        }
    }

    fn process_of(&mut self, device: usize) -> &mut SimulatedProcess {
        let process = self.ranks.as_ref().map_or(0, |ranks| ranks.process_of(device));
        &mut self.processes[process]
    }

    /// Assigns a core to a device, or queues the device.
    fn make_ready(&mut self, device: usize, at: f64) {
        let process = self.process_of(device);
        if process.idle > 0 {
            process.idle -= 1;
            let begins = at <= self.host.cost(Cost::Run);
            self.work(device, at, self.host.cost(if begins { Cost::Device } else { Cost::Wake }));
        } else {
            process.ready.push_back(device);
        }
    }

    /// Assigns the core that a device releases to the next ready device of its process.
    fn leave_core(&mut self, device: usize, at: f64) {
        let process = self.process_of(device);
        match process.ready.pop_front() {
            Some(next) => {
                let begins = self.devices[next].arrived.is_empty();
                self.work(next, at, if begins { self.host.cost(Cost::Device) } else { 0.0 });
            }
            None => process.idle += 1,
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
                    let seconds = self.host.cost(Cost::Task) + self.price(number, kernel, &regions);
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
                TaskAction::Start(_) | TaskAction::Wait(_) if at > now => return self.work(number, now, at - now),
                TaskAction::Start(site) => {
                    call.task += 1;
                    let regions = [&task.reads, &task.writes].map(|all| self.regions(number, all));
                    at = self.start(number, *site, regions, at);
                }
                TaskAction::Wait(site) => {
                    let handle = device.handles[*site];
                    match handle.and_then(|handle| self.wait_for_ranks(handle, number)) {
                        Some(true) => {
                            self.next_task(number);
                            continue;
                        }
                        Some(false) => {
                            self.devices[number].waits_since.get_or_insert(at);
                            return self.leave_core(number, at);
                        }
                        None => {}
                    }
                    let device = &mut self.devices[number];
                    let collective = handle.and_then(|handle| self.collectives.get_mut(&handle));
                    match collective {
                        Some(SimulatedCollective { complete: Some(complete), .. }) if *complete <= at => {
                            self.next_task(number)
                        }
                        None => self.next_task(number),
                        Some(collective) => {
                            collective.waiting.push(number);
                            let complete = collective.complete;
                            device.waits_since.get_or_insert(at);
                            self.leave_core(number, at);
                            if let Some(complete) = complete {
                                self.schedule(complete, Occurrence::AcquireCore(number));
                            }
                            return;
                        }
                    }
                }
            }
        }
        if at > now {
            return self.work(number, now, at - now);
        }
        self.ended = self.ended.max(at);
        self.leave_core(number, at);
    }

    /// Continues with the next task of the running function.
    fn next_task(&mut self, number: usize) {
        self.devices[number].calls.last_mut().into_iter().for_each(|call| call.task += 1);
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
        if self.ranks.as_ref().is_some_and(|ranks| ranks.is_divided(group.members())) {
            self.arrive_at_ranks(number, handle, (&code.sites[site].execs, group.members()), at);
            return at + self.host.cost(Cost::Arrival);
        }
        let at = at + self.host.cost(Cost::Arrival);
        let collective = self.collectives.entry(handle).or_default();
        collective.arrived += 1;
        collective.regions_of_members.push(regions);
        if collective.arrived < group.len() {
            return at;
        }
        let (waiting, regions_of_members) =
            (std::mem::take(&mut collective.waiting), std::mem::take(&mut collective.regions_of_members));
        let threads = self.process_of(number).idle + 1;
        let execs = code.sites[site].execs.iter().enumerate();
        let seconds = execs.map(|(i, exec)| {
            let work = exec.work(threads);
            let moved = work
                .accesses
                .iter()
                .map(|&(touch, bytes)| self.access_all(number, &regions_of_members, (touch, i), bytes))
                .sum();
            self.host.kernel_seconds(&work, self.host.compute_seconds(&work), moved)
        });
        let seconds: f64 = seconds.sum();
        let complete = at + seconds;
        if let Some(collective) = self.collectives.get_mut(&handle) {
            collective.complete = Some(complete);
        }
        self.devices[number].communicating += seconds;
        waiting.into_iter().for_each(|device| self.schedule(complete, Occurrence::AcquireCore(device)));
        complete
    }

    /// Returns the duration of a kernel in seconds, with the given operands and results.
    fn price(&mut self, device: usize, kernel: &Arc<dyn Kernel>, [reads, writes]: &[Regions; 2]) -> f64 {
        let (host, threads, footprint) = (self.host, self.threads, self.footprint);
        let new_cost = || {
            let work = kernel.work(threads);
            let computing = host.compute_seconds(&work);
            (work, computing)
        };
        let (work, computing) = self.kernel_costs.entry(Arc::as_ptr(kernel).cast()).or_insert_with(new_cost);
        let group = self.ranks.as_ref().map_or(0, |ranks| ranks.group_of(device));
        let accesses = &mut self.accesses[group];
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
        device: usize,
        regions_of_members: &[[Regions; 2]],
        (touch, number): (MemoryAccess, usize),
        bytes: f64,
    ) -> f64 {
        let side = if matches!(touch, MemoryAccess::Read(_)) { 0 } else { 1 };
        let regions: Vec<Region> =
            regions_of_members.iter().filter_map(|sides| sides[side].get(number).copied()).collect();
        let each = bytes / regions.len().max(1) as f64;
        let group = self.ranks.as_ref().map_or(0, |ranks| ranks.group_of(device));
        let accesses = &mut self.accesses[group];
        let seconds = |region| each / self.host.bandwidth(accesses.access(region, each as u64, self.footprint));
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
