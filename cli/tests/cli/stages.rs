//! Pipeline stages in every command, with the information of a single mesh for each stage.

use crate::predict::{examples, predict, write_examples};
use crate::support::{Folder, partita};
use crate::train::{folder, train};
use serde_json::Value;

/// A model of three layers without random numbers.
const MODEL: &str = r#"form traced
param %u "front.u" : f32[6, 5]
param %w "front.w" : f32[5, 10]
param %v "back.v"  : f32[10, 3]
input %x : f32[8, 6]
  %g = matmul %x, %u : f32[8, 5]
  %q = tanh %g : f32[8, 5]
  %h = matmul %q, %w : f32[8, 10]
  %r = tanh %h : f32[8, 10]
  %y = matmul %r, %v : f32[8, 3]
  %z = mul %y, %y : f32[8, 3]
  %loss = reduce sum [0, 1] %z : f32[]
output %loss "loss"
"#;

/// Flags that train in two stages of two devices.
const STAGES: [&str; 10] = [
    "--mesh",
    "data=2",
    "--preset",
    "data",
    "--train",
    "adamw",
    "--pipeline",
    "front.** | back.**",
    "--microbatches",
    "2",
];

fn ok(folder: &Folder, words: &[&str]) -> String {
    let ended = partita(folder, words);
    assert_eq!(ended.code, Some(0), "{words:?}: {}", ended.transcript());
    ended.out
}

fn json(folder: &Folder, words: &[&str]) -> Value {
    serde_json::from_str(&ok(folder, &[words, &["--json"]].concat())).unwrap_or_default()
}

fn plain(test: &str) -> Folder {
    let folder = Folder::new(&format!("stages {test}"));
    folder.write("m.pir", MODEL);
    folder
}

#[test]
fn report_describes_each_stage() {
    let folder = plain("report");
    let report = json(&folder, &[&["plan", "m.pir"], &STAGES[..]].concat());
    let of = |list: &str, name: &str| -> Value {
        let mut rows = report[list].as_array().into_iter().flatten();
        rows.find(|row| row["name"] == name).cloned().unwrap_or_default()
    };
    assert_eq!((&of("params", "front.w")["stages"], &of("params", "back.v")["stages"]), (&[0].into(), &[1].into()));
    assert_eq!(of("params", "x")["local_shape"], serde_json::json!([4, 6]));
    // 2 of 8 rows of `r` on each device, for each of two micro-batches.
    assert_eq!(of("transfers", "%r"), serde_json::json!({ "name": "%r", "from": 0, "to": 1, "bytes": 80, "count": 2 }));
    let reduced = report["collectives"].as_array().into_iter().flatten();
    let reduced: Vec<(&Value, &Value)> = reduced.map(|row| (&row["stage"], &row["payload_bytes"])).collect();
    // Gradients of both layers form one bucket; the gradient of the last layer is reduced with the accumulated loss.
    assert_eq!(reduced, [(&0.into(), &320.into()), (&1.into(), &124.into())]);
    assert_eq!((&report["schedule"]["name"], &report["micro_batches"]), (&"1f1b".into(), &2.into()));
    let stages = report["stages"].as_array().map_or(&[][..], Vec::as_slice);
    let peaks = stages.iter().map(|stage| stage["peak_bytes"].as_u64());
    assert_eq!(report["memory"]["peak_bytes"].as_u64(), peaks.max().flatten());
    // The parameter, its moments and the step counter.
    assert_eq!((&stages[1]["parameter_bytes"], &stages[1]["state_bytes"]), (&120.into(), &244.into()));
    // A single mesh is one stage.
    let whole = json(&folder, &["plan", "m.pir", "--mesh", "data=2", "--preset", "data", "--train", "adamw"]);
    assert_eq!(whole["stages"].as_array().map(Vec::len), Some(1));
    assert_eq!(whole["stages"][0]["peak_bytes"], whole["memory"]["peak_bytes"]);
    assert_eq!(whole["schedule"], Value::Null);
}

