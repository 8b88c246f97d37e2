//! What a run of devices would take: the tasks that they would carry out, by a clock instead of by threads.
//!
//! Devices go on as `devices` lets them: one that waits leaves its core to the next one that may go on, and whoever
//! comes to a collective last carries it out, together with cores that are idle. What kernels and collectives say of
//! their [work](partita_machine::host::Work) has the price that was measured of the [`Host`], and memory that of the
//! caches in which it is found: by how much all devices went over since it was touched before.

mod recency;

use crate::code::{Act, Address, Base};
use crate::devices::{Happened, Seat};
use crate::kernel::Kernel;
use partita_machine::host::{Cost, Host, Touch, Work};
use partita_machine::timeline::{Category, Span, Timeline, Track};
use recency::{Owner, Recency, Region};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::{SmolStr, format_smolstr};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// A run that did not happen.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Forecast {
    /// From where devices begin to where all have ended.
    pub seconds: f64,
    /// By device, seconds in which it computes.
    pub computing: Vec<f64>,
    /// By device, seconds in which it waits for others or carries out what they met for.
    pub communicating: Vec<f64>,
    /// By device, what happens when.
    pub(crate) happened: Vec<Vec<Happened>>,
}

/// The waits of the devices of one program in a run of so many seconds, and what they compute in between.
pub(crate) fn timeline(seats: &[Seat], happened: &[Vec<Happened>], seconds: f64) -> Timeline {
    let mut timeline = Timeline::default();
    for (track, (seat, happened)) in seats.iter().zip(happened).enumerate() {
        let group = SmolStr::new_static("stage 0");
        timeline.tracks.push(Track { name: format_smolstr!("{group}.{track}"), group });
        let mut done = 0.0;
        let mut span = |name: SmolStr, category, from: f64, to: f64| {
            let (label, arguments) = Default::default();
            if to > from {
                timeline.spans.push(Span { track, name, label, category, start: from, seconds: to - from, arguments });
            }
        };
        for of in happened {
            let task = seat.code.bodies.last().and_then(|main| main.tasks.get(of.task));
            let Some(task) = task.filter(|task| matches!(task.act, Act::Wait(_))) else { continue };
            span("computes".into(), Category::Other, done, of.from);
            span(seat.code.names[task.name as usize].as_str().into(), Category::Communication, of.from, of.to);
            done = of.to;
        }
        span("computes".into(), Category::Other, done, seconds);
    }
    timeline
}

/// Predicts a run of devices that go over so many bytes all together.
pub(crate) fn forecast(seats: &[Seat], footprint: u64, host: &Host) -> Forecast {
    let mut clock = Clock::new(seats, footprint, host);
    while let Some(Reverse(Event { at, device, has_core, .. })) = clock.events.pop() {
        match has_core {
            true => clock.advance(device, at),
            false => clock.make_ready(device, at),
        }
    }
    let mut forecast = Forecast { seconds: clock.ended, ..Forecast::default() };
    for device in clock.devices {
        forecast.computing.push(device.computing);
        forecast.communicating.push(device.communicating);
        forecast.happened.push(device.happened);
    }
    forecast
}

/// Where devices meet: who, and on which channel.
type Circle = (Arc<[usize]>, u32);

/// A device goes on at that time.
#[derive(PartialEq)]
struct Event {
    at: f64,
    /// Of events of the same time the first one that was expected comes first.
    number: usize,
    device: usize,
    /// Or asks for a core to go on.
    has_core: bool,
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Event) -> Ordering {
        self.at.total_cmp(&other.at).then(self.number.cmp(&other.number))
    }
}

/// A function that runs.
struct Call {
    body: usize,
    task: usize,
    turns: u64,
    since: f64,
    /// Where its frame begins in that of the device, and where its inputs and outputs are.
    frame: usize,
    inputs: Regions,
    outputs: Regions,
}

/// Buffers in the order in which they are named.
type Regions = SmallVec<[Region; 4]>;

/// A device and how far it is.
struct Device {
    calls: Vec<Call>,
    /// By collective, what it came to.
    tickets: Vec<Option<(usize, u64)>>,
    /// By circle, how often it came.
    came: FxHashMap<usize, u64>,
    waits_since: Option<f64>,
    computing: f64,
    communicating: f64,
    happened: Vec<Happened>,
}

/// A collective for which some have come.
#[derive(Default)]
struct Meeting {
    came: usize,
    /// By member that came, its operands and its results.
    brought: Vec<[Regions; 2]>,
    waiting: Vec<usize>,
    complete: Option<f64>,
}

