//! `replan`: new plans after a change of devices.

use crate::support::{Folder, partita};
use expect_test::expect;
use serde_json::Value;

const MODEL: &str = "zoo:gpt?layers=2&width=32&heads=4&seq=8&vocab=64&batch=16";

const PRESENT: &str =
    "mesh = { data = 2, model = 2 }\ntrain = \"adamw?lr=1e-2\"\npresets = [\"data\", \"megatron\", \"zero1\"]\n";

fn replan(folder: &Folder, flags: &[&str]) -> Value {
    folder.write("present.toml", PRESENT);
    let words = ["replan", "present.toml", "--model", MODEL, "--machine", "pcie4", "-o", "new.toml", "--json"];
    let ended = partita(folder, words.iter().chain(flags));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    serde_json::from_str(&ended.out).unwrap_or_default()
}

fn bytes(said: &Value, name: &str) -> u64 {
    let bytes = said[name].as_u64();
    assert!(bytes.is_some(), "no `{name}` in {said:#}");
    bytes.unwrap_or_default()
}

/// Returns the loss of each step in a metrics file.
fn losses(folder: &Folder, metrics: &str) -> Vec<(u64, f64)> {
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["step"].as_u64().unwrap(), line["loss"].as_f64().unwrap())
    };
    folder.read(metrics).lines().map(line).collect()
}

fn assert_losses_close(a: &[(u64, f64)], b: &[(u64, f64)]) {
    let steps = |all: &[(u64, f64)]| all.iter().map(|one| one.0).collect::<Vec<_>>();
    assert_eq!(steps(a), steps(b));
    for ((step, a), (_, b)) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-4 * a.abs(), "step {step}: {a} and {b}");
    }
}

fn train(folder: &Folder, flags: &[&str]) {
    let text: String = (0..2000u32).map(|n| char::from(b'a' + (n * n / 7 % 26) as u8)).collect();
    folder.write("text.txt", text);
    let ended = partita(folder, ["train", MODEL, "--data", "text.txt"].iter().chain(flags));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
}

