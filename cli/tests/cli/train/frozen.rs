//! Frozen layers: freezing during training, and cached activations of the frozen prefix.

use super::errors::check;
use super::{MODEL, folder, records, train};
use crate::support::{Folder, partita};
use expect_test::expect;
use serde_json::Value;

/// Creates a folder with a model without dropout, so that the first layer's output is a function of the sample.
pub fn plain(test: &str, count: usize) -> Folder {
    let folder = folder(test, count);
    let line = MODEL.lines().find(|l| l.contains("convert")).unwrap();
    folder.write("model.pir", MODEL.replace(line, "  %m = constant 1.0 : f32[8, 16]"));
    folder
}

/// Returns the losses of a run as exact decimal strings.
fn losses(folder: &Folder, more: &[&str]) -> Vec<String> {
    train(folder, &[more, &["--metrics", "m.jsonl"]].concat());
    records(folder, "m.jsonl").iter().map(|r| r["loss"].to_string()).collect()
}

#[test]
fn cached_activations_change_nothing() {
    let folder = plain("kept", 100);
    let frozen = ["--freeze", "layers.0.*", "--epochs", "4", "--mesh", "data=2", "--preset", "data"];
    let without = losses(&folder, &frozen);
    // A cached sample takes 64 bytes: 40 samples fit into memory, 20 more on disk.
    for budget in [&["--cache", "1MiB"][..], &["--cache", "2560"], &["--cache", "2560", "--cache-disk", "1280"]] {
        assert_eq!(losses(&folder, &[&frozen, budget].concat()), without, "{budget:?}");
    }
    let counts = |budget: &[&str]| -> Value {
        let ended = train(&folder, &[&frozen, budget, &["--json"]].concat());
        serde_json::from_str::<Value>(&ended.out).unwrap()["cache"].clone()
    };
    let all = counts(&["--cache", "1MiB"]);
    let count = |counts: &Value, what: &str| counts[what].as_u64().unwrap();
    assert_eq!((count(&all, "evicted"), count(&all, "disk")), (0, 0));
    // Four epochs of twelve batches make 384 lookups. Each sample is computed once, and a batch has at most one further
    // miss.
    assert_eq!(count(&all, "memory") + count(&all, "missed"), 384);
    assert!(count(&all, "missed") <= 100);
    let tiers = counts(&["--cache", "2560", "--cache-disk", "1280"]);
    assert!(count(&tiers, "disk") > 0 && count(&tiers, "evicted") > 0, "{tiers}");
}

