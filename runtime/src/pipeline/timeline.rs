//! Measured timeline of a pipeline.

use super::stage::Stage;
use crate::devices::Interval;
use partita_ir::pipeline::events::TransferId;
use partita_ir::pipeline::memory::Step;
use partita_ir::pipeline::{Pipeline, TaskTime};
use partita_machine::timeline::{Category, Span, Timeline, Track};
use smol_str::{SmolStr, ToSmolStr, format_smolstr};

/// Returns a timeline with one track for each device, grouped by stage, with the tasks and waits of the device.
pub(super) fn timeline(pipeline: &Pipeline, stages: &[Stage], intervals: &[Vec<Interval>]) -> Timeline {
    let mut timeline = Timeline::default();
    for (number, stage) in stages.iter().enumerate() {
        for device in 0..stage.devices.mesh.device_count() {
            let track = timeline.tracks.len();
            let group = format_smolstr!("stage {number}");
            let name =
                if stage.devices.mesh.device_count() > 1 { format_smolstr!("{group}.{device}") } else { group.clone() };
            timeline.tracks.push(Track { group, name });
            for interval in intervals.get(track).into_iter().flatten() {
                let step = stage.steps.get(interval.task);
                timeline.spans.extend(step.and_then(|step| span(pipeline, step, track, *interval)));
            }
        }
    }
    timeline
}

/// Returns the span of a step; `None` for steps that only clear or copy memory.
fn span(pipeline: &Pipeline, step: &Step, track: usize, interval: Interval) -> Option<Span> {
    let (name, category, micro_batch, chunk) = match step {
        Step::Call { chunk, task, micro_batch, .. } => {
            let moment = pipeline.chunks[*chunk].tasks[*task].moment;
            let (name, category) = match moment {
                TaskTime::Slot(work) => (work.name(), work.into()),
                TaskTime::Before => ("before", Category::Other),
                TaskTime::After(_) => ("update", Category::Update),
            };
            (SmolStr::new(name), category, *micro_batch, Some(*chunk))
        }
        Step::Wait(TransferId { transfer, micro_batch })
        | Step::Start { message: TransferId { transfer, micro_batch }, .. } => {
            let transfer = &pipeline.transfers[*transfer];
            let name = format_smolstr!("%{} from chunk {} to {}", transfer.value(), transfer.from.0, transfer.to.0);
            (name, Category::Communication, *micro_batch, None)
        }
        Step::Clear(_) | Step::Copy(..) => return None,
    };
    let mut arguments = Vec::new();
    arguments.extend(micro_batch.map(|i| ("micro-batch".into(), i.to_smolstr())));
    arguments.extend(chunk.map(|chunk| ("chunk".into(), chunk.to_smolstr())));
    let label = micro_batch.filter(|_| chunk.is_some()).map(|i| i.to_smolstr()).unwrap_or_default();
    Some(Span {
        track,
        name,
        label,
        category,
        start: interval.start,
        seconds: interval.end - interval.start,
        arguments,
    })
}
