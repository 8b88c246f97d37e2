//! The library's error: diagnostics.

use partita_ir::diag::{Code, Diagnostic};
use std::fmt;

/// One or more diagnostics.
///
/// `Debug` prints the same text as `Display`, so that `fn main() -> partita::Result<()>` ends readably. The command
/// `partita` also quotes source lines.
pub struct Error(pub Vec<Diagnostic>);

impl Error {
    /// Returns true if the error is a bug in Partita.
    pub fn is_bug(&self) -> bool {
        self.0.iter().any(|d| d.code == Code::B001)
    }
}

/// Result type of the library.
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

/// Returns the error for a command that this build lacks. `feature` is the Cargo feature to enable.
pub fn missing_feature(feature: &str, title: impl Into<String>) -> Diagnostic {
    let advice = format!("enable it: `cargo install --path cli --features {feature}`");
    Diagnostic::new(Code::A007, title).help(advice)
}

/// Converts an error message of the interpreter to a diagnostic.
pub fn interpreter_error(why: String) -> Diagnostic {
    Diagnostic::new(Code::R004, why)
}

/// Returns the error for `--emulate` in a build without the emulator.
pub fn missing_emulator() -> Diagnostic {
    missing_feature("emulate", "this build has no emulator of CUDA")
}

#[cfg(test)]
mod tests {
    use super::missing_feature;

    #[test]
    fn missing_features_name_the_command_that_enables_them() {
        let error = missing_feature("gpu", "this build has no GPU backend").to_string();
        assert!(error.starts_with("error[A007]: this build has no GPU backend"), "{error}");
        assert!(error.contains("cargo install --path cli --features gpu"), "{error}");
    }
}
