//! Draws diagnostics for people: title, the places with their source lines, notes, and advice as a diff.
//!
//! [`render`] is the only place that draws a [`Diagnostic`]; everything below it is about showing little of a large
//! source: lines far from any label are left out, and long lines are cut around the labels.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};
use partita_ir::diag::{Diagnostic, Help, Label, Severity, Source, Span};
use std::ops::Range;
use std::sync::Arc;

/// Labels of one source that are further apart than this many lines are drawn as two snippets.
const APART: usize = 8;

/// Lines longer than this many bytes are cut around their labels.
const LONG: usize = 160;

/// How much of a cut line stays on either side of a label, in bytes.
const AROUND: usize = 48;

/// The most bytes of one label that are shown.
const LABEL: usize = 96;

/// Draws diagnostics one after the other, a blank line between them. `styled` adds terminal colours.
pub fn render(diagnostics: &[Diagnostic], styled: bool) -> String {
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    let drawn: Vec<String> = diagnostics.iter().map(|d| renderer.render(&groups(d))).collect();
    drawn.join("\n\n")
}

/// The error itself, then one group for each piece of advice that comes with a replacement.
fn groups(d: &Diagnostic) -> Vec<Group<'static>> {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(d.title.clone()).id(d.code.name());
    let mut error = Group::with_title(title);
    for cluster in clusters(&d.labels) {
        error = draw_labels(error, &cluster);
    }
    if let (Some(place), true) = (&d.line, d.labels.is_empty()) {
        error = error.element(Origin::path(place.0.clone()).line(place.1 as usize));
    }
    error = error.elements(d.notes.iter().map(|n| Level::NOTE.message(n.clone())));
    // Advice without a replacement stands with the notes, unless it says "or" to advice that has one.
    let first = d.helps.iter().position(|h| h.replace.is_some()).unwrap_or(d.helps.len());
    let (with_notes, apart) = d.helps.split_at(first);
    error = error.elements(with_notes.iter().map(|h| Level::HELP.message(h.text.clone())));
    std::iter::once(error).chain(apart.iter().map(draw_help)).collect()
}

fn draw_labels(group: Group<'static>, labels: &[&Label]) -> Group<'static> {
    let Some(first) = labels.iter().find(|l| l.primary).or(labels.first()) else { return group };
    let spans: Vec<&Span> = labels.iter().map(|l| &l.span).collect();
    let excerpt = Excerpt::new(&spans);
    let annotations = labels.iter().zip(&excerpt.ranges).map(|(label, range)| annotation(label, range.clone()));
    let (line, column) = first.span.line_column();
    let snippet = Snippet::source(excerpt.text.clone()).line_start(excerpt.line).annotations(annotations);
    if excerpt.cut {
        // Columns in the excerpt are not those of the file: say the true place instead of letting it be counted.
        let place = Origin::path(first.span.source.name.clone()).line(line).char_column(column);
        group.element(snippet).element(place)
    } else {
        group.element(snippet.path(first.span.source.name.clone()))
    }
}

fn annotation(label: &Label, range: Range<usize>) -> Annotation<'static> {
    let kind = if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let text = (!label.text.is_empty()).then(|| label.text.clone());
    kind.span(range).label(text)
}

/// Advice in a group of its own, with the replacement as a difference.
fn draw_help(help: &Help) -> Group<'static> {
    let title = Level::HELP.secondary_title(help.text.clone());
    let Some((span, with)) = &help.replace else { return Group::with_title(title) };
    let excerpt = Excerpt::new(&[span]);
    let path = (!excerpt.cut).then(|| span.source.name.clone());
    let range = excerpt.ranges.first().cloned().unwrap_or_default();
    let snippet = Snippet::source(excerpt.text).line_start(excerpt.line).path(path);
    title.element(snippet.patch(Patch::new(range, with.clone())))
}

