//! Stages of a pipeline: in which order they go on, and what happens when none can.

use super::meetings::Notes;
use expect_test::expect;
use partita::prelude::*;
use partita_gpu::{Executable, Module, Target};
use partita_ir::diag::Code;
use partita_ir::interp::random_inputs;
use partita_passes::import::updates::replaced;
use std::sync::Arc;

/// A training step in two stages with two micro-batches, and what it computes.
fn compiled() -> (Program, Module) {
    let program = partita::load("zoo:mlp?layers=2&width=4&hidden=4&batch=4").unwrap();
    let plan = Plan::new(Mesh::new([("data", 1)]).unwrap()).pipeline("2").schedule("gpipe").micro_batches("2");
    let partition = program.partition(&plan.train("adamw")).unwrap_or_else(|e| panic!("{e}"));
    let (stages, step) = (partition.stages().unwrap(), partition.model());
    let module = partita_cubecl::compile_pipeline(stages, step, Target::Cuda { arch: 80 });
    (step.clone(), module.unwrap_or_else(|e| panic!("{e}")))
}

/// A transfer begins with the second stage that comes to it, and what does not need it goes on beside it. Between steps
/// nothing is brought to the devices again.
#[test]
fn stages_take_turns() {
    let (step, module) = compiled();
    let device = Notes::default();
    let executable = Executable::load(Arc::new(module), device.clone()).unwrap();
    let mut session = executable.begin(&random_inputs(&step, 0).unwrap()).unwrap();
    device.taken();
    session.step().unwrap();
    let mut notes: Vec<String> = device.taken();
    notes.iter_mut().filter(|note| note.starts_with("launch")).for_each(|note| note.truncate("launch".len()));
    notes.dedup();
    expect![[r#"
        launch
        mark 6 behind Compute
        launch
        mark 9 behind Compute
        Meet follows 6
        Meet follows 9
        move
        mark 13 behind Meet
        mark 14 behind Meet
        Compute follows 14
        launch
        mark 17 behind Compute
        Compute follows 13
        launch
        mark 22 behind Compute
        Meet follows 17
        Meet follows 22
        move
        mark 26 behind Meet
        mark 27 behind Meet
        mark 28 behind Compute
        Compute follows 27
        Compute follows 26
        launch
        mark 35 behind Compute
        Meet follows 28
        Meet follows 35
        move
        mark 39 behind Meet
        mark 40 behind Meet
        Compute follows 40
        launch
        mark 45 behind Compute
        Compute follows 39
        launch
        mark 53 behind Compute
        Meet follows 45
        Meet follows 53
        move
        mark 57 behind Meet
        mark 58 behind Meet
        Compute follows 58
        launch
        Compute follows 57
        launch"#]]
    .assert_eq(&notes.join("\n"));
    for of in replaced(&step) {
        let input = step.inputs().iter().position(|&value| value == of.input).unwrap();
        session.replace(input, of.output).unwrap();
    }
    assert_eq!(device.taken(), Vec::<String>::new());
}

#[test]
fn stages_that_wait_in_vain_are_an_error() {
    let (step, mut module) = compiled();
    module.code[1].bodies.last_mut().unwrap().tasks.clear();
    let executable = Executable::load(Arc::new(module), Notes::default()).unwrap();
    let error = executable.run(&random_inputs(&step, 0).unwrap()).unwrap_err();
    assert_eq!((error.code, error.title.as_str()), (Code::R005, "no stage can go on"));
    assert!(error.notes[0].starts_with("stage 0 waits for "), "{:?}", error.notes);
}
