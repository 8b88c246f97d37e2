//! When things happen: activities that occupy lanes or send bytes over links, each once what it waits for is done.
//!
//! A lane carries out its activities one after the other, in the order in which they are listed: the kernels of a
//! device, or its communication. A flow sends bytes over all links of a route at once, at a rate that it shares with
//! other flows (`sharing`); its last byte arrives the route's latency after it was sent. Time goes from event to event,
//! so that idle years cost what idle seconds do, and equal activities give equal times to the last bit.

pub mod outcome;
mod sharing;
#[cfg(test)]
mod tests;

pub use outcome::{Fault, Interval, LaneUse, LinkUse, MemoryUse, Outcome, Wait};

use sharing::Sharing;
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What activities use.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Hardware {
    /// How many lanes there are.
    pub lanes: usize,
    /// By device, the bytes that it holds before anything begins.
    pub devices: Vec<i64>,
    /// By link, the bytes that it carries in a second. One that is as fast each way is two of them.
    pub links: Vec<f64>,
    /// The ways that flows take.
    pub routes: Vec<Route>,
}

/// A way over links.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Route {
    /// Its links; without any, only the latency counts.
    pub links: Vec<usize>,
    /// Seconds until the first byte arrives.
    pub latency: f64,
}

/// How long an activity takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Takes {
    /// So many seconds.
    Seconds(f64),
    /// As long as its bytes take over that route.
    Flow {
        /// How many.
        bytes: f64,
        /// The number of the route.
        route: usize,
    },
}

/// Bytes that a device needs for an activity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The device.
    pub device: usize,
    /// What it holds more when the activity begins.
    pub at_start: i64,
    /// What it holds more when it ends; negative for what is given up.
    pub at_end: i64,
}

/// Something that takes time.
#[derive(Clone, PartialEq, Debug)]
pub struct Activity {
    /// What it is called.
    pub name: SmolStr,
    /// How long it takes.
    pub takes: Takes,
    /// The lane that it occupies meanwhile, if any.
    pub lane: Option<usize>,
    /// The activities that must be done before, by number.
    pub after: SmallVec<[u32; 4]>,
    /// What becomes of memory.
    pub memory: SmallVec<[Change; 1]>,
}

/// Seconds, in order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Time(pub f64);

impl Eq for Time {}

impl Ord for Time {
    fn cmp(&self, other: &Time) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Time) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// When each activity begins and ends, and what is used meanwhile.
///
/// # Errors
/// An activity that names what does not exist or takes a time that is none, or a circle of activities that wait for
/// each other.
pub fn simulate(hardware: &Hardware, activities: &[Activity]) -> Result<Outcome, Fault> {
    outcome::sound(hardware, activities)?;
    let mut clock = Clock::of(hardware, activities);
    clock.run();
    clock.outcome()
}

/// What happens at a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// An activity is done.
    End(u32),
    /// A flow has sent its last byte, if it still is the flow of that version.
    Sent(u32, u32),
}

