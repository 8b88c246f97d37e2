//! What is kept of a sweep: a line of JSON for each search that is finished, in the order in which they were, and a
//! table of all of them in the order of the sweep file.
//!
//! A line is appended whole, and is on the disk before the next one is. Whoever is killed in between leaves a last line
//! that is torn, which is dropped; the table is written under another name and renamed.

use super::Row;
use super::file::keys;
use partita_ir::diag::{Code, Diagnostic, Source, Span};
use partita_ir::input_file::expect_regular;
use partita_runtime::io;
use serde_json::Value;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The file of lines, held by one process at a time.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens the file of a folder, and what is in it.
    ///
    /// # Errors
    /// `C001`, and `W001` for a line that is none, or a folder in which another sweep is at work.
    pub(super) fn open(folder: &Path) -> Result<(Journal, Vec<Row>), Diagnostic> {
        fs::create_dir_all(folder).map_err(|e| Diagnostic::of_file("write", folder, &e))?;
        let path = folder.join("results.jsonl");
        let wrong = |e: &std::io::Error| Diagnostic::of_file("write", &path, e);
        let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|e| wrong(&e))?;
        file.metadata().and_then(|metadata| expect_regular(&metadata)).map_err(|e| wrong(&e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let title = format!("another sweep is at work in `{}`", folder.display());
                return Err(Diagnostic::new(Code::W001, title).help("wait for it, or name another folder: `-o DIR`"));
            }
            // Where there are no locks, nobody can be kept off.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|e| wrong(&e))?;
        let (rows, whole) = rows(&path, &bytes)?;
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(|e| wrong(&e))?;
        Ok((Journal { file, path }, rows))
    }

    /// Appends a row, which is on the disk then.
    ///
    /// # Errors
    /// `C001`
    pub(super) fn append(&mut self, row: &Row) -> Result<(), Diagnostic> {
        let mut line = serde_json::to_string(row).unwrap_or_default();
        line.push('\n');
        let wrote = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        wrote.map_err(|e| Diagnostic::of_file("write", &self.path, &e))
    }
}

/// The rows of a file, and how many bytes they have. Only the last line may be torn.
fn rows(path: &Path, bytes: &[u8]) -> Result<(Vec<Row>, usize), Diagnostic> {
    let (mut rows, mut whole) = (Vec::new(), 0);
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let is_last = whole + line.len() == bytes.len();
        let row = line.ends_with(b"\n").then(|| serde_json::from_slice(line));
        match row {
            Some(Ok(row)) => rows.push(row),
            _ if is_last => break,
            _ => {
                let name = path.display().to_string();
                let text = String::from_utf8_lossy(bytes).into_owned();
                let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
                let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
                let error = Diagnostic::new(Code::W001, "a line of the results is no result");
                let error = error.at(Span::new(&Source::new(name, text), start..end), "");
                return Err(error
                    .help("take the line out, and its case is searched for again; or name another folder: `-o DIR`"));
            }
        }
        whole += line.len();
    }
    Ok((rows, whole))
}

/// What came of a case.
const FOUND: [&str; 12] = [
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

/// Rows as a table with commas (RFC 4180): what each case is called, what any of them was told, what came of it.
pub(super) fn csv<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let rows: Vec<&Row> = rows.collect();
    let is_told = |key: &&str| rows.iter().any(|row| !cell(row.given.get(*key)).is_empty());
    let given: Vec<&str> = keys().filter(is_told).collect();
    let heads = ["case", "model", "machine", "constraint"].map(str::to_string).into_iter();
    // What a case was told and what was found for it may be called alike.
    let heads = heads.chain(given.iter().map(|key| format!("given {key}")));
    let ending = ["version", "error"].into_iter().chain(FOUND).chain(["search_seconds"]);
    let mut text = line(heads.chain(ending.map(str::to_string)));
    for row in rows {
        let names = [&row.case, &row.model, &row.machine, &row.constraint].map(String::clone);
        let given = given.iter().map(|key| cell(row.given.get(*key)));
        let error = row.error.as_ref().map(|error| format!("{}: {}", error.code, error.title)).unwrap_or_default();
        let found = FOUND.iter().map(|key| cell(row.found.get(*key)));
        let cells = names.into_iter().chain(given).chain([row.version.clone(), error]).chain(found);
        text += &line(cells.chain([row.search_seconds.to_string()]));
    }
    text
}

/// Writes the table.
///
/// # Errors
/// `C001`
pub(super) fn write_csv<'r>(folder: &Path, rows: impl Iterator<Item = &'r Row>) -> Result<(), Diagnostic> {
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
    fn a_torn_line_is_dropped_if_it_is_the_last() {
        let row = Row { case: "a,\"b\"".into(), version: "1".into(), ..Row::default() };
        let whole = serde_json::to_string(&row).unwrap() + "\n";
        let path = Path::new("results.jsonl");
        for torn in ["", "{\"case\"", "{}\n", "\0\0\0"] {
            let text = format!("{whole}{whole}{torn}");
            let (rows, kept) = super::rows(path, text.as_bytes()).unwrap();
            assert_eq!((rows.len(), kept), (2, 2 * whole.len()), "{torn}");
            assert_eq!(rows[0], row);
        }
        let error = super::rows(path, format!("{whole}{{\n{whole}").as_bytes()).unwrap_err();
        assert_eq!(error.labels[0].span.line_column(), (2, 1));
        assert!(csv([&row].into_iter()).contains("\n\"a,\"\"b\"\"\","));
    }
}
