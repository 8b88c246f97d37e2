//! Result files of a sweep: a journal with a line of JSON for each finished search, in the order of completion, and a
//! CSV table in the order of the sweep file.
//!
//! Each line is synchronised to disk before the next one is written. A killed process may leave an incomplete last
//! line, which is dropped. The table is written to a temporary file that is then renamed.

use super::CaseResult;
use super::file::keys;
use partita_ir::diag::{Code, Diagnostic, Source, Span};
use partita_ir::input_file::expect_regular;
use partita_runtime::io;
use serde_json::Value;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Journal of finished searches, locked by one process at a time.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens the journal of a folder and reads its rows.
    ///
    /// # Errors
    /// `C001` for a folder that cannot be written, and `W001` for an invalid line or a folder in use by another sweep.
    pub(super) fn open(folder: &Path) -> Result<(Journal, Vec<CaseResult>), Diagnostic> {
        fs::create_dir_all(folder).map_err(|e| Diagnostic::io_error("write", folder, &e))?;
        let path = folder.join("results.jsonl");
        let wrong = |e: &std::io::Error| Diagnostic::io_error("write", &path, e);
        let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|e| wrong(&e))?;
        file.metadata().and_then(|metadata| expect_regular(&metadata)).map_err(|e| wrong(&e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let title = format!("another sweep is using `{}`", folder.display());
                return Err(Diagnostic::new(Code::W001, title).help("wait for it, or choose another folder: `-o DIR`"));
            }
            // On file systems without locks, other processes cannot be excluded.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|e| wrong(&e))?;
        let (rows, complete) = rows(&path, &bytes)?;
        file.set_len(complete as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(|e| wrong(&e))?;
        Ok((Journal { file, path }, rows))
    }

    /// Appends a row and synchronises it to disk.
    ///
    /// # Errors
    /// `C001` for a file that cannot be written.
    pub(super) fn append(&mut self, row: &CaseResult) -> Result<(), Diagnostic> {
        let mut line = serde_json::to_string(row).unwrap_or_default();
        line.push('\n');
        let wrote = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        wrote.map_err(|e| Diagnostic::io_error("write", &self.path, &e))
    }
}

/// Parses the rows of a journal. Returns them and the number of bytes of complete lines. Only the last line may be
/// incomplete.
fn rows(path: &Path, bytes: &[u8]) -> Result<(Vec<CaseResult>, usize), Diagnostic> {
    let (mut rows, mut complete) = (Vec::new(), 0);
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let is_last = complete + line.len() == bytes.len();
        let row = line.ends_with(b"\n").then(|| serde_json::from_slice(line));
        match row {
            Some(Ok(row)) => rows.push(row),
            _ if is_last => break,
            _ => {
                let name = path.display().to_string();
                let text = String::from_utf8_lossy(bytes).into_owned();
                let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
                let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
                let error = Diagnostic::new(Code::W001, "the results contain an invalid line");
                let error = error.label(Span::new(&Source::new(name, text), start..end), "");
                return Err(
                    error.help("delete the line to repeat the search of its case, or choose another folder: `-o DIR`")
                );
            }
        }
        complete += line.len();
    }
    Ok((rows, complete))
}

/// Columns for the figures of a case.
const FIGURE_COLUMNS: [&str; 12] = [
    "mesh",
    "stages",
    "microbatches",
    "recompute",
    "schedule",
    "step_seconds",
    "peak_bytes",
    "used_devices",
    "cost",
    "bound",
    "gap",
    "stop",
];

/// Formats rows as CSV (RFC 4180): names of the case, inputs that any case has, and figures.
pub(super) fn csv<'r>(rows: impl Iterator<Item = &'r CaseResult>) -> String {
    let rows: Vec<&CaseResult> = rows.collect();
    let is_set = |key: &&str| rows.iter().any(|row| !cell(row.inputs.get(*key)).is_empty());
    let given: Vec<&str> = keys().filter(is_set).collect();
    let heads = ["case", "model", "machine", "constraint"].map(str::to_string).into_iter();
    // The prefix `given` separates inputs from figures of the same name.
    let heads = heads.chain(given.iter().map(|key| format!("given {key}")));
    let ending = ["version", "error"].into_iter().chain(FIGURE_COLUMNS).chain(["search_seconds"]);
    let mut text = line(heads.chain(ending.map(str::to_string)));
    for row in rows {
        let names = [&row.case, &row.model, &row.machine, &row.constraint].map(String::clone);
        let given = given.iter().map(|key| cell(row.inputs.get(*key)));
        let error = row.error.as_ref().map(|error| format!("{}: {}", error.code, error.title)).unwrap_or_default();
        let found = FIGURE_COLUMNS.iter().map(|key| cell(row.figures.get(*key)));
        let cells = names.into_iter().chain(given).chain([row.version.clone(), error]).chain(found);
        text += &line(cells.chain([row.search_seconds.to_string()]));
    }
    text
}

/// Writes the CSV table.
///
/// # Errors
/// `C001` for a file that cannot be written.
pub(super) fn write_csv<'r>(folder: &Path, rows: impl Iterator<Item = &'r CaseResult>) -> Result<(), Diagnostic> {
    io::write_file(&folder.join("results.csv"), csv(rows).as_bytes())
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = cells.map(|cell| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_line_is_dropped_if_it_is_the_last() {
        let row = CaseResult { case: "a,\"b\"".into(), version: "1".into(), ..CaseResult::default() };
        let complete = serde_json::to_string(&row).unwrap() + "\n";
        let path = Path::new("results.jsonl");
        for incomplete in ["", "{\"case\"", "{}\n", "\0\0\0"] {
            let text = format!("{complete}{complete}{incomplete}");
            let (rows, kept) = super::rows(path, text.as_bytes()).unwrap();
            assert_eq!((rows.len(), kept), (2, 2 * complete.len()), "{incomplete}");
            assert_eq!(rows[0], row);
        }
        let error = super::rows(path, format!("{complete}{{\n{complete}").as_bytes()).unwrap_err();
        assert_eq!(error.labels[0].span.line_column(), (2, 1));
        assert!(csv([&row].into_iter()).contains("\n\"a,\"\"b\"\"\","));
    }
}