/// Lists of activities, one after the other.
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// From pairs of list and item, which are gone through twice.
    fn of<I: Iterator<Item = (usize, u32)>>(count: usize, pairs: impl Fn() -> I) -> Lists {
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
        Lists { starts, items }
    }

    fn get(&self, list: usize) -> &[u32] {
        &self.items[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

/// One instant of it.
struct Clock<'a> {
    hardware: &'a Hardware,
    activities: &'a [Activity],
    now: f64,
    events: BinaryHeap<Reverse<(Time, Event)>>,
    /// By lane, its activities in order.
    lanes: Lists,
    /// By lane, how many have ended, and whether one is at work.
    places: Vec<(usize, bool)>,
    /// By activity, who waits for it.
    readers: Lists,
    /// By activity, how many it still waits for.
    pending: Vec<u32>,
    /// Activities that may have become possible.
    ready: Vec<u32>,
    sharing: Sharing<'a>,
    outcome: Outcome,
}

impl<'a> Clock<'a> {
    fn of(hardware: &'a Hardware, activities: &'a [Activity]) -> Clock<'a> {
        let numbered = || (0u32..).zip(activities);
        let lanes = Lists::of(hardware.lanes, || numbered().filter_map(|(n, a)| Some((a.lane?, n))));
        let readers = Lists::of(activities.len(), || {
            numbered().flat_map(|(n, a)| a.after.iter().map(move |&before| (before as usize, n)))
        });
        Clock {
            hardware,
            activities,
            now: 0.0,
            events: BinaryHeap::new(),
            places: vec![(0, false); hardware.lanes],
            pending: activities.iter().map(|a| a.after.len() as u32).collect(),
            ready: numbered().filter(|(_, a)| a.after.is_empty()).map(|(n, _)| n).collect(),
            sharing: Sharing::of(hardware),
            outcome: Outcome::of(hardware, activities.len()),
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
                self.events.push(Reverse((Time(at), Event::Sent(flow, version))));
            });
            let Some(&Reverse((Time(now), _))) = self.events.peek() else {
                break;
            };
            self.now = now;
            // What ends gives up its memory before anything else takes some.
            while let Some(&Reverse((Time(at), event))) = self.events.peek()
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
            let (done, is_busy) = self.places[lane];
            !is_busy && self.lanes.get(lane).get(done) == Some(&activity)
        });
        is_next && self.pending[number] == 0 && !self.outcome.has_begun(number)
    }

    fn begin(&mut self, activity: u32) {
        let number = activity as usize;
        let what = &self.activities[number];
        self.outcome.begin(number, what, self.now);
        if let Some(lane) = what.lane {
            self.places[lane].1 = true;
        }
        let end = match what.takes {
            Takes::Seconds(seconds) => self.now + seconds,
            Takes::Flow { bytes, route } => {
                let route = &self.hardware.routes[route];
                if bytes > 0.0 && !route.links.is_empty() {
                    return self.sharing.join(activity, bytes, &route.links, self.now);
                }
                self.now + route.latency
            }
        };
        self.events.push(Reverse((Time(end), Event::End(activity))));
    }

    fn sent(&mut self, flow: u32, version: u32) {
        if let Some(activity) = self.sharing.leave(flow, version, self.now)
            && let Takes::Flow { route, .. } = self.activities[activity as usize].takes
        {
            let end = self.now + self.hardware.routes[route].latency;
            self.events.push(Reverse((Time(end), Event::End(activity))));
        }
    }

    fn end(&mut self, activity: u32) {
        let number = activity as usize;
        let what = &self.activities[number];
        self.outcome.end(number, what, self.now);
        if let Some(lane) = what.lane {
            let (done, is_busy) = &mut self.places[lane];
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

    fn outcome(self) -> Result<Outcome, Fault> {
        let Some(first) = (0..self.activities.len()).find(|&n| !self.outcome.has_ended(n)) else {
            return Ok(self.outcome.close(self.sharing.links()));
        };
        // Who is not done waits for somebody who is not done: going from one to the next comes around.
        let mut waits: Vec<Wait> = Vec::new();
        let mut met = vec![false; self.activities.len()];
        let mut activity = first;
        while !std::mem::replace(&mut met[activity], true) {
            let what = &self.activities[activity];
            let before = what.after.iter().map(|&before| before as usize).find(|&b| !self.outcome.has_ended(b));
            let ahead = what.lane.and_then(|lane| self.lanes.get(lane).get(self.places[lane].0));
            let Some(of) = before.or(ahead.map(|&head| head as usize)).filter(|&of| of != activity || before.is_some())
            else {
                break;
            };
            waits.push(Wait { activity, of, is_behind: before.is_none() });
            activity = of;
        }
        let start = waits.iter().position(|wait| wait.activity == activity).unwrap_or_default();
        Err(Fault::Circle(waits.split_off(start)))
    }
}
