//! Atomic writing of output files.

use partita_ir::diag::{Code, Diagnostic};
use partita_machine::timeline::Timeline;
use partita_runtime::io;
use std::fs;
use std::path::Path;

/// Writes a text file, and creates its folder if necessary.
///
/// # Errors
/// `C001` for a file or folder that cannot be written.
pub(super) fn write_file(path: &Path, text: &str) -> Result<(), Diagnostic> {
    create_folder(path)?;
    io::write_file(path, text.as_bytes())
}

/// Creates the folder of a file if necessary.
fn create_folder(path: &Path) -> Result<(), Diagnostic> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), fs::create_dir_all).map_err(|e| Diagnostic::io_error("write", path, &e))
}

/// Checks before long work that its result can be written, with a file beside it, or in the nearest folder that exists.
///
/// # Errors
/// `C001` for a folder, and for a file or folder that cannot be written.
pub(super) fn check_writable(path: &Path) -> Result<(), Diagnostic> {
    let failed = |e: std::io::Error| Diagnostic::io_error("write", path, &e);
    if path.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    let named = path.ancestors().skip(1).find(|folder| folder.is_dir());
    let folder = named.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let probe = folder.join(format!(".partita-{}", std::process::id()));
    fs::write(&probe, "").and_then(|()| fs::remove_file(&probe)).map_err(failed)
}

/// Creates the folder of a file before long work whose result is written to it, and checks that the file can be
/// written.
///
/// # Errors
/// `C001` as for [`check_writable`].
pub(super) fn prepare_file(path: &Path) -> Result<(), Diagnostic> {
    create_folder(path)?;
    check_writable(path)
}

/// Writes a timeline as a trace file for Perfetto or `chrome://tracing`.
///
/// # Errors
/// `C001` for a file or folder that cannot be written.
pub(super) fn write_trace(path: &Path, timeline: &Timeline) -> Result<(), Diagnostic> {
    let mut trace = Vec::new();
    let wrote = timeline.write_trace(&mut trace);
    wrote.map_err(|e| Diagnostic::new(Code::C001, format!("the trace cannot be written: {e}")))?;
    write_file(path, &String::from_utf8_lossy(&trace))
}
