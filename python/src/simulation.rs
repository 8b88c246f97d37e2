//! Predicted step times: of one plan, and of two in comparison.

use crate::error::exception;
use crate::flags::{Flags, plan};
use crate::model::Model;
use crate::worker::finish;
use partita::compare::PlanComparison;
use partita::simulate::Simulation;
use pyo3::prelude::*;

/// Simulates a step on a machine. Returns the result as text and as JSON.
#[pyfunction]
#[pyo3(signature = (model, machine, flags, toml=None))]
pub(crate) fn simulate(
    py: Python<'_>,
    model: &Model,
    machine: &str,
    flags: Flags,
    toml: Option<&str>,
) -> PyResult<(String, String)> {
    let simulated = finish(py, || {
        let machine = partita::load_machine(machine)?;
        let plan = plan(toml, &flags)?;
        let (_, simulation) = Simulation::from_plan(&model.program, &plan, &machine, &Default::default())?;
        let simulation = simulation.with_model_name(&model.name);
        Ok((simulation.to_string(), simulation.to_json()))
    })?;
    simulated.map_err(|error| exception(py, &error))
}

/// Compares two plan files on a machine. Returns the result as text and as JSON.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    model: &Model,
    machine: &str,
    first: (String, String),
    second: (String, String),
) -> PyResult<(String, String)> {
    let compared = finish(py, || {
        let machine = partita::load_machine(machine)?;
        let plans = [plan(Some(&first.1), &Vec::new())?, plan(Some(&second.1), &Vec::new())?];
        let sides = [(first.0.as_str(), &plans[0]), (second.0.as_str(), &plans[1])];
        let compared = PlanComparison::new(&model.program, sides, &machine, &Default::default())?;
        let compared = compared.with_model_name(&model.name);
        Ok((compared.to_string(), compared.to_json()))
    })?;
    compared.map_err(|error| exception(py, &error))
}
