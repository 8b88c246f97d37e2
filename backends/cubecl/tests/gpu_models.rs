//! Models compared with the CPU backend: inference and training steps, on one device and on several. Their CUDA C++
//! runs on the emulator; with `PARTITA_GPU` set, their WGSL runs on a GPU.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita::prelude::*;
use partita_gpu::artefact::verify as verify_module;
use partita_gpu::device::Device;
use partita_gpu::emulator::Emulator;
use partita_gpu::emulator::network::EmulatedNetwork;
use partita_gpu::webgpu::WebGpu;
use partita_gpu::{Executable, Target};
use partita_ir::diag::Diagnostic;
use partita_ir::verify::verify;
use partita_passes::import::updates::{Replacement, replacements};
use partita_runtime::check::compare;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the folder of StableHLO modules.
fn modules() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/stablehlo"))
}

/// Compares a file in the folder.
fn check_module(modules: &Path, name: &str) {
    check(&modules.join(name)).unwrap_or_else(|e| panic!("{name}: {e} {:?}", e.notes));
}

/// Runs a model file on a GPU and on the CPU, and compares the results.
fn check(file: &Path) -> Result<(), Diagnostic> {
    let program = partita::load(&file.display().to_string()).unwrap();
    let plan = if program.meshes.is_empty() { Plan::new(Mesh::new([("one", 1)]).unwrap()) } else { Plan::default() };
    check_planned(&file.display().to_string(), &program, &plan, 1e-4)
}

/// Runs a model with a plan on a GPU and on the CPU, and compares the results.
fn check_planned(model: &str, program: &Program, plan: &Plan, most: f64) -> Result<(), Diagnostic> {
    let part = program.partition(plan).unwrap();
    let compile = |target| partita_cubecl::compile(verify(part.local().unwrap()).unwrap().into_form().unwrap(), target);
    let module = Arc::new(compile(Target::Cuda { arch: 80 })?);
    verify_module(&module).unwrap_or_else(|e| panic!("{model}: {e}"));
    if std::env::var_os("PARTITA_GPU").is_some() {
        let module = Arc::new(compile(Target::Wgsl)?);
        return check_on(&Executable::load(module, WebGpu::open()?)?, &part, (model, most));
    }
    let emulator = Emulator::from_module(&module)?;
    check_on(&Executable::load(module, emulator)?, &part, (model, most))
}

fn check_on<D: Device>(
    executable: &Executable<D>,
    part: &Partition,
    (model, most): (&str, f64),
) -> Result<(), Diagnostic> {
    let inputs = part.random_inputs(0).unwrap();
    let (got, want) = (executable.run(&inputs)?, part.run(&inputs).unwrap());
    let names = part.local().unwrap().outputs().iter().map(|o| o.name.as_str());
    let off = compare(names, &got, &want, most);
    assert!(off.iter().all(|output| output.ok), "{model} on {}: {off:?}", executable.device().name());
    Ok(())
}

/// Checks that values which stay on devices between steps are bit-identical to values that are downloaded and uploaded
/// again.
fn check_steps<D: Device>(executable: &Executable<D>, mut inputs: Vec<Tensor>) -> Result<Vec<Tensor>, Diagnostic> {
    let program = &executable.module().program.stages[0].programs[0];
    let replaced = replacements(program);
    assert!(!replaced.is_empty());
    let (mut session, mut outputs) = (executable.begin(&inputs)?, executable.run(&inputs)?);
    session.step()?;
    for _ in 0..2 {
        for Replacement { input, output, .. } in &replaced {
            let at = program.inputs().iter().position(|value| value == input).unwrap();
            inputs[at] = outputs[*output].clone();
            session.feed_back(at, *output)?;
        }
        outputs = executable.run(&inputs)?;
        session.step()?;
    }
    assert_eq!(session.outputs()?, outputs);
    Ok(outputs)
}

