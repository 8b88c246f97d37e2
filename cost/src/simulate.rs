//! Discrete-event simulation of activities that occupy lanes or transfer bytes over links. Each activity starts when
//! its dependencies have finished.
//!
//! A lane is a queue that runs its activities one after another in the order in which they are listed: the kernels of a
//! device, or the transfers between two stages. A flow sends bytes over all links of a route simultaneously, at a rate
//! shared with other flows (`sharing`). Its last byte arrives one route latency after it was sent. Time advances from
//! event to event, so the cost of a simulation is independent of durations. Equal activities that start together end at
//! bit-identical times.

pub mod outcome;
mod sharing;
#[cfg(test)]
mod tests;

pub use outcome::{Interval, LaneUse, LinkUse, MemoryUse, Outcome, SimulationError, Wait};

use sharing::BandwidthSharing;
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Resources that activities use.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Hardware {
    /// Number of lanes.
    pub lanes: usize,
    /// Bytes allocated on each device before the first activity.
    pub devices: Vec<i64>,
    /// Bandwidth of each link in bytes per second. A full-duplex link is two links.
    pub links: Vec<f64>,
    /// Routes of flows.
    pub routes: Vec<Route>,
}

/// A sequence of links.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Route {
    /// Link indices. A route without links has only a latency.
    pub links: Vec<usize>,
    /// Seconds until the first byte arrives.
    pub latency: f64,
}

/// Duration of an activity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ActivityDuration {
    /// A fixed number of seconds.
    Seconds(f64),
    /// The time to send bytes over a route.
    Flow {
        /// Number of bytes.
        bytes: f64,
        /// Index of the route.
        route: usize,
    },
}

/// Change of a device's memory caused by an activity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryChange {
    /// Device index.
    pub device: usize,
    /// Bytes allocated at the start of the activity.
    pub at_start: i64,
    /// Bytes allocated at the end of the activity. Negative for memory that is freed.
    pub at_end: i64,
}

/// A unit of work in the simulation.
#[derive(Clone, PartialEq, Debug)]
pub struct Activity {
    /// Name for messages.
    pub name: SmolStr,
    /// Duration, either fixed or determined by the bandwidth available to a flow.
    pub duration: ActivityDuration,
    /// The lane occupied during the activity, if any.
    pub lane: Option<usize>,
    /// Indices of the activities that must finish first.
    pub after: SmallVec<[u32; 4]>,
    /// Memory changes at the start and end.
    pub memory: SmallVec<[MemoryChange; 1]>,
}

/// Seconds with a total order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OrderedTime(pub f64);

impl Eq for OrderedTime {}

impl Ord for OrderedTime {
    fn cmp(&self, other: &OrderedTime) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for OrderedTime {
    fn partial_cmp(&self, other: &OrderedTime) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Simulates the activities and returns their start and end times and the use of all resources.
///
/// # Errors
/// Returns an error if an activity refers to something that does not exist, if a duration is invalid, or if activities
/// depend on each other cyclically.
pub fn simulate(hardware: &Hardware, activities: &[Activity]) -> Result<Outcome, SimulationError> {
    outcome::validate(hardware, activities)?;
    let mut simulator = Simulator::new(hardware, activities);
    simulator.run();
    simulator.outcome()
}

/// Event of the simulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// End of an activity.
    End(u32),
    /// Transmission of a flow's last byte: flow and version. Ignored if the flow's version has changed since, because
    /// its rate has changed.
    Sent(u32, u32),
}

/// Adjacency lists in compressed sparse row format.
struct CsrLists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl CsrLists {
    /// Builds the lists from pairs of list index and item. `pairs` is iterated twice.
    fn from_pairs<I: Iterator<Item = (usize, u32)>>(count: usize, pairs: impl Fn() -> I) -> CsrLists {
        let mut starts = vec![0u32; count + 1];
        pairs().for_each(|(list, _)| starts[list + 1] += 1);
        for list in 0..count {
            starts[list + 1] += starts[list];
        }
        let mut items = vec![0; starts[count] as usize];
        let mut next = starts.clone();
        for (list, item) in pairs() {
            items[next[list] as usize] = item;
            next[list] += 1;
        }
        CsrLists { starts, items }
    }

