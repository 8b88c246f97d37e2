//! What comes of a simulation: times, use of lanes and links, memory over time; or what is wrong.

use super::{Activity, Hardware, Takes};
use std::fmt;

/// From when to when, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// When it begins.
    pub start: f64,
    /// When it is done.
    pub end: f64,
}

/// What a lane did.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct LaneUse {
    /// Seconds at work.
    pub busy: f64,
    /// From the beginning of its first activity to the end of its last, in seconds.
    pub span: f64,
}

/// What a link did.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct LinkUse {
    /// Bytes that it carried.
    pub bytes: f64,
    /// Seconds in which it carried any.
    pub busy: f64,
}

/// What a device held.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct MemoryUse {
    /// The most bytes at one time.
    pub peak: i64,
    /// When that was, for the first time.
    pub peak_at: f64,
    /// Bytes from a time on, until the next one.
    pub samples: Vec<(f64, i64)>,
}

/// When each activity began and ended, and what was used.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// By activity.
    pub times: Vec<Interval>,
    /// Seconds until all are done.
    pub makespan: f64,
    /// By lane.
    pub lanes: Vec<LaneUse>,
    /// By link.
    pub links: Vec<LinkUse>,
    /// By device.
    pub memory: Vec<MemoryUse>,
    /// By lane, when its first activity began.
    first: Vec<f64>,
}

impl Outcome {
    /// The share of the makespan in which a lane is at work; none of a lane that does not exist or takes no time.
    pub fn utilisation(&self, lane: usize) -> f64 {
        let busy = self.lanes.get(lane).map_or(0.0, |lane| lane.busy);
        if self.makespan > 0.0 { busy / self.makespan } else { 0.0 }
    }

    /// Seconds of the makespan in which a lane is not at work.
    pub fn idle(&self, lane: usize) -> f64 {
        self.makespan - self.lanes.get(lane).map_or(0.0, |lane| lane.busy)
    }

    pub(super) fn of(hardware: &Hardware, activities: usize) -> Outcome {
        let holds = |&bytes: &i64| MemoryUse { peak: bytes, peak_at: 0.0, samples: vec![(0.0, bytes)] };
        Outcome {
            times: vec![Interval { start: f64::NAN, end: f64::NAN }; activities],
            makespan: 0.0,
            lanes: vec![LaneUse::default(); hardware.lanes],
            links: Vec::new(),
            memory: hardware.devices.iter().map(holds).collect(),
            first: vec![f64::INFINITY; hardware.lanes],
        }
    }

    pub(super) fn has_begun(&self, activity: usize) -> bool {
        !self.times[activity].start.is_nan()
    }

    pub(super) fn has_ended(&self, activity: usize) -> bool {
        !self.times[activity].end.is_nan()
    }

    pub(super) fn begin(&mut self, number: usize, activity: &Activity, now: f64) {
        self.times[number].start = now;
        if let Some(lane) = activity.lane {
            self.first[lane] = self.first[lane].min(now);
        }
        for change in activity.memory.iter().filter(|change| change.at_start != 0) {
            self.memory[change.device].add(change.at_start, now);
        }
    }

    pub(super) fn end(&mut self, number: usize, activity: &Activity, now: f64) {
        self.times[number].end = now;
        self.makespan = self.makespan.max(now);
        if let Some(lane) = activity.lane {
            self.lanes[lane].span = now - self.first[lane];
            // What takes seconds takes exactly those; differences of late times are rounded.
            self.lanes[lane].busy += match activity.takes {
                Takes::Seconds(seconds) => seconds,
                Takes::Flow { .. } => now - self.times[number].start,
            };
        }
        for change in activity.memory.iter().filter(|change| change.at_end != 0) {
            self.memory[change.device].add(change.at_end, now);
        }
    }

    pub(super) fn close(mut self, links: Vec<LinkUse>) -> Outcome {
        self.links = links;
        self
    }
}

impl MemoryUse {
    fn add(&mut self, bytes: i64, now: f64) {
        let held = self.samples.last().map_or(0, |sample| sample.1).saturating_add(bytes);
        if held > self.peak {
            (self.peak, self.peak_at) = (held, now);
        }
        match self.samples.last_mut() {
            Some(sample) if sample.0 == now => sample.1 = held,
            _ => self.samples.push((now, held)),
        }
    }
}

/// Why an activity does not begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The activity.
    pub activity: usize,
    /// The one that it waits for.
    pub of: usize,
    /// Whether it only waits for its lane.
    pub is_behind: bool,
}

/// What cannot be simulated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An activity names a lane, a device, a route or an activity that does not exist.
    Unknown(usize),
    /// An activity takes no time that one could add up.
    Endless(usize),
    /// A route names a link that does not exist or carries nothing, or its latency is no time.
    Route(usize),
    /// Each waits for the next one, and the last for the first.
    Circle(Vec<Wait>),
}

impl Fault {
    /// It in words, with the names of the activities.
    pub fn describe(&self, activities: &[Activity]) -> String {
        let name = |number: usize| activities.get(number).map_or("?", |activity| activity.name.as_str());
        match self {
            Fault::Unknown(activity) => format!("`{}` names what does not exist", name(*activity)),
            Fault::Endless(activity) => format!("`{}` takes no time that is a number", name(*activity)),
            Fault::Route(_) => self.to_string(),
            Fault::Circle(waits) => {
                let wait = |wait: &Wait| {
                    let how = if wait.is_behind { "stands behind" } else { "waits for" };
                    format!("`{}` {how} `{}`", name(wait.activity), name(wait.of))
                };
                waits.iter().map(wait).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unknown(activity) => write!(f, "activity {activity} names what does not exist"),
            Fault::Endless(activity) => write!(f, "activity {activity} takes no time that is a number"),
            Fault::Route(route) => write!(f, "route {route} leads over what carries nothing"),
            Fault::Circle(waits) => write!(f, "{} activities wait for each other", waits.len()),
        }
    }
}

impl std::error::Error for Fault {}

/// Whether everything that is named is there, and all times are times.
pub(super) fn sound(hardware: &Hardware, activities: &[Activity]) -> Result<(), Fault> {
    let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    for (number, route) in hardware.routes.iter().enumerate() {
        let carries = |&link: &usize| hardware.links.get(link).is_some_and(|&rate| rate > 0.0);
        if !is_time(route.latency) || !route.links.iter().all(carries) {
            return Err(Fault::Route(number));
        }
    }
    for (number, activity) in activities.iter().enumerate() {
        let lane = activity.lane.is_none_or(|lane| lane < hardware.lanes);
        let after = activity.after.iter().all(|&before| (before as usize) < activities.len());
        let memory = activity.memory.iter().all(|change| change.device < hardware.devices.len());
        let (route, amount) = match activity.takes {
            Takes::Seconds(seconds) => (true, seconds),
            Takes::Flow { bytes, route } => (route < hardware.routes.len(), bytes),
        };
        if !(lane && after && memory && route) {
            return Err(Fault::Unknown(number));
        }
        if !is_time(amount) {
            return Err(Fault::Endless(number));
        }
    }
    Ok(())
}