#[test]
fn steps_on_one_device_and_on_several_devices() {
    let modules = modules();
    for kind in ["sgd.sdy.data8", "sgd.sdy.d2m4"] {
        let program = partita::load(&modules.join(format!("mlp4_tiny.{kind}.mlir")).display().to_string()).unwrap();
        let part = program.partition(&Plan::default()).unwrap();
        let proof = verify(part.local().unwrap()).unwrap().into_form().unwrap();
        let module = Arc::new(partita_cubecl::compile(proof, Target::Cuda { arch: 80 }).unwrap());
        let (emulator, inputs) = (Emulator::from_module(&module).unwrap(), part.random_inputs(0).unwrap());
        let devices = vec![emulator.clone(); module.program.device_count()];
        let one = Executable::load(module.clone(), emulator).unwrap();
        let apart = Executable::load_distributed(module, devices, Box::new(EmulatedNetwork)).unwrap();
        let (one, apart) = (check_steps(&one, inputs.clone()).unwrap(), check_steps(&apart, inputs).unwrap());
        let names = part.local().unwrap().outputs().iter().map(|o| o.name.as_str());
        let off = compare(names, &apart, &one, 1e-5);
        assert!(off.iter().all(|output| output.ok), "{kind}: {off:?}");
    }
}

#[test]
fn a_perceptron_runs_and_trains_on_every_mesh() {
    let modules = modules();
    let kinds = ["fwd.plain", "sgd.plain", "adam.plain", "fwd.sdy.data8", "sgd.sdy.d2m4", "sgd.sdy.model8"];
    kinds.iter().for_each(|kind| check_module(&modules, &format!("mlp4_tiny.{kind}.mlir")));
}

#[test]
fn a_transformer_runs_and_trains_on_every_mesh() {
    let modules = modules();
    let kinds = ["fwd.sdy.data8", "fwd.sdy.d2m4", "sgd.sdy.model8", "adam.plain"];
    kinds.iter().for_each(|kind| check_module(&modules, &format!("gpt2l_tiny.{kind}.mlir")));
}

#[test]
fn experts_run_and_train() {
    let modules = modules();
    ["fwd.plain", "sgd.sdy.data8"].iter().for_each(|kind| check_module(&modules, &format!("moe_ep.{kind}.mlir")));
}

#[test]
fn experts_run_and_train_on_the_axis_of_the_model() {
    let modules = modules();
    ["fwd.sdy.model8", "adam.sdy.d2m4"].iter().for_each(|kind| check_module(&modules, &format!("moe_ep.{kind}.mlir")));
}

#[test]
fn convolutions_run_and_train() {
    let modules = modules();
    ["fwd.plain", "sgd_lr0.01.plain"].iter().for_each(|kind| check_module(&modules, &format!("cnn_tiny.{kind}.mlir")));
}

#[test]
fn onnx_files_run() {
    let modules = modules();
    ["mlp", "mnist_cnn", "encoder2l"].iter().for_each(|model| check_module(&modules, &format!("../onnx/{model}.onnx")));
}

/// With CUDA, 16-bit floats are stored with two bytes.
#[test]
fn built_in_models_train_in_half_floats() {
    let models = [
        "mlp?layers=2&width=9&hidden=15&batch=8",
        "mnist-cnn?image=8&batch=4",
        "gpt?layers=1&width=12&heads=4&hidden=15&seq=7&vocab=31&batch=4",
        "bert?layers=1&width=12&heads=4&hidden=15&seq=7&vocab=31&batch=4",
        "moe?layers=1&width=9&hidden=11&experts=4&seq=7&batch=8",
    ];
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)]).unwrap()).preset("data").preset("megatron");
    let plan = plan.precision("**", "bf16").train("adamw");
    for model in models {
        let program = partita::load(&format!("zoo:{model}")).unwrap();
        check_planned(model, &program, &plan, 5e-2).unwrap_or_else(|e| panic!("{model}: {e} {:?}", e.notes));
    }
}
