//! What happened when: spans of time on tracks, and counters over time. The same for what was predicted and what was
//! observed.
//!
//! It is written as a trace for Perfetto and Chrome ([`Timeline::trace`]), as a picture for documents
//! ([`Timeline::svg`]) and as lines for a terminal ([`Timeline::lines`]).

mod lines;
mod svg;
#[cfg(test)]
mod tests;
mod trace;

use partita_ir::schedule::Work;
use smol_str::SmolStr;

/// What a span is spent with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Category {
    /// A forward pass.
    Forward,
    /// Both gradients at once.
    Backward,
    /// Gradients of operands.
    BackwardInput,
    /// Gradients of parameters.
    BackwardWeight,
    /// Bytes on their way.
    Communication,
    /// New parameters.
    Update,
    /// Anything else.
    Other,
}

impl Category {
    /// Every one, in the order of legends.
    pub const ALL: [Category; 7] = [
        Category::Forward,
        Category::Backward,
        Category::BackwardInput,
        Category::BackwardWeight,
        Category::Communication,
        Category::Update,
        Category::Other,
    ];

    /// What legends call it.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Forward => "forward",
            Category::Backward => "backward",
            Category::BackwardInput => "backward input",
            Category::BackwardWeight => "backward weight",
            Category::Communication => "communication",
            Category::Update => "update",
            Category::Other => "other",
        }
    }

    /// A letter for drawings; of works the one that schedules print.
    pub const fn letter(self) -> char {
        match self {
            Category::Forward => Work::Forward.letter(),
            Category::Backward => Work::Backward.letter(),
            Category::BackwardInput => Work::BackwardInput.letter(),
            Category::BackwardWeight => Work::BackwardWeight.letter(),
            Category::Communication => 'c',
            Category::Update => 'U',
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

/// A line of a timeline: of a device, or of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Track {
    /// What it belongs to; tracks of one group follow each other.
    pub group: SmolStr,
    /// What it is called.
    pub name: SmolStr,
}

/// Something that took time.
#[derive(Clone, PartialEq, Debug)]
pub struct Span {
    /// The number of its track.
    pub track: usize,
    /// What it is called.
    pub name: SmolStr,
    /// What is written into it where there is room: the number of a micro-batch. May be empty.
    pub label: SmolStr,
    /// What it is spent with.
    pub category: Category,
    /// When it begins, in seconds.
    pub start: f64,
    /// How long it takes, in seconds.
    pub seconds: f64,
    /// What else is known of it, by name.
    pub arguments: Vec<(SmolStr, SmolStr)>,
}

/// An amount over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Counter {
    /// What it belongs to: a group of tracks.
    pub group: SmolStr,
    /// What is counted.
    pub name: SmolStr,
    /// The amount from a time on, in seconds, until the next one.
    pub samples: Vec<(f64, f64)>,
}

/// What happened when.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Timeline {
    /// What it shows.
    pub title: SmolStr,
    /// Its lines, from above.
    pub tracks: Vec<Track>,
    /// What happened; one whose track does not exist is not drawn.
    pub spans: Vec<Span>,
    /// Amounts over time.
    pub counters: Vec<Counter>,
}

impl Timeline {
    /// When the last span is done, in seconds.
    pub fn end(&self) -> f64 {
        self.spans.iter().map(|span| span.start + span.seconds).fold(0.0, f64::max)
    }

    /// The categories that there are, in the order of legends.
    fn categories(&self) -> Vec<Category> {
        let is_there = |category: &Category| self.spans.iter().any(|span| span.category == *category);
        Category::ALL.into_iter().filter(is_there).collect()
    }

    /// By track, its spans in order of time.
    fn by_track(&self) -> Vec<Vec<&Span>> {
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

/// Seconds as people read them: `12.3 ms`.
fn seconds(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    let unit = UNITS.into_iter().find(|(size, _)| seconds >= *size * 0.9995).unwrap_or((1e-9, "ns"));
    let (whole, places) = (seconds / unit.0, |x: f64| if x < 10.0 { 2 } else { usize::from(x < 100.0) });
    let text = format!("{whole:.*}", places(whole));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {}", unit.1)
}
