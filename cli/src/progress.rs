//! What is being done, on one line of a terminal that goes when it is done. In a pipe nothing is shown.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// The line. It goes when it is dropped.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// A line for so many steps.
    pub(super) fn new(steps: u64) -> Progress {
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template("{spinner} [{pos}/{len}] {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress(bar)
    }

    /// The next step begins.
    pub(super) fn step(&self, what: &str) {
        self.0.inc(1);
        self.say(what);
    }

    /// How the step goes on.
    pub(super) fn say(&self, what: &str) {
        self.0.set_message(what.to_string());
    }
}

/// How far a long piece of work has come, with what is measured on the way.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar that begins at some step of all.
    pub(super) fn new(step: u64, steps: u64) -> Bar {
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({eta} left)") {
            bar.set_style(style);
        }
        bar.set_position(step);
        bar.reset_eta();
        Bar(bar)
    }

    /// The bar is at that step.
    pub(super) fn at(&self, step: u64, what: String) {
        self.0.set_position(step);
        self.0.set_message(what);
    }

    /// A line above the bar.
    pub(super) fn line(&self, text: &str) {
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
