//! `compile`: compiles a model and its plan for GPUs to one file.

use crate::args::CompileArgs;
use crate::model::{PartitionedModel, partition, plan};
use crate::progress::Progress;
use crate::{CallerModel, Outcome, devices};
use partita::Result;
use partita::artefact::parse_targets;
use partita::error::interpreter_error;
use partita::report::{Align, Table};
use partita_gpu::nvrtc::{INSTALL_HELP, Nvrtc};
use partita_gpu::{Artefact, Module, Target};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp::random_inputs;
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_ir::units::format_bytes;
use partita_passes::import::updates::replacements;
use partita_runtime::footprint::Footprint;
use partita_runtime::io::{put_weights, read_inputs_with};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Runs `partita compile`.
pub(crate) fn compile(args: &CompileArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let targets = parse_targets(args.target.iter().map(String::as_str))?;
    let progress = Progress::new(targets.len() as u64 + 2);
    progress.step("partitioning");
    let started = Instant::now();
    let PartitionedModel { model, weights, partition, watch, .. } =
        partition(args.model.as_deref(), &plan(&args.plan)?, &args.dump, own)?;
    let partitioned = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let mut artefact = partition.compile_for(&targets, &compile_progress(&progress))?;
    artefact.model.clone_from(&model);
    let compiled = started.elapsed().as_secs_f64();
    let started = Instant::now();
    progress.step("writing");
    artefact.weights = args
        .weights
        .as_ref()
        .map(|from| weights_to_include(partition.planned(), &weights, from.as_deref()))
        .transpose()?;
    let size = artefact.save(&args.output)?;
    let written = started.elapsed().as_secs_f64();
    drop(progress);
    let text = if args.json {
        let target = |module: &Module| {
            json!({
                "target": module.target.to_string(),
                "kernels": module.kernels.len(),
                "launches": module.launch_counts().iter().sum::<u64>(),
                "text_bytes": text_bytes(module),
                "binary_bytes": module.machine_code_bytes(),
                "memory": module.footprints(),
            })
        };
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": model,
            "devices": artefact.program.device_count(),
            "targets": artefact.modules.iter().map(|module| target(module)).collect::<Vec<_>>(),
            "file": args.output.display().to_string(),
            "bytes": size,
            "seconds": { "partition": partitioned, "compile": compiled, "write": written },
        });
        format!("{object:#}\n")
    } else {
        let devices = devices(artefact.program.device_count());
        let seconds = partitioned + compiled + written;
        let (table, file) = (table(&artefact), args.output.display());
        let size = format_bytes(size);
        let why = |note| match Nvrtc::open() {
            Err(e) => format!("\n{note}\n{}: {}\n", e.title, e.notes.join("; ")),
            Ok(_) => format!("\n{note}\n"),
        };
        let without = text_only_note(&artefact).map(why).unwrap_or_default();
        format!("{model}: compiled for {devices} in {seconds:.2} s\n\n{table}\n{file}: {size}\n{without}")
    };
    Ok(Outcome { text: watch.diffs + &text, ok: true })
}

/// Returns a callback that shows the progress of compilation.
pub(super) fn compile_progress(progress: &Progress) -> impl Fn(Target, Option<(usize, usize)>) + Sync {
    |target, kernels| match kernels {
        None => progress.step(&format!("generating kernels for {target}")),
        Some((done, all)) => progress.set_message(&format!("compiling kernels for {target}: {done} of {all}")),
    }
}

/// Formats a table with a row for each target.
fn table(artefact: &Artefact) -> String {
    use Align::{Left, Right};
    let has_code = artefact.modules.iter().any(|module| module.machine_code_bytes().is_some());
    let mut head = vec![("target", Left), ("kernels", Right), ("launches per run", Right), ("text", Right)];
    head.extend(has_code.then_some(("machine code", Right)));
    head.push(("memory per device", Right));
    let mut table = Table::new(head);
    for module in &artefact.modules {
        let mut cells = vec![module.target.to_string(), module.kernels.len().to_string()];
        cells.push(module.launch_counts().iter().sum::<u64>().to_string());
        cells.push(format_bytes(text_bytes(module)));
        cells.extend(has_code.then(|| module.machine_code_bytes().map(format_bytes).unwrap_or_default()));
        cells.push(format_bytes(module.footprints().iter().map(Footprint::total).max().unwrap_or(0)));
        table.row(cells);
    }
    table.to_string()
}

/// Returns a note on modules without machine code whose targets could have it, or `None` if there are none.
pub(super) fn text_only_note(artefact: &Artefact) -> Option<String> {
    let without = artefact
        .modules
        .iter()
        .filter(|module| module.target.has_machine_code() && module.machine_code_bytes().is_none());
    let targets: Vec<String> = without.map(|module| module.target.to_string()).collect();
    let targets = Some(targets.join(", ")).filter(|targets| !targets.is_empty())?;
    Some(format!(
        "{targets}: kernels are source text only, which NVRTC compiles at load time. To include machine code, \
         install NVRTC and compile again: {INSTALL_HELP}"
    ))
}

fn text_bytes(module: &Module) -> u64 {
    module.kernels.iter().map(|kernel| kernel.source.len() as u64).sum()
}

/// Returns the parameters and state to include in the file: those of the model, of a file, or random ones.
fn weights_to_include(program: &Program, weights: &Weights, from: Option<&str>) -> Result<Weights> {
    let drawn = |seed| -> Result<Vec<Tensor>> { Ok(random_inputs(program, seed).map_err(interpreter_error)?) };
    let seed = from.and_then(|from| from.strip_prefix("seed="));
    let tensors = match (from, seed) {
        (None, _) if weights.is_empty() => {
            let none = Diagnostic::new(Code::R001, format!("`{}` has no weights", program.source));
            return Err(none
                .help("name a file, `--weights model.safetensors`, or use random weights, `--weights seed=0`")
                .into());
        }
        (None, _) => {
            let mut tensors = drawn(0)?;
            put_weights(program, weights, &mut tensors)?;
            tensors
        }
        (_, Some(seed)) => {
            let wrong = |_| {
                Diagnostic::new(Code::C002, format!("`{seed}` is not a seed"))
                    .help("write a number: `--weights seed=0`")
            };
            drawn(seed.parse().map_err(wrong)?)?
        }
        // A file of weights need not contain the inputs of the batch.
        (Some(path), None) => {
            let draw = || random_inputs(program, 0).map_err(interpreter_error);
            read_inputs_with(Path::new(path), program, weights, Some(&draw))?.tensors
        }
    };
    let replaced = replacements(program);
    let stays = |value: ValueId| program.param_of(value).is_some() || replaced.iter().any(|r| r.input == value);
    let kept = program.inputs().iter().zip(tensors).filter(|(value, _)| stays(**value));
    let kept: Weights = kept.map(|(&value, tensor)| (program.path_of(value).to_owned(), tensor)).collect();
    if kept.is_empty() {
        return Err(Diagnostic::new(Code::R001, format!("`{}` has no parameters to include", program.source)).into());
    }
    Ok(kept)
}
