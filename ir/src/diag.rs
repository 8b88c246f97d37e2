//! Diagnostics: what is wrong, where, the arithmetic, and what to write instead. Plain data; only the CLI draws.

mod codes;
mod shell;

pub use codes::{Code, explain};
pub use shell::{shell_path, shell_word};

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A text that diagnostics point into: a file, or a flag of the command line.
#[derive(PartialEq, Eq, Debug)]
pub struct Source {
    /// File name, or the flag (`--rules`).
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A source to point into.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Arc::new(Source { name: name.into(), text: text.into() })
    }
}

/// A stretch of a [`Source`], in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The text.
    pub source: Arc<Source>,
    /// Bytes of it; clamped to the text when drawn.
    pub range: Range<usize>,
}

impl Span {
    /// That stretch of that text.
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Span {
        Span { source: source.clone(), range }
    }

    /// Line and column of its start, counted from 1.
    pub fn line_column(&self) -> (usize, usize) {
        let start = self.range.start.min(self.source.text.len());
        let before = &self.source.text.as_bytes()[..start];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
        (line, column)
    }
}

/// A place and what is to be said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What about it; may be empty.
    pub text: String,
    /// Whether this is the guilty place; others give context.
    pub primary: bool,
}

/// Advice, with a replacement to paste where there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Help {
    /// What to do.
    pub text: String,
    /// Replace this stretch by this text.
    pub replace: Option<(Span, String)>,
}

/// How much a diagnostic matters.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Severity {
    /// The work cannot go on.
    #[default]
    Error,
    /// The work goes on, perhaps not as the user thinks.
    Warning,
}

/// An error, or a warning, that the user can act on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether the work goes on.
    pub severity: Severity,
    /// Its code, explained by `partita explain CODE`.
    pub code: Code,
    /// What is wrong, in the user's words.
    pub title: String,
    /// Both places.
    pub labels: Vec<Label>,
    /// The file and line, for a mistake that is found when the text is no longer at hand.
    pub line: Option<Box<(String, u32)>>,
    /// The arithmetic.
    pub notes: Vec<String>,
    /// What to write instead.
    pub helps: Vec<Help>,
}

/// The only error, where a function returns all errors that it finds.
impl From<Diagnostic> for Vec<Diagnostic> {
    fn from(diagnostic: Diagnostic) -> Vec<Diagnostic> {
        vec![diagnostic]
    }
}

impl Diagnostic {
    /// An error with that title.
    pub fn new(code: Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            title: title.into(),
            labels: Vec::new(),
            line: None,
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// A warning with that title.
    pub fn warning(code: Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::new(code, title) }
    }

    /// A file that cannot be read or written: `what` is the verb. The reason is the operating system's, in words.
    pub fn of_file(what: &str, path: &Path, error: &io::Error) -> Diagnostic {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file or folder".into(),
            io::ErrorKind::PermissionDenied => "permission denied".into(),
            io::ErrorKind::IsADirectory => "it is a directory".into(),
            _ => error.to_string(),
        };
        Diagnostic::new(Code::C001, format!("cannot {what} `{}`: {reason}", path.display()))
    }

    /// Points at the guilty place.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into(), primary: true });
        self
    }

    /// Points at a line of a file, counted from 1.
    pub fn on_line(mut self, file: impl Into<String>, line: u32) -> Diagnostic {
        self.line = Some(Box::new((file.into(), line)));
        self
    }

    /// Points at a place that gives context.
    pub fn context(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// Adds a note.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds advice.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.helps.push(Help { text: text.into(), replace: None });
        self
    }

    /// Adds advice with a replacement.
    pub fn fix(mut self, text: impl Into<String>, span: Span, with: impl Into<String>) -> Diagnostic {
        self.helps.push(Help { text: text.into(), replace: Some((span, with.into())) });
        self
    }
}

impl fmt::Display for Diagnostic {
    /// One plain line a fact, for logs and tests; the CLI draws it better.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{level}[{}]: {}", self.code, self.title)?;
        for l in &self.labels {
            let (line, column) = l.span.line_column();
            write!(f, "\n  --> {}:{line}:{column}", l.span.source.name)?;
            if !l.text.is_empty() {
                write!(f, " {}", l.text)?;
            }
        }
        if let Some(place) = &self.line {
            let (file, line) = &**place;
            write!(f, "\n  --> {file}:{line}")?;
        }
        for n in &self.notes {
            write!(f, "\n  = note: {n}")?;
        }
        for h in &self.helps {
            write!(f, "\n  = help: {}", h.text)?;
            if let Some((_, with)) = &h.replace {
                write!(f, ": `{with}`")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// The candidate nearest to a misspelt word, when one is near enough to be meant (at most a third of the letters
/// wrong, by Damerau-Levenshtein distance).
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |c: &str| strsim_distance(word, c);
    let best = candidates.into_iter().map(|c| (distance(c), c)).min_by_key(|(d, _)| *d)?;
    (best.0 <= (word.chars().count().max(3)) / 3).then_some(best.1)
}

/// Optimal string alignment distance; words beyond 64 letters are never near.
fn strsim_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(65).collect(), b.chars().take(65).collect());
    if a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
