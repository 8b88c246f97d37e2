//! Models, and proofs that two of them are equal.

use crate::error::exception;
use crate::worker::finish;
use partita::Program;
use partita::ir::arena::{Id, ValueId};
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

    /// Returns this model with the names of the values of another one, so that plans name the same values in both;
    /// `None` if the models have different ops.
    fn with_names_of(&self, other: &Model) -> Option<Model> {
        let program = with_names_of(&self.program, &other.program)?;
        Some(Model { name: other.name.clone(), program })
    }
}

/// Returns a program with the names of another one's values; `None` if they differ in more than names and origins.
fn with_names_of(program: &Program, other: &Program) -> Option<Program> {
    let functions = || program.funcs.iter().zip(other.funcs.iter()).map(|((_, a), (_, b))| (a, b));
    let mut names = vec![None; program.values.len()];
    let mut counterparts = vec![None; program.values.len()];
    let mut pair = |a: ValueId, b: ValueId| {
        counterparts[a.index()] = Some(b);
        names[a.index()] = Some(other.values[b].name.clone());
        program.ty(a) == other.ty(b)
    };
    let mut is_equal = program.funcs.len() == other.funcs.len();
    for (a, b) in functions() {
        is_equal &= a.inputs.len() == b.inputs.len() && a.ops().len() == b.ops().len();
        is_equal &= a.inputs.iter().zip(&b.inputs).all(|(&a, &b)| pair(a, b));
        for (&a, &b) in a.ops().iter().zip(b.ops()) {
            let (a, b) = (&program.ops[a], &other.ops[b]);
            is_equal &= a.kind.family() == b.kind.family() && a.outs.len() == b.outs.len();
            is_equal &= a.outs.iter().zip(&b.outs).all(|(&a, &b)| pair(a, b));
        }
    }
    let are_counterparts = |a: &[ValueId], b: &[ValueId]| {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| counterparts[a.index()] == Some(b))
    };
    is_equal &= functions().all(|(a, b)| {
        let ops = || a.ops().iter().zip(b.ops());
        ops().all(|(&a, &b)| are_counterparts(&program.ops[a].args, &other.ops[b].args))
            && a.outputs.len() == b.outputs.len()
            && a.outputs.iter().zip(&b.outputs).all(|(a, b)| counterparts[a.value.index()] == Some(b.value))
    });
    let mut renamed = program.clone();
    for (value, name) in program.values.ids().zip(names) {
        if let Some(name) = name {
            renamed.values[value].name = name;
        }
    }
    is_equal.then_some(renamed)
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
