//! Models, and proofs that two of them are equal.

use crate::error::exception;
use crate::worker::finish;
use partita::Program;
use pyo3::prelude::*;

/// A program to partition.
#[pyclass(frozen)]
pub(crate) struct Model {
    /// Name in messages and reports.
    #[pyo3(get)]
    pub(crate) name: String,
    pub(crate) program: Program,
}

#[pymethods]
impl Model {
    /// Loads a file, or a built-in model: `zoo:gpt`.
    #[staticmethod]
    fn load(py: Python<'_>, name: &str) -> PyResult<Model> {
        let program = finish(py, || partita::load(name))?.map_err(|error| exception(py, &error))?;
        Ok(Model { name: name.to_owned(), program })
    }

    /// Reads text in the format that the extension of the name states.
    #[staticmethod]
    fn from_text(py: Python<'_>, name: &str, text: &str) -> PyResult<Model> {
        let program = finish(py, || partita::load_text(name, text))?.map_err(|error| exception(py, &error))?;
        Ok(Model { name: name.to_owned(), program })
    }

    /// Name, shape and element type of each input.
    #[getter]
    fn inputs(&self) -> Vec<(String, Vec<usize>, String)> {
        let of = |&value| {
            let ty = self.program.ty(value);
            (self.program.path_of(value).to_owned(), ty.shape.to_vec(), ty.dtype.to_string())
        };
        self.program.inputs().iter().map(of).collect()
    }
}

/// Proves that two models compute the same. Returns "equal", "unknown" or "different", and the proof as text and JSON.
#[pyfunction]
pub(crate) fn prove(py: Python<'_>, original: &Model, other: &Model) -> PyResult<(&'static str, String, String)> {
    let proof = finish(py, || partita::prove(&original.program, &other.program))?;
    let proof = proof.map_err(|error| exception(py, &error))?;
    let verdict = match (proof.is_equal(), proof.is_wrong()) {
        (true, _) => "equal",
        (false, true) => "different",
        (false, false) => "unknown",
    };
    Ok((verdict, proof.to_string(), proof.to_json()))
}
