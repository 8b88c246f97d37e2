//! Errors of the frontend before they become diagnostics.
//!
//! Parser, verifier and importer work on a borrowed text with byte offsets and fail with a [`Fault`]. The public
//! functions of the crate convert it to a [`Diagnostic`], which copies the text.

use partita_ir::diag::{Code, Diagnostic, Help, Source, Span};
use std::ops::Range;
use std::sync::Arc;

/// An error at a location of a module.
#[derive(Debug)]
pub struct Fault {
    /// Error code.
    pub code: Code,
    /// Title in the user's terms.
    pub title: String,
    /// Location as a byte range.
    pub at: Range<usize>,
    /// Label of the location.
    pub label: String,
    /// A related location with its label.
    pub context: Option<(Range<usize>, String)>,
    /// Notes, such as the arithmetic.
    pub notes: Vec<String>,
    /// Suggested corrections.
    pub helps: Vec<String>,
}

/// Result of reading a module. The error is boxed, so that the success case remains small.
pub type Result<T> = std::result::Result<T, Box<Fault>>;

impl Fault {
    /// Creates a fault with a title at a location.
    pub fn new(code: Code, title: impl Into<String>, at: Range<usize>) -> Box<Fault> {
        Box::new(Fault {
            code,
            title: title.into(),
            at,
            label: String::new(),
            context: None,
            notes: Vec::new(),
            helps: Vec::new(),
        })
    }

    /// Creates a fault for text that is not a valid module.
    pub fn malformed(title: impl Into<String>, at: Range<usize>) -> Box<Fault> {
        Fault::new(Code::F002, title, at)
    }

    /// Creates a fault for a valid module that uses an unsupported feature.
    pub fn unsupported(title: impl Into<String>, at: Range<usize>) -> Box<Fault> {
        Fault::new(Code::F003, title, at)
    }

    /// Sets the label of the location.
    pub fn label(mut self: Box<Self>, text: impl Into<String>) -> Box<Fault> {
        self.label = text.into();
        self
    }

    /// Sets a related location with a label.
    pub fn context(mut self: Box<Self>, at: Range<usize>, text: impl Into<String>) -> Box<Fault> {
        self.context = Some((at, text.into()));
        self
    }

    /// Appends a note.
    pub fn note(mut self: Box<Self>, text: impl Into<String>) -> Box<Fault> {
        self.notes.push(text.into());
        self
    }

    /// Appends a help.
    pub fn help(mut self: Box<Self>, text: impl Into<String>) -> Box<Fault> {
        self.helps.push(text.into());
        self
    }

    /// Converts the fault to a diagnostic with locations in `source`.
    pub fn into_diagnostic(self, source: &Arc<Source>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code, self.title).label(Span::new(source, self.at), self.label);
        if let Some((at, text)) = self.context {
            diagnostic = diagnostic.context(Span::new(source, at), text);
        }
        diagnostic.notes = self.notes;
        diagnostic.helps = self.helps.into_iter().map(|text| Help { text, replace: None }).collect();
        diagnostic
    }
}

/// Shortens a text for a title: the first characters of its first line.
pub fn excerpt(text: &str) -> String {
    const MAX_EXCERPT_CHARS: usize = 40;
    let (shown, more) = match text.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((end, _)) => (&text[..end], "..."),
        None => (text, ""),
    };
    match shown.split_once('\n') {
        Some((line, _)) => line.trim_end().to_owned(),
        None => format!("{}{more}", shown.trim_end()),
    }
}

/// Returns a count with its noun: `1 dimension`, `2 dimensions`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
