//! What is wrong with a module, before it is told to the user.
//!
//! Parser and importer work on a borrowed text and know places as byte offsets; a [`Fault`] is what they fail with. It
//! becomes a [`Diagnostic`] once, at the door of the crate, where the text is copied for the message.

use partita_ir::diag::{Code, Diagnostic, Help, Source, Span};
use std::ops::Range;
use std::sync::Arc;

/// One thing wrong at one place of a module.
#[derive(Debug)]
pub struct Fault {
    /// The error code.
    pub code: Code,
    /// What is wrong, in the user's words.
    pub title: String,
    /// Where, in bytes.
    pub at: Range<usize>,
    /// What to say at that place.
    pub label: String,
    /// Another place that matters, and what to say there.
    pub context: Option<(Range<usize>, String)>,
    /// The arithmetic.
    pub notes: Vec<String>,
    /// What to write instead.
    pub helps: Vec<String>,
}

/// The fault is boxed: the good way stays small.
pub type Result<T> = std::result::Result<T, Box<Fault>>;

impl Fault {
    /// A fault with that title at that place.
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

    /// A text that is not a module, or a damaged one.
    pub fn malformed(title: impl Into<String>, at: Range<usize>) -> Box<Fault> {
        Fault::new(Code::F002, title, at)
    }

    /// A sound module that uses what this frontend refuses.
    pub fn unsupported(title: impl Into<String>, at: Range<usize>) -> Box<Fault> {
        Fault::new(Code::F003, title, at)
    }

    /// Says something at the place.
    pub fn label(mut self: Box<Self>, text: impl Into<String>) -> Box<Fault> {
        self.label = text.into();
        self
    }

    /// Says something at another place.
    pub fn context(mut self: Box<Self>, at: Range<usize>, text: impl Into<String>) -> Box<Fault> {
        self.context = Some((at, text.into()));
        self
    }

    /// Adds a note.
    pub fn note(mut self: Box<Self>, text: impl Into<String>) -> Box<Fault> {
        self.notes.push(text.into());
        self
    }

    /// Adds advice.
    pub fn help(mut self: Box<Self>, text: impl Into<String>) -> Box<Fault> {
        self.helps.push(text.into());
        self
    }

    /// The diagnostic, pointing into `source`.
    pub fn into_diagnostic(self, source: &Arc<Source>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code, self.title).at(Span::new(source, self.at), self.label);
        if let Some((at, text)) = self.context {
            diagnostic = diagnostic.context(Span::new(source, at), text);
        }
        diagnostic.notes = self.notes;
        diagnostic.helps = self.helps.into_iter().map(|text| Help { text, replace: None }).collect();
        diagnostic
    }
}

/// A piece of the text to show in a title: its first characters, on one line.
pub fn excerpt(text: &str) -> String {
    const SHOWN: usize = 40;
    let (shown, more) = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => (&text[..end], "..."),
        None => (text, ""),
    };
    match shown.split_once('\n') {
        Some((line, _)) => line.trim_end().to_owned(),
        None => format!("{}{more}", shown.trim_end()),
    }
}

/// `1 dimension`, `2 dimensions`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
