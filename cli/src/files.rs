//! Files that commands write: complete, or as they were before.

use partita_ir::diag::{Code, Diagnostic};
use partita_machine::timeline::Timeline;
use partita_runtime::io;
use std::fs;
use std::path::Path;

/// Writes a text, in a folder that need not be there yet.
///
/// # Errors
/// `C001`
pub(super) fn write_file(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), fs::create_dir_all).map_err(|e| Diagnostic::of_file("write", path, &e))?;
    io::write_file(path, text.as_bytes())
}

/// Writes a timeline as a trace.
///
/// # Errors
/// `C001`
pub(super) fn write_trace(path: &Path, timeline: &Timeline) -> Result<(), Diagnostic> {
    let mut trace = Vec::new();
    let wrote = timeline.trace(&mut trace);
    wrote.map_err(|e| Diagnostic::new(Code::C001, format!("the trace cannot be written: {e}")))?;
    write_file(path, &String::from_utf8_lossy(&trace))
}
