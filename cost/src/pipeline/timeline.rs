//! Conversion of a simulated step to a [`Timeline`]: one track for each stage, one for each pair of communicating
//! stages, and memory counters.

use super::{ActivityRole, SimulatedStep, moment_name};
use crate::simulate::{Interval, MemoryUse};
use partita_ir::pipeline::TaskTime;
use partita_ir::schedule::Slot;
use partita_machine::timeline::{Category, Counter, Span, Timeline, Track};
use smol_str::{SmolStr, ToSmolStr, format_smolstr};
use std::collections::{BTreeMap, BTreeSet};

/// Key of a track: a stage, and the receiving stage for a track of transfers.
type TrackKey = (usize, Option<usize>);

impl SimulatedStep {
    /// Returns the timeline of the step. Activities without duration and stages without allocated memory are omitted.
    pub fn timeline(&self, title: &str) -> Timeline {
        let mut spans: Vec<(TrackKey, Span)> = Vec::new();
        for (role, time) in self.roles.iter().zip(&self.outcome.times).filter(|(_, time)| time.end > time.start) {
            spans.push(match *role {
                ActivityRole::Slot { stage, slot } => {
                    ((stage, None), span(slot, slot.work.into(), slot.to_smolstr(), time))
                }
                ActivityRole::Transfer { slot, to, stages: [from_stage, to_stage] } => {
                    let name = format_smolstr!("to chunk {to}: {slot}");
                    ((from_stage, Some(to_stage)), span(slot, Category::Communication, name, time))
                }
                ActivityRole::OncePerStep { stage, moment } => {
                    let category = if moment == TaskTime::Before { Category::Other } else { Category::Update };
                    ((stage, None), once(category, moment_name(moment), time))
                }
                ActivityRole::OncePerStepTransfer { stages: [from, to], moment } => {
                    ((from, Some(to)), once(Category::Communication, moment_name(moment), time))
                }
            });
        }
        let stages = (0..self.stages).map(|stage| (stage, None));
        let tracks_by_key: BTreeSet<TrackKey> = spans.iter().map(|(key, _)| *key).chain(stages).collect();
        let track = |&(stage, to): &TrackKey| {
            let group = format_smolstr!("stage {stage}");
            let name = to.map_or(group.clone(), |to| format_smolstr!("{stage} > {to}"));
            Track { group, name }
        };
        let tracks = tracks_by_key.iter().map(track).collect();
        let tracks_by_key: BTreeMap<TrackKey, usize> = tracks_by_key.into_iter().zip(0..).collect();
        let with_track = |(key, span): (TrackKey, Span)| Span {
            track: tracks_by_key.get(&key).copied().unwrap_or_default(),
            ..span
        };
        let counter = |(stage, memory): (usize, &MemoryUse)| Counter {
            group: format_smolstr!("stage {stage}"),
            name: "memory".into(),
            samples: memory.samples.iter().map(|&(at, bytes)| (at, bytes as f64)).collect(),
        };
        let memory = self.outcome.memory.iter().enumerate().filter(|(_, memory)| memory.peak > 0);
        Timeline {
            title: title.into(),
            tracks,
            spans: spans.into_iter().map(with_track).collect(),
            counters: memory.map(counter).collect(),
        }
    }
}

/// Returns the span of a slot or of its transfer. The track is assigned after all tracks have been collected.
fn span(slot: Slot, category: Category, name: SmolStr, time: &Interval) -> Span {
    let arguments =
        vec![("micro-batch".into(), slot.micro_batch.to_smolstr()), ("chunk".into(), slot.chunk.to_smolstr())];
    Span {
        track: 0,
        name,
        label: slot.micro_batch.to_smolstr(),
        category,
        start: time.start,
        seconds: time.end - time.start,
        arguments,
    }
}

/// Returns the span of once-per-step work or of a once-per-step transfer.
fn once(category: Category, name: SmolStr, time: &Interval) -> Span {
    Span {
        track: 0,
        name,
        label: SmolStr::default(),
        category,
        start: time.start,
        seconds: time.end - time.start,
        arguments: Vec::new(),
    }
}
