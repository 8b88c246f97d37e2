//! Compiled models on a GPU, from the command line and from Rust. They need a GPU, possibly a software one, or NVIDIA's
//! compiler: `cargo xtask gpu-check`.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test")]

#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line")]
mod support;
mod zoo;

use partita::Artefact;
use partita::prelude::*;
use serde_json::Value;
use std::process::Command;
use support::{Folder, partita as partita_cli};

/// A layer with a loss.
const MODEL: &str = r#"form traced
param %w1 "up.weight" : f32[16, 64]
param %w2 "down.weight" : f32[64, 16]
input %x : f32[24, 16]
  %h = matmul %x, %w1 : f32[24, 64]
  %r = relu %h : f32[24, 64]
  %y = matmul %r, %w2 : f32[24, 16]
  %q = mul %y, %y : f32[24, 16]
  %loss = reduce sum [0, 1] %q : f32[]
output %loss "loss"
"#;

const PLAN: [&str; 6] = ["--mesh", "data=2,model=2", "--preset", "data,megatron", "--train", "adamw?lr=1e-2"];

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("mlp.pir", MODEL);
    folder
}

/// Runs the command, which must succeed, and returns standard output.
fn stdout_of(folder: &Folder, args: &[&str]) -> String {
    let ended = partita_cli(folder, args);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    ended.out
}

#[test]
#[ignore = "needs a GPU"]
fn training_step_is_compiled_stored_and_run() {
    let folder = folder("gpu_train");
    let compile = ["compile", "mlp.pir", "--target", "wgsl", "-o", "mlp.partita"];
    stdout_of(&folder, &[&compile[..], &PLAN].concat());
    let out = stdout_of(&folder, &["run", "mlp.partita", "--check", "--steps", "3"]);
    assert!(out.contains("4 devices agree with one on every output"), "{out}");
    // The losses do not depend on the device.
    let losses = |out: &str| serde_json::from_str::<Value>(out).unwrap()["losses"].clone();
    let here = losses(&stdout_of(&folder, &[&["run", "mlp.pir", "--steps", "4", "--json"][..], &PLAN].concat()));
    let there = losses(&stdout_of(&folder, &["run", "mlp.partita", "--steps", "4", "--json"]));
    for (here, there) in here.as_array().unwrap().iter().zip(there.as_array().unwrap()) {
        let (here, there) = (here.as_f64().unwrap(), there.as_f64().unwrap());
        assert!((here - there).abs() <= 1e-4 * here.abs().max(1.0), "{here} {there}");
    }
}

/// Stages store their parameters across steps, and train with the results of one device.
#[test]
#[ignore = "needs a GPU"]
fn staged_training_step_is_compiled_stored_and_run() {
    let folder = folder("gpu_stages");
    let stages = ["--mesh", "data=2", "--preset", "data", "--pipeline", "2", "--microbatches", "3", "--train", "adamw"];
    let compile = ["compile", "mlp.pir", "--target", "wgsl", "-o", "mlp.partita", "--weights", "seed=5"];
    stdout_of(&folder, &[&compile[..], &stages].concat());
    let out = stdout_of(&folder, &["run", "mlp.partita", "--check", "--steps", "3"]);
    assert!(out.contains("4 devices agree with one on every output"), "{out}");
    let out = stdout_of(&folder, &[&["run", "mlp.pir", "--target", "wgsl", "--check"][..], &stages].concat());
    assert!(out.contains("4 devices agree with one on every output"), "{out}");
}

#[test]
#[ignore = "needs a GPU"]
fn model_is_compiled_in_memory_and_run() {
    let folder = folder("gpu_memory");
    let args = ["run", "mlp.pir", "--mesh", "data=3", "--preset", "data", "--target", "wgsl", "--check", "--json"];
    let json: Value = serde_json::from_str(&stdout_of(&folder, &args)).unwrap();
    assert_eq!(json["ok"], true);
    assert_eq!(json["devices"], 3);
    assert!(json["on"].is_string());
}

#[test]
#[ignore = "needs a GPU"]
fn weights_in_the_file_are_used() {
    let folder = folder("gpu_weights");
    let compile = ["compile", "mlp.pir", "--mesh", "data=2", "--target", "wgsl", "-o"];
    stdout_of(&folder, &[&compile[..], &["plain.partita"]].concat());
    stdout_of(&folder, &[&compile[..], &["kept.partita", "--weights", "seed=5"]].concat());
    let loss = |file: &str| stdout_of(&folder, &["run", file]).lines().find(|l| l.contains("loss")).map(str::to_owned);
    assert_ne!(loss("plain.partita"), loss("kept.partita"));
    assert!(stdout_of(&folder, &["run", "kept.partita", "--check"]).contains("2 devices agree"));
}

#[test]
#[ignore = "needs a GPU"]
fn doctor_finds_the_device() {
    let json: Value = serde_json::from_str(&stdout_of(&folder("gpu_doctor"), &["doctor", "--json"])).unwrap();
    assert_eq!(json["found"][0]["what"], "device");
}

#[test]
#[ignore = "needs a GPU"]
fn rust_api_trains_in_stages() {
    let folder = folder("gpu_api");
    let path = folder.path.join("mlp.partita");
    let plan = Plan::new(Mesh::new([("data", 2)]).unwrap()).preset("data");
    let part = partita::parse("mlp.pir", MODEL).unwrap().partition(&plan).unwrap();
    part.compile(&["wgsl"]).unwrap().save(&path).unwrap();
    let inputs = part.random_inputs(0).unwrap();
    let outputs = Artefact::load(&path).unwrap().open().unwrap().run(&inputs).unwrap();
    let (got, want) = (outputs[0].get(0).to_f64(), part.run(&inputs).unwrap()[0].get(0).to_f64());
    assert!((got - want).abs() <= 1e-4 * want.abs(), "{got} {want}");
}

#[test]
#[ignore = "needs NVRTC"]
fn two_processes_write_the_same_machine_code() {
    let folder = folder("gpu_code");
    let bytes = |threads: &str| {
        let words = ["compile", "mlp.pir", "--target", "cuda:sm_80,cuda:sm_90", "-o", "mlp.partita"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_partita"));
        let command = command.args(words).args(PLAN).current_dir(&folder.path).env("RAYON_NUM_THREADS", threads);
        let output = command.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.contains("machine code"), "{printed}");
        std::fs::read(folder.path.join("mlp.partita")).unwrap()
    };
    let one = bytes("1");
    assert_eq!(bytes("3"), one);
    let json: Value = serde_json::from_str(&stdout_of(&folder, &["inspect", "mlp.partita", "--json"])).unwrap();
    for target in json["targets"].as_array().unwrap() {
        assert!(target["toolchain"].as_str().unwrap().contains(", NVRTC 1"), "{target}");
        for kernel in target["kernels"].as_array().unwrap() {
            assert!(kernel["binary_bytes"].as_u64() > Some(1000), "{kernel}");
        }
    }
    for at in (0..one.len()).step_by(one.len() / 200) {
        let mut bad = one.clone();
        bad[at] ^= 1;
        assert!(Artefact::from_bytes("bad.partita".as_ref(), &bad).is_err(), "byte {at}");
    }
}
