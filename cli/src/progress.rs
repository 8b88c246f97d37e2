//! Progress displays on a terminal. Nothing is shown in a pipe.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Spinner with the current step, erased on drop.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Creates a spinner for a number of steps.
    pub(super) fn new(steps: u64) -> Progress {
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template("{spinner} [{pos}/{len}] {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress(bar)
    }

    /// Starts the next step.
    pub(super) fn step(&self, what: &str) {
        self.0.inc(1);
        self.set_message(what);
    }

    /// Replaces the description of the current step.
    pub(super) fn set_message(&self, what: &str) {
        self.0.set_message(what.to_string());
    }
}

/// Progress bar of a long operation with measurements, erased on drop.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// Creates a bar at `step` of `steps`.
    pub(super) fn new(step: u64, steps: u64) -> Bar {
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({eta} left)") {
            bar.set_style(style);
        }
        bar.set_position(step);
        bar.reset_eta();
        Bar(bar)
    }

    /// Moves the bar to a step and sets its description.
    pub(super) fn set_step(&self, step: u64, what: String) {
        self.0.set_position(step);
        self.0.set_message(what);
    }

    /// Prints a line above the bar.
    pub(super) fn print_line(&self, text: &str) {
        self.0.println(text);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