#[test]
fn remaining_devices_resume_with_the_same_losses() {
    let folder = Folder::new("replan train");
    let said = replan(&folder, &["--lost", "1,3"]);
    train(&folder, &["--plan", "present.toml", "--steps", "6", "--metrics", "whole.jsonl"]);
    train(&folder, &["--plan", "present.toml", "--steps", "3", "--save", "kept", "--metrics", "parts.jsonl"]);
    train(&folder, &["--plan", "new.toml", "--steps", "6", "--save", "kept", "--resume", "--metrics", "parts.jsonl"]);
    let (whole, parts) = (losses(&folder, "whole.jsonl"), losses(&folder, "parts.jsonl"));
    assert_eq!(whole.iter().map(|one| one.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_losses_close(&whole, &parts);
    // The plan that was searched for is the one that trained.
    assert!(said["devices"][0].as_array().unwrap().iter().all(|device| device == 0 || device == 2), "{said:#}");
}

#[test]
fn running_training_adopts_a_new_plan() {
    let folder = Folder::new("replan live");
    replan(&folder, &["--lost", "1"]);
    let always = ["--plan", "present.toml", "--steps", "6", "--validate", "0.2"];
    train(&folder, &[&always[..], &["--metrics", "whole.jsonl"]].concat());
    let switch = ["--replan", "3=new.toml", "--save", "kept", "--save-every", "5"];
    train(&folder, &[&always[..], &switch, &["--metrics", "live.jsonl"]].concat());
    assert_losses_close(&losses(&folder, "whole.jsonl"), &losses(&folder, "live.jsonl"));
    // A checkpoint follows the step; a run that resumes from it has the same losses and the same end.
    let third = "kept/step-00000003.safetensors";
    std::fs::copy(folder.path.join("live.jsonl"), folder.path.join("again.jsonl")).unwrap();
    train(&folder, &[&always[..], &["--replan", "3=new.toml", "--resume", third, "--metrics", "again.jsonl"]].concat());
    assert_eq!(losses(&folder, "live.jsonl"), losses(&folder, "again.jsonl"));
}

#[test]
fn replan_freezes_layers_at_the_same_step() {
    let folder = Folder::new("replan freeze");
    let said = replan(&folder, &["--freeze", "blocks.0.**"]);
    assert!(folder.read("new.toml").contains("freeze = [\"blocks.0.**\"]"));
    // Frozen parameters have no optimizer state.
    let moved = said["moves"].as_array().unwrap().iter().filter_map(|one| one["tensor"].as_str());
    assert!(!moved.into_iter().any(|name| name.starts_with("optimizer") && name.contains("blocks.0.")), "{said:#}");
    train(&folder, &["--plan", "present.toml", "--steps", "3", "--save", "kept", "--metrics", "parts.jsonl"]);
    train(&folder, &["--plan", "new.toml", "--steps", "6", "--save", "kept", "--resume", "--metrics", "parts.jsonl"]);
    // Freezing on the present devices is equivalent.
    folder.write("frozen.toml", format!("{PRESENT}freeze = [\"blocks.0.**\"]\n"));
    train(&folder, &["--plan", "present.toml", "--steps", "3", "--save", "same", "--metrics", "same.jsonl"]);
    train(&folder, &["--plan", "frozen.toml", "--steps", "6", "--save", "same", "--resume", "--metrics", "same.jsonl"]);
    assert_losses_close(&losses(&folder, "same.jsonl"), &losses(&folder, "parts.jsonl"));
}

#[test]
fn moved_bytes_are_near_the_lower_bound() {
    let folder = Folder::new("replan moves");
    for flags in [&["--lost", "2"][..], &["--devices", "2"], &["--lost", "0,1"], &[]] {
        let said = replan(&folder, flags);
        let (moved, bound) = (bytes(&said, "moved_bytes"), bytes(&said, "bound_bytes"));
        assert!(moved as f64 <= 1.1 * bound as f64, "{flags:?}: {moved} of {bound}");
        let listed = said["moves"].as_array().unwrap().iter().map(|one| bytes(one, "bytes")).sum::<u64>();
        assert_eq!(listed, moved);
        let simulated = partita(&folder, ["simulate", MODEL, "--machine", "pcie4", "--plan", "new.toml", "--json"]);
        assert_eq!(simulated.code, Some(0), "{}", simulated.transcript());
    }
    // Half of the data that only the lost devices stored is read: `model` is the minor axis, so that devices 0 and 1
    // form a row of the mesh.
    let said = replan(&folder, &["--lost", "0,2"]);
    assert!(bytes(&said, "read_bytes") > 0, "{said:#}");
}

#[test]
fn present_plan_is_preferred_if_fast_enough() {
    let folder = Folder::new("replan alike");
    let fast = replan(&folder, &["--lost", "3"]);
    let near = replan(&folder, &["--lost", "3", "--slower", "0.99"]);
    assert!(bytes(&near, "moved_bytes") <= bytes(&fast, "moved_bytes"), "{near:#}");
    let eight = |more: &str| {
        let flags = ["--machine", "dgx1-v100", "--lost", "3", "--more", more];
        let words = ["replan", "present.toml", "--model", MODEL, "--effort", "gap=0.01", "--json"];
        let ended = partita(&folder, words.iter().chain(&flags));
        serde_json::from_str::<Value>(&ended.out).unwrap()
    };
    let (least, close) = (eight("0"), eight("100"));
    assert_eq!(bytes(&least, "moved_bytes"), bytes(&least, "bound_bytes"));
    assert!(
        close["step_seconds"].as_f64() <= least["step_seconds"].as_f64().map(|seconds| 1.02 * seconds),
        "{close:#}"
    );
    // If all devices are available and the present plan is optimal, nothing moves.
    let words = ["search", MODEL, "--machine", "pcie4", "--train", "adam", "-o", "best.toml"];
    assert_eq!(partita(&folder, words).code, Some(0));
    let words = ["replan", "best.toml", "--model", MODEL, "--machine", "pcie4", "--json"];
    let ended = partita(&folder, words);
    let said: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((bytes(&said, "moved_bytes"), bytes(&said, "read_bytes")), (0, 0), "{}", ended.transcript());
}

#[test]
fn replan_summary() {
    let folder = Folder::new("replan text");
    folder.write("present.toml", PRESENT);
    let words = ["replan", "present.toml", "--model", MODEL, "--machine", "pcie4", "--lost", "0,2"];
    let ended = partita(&folder, words);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    expect![[r#"
        zoo:gpt?layers=2&width=32&heads=4&seq=8&vocab=64&batch=16 on pcie4: uses 1 of 2 available devices, lost 0,2; the previous plan used 4

          step       2.40 ms before, 188.30 us now
          transfers  214.2 KiB (minimum for any choice of devices: 214.2 KiB)
          unmoved    111.3 KiB
          checkpoint 158.6 KiB of the transfers, since no remaining device stores the data
          devices    1

          from        to  regions      bytes
          checkpoint   1       79  158.6 KiB
          3            1       72   55.6 KiB
    "#]]
    .assert_eq(&ended.out);
}

#[test]
fn missing_devices_are_rejected() {
    let folder = Folder::new("replan errors");
    folder.write("present.toml", PRESENT);
    let mut all = String::new();
    for flags in [["--lost", "4"], ["--devices", "5"], ["--lost", "0,1,2,3"]] {
        let words = ["replan", "present.toml", "--model", MODEL, "--machine", "pcie4"];
        let ended = partita(&folder, words.iter().chain(&flags));
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        all += &(ended.err + "\n");
    }
    expect![[r#"
        error[H002]: `pcie4` has devices 0 to 3, but device 4 is listed as lost
          |
          = help: list device numbers from 0 to 3

        error[H002]: `pcie4` has 4 devices, but 5 are requested
          |
          = help: use a machine with more nodes: `pcie4?nodes=2`

        error[H002]: all devices are lost
          |
          = help: list only the lost devices: `--lost 3,5`

    "#]]
    .assert_eq(&all);
}

#[cfg(unix)]
#[test]
fn plans_of_later_steps_are_checked_before_the_first_one() {
    let folder = Folder::new("replan-too-few");
    folder.write("text.txt", "abcdefgh".repeat(100)).write("present.toml", PRESENT);
    folder.write("one.toml", "mesh = { data = 1 }\ntrain = \"adamw?lr=1e-2\"\n");
    let train = ["train", MODEL, "--data", "text.txt", "--plan", "present.toml", "--steps", "3", "--metrics", "m"];
    let words = ["launch", "-n", "2", "--"].iter().chain(&train).chain(&["--replan", "2=one.toml"]);
    let ended = partita(&folder, words);
    assert_ne!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.err.contains("2 ranks were started for 1 device"), "{}", ended.transcript());
    assert!(ended.err.contains("the plan for the steps after 2 has too few devices"), "{}", ended.transcript());
    assert!(!folder.path.join("m").exists());
    let ended = partita(&folder, train.iter().chain(&["--replan", "7=one.toml"]));
    let note = "the plan for the steps after 7 has no effect: training ends after step 3";
    assert!(ended.code == Some(0) && ended.transcript().contains(note), "{}", ended.transcript());
}
