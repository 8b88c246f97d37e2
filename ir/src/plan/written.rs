//! Texts that remember where they were written.

use crate::diag::{Source, Span};
use crate::input_file::read_text;
use std::ops::Range;
use std::panic::Location;
use std::path::Path;

/// Where a text was written.
#[derive(Clone, Debug)]
pub enum Place {
    /// In a file or flag.
    Text(Span),
    /// As a literal of the user's program, in or behind the call at that location. The file is read when somebody asks.
    Code(&'static Location<'static>),
}

/// A text of a plan. Equality ignores the place.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Where it was written.
    pub place: Place,
}

impl PartialEq for Written {
    fn eq(&self, other: &Written) -> bool {
        self.text == other.text
    }
}

/// The literal is looked for in so many bytes behind the call.
const CALL_LENGTH: usize = 4096;

impl Written {
    /// A text of the program that calls.
    #[track_caller]
    pub fn here(text: impl Into<String>) -> Written {
        Written { text: text.into(), place: Place::Code(Location::caller()) }
    }

    /// A text that stands there.
    pub fn at(span: Span, text: impl Into<String>) -> Written {
        Written { text: text.into(), place: Place::Text(span) }
    }

    /// The value of a flag of the command line. `flag` is its name with dashes: `--rules`.
    pub fn of_flag(flag: &str, value: &str) -> Written {
        Written::at(Span::new(&Source::new(flag, value), 0..value.len()), value)
    }

    /// The place of the whole text.
    pub fn span(&self) -> Span {
        self.part(0..self.text.len())
    }

    /// The place of a part of the text, in bytes; of the whole when it is spelt in another way there (with escapes).
    pub fn part(&self, range: Range<usize>) -> Span {
        match &self.place {
            Place::Text(span) if span.range.len() == self.text.len() => {
                let start = span.range.start;
                Span::new(&span.source, start + range.start..start + range.end)
            }
            Place::Text(span) => span.clone(),
            Place::Code(call) => self.in_code(call, range),
        }
    }

    fn in_code(&self, call: &Location<'_>, range: Range<usize>) -> Span {
        let Some(code) = read_code(call.file()) else {
            let name = format!("the call at {}:{}:{}", call.file(), call.line(), call.column());
            return Span::new(&Source::new(name, &self.text), range);
        };
        let line_start: usize = code.split_inclusive('\n').take(call.line() as usize - 1).map(str::len).sum();
        let line = code[line_start..].split('\n').next().unwrap_or_default();
        let column: usize = line.chars().take(call.column() as usize - 1).map(char::len_utf8).sum();
        let start = line_start + column;
        let end = (start..=code.len().min(start + CALL_LENGTH)).rev().find(|&i| code.is_char_boundary(i));
        let behind = &code[start..end.unwrap_or(start)];
        let source = Source::new(call.file(), code.as_str());
        match behind.find(&format!("\"{}\"", self.text)) {
            Some(at) => Span::new(&source, start + at + 1 + range.start..start + at + 1 + range.end),
            None => {
                let method = behind.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(behind.len());
                Span::new(&source, start..start + method.max(1))
            }
        }
    }
}

/// A file of the user's program, if it is there: compilers give paths relative to the workspace, programs run anywhere
/// in it.
fn read_code(file: &str) -> Option<String> {
    let here = std::env::current_dir().ok();
    let above = here.iter().flat_map(|dir| dir.ancestors());
    above.map(|dir| dir.join(file)).chain([Path::new(file).into()]).find_map(|path| read_text(&path).ok())
}
