//! Metrics of each step, as lines of JSON.

use crate::error::Result;
use partita_ir::diag::Diagnostic;
use partita_ir::input_file::read_text;
use partita_runtime::checkpoint::disk::{SystemDisk, write_atomically};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Metrics of a step.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct StepMetrics {
    /// Number of steps completed, this one included.
    pub step: u64,
    /// Epoch, counted from 1.
    pub epoch: u64,
    /// Loss of the batch, before the update.
    pub loss: f64,
    /// Samples per second.
    pub throughput: f64,
    /// Validation loss after this step.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub validation_loss: Option<f64>,
    /// Validation accuracy after this step.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub accuracy: Option<f64>,
    /// Layers that were frozen after this step.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub frozen: Vec<String>,
}

/// Metrics file.
pub(crate) struct MetricsFile {
    path: PathBuf,
    file: File,
}

impl MetricsFile {
    /// Opens the file, retains the records up to `step`, and returns them. Later records and an incomplete last line
    /// are dropped. At step 0, all earlier content is dropped.
    pub(crate) fn create_or_resume(path: &Path, step: u64) -> Result<(MetricsFile, Vec<StepMetrics>)> {
        let is_resumed = step > 0 && path.is_file();
        let old = if is_resumed { read_text(path).unwrap_or_default() } else { String::new() };
        let records = old.lines().map_while(|line| Some((line, serde_json::from_str::<StepMetrics>(line).ok()?)));
        let (lines, records): (Vec<&str>, Vec<StepMetrics>) = records.take_while(|(_, r)| r.step <= step).unzip();
        let lines: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        let refused = |e: &std::io::Error| Diagnostic::io_error("write", path, e);
        // Special files such as pipes are written without truncation.
        if path.symlink_metadata().is_ok_and(|there| there.is_file()) || !path.exists() {
            write_atomically(&SystemDisk, path, lines.as_bytes()).map_err(|e| refused(&e))?;
        }
        let file = OpenOptions::new().append(true).open(path).map_err(|e| refused(&e))?;
        Ok((MetricsFile { path: path.to_owned(), file }, records))
    }

    /// Appends a record.
    pub(crate) fn write(&mut self, record: &StepMetrics) -> Result<()> {
        let written = self.file.write_all(line(record).as_bytes());
        Ok(written.map_err(|e| Diagnostic::io_error("write", &self.path, &e))?)
    }
}

fn line(record: &StepMetrics) -> String {
    serde_json::to_string(record).unwrap_or_default() + "\n"
}
