//! Rendering of diagnostics: title, labelled source lines, notes, and helps with replacements as a diff.
//!
//! [`render`] is the only function that renders a [`Diagnostic`]. Large sources are shortened: lines far from any label
//! are left out, and long lines are cut around the labels.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};
use partita_ir::diag::{Diagnostic, Help, Label, Severity, Source, Span};
use std::ops::Range;
use std::sync::Arc;

/// Maximum distance in lines between labels of one snippet.
const MAX_LINE_GAP: usize = 8;

/// Maximum length in bytes of a line that is not cut around its labels.
const MAX_LINE_BYTES: usize = 160;

/// Number of bytes of a cut line on either side of a label.
const CONTEXT_BYTES: usize = 48;

/// Maximum number of bytes of a label that are shown.
const MAX_LABEL_BYTES: usize = 96;

/// Renders diagnostics, separated by blank lines. `styled` adds terminal colours.
pub fn render(diagnostics: &[Diagnostic], styled: bool) -> String {
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    let drawn: Vec<String> = diagnostics.iter().map(|d| renderer.render(&groups(d))).collect();
    drawn.join("\n\n")
}

/// Returns the group of the error, and one for each help from the first with a replacement on.
fn groups(d: &Diagnostic) -> Vec<Group<'static>> {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(d.title.clone()).id(d.code.name());
    let mut error = Group::with_title(title);
    for cluster in clusters(&d.labels) {
        error = snippet_group(error, &cluster);
    }
    if let (Some(place), true) = (&d.line, d.labels.is_empty()) {
        error = error.element(Origin::path(place.0.clone()).line(place.1 as usize));
    }
    error = error.elements(d.notes.iter().map(|n| Level::NOTE.message(n.clone())));
    // Helps without a replacement are shown with the notes, unless they follow one with a replacement ("or").
    let first = d.helps.iter().position(|h| h.replace.is_some()).unwrap_or(d.helps.len());
    let (with_notes, separate) = d.helps.split_at(first);
    error = error.elements(with_notes.iter().map(|h| Level::HELP.message(h.text.clone())));
    std::iter::once(error).chain(separate.iter().map(help_group)).collect()
}

fn snippet_group(group: Group<'static>, labels: &[&Label]) -> Group<'static> {
    let Some(first) = labels.iter().find(|l| l.primary).or(labels.first()) else { return group };
    let spans: Vec<&Span> = labels.iter().map(|l| &l.span).collect();
    let excerpt = Excerpt::new(&spans);
    let annotations = labels.iter().zip(&excerpt.ranges).map(|(label, range)| annotation(label, range.clone()));
    let (line, column) = first.span.line_column();
    let snippet = Snippet::source(excerpt.text.clone()).line_start(excerpt.line).annotations(annotations);
    if excerpt.cut {
        // Columns in the excerpt differ from those in the file, so that the location is given explicitly.
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

/// Returns a group for a help, with its replacement as a diff.
fn help_group(help: &Help) -> Group<'static> {
    let title = Level::HELP.secondary_title(help.text.clone());
    let Some((span, with)) = &help.replace else { return Group::with_title(title) };
    let excerpt = Excerpt::new(&[span]);
    let path = (!excerpt.cut).then(|| span.source.name.clone());
    let range = excerpt.ranges.first().cloned().unwrap_or_default();
    let snippet = Snippet::source(excerpt.text).line_start(excerpt.line).path(path);
    title.element(snippet.patch(Patch::new(range, with.clone())))
}

/// Groups labels by snippet: same source, nearby lines. The snippet of the first primary label comes first.
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
        let near = here.chunk_by(|(a, _), (b, _)| b - a <= MAX_LINE_GAP);
        clusters.extend(near.map(|c| c.iter().map(|(_, l)| *l).collect::<Vec<_>>()));
    }
    // Stable sort: snippets without a primary label keep their order after those with one.
    clusters.sort_by_key(|c| !c.iter().any(|l| l.primary));
    clusters
}

/// Lines of a source from the first to the last span, with long lines cut.
struct Excerpt {
    text: String,
    /// Number of the first line, counted from 1.
    line: usize,
    /// Range of each span in `text`.
    ranges: Vec<Range<usize>>,
    /// True if the beginning of a line with a span was cut.
    cut: bool,
}

impl Excerpt {
    /// Creates an excerpt. All spans must be of one source.
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

    /// Appends a line of the source, cut if it is long, and sets the ranges of spans that begin on it.
    fn push_line(&mut self, text: &str, line: Range<usize>, spans: &[Range<usize>]) {
        let here: Vec<usize> =
            (0..spans.len()).filter(|&i| line.start <= spans[i].start && spans[i].start <= line.end).collect();
        let mut shown = line.clone();
        if line.len() > MAX_LINE_BYTES {
            let from = here.iter().map(|&i| spans[i].start).min().unwrap_or(line.start);
            let to = here.iter().map(|&i| spans[i].end).max().unwrap_or(line.start);
            shown.start = floor_char_boundary(text, from.saturating_sub(CONTEXT_BYTES).max(line.start));
            // For spans at opposite ends of a long line, only the first one is shown.
            shown.end = floor_char_boundary(
                text,
                to.min(from + MAX_LABEL_BYTES + CONTEXT_BYTES).saturating_add(CONTEXT_BYTES).min(line.end),
            );
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

/// Clamps a span to character boundaries, to the line where it begins, and to `MAX_LABEL_BYTES` bytes.
fn clamp(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = floor_char_boundary(text, range.start);
    let line_end = start + text[start..].find('\n').unwrap_or(text.len() - start);
    let end = floor_char_boundary(text, range.end.min(line_end).min(start + MAX_LABEL_BYTES)).max(start);
    start..end
}

/// Returns the last character boundary at or before `at`.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}