struct Clock<'a> {
    seats: &'a [Seat],
    host: &'a Host,
    footprint: u64,
    /// On how many threads a kernel may compute.
    threads: usize,
    idle: usize,
    /// Devices that could go on if there was a core.
    ready: VecDeque<usize>,
    events: BinaryHeap<Reverse<Event>>,
    expected: usize,
    devices: Vec<Device>,
    circles: FxHashMap<Circle, usize>,
    meetings: FxHashMap<(usize, u64), Meeting>,
    /// By kernel, what it has to do, and what it takes to compute that.
    priced: FxHashMap<*const (), (Work, f64)>,
    recency: Recency,
    ended: f64,
}

impl<'a> Clock<'a> {
    fn new(seats: &'a [Seat], footprint: u64, host: &'a Host) -> Clock<'a> {
        let device = |seat: &Seat| Device {
            calls: vec![Call {
                body: seat.code.bodies.len() - 1,
                task: 0,
                turns: 1,
                since: 0.0,
                frame: 0,
                inputs: Regions::new(),
                outputs: Regions::new(),
            }],
            tickets: vec![None; seat.code.sites.len()],
            came: FxHashMap::default(),
            waits_since: None,
            computing: 0.0,
            communicating: 0.0,
            happened: Vec::new(),
        };
        let mut clock = Clock {
            seats,
            host,
            footprint,
            threads: (host.cores / seats.len().max(1)).max(1),
            idle: host.cores,
            ready: VecDeque::new(),
            events: BinaryHeap::new(),
            expected: 0,
            devices: seats.iter().map(device).collect(),
            circles: FxHashMap::default(),
            meetings: FxHashMap::default(),
            priced: FxHashMap::default(),
            recency: Recency::default(),
            ended: host.cost(Cost::Run),
        };
        (0..seats.len()).for_each(|device| clock.make_ready(device, host.cost(Cost::Run)));
        clock
    }

    fn expect(&mut self, device: usize, at: f64, has_core: bool) {
        self.expected += 1;
        self.events.push(Reverse(Event { at, number: self.expected, device, has_core }));
    }

    /// Gives a device a core, as soon as there is one.
    fn make_ready(&mut self, device: usize, at: f64) {
        if self.idle > 0 {
            self.idle -= 1;
            let begins = at <= self.host.cost(Cost::Run);
            let wake = self.host.cost(if begins { Cost::Device } else { Cost::Wake });
            self.expect(device, at + wake, true);
        } else {
            self.ready.push_back(device);
        }
    }

    /// Gives a core to the next device.
    fn leave_core(&mut self, at: f64) {
        match self.ready.pop_front() {
            Some(next) => {
                let begins = self.devices[next].came.is_empty();
                let seconds = if begins { self.host.cost(Cost::Device) } else { 0.0 };
                self.expect(next, at + seconds, true);
            }
            None => self.idle += 1,
        }
    }

    /// Lets a device compute until it meets others, whom it must meet in the order of time.
    fn advance(&mut self, number: usize, now: f64) {
        let Seat { code, mesh, place, .. } = &self.seats[number];
        let mut at = now;
        self.end_wait(number, now);
        loop {
            let device = &mut self.devices[number];
            let Some(call) = device.calls.last_mut() else { break };
            let Some(task) = code.bodies[call.body].tasks.get(call.task) else {
                call.turns -= 1;
                call.task = 0;
                if call.turns == 0 {
                    let since = call.since;
                    device.calls.pop();
                    self.note(number, since, at);
                }
                continue;
            };
            if task.duty.of(mesh, *place) != *place {
                call.task += 1;
                continue;
            }
            match &task.act {
                Act::Compute(kernel, _) => {
                    call.task += 1;
                    let regions = [&task.reads, &task.writes].map(|all| self.regions(number, all));
                    let seconds = self.host.cost(Cost::Task) + self.price(kernel, &regions);
                    self.devices[number].computing += seconds;
                    at += seconds;
                }
                Act::Loop { trip, body, frame } => {
                    call.task += 1;
                    let frame = call.frame + frame;
                    if *trip > 0 {
                        let [inputs, outputs] = [&task.reads, &task.writes].map(|all| self.regions(number, all));
                        let call = Call { body: *body, task: 0, turns: *trip, since: at, frame, inputs, outputs };
                        self.devices[number].calls.push(call);
                    }
                }
                Act::Start(_) | Act::Wait(_) if at > now => return self.expect(number, at, true),
                Act::Start(site) => {
                    call.task += 1;
                    let regions = [&task.reads, &task.writes].map(|all| self.regions(number, all));
                    at = self.start(number, *site, regions, at);
                }
                Act::Wait(site) => {
                    let ticket = device.tickets[*site];
                    let meeting = ticket.and_then(|ticket| self.meetings.get_mut(&ticket));
                    match meeting {
                        Some(Meeting { complete: Some(complete), .. }) if *complete <= at => call.task += 1,
                        None => call.task += 1,
                        Some(meeting) => {
                            meeting.waiting.push(number);
                            let complete = meeting.complete;
                            device.waits_since.get_or_insert(at);
                            self.leave_core(at);
                            if let Some(complete) = complete {
                                self.expect(number, complete, false);
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

    /// Lets a device come to a collective; who comes last carries it out.
    fn start(&mut self, number: usize, site: usize, regions: [Regions; 2], at: f64) -> f64 {
        let Seat { code, place, .. } = &self.seats[number];
        let group = &code.sites[site].groups[*place];
        let next = self.circles.len();
        let circle = *self.circles.entry((group.members().clone(), group.channel())).or_insert(next);
        let device = &mut self.devices[number];
        let came = device.came.entry(circle).or_default();
        let ticket = (circle, *came);
        *came += 1;
        device.tickets[site] = Some(ticket);
        let at = at + self.host.cost(Cost::Arrival);
        let meeting = self.meetings.entry(ticket).or_default();
        meeting.came += 1;
        meeting.brought.push(regions);
        if meeting.came < group.len() {
            return at;
        }
        let (waiting, brought) = (std::mem::take(&mut meeting.waiting), std::mem::take(&mut meeting.brought));
        let threads = self.idle + 1;
        let exchanges = code.sites[site].exchanges.iter().enumerate();
        let seconds = exchanges.map(|(i, exchange)| {
            let work = exchange.work(threads);
            let moved = work.touches.iter().map(|&(touch, bytes)| self.of_all(&brought, touch, i, bytes)).sum();
            self.host.in_all(&work, self.host.computing(&work), moved)
        });
        let seconds: f64 = seconds.sum();
        let complete = at + seconds;
        if let Some(meeting) = self.meetings.get_mut(&ticket) {
            meeting.complete = Some(complete);
        }
        self.devices[number].communicating += seconds;
        waiting.into_iter().for_each(|device| self.expect(device, complete, false));
        complete
    }

    /// What a kernel takes that reads and writes there.
    fn price(&mut self, kernel: &Arc<dyn Kernel>, [reads, writes]: &[Regions; 2]) -> f64 {
        let (host, threads, footprint) = (self.host, self.threads, self.footprint);
        let known = || {
            let work = kernel.work(threads);
            let computing = host.computing(&work);
            (work, computing)
        };
        let (work, computing) = self.priced.entry(Arc::as_ptr(kernel).cast()).or_insert_with(known);
        let recency = &mut self.recency;
        let moved = work.touches.iter().map(|&(touch, bytes)| {
            let region = match touch {
                Touch::Read(i) => reads.get(i),
                Touch::Written(i) => writes.get(i),
            };
            let ago = region.map_or(footprint, |&region| recency.touch(region, bytes as u64, footprint));
            bytes / host.bandwidth(ago)
        });
        let moved = moved.sum();
        host.in_all(work, *computing, moved)
    }

    /// Seconds of going over what all members brought of that operand or result: so many bytes, as much of each.
    fn of_all(&mut self, brought: &[[Regions; 2]], touch: Touch, number: usize, bytes: f64) -> f64 {
        let side = if matches!(touch, Touch::Read(_)) { 0 } else { 1 };
        let regions: Vec<Region> = brought.iter().filter_map(|sides| sides[side].get(number).copied()).collect();
        let each = bytes / regions.len().max(1) as f64;
        let seconds = |region| each / self.host.bandwidth(self.recency.touch(region, each as u64, self.footprint));
        regions.into_iter().map(seconds).sum()
    }

    /// The buffers at addresses of the running function.
    fn regions(&self, number: usize, addresses: &[Address]) -> Regions {
        let Some(call) = self.devices[number].calls.last() else { return Regions::new() };
        let is_main = self.devices[number].calls.len() == 1;
        let outside = |given: &Regions, i: u32, own: Owner| match given.get(i as usize) {
            Some(&region) if !is_main => region,
            _ => Region { of: own, offset: 0 },
        };
        let region = |address: &Address| {
            let start = match address.base {
                Base::Frame => Region { of: Owner::Frame(number), offset: call.frame },
                Base::Input(i) => {
                    let first = self.seats[number].pieces.get(i as usize).copied().unwrap_or(number);
                    outside(&call.inputs, i, Owner::Input(first, i))
                }
                Base::Output(i) => outside(&call.outputs, i, Owner::Output(number, i)),
                Base::Constant(i) => Region { of: Owner::Constant(i), offset: 0 },
            };
            Region { offset: start.offset + address.offset, ..start }
        };
        addresses.iter().map(region).collect()
    }

    fn end_wait(&mut self, number: usize, now: f64) {
        let Some(since) = self.devices[number].waits_since.take() else { return };
        self.devices[number].communicating += now - since;
        self.note(number, since, now);
    }

    /// Notes what the last task of the main function did.
    fn note(&mut self, number: usize, from: f64, to: f64) {
        let device = &mut self.devices[number];
        if let [main] = &device.calls[..] {
            device.happened.push(Happened { task: main.task.saturating_sub(1), from, to });
        }
    }
}
