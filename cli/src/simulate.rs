//! `simulate`: predicts a step on a machine.

use super::args::{PlanFlags, SimulateArgs};
use super::files::{write_file, write_trace};
use super::model::{Loaded, plan_on, program};
use super::progress::Progress;
use super::{CallerModel, Outcome};
use crate::render::render;
use partita::Result;
use partita::html::PlanDetails;
use partita::load_machine;
use partita::simulate::{Simulation, default_inference_plan, default_step_plan};
use partita_ir::plan::Plan;
use partita_machine::Machine;

/// Runs `partita simulate`.
pub(super) fn simulate(args: &SimulateArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let progress = Progress::new(2);
    progress.step("reading the model");
    let machine = load_machine(&args.machine)?;
    let efficiencies = args.costs.efficiencies()?;
    let Loaded { model, program, .. } = program(args.model.as_deref(), own)?;
    let flags = args.recompute.iter().fold(args.plan.clone(), |flags, how| flags.and("remat", how));
    let plan = plan_of_step(args.model.as_deref(), &flags, &machine, args.forward)?;
    progress.step("simulating a step");
    let (partition, simulation) = Simulation::from_plan(&program, &plan, &machine, &efficiencies)?;
    let warnings = [partition.warnings(), simulation.ineffective_options()].concat();
    if !warnings.is_empty() {
        eprintln!("{}\n", render(&warnings, super::colours()));
    }
    let simulation = simulation.with_model_name(&model);
    if let Some(path) = &args.trace {
        write_trace(path, &simulation.timeline())?;
    }
    if let Some(path) = &args.svg {
        write_file(path, &simulation.timeline().to_svg())?;
    }
    if let Some(path) = &args.html {
        let mut report = partition.report_on(&machine)?;
        report.model = model;
        let details = PlanDetails { partition: &partition, report: &report, simulation: Some(&simulation) };
        write_file(path, &details.to_html())?;
    }
    drop(progress);
    Ok(match (args.json, args.explain) {
        (true, _) => simulation.to_json() + "\n",
        (false, true) => format!("{simulation}\n{}", simulation.breakdown()),
        (false, false) => simulation.to_string(),
    }
    .into())
}

/// Returns the plan of a step on a machine: that of the flags, or the default training step of a built-in model.
pub(super) fn plan_of_step(model: Option<&str>, flags: &PlanFlags, machine: &Machine, forward: bool) -> Result<Plan> {
    let plan = plan_on(Plan::default(), flags)?;
    Ok(match (flags.plan.is_some(), forward) {
        (true, _) => plan,
        (false, true) => default_inference_plan(model, plan, machine),
        (false, false) => default_step_plan(model, plan, machine),
    })
}
