//! Timelines: spans of time on tracks, and counters over time, for predicted and measured runs.
//!
//! Output formats: traces for Perfetto and Chrome ([`Timeline::write_trace`]), SVG images ([`Timeline::to_svg`]) and
//! text for a terminal ([`Timeline::to_text`]).

mod svg;
#[cfg(test)]
mod tests;
mod text;
mod trace;

use partita_ir::schedule::Work;
use smol_str::SmolStr;

/// Category of a span.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Category {
    /// Forward pass.
    Forward,
    /// Backward pass that computes both gradients.
    Backward,
    /// Backward pass that computes gradients of activations.
    BackwardInput,
    /// Backward pass that computes gradients of parameters.
    BackwardWeight,
    /// Communication.
    Communication,
    /// Parameter update.
    Update,
    /// Full training step that is one program: forward pass, backward pass and update.
    Step,
    /// Other activity.
    Other,
}

impl Category {
    /// All categories in the order of legends.
    pub const ALL: [Category; 8] = [
        Category::Forward,
        Category::Backward,
        Category::BackwardInput,
        Category::BackwardWeight,
        Category::Communication,
        Category::Update,
        Category::Step,
        Category::Other,
    ];

    /// Returns the name in legends.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Forward => "forward",
            Category::Backward => "backward",
            Category::BackwardInput => "backward input",
            Category::BackwardWeight => "backward weight",
            Category::Communication => "communication",
            Category::Update => "update",
            Category::Step => "step",
            Category::Other => "other",
        }
    }

    /// Returns the letter in text drawings. Letters of pipeline work equal those of printed schedules.
    pub const fn letter(self) -> char {
        match self {
            Category::Forward => Work::Forward.letter(),
            Category::Backward => Work::Backward.letter(),
            Category::BackwardInput => Work::BackwardInput.letter(),
            Category::BackwardWeight => Work::BackwardWeight.letter(),
            Category::Communication => 'c',
            Category::Update => 'U',
            Category::Step => 'S',
            Category::Other => 'o',
        }
    }
}

impl From<Work> for Category {
    fn from(work: Work) -> Category {
        match work {
            Work::Forward => Category::Forward,
            Work::Backward => Category::Backward,
            Work::BackwardInput => Category::BackwardInput,
            Work::BackwardWeight => Category::BackwardWeight,
        }
    }
}

/// Track of a timeline: a device or a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Track {
    /// Group of the track. Tracks of one group are consecutive.
    pub group: SmolStr,
    /// Name of the track.
    pub name: SmolStr,
}

/// Activity on a track.
#[derive(Clone, PartialEq, Debug)]
pub struct Span {
    /// Index of the track.
    pub track: usize,
    /// Name of the span.
    pub name: SmolStr,
    /// Label drawn inside the span if there is room, such as the index of a micro-batch. May be empty.
    pub label: SmolStr,
    /// Category of the span.
    pub category: Category,
    /// Start time in seconds.
    pub start: f64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Further properties as names and values.
    pub arguments: Vec<(SmolStr, SmolStr)>,
}

/// Quantity over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Counter {
    /// Group of tracks that the counter belongs to.
    pub group: SmolStr,
    /// Name of the counted quantity.
    pub name: SmolStr,
    /// Samples as time in seconds and amount. An amount is valid until the next sample.
    pub samples: Vec<(f64, f64)>,
}

/// Spans and counters of a run.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Timeline {
    /// Title of the timeline.
    pub title: SmolStr,
    /// Tracks from top to bottom.
    pub tracks: Vec<Track>,
    /// Spans of all tracks. A span whose track does not exist is not drawn.
    pub spans: Vec<Span>,
    /// Counters over time.
    pub counters: Vec<Counter>,
}

impl Timeline {
    /// Returns the end time of the last span in seconds.
    pub fn end(&self) -> f64 {
        self.spans.iter().map(|span| span.start + span.seconds).fold(0.0, f64::max)
    }

    /// Returns the categories that occur, in the order of legends.
    fn categories(&self) -> Vec<Category> {
        let is_there = |category: &Category| self.spans.iter().any(|span| span.category == *category);
        Category::ALL.into_iter().filter(is_there).collect()
    }

    /// Returns the spans of each track in order of start time.
    fn spans_by_track(&self) -> Vec<Vec<&Span>> {
        let mut tracks: Vec<Vec<&Span>> = vec![Vec::new(); self.tracks.len()];
        for span in self.spans.iter().filter(|span| span.start.is_finite() && span.seconds.is_finite()) {
            if let Some(track) = tracks.get_mut(span.track) {
                track.push(span);
            }
        }
        tracks.iter_mut().for_each(|track| track.sort_by(|a, b| a.start.total_cmp(&b.start)));
        tracks
    }
}

/// Formats seconds with a unit: `12.3 ms`.
fn format_seconds(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    let unit = UNITS.into_iter().find(|(size, _)| seconds >= *size * 0.9995).unwrap_or((1e-9, "ns"));
    let (whole, places) = (seconds / unit.0, |x: f64| if x < 10.0 { 2 } else { usize::from(x < 100.0) });
    let text = format!("{whole:.*}", places(whole));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {}", unit.1)
}
