//! Progress of a search, its deadline, and the callback that can stop it.

use std::time::{Duration, Instant};

/// Progress of a search.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Progress {
    /// Number of simulated plans.
    pub simulated: usize,
    /// Step time in seconds of the fastest plan that fits into memory.
    pub best: Option<f64>,
    /// Lower bound of the step time in seconds, once it is known.
    pub bound: Option<f64>,
}

/// Deadline and progress callback of a search.
pub struct Monitor<'w> {
    started: Instant,
    time_limit: Option<Duration>,
    on_progress: &'w mut dyn FnMut(&Progress) -> bool,
    /// True once the time limit was reached or the callback has returned `false`.
    pub(crate) is_stopped: bool,
}

impl<'w> Monitor<'w> {
    /// Creates a monitor for a search that starts now. When the time limit is reached or `on_progress` returns `false`,
    /// the search returns the best plan so far.
    pub fn new(time_limit: Option<Duration>, on_progress: &'w mut dyn FnMut(&Progress) -> bool) -> Monitor<'w> {
        Monitor { started: Instant::now(), time_limit, on_progress, is_stopped: false }
    }

    /// Returns the time at which the search should end.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.started.checked_add(self.time_limit?)
    }

    /// Reports progress and returns true if the search should continue.
    pub(crate) fn should_continue(&mut self, progress: &Progress) -> bool {
        let is_in_time = self.time_limit.is_none_or(|limit| self.started.elapsed() < limit);
        let should_continue = (self.on_progress)(progress) && is_in_time;
        self.is_stopped |= !should_continue;
        !self.is_stopped
    }
}
