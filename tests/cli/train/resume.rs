//! Going on from checkpoints.

use super::{folder, records, train};
use crate::support::Folder;
use expect_test::expect;
use std::path::PathBuf;

/// The checkpoints in a folder.
fn checkpoints(folder: &Folder, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path.join(name)).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_in_parts_is_the_run_in_one() {
    let folder = folder("parts", 100);
    let plan = ["--mesh", "data=2", "--preset", "zero1", "--seed", "5"];
    let with = |more: &[&str]| train(&folder, &[&plan[..], more].concat());
    with(&["--steps", "50", "--output", "one.safetensors", "--metrics", "one.jsonl"]);
    for steps in ["17", "18", "40", "50"] {
        let more = ["--steps", steps, "--save", "ck", "--save-every", "10", "--resume", "--metrics", "parts.jsonl"];
        with(&[&more[..], &["--output", "parts.safetensors"]].concat());
    }
    assert_eq!(
        checkpoints(&folder, "ck"),
        ["step-00000030.safetensors", "step-00000040.safetensors", "step-00000050.safetensors"]
    );
    assert!(folder.tensors("one.safetensors") == folder.tensors("parts.safetensors"));
    let losses = |file: &str| {
        let of = |r: &serde_json::Value| (r["step"].as_u64().unwrap(), r["loss"].to_string());
        records(&folder, file).iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(losses("one.jsonl"), losses("parts.jsonl"), "no step is there twice, none is missing");
}

/// Data is divided by what it was divided by before, also when its largest number is another one now.
#[test]
fn data_is_scaled_as_it_was() {
    let folder = folder("scale", 100);
    train(&folder, &["--steps", "10", "--save", "ck"]);
    let text = folder.read("samples.csv");
    let numbers = text.lines().skip(1).flat_map(|line| line.split(',')).map(|n| n.parse::<f32>().unwrap());
    let largest = f64::from(numbers.fold(0.0, f32::max)).to_string();
    folder.write("samples.csv", text + "1000,0,1,0,0\n");
    let go_on = ["--steps", "20", "--resume", "ck", "--output"];
    train(&folder, &[&go_on[..], &["one.safetensors"]].concat());
    train(&folder, &[&go_on[..], &["two.safetensors", "--scale", &largest]].concat());
    assert!(folder.tensors("one.safetensors") == folder.tensors("two.safetensors"));
}

#[test]
fn another_mesh_and_another_preset_go_on_alike() {
    let folder = folder("other-mesh", 100);
    let tp4 = ["--mesh", "model=4", "--shard", "layers.0.weight=_, model", "--save-every", "10"];
    train(&folder, &[&tp4[..], &["--steps", "20", "--save", "ck", "--metrics", "all.jsonl"]].concat());
    let losses = |plan: &[&str]| -> Vec<f64> {
        folder.write("m.jsonl", folder.read("all.jsonl"));
        let from = ["--resume", "ck/step-00000010.safetensors", "--steps", "20", "--metrics", "m.jsonl"];
        train(&folder, &[plan, &from].concat());
        records(&folder, "m.jsonl").iter().map(|r| r["loss"].as_f64().unwrap()).collect()
    };
    let undisturbed: Vec<f64> = records(&folder, "all.jsonl").iter().map(|r| r["loss"].as_f64().unwrap()).collect();
    for plan in [
        &["--mesh", "data=2", "--preset", "data"][..],
        &["--mesh", "model=2", "--shard", "layers.0.weight=_, model"],
        &["--mesh", "data=4", "--preset", "zero3"],
        &["--mesh", "data=8", "--preset", "zero1"],
    ] {
        let losses = losses(plan);
        assert_eq!(losses.len(), 20);
        for (step, (a, b)) in undisturbed.iter().zip(losses).enumerate() {
            assert!((a - b).abs() < 1e-5, "{plan:?}, step {step}: {a} {b}");
        }
    }
}

#[test]
fn what_is_frozen_later_keeps_its_state() {
    let folder = folder("frozen", 100);
    let save = ["--save", "ck", "--save-every", "5", "--resume"];
    train(&folder, &[&save[..], &["--steps", "5"]].concat());
    train(&folder, &[&save[..], &["--steps", "10", "--freeze", "layers.0.*"]].concat());
    let file =
        |step: &str| folder.tensors(PathBuf::from("ck").join(format!("step-{step}.safetensors")).to_str().unwrap());
    let (before, after) = (file("00000005"), file("00000010"));
    assert!(before.keys().eq(after.keys()));
    for (name, tensor) in &before {
        let stays = name.contains("layers.0");
        assert_eq!(after[name] == *tensor, stays, "{name}");
    }
}

#[test]
fn it_says_where_it_goes_on() {
    let folder = folder("says", 64);
    let with = |steps: &str| {
        let ended = train(&folder, &["--steps", steps, "--save", "ck", "--save-every", "4", "--resume"]);
        let first = ended.out.lines().next().unwrap_or_default();
        format!("{}{}\n", ended.err, first[..first.rfind(',').unwrap()].to_owned())
    };
    let said = [with("6"), with("12"), with("12")].concat();
    expect![[r#"
        note: `ck` has no checkpoint yet: starting from the beginning
        model.pir: trained 6 steps on 1 device
        model.pir: trained steps 7 to 12 on 1 device
        model.pir: trained no step more than the 12 of the checkpoint on 1 device
    "#]]
    .assert_eq(&said);
}
