//! What is measured in each step, as lines of JSON.

use crate::error::Result;
use partita_ir::diag::Diagnostic;
use partita_ir::input_file::read_text;
use partita_runtime::checkpoint::disk::{System, write_whole};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What was measured in a step.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Steps made, this one included.
    pub step: u64,
    /// The epoch that it belongs to, counted from 1.
    pub epoch: u64,
    /// The loss of its batch, before its update.
    pub loss: f64,
    /// Samples a second.
    pub throughput: f64,
    /// The loss on what was held out, behind this step.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub validation_loss: Option<f64>,
    /// The share of right answers on what was held out, behind this step.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub accuracy: Option<f64>,
    /// Layers that are frozen from here on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub frozen: Vec<String>,
}

/// A file of records.
pub(crate) struct Metrics {
    path: PathBuf,
    file: File,
}

impl Metrics {
    /// Opens the file, keeps the records up to a step, and gives them back. A line that a killed run left unfinished
    /// goes with what is behind.
    pub(crate) fn open(path: &Path, step: u64) -> Result<(Metrics, Vec<Record>)> {
        let is_kept = step > 0 && path.is_file();
        let old = if is_kept { read_text(path).unwrap_or_default() } else { String::new() };
        let records = old.lines().map_while(|line| Some((line, serde_json::from_str::<Record>(line).ok()?)));
        let (lines, records): (Vec<&str>, Vec<Record>) = records.take_while(|(_, r)| r.step <= step).unzip();
        let lines: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        let refused = |e: &std::io::Error| Diagnostic::of_file("write", path, e);
        // What is no file, such as a pipe, is only written to.
        if path.symlink_metadata().is_ok_and(|there| there.is_file()) || !path.exists() {
            write_whole(&System, path, lines.as_bytes()).map_err(|e| refused(&e))?;
        }
        let file = OpenOptions::new().append(true).open(path).map_err(|e| refused(&e))?;
        Ok((Metrics { path: path.to_owned(), file }, records))
    }

    /// Appends a record.
    pub(crate) fn write(&mut self, record: &Record) -> Result<()> {
        let written = self.file.write_all(line(record).as_bytes());
        Ok(written.map_err(|e| Diagnostic::of_file("write", &self.path, &e))?)
    }
}

fn line(record: &Record) -> String {
    serde_json::to_string(record).unwrap_or_default() + "\n"
}
