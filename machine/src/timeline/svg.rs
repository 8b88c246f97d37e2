//! SVG rendering of a timeline without external resources: a row per track, curves of counters, a scale and a legend.
//! [`Timeline::to_svg`] returns a file, and [`Timeline::to_svg_element`] an element of an HTML page.
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

/// Maximum number of spans of an element whose spans have tooltips. More spans are drawn without, in less text.
const MAX_TOOLTIPS: usize = 400;
/// Maximum number of spans drawn individually per track of an element.
const MAX_ELEMENT_SPANS: usize = 300;

/// Style sheet with one class per element and category.
const STYLE: &str = "
text{font:11px ui-sans-serif,system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:#24292f}
.t{font-size:14px;font-weight:600}.n{text-anchor:end}.m{text-anchor:middle;fill:#111}.a{text-anchor:middle;fill:#57606a}
.bg{fill:#fff}.row{fill:#f3f5f7}.grid{stroke:#d0d7de;stroke-width:1}.area{fill:#0072b2;fill-opacity:.25;stroke:#0072b2}
.f{fill:#56b4e9}.b{fill:#d55e00}.i{fill:#e69f00}.w{fill:#009e73}.c{fill:#999}.u{fill:#cc79a7}.s{fill:#8a8ae6}
.o{fill:#bbb}
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
            Category::Step => "s",
            Category::Other => "o",
        }
    }
}

impl Timeline {
    /// Renders the timeline as the text of an `.svg` file.
    pub fn to_svg(&self) -> String {
        let mut image = SvgImage::new(self, SpanStyle::Tooltips, MAX_DRAWN_SPANS);
        image.heading(self);
        image.draw(self, true);
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

    /// Renders the timeline as an `svg` element of an HTML page, as wide as its container. The page defines the style
    /// of its classes: those of `to_svg`, below `.timeline`. `id` is the prefix of the ids of its title and
    /// description. Without `has_scale`, times have no unit and the scale is left out.
    pub fn to_svg_element(&self, id: &str, description: &str, has_scale: bool) -> String {
        let has_tooltips = has_scale && self.spans.len() <= MAX_TOOLTIPS;
        let style = if has_tooltips { SpanStyle::Tooltips } else { SpanStyle::Paths };
        let mut image = SvgImage::new(self, style, MAX_ELEMENT_SPANS);
        image.draw(self, has_scale);
        let (id, title) = (escape(id), escape(&self.title));
        format!(
            "<svg class=\"timeline\" viewBox=\"0 0 {IMAGE_WIDTH} {}\" role=\"img\" aria-labelledby=\"{id}-title \
             {id}-description\"><title id=\"{id}-title\">{title}</title><desc id=\"{id}-description\">{}</desc>\n\
             {}{}{}</svg>\n",
            format_number(image.top + MARGIN),
            escape(description),
            image.rows,
            image.grid,
            image.body,
        )
    }
}

/// Rendering of the spans of a track.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SpanStyle {
    /// An element for each span, with a tooltip.
    Tooltips,
    /// One path for all spans of a category.
    Paths,
}

/// SVG image under construction.
struct SvgImage {
    body: String,
    style: SpanStyle,
    /// Maximum number of spans drawn individually per track.
    max_spans: usize,
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
    /// Creates an empty image with room for the names of all rows.
    fn new(timeline: &Timeline, style: SpanStyle, max_spans: usize) -> SvgImage {
        let counters: Vec<String> = timeline.counters.iter().map(row_name).collect();
        let names = timeline.tracks.iter().map(|track| track.name.as_str()).chain(counters.iter().map(String::as_str));
        let widest = names.map(|name| name.chars().count()).max().unwrap_or(0).min(40);
        let left = MARGIN + widest as f64 * LETTER_WIDTH + 8.0;
        let end = if timeline.end() > 0.0 { timeline.end() } else { 1.0 };
        SvgImage {
            body: String::new(),
            style,
            max_spans,
            left,
            scale: (AXIS_END - left) / end,
            end,
            top: MARGIN,
            rows: String::new(),
            grid: String::new(),
        }
    }

    /// Draws the legend, the tracks, the counters and, with `has_scale`, the grid and the scale.
    fn draw(&mut self, timeline: &Timeline, has_scale: bool) {
        self.legend(timeline);
        let first = self.top;
        let mut group = timeline.tracks.first().map(|track| &track.group);
        for (track, spans) in timeline.tracks.iter().zip(timeline.spans_by_track()) {
            if group.replace(&track.group) != Some(&track.group) {
                self.top += GROUP_GAP;
            }
            self.track(&track.name, &spans);
        }
        if !timeline.counters.is_empty() {
            self.top += GROUP_GAP;
        }
        for counter in &timeline.counters {
            self.curve(counter, &row_name(counter));
        }
        if has_scale {
            self.axis(first);
        }
    }

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

    /// Draws the title.
    fn heading(&mut self, timeline: &Timeline) {
        if !timeline.title.is_empty() {
            self.text("t", MARGIN, self.top + 12.0, &timeline.title);
            self.top += 24.0;
        }
    }

    /// Draws the legend.
    fn legend(&mut self, timeline: &Timeline) {
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
        if spans.len() > self.max_spans {
            self.columns(spans);
        } else if self.style == SpanStyle::Tooltips {
            spans.iter().for_each(|span| self.span(span));
        } else {
            let boxes = spans.iter().map(|span| (span.category, self.extent(span))).collect();
            self.boxes(boxes);
            spans.iter().for_each(|span| self.label(span));
        }
        self.top += TRACK_HEIGHT + TRACK_GAP;
    }

    /// Draws a track with many spans as the dominant category of each pixel column.
    fn columns(&mut self, spans: &[&Span]) {
        let columns = (self.end * self.scale).round() as usize;
        let (mut boxes, mut column) = (Vec::new(), 0);
        for run in cells(spans, columns, self.end).chunk_by(|a, b| a == b) {
            let from = self.left + column as f64;
            column += run.len();
            boxes.extend(run[0].map(|category| (category, (from, run.len() as f64))));
        }
        self.boxes(boxes);
    }

    /// Draws boxes of the current row, each with its left end and width, as one path for each category.
    fn boxes(&mut self, boxes: Vec<(Category, (f64, f64))>) {
        let (top, height) = (format_number(self.top + 1.0), TRACK_HEIGHT - 2.0);
        for category in Category::ALL {
            let of_category = boxes.iter().filter(|(of, _)| *of == category);
            let path: String = of_category
                .map(|(_, (from, width))| {
                    let (from, width) = (format_number(*from), format_number(*width));
                    format!("M{from} {top}h{width}v{height}h-{width}z")
                })
                .collect();
            if !path.is_empty() {
                let _ = writeln!(self.body, "<path class=\"{}\" d=\"{path}\"/>", category.class());
            }
        }
    }

    /// Returns the left end and the width of a span in pixels, with a small gap to its neighbour if it is wide enough.
    fn extent(&self, span: &Span) -> (f64, f64) {
        let (from, to) = (self.x(span.start), self.x(span.start + span.seconds));
        (from, if to - from > 3.0 { to - from - 0.8 } else { to - from })
    }

    /// Draws a span with its tooltip, and its label if the span is wide enough.
    fn span(&mut self, span: &Span) {
        let (from, width) = self.extent(span);
        let rect = self.rect(span.category, from, width);
        let title =
            escape(&format!("{}: {} from {}", span.name, format_seconds(span.seconds), format_seconds(span.start)));
        let _ = writeln!(self.body, "{rect}><title>{title}</title></rect>");
        self.label(span);
    }

    /// Draws the label of a span if the span is wide enough.
    fn label(&mut self, span: &Span) {
        let (from, width) = self.extent(span);
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

/// Returns the name of a counter's row.
fn row_name(counter: &Counter) -> String {
    format!("{} {}", counter.group, counter.name)
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