#[test]
fn cache_requires_a_function_of_the_sample() {
    let folder = folder("refused", 64);
    let cache = ["--cache", "1MiB", "--steps", "4"];
    let frozen = ["--freeze", "layers.0.*"];
    check(
        &folder,
        &[&frozen[..], &cache].concat(),
        expect![[r#"
        error[D011]: the frozen layers draw random numbers, so their results differ each time
          |
          = note: first at `%d`
          = help: train without a cache, or without dropout in the frozen layers
    "#]],
    );
    check(
        &folder,
        &cache,
        expect![[r#"
        error[D011]: the model has no frozen layers at its input side
          |
          = help: freeze the first layers: `--freeze PATH`
    "#]],
    );
    let mean = "  %sum = reduce sum [0] %r : f32[16]\n  %means = broadcast [1] %sum : f32[8, 16]\n  %u = sub %r, %means : f32[8, 16]\n";
    let (before, after) = MODEL.split_once("  %u = random").unwrap();
    let logits = after.split_once("  %logits").unwrap().1.replace("%d", "%u");
    folder.write("model.pir", format!("{before}{mean}  %logits{logits}"));
    check(
        &folder,
        &[&frozen[..], &cache].concat(),
        expect![[r#"
            error[D011]: results of the frozen layers for a sample depend on other samples of its batch
              |
              = note: `reduce %sum` mixes the examples of a batch
              = help: train without a cache, or freeze fewer layers
        "#]],
    );
    check(
        &folder,
        &["--freeze-when", "norm<a for 3"],
        expect![[r#"
        error[D010]: `norm<a for 3` is not a rule for freezing
         --> --freeze-when:1:1
          |
        1 | norm<a for 3
          | ^^^^^^^^^^^^
          |
          = help: write `norm<NUMBER for STEPS`: `norm<1e-3 for 20`
    "#]],
    );
}

#[test]
fn layers_freeze_during_training_and_after_resuming() {
    let folder = plain("on-the-way", 100);
    let when = ["--freeze-when", "norm<1000 for 7", "--cache", "1MiB", "--seed", "2"];
    let save = ["--save", "ck", "--save-every", "5", "--keep", "100", "--metrics", "m.jsonl"];
    train(&folder, &[&when[..], &save, &["--steps", "30", "--output", "all.safetensors"]].concat());
    let records = records(&folder, "m.jsonl");
    let frozen: Vec<(u64, &Value)> = records
        .iter()
        .filter(|r| r["frozen"].is_array())
        .map(|r| (r["step"].as_u64().unwrap(), &r["frozen"]))
        .collect();
    assert_eq!(frozen, [(7, &serde_json::json!(["layers.0"]))], "the last layer is always trained");
    let file = |step: &str| folder.tensors(&format!("ck/step-000000{step}.safetensors"));
    let (before, at, after) = (file("05"), file("10"), file("30"));
    assert!(before["layers.0.weight"] != at["layers.0.weight"]);
    assert!(at["layers.0.weight"] == after["layers.0.weight"]);
    assert!(at["layers.1.weight"] != after["layers.1.weight"]);
    assert!(after.contains_key("optimizer.m.layers.0.weight"), "its state is retained");
    // Checkpoints from before and after the step that freezes.
    for from in ["ck/step-00000005.safetensors", "ck/step-00000020.safetensors"] {
        train(&folder, &[&when[..], &["--resume", from, "--steps", "30", "--output", "again.safetensors"]].concat());
        assert!(folder.tensors("all.safetensors") == folder.tensors("again.safetensors"), "{from}");
    }
}

/// A layer freezes at the same step with accumulation, in stages, and on several devices.
#[test]
fn every_plan_freezes_at_the_same_step() {
    let folder = plain("same-step", 100);
    for (rule, expected) in [("norm<0.3 for 3", Some(8)), ("norm<0.25 for 3", Some(34)), ("norm<1e-3 for 2", None)] {
        for plan in [
            &[][..],
            &["--train", "adamw?lr=1e-2&accumulate=2"],
            &["--train", "adamw?lr=1e-2&accumulate=4"],
            &["--pipeline", "1", "--microbatches", "2"],
            &["--pipeline", "2", "--microbatches", "2"],
            &["--pipeline", "2", "--microbatches", "4", "--schedule", "zb-h1", "--mesh", "data=2", "--preset", "data"],
            &["--mesh", "data=2", "--preset", "zero3"],
        ] {
            let _ = std::fs::remove_file(folder.path.join("m.jsonl"));
            let train: &[&str] = if plan.contains(&"--train") { &[] } else { &["--train", "adamw?lr=1e-2"] };
            let always = ["train", "model.pir", "--data", "samples.csv", "--steps", "40", "--metrics", "m.jsonl"];
            let ended = partita(&folder, [&always[..], &["--freeze-when", rule], train, plan].concat());
            assert_eq!(ended.code, Some(0), "{plan:?}: {}", ended.transcript());
            let frozen = records(&folder, "m.jsonl").into_iter().filter(|r| r["frozen"].is_array());
            let frozen: Vec<u64> = frozen.map(|r| r["step"].as_u64().unwrap()).collect();
            assert_eq!(frozen, expected.into_iter().collect::<Vec<u64>>(), "{rule}, {plan:?}");
        }
    }
}
