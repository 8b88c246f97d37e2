//! Plans of a single pipeline stage: every command accepts them, and micro-batches accumulate gradients.

use crate::predict::{examples, predict, write_examples};
use crate::support::{Folder, partita};
use crate::train::{folder, records};
use partita::prelude::*;
use partita::{Result, Simulation, parse};
use partita_cost::roofline::Efficiencies;
use partita_cpu::Cpu;
use partita_ir::text;
use partita_machine::Machine;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use serde_json::Value;

/// Two devices and two micro-batches in one stage.
const PLAN: &str = r#"
mesh = { data = 2 }
presets = ["data"]
pipeline = "1"
microbatches = "2"
"#;

/// A model without random numbers.
const PLAIN: &str = r#"form traced
param %w "w" : f32[6, 3]
input %x : f32[8, 6]
  %y = matmul %x, %w : f32[8, 3]
  %z = mul %y, %y : f32[8, 3]
  %loss = reduce sum [0, 1] %z : f32[]
output %loss "loss"
"#;

/// Equivalent flags with accumulation as an optimizer option.
const ACCUMULATED: [&str; 6] = ["--mesh", "data=2", "--preset", "data", "--train", "adamw?lr=1e-2&accumulate=2"];

/// Flags that train with one stage.
const TRAINED: [&str; 4] = ["--plan", "plan.toml", "--train", "adamw?lr=1e-2"];

fn ok(folder: &Folder, words: &[&str]) -> String {
    let ended = partita(folder, words);
    assert_eq!(ended.code, Some(0), "{words:?}: {}", ended.transcript());
    ended.out
}

fn prepared(test: &str) -> Folder {
    let folder = folder(&format!("one-stage-{test}"), 80);
    folder.write("plan.toml", PLAN);
    folder
}

