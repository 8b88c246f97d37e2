//! Commands and options that state the same thing agree.

use crate::support::{Folder, data, partita};
use serde_json::Value;

fn json(folder: &Folder, words: &[&str]) -> Value {
    let ended = partita(folder, words.iter().chain(&["--json"]));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    serde_json::from_str(&ended.out).unwrap()
}

#[test]
fn found_stages_are_cut_alike_without_the_machine() {
    let folder = Folder::new("agreement stages");
    let model = "zoo:gpt?layers=4&width=64&heads=4&batch=16";
    let flags = ["--machine", "pcie4", "--pipeline", "2", "--train", "adam", "--budget", "20MiB", "-o", "found.toml"];
    let found = json(&folder, &[&["search", model], &flags[..]].concat());
    let planned = json(&folder, &["plan", model, "--plan", "found.toml"]);
    assert!(folder.read("found.toml").contains(" | "), "{}", folder.read("found.toml"));
    let peaks = planned["stages"].as_array().unwrap().iter().map(|stage| stage["peak_bytes"].as_u64());
    assert_eq!(peaks.max().flatten(), found["plans"][0]["peak_bytes"].as_u64(), "{planned:#}");
}

#[test]
fn stating_the_default_optimizer_changes_nothing() {
    let folder = Folder::new("agreement optimizer");
    let step = ["simulate", "zoo:gpt", "--machine", "hgx-h100", "--mesh", "data=2", "--preset", "data"];
    let stated = json(&folder, &[&step[..], &["--train", "adam"]].concat());
    assert_eq!(json(&folder, &step)["step_seconds"], stated["step_seconds"]);
}

#[test]
fn sums_of_a_residual_stream_name_their_products() {
    let folder = Folder::new("agreement causes");
    let flags = ["--mesh", "model=4", "--preset", "megatron", "--all"];
    let ended = partita(&folder, ["plan", "zoo:llama?layers=2"].iter().chain(&flags));
    for product in ["attention.output", "feed_forward.down"] {
        for layer in 0..2 {
            let source = format!("blocks.{layer}.{product}");
            assert!(ended.out.lines().any(|line| line.contains("all_reduce") && line.contains(&source)), "{source}");
        }
    }
}

#[test]
fn repeated_work_and_total_work_agree() {
    let folder = Folder::new("agreement repeated");
    let model = "zoo:llama?heads=8&kv_heads=2";
    let planned = json(&folder, &["plan", model, "--mesh", "model=8", "--preset", "megatron"]);
    let of = |name: &str| planned["totals"][name].as_u64().unwrap();
    assert!(of("repeated_flops") > 0, "{planned:#}");
    assert_eq!(of("flops") - of("repeated_flops"), of("model_flops") / 8);
}

#[test]
fn results_of_an_imported_step_are_the_input_of_the_next() {
    let folder = Folder::new("next_step");
    let model = data().join("users/moe_ragged_adam.mlir").display().to_string();
    let count = |folder: &Folder| i32::from_le_bytes(folder.tensors("state")["out5"].2[..].try_into().unwrap());
    let step = ["run", &model, "--mesh", "data=2", "--preset", "data", "--output", "state"];
    let first = partita(&folder, step);
    assert_eq!(first.code, Some(0), "{}", first.transcript());
    let before = count(&folder);
    let second = partita(&folder, step.iter().chain(&["--input", "state"]));
    assert_eq!((second.code, count(&folder)), (Some(0), before + 1), "{}", second.transcript());
    assert_eq!(second.err, "");
}
