//! Text with its source location.

use crate::diag::{Source, Span};
use crate::input_file::read_text;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::Location;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Source location of a text.
#[derive(Clone, Debug)]
pub enum TextLocation {
    /// Span of a file or flag.
    Text(Span),
    /// String literal in the user's program, at or after the call at that location. The file is only read when a span
    /// is needed.
    Code(&'static Location<'static>),
}

/// Text of a plan with its source location. Equality ignores the location.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// The text.
    pub text: String,
    /// Source location.
    pub place: TextLocation,
}

impl PartialEq for SourceText {
    fn eq(&self, other: &SourceText) -> bool {
        self.text == other.text
    }
}

/// Length of the code after the call that is searched for the literal, in bytes.
const MAX_CALL_BYTES: usize = 4096;

impl SourceText {
    /// Creates a text whose location is the caller.
    #[track_caller]
    pub fn at_caller(text: impl Into<String>) -> SourceText {
        SourceText { text: text.into(), place: TextLocation::Code(Location::caller()) }
    }

    /// Creates a text with the location `span`.
    pub fn new(span: Span, text: impl Into<String>) -> SourceText {
        SourceText { text: text.into(), place: TextLocation::Text(span) }
    }

    /// Creates the value of a command-line flag. `flag` is its name with dashes: `--rules`.
    pub fn from_flag(flag: &str, value: &str) -> SourceText {
        SourceText::new(Span::new(&Source::new(flag, value), 0..value.len()), value)
    }

    /// Returns the span of the text.
    pub fn span(&self) -> Span {
        self.span_of(0..self.text.len())
    }

    /// Returns the span of a part of the text, given in bytes. Returns the span of the full text if the source spells
    /// it differently, for example with escapes.
    pub fn span_of(&self, range: Range<usize>) -> Span {
        match &self.place {
            TextLocation::Text(span) if span.range.len() == self.text.len() => {
                let start = span.range.start;
                Span::new(&span.source, start + range.start..start + range.end)
            }
            TextLocation::Text(span) => span.clone(),
            TextLocation::Code(call) => self.span_in_code(call, range),
        }
    }

    fn span_in_code(&self, call: &'static Location<'static>, range: Range<usize>) -> Span {
        let Some(source) = source_file(call.file()) else {
            let name = format!("the call at {}:{}:{}", call.file(), call.line(), call.column());
            return Span::new(&Source::new(name, &self.text), range);
        };
        let code = &source.text;
        let line_start: usize = code.split_inclusive('\n').take(call.line() as usize - 1).map(str::len).sum();
        let line = code[line_start..].split('\n').next().unwrap_or_default();
        let column: usize = line.chars().take(call.column() as usize - 1).map(char::len_utf8).sum();
        let start = line_start + column;
        let end = (start..=code.len().min(start + MAX_CALL_BYTES)).rev().find(|&i| code.is_char_boundary(i));
        let rest = &code[start..end.unwrap_or(start)];
        match rest.find(&format!("\"{}\"", self.text)) {
            Some(at) => Span::new(&source, start + at + 1 + range.start..start + at + 1 + range.end),
            None => {
                let method = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                Span::new(&source, start..start + method.max(1))
            }
        }
    }
}

/// Returns a source file of the user's program, if available. Each file is read once.
fn source_file(file: &'static str) -> Option<Arc<Source>> {
    static FILES: Mutex<BTreeMap<&str, Option<Arc<Source>>>> = Mutex::new(BTreeMap::new());
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files.entry(file).or_insert_with(|| Some(Source::new(file, read_source_file(file)?))).clone()
}

/// Reads a source file of the user's program, if available. Compilers record paths relative to the workspace, while
/// programs may run in any directory below it.
fn read_source_file(file: &str) -> Option<String> {
    let here = std::env::current_dir().ok();
    let above = here.iter().flat_map(|dir| dir.ancestors());
    above.map(|dir| dir.join(file)).chain([Path::new(file).into()]).find_map(|path| read_text(&path).ok())
}
