//! SVG rendering of a timeline without external resources: a row per track, curves of counters, a scale and a legend.
//!
//! The palette is that of Okabe and Ito (2008, Color Universal Design), which is distinguishable with colour blindness,
//! with dark text on top. Background and text colours follow the viewer's colour scheme (`prefers-color-scheme`).

use super::text::cells;
use super::{Category, Counter, Span, Timeline, format_seconds};
use std::fmt::{Display, Write};

/// Width of the image in pixels.
const IMAGE_WIDTH: f64 = 960.0;
/// Height of a track in pixels.
const TRACK_HEIGHT: f64 = 24.0;
/// Gap between two tracks of a group in pixels.
const TRACK_GAP: f64 = 3.0;
/// Gap between two groups in pixels.
const GROUP_GAP: f64 = 8.0;
/// Height of a counter's curve in pixels.
const CURVE_HEIGHT: f64 = 36.0;
/// Margin around the image in pixels.
const MARGIN: f64 = 12.0;
/// Right end of the time axis in pixels, with room for half of the last label.
const AXIS_END: f64 = IMAGE_WIDTH - 28.0;
/// Average width of a letter in pixels.
const LETTER_WIDTH: f64 = 6.4;
/// Maximum number of spans drawn individually per track. A track with more spans is drawn as the dominant category of
/// each pixel column.
const MAX_DRAWN_SPANS: usize = 2000;

