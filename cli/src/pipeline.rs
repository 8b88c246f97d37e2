//! Models in the stages of a pipeline.

use super::args::{DumpFlag, PlanArgs, PlanFlags};
use super::model::{Loaded, compiler, plan as read_plan, plan_for, program};
use super::passes::{Dump, Watch};
use super::{Outcome, Own, crash};
use crate::render::render;
use partita::Pipeline;
use partita::Result;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::Plan;
use partita_ir::tensor::Weights;
use partita_machine::Machine;

/// Whether the plan asks for a pipeline of several stages.
pub(super) fn is_asked(flags: &PlanFlags) -> Result<bool> {
    Ok(read_plan(flags)?.staged()?.is_some())
}

/// A model in stages.
pub(super) struct Staged {
    /// What the user calls it.
    pub(super) model: String,
    /// The data that it came with.
    pub(super) weights: Weights,
    pub(super) pipeline: Pipeline,
    pub(super) watch: Watch,
}

/// Loads the model and cuts it.
pub(super) fn staged(
    model: Option<&str>,
    (plan, machine): (&Plan, Option<&Machine>),
    dump: &DumpFlag,
    own: Option<&Own<'_>>,
) -> Result<Staged> {
    let dump = Dump::new(dump)?;
    let Loaded { model, program, weights } = program(model, own)?;
    let mut watch = Watch::new(&program, dump);
    let pipeline = crash::guard(&program, plan, |program| compiler(program, plan, machine, &mut watch).pipeline())?;
    if !pipeline.warnings().is_empty() {
        eprintln!("{}\n", render(pipeline.warnings(), super::colours()));
    }
    Ok(Staged { model, weights, pipeline, watch })
}

/// Carries out `partita plan`.
pub(super) fn plan(args: &PlanArgs, machine: Option<&(String, Machine)>, own: Option<&Own<'_>>) -> Result<Outcome> {
    if args.emit.is_some() {
        let title = "a pipeline is several programs, and none of them is emitted yet";
        return Err(Diagnostic::new(Code::G001, title).help("leave `--emit` out, or `--pipeline`").into());
    }
    let (plan, machine) = (plan_for(&args.plan, machine)?, machine.map(|(_, machine)| machine));
    let Staged { model, pipeline, watch, .. } = staged(args.model.as_deref(), (&plan, machine), &args.dump, own)?;
    let mut report = pipeline.report();
    report.model = model;
    let shown = match (args.json, args.passes) {
        (true, _) => report.to_json() + "\n",
        (_, true) => watch.table(),
        _ => report.to_string(),
    };
    Ok((watch.diffs + &shown).into())
}
