//! The library's error: diagnostics.

use partita_ir::diag::{Code, Diagnostic};
use std::fmt;

/// What went wrong, as one or more diagnostics.
///
/// `Debug` prints them as `Display` does, so that `fn main() -> partita::Result<()>` ends readably; the command draws
/// them with their source lines.
pub struct Error(pub Vec<Diagnostic>);

impl Error {
    /// Whether this is a mistake of Partita's and not the user's.
    pub fn is_bug(&self) -> bool {
        self.0.iter().any(|d| d.code == Code::B001)
    }
}

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(i, d)| write!(f, "{}{d}", if i > 0 { "\n" } else { "" }))
    }
}

impl std::error::Error for Error {}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Error {
        Error(diagnostics)
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Error {
        Error(vec![diagnostic])
    }
}

/// What was asked for is not in this build: `title` says so, and the advice names the feature to build with.
pub fn left_out(feature: &str, title: impl Into<String>) -> Diagnostic {
    let advice = format!("build it in: `cargo install --path cli --features {feature}`");
    Diagnostic::new(Code::A007, title).help(advice)
}

/// The interpreter's words as an error.
pub fn failed(why: String) -> Diagnostic {
    Diagnostic::new(Code::R004, why)
}