/// Style sheet with one class per element and category.
const STYLE: &str = "
text{font:11px ui-sans-serif,system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:#24292f}
.t{font-size:14px;font-weight:600}.n{text-anchor:end}.m{text-anchor:middle;fill:#111}.a{text-anchor:middle;fill:#57606a}
.bg{fill:#fff}.row{fill:#f3f5f7}.grid{stroke:#d0d7de;stroke-width:1}.area{fill:#0072b2;fill-opacity:.25;stroke:#0072b2}
.f{fill:#56b4e9}.b{fill:#d55e00}.i{fill:#e69f00}.w{fill:#009e73}.c{fill:#999}.u{fill:#cc79a7}.o{fill:#bbb}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.m{fill:#111}.a{fill:#9da7b1}.bg{fill:#0d1117}.row{fill:#1a2029}
.grid{stroke:#30363d}.area{fill:#56b4e9;fill-opacity:.3;stroke:#56b4e9}}
";

impl Category {
    /// Returns the CSS class of the category's rectangles.
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
    /// Renders the timeline as the text of an `.svg` file.
    pub fn to_svg(&self) -> String {
        let counters: Vec<String> =
            self.counters.iter().map(|counter| format!("{} {}", counter.group, counter.name)).collect();
        let names = self.tracks.iter().map(|track| track.name.as_str()).chain(counters.iter().map(String::as_str));
        let widest = names.map(|name| name.chars().count()).max().unwrap_or(0).min(40);
        let left = MARGIN + widest as f64 * LETTER_WIDTH + 8.0;
        let end = if self.end() > 0.0 { self.end() } else { 1.0 };
        let mut image = SvgImage {
            body: String::new(),
            left,
            scale: (AXIS_END - left) / end,
            end,
            top: MARGIN,
            rows: String::new(),
            grid: String::new(),
        };
        image.head(self);
        let first = image.top;
        let mut group = self.tracks.first().map(|track| &track.group);
        for (track, spans) in self.tracks.iter().zip(self.spans_by_track()) {
            if group.replace(&track.group) != Some(&track.group) {
                image.top += GROUP_GAP;
            }
            image.track(&track.name, &spans);
        }
        if !counters.is_empty() {
            image.top += GROUP_GAP;
        }
        for (counter, name) in self.counters.iter().zip(&counters) {
            image.curve(counter, name);
        }
        image.axis(first);
        let height = image.top + MARGIN;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {IMAGE_WIDTH} {height}\" width=\"{IMAGE_WIDTH}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{}\">\n<style>{STYLE}</style>\n<rect class=\"bg\" \
             width=\"100%\" height=\"100%\"/>\n{}{}{}</svg>\n",
            escape(&self.title),
            image.rows,
            image.grid,
            image.body,
            height = format_number(height),
        )
    }
}

/// SVG image under construction.
struct SvgImage {
    body: String,
    /// Left end of the time axis in pixels.
    left: f64,
    /// Pixels per second.
    scale: f64,
    /// End time in seconds.
    end: f64,
    /// Top of the next row in pixels.
    top: f64,
    /// Backgrounds of rows, drawn below everything else.
    rows: String,
    /// Grid lines, drawn on top of the backgrounds.
    grid: String,
}

impl SvgImage {
    /// Returns the horizontal position of a time, in pixels.
    fn x(&self, seconds: f64) -> f64 {
        self.left + seconds.clamp(0.0, self.end) * self.scale
    }

    /// Draws escaped text of a CSS class at a position in pixels.
    fn text(&mut self, class: &str, x: f64, y: f64, text: impl Display) {
        let text = escape(&text.to_string());
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\">{text}</text>",
            format_number(x),
            format_number(y)
        );
    }

    /// Draws the title and the legend.
    fn head(&mut self, timeline: &Timeline) {
        if !timeline.title.is_empty() {
            self.text("t", MARGIN, self.top + 12.0, &timeline.title);
            self.top += 24.0;
        }
        let mut x = self.left;
        for category in timeline.categories() {
            let class = category.class();
            let (at, top) = (format_number(x), format_number(self.top));
            let _ = writeln!(
                self.body,
                "<rect class=\"{class}\" x=\"{at}\" y=\"{top}\" width=\"12\" height=\"12\" rx=\"2\"/>"
            );
            self.text("l", x + 17.0, self.top + 10.0, category.name());
            x += 17.0 + category.name().len() as f64 * LETTER_WIDTH + 16.0;
        }
        self.top += 22.0;
    }

    /// Draws a track as a row of spans.
    fn track(&mut self, name: &str, spans: &[&Span]) {
        self.row(name, TRACK_HEIGHT);
        let columns = (self.end * self.scale).round() as usize;
        if spans.len() > MAX_DRAWN_SPANS {
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
        self.top += TRACK_HEIGHT + TRACK_GAP;
    }

    /// Draws a span with its tooltip, and its label if the span is wide enough.
    fn span(&mut self, span: &Span) {
        let (from, to) = (self.x(span.start), self.x(span.start + span.seconds));
        // Leaves a small gap between neighbouring spans if they are wide enough.
        let width = if to - from > 3.0 { to - from - 0.8 } else { to - from };
        let rect = self.rect(span.category, from, width);
        let title =
            escape(&format!("{}: {} from {}", span.name, format_seconds(span.seconds), format_seconds(span.start)));
        let _ = writeln!(self.body, "{rect}><title>{title}</title></rect>");
        if !span.label.is_empty() && span.label.chars().count() as f64 * LETTER_WIDTH + 2.0 <= width {
            self.text("m", from + width / 2.0, self.top + TRACK_HEIGHT / 2.0 + 4.0, &span.label);
        }
    }

    /// Returns the start of a `rect` element in the current row.
    fn rect(&self, category: Category, from: f64, width: f64) -> String {
        let (class, x, y, width) =
            (category.class(), format_number(from), format_number(self.top + 1.0), format_number(width));
        format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\"", TRACK_HEIGHT - 2.0)
    }

    /// Draws the background and the name of a row.
    fn row(&mut self, name: &str, height: f64) {
        let (x, y, width) = (format_number(self.left), format_number(self.top), format_number(AXIS_END - self.left));
        let _ = writeln!(self.rows, "<rect class=\"row\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
        self.text("n", self.left - 8.0, self.top + height / 2.0 + 4.0, name);
    }

    /// Draws a counter as a step function, with its maximum.
    fn curve(&mut self, counter: &Counter, name: &str) {
        self.row(name, CURVE_HEIGHT);
        let most = counter.samples.iter().map(|sample| sample.1).fold(0.0, f64::max);
        let height = |amount: f64| if most > 0.0 { (CURVE_HEIGHT - 14.0) * amount.max(0.0) / most } else { 0.0 };
        let bottom = self.top + CURVE_HEIGHT;
        let mut path = format!("M{} {}", format_number(self.left), format_number(bottom));
        for &(at, amount) in &counter.samples {
            let (x, y) = (self.x(at), bottom - height(amount));
            let _ = write!(path, "H{}V{}", format_number(x), format_number(y));
        }
        let _ = write!(path, "H{}V{}Z", format_number(self.x(self.end)), format_number(bottom));
        let _ = writeln!(self.body, "<path class=\"area\" d=\"{path}\"/>");
        self.text("l", self.left + 4.0, self.top + 11.0, format!("peak {}", format_amount(most)));
        self.top += CURVE_HEIGHT + TRACK_GAP;
    }

    /// Draws grid lines from the vertical position `first`, in pixels, to the current row, and the axis labels below.
    fn axis(&mut self, first: f64) {
        let step = round_step(self.end / 8.0);
        let ticks = (self.end / step + 1e-9).floor() as usize;
        let mut lines = String::new();
        for tick in 0..=ticks {
            let x = format_number(self.x(tick as f64 * step));
            let (from, to) = (format_number(first), format_number(self.top + 3.0));
            let _ = writeln!(lines, "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"{from}\" y2=\"{to}\"/>");
        }
        self.grid = lines;
        for tick in 0..=ticks {
            let at = tick as f64 * step;
            let text = if tick == 0 { "0".into() } else { format_seconds(at) };
            self.text("a", self.x(at), self.top + 15.0, text);
        }
        self.top += 18.0;
    }
}

/// Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// Formats an amount, as bytes if it is at least 1024.
fn format_amount(x: f64) -> String {
    if x >= 1024.0 { partita_ir::units::format_bytes(x as u64) } else { format_number(x) }
}

/// Formats a number with at most two decimal places.
fn format_number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Escapes text for XML.
fn escape(text: &str) -> String {
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
