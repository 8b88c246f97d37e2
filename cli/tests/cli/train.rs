//! `train`: learning, outputs, and resumption.

#[cfg(unix)]
mod disk_full;
mod errors;
mod frozen;
mod initial_parameters;
mod kills;
mod onnx;
mod resume;
#[cfg(unix)]
pub mod running;
#[cfg(unix)]
mod sharded;
mod stages;
mod starts;
#[cfg(unix)]
mod stops;

use crate::support::{CommandOutput, Folder, partita};
use expect_test::expect;
use serde_json::Value;
use std::fmt::Write;

/// Two layers with dropout between them, for eight samples of four numbers and three classes.
pub const MODEL: &str = r#"form traced
param %w1 "layers.0.weight" : f32[4, 16]
param %b1 "layers.0.bias" : f32[16]
param %w2 "layers.1.weight" : f32[16, 3]
input %x : f32[8, 4]
input %label : i64[8]
input %key : u32[2]
  %h = matmul %x, %w1 : f32[8, 16]
  %b = broadcast [1] %b1 : f32[8, 16]
  %a = add %h, %b : f32[8, 16]
  %r = relu %a : f32[8, 16]
  %u = random uniform %key : f32[8, 16]
  %p = constant 0.75 : f32[8, 16]
  %c = compare lt %u, %p : bool[8, 16]
  %m = convert %c : f32[8, 16]
  %d = mul %r, %m : f32[8, 16]
  %logits = matmul %d, %w2 : f32[8, 3]
  %e = cross_entropy %logits, %label : f32[8]
  %s = reduce sum [0] %e : f32[]
  %n = constant 8.0 : f32[]
  %loss = div %s, %n : f32[]
output %loss "loss"
"#;

/// Returns samples of three slightly overlapping classes.
pub fn samples(count: usize) -> String {
    let mut text = "a,b,label,c,d\n".to_owned();
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) * 6.0
    };
    for i in 0..count {
        let class = i % 3;
        let mut number = |at: usize| noise() + if at == class { 4.0 } else { 0.0 };
        let _ = writeln!(text, "{:.3},{:.3},{class},{:.3},{:.3}", number(0), number(1), number(2), number(3));
    }
    text
}

/// Creates a folder with the model and `count` samples.
pub fn folder(test: &str, count: usize) -> Folder {
    let folder = Folder::new(&format!("train-{test}"));
    folder.write("model.pir", MODEL).write("samples.csv", samples(count));
    folder
}

/// Returns the arguments of a training run.
pub fn words<'w>(more: &[&'w str]) -> Vec<&'w str> {
    let always = ["train", "model.pir", "--data", "samples.csv", "--train", "adamw?lr=1e-2"];
    always.into_iter().chain(more.iter().copied()).collect()
}

/// Runs a training run, which must succeed.
pub fn train(folder: &Folder, more: &[&str]) -> CommandOutput {
    let ended = partita(folder, words(more));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    ended
}

