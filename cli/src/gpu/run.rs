//! `run` on a GPU: a compiled file, or a model that is compiled first.

use super::compile::compile_progress;
use crate::args::{PlanFlags, RunArgs};
use crate::model::{PartitionedModel, partition_for_inputs, plan};
use crate::progress::Progress;
use crate::results::RunResults;
use crate::tensors::{RunInputs, inputs, write};
use crate::{CallerModel, Outcome, ranks};
use partita::Result;
use partita::artefact::{DEFAULT_EMULATED_TARGET, LoadedArtefact, parse_targets};
use partita::steps::Steps;
use partita_gpu::{Artefact, Target};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Weights;
use std::path::Path;
use std::time::Instant;

/// Runs `partita run` on a GPU.
pub(crate) fn run(args: &RunArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let is_compiled = args.model.as_deref().is_some_and(super::is_artefact);
    let progress = Progress::new(if args.check { 7 } else { 4 } + u64::from(!is_compiled));
    let target = args.target.as_deref().map(|name| parse_targets([name])).transpose()?;
    let target: Option<Target> = target.and_then(|targets| targets.first().copied());
    if args.emulate {
        LoadedArtefact::check_emulation(target)?;
    }
    let processes = ranks::connect_gpus(&args.ranks)?;
    if args.exact.exact && processes.is_some() && !args.emulate {
        let title = "`--exact` applies to devices on the CPU, but NCCL sums in an order of its own";
        return Err(Diagnostic::new(Code::R005, title).help("leave it out").into());
    }
    let Compiled { model, artefact, weights, fixed, diffs } = compiled(args, target, own, &progress)?;
    let program = artefact.interface_program();
    let weights = artefact.weights.as_ref().unwrap_or(&weights);
    progress.step("reading or drawing inputs");
    let RunInputs { tensors: inputs, state, drawn } = inputs(program, weights, &fixed, args)?;
    progress.step("loading kernels");
    if let Some(processes) = &processes {
        ranks::agree_on_run(processes, (program, &artefact.plan), (args.steps, args.seed))?;
    }
    let device = match args.emulate {
        true => LoadedArtefact::open_emulated(&artefact, target, is_compiled, processes.as_ref())?,
        false => LoadedArtefact::open(&artefact, target, processes.as_ref())?,
    };
    let started = Instant::now();
    let steps = Steps { count: args.steps, seed: drawn.then_some(args.seed) };
    let mut made = Vec::new();
    let (outputs, check) = if args.check {
        let check = device.check_steps(&inputs, steps, &mut |what| progress.step(what))?;
        (check.outputs.clone(), Some(check))
    } else {
        progress.step("running on the device");
        (device.run_steps(&inputs, steps, &mut |step| made.push(step))?, None)
    };
    let seconds = started.elapsed().as_secs_f64();
    drop(progress);
    if ranks::is_first() {
        device.notes().iter().for_each(|note| eprintln!("note: {note}"));
        write(args, program, (&inputs, &state), &outputs)?;
    }
    let devices = artefact.program.device_count();
    let (on, memory) = (Some(device.name().to_owned()), device.footprints());
    let outcome = RunResults { model, devices, on, memory, warnings: Vec::new(), outputs, check, steps: made, seconds }
        .outcome(args, program);
    Ok(Outcome { text: diffs + &outcome.text, ok: outcome.ok })
}

/// A compiled model, ready to run.
struct Compiled {
    /// Name of the model as given by the user.
    model: String,
    artefact: Artefact,
    /// Weights that the model was loaded with.
    weights: Weights,
    /// Names of inputs with fixed values, which are no inputs of the program.
    fixed: Vec<String>,
    /// Output of `--dump`.
    diffs: String,
}

fn compiled(
    args: &RunArgs,
    target: Option<Target>,
    own: Option<&CallerModel<'_>>,
    progress: &Progress,
) -> Result<Compiled> {
    if let Some(file) = args.model.as_deref().filter(|model| super::is_artefact(model)) {
        if !is_empty(&args.plan) {
            let title = format!("`{file}` is compiled already: a plan has no effect on it");
            return Err(Diagnostic::new(Code::P001, title)
                .help("leave the plan out, or compile the model again")
                .into());
        }
        progress.step("reading");
        let expected = args.sha256.as_ref().map(|digits| digits.parse()).transpose();
        let artefact = match expected.map_err(|why: String| Diagnostic::new(Code::A008, why))? {
            Some(expected) => Artefact::load_expecting(Path::new(file), &expected)?,
            None => Artefact::load(Path::new(file))?,
        };
        let (model, diffs) = (file.to_owned(), String::new());
        return Ok(Compiled { model, artefact, weights: Weights::new(), fixed: Vec::new(), diffs });
    }
    progress.step("partitioning");
    let source = (args.input.as_deref(), own);
    let PartitionedModel { fixed, model, weights, partition, watch } =
        partition_for_inputs(args.model.as_deref(), &plan(&args.plan)?, &args.dump, source)?;
    let artefact = match args.emulate {
        true => partition.compile_text(&[target.unwrap_or(DEFAULT_EMULATED_TARGET)], &compile_progress(progress))?,
        false => partition.compile_for(&target.into_iter().collect::<Vec<_>>(), &compile_progress(progress))?,
    };
    Ok(Compiled { model, artefact, weights, fixed, diffs: watch.diffs })
}

/// Returns true if no plan flag is given.
fn is_empty(flags: &PlanFlags) -> bool {
    *flags == PlanFlags::default()
}
