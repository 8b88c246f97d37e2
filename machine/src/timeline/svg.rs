//! A timeline as a picture that needs nothing else: a line for each track, curves for counters, a scale and a legend.
//!
//! Colours are those of Okabe and Ito (2008, Color Universal Design), which people of every kind of sight tell apart,
//! with dark letters on them. Ground and ink follow what the reader's system prefers, light or dark.

use super::lines::cells;
use super::{Category, Counter, Span, Timeline, seconds};
use std::fmt::{Display, Write};

/// Width of the picture.
const WIDTH: f64 = 960.0;
/// Height of a track.
const TRACK: f64 = 24.0;
/// Between two tracks of a group.
const GAP: f64 = 3.0;
/// Between two groups.
const GROUP_GAP: f64 = 8.0;
/// Height of a counter's curve.
const CURVE: f64 = 36.0;
/// Around the picture.
const MARGIN: f64 = 12.0;
/// Where time ends: half of the last number on the scale has room behind it.
const RIGHT: f64 = WIDTH - 28.0;
/// Of a letter, on average.
const LETTER: f64 = 6.4;
/// A track with more spans is drawn as what most of each column was spent with.
const MOST_SPANS: usize = 2000;

const STYLE: &str = "
text{font:11px ui-sans-serif,system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:#24292f}
.t{font-size:14px;font-weight:600}.n{text-anchor:end}.m{text-anchor:middle;fill:#111}.a{text-anchor:middle;fill:#57606a}
.bg{fill:#fff}.row{fill:#f3f5f7}.grid{stroke:#d0d7de;stroke-width:1}.area{fill:#0072b2;fill-opacity:.25;stroke:#0072b2}
.f{fill:#56b4e9}.b{fill:#d55e00}.i{fill:#e69f00}.w{fill:#009e73}.c{fill:#999}.u{fill:#cc79a7}.o{fill:#bbb}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.m{fill:#111}.a{fill:#9da7b1}.bg{fill:#0d1117}.row{fill:#1a2029}
.grid{stroke:#30363d}.area{fill:#56b4e9;fill-opacity:.3;stroke:#56b4e9}}
";

impl Category {
    /// The class of its rectangles.
    const fn class(self) -> &'static str {
        match self {
            Category::Forward => "f",
            Category::Backward => "b",
            Category::BackwardInput => "i",
            Category::BackwardWeight => "w",
            Category::Communication => "c",
            Category::Update => "u",
            Category::Other => "o",
        }
    }
}

impl Timeline {
    /// The picture, as the text of an `.svg` file.
    pub fn svg(&self) -> String {
        let counters: Vec<String> =
            self.counters.iter().map(|counter| format!("{} {}", counter.group, counter.name)).collect();
        let names = self.tracks.iter().map(|track| track.name.as_str()).chain(counters.iter().map(String::as_str));
        let widest = names.map(|name| name.chars().count()).max().unwrap_or(0).min(40);
        let left = MARGIN + widest as f64 * LETTER + 8.0;
        let end = if self.end() > 0.0 { self.end() } else { 1.0 };
        let mut picture = Picture {
            body: String::new(),
            left,
            scale: (RIGHT - left) / end,
            end,
            top: MARGIN,
            rows: String::new(),
            grid: String::new(),
        };
        picture.head(self);
        let first = picture.top;
        let mut group = self.tracks.first().map(|track| &track.group);
        for (track, spans) in self.tracks.iter().zip(self.by_track()) {
            if group.replace(&track.group) != Some(&track.group) {
                picture.top += GROUP_GAP;
            }
            picture.track(&track.name, &spans);
        }
        if !counters.is_empty() {
            picture.top += GROUP_GAP;
        }
        for (counter, name) in self.counters.iter().zip(&counters) {
            picture.curve(counter, name);
        }
        picture.axis(first);
        let height = picture.top + MARGIN;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{}\">\n<style>{STYLE}</style>\n<rect class=\"bg\" \
             width=\"100%\" height=\"100%\"/>\n{}{}{}</svg>\n",
            escaped(&self.title),
            picture.rows,
            picture.grid,
            picture.body,
            height = number(height),
        )
    }
}

/// A picture that is being drawn.
struct Picture {
    body: String,
    /// Where time begins.
    left: f64,
    /// Of a second.
    scale: f64,
    /// Seconds.
    end: f64,
    /// Where the next line begins.
    top: f64,
    /// The ground of lines, behind everything else.
    rows: String,
    /// Lines at round times, before that ground.
    grid: String,
}

impl Picture {
    fn x(&self, seconds: f64) -> f64 {
        self.left + seconds.clamp(0.0, self.end) * self.scale
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: impl Display) {
        let text = escaped(&text.to_string());
        let _ = writeln!(self.body, "<text class=\"{class}\" x=\"{}\" y=\"{}\">{text}</text>", number(x), number(y));
    }

    /// The title, and what the colours mean.
    fn head(&mut self, timeline: &Timeline) {
        if !timeline.title.is_empty() {
            self.text("t", MARGIN, self.top + 12.0, &timeline.title);
            self.top += 24.0;
        }
        let mut x = self.left;
        for category in timeline.categories() {
            let class = category.class();
            let (at, top) = (number(x), number(self.top));
            let _ = writeln!(
                self.body,
                "<rect class=\"{class}\" x=\"{at}\" y=\"{top}\" width=\"12\" height=\"12\" rx=\"2\"/>"
            );
            self.text("l", x + 17.0, self.top + 10.0, category.name());
            x += 17.0 + category.name().len() as f64 * LETTER + 16.0;
        }
        self.top += 22.0;
    }

    fn track(&mut self, name: &str, spans: &[&Span]) {
        self.row(name, TRACK);
        let columns = (self.end * self.scale).round() as usize;
        if spans.len() > MOST_SPANS {
            let mut column = 0;
            for run in cells(spans, columns, self.end).chunk_by(|a, b| a == b) {
                let from = self.left + column as f64;
                column += run.len();
                if let Some(category) = run[0] {
                    let _ = writeln!(self.body, "{}/>", self.rect(category, from, run.len() as f64));
                }
            }
        } else {
            for span in spans {
                self.span(span);
            }
        }
        self.top += TRACK + GAP;
    }

    fn span(&mut self, span: &Span) {
        let (from, to) = (self.x(span.start), self.x(span.start + span.seconds));
        // A little air between neighbours, where there is room for it.
        let width = if to - from > 3.0 { to - from - 0.8 } else { to - from };
        let rect = self.rect(span.category, from, width);
        let title = escaped(&format!("{}: {} from {}", span.name, seconds(span.seconds), seconds(span.start)));
        let _ = writeln!(self.body, "{rect}><title>{title}</title></rect>");
        if !span.label.is_empty() && span.label.chars().count() as f64 * LETTER + 2.0 <= width {
            self.text("m", from + width / 2.0, self.top + TRACK / 2.0 + 4.0, &span.label);
        }
    }

    /// The beginning of a rectangle on the track.
    fn rect(&self, category: Category, from: f64, width: f64) -> String {
        let (class, x, y, width) = (category.class(), number(from), number(self.top + 1.0), number(width));
        format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\"", TRACK - 2.0)
    }

    /// The ground of a line, and its name.
    fn row(&mut self, name: &str, height: f64) {
        let (x, y, width) = (number(self.left), number(self.top), number(RIGHT - self.left));
        let _ = writeln!(self.rows, "<rect class=\"row\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
        self.text("n", self.left - 8.0, self.top + height / 2.0 + 4.0, name);
    }

    /// A counter as steps over time, with its largest amount.
    fn curve(&mut self, counter: &Counter, name: &str) {
        self.row(name, CURVE);
        let most = counter.samples.iter().map(|sample| sample.1).fold(0.0, f64::max);
        let height = |amount: f64| if most > 0.0 { (CURVE - 14.0) * amount.max(0.0) / most } else { 0.0 };
        let bottom = self.top + CURVE;
        let mut path = format!("M{} {}", number(self.left), number(bottom));
        for &(at, amount) in &counter.samples {
            let (x, y) = (self.x(at), bottom - height(amount));
            let _ = write!(path, "H{}V{}", number(x), number(y));
        }
        let _ = write!(path, "H{}V{}Z", number(self.x(self.end)), number(bottom));
        let _ = writeln!(self.body, "<path class=\"area\" d=\"{path}\"/>");
        self.text("l", self.left + 4.0, self.top + 11.0, format!("peak {}", amount(most)));
        self.top += CURVE + GAP;
    }

    /// Lines at round times over everything from there on, and their times below.
    fn axis(&mut self, first: f64) {
        let step = round_step(self.end / 8.0);
        let ticks = (self.end / step + 1e-9).floor() as usize;
        let mut lines = String::new();
        for tick in 0..=ticks {
            let x = number(self.x(tick as f64 * step));
            let (from, to) = (number(first), number(self.top + 3.0));
            let _ = writeln!(lines, "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"{from}\" y2=\"{to}\"/>");
        }
        self.grid = lines;
        for tick in 0..=ticks {
            let at = tick as f64 * step;
            let text = if tick == 0 { "0".into() } else { seconds(at) };
            self.text("a", self.x(at), self.top + 15.0, text);
        }
        self.top += 18.0;
    }
}

/// The first of 1, 2, 5, 10, 20 ... times a power of ten that is no less.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// An amount as it is, or as bytes where it is too large to be anything else.
fn amount(x: f64) -> String {
    if x >= 1024.0 { partita_ir::units::bytes(x as u64) } else { number(x) }
}

/// A number with at most two places.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// A text within XML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