/// Labels that are drawn in one snippet: same source, near each other. The snippet of the first guilty place comes
/// first.
fn clusters(labels: &[Label]) -> Vec<Vec<&Label>> {
    let mut sources: Vec<&Arc<Source>> = Vec::new();
    for label in labels.iter().filter(|l| l.primary).chain(labels) {
        if !sources.contains(&&label.span.source) {
            sources.push(&label.span.source);
        }
    }
    let mut clusters: Vec<Vec<&Label>> = Vec::new();
    for source in sources {
        let mut here: Vec<(usize, &Label)> =
            labels.iter().filter(|l| l.span.source == *source).map(|l| (l.span.line_column().0, l)).collect();
        here.sort_by_key(|(line, l)| (*line, l.span.range.start));
        let near = here.chunk_by(|(a, _), (b, _)| b - a <= APART);
        clusters.extend(near.map(|c| c.iter().map(|(_, l)| *l).collect::<Vec<_>>()));
    }
    // Stable: clusters without a guilty place keep their order behind those with one.
    clusters.sort_by_key(|c| !c.iter().any(|l| l.primary));
    clusters
}

/// The lines of a source from the first to the last of some spans, with long lines cut.
struct Excerpt {
    text: String,
    /// Number of the first line, counted from 1.
    line: usize,
    /// Each span's place in `text`.
    ranges: Vec<Range<usize>>,
    /// Whether a line with a span lost its beginning.
    cut: bool,
}

impl Excerpt {
    /// `spans` are of one source.
    fn new(spans: &[&Span]) -> Excerpt {
        let text = spans.first().map_or("", |s| s.source.text.as_str());
        let clamped: Vec<Range<usize>> = spans.iter().map(|s| clamp(text, &s.range)).collect();
        let first = clamped.iter().map(|r| r.start).min().unwrap_or(0);
        let last = clamped.iter().map(|r| r.start).max().unwrap_or(0);
        let start = text[..first].rfind('\n').map_or(0, |i| i + 1);
        let end = last + text[last..].find('\n').unwrap_or(text.len() - last);
        let line = 1 + text[..start].bytes().filter(|&b| b == b'\n').count();
        let mut excerpt = Excerpt { text: String::new(), line, ranges: vec![0..0; spans.len()], cut: false };
        let mut at = start;
        for content in text[start..end].split('\n') {
            excerpt.push_line(text, at..at + content.len(), &clamped);
            at += content.len() + 1;
        }
        excerpt
    }

    /// Appends a line of the source, cut when it is long, and places the spans that begin on it.
    fn push_line(&mut self, text: &str, line: Range<usize>, spans: &[Range<usize>]) {
        let here: Vec<usize> =
            (0..spans.len()).filter(|&i| line.start <= spans[i].start && spans[i].start <= line.end).collect();
        let mut shown = line.clone();
        if line.len() > LONG {
            let from = here.iter().map(|&i| spans[i].start).min().unwrap_or(line.start);
            let to = here.iter().map(|&i| spans[i].end).max().unwrap_or(line.start);
            shown.start = floor(text, from.saturating_sub(AROUND).max(line.start));
            // Spans at opposite ends of a long line cannot both be seen; the first one is.
            shown.end = floor(text, to.min(from + LABEL + AROUND).saturating_add(AROUND).min(line.end));
        }
        let base = self.text.len();
        if shown.start > line.start {
            self.text.push_str("... ");
            self.cut |= !here.is_empty();
        }
        let moved = self.text.len();
        self.text.push_str(&text[shown.clone()]);
        for i in here {
            let place = |at: usize| moved + at.clamp(shown.start, shown.end) - shown.start;
            self.ranges[i] = place(spans[i].start).max(base)..place(spans[i].end);
        }
        if shown.end < line.end {
            self.text.push_str(" ...");
        }
        self.text.push('\n');
    }
}

/// The span within the text, on letter boundaries, ending on the line where it begins and not too long.
fn clamp(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = floor(text, range.start);
    let line_end = start + text[start..].find('\n').unwrap_or(text.len() - start);
    let end = floor(text, range.end.min(line_end).min(start + LABEL)).max(start);
    start..end
}

/// The last letter boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}
