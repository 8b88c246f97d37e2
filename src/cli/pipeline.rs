//! `plan` and `run` where the plan asks for a pipeline.

use super::args::{DumpFlag, PlanArgs, PlanFlags, RunArgs};
use super::model::{Loaded, plan as read_plan, plan_for, program};
use super::passes::{Dump, Watch, write_file};
use super::progress::Progress;
use super::run::{Given, Ran, inputs, write};
use super::{Outcome, Own};
use crate::error::Result;
use crate::pipeline::Pipeline;
use crate::render::render;
use crate::steps::Steps;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::machine::Machine;
use partita_ir::plan::Plan;
use partita_ir::tensor::Weights;
use std::time::Instant;

/// Whether the plan asks for a pipeline.
pub(super) fn is_asked(flags: &PlanFlags) -> Result<bool> {
    Ok(read_plan(flags)?.pipelined()?.is_some())
}

/// A model in stages.
struct Staged {
    model: String,
    weights: Weights,
    pipeline: Pipeline,
    watch: Watch,
}

fn staged(
    model: Option<&str>,
    (plan, machine): (&Plan, Option<&Machine>),
    dump: &DumpFlag,
    own: Option<&Own<'_>>,
) -> Result<Staged> {
    let dump = Dump::new(dump)?;
    let Loaded { model, program, weights } = program(model, own)?;
    let mut watch = Watch::new(&program, dump);
    let pipeline = Pipeline::watched(&program, plan, machine, &mut |ran| watch.see(ran))?;
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

/// Carries out `partita explain --peak`.
pub(super) fn explain_peak(model: Option<&str>, plan: &Plan, own: Option<&Own<'_>>) -> Result<Outcome> {
    Ok(staged(model, (plan, None), &DumpFlag::default(), own)?.pipeline.explain_peak().into())
}

/// Carries out `partita run`.
pub(super) fn run(args: &RunArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    let progress = Progress::new(if args.check { 6 } else { 3 });
    progress.step("cutting into stages");
    let Staged { model, weights, pipeline, watch } =
        staged(args.model.as_deref(), (&read_plan(&args.plan)?, None), &args.dump, own)?;
    progress.step("reading or drawing inputs");
    let Given { tensors: inputs, state, drawn } = inputs(pipeline.step(), &weights, args)?;
    let started = Instant::now();
    let steps = Steps { count: args.steps, seed: drawn.then_some(args.seed) };
    let mut made = Vec::new();
    let (outputs, check) = if args.check {
        let check = pipeline.check_steps(&inputs, steps, &mut |what| progress.step(what))?;
        (check.outputs.clone(), Some(check))
    } else {
        progress.step("running all stages");
        (pipeline.run_steps(&inputs, steps, &mut |step| made.push(step))?, None)
    };
    let seconds = started.elapsed().as_secs_f64();
    if let Some(path) = &args.trace {
        progress.step("recording one step");
        let (_, timeline) = pipeline.run_recorded(&inputs)?;
        let mut trace = Vec::new();
        timeline
            .trace(&mut trace)
            .map_err(|e| Diagnostic::new(Code::C001, format!("the trace cannot be written: {e}")))?;
        write_file(path, &String::from_utf8_lossy(&trace))?;
    }
    drop(progress);
    write(args, pipeline.step(), (&inputs, &state), &outputs)?;
    let (devices, memory) = (pipeline.device_count(), pipeline.footprints()?);
    let ran = Ran { model, devices, on: None, memory, outputs, check, steps: made, seconds };
    let Outcome { text, ok } = ran.told(args, pipeline.step());
    Ok(Outcome { text: watch.diffs + &text, ok })
}
