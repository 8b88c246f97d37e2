//! Text rendering of a timeline: one line per track, where each column shows the dominant category of its interval.

use super::{Category, Span, Timeline, format_seconds};
use std::fmt::Write;

/// Character of an idle column.
const IDLE_CHAR: char = '.';

impl Category {
    /// Returns the background colour as an index into the 256-colour palette, close to the SVG colours.
    const fn colour(self) -> u8 {
        match self {
            Category::Forward => 74,
            Category::Backward => 166,
            Category::BackwardInput => 214,
            Category::BackwardWeight => 36,
            Category::Communication => 245,
            Category::Update => 175,
            Category::Step => 105,
            Category::Other => 250,
        }
    }
}

impl Timeline {
    /// Renders one line per track, at most `width` columns wide, followed by the scale and a legend. Colour output
    /// paints the background of letters; plain output shows idle time as dots.
    pub fn to_text(&self, width: usize, is_coloured: bool) -> String {
        let names: Vec<String> = self.tracks.iter().map(|track| track.name.to_string()).collect();
        let margin = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(width / 3);
        let columns = width.saturating_sub(margin + 1).max(1);
        let end = self.end();
        let mut text = String::new();
        for (name, spans) in names.iter().zip(self.spans_by_track()) {
            let name: String = name.chars().take(margin).collect();
            let cells = cells(&spans, columns, end);
            let cells = if is_coloured { paint(&cells) } else { plain(&cells) };
            let _ = writeln!(text, "{name:margin$} {}", cells.trim_end());
        }
        let scale = format_seconds(end);
        let _ = writeln!(text, "{:margin$} 0{scale:>1$}", "", columns.saturating_sub(1));
        let legend = |category: Category| {
            let letter = category.letter();
            let key = if is_coloured { paint(&[Some(category)]) } else { letter.to_string() };
            format!("{key} {}", category.name())
        };
        let legend: Vec<String> = self.categories().into_iter().map(legend).collect();
        let _ = writeln!(text, "{:margin$} {}", "", legend.join("  "));
        text
    }
}

/// Returns the dominant category of each column, or `None` for columns that are mostly idle.
pub(super) fn cells(spans: &[&Span], columns: usize, end: f64) -> Vec<Option<Category>> {
    let mut shares = vec![[0.0f64; Category::ALL.len()]; columns];
    let column = if end > 0.0 { columns as f64 / end } else { 0.0 };
    for span in spans {
        let (from, to) = (span.start * column, (span.start + span.seconds) * column);
        let kind = Category::ALL.iter().position(|c| *c == span.category).unwrap_or_default();
        for (at, share) in shares.iter_mut().enumerate().take(to.ceil() as usize).skip(from as usize) {
            share[kind] += (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0);
        }
    }
    let cell = |share: &[f64; Category::ALL.len()]| {
        let busy: f64 = share.iter().sum();
        // Among equals, the first category of the legend is chosen.
        let (most, _) = share.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1))?;
        // Half a column is rounded up, so that spans shorter than one column are visible.
        (busy >= 0.5 - 1e-9).then(|| Category::ALL[most])
    };
    shares.iter().map(cell).collect()
}

fn plain(cells: &[Option<Category>]) -> String {
    cells.iter().map(|cell| cell.map_or(IDLE_CHAR, Category::letter)).collect()
}

/// Paints cells in colour, with one escape sequence per run of equal cells.
fn paint(cells: &[Option<Category>]) -> String {
    let mut text = String::new();
    for run in cells.chunk_by(|a, b| a == b) {
        let letters: String = run.iter().map(|cell| cell.map_or(' ', Category::letter)).collect();
        match run[0] {
            Some(category) => {
                let _ = write!(text, "\x1b[38;5;16;48;5;{}m{letters}\x1b[0m", category.colour());
            }
            None => text.push_str(&letters),
        }
    }
    text
}
