//! Output files.

use crate::error::exception;
use partita::Error;
use partita::runtime::io;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Writes a text file. The file is complete or unchanged.
#[pyfunction]
pub(crate) fn write_file(py: Python<'_>, path: PathBuf, text: &str) -> PyResult<()> {
    io::write_file(&path, text.as_bytes()).map_err(|error| exception(py, &Error::from(error)))
}
