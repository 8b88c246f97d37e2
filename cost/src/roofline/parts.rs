//! Decomposition of a duration by activity.

use partita_ir::mesh::Axes;
use smallvec::SmallVec;

/// TimePart that a device spends time on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TimePart {
    /// Matrix products and convolutions.
    Products,
    /// Attention.
    Attention,
    /// Kernels that are bound by memory bandwidth.
    MemoryBound,
    /// Update of parameters and optimizer state.
    Update,
    /// Start and end of kernels, and waiting for the host to issue them.
    Launches,
    /// Slow-down of kernels by overlapping collectives.
    Interference,
    /// Waiting for a collective.
    Exposed {
        /// Name of the collective op.
        kind: &'static str,
        /// Mesh axes along which devices communicate.
        axes: Axes,
    },
}

/// Seconds of each activity. The sum is the elapsed time.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct TimeParts(SmallVec<[(TimePart, f64); 6]>);

impl TimeParts {
    /// Adds seconds to an activity.
    pub fn add(&mut self, activity: TimePart, seconds: f64) {
        if seconds == 0.0 {
            return;
        }
        match self.0.iter_mut().find(|(known, _)| *known == activity) {
            Some((_, all)) => *all += seconds,
            None => self.0.push((activity, seconds)),
        }
    }

    /// Adds the parts of work that runs `times` times.
    pub fn add_all(&mut self, other: &TimeParts, times: f64) {
        for (activity, seconds) in &other.0 {
            self.add(activity.clone(), times * seconds);
        }
    }

    /// Returns the activities with their seconds, in the order of their first occurrence.
    pub fn iter(&self) -> impl Iterator<Item = (&TimePart, f64)> {
        self.0.iter().map(|(activity, seconds)| (activity, *seconds))
    }

    /// Returns the sum of all parts.
    pub fn seconds(&self) -> f64 {
        self.0.iter().map(|(_, seconds)| seconds).sum()
    }
}