#[test]
fn commands_without_pipelines_accept_one_stage() {
    let folder = prepared("commands");
    let with = |words: &[&'static str]| ok(&folder, &[words, &TRAINED].concat());
    let made = with(&["plan", "model.pir", "--emit", "unpartitioned"]);
    assert!(made.contains("@micro_batch"), "{made}");
    // Proofs do not support random numbers.
    folder.write("plain.pir", PLAIN);
    let emitted = |what| ok(&folder, &["plan", "plain.pir", "--plan", "plan.toml", "--train", "sgd", "--emit", what]);
    folder.write("made.pir", emitted("unpartitioned")).write("local.pir", emitted("local"));
    ok(&folder, &["prove", "made.pir", "local.pir"]);
    with(&["explain", "model.pir", "--peak"]);
    with(&["explain", "model.pir", "--collective", "1"]);
    with(&["simulate", "model.pir", "--machine", "pcie4"]);
    with(&["run", "model.pir", "--check"]);
    // Without training, outputs of micro-batches are concatenated.
    ok(&folder, &["run", "model.pir", "--plan", "plan.toml", "--check"]);
    ok(&folder, &["explain", "model.pir", "--collective", "1", "--plan", "plan.toml"]);
    #[cfg(feature = "gpu")]
    with(&["compile", "model.pir", "--target", "wgsl", "-o", "model.partita"]);
}

#[test]
fn micro_batches_of_one_stage_accumulate_gradients() {
    let folder = prepared("accumulate");
    let emitted = |flags: &[&str]| ok(&folder, &[&["plan", "model.pir", "--emit", "local"], flags].concat());
    assert_eq!(emitted(&TRAINED), emitted(&ACCUMULATED));
    // A single micro-batch is equal to the plain step.
    let one = [&TRAINED[..], &["--microbatches", "1"]].concat();
    let plain = ["--mesh", "data=2", "--preset", "data", "--train", "adamw?lr=1e-2"];
    assert_eq!(emitted(&one), emitted(&plain));
    assert!(!emitted(&one).contains("loop"));
    // With a schedule, micro-batches are tasks with equal results.
    for count in ["1", "2"] {
        let ordered = ["--microbatches", count, "--schedule", "1f1b", "--check", "--trace", "step.json"];
        ok(&folder, &[&["run", "model.pir"], &TRAINED[..], &ordered].concat());
    }
}

#[test]
fn one_stage_trains_and_predicts() {
    let folder = prepared("train");
    let losses = |file: &str, flags: &[&str]| -> Vec<f64> {
        let always = ["train", "model.pir", "--data", "samples.csv", "--steps", "6", "--seed", "3", "--metrics", file];
        ok(&folder, &[&always[..], flags].concat());
        records(&folder, file).iter().filter_map(|record| record["loss"].as_f64()).collect()
    };
    let one_stage = losses("one.jsonl", &[&TRAINED[..], &["--save", "ck"]].concat());
    let accumulated = losses("accumulated.jsonl", &ACCUMULATED);
    assert_eq!(one_stage.len(), 6);
    assert_eq!(one_stage, accumulated);
    write_examples(&folder, &examples(5));
    assert_eq!(predict(&folder, &[]).len(), 5);
}

#[test]
fn simulated_single_stage_is_the_step_that_runs() {
    let folder = prepared("simulated");
    let said = |words: &[&str]| -> Value {
        serde_json::from_str(&ok(&folder, &[words, &["--json"]].concat())).unwrap_or_default()
    };
    let simulate = ["simulate", "model.pir", "--machine", "pcie4"];
    let seconds = |flags: &[&str]| said(&[&simulate[..], flags].concat())["step_seconds"].as_f64();
    let one_stage = seconds(&TRAINED);
    assert!(one_stage.is_some_and(|seconds| seconds > 0.0));
    assert_eq!(one_stage, seconds(&ACCUMULATED));
    let plain = seconds(&["--mesh", "data=2", "--preset", "data", "--train", "adamw?lr=1e-2"]);
    assert_eq!(seconds(&[&TRAINED[..], &["--microbatches", "1"]].concat()), plain);
    let said = said(&[&simulate[..], &TRAINED].concat());
    assert_eq!((&said["micro_batches"], &said["schedule"]), (&2.into(), &Value::Null), "{said:#}");
}

/// The only stage is the local program, in its text and at run time.
#[test]
fn only_stage_is_the_local_program() -> Result<()> {
    let program = parse("plain.pir", PLAIN)?;
    let mesh = || Mesh::new([("data", 2)]);
    for plan in [
        Plan::new(mesh()?).preset("data"),
        Plan::new(mesh()?).preset("data,zero1").train("adam"),
        Plan::new(mesh()?).preset("data").train("adam").pipeline("1").micro_batches("2"),
        Plan::new(mesh()?).preset("data").pipeline("1").micro_batches("4"),
    ] {
        let partition = Compiler::new(&program).plan(&plan).partition()?;
        let stages = partition.stages()?;
        assert_eq!((stages.chunks.len(), stages.chunks[0].tasks.len()), (1, 1));
        assert_eq!(text::print(&stages.chunks[0].program), text::print(partition.local()?));
        let inputs = partition.random_inputs(0)?;
        let scheduled = Cpu.compile_pipeline(stages.clone(), partition.planned())?;
        assert_eq!(scheduled.run(&inputs)?, partition.run(&inputs)?);
        assert!(partition.check(&inputs)?.ok());
    }
    Ok(())
}

/// Programs without a batch or parameters, or whose outputs are inputs, are steps of one stage.
#[test]
fn any_program_is_a_step_of_one_stage() -> Result<()> {
    let machine = Machine::named("pcie4")?;
    for model in [
        "form traced\n  %c = constant 2.0 : f32[4]\noutput %c \"c\"\n",
        "form traced\ninput %x : f32[4]\noutput %x \"x\"\noutput %x \"again\"\n",
        "form traced\ninput %x : i32[]\n  %y = add %x, %x : i32[]\noutput %y \"y\"\noutput %y \"again\"\noutput %x \"x\"\n",
    ] {
        let program = parse("model.pir", model)?;
        let (partition, simulation) =
            Simulation::from_plan(&program, &Plan::default(), &machine, &Efficiencies::default())?;
        assert_eq!(simulation.prediction().devices, 1, "{model}");
        let inputs = partition.random_inputs(0)?;
        assert_eq!(partition.run(&inputs)?, program.run(&inputs)?, "{model}");
    }
    Ok(())
}
