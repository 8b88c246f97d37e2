//! `compile`: a model and its plan to one file for GPUs.

use crate::artefact::targets;
use crate::cli::args::CompileArgs;
use crate::cli::model::{Planned, partition};
use crate::cli::progress::Progress;
use crate::cli::{Outcome, Own, devices};
use crate::error::Result;
use crate::partition::{Partition, failed};
use crate::report::{Align, Table};
use partita_gpu::{Artefact, Module};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp::random_inputs;
use partita_ir::tensor::{Tensor, Weights};
use partita_ir::units::bytes;
use partita_passes::import::training::replaced;
use partita_runtime::io::{put_weights, read_over};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Carries out `partita compile`.
pub(in crate::cli) fn compile(args: &CompileArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    let targets = targets(args.target.iter().map(String::as_str))?;
    let progress = Progress::new(targets.len() as u64 + 2);
    progress.step("partitioning");
    let started = Instant::now();
    let Planned { model, weights, partition, watch } = partition(args.model.as_deref(), &args.plan, &args.dump, own)?;
    let partitioned = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let mut artefact =
        partition.compile_for(&targets, &mut |target| progress.step(&format!("compiling for {target}")))?;
    artefact.model.clone_from(&model);
    let compiled = started.elapsed().as_secs_f64();
    let started = Instant::now();
    progress.step("writing");
    artefact.weights = args.weights.as_ref().map(|from| kept(&partition, &weights, from.as_deref())).transpose()?;
    let size = artefact.save(&args.output)?;
    let written = started.elapsed().as_secs_f64();
    drop(progress);
    let text = if args.json {
        let target = |module: &Module| {
            json!({
                "target": module.target.to_string(),
                "kernels": module.kernels.len(),
                "launches": module.launches().iter().sum::<u64>(),
                "text_bytes": text_bytes(module),
                "memory": module.footprint(),
            })
        };
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": model,
            "devices": partition.device_count(),
            "targets": artefact.modules.iter().map(|module| target(module)).collect::<Vec<_>>(),
            "file": args.output.display().to_string(),
            "bytes": size,
            "seconds": { "partition": partitioned, "compile": compiled, "write": written },
        });
        format!("{object:#}\n")
    } else {
        let devices = devices(partition.device_count());
        let seconds = partitioned + compiled + written;
        let (table, file) = (table(&artefact), args.output.display());
        let size = bytes(size);
        format!("{model}: compiled for {devices} in {seconds:.2} s\n\n{table}\n{file}: {size}\n")
    };
    Ok(Outcome { text: watch.diffs + &text, ok: true })
}

/// A line for each target.
fn table(artefact: &Artefact) -> String {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("target", Left),
        ("kernels", Right),
        ("launches a run", Right),
        ("text", Right),
        ("memory a device", Right),
    ]);
    for module in &artefact.modules {
        table.row([
            module.target.to_string(),
            module.kernels.len().to_string(),
            module.launches().iter().sum::<u64>().to_string(),
            bytes(text_bytes(module)),
            bytes(module.footprint().total()),
        ]);
    }
    table.to_string()
}

fn text_bytes(module: &Module) -> u64 {
    module.kernels.iter().map(|kernel| kernel.source.len() as u64).sum()
}

/// What stays from one run to the next, to be put into the file: the model's own, a file's, or random ones.
fn kept(partition: &Partition, weights: &Weights, from: Option<&str>) -> Result<Weights> {
    let program = partition.planned();
    let drawn = |seed| -> Result<Vec<Tensor>> { Ok(random_inputs(program, seed).map_err(failed)?) };
    let seed = from.and_then(|from| from.strip_prefix("seed="));
    let tensors = match (from, seed) {
        (None, _) if weights.is_empty() => {
            let none = Diagnostic::new(Code::R001, format!("`{}` brings no weights along", program.source));
            return Err(none.help("name a file: --weights model.safetensors, or draw some: --weights seed=0").into());
        }
        (None, _) => {
            let mut tensors = drawn(0)?;
            put_weights(program, weights, &mut tensors)?;
            tensors
        }
        (_, Some(seed)) => {
            let wrong = |_| {
                Diagnostic::new(Code::C002, format!("`{seed}` is no seed")).help("write a number: --weights seed=0")
            };
            drawn(seed.parse().map_err(wrong)?)?
        }
        // A file of weights need not have the data.
        (Some(path), None) => {
            let draw = || random_inputs(program, 0).map_err(failed);
            read_over(Path::new(path), program, weights, Some(&draw))?.tensors
        }
    };
    let replaced = replaced(program);
    let stays = |value: ValueId| program.param_of(value).is_some() || replaced.iter().any(|r| r.input == value);
    let kept = program.main().inputs.iter().zip(tensors).filter(|(value, _)| stays(**value));
    let kept: Weights = kept.map(|(&value, tensor)| (program.path_of(value).to_owned(), tensor)).collect();
    if kept.is_empty() {
        return Err(Diagnostic::new(Code::R001, format!("`{}` has no parameters to keep", program.source)).into());
    }
    Ok(kept)
}
