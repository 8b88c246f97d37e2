//! Result of a simulation (times, use of lanes and links, memory over time) and its errors.

use super::{Activity, ActivityDuration, Hardware};
use std::fmt;

/// Time interval in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Start time.
    pub start: f64,
    /// End time.
    pub end: f64,
}

/// Use of a lane.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct LaneUse {
    /// Seconds during which the lane was busy.
    pub busy: f64,
    /// Seconds from the start of its first activity to the end of its last.
    pub span: f64,
}

/// Use of a link.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct LinkUse {
    /// Bytes transferred.
    pub bytes: f64,
    /// Seconds during which the link transferred data.
    pub busy: f64,
}

/// Memory of a device over time.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct MemoryUse {
    /// Peak in bytes.
    pub peak: i64,
    /// Time at which the peak was first reached.
    pub peak_at: f64,
    /// Times at which the allocated bytes changed, with the new value.
    pub samples: Vec<(f64, i64)>,
}

/// Result of a simulation.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Start and end of each activity.
    pub times: Vec<Interval>,
    /// Seconds until all activities have ended.
    pub makespan: f64,
    /// Use of each lane.
    pub lanes: Vec<LaneUse>,
    /// Use of each link.
    pub links: Vec<LinkUse>,
    /// Memory of each device.
    pub memory: Vec<MemoryUse>,
    /// Start of the first activity of each lane.
    first: Vec<f64>,
}

impl Outcome {
    /// Returns the fraction of the makespan during which a lane is busy. Returns 0 for a lane that does not exist or if
    /// the makespan is 0.
    pub fn utilisation(&self, lane: usize) -> f64 {
        let busy = self.lanes.get(lane).map_or(0.0, |lane| lane.busy);
        if self.makespan > 0.0 { busy / self.makespan } else { 0.0 }
    }

    /// Returns the seconds of the makespan during which a lane is idle.
    pub fn idle(&self, lane: usize) -> f64 {
        self.makespan - self.lanes.get(lane).map_or(0.0, |lane| lane.busy)
    }

    pub(super) fn new(hardware: &Hardware, activities: usize) -> Outcome {
        let memory_use = |&bytes: &i64| MemoryUse { peak: bytes, peak_at: 0.0, samples: vec![(0.0, bytes)] };
        Outcome {
            times: vec![Interval { start: f64::NAN, end: f64::NAN }; activities],
            makespan: 0.0,
            lanes: vec![LaneUse::default(); hardware.lanes],
            links: Vec::new(),
            memory: hardware.devices.iter().map(memory_use).collect(),
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
            // Adds the exact duration, because the difference of late times is rounded.
            self.lanes[lane].busy += match activity.duration {
                ActivityDuration::Seconds(seconds) => seconds,
                ActivityDuration::Flow { .. } => now - self.times[number].start,
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
        let allocated = self.samples.last().map_or(0, |sample| sample.1).saturating_add(bytes);
        if allocated > self.peak {
            (self.peak, self.peak_at) = (allocated, now);
        }
        match self.samples.last_mut() {
            Some(sample) if sample.0 == now => sample.1 = allocated,
            _ => self.samples.push((now, allocated)),
        }
    }
}

/// Reason why an activity has not started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The waiting activity.
    pub activity: usize,
    /// The activity that must finish first.
    pub blocker: usize,
    /// True if `activity` only waits for its turn on the lane.
    pub is_lane_order: bool,
}

/// Error of a simulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SimulationError {
    /// An activity refers to a lane, device, route or activity that does not exist.
    UnknownReference(usize),
    /// The duration of an activity is not finite or is negative.
    InvalidDuration(usize),
    /// A route contains a link that does not exist or has no bandwidth, or its latency is invalid.
    InvalidRoute(usize),
    /// Dependency cycle: each activity waits for the next one, and the last for the first.
    Cycle(Vec<Wait>),
}

impl SimulationError {
    /// Returns the message with the names of the activities.
    pub fn describe(&self, activities: &[Activity]) -> String {
        let name = |number: usize| activities.get(number).map_or("?", |activity| activity.name.as_str());
        match self {
            SimulationError::UnknownReference(activity) => {
                format!("`{}` refers to a lane, device, route or activity that does not exist", name(*activity))
            }
            SimulationError::InvalidDuration(activity) => {
                format!("the duration of `{}` is not a finite non-negative number", name(*activity))
            }
            SimulationError::InvalidRoute(_) => self.to_string(),
            SimulationError::Cycle(waits) => {
                let wait = |wait: &Wait| {
                    let how = if wait.is_lane_order { "is queued after" } else { "waits for" };
                    format!("`{}` {how} `{}`", name(wait.activity), name(wait.blocker))
                };
                waits.iter().map(wait).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimulationError::UnknownReference(activity) => {
                write!(f, "activity {activity} refers to a lane, device, route or activity that does not exist")
            }
            SimulationError::InvalidDuration(activity) => {
                write!(f, "the duration of activity {activity} is not a finite non-negative number")
            }
            SimulationError::InvalidRoute(route) => {
                write!(f, "route {route} contains a missing link or a link without bandwidth")
            }
            SimulationError::Cycle(waits) => write!(f, "{} activities depend on each other cyclically", waits.len()),
        }
    }
}

impl std::error::Error for SimulationError {}

/// Checks that all references and times are valid.
pub(super) fn validate(hardware: &Hardware, activities: &[Activity]) -> Result<(), SimulationError> {
    let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    for (number, route) in hardware.routes.iter().enumerate() {
        let carries = |&link: &usize| hardware.links.get(link).is_some_and(|&rate| rate > 0.0);
        if !is_time(route.latency) || !route.links.iter().all(carries) {
            return Err(SimulationError::InvalidRoute(number));
        }
    }
    for (number, activity) in activities.iter().enumerate() {
        let lane = activity.lane.is_none_or(|lane| lane < hardware.lanes);
        let after = activity.after.iter().all(|&before| (before as usize) < activities.len());
        let memory = activity.memory.iter().all(|change| change.device < hardware.devices.len());
        let (route, amount) = match activity.duration {
            ActivityDuration::Seconds(seconds) => (true, seconds),
            ActivityDuration::Flow { bytes, route } => (route < hardware.routes.len(), bytes),
        };
        if !(lane && after && memory && route) {
            return Err(SimulationError::UnknownReference(number));
        }
        if !is_time(amount) {
            return Err(SimulationError::InvalidDuration(number));
        }
    }
    Ok(())
}