/// Returns the records of a metrics file.
pub fn records(folder: &Folder, file: &str) -> Vec<Value> {
    folder.read(file).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn training_learns_and_reports() {
    let folder = folder("learns", 300);
    let more = ["--mesh", "data=2", "--preset", "data", "--epochs", "12", "--validate", "0.2", "--metrics", "m.jsonl"];
    let ended = train(&folder, &[&more[..], &["--plot", "p.svg", "--json"]].concat());
    let json: Value = serde_json::from_str(&ended.out).unwrap();
    // 240 samples are training data: 30 batches per epoch.
    assert_eq!((&json["samples"], &json["held_out"], &json["steps"]), (&240.into(), &60.into(), &360.into()));
    assert!(json["validation"]["accuracy"].as_f64().unwrap() > 0.85, "{json}");
    let records = records(&folder, "m.jsonl");
    let steps: Vec<u64> = records.iter().map(|r| r["step"].as_u64().unwrap()).collect();
    assert!(steps.into_iter().eq(1..=360));
    let validated: Vec<&Value> = records.iter().filter(|r| r["accuracy"].is_f64()).collect();
    assert_eq!(validated.len(), 12);
    assert_eq!(validated[11]["accuracy"], json["validation"]["accuracy"]);
    let plot = folder.read("p.svg");
    assert!(plot.starts_with("<svg") && plot.trim_end().ends_with("</svg>"));
    assert_eq!(plot.matches("<polyline").count(), 3, "loss, held-out loss and accuracy");
    assert!(ended.err.is_empty(), "there is no progress display without a terminal: {}", ended.err);
}

/// Expected memory: 8 samples of 4 floats and a label of 8 bytes, a key, 128 parameters with two moments each, and the
/// step counter. Updated values are replaced in place.
#[test]
fn device_memory_is_reported() {
    let folder = folder("memory", 64);
    let ended = train(&folder, &["--json"]);
    let json: Value = serde_json::from_str(&ended.out).unwrap();
    let bytes = |what: &str| json["memory"][what].as_u64().unwrap();
    assert_eq!(bytes("input_bytes"), 8 * (4 * 4 + 8) + 2 * 4 + 3 * 128 * 4 + 4);
    assert_eq!(bytes("total_bytes"), bytes("input_bytes") + bytes("computed_bytes") + bytes("output_bytes"));
    let ended = train(&folder, &[]);
    // Scratch memory of fused loops depends on the number of threads.
    let line = ended.out.lines().find(|line| line.starts_with("memory")).unwrap();
    let masked: Vec<&str> = line.split(", ").filter(|part| !part.ends_with("computed")).collect();
    expect!["memory per device: 1.7 KiB inputs, 4 B outputs"].assert_eq(masked.join(", ").rsplit_once(": ").unwrap().0);
}

#[test]
fn every_mesh_sees_the_same_batches_and_learns_the_same() {
    let folder = folder("meshes", 100);
    let losses = |plan: &[&str]| -> Vec<f64> {
        train(&folder, &[plan, &["--epochs", "2", "--metrics", "m.jsonl"]].concat());
        records(&folder, "m.jsonl").iter().map(|r| r["loss"].as_f64().unwrap()).collect()
    };
    let one = losses(&[]);
    assert_eq!(one.len(), 24);
    for plan in [
        &["--mesh", "data=4", "--preset", "data"][..],
        &["--mesh", "data=2", "--preset", "zero3"],
        &["--mesh", "model=2", "--shard", "layers.0.weight=_, model"],
    ] {
        for (a, b) in one.iter().zip(losses(plan)) {
            assert!((a - b).abs() < 1e-4, "{plan:?}: {a} {b}");
        }
    }
}

#[test]
fn results_are_determined_by_the_seed() {
    let folder = folder("seeds", 64);
    let loss = |seed: &str| {
        train(&folder, &["--seed", seed, "--metrics", "m.jsonl"]);
        records(&folder, "m.jsonl").iter().map(|r| r["loss"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(loss("1"), loss("1"));
    assert_ne!(loss("1"), loss("2"));
}

/// Evaluation has no dropout, so that scores do not depend on a seed.
#[test]
fn evaluation_has_no_dropout() {
    let folder = folder("evaluation", 90);
    train(&folder, &["--epochs", "3", "--output", "p.safetensors"]);
    let score = |model: &str| {
        let words = ["train", model, "--data", "samples.csv", "--init", "p.safetensors", "--steps", "0", "--json"];
        let ended = partita(&folder, words.into_iter().chain(["--validate", "0.5"]));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        let json: Value = serde_json::from_str(&ended.out).unwrap();
        json["validation"]["loss"].as_f64().unwrap()
    };
    // The mean of the mask is three quarters.
    let line = MODEL.lines().find(|l| l.contains("convert")).unwrap();
    folder.write("plain.pir", MODEL.replace(line, "  %m = constant 0.75 : f32[8, 16]"));
    assert_eq!(score("model.pir"), score("plain.pir"));
}

#[test]
fn outputs_are_checked_before_the_first_step() {
    let folder = folder("train-outputs", 64);
    train(&folder, &["--steps", "1", "--output", "new/folder/weights", "--plot", "new/loss.svg"]);
    assert!(folder.path.join("new/folder/weights").exists() && folder.path.join("new/loss.svg").exists());
    for flag in ["--output", "--plot"] {
        let ended = partita(&folder, words(&["--steps", "1", "--metrics", "steps", flag, "new"]));
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        assert!(ended.err.contains("cannot write `new`: it is a directory"), "{}", ended.err);
        assert!(!folder.path.join("steps").exists(), "{flag}");
    }
    let run = ["run", "model.pir", "--mesh", "data=1", "--train", "sgd", "--output", "new"];
    let ended = partita(&folder, run);
    assert!(ended.code == Some(1) && ended.err.contains("it is a directory"), "{}", ended.transcript());
}