    fn get(&self, list: usize) -> &[u32] {
        &self.items[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

/// State of a simulation.
struct Simulator<'a> {
    hardware: &'a Hardware,
    activities: &'a [Activity],
    now: f64,
    events: BinaryHeap<Reverse<(OrderedTime, Event)>>,
    /// Activities of each lane in order.
    lanes: CsrLists,
    /// For each lane, the number of finished activities, and true if the lane is busy.
    lane_states: Vec<(usize, bool)>,
    /// Activities that depend on each activity.
    readers: CsrLists,
    /// Number of unfinished dependencies of each activity.
    pending: Vec<u32>,
    /// Activities that may have become ready to start.
    ready: Vec<u32>,
    sharing: BandwidthSharing<'a>,
    outcome: Outcome,
}

impl<'a> Simulator<'a> {
    fn new(hardware: &'a Hardware, activities: &'a [Activity]) -> Simulator<'a> {
        let numbered = || (0u32..).zip(activities);
        let lanes = CsrLists::from_pairs(hardware.lanes, || numbered().filter_map(|(n, a)| Some((a.lane?, n))));
        let readers = CsrLists::from_pairs(activities.len(), || {
            numbered().flat_map(|(n, a)| a.after.iter().map(move |&before| (before as usize, n)))
        });
        Simulator {
            hardware,
            activities,
            now: 0.0,
            events: BinaryHeap::new(),
            lane_states: vec![(0, false); hardware.lanes],
            pending: activities.iter().map(|a| a.after.len() as u32).collect(),
            ready: numbered().filter(|(_, a)| a.after.is_empty()).map(|(n, _)| n).collect(),
            sharing: BandwidthSharing::new(hardware),
            outcome: Outcome::new(hardware, activities.len()),
            lanes,
            readers,
        }
    }

    fn run(&mut self) {
        loop {
            for activity in std::mem::take(&mut self.ready) {
                if self.may_begin(activity) {
                    self.begin(activity);
                }
            }
            self.sharing.settle(self.now, |flow, version, at| {
                self.events.push(Reverse((OrderedTime(at), Event::Sent(flow, version))));
            });
            let Some(&Reverse((OrderedTime(now), _))) = self.events.peek() else {
                break;
            };
            self.now = now;
            // Ending activities free their memory before other activities allocate.
            while let Some(&Reverse((OrderedTime(at), event))) = self.events.peek()
                && at <= now
            {
                self.events.pop();
                match event {
                    Event::End(activity) => self.end(activity),
                    Event::Sent(flow, version) => self.sent(flow, version),
                }
            }
        }
    }

    fn may_begin(&self, activity: u32) -> bool {
        let number = activity as usize;
        let is_next = self.activities[number].lane.is_none_or(|lane| {
            let (done, is_busy) = self.lane_states[lane];
            !is_busy && self.lanes.get(lane).get(done) == Some(&activity)
        });
        is_next && self.pending[number] == 0 && !self.outcome.has_begun(number)
    }

    fn begin(&mut self, activity: u32) {
        let number = activity as usize;
        let data = &self.activities[number];
        self.outcome.begin(number, data, self.now);
        if let Some(lane) = data.lane {
            self.lane_states[lane].1 = true;
        }
        let end = match data.duration {
            ActivityDuration::Seconds(seconds) => self.now + seconds,
            ActivityDuration::Flow { bytes, route } => {
                let route = &self.hardware.routes[route];
                if bytes > 0.0 && !route.links.is_empty() {
                    return self.sharing.join(activity, bytes, &route.links, self.now);
                }
                self.now + route.latency
            }
        };
        self.events.push(Reverse((OrderedTime(end), Event::End(activity))));
    }

    fn sent(&mut self, flow: u32, version: u32) {
        if let Some(activity) = self.sharing.leave(flow, version, self.now)
            && let ActivityDuration::Flow { route, .. } = self.activities[activity as usize].duration
        {
            let end = self.now + self.hardware.routes[route].latency;
            self.events.push(Reverse((OrderedTime(end), Event::End(activity))));
        }
    }

    fn end(&mut self, activity: u32) {
        let number = activity as usize;
        let data = &self.activities[number];
        self.outcome.end(number, data, self.now);
        if let Some(lane) = data.lane {
            let (done, is_busy) = &mut self.lane_states[lane];
            *done += 1;
            *is_busy = false;
            self.ready.extend(self.lanes.get(lane).get(*done));
        }
        for &reader in self.readers.get(number) {
            self.pending[reader as usize] -= 1;
            if self.pending[reader as usize] == 0 {
                self.ready.push(reader);
            }
        }
    }

    fn outcome(self) -> Result<Outcome, SimulationError> {
        let Some(first) = (0..self.activities.len()).find(|&n| !self.outcome.has_ended(n)) else {
            return Ok(self.outcome.close(self.sharing.links()));
        };
        // Each unfinished activity waits for another unfinished one, so following these dependencies reaches a cycle.
        let mut waits: Vec<Wait> = Vec::new();
        let mut visited = vec![false; self.activities.len()];
        let mut activity = first;
        while !std::mem::replace(&mut visited[activity], true) {
            let data = &self.activities[activity];
            let before = data.after.iter().map(|&before| before as usize).find(|&b| !self.outcome.has_ended(b));
            let ahead = data.lane.and_then(|lane| self.lanes.get(lane).get(self.lane_states[lane].0));
            let Some(blocker) =
                before.or(ahead.map(|&head| head as usize)).filter(|&blocker| blocker != activity || before.is_some())
            else {
                break;
            };
            waits.push(Wait { activity, blocker, is_lane_order: before.is_none() });
            activity = blocker;
        }
        let start = waits.iter().position(|wait| wait.activity == activity).unwrap_or_default();
        Err(SimulationError::Cycle(waits.split_off(start)))
    }
}
