//! Predicted step times: of one plan, and of two in comparison.

use crate::error::exception;
use crate::flags::{Flags, plan};
use crate::model::Model;
use crate::worker::finish;
use partita::compare::PlanComparison;
use partita::html::PlanDetails;
use partita::simulate::{Simulation, default_step_plan};
use partita::{Partition, Report};
use pyo3::prelude::*;

/// Predicted step of a plan.
#[pyclass(frozen)]
pub(crate) struct PredictedStep {
    partition: Partition,
    report: Report,
    simulation: Simulation,
}

#[pymethods]
impl PredictedStep {
    /// The prediction, as text.
    fn text(&self) -> String {
        self.simulation.to_string()
    }

    /// The prediction, as JSON.
    fn json(&self) -> String {
        self.simulation.to_json()
    }

    /// The prediction and the report of the plan, as an HTML page.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let PredictedStep { partition, report, simulation } = self;
        finish(py, || PlanDetails { partition, report, simulation: Some(simulation) }.to_html())
    }
}

/// Simulates a step on a machine.
#[pyfunction]
#[pyo3(signature = (model, machine, flags, toml=None))]
pub(crate) fn simulate(
    py: Python<'_>,
    model: &Model,
    machine: &str,
    flags: Flags,
    toml: Option<&str>,
) -> PyResult<PredictedStep> {
    let simulated = finish(py, || {
        let machine = partita::load_machine(machine)?;
        let given = plan(toml, &flags)?;
        let plan = if toml.is_some() { given } else { default_step_plan(Some(&model.name), given, &machine) };
        let (partition, simulation) = Simulation::from_plan(&model.program, &plan, &machine, &Default::default())?;
        let report = Report { model: model.name.clone(), ..partition.report_on(&machine)? };
        Ok(PredictedStep { partition, report, simulation: simulation.with_model_name(&model.name) })
    })?;
    simulated.map_err(|error| exception(py, &error))
}

/// Two plans in comparison.
#[pyclass(frozen)]
pub(crate) struct ComparedPlans {
    comparison: PlanComparison,
}

#[pymethods]
impl ComparedPlans {
    /// The comparison, as text.
    fn text(&self) -> String {
        self.comparison.to_string()
    }

    /// The comparison, as JSON.
    fn json(&self) -> String {
        self.comparison.to_json()
    }

    /// The comparison, as an HTML page.
    fn html(&self) -> String {
        self.comparison.to_html()
    }
}

/// Compares two plan files on a machine.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    model: &Model,
    machine: &str,
    first: (String, String),
    second: (String, String),
) -> PyResult<ComparedPlans> {
    let compared = finish(py, || {
        let machine = partita::load_machine(machine)?;
        let plans = [plan(Some(&first.1), &Vec::new())?, plan(Some(&second.1), &Vec::new())?];
        let sides = [(first.0.as_str(), &plans[0]), (second.0.as_str(), &plans[1])];
        let comparison = PlanComparison::new(&model.program, sides, &machine, &Default::default())?;
        Ok(ComparedPlans { comparison: comparison.with_model_name(&model.name) })
    })?;
    compared.map_err(|error| exception(py, &error))
}
