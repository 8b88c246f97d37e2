//! Diagnostics: problem, source locations, arithmetic and suggested fix. Plain data; only the CLI renders them.

mod codes;
mod shell;

pub use codes::{Code, find_code};
pub use shell::{shell_path, shell_word};

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Source text that diagnostics point into: a file, or a flag of the command line.
#[derive(PartialEq, Eq, Debug)]
pub struct Source {
    /// File name, or the flag (`--rules`).
    pub name: String,
    /// Full text.
    pub text: String,
}

impl Source {
    /// Creates a shared source.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Arc::new(Source { name: name.into(), text: text.into() })
    }
}

/// Byte range of a [`Source`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// Source that the range refers to.
    pub source: Arc<Source>,
    /// Byte range; clamped to the length of the text when rendered.
    pub range: Range<usize>,
}

impl Span {
    /// Creates a span of `source`.
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Span {
        Span { source: source.clone(), range }
    }

    /// Returns the line and column of the start of the span, counted from 1.
    pub fn line_column(&self) -> (usize, usize) {
        let start = self.range.start.min(self.source.text.len());
        let before = &self.source.text.as_bytes()[..start];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
        (line, column)
    }
}

/// Span with a message about the text in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Labelled text.
    pub span: Span,
    /// Message; may be empty.
    pub text: String,
    /// True for the location of the problem, false for a location that gives context.
    pub primary: bool,
}

/// Suggested action, with an optional text replacement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Help {
    /// Suggestion in words.
    pub text: String,
    /// Span to replace, and its replacement.
    pub replace: Option<(Span, String)>,
}

/// Severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Severity {
    /// The operation fails.
    #[default]
    Error,
    /// The operation continues, but its result may differ from what the user expects.
    Warning,
}

/// Error or warning that the user can act on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Error code, explained by `partita explain CODE`.
    pub code: Code,
    /// Statement of the problem in the user's terms.
    pub title: String,
    /// Source locations; for a conflict, both of them.
    pub labels: Vec<Label>,
    /// File and line number, for an error that is found when the source text is no longer available.
    pub line: Option<Box<(String, u32)>>,
    /// Arithmetic and other facts that explain the problem.
    pub notes: Vec<String>,
    /// Suggested fixes.
    pub helps: Vec<Help>,
}

/// Wraps a single error for functions that return a list of errors.
impl From<Diagnostic> for Vec<Diagnostic> {
    fn from(diagnostic: Diagnostic) -> Vec<Diagnostic> {
        vec![diagnostic]
    }
}

impl Diagnostic {
    /// Creates an error.
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

    /// Creates a warning.
    pub fn warning(code: Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::new(code, title) }
    }

    /// Creates the error `C001` for a file operation that failed; `verb` is the operation, such as `read`. The reason
    /// is the operating system's, in words.
    pub fn io_error(verb: &str, path: &Path, error: &io::Error) -> Diagnostic {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file or folder".into(),
            io::ErrorKind::PermissionDenied => "permission denied".into(),
            io::ErrorKind::IsADirectory => "it is a directory".into(),
            _ => error.to_string(),
        };
        Diagnostic::new(Code::C001, format!("cannot {verb} `{}`: {reason}", path.display()))
    }

    /// Adds the location of the problem.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into(), primary: true });
        self
    }

    /// Sets the file and the line, counted from 1.
    pub fn on_line(mut self, file: impl Into<String>, line: u32) -> Diagnostic {
        self.line = Some(Box::new((file.into(), line)));
        self
    }

    /// Adds a location that gives context.
    pub fn context(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// Adds a note.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds a suggestion in words.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.helps.push(Help { text: text.into(), replace: None });
        self
    }

    /// Adds a suggestion that replaces the text of `span`.
    pub fn fix(mut self, text: impl Into<String>, span: Span, with: impl Into<String>) -> Diagnostic {
        self.helps.push(Help { text: text.into(), replace: Some((span, with.into())) });
        self
    }
}

impl fmt::Display for Diagnostic {
    /// Formats one fact per line, without colours and source excerpts, for logs and tests.
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

/// Returns the text of an error and of the errors that caused it: `dlopen failed: file too short`.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Returns the candidate nearest to a misspelt word by edit distance, if at most a third of its characters differ.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(MAX_COMPARED + 1).collect();
    let (mut limit, mut best) = (word.len().max(3) / 3, None);
    for candidate in candidates {
        if let Some(distance) = edit_distance(&word, candidate, limit) {
            best = Some(candidate);
            let Some(less) = distance.checked_sub(1) else { break };
            limit = less;
        }
    }
    best
}

/// Maximum number of characters of words that are compared.
const MAX_COMPARED: usize = 64;

/// Computes the optimal string alignment distance (Damerau-Levenshtein without repeated edits of a substring). Returns
/// `None` if it exceeds `limit`, or a word has more than [`MAX_COMPARED`] characters. A program has thousands of names,
/// so that no memory is allocated, and most are refused by their length or after few characters.
fn edit_distance(a: &[char], b: &str, limit: usize) -> Option<usize> {
    let (mut other, mut count) = (['\0'; MAX_COMPARED], 0);
    for c in b.chars() {
        *other.get_mut(count)? = c;
        count += 1;
    }
    let b = &other[..count];
    if a.len() > MAX_COMPARED || a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let (mut before, mut last) = ([0; MAX_COMPARED + 1], [0; MAX_COMPARED + 1]);
    last.iter_mut().enumerate().for_each(|(j, cost)| *cost = j);
    for i in 1..=a.len() {
        let mut row = [i; MAX_COMPARED + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        // A later row may follow from this one or, if two characters are exchanged, from the one before.
        let least = |row: &[usize]| row[..=b.len()].iter().copied().min().unwrap_or(0);
        if least(&row).min(least(&last)) > limit {
            return None;
        }
        (before, last) = (last, row);
    }
    Some(last[b.len()]).filter(|&distance| distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::{nearest, with_causes};

    /// Failure with a cause.
    #[derive(Debug)]
    struct Failure(Option<Box<Failure>>, &'static str);

    impl std::fmt::Display for Failure {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.1)
        }
    }

    impl std::error::Error for Failure {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            self.0.as_deref().map(|cause| cause as _)
        }
    }

    #[test]
    fn causes_follow_their_error() {
        let cause = Failure(None, "file too short");
        assert_eq!(with_causes(&Failure(Some(Box::new(cause)), "dlopen failed")), "dlopen failed: file too short");
    }

    #[test]
    fn the_first_of_the_nearest_words_is_found() {
        assert_eq!(nearest("heads", ["hidden", "haedss", "haeds", "headz"]), Some("haeds"));
        assert_eq!(nearest("abc", ["xyz", "abd", "ab"]), Some("abd"));
        assert_eq!(nearest("a", ["b", "a"]), Some("a"));
        assert_eq!(nearest("weight", ["w", "wieght.0"]), None);
        assert_eq!(nearest("weights", ["w", "wieght"]), Some("wieght"));
        assert_eq!(nearest("abc", ["axd", "abcde", ""]), None);
        let long = "x".repeat(65);
        assert_eq!(nearest(&long, [&long[..], &long[1..]]), None);
        assert_eq!(nearest(&long[1..], [&long[..], &long[2..]]), Some(&long[2..]));
    }
}
