//! Pipelined models and training steps compared with the interpreter of the unpartitioned step. Their CUDA C++ runs on
//! the emulator, on one device and on one device per rank; with `PARTITA_GPU` set, their WGSL runs on a GPU.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita::prelude::*;
use partita_gpu::artefact::verify;
use partita_gpu::device::Device;
use partita_gpu::emulator::Emulator;
use partita_gpu::emulator::network::EmulatedNetwork;
use partita_gpu::webgpu::WebGpu;
use partita_gpu::{Artefact, Executable, Module, Target};
use partita_ir::interp;
use partita_passes::import::updates::{Replacement, replacements};
use partita_runtime::check::compare;
use std::path::Path;
use std::sync::Arc;

const MLP: &str = "zoo:mlp?layers=4&width=5&hidden=7&batch=12";

/// Returns a plan with pipeline stages on meshes of `data` devices.
fn plan(data: u32, stages: &str, schedule: &str, micro_batches: u32) -> Plan {
    let plan = Plan::new(Mesh::new([("data", data)]).unwrap()).preset("data");
    plan.pipeline(stages).schedule(schedule).micro_batches(micro_batches.to_string())
}

/// Returns the model, and its module of stages after a round trip through an artefact file.
fn compiled(model: &str, plan: &Plan, target: Target) -> (Program, Arc<Module>) {
    let program = partita::load(model).unwrap();
    let partition = program.partition(plan).unwrap_or_else(|e| panic!("{model}: {e}"));
    let artefact = partition.compile_text(&[target], &|_, _| ()).unwrap_or_else(|e| panic!("{model}: {e}"));
    verify(&artefact.modules[0]).unwrap_or_else(|e| panic!("{model}: {e}"));
    let bytes = artefact.to_bytes().unwrap();
    let read = Artefact::from_bytes(Path::new("x.partita"), &bytes).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    assert_eq!(read.to_bytes().unwrap(), bytes);
    assert!(partita_cubecl::has_own_kernels(&read.modules[0]).unwrap());
    (partition.model().clone(), read.modules[0].clone())
}

/// Compares steps on devices with the interpreter. Updated parameters stay on the devices.
fn check_on<D: Device>(executable: &Executable<D>, step: &Program, most: f64) {
    let mut inputs = interp::random_inputs(step, 3).unwrap();
    let mut session = executable.begin(&inputs).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    for round in 0..3 {
        session.step().unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
        let want = interp::run(step, inputs.clone()).unwrap();
        let names = step.outputs().iter().map(|output| output.name.as_str());
        let off = compare(names, &session.outputs().unwrap(), &want, most);
        assert!(off.iter().all(|output| output.ok), "round {round}: {off:?}");
        for Replacement { input, output, .. } in replacements(step) {
            let at = step.inputs().iter().position(|&value| value == input).unwrap();
            inputs[at] = want[output].clone();
            session.feed_back(at, output).unwrap();
        }
    }
}

fn check(model: &str, plan: &Plan) {
    if std::env::var_os("PARTITA_GPU").is_some() {
        let (step, module) = compiled(model, plan, Target::Wgsl);
        return check_on(&Executable::load(module, WebGpu::open().unwrap()).unwrap(), &step, 1e-4);
    }
    let (step, module) = compiled(model, plan, Target::Cuda { arch: 80 });
    let emulator = Emulator::from_module(&module).unwrap();
    let devices = vec![emulator.clone(); module.program.device_count()];
    check_on(&Executable::load(module.clone(), emulator).unwrap(), &step, 1e-4);
    check_on(&Executable::load_distributed(module, devices, Box::new(EmulatedNetwork)).unwrap(), &step, 1e-4);
}

#[test]
fn every_schedule_trains_as_one_device() {
    for (schedule, stages) in [("gpipe", "3"), ("1f1b", "2"), ("interleaved?chunks=2", "2"), ("zb-h1", "3")] {
        check(MLP, &plan(1, stages, schedule, 4).train("adamw?clip=0.7"));
    }
}

#[test]
fn stages_of_several_devices_train_as_one_device() {
    check(MLP, &plan(2, "2", "1f1b", 3).train("adamw"));
}

#[test]
fn a_decoder_with_shared_parameters_trains_as_one_device() {
    let model = "zoo:gpt?layers=2&width=6&heads=2&hidden=7&seq=5&vocab=11&batch=4&tied=true";
    check(model, &plan(1, "2", "1f1b", 2).train("sgd"));
}

/// Equal inputs yield equal files, and modified kernels are detected.
#[test]
fn files_are_reproducible_and_changed_kernels_are_detected() {
    let program = partita::load(MLP).unwrap();
    let compile = || {
        let partition = program.partition(&plan(2, "2", "1f1b", 3).train("sgd")).unwrap();
        partition.compile_text(&[Target::Wgsl, Target::Cuda { arch: 80 }], &|_, _| ()).unwrap()
    };
    let mut artefact = compile();
    assert_eq!(artefact.to_bytes().unwrap(), compile().to_bytes().unwrap());
    let count = artefact.modules[1].kernels.len();
    for changed in [0, count - 1] {
        let module = Arc::get_mut(&mut artefact.modules[1]).unwrap();
        module.kernels[changed].source.push('\n');
        assert!(!partita_cubecl::has_own_kernels(module).unwrap(), "{}", module.kernels[changed].name);
        module.kernels[changed].source.pop();
    }
    assert!(partita_cubecl::has_own_kernels(&artefact.modules[1]).unwrap());
}

#[test]
fn a_forward_model_runs_in_stages() {
    check(MLP, &plan(2, "2", "gpipe", 3));
}
