//! The search for the fastest plan.

use crate::error::{Error, exception};
use crate::flags::{Flags, plan};
use crate::model::Model;
use crate::worker::{finish, run};
use partita::Machine;
use partita::html::PredictedPlan;
use partita::search::{Progress, SearchOutcome, Target};
use partita::simulate::{default_inference_plan, default_step_plan};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Result of a search: plans in ascending order of predicted step time.
#[pyclass(frozen)]
pub(crate) struct SearchResult {
    /// Table of the plans.
    #[pyo3(get)]
    text: String,
    /// The result as JSON.
    #[pyo3(get)]
    json: String,
    /// Each plan as a plan file, with the predicted seconds of a step.
    #[pyo3(get)]
    plans: Vec<(String, f64)>,
    /// Lower bound in seconds of the step time of all plans of the search space, if it is known.
    #[pyo3(get)]
    bound: Option<f64>,
    /// True if Ctrl-C ended the search.
    #[pyo3(get)]
    interrupted: bool,
    outcome: SearchOutcome,
    machine: Machine,
}

#[pymethods]
impl SearchResult {
    /// The result and the report of the fastest plan for the model, as an HTML page.
    fn html(&self, py: Python<'_>, model: &Model) -> PyResult<String> {
        let page = finish(py, || {
            let fastest = self.outcome.plans().first();
            let by = (&self.machine, &Default::default());
            let fastest = fastest.map(|found| PredictedPlan::new(&model.name, &model.program, &found.plan, by));
            Ok(self.outcome.to_html(fastest.transpose()?.as_ref().map(PredictedPlan::details)))
        })?;
        page.map_err(|error| exception(py, &error))
    }
}

/// Searches the fastest plan for a machine. `target` names a framework that must be able to express the plan.
/// `on_progress` gets the number of simulated plans, and the seconds of the best plan and of the bound. Ctrl-C ends the
/// search with the best plan so far.
#[pyfunction]
#[pyo3(signature = (
    model, machine, flags, toml=None, devices=None, time_limit=None, forward=false, target=None, on_progress=None
))]
pub(crate) fn search(
    py: Python<'_>,
    model: &Model,
    machine: &str,
    flags: Flags,
    toml: Option<&str>,
    devices: Option<usize>,
    time_limit: Option<f64>,
    forward: bool,
    target: Option<&str>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<SearchResult> {
    let stop = AtomicBool::new(false);
    let target = match target {
        Some(name) => Some(Target::from_name(name).ok_or_else(|| {
            let known: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
            Error::new_err(format!("no target is called `{name}`: use one of {}", known.join(", ")))
        })?),
        None => None,
    };
    let limit = time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let outcome = run(
        py,
        |sender| {
            let machine = partita::load_machine(machine)?;
            let given = plan(toml, &flags)?;
            let plan = match (toml.is_some(), forward) {
                (true, _) => given,
                (false, true) => default_inference_plan(Some(&model.name), given, &machine),
                (false, false) => default_step_plan(Some(&model.name), given, &machine),
            };
            let watch = |at: &Progress| {
                // The receiver lives as long as the search.
                let _ = sender.send((at.simulated, at.best, at.bound));
                !stop.load(Ordering::Relaxed)
            };
            let mut search = partita::search(&model.program, &machine).plan(&plan).on_progress(watch);
            if let Some(target) = target {
                search = search.target(target);
            }
            if let Some(count) = devices {
                search = search.devices(count);
            }
            if let Some(limit) = limit {
                search = search.time_limit(limit);
            }
            Ok((search.run()?, machine.clone()))
        },
        |py, (simulated, best, bound)| match &on_progress {
            Some(callback) => callback.call1(py, (simulated, best, bound)).map(drop),
            None => Ok(()),
        },
        || {
            stop.store(true, Ordering::Relaxed);
            true
        },
    )?;
    let (outcome, machine) = outcome.map_err(|error| exception(py, &error))?;
    let outcome = outcome.with_model_name(&model.name);
    Ok(SearchResult {
        text: outcome.to_string(),
        json: outcome.to_json(),
        plans: outcome.plans().iter().map(|found| (found.plan.to_toml(), found.seconds)).collect(),
        bound: outcome.bound(),
        interrupted: stop.into_inner(),
        outcome,
        machine,
    })
}
