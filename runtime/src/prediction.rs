//! Prediction of a run by discrete-event simulation of the devices' tasks.
//!
//! A host that was measured with several ranks divides the devices among them; otherwise one process executes all
//! devices.

mod core_group;
mod rank_collective;
mod rank_network;
mod reuse_distance;
mod simulator;
mod works;

use crate::code::TaskAction;
use crate::devices::{DeviceProgram, Interval};
use partita_machine::host::Host;
use partita_machine::timeline::{Category, Span, Timeline, Track};
use simulator::Simulator;
use smol_str::{SmolStr, format_smolstr};
pub(crate) use works::works;

/// Predicted run.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct RunPrediction {
    /// Duration in seconds from the start of the first device to the end of the last.
    pub seconds: f64,
    /// Seconds of computation of each device.
    pub computing: Vec<f64>,
    /// Seconds of each device in which it waits for or executes collectives.
    pub communicating: Vec<f64>,
    /// Predicted intervals of each device.
    pub(crate) intervals: Vec<Vec<Interval>>,
}

/// Returns the timeline of a program's devices: their waits, with computation in between, in a run of `seconds`
/// seconds.
pub(crate) fn timeline(programs: &[DeviceProgram], intervals: &[Vec<Interval>], seconds: f64) -> Timeline {
    let mut timeline = Timeline::default();
    for (track, (program, intervals)) in programs.iter().zip(intervals).enumerate() {
        let group = SmolStr::new_static("stage 0");
        timeline.tracks.push(Track { name: format_smolstr!("{group}.{track}"), group });
        let mut done = 0.0;
        let mut span = |name: SmolStr, category, from: f64, to: f64| {
            let (label, arguments) = Default::default();
            if to > from {
                timeline.spans.push(Span { track, name, label, category, start: from, seconds: to - from, arguments });
            }
        };
        for interval in intervals {
            let task = program.code.bodies.last().and_then(|main| main.tasks.get(interval.task));
            let Some(task) = task.filter(|task| matches!(task.action, TaskAction::Wait(_))) else { continue };
            span("computes".into(), Category::Other, done, interval.start);
            span(
                program.code.names[task.name as usize].as_str().into(),
                Category::Communication,
                interval.start,
                interval.end,
            );
            done = interval.end;
        }
        span("computes".into(), Category::Other, done, seconds);
    }
    timeline
}

/// Predicts a run of devices that access `footprint` bytes in total.
pub(crate) fn predict(programs: &[DeviceProgram], footprint: u64, host: &Host) -> RunPrediction {
    Simulator::new(programs, footprint, host).run()
}
