//! Stages of a pipeline: their interleaving on one host thread, and deadlocks.

use super::collectives::CallLog;
use expect_test::expect;
use partita::prelude::*;
use partita_gpu::{Executable, Module, Target};
use partita_ir::diag::Code;
use partita_ir::interp::random_inputs;
use partita_passes::import::updates::replacements;
use std::sync::Arc;

/// Returns a training step, and its module of two stages with two micro-batches.
fn compiled() -> (Program, Module) {
    let program = partita::load("zoo:mlp?layers=2&width=4&hidden=4&batch=4").unwrap();
    let plan = Plan::new(Mesh::new([("data", 1)]).unwrap()).pipeline("2").schedule("gpipe").micro_batches("2");
    let partition = program.partition(&plan.train("adamw")).unwrap_or_else(|e| panic!("{e}"));
    let (stages, step) = (partition.stages().unwrap(), partition.model());
    let module = partita_cubecl::compile_pipeline(stages, step, Target::Cuda { arch: 80 });
    (step.clone(), module.unwrap_or_else(|e| panic!("{e}")))
}

/// A transfer starts when both of its stages have reached it, and overlaps with independent work. Nothing is uploaded
/// between steps.
#[test]
fn stages_are_interleaved() {
    let (step, module) = compiled();
    let device = CallLog::default();
    let executable = Executable::load(Arc::new(module), device.clone()).unwrap();
    let mut session = executable.begin(&random_inputs(&step, 0).unwrap()).unwrap();
    device.take();
    session.step().unwrap();
    let mut notes: Vec<String> = device.take();
    notes.iter_mut().filter(|note| note.starts_with("launch")).for_each(|note| note.truncate("launch".len()));
    notes.dedup();
    expect![[r#"
        launch
        mark 6 behind Compute
        launch
        mark 9 behind Compute
        Communication follows 6
        Communication follows 9
        move
        mark 13 behind Communication
        mark 14 behind Communication
        Compute follows 14
        launch
        mark 17 behind Compute
        Compute follows 13
        launch
        mark 22 behind Compute
        Communication follows 17
        Communication follows 22
        move
        mark 26 behind Communication
        mark 27 behind Communication
        mark 28 behind Compute
        Compute follows 27
        Compute follows 26
        launch
        mark 35 behind Compute
        Communication follows 28
        Communication follows 35
        move
        mark 39 behind Communication
        mark 40 behind Communication
        Compute follows 40
        launch
        mark 45 behind Compute
        Compute follows 39
        launch
        mark 53 behind Compute
        Communication follows 45
        Communication follows 53
        move
        mark 57 behind Communication
        mark 58 behind Communication
        Compute follows 58
        launch
        Compute follows 57
        launch"#]]
    .assert_eq(&notes.join("\n"));
    for of in replacements(&step) {
        let input = step.inputs().iter().position(|&value| value == of.input).unwrap();
        session.feed_back(input, of.output).unwrap();
    }
    assert_eq!(device.take(), Vec::<String>::new());
}

#[test]
fn deadlocked_stages_are_an_error() {
    let (step, mut module) = compiled();
    module.code[1].bodies.last_mut().unwrap().tasks.clear();
    let executable = Executable::load(Arc::new(module), CallLog::default()).unwrap();
    let error = executable.run(&random_inputs(&step, 0).unwrap()).unwrap_err();
    assert_eq!((error.code, error.title.as_str()), (Code::R005, "deadlock: all stages wait for transfers"));
    assert!(error.notes[0].starts_with("stage 0 waits for "), "{:?}", error.notes);
}
