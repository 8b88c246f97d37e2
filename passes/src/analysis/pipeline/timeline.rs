//! A simulated step as a [`Timeline`]: a track for each stage, one for what it sends to each other stage, and the memory of its devices.

use super::{Role, Step};
use crate::analysis::simulate::{Interval, MemoryUse};
use partita_ir::schedule::Slot;
use partita_ir::timeline::{Category, Counter, Span, Timeline, Track};
use smol_str::{SmolStr, ToSmolStr, format_smolstr};
use std::collections::BTreeMap;

/// A track: a stage's own, or one of those of what it sends to another stage.
type Place = (usize, Option<(usize, usize)>);

impl Step {
    /// What happened when. What takes no time is left out, and so is memory where nothing is held.
    pub fn timeline(&self, title: &str) -> Timeline {
        // Sends between two stages that overlap need lines of their own: by line, when it is free again.
        let mut ends: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        let mut spans: Vec<(Place, Span)> = Vec::new();
        let mut by_start: Vec<(&Role, &Interval)> = self.roles.iter().zip(&self.outcome.times).collect();
        by_start.retain(|(_, time)| time.end > time.start);
        by_start.sort_by(|a, b| a.1.start.total_cmp(&b.1.start));
        for (role, time) in by_start {
            match *role {
                Role::Slot { stage, slot } => {
                    spans.push(((stage, None), span(slot, slot.work.into(), slot.to_smolstr(), time)));
                }
                Role::Transfer { slot, to, stages: [from_stage, to_stage] } => {
                    let lines = ends.entry((from_stage, to_stage)).or_default();
                    let line = lines.iter().position(|end| *end <= time.start).unwrap_or(lines.len());
                    match lines.get_mut(line) {
                        Some(end) => *end = time.end,
                        None => lines.push(time.end),
                    }
                    let name = format_smolstr!("to chunk {to}: {slot}");
                    spans.push(((from_stage, Some((to_stage, line))), span(slot, Category::Communication, name, time)));
                }
            }
        }
        let mut tracks = Vec::new();
        let mut places = BTreeMap::new();
        for stage in 0..self.stages {
            let group = format_smolstr!("stage {stage}");
            places.insert((stage, None), tracks.len());
            tracks.push(Track { group: group.clone(), name: group.clone() });
            for (&(_, to), lines) in ends.range((stage, 0)..(stage + 1, 0)) {
                for line in 0..lines.len() {
                    places.insert((stage, Some((to, line))), tracks.len());
                    tracks.push(Track { group: group.clone(), name: format_smolstr!("{stage} > {to}") });
                }
            }
        }
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
