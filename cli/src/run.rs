//! `run`: runs all devices of the plan in this process, and compares them with one device if `--check` is given. A
//! compiled file, or a model with `--target` or `--emulate`, runs in `gpu::run`.

use super::args::RunArgs;
use super::files::{prepare_file, write_trace};
use super::model::{PartitionedModel, partition_for_inputs, plan};
use super::progress::Progress;
use super::results::RunResults;
use super::tensors::{RunInputs, inputs, write};
use super::{CallerModel, Outcome, gpu, ranks};
use partita::Result;
use partita::report::WarningRow;
use partita::steps::Steps;
use partita_ir::diag::{Code, Diagnostic};
use std::time::Instant;

/// Runs `partita run`.
pub(super) fn run(args: &RunArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    if args.sha256.is_some() && !args.model.as_deref().is_some_and(gpu::is_artefact) {
        let title = "`--sha256` applies to a compiled file, but the model is not compiled";
        return Err(Diagnostic::new(Code::A008, title).help("leave it out, or run a `.partita` file").into());
    }
    if args.emulate || args.target.is_some() || args.model.as_deref().is_some_and(gpu::is_artefact) {
        return gpu::run(args, own);
    }
    let processes = ranks::connect_until_stopped(&args.ranks)?;
    if ranks::is_first() {
        args.output.iter().try_for_each(|path| prepare_file(path))?;
    }
    let progress = Progress::new(if args.check { 7 } else { 3 });
    progress.step("partitioning");
    let source = (args.input.as_deref(), own);
    let PartitionedModel { fixed, model, weights, partition, watch } =
        partition_for_inputs(args.model.as_deref(), &plan(&args.plan)?, &args.dump, source)?;
    let partition = match processes {
        Some(processes) => {
            ranks::allow_native_collectives(&processes, args.exact)?;
            ranks::divide(partition, processes)?
        }
        None => partition,
    };
    let program = partition.planned();
    progress.step("reading or drawing inputs");
    let RunInputs { tensors: inputs, state, drawn } = inputs(program, &weights, &fixed, args)?;
    let started = Instant::now();
    let steps = Steps { count: args.steps, seed: drawn.then_some(args.seed) };
    let mut made = Vec::new();
    let (outputs, check) = if args.check {
        let check = partition.check_steps(&inputs, steps, &mut |what| progress.step(what))?;
        (check.outputs.clone(), Some(check))
    } else {
        progress.step("running all devices");
        (partition.run_steps(&inputs, steps, &mut |step| made.push(step))?, None)
    };
    let seconds = started.elapsed().as_secs_f64();
    if let Some(path) = &args.trace {
        progress.step("recording one step");
        // All processes run the step; the first writes what it knows of all devices.
        let timeline = partition.run_recorded(&inputs)?.1;
        if ranks::is_first() {
            write_trace(path, &timeline)?;
        }
    }
    drop(progress);
    if ranks::is_first() {
        write(args, program, (&inputs, &state), &outputs)?;
    }
    let (count, memory) = (partition.device_count(), partition.footprints()?);
    let warnings = WarningRow::from_diagnostics(partition.warnings());
    let ran = RunResults { model, devices: count, on: None, memory, warnings, outputs, check, steps: made, seconds };
    let Outcome { text, ok } = ran.outcome(args, program);
    let text = if args.json { text } else { text + &ranks::collectives_text() };
    Ok(Outcome { text: watch.diffs + &text, ok })
}
