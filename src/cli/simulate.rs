//! `simulate`: what a step would take on a machine.

use super::args::{PlanFlags, SimulateArgs};
use super::files::{write_file, write_trace};
use super::model::{Loaded, plan_on, program};
use super::progress::Progress;
use super::{Outcome, Own};
use crate::error::Result;
use crate::load::load_machine;
use crate::partition::Partition;
use crate::pipeline::Pipeline;
use crate::simulate::Simulation;
use partita_ir::dtype::DType;
use partita_ir::machine::Machine;
use partita_ir::plan::{Mesh, Plan};
use partita_passes::analysis::cost::Efficiencies;

/// Carries out `partita simulate`.
pub(super) fn simulate(args: &SimulateArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    let progress = Progress::new(3);
    progress.step("reading the model");
    let machine = load_machine(&args.machine)?;
    let Loaded { model, program, .. } = program(args.model.as_deref(), own)?;
    let mut plan = step_on(args.model.as_deref(), &args.plan, &machine, args.forward)?;
    if let Some(recompute) = &args.recompute {
        plan = plan.remat_flag(recompute);
    }
    if plan.mesh.is_none() {
        plan.mesh = Some(Mesh::new([("data", 1)])?);
    }
    progress.step("cutting into stages");
    let whole = match machine.host.is_some() && plan.pipelined()?.is_none() {
        true => Some(Partition::new(&program, &plan)?),
        false => None,
    };
    if plan.pipeline.is_none() {
        plan = plan.pipeline("1");
    }
    let pipeline = match &machine.host {
        // As `run` cuts it.
        Some(_) => Pipeline::new(&program, &plan)?,
        None => Pipeline::on(&program, &plan, &machine)?,
    };
    progress.step("simulating a step");
    let mut simulation = Simulation::of(&pipeline, &machine, &Efficiencies::default())?.named(&model);
    if let Some(host) = &machine.host {
        simulation = match &whole {
            // What `run` runs where the plan asks for no stages.
            Some(whole) => simulation.on_host(whole.forecast(host)?, &[whole.footprint()?]),
            None => simulation.on_host(pipeline.forecast(host)?, &pipeline.footprints()?),
        };
    }
    if let Some(path) = &args.trace {
        write_trace(path, &simulation.timeline())?;
    }
    if let Some(path) = &args.svg {
        write_file(path, &simulation.timeline().svg())?;
    }
    drop(progress);
    Ok(if args.json { simulation.to_json() + "\n" } else { simulation.to_string() }.into())
}

/// The plan of a step on a machine: a built-in model is trained, in mixed precision, unless something else is said.
pub(super) fn step_on(model: Option<&str>, flags: &PlanFlags, machine: &Machine, forward: bool) -> Result<Plan> {
    let plan = plan_on(Plan::default(), flags)?;
    let is_zoo = model.is_some_and(|model| model.starts_with("zoo:"));
    if !is_zoo || flags.plan.is_some() || plan.train.is_some() || forward {
        return Ok(plan);
    }
    let plan = plan.train("adam");
    Ok(if plan.precision.is_empty() { plan.precision("**", narrow(machine).name()) } else { plan })
}

/// The element type that all kinds of devices multiply fastest: of 16 bits where they have a rate for one.
fn narrow(machine: &Machine) -> DType {
    let have = |dtype: DType| machine.kinds.iter().all(|kind| kind.rates.contains_key(&dtype));
    [DType::BF16, DType::F16].into_iter().find(|&dtype| have(dtype)).unwrap_or(DType::F32)
}
