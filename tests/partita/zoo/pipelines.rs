//! Every schedule trains the built-in models in pipeline stages with the results of one device.

use indexmap::IndexMap;
use partita::{Compiler, Mesh, Plan, ProgramExt, Steps, load};
use partita_ir::tensor::Tensor;

const MLP: &str = "zoo:mlp?layers=4&width=12&hidden=20&batch=12";
const GPT: &str = "zoo:gpt?layers=3&width=24&heads=6&hidden=20&seq=9&vocab=20&batch=12&dropout=0.1";
const MOE: &str = "zoo:moe?layers=2&width=8&hidden=12&experts=4&seq=6&batch=12";
const CNN: &str = "zoo:mnist-cnn?image=8&batch=12&batch_norm=false&dropout=0.25";

const SCHEDULES: [&str; 6] = ["vanilla", "gpipe", "1f1b", "interleaved?chunks=2", "zb-h1", "zb-h2"];

/// Returns a plan with pipeline stages.
fn staged(axes: &[(&str, u32)], presets: &str, stages: u32, schedule: &str, micro_batches: u32) -> Plan {
    Plan::new(Mesh::new(axes.iter().map(|&(name, size)| (name, size))).unwrap())
        .preset(presets)
        .train("adamw?lr=1e-2&clip=1")
        .pipeline(stages.to_string())
        .schedule(schedule)
        .micro_batches(micro_batches.to_string())
}

/// Runs two steps in stages and on one device, and compares the results.
fn trains(spec: &str, axes: &[(&str, u32)], presets: &str, stages: u32, schedule: &str, micro_batches: u32) {
    let plan = staged(axes, presets, stages, schedule, micro_batches);
    let what = || format!("{spec} by {presets} in {stages} stages, {schedule}");
    let partition =
        Compiler::new(&load(spec).unwrap()).plan(&plan).partition().unwrap_or_else(|e| panic!("{}: {e}", what()));
    let inputs = partition.random_inputs(5).unwrap();
    let steps = Steps { count: 2, seed: Some(5) };
    let check = partition.check_steps(&inputs, steps, &mut |_| ()).unwrap_or_else(|e| panic!("{}: {e}", what()));
    assert!(check.ok(), "{}\n{check}", what());
}

#[test]
fn mlp() {
    for schedule in SCHEDULES {
        for (stages, micro_batches) in [(2, 4), (3, 3), (4, 6)] {
            trains(MLP, &[("data", 2)], "data", stages, schedule, micro_batches);
        }
    }
}

#[test]
fn gpt() {
    let both = [("data", 2), ("model", 2)];
    for (schedule, presets) in SCHEDULES.into_iter().zip([
        "data",
        "data,megatron",
        "data,megatron,sequence",
        "data,megatron,zero1",
        "data,zero2",
        "data,zero3",
    ]) {
        for (stages, micro_batches) in [(2, 4), (3, 3), (4, 2)] {
            trains(GPT, &both, presets, stages, schedule, micro_batches);
        }
    }
}

/// The chunks of an interleaved schedule can be listed.
#[test]
fn gpt_in_listed_chunks() {
    let plan = staged(&[("data", 2)], "data", 2, "interleaved?chunks=2", 4);
    let plan = plan.pipeline("tokens blocks.0 | blocks.1 | blocks.2 | norm head");
    let program = load(&GPT.replace("zoo:gpt?", "zoo:gpt?tied=false&")).unwrap();
    let partition = Compiler::new(&program).plan(&plan).partition().unwrap_or_else(|e| panic!("{e}"));
    let check = partition.check(&partition.random_inputs(5).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    assert!(check.ok(), "{check}");
    assert_eq!(partition.report().stages.len(), 2);
}

#[test]
fn gpt_unevenly() {
    for schedule in ["1f1b", "zb-h1"] {
        trains(GPT, &[("model", 3)], "megatron,sequence", 3, schedule, 3);
    }
}

#[test]
fn moe() {
    // Experts are balanced over the full batch, which therefore cannot be split into micro-batches.
    for presets in ["data", "data,expert"] {
        trains(MOE, &[("data", 2)], presets, 2, "1f1b", 1);
    }
}

#[test]
fn cnn() {
    for schedule in ["1f1b", "zb-h2"] {
        trains(CNN, &[("data", 2)], "data", 3, schedule, 3);
    }
}

/// Runs steps in a session, and compares the bytes stored on each device after every step with the report of its stage.
fn holds_what_is_reported(spec: &str, plan: &Plan) {
    let what = format!("{spec}, {:?}, {:?}, {:?}", plan.presets, plan.pipeline, plan.schedule);
    let partition = load(spec).unwrap().partition(plan).unwrap_or_else(|e| panic!("{what}: {e}"));
    let step = partition.planned();
    let names = step.inputs().iter().map(|&value| step.path_of(value).to_owned());
    let named: IndexMap<String, Tensor> = names.zip(partition.random_inputs(5).unwrap()).collect();
    let mut session = partition.start(&named).unwrap_or_else(|e| panic!("{what}: {e}"));
    let batch: Vec<Tensor> = session.batch_inputs().iter().map(|port| named[&port.name].clone()).collect();
    let report = partition.report();
    let devices = report.devices / report.stages.len();
    let reported = report.stages.iter().flat_map(|stage| vec![stage.parameter_bytes + stage.state_bytes; devices]);
    let reported: Vec<u64> = reported.collect();
    assert_eq!(session.state_bytes(), reported, "{what}, at the start");
    for _ in 0..2 {
        session.run(&batch).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(session.state_bytes(), reported, "{what}");
    }
}

#[test]
fn stage_memory_matches_the_report() {
    let both = [("data", 2), ("model", 2)];
    for schedule in SCHEDULES {
        for presets in ["data", "data,megatron", "data,megatron,zero1", "data,zero2", "data,zero3"] {
            holds_what_is_reported(GPT, &staged(&both, presets, 3, schedule, 3));
        }
        for frozen in [&["layers.0.**"][..], &["layers.1.**"], &["layers.0.**", "layers.1.**", "layers.2.**"]] {
            let plan = staged(&[("data", 2)], "zero3", 2, schedule, 4);
            holds_what_is_reported(MLP, &frozen.iter().fold(plan, |plan, path| plan.freeze(*path)));
        }
    }
}
