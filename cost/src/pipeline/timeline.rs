//! A simulated step as a [`Timeline`]: a track for each stage, one for what it sends to each other stage, and the
//! memory of its devices.

use super::{Role, Step, name_of};
use crate::simulate::{Interval, MemoryUse};
use partita_ir::pipeline::Moment;
use partita_ir::schedule::Slot;
use partita_machine::timeline::{Category, Counter, Span, Timeline, Track};
use smol_str::{SmolStr, ToSmolStr, format_smolstr};
use std::collections::{BTreeMap, BTreeSet};

/// A track: of a stage, or of what it sends to another one.
type Place = (usize, Option<usize>);

impl Step {
    /// What happened when. What takes no time is left out, and so is memory where nothing is held.
    pub fn timeline(&self, title: &str) -> Timeline {
        let mut spans: Vec<(Place, Span)> = Vec::new();
        for (role, time) in self.roles.iter().zip(&self.outcome.times).filter(|(_, time)| time.end > time.start) {
            spans.push(match *role {
                Role::Slot { stage, slot } => ((stage, None), span(slot, slot.work.into(), slot.to_smolstr(), time)),
                Role::Transfer { slot, to, stages: [from_stage, to_stage] } => {
                    let name = format_smolstr!("to chunk {to}: {slot}");
                    ((from_stage, Some(to_stage)), span(slot, Category::Communication, name, time))
                }
                Role::Once { stage, moment } => {
                    let category = if moment == Moment::Before { Category::Other } else { Category::Update };
                    ((stage, None), once(category, name_of(moment), time))
                }
                Role::Sent { stages: [from, to], behind } => {
                    ((from, Some(to)), once(Category::Communication, name_of(behind), time))
                }
            });
        }
        let stages = (0..self.stages).map(|stage| (stage, None));
        let places: BTreeSet<Place> = spans.iter().map(|(place, _)| *place).chain(stages).collect();
        let track = |&(stage, to): &Place| {
            let group = format_smolstr!("stage {stage}");
            let name = to.map_or(group.clone(), |to| format_smolstr!("{stage} > {to}"));
            Track { group, name }
        };
        let tracks = places.iter().map(track).collect();
        let places: BTreeMap<Place, usize> = places.into_iter().zip(0..).collect();
        let placed =
            |(place, span): (Place, Span)| Span { track: places.get(&place).copied().unwrap_or_default(), ..span };
        let held = |(stage, memory): (usize, &MemoryUse)| Counter {
            group: format_smolstr!("stage {stage}"),
            name: "memory".into(),
            samples: memory.samples.iter().map(|&(at, bytes)| (at, bytes as f64)).collect(),
        };
        let memory = self.outcome.memory.iter().enumerate().filter(|(_, memory)| memory.peak > 0);
        Timeline {
            title: title.into(),
            tracks,
            spans: spans.into_iter().map(placed).collect(),
            counters: memory.map(held).collect(),
        }
    }
}

/// What belongs to a slot; its track is set when all tracks are known.
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

/// What belongs to no micro-batch.
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
