//! The facade's error: diagnostics that draw themselves.

use crate::render::render;
use partita_ir::diag::{Code, Diagnostic};
use std::fmt;

/// What went wrong, as one or more diagnostics.
///
/// `Debug` draws them with their source lines, so that `fn main() -> partita::Result<()>` ends readably.
pub struct Error(pub Vec<Diagnostic>);

impl Error {
    /// Whether this is a mistake of Partita's and not the user's.
    pub fn is_bug(&self) -> bool {
        self.0.iter().any(|d| d.code == Code::B001)
    }
}

/// The facade's result.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", render(&self.0, false))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(&self.0, false))
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
