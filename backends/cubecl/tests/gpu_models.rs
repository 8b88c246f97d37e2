//! Whole models on a GPU against the CPU backend, forward and training step, on one device and on several.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita::prelude::*;
use partita_gpu::artefact::verify as verify_module;
use partita_gpu::webgpu::WebGpu;
use partita_gpu::{Executable, Target};
use partita_ir::diag::Diagnostic;
use partita_ir::verify::verify;
use partita_runtime::check::compare;
use std::sync::Arc;

/// The folder of StableHLO modules.
fn modules() -> String {
    let data =
        std::env::var("PARTITA_DATA").unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    format!("{data}/stablehlo")
}

/// Runs a module on the GPU and on the CPU; how many kernels there were.
fn check(file: &str) -> Result<usize, Diagnostic> {
    let program = partita::load(&format!("{}/{file}", modules())).unwrap();
    let plan = if program.meshes.is_empty() { Plan::new(Mesh::new([("one", 1)]).unwrap()) } else { Plan::default() };
    let part = program.partition(&plan).unwrap();
    let module = partita_cubecl::compile(verify(part.local()).unwrap().of().unwrap(), Target::Wgsl)?;
    verify_module(&module).unwrap_or_else(|e| panic!("{file}: {e}"));
    let executable = Executable::load(Arc::new(module), WebGpu::open()?)?;
    let inputs = part.random_inputs(0).unwrap();
    let (got, want) = (executable.run(&inputs)?, part.run(&inputs).unwrap());
    let names = part.local().main().outputs.iter().map(|o| o.name.as_str());
    let off = compare(names, &got, &want, 1e-4);
    assert!(off.iter().all(|output| output.ok), "{file}: {off:?}");
    Ok(executable.module().kernels.len())
}

#[test]
#[ignore = "needs a GPU"]
fn a_perceptron_runs_and_trains_on_every_mesh() {
    let kinds = ["fwd.plain", "sgd.plain", "adam.plain", "fwd.sdy.data8", "sgd.sdy.d2m4", "sgd.sdy.model8"];
    for kind in kinds {
        check(&format!("mlp4_tiny.{kind}.mlir")).unwrap_or_else(|e| panic!("{kind}: {e} {:?}", e.notes));
    }
}
