//! Resumption from checkpoints.

use super::{MODEL, folder, records, samples, train};
use crate::support::{Folder, partita};
use expect_test::expect;
use std::path::PathBuf;

/// Returns the checkpoints in a folder.
fn checkpoints(folder: &Folder, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path.join(name)).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
    names.sort();
    names
}

#[test]
fn resumed_run_equals_single_run() {
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
    assert_eq!(losses("one.jsonl"), losses("parts.jsonl"), "no step is duplicated or missing");
}

/// Data is scaled by the stored factor, even if its largest number has changed.
#[test]
fn data_is_scaled_as_it_was() {
    let folder = folder("scale", 100);
    train(&folder, &["--steps", "10", "--save", "ck"]);
    let text = folder.read("samples.csv");
    let numbers = text.lines().skip(1).flat_map(|line| line.split(',')).map(|n| n.parse::<f32>().unwrap());
    let largest = f64::from(numbers.fold(0.0, f32::max)).to_string();
    folder.write("samples.csv", text + "1000,0,1,0,0\n");
    let go_on = ["--steps", "20", "--resume", "ck", "--resume-with-changes", "--output"];
    train(&folder, &[&go_on[..], &["one.safetensors"]].concat());
    train(&folder, &[&go_on[..], &["two.safetensors", "--scale", &largest]].concat());
    assert!(folder.tensors("one.safetensors") == folder.tensors("two.safetensors"));
}

#[test]
fn resuming_on_another_mesh_or_preset_agrees() {
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
fn later_frozen_parameters_retain_state() {
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
fn resumption_step_is_reported() {
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
        model.pir: trained no steps after the 12 of the checkpoint on 1 device
    "#]]
    .assert_eq(&said);
}

/// Settings that affect the result must be unchanged, and each changed one is named.
#[test]
fn changed_settings_are_rejected_by_name() {
    let folder = folder("changes", 100);
    let shown = ["--seed", "3", "--validate", "0.1"];
    train(&folder, &[&shown[..], &["--steps", "5", "--save", "ck"]].concat());
    let words = |train: &'static str, more: &[&'static str]| {
        let always =
            ["train", "model.pir", "--data", "samples.csv", "--steps", "8", "--resume", "ck", "--train", train];
        [&always[..], more].concat()
    };
    let same = "adamw?lr=1e-2";
    // Settings that only affect speed may change; an omitted seed is the previous one.
    for more in [
        &["--validate", "0.1"][..],
        &["--validate", "0.1", "--seed", "3"],
        &["--validate", "0.1", "--mesh", "data=2", "--preset", "zero1"],
        &["--validate", "0.1", "--pipeline", "2", "--microbatches", "2"],
    ] {
        let ended = partita(&folder, words(same, more));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    }
    let ended = partita(&folder, words("adamw?lr=0.01&accumulate=2&norms=true", &shown));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let refusal = |words: Vec<&str>| {
        let ended = partita(&folder, words.iter().copied());
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        assert!(ended.err.starts_with("error[K007]: "), "{}", ended.transcript());
        let accepted = partita(&folder, words.into_iter().chain(["--resume-with-changes"]));
        assert_eq!(accepted.code, Some(0), "{}", accepted.transcript());
        let notes = ended.err.lines().filter_map(|line| line.trim().strip_prefix("= note: "));
        let notes: Vec<String> = notes.map(str::to_owned).collect();
        for note in &notes {
            assert!(accepted.err.contains(note.as_str()), "accepted changes are reported: {}", accepted.err);
        }
        notes.join("\n")
    };
    let said = [
        refusal(words(same, &["--seed", "4", "--validate", "0.1"])),
        refusal(words(same, &["--seed", "3"])),
        refusal(words("adamw?lr=0.1", &shown)),
        refusal(words("momentum?lr=1e-2&clip=1", &shown)),
    ];
    expect![[r#"
        the seed was 3 and is 4
        --
        the held-out share was 0.1 and is 0
        --
        the learning rate was 0.01 and is 0.1
        --
        the optimizer was adam (beta1 0.9, beta2 0.999, eps 1e-8) and is momentum (beta 0.9, nesterov false)
        the weight decay was 0.01 and is 0.0
        the clipping norm was none and is 1.0"#]]
    .assert_eq(&said.join("\n--\n"));
    folder.write("model.pir", MODEL.replace("relu", "tanh"));
    let of_model = refusal(words(same, &shown));
    folder.write("model.pir", MODEL).write("other.csv", samples(99)).write("samples.csv", samples(98));
    let of_data = refusal(words(same, &shown));
    let other: Vec<&str> =
        words(same, &shown).into_iter().map(|w| if w == "samples.csv" { "other.csv" } else { w }).collect();
    expect![[r#"
        the model `model.pir` has different operations or sizes than before
        --
        the data set `samples.csv` has different samples than before
        --
        the data set was `samples.csv` and is `other.csv`"#]]
    .assert_eq(&[of_model, of_data, refusal(other)].join("\n--\n"));
    // Layout annotations of the program are not part of the computation.
    folder.write("samples.csv", samples(100));
    let annotated = MODEL.replace("form traced\n", "form traced\nmesh @m = [data=2]\n");
    folder.write("model.pir", annotated.replace("input %x : f32[8, 4]", "input %x : f32[8@data, 4]"));
    let ended = partita(&folder, words(same, &shown));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
}
