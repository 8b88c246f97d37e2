//! Exports of plans to other frameworks.

use crate::error::{Error, exception};
use crate::flags::plan;
use crate::model::Model;
use crate::worker::finish;
use partita::export::ExportRequest;
use partita::search::Target;
use pyo3::prelude::*;

/// An exported plan.
#[pyclass(frozen)]
pub(crate) struct Export {
    /// The exported file.
    #[pyo3(get)]
    text: String,
    /// The same as JSON; None for launch options.
    #[pyo3(get)]
    json: Option<String>,
    /// Changes between the plan and the exported one. Empty if they are equal.
    #[pyo3(get)]
    changes: Vec<String>,
    /// The exported plan as a plan file.
    #[pyo3(get)]
    toml: String,
}

/// Exports the plan of a plan file to a framework. `nearest` exports the nearest plan that the framework can express,
/// and `machine` predicts step times for the error without it.
#[pyfunction]
#[pyo3(signature = (model, toml, target, nearest=false, machine=None))]
pub(crate) fn export(
    py: Python<'_>,
    model: &Model,
    toml: &str,
    target: &str,
    nearest: bool,
    machine: Option<&str>,
) -> PyResult<Export> {
    let known: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
    let target = Target::from_name(target)
        .ok_or_else(|| Error::new_err(format!("no target is called `{target}`: use one of {}", known.join(", "))))?;
    let exported = finish(py, || {
        let machine = machine.map(partita::load_machine).transpose()?;
        let plan = plan(Some(toml), &Vec::new())?;
        let request = ExportRequest { target, model: Some(model.name.as_str()), machine: machine.as_ref(), nearest };
        partita::export::export(&model.program, &plan, &request)
    })?;
    let exported = exported.map_err(|error| exception(py, &error))?;
    let toml = exported.plan.to_toml();
    Ok(Export { text: exported.text, json: exported.json, changes: exported.changes, toml })
}
