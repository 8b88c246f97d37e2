//! What devices did, as a timeline.

use super::stage::Stage;
use crate::devices::Happened;
use partita_ir::pipeline::events::Sent;
use partita_ir::pipeline::memory::Step;
use partita_ir::pipeline::{Moment, Pipeline};
use partita_machine::timeline::{Category, Span, Timeline, Track};
use smol_str::{SmolStr, ToSmolStr, format_smolstr};

/// A track for each device, in groups by stage: the tasks that it carried out, and how long it waited.
pub(super) fn observed(pipeline: &Pipeline, stages: &[Stage], happened: &[Vec<Happened>]) -> Timeline {
    let mut timeline = Timeline::default();
    for (number, stage) in stages.iter().enumerate() {
        for device in 0..stage.devices.mesh.device_count() {
            let track = timeline.tracks.len();
            let group = format_smolstr!("stage {number}");
            let name =
                if stage.devices.mesh.device_count() > 1 { format_smolstr!("{group}.{device}") } else { group.clone() };
            timeline.tracks.push(Track { group, name });
            for of in happened.get(track).into_iter().flatten() {
                let step = stage.steps.get(of.task);
                timeline.spans.extend(step.and_then(|step| span(pipeline, step, track, *of)));
            }
        }
    }
    timeline
}

/// A step as a span; what only clears and copies memory is none.
fn span(pipeline: &Pipeline, step: &Step, track: usize, of: Happened) -> Option<Span> {
    let (name, category, micro_batch, chunk) = match step {
        Step::Call { chunk, task, micro_batch, .. } => {
            let moment = pipeline.chunks[*chunk].tasks[*task].moment;
            let (name, category) = match moment {
                Moment::Slot(work) => (work.name(), work.into()),
                Moment::Before => ("before", Category::Other),
                Moment::After(_) => ("update", Category::Update),
            };
            (SmolStr::new(name), category, *micro_batch, Some(*chunk))
        }
        Step::Wait(Sent { transfer, micro_batch }) | Step::Start { message: Sent { transfer, micro_batch }, .. } => {
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
    Some(Span { track, name, label, category, start: of.from, seconds: of.to - of.from, arguments })
}
