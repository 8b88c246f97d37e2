//! Requests to stop a run after its current step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reason to stop a run before its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StopReason {
    /// The run is to be resumed later, as when a job scheduler needs its machines. Not a failure.
    Paused,
    /// The run was interrupted.
    Interrupted,
}

/// Flags that request the end of a run, which signal handlers and other threads can set.
#[derive(Clone, Default, Debug)]
pub struct StopRequest {
    paused: Arc<AtomicBool>,
    interrupted: Arc<AtomicBool>,
}

impl StopRequest {
    /// Returns the flag that requests a stop for a reason.
    pub fn flag(&self, reason: StopReason) -> &Arc<AtomicBool> {
        match reason {
            StopReason::Paused => &self.paused,
            StopReason::Interrupted => &self.interrupted,
        }
    }

    /// Returns the reason of the request, if a stop is requested.
    pub fn reason(&self) -> Option<StopReason> {
        let is_set = |reason: &StopReason| self.flag(*reason).load(Ordering::Relaxed);
        [StopReason::Interrupted, StopReason::Paused].into_iter().find(is_set)
    }
}