#[test]
fn values_collectives_and_memory_are_explained_in_stages() {
    let folder = plain("explain");
    let explain = |words: &[&str]| ok(&folder, &[&["explain", "m.pir"], words, &STAGES[..]].concat());
    let weight = explain(&["back.v"]);
    assert!(weight.ends_with("each device stores f32[10, 3], 120 B\n\nstage 1 stores it\n"), "{weight}");
    let sent = explain(&["r"]);
    assert!(sent.contains("\nstage 0 sends it to stage 1 for each micro-batch\n"), "{sent}");
    let collective = explain(&["--collective", "2"]);
    assert!(collective.contains(" over data, in stage 1\n") && collective.contains(", 1 per run\n"), "{collective}");
    assert!(collective.contains("  source   m.pir:10\n"), "{collective}");
    // A product with a sharded sum is reduced for each micro-batch.
    let split = ["--mesh", "model=2", "--shard", "back.v=model, _", "--pipeline", "2", "--microbatches", "4"];
    let collective = ok(&folder, &[&["explain", "m.pir", "--collective", "1"], &split[..]].concat());
    assert!(collective.contains(" over model, in stage 1\n") && collective.contains(", 4 per run\n"), "{collective}");
    let peak = explain(&["--peak"]);
    assert!(peak.starts_with("stage 0: ") && peak.contains("\nstage 1: "), "{peak}");
    assert!(explain(&["--laws", "--machine", "pcie4"]).starts_with("default lowering"));
    let beyond = partita(&folder, ["explain", "m.pir", "--collective", "3"].iter().chain(&STAGES));
    assert!(beyond.code == Some(1) && beyond.err.contains("they are counted from 1 to 2"), "{}", beyond.transcript());
}

#[test]
fn programs_of_stages_are_emitted() {
    let folder = plain("emit");
    let emitted = |mesh: &'static str, what| {
        let words = [&["plan", "m.pir", "--emit", what], &STAGES[..]].concat();
        ok(&folder, &words.into_iter().map(|word| if word == "data=2" { mesh } else { word }).collect::<Vec<_>>())
    };
    let local = emitted("data=2", "local");
    let programs: Vec<&str> = local.split("// stage ").skip(1).collect();
    assert_eq!(programs.len(), 2, "{local}");
    assert!(programs[0].contains("param %w \"front.w\"") && !programs[0].contains("param %v"), "{local}");
    assert!(programs[1].starts_with("1\n") && programs[1].contains("input %seam.r : "), "{local}");
    // The layouts of the full step are printed once per mesh.
    assert!(emitted("data=2", "pir").starts_with("// stages 0, 1\nform planned\n"));
    assert_eq!(emitted("data=2 | data=1", "pir").matches("form planned").count(), 2);
    assert_eq!(emitted("data=2 | data=1", "mlir").matches("sdy.mesh").count(), 2);
    // The step is the single-device step; its layouts do not change its results.
    folder.write("made.pir", emitted("data=2", "made")).write("planned.pir", emitted("data=2", "pir"));
    ok(&folder, &["prove", "made.pir", "planned.pir"]);
}

#[test]
fn stages_run_train_simulate_and_predict() {
    let folder = folder("every-command", 64);
    let stages = ["--mesh", "data=2", "--preset", "data", "--pipeline", "2", "--microbatches", "2"];
    let with = |words: &[&'static str]| ok(&folder, &[words, &stages, &["--train", "adamw?lr=1e-2"]].concat());
    with(&["run", "model.pir", "--check", "--steps", "2", "--trace", "t.json"]);
    let simulated = with(&["simulate", "model.pir", "--machine", "pcie4"]);
    assert!(
        simulated.starts_with("model.pir on pcie4: 2 stages on 4 devices, 1f1b with 2 micro-batches"),
        "{simulated}"
    );
    train(&folder, &[&["--steps", "4", "--save", "ck"], &stages[..]].concat());
    write_examples(&folder, &examples(5));
    let (in_stages, in_one) = (predict(&folder, &[]), predict(&folder, &["--pipeline", "1"]));
    let is_close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
    assert!(in_stages.iter().flatten().zip(in_one.iter().flatten()).all(is_close), "{in_stages:?} {in_one:?}");
    #[cfg(feature = "gpu")]
    {
        with(&["compile", "model.pir", "--target", "wgsl", "-o", "model.partita"]);
        assert!(ok(&folder, &["inspect", "model.partita"]).contains("stage 1"));
        with(&["explain", "model.pir", "--kernels", "--target", "wgsl"]);
    }
}

/// A run on one mesh is recorded, too, with tasks of one stage.
#[test]
fn single_mesh_run_is_traced() {
    let folder = plain("recorded");
    ok(&folder, &["run", "m.pir", "--mesh", "data=2", "--preset", "data", "--trace", "t.json"]);
    let trace: Value = serde_json::from_str(&folder.read("t.json")).unwrap_or_default();
    let events = trace["traceEvents"].as_array().map_or(0, |events| events.iter().filter(|e| e["ph"] == "X").count());
    assert!(events >= 4, "{events}");
}
