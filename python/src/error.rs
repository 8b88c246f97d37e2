//! The exception `partita.Error`.

use partita_cli::render::render;
use pyo3::PyErr;
use pyo3::prelude::*;

pyo3::create_exception!(
    partita,
    Error,
    pyo3::exceptions::PyException,
    "An error in a model, a plan or a machine. Its text is what the command `partita` prints; `codes` lists the codes \
     of its diagnostics."
);

/// Converts an error of the library to the exception.
pub(crate) fn exception(py: Python<'_>, error: &partita::Error) -> PyErr {
    let raised = Error::new_err(render(&error.0, false));
    let codes: Vec<&str> = error.0.iter().map(|diagnostic| diagnostic.code.name()).collect();
    match raised.value(py).setattr("codes", codes) {
        Ok(()) => raised,
        Err(other) => other,
    }
}
