//! Every layout trains with the results of one device.

use super::steps::{Task, mesh, part, single_device_plan};

const MLP: &str = "zoo:mlp?layers=4&width=12&hidden=20&batch=8&dropout=0.25";
const GPT: &str = "zoo:gpt?layers=2&width=24&heads=6&hidden=20&seq=9&vocab=20&batch=8&dropout=0.1";
const MOE: &str = "zoo:moe?layers=2&width=8&hidden=12&experts=8&seq=6&batch=8&dropout=0.1";
const CNN: &str = "zoo:mnist-cnn?image=8&batch=8&batch_norm=true&dropout=0.25";

/// Numbers of devices, and sizes of `data` and `model` where both are used.
const DEVICES: [(u32, [u32; 2]); 5] = [(2, [2, 1]), (3, [1, 3]), (4, [2, 2]), (6, [3, 2]), (8, [2, 4])];

const ALL: [&str; 11] = [
    "data",
    "megatron",
    "mesh",
    "zero1",
    "zero2",
    "zero3",
    "data,megatron",
    "mesh,megatron",
    "megatron,zero1",
    "megatron,zero2",
    "megatron,zero3",
];
const WITH_MESH: [&str; 3] = ["mesh,zero1", "mesh,zero2", "mesh,zero3"];
const SEQUENCE: [&str; 6] = [
    "megatron,sequence",
    "megatron,sequence,data",
    "megatron,sequence,mesh",
    "megatron,sequence,zero1",
    "megatron,sequence,zero2",
    "megatron,sequence,zero3",
];
const EXPERT: [&str; 7] =
    ["expert", "expert,data", "expert,megatron", "expert,mesh", "expert,zero1", "expert,zero2", "expert,zero3"];

/// Returns the axes that presets need, for `n` devices in total.
fn axes(presets: &str, n: u32, [data, model]: [u32; 2]) -> Vec<(&'static str, u32)> {
    let has = |names: &[&str]| presets.split(',').any(|p| names.contains(&p));
    let needs_data = has(&["data", "mesh", "zero1", "zero2", "zero3", "expert"]);
    match (needs_data, has(&["megatron", "mesh", "sequence"])) {
        (true, true) => vec![("data", data), ("model", model)],
        (true, false) => vec![("data", n)],
        (false, _) => vec![("model", n)],
    }
}

/// Trains with each of the presets on each number of devices.
fn trains(spec: &str, presets: &[&[&str]], train: &str, devices: &[u32], steps: u64) {
    let task = Task::new(spec, &single_device_plan().train(train));
    let alone = task.run_on_one_device(task.start(), steps);
    assert!(alone.losses.windows(2).any(|w| w[0] != w[1]), "{spec}: {:?}", alone.losses);
    for &(n, both) in DEVICES.iter().filter(|(n, _)| devices.contains(n)) {
        for presets in presets.iter().copied().flatten() {
            let axes = axes(presets, n, both);
            let part = part(spec, &mesh(&axes).preset(*presets).train(train));
            let together = task.run_partitioned(&part, task.start(), steps);
            task.assert_close(&together, &alone, &format!("{presets} on {axes:?}"));
        }
    }
}

#[test]
fn mlp() {
    trains(MLP, &[&ALL, &WITH_MESH], "adamw?lr=1e-2", &[4], 6);
    trains(MLP, &[&ALL[..6]], "momentum?lr=1e-2&decay=1e-3&nesterov=true&clip=1", &[3], 6);
}

#[test]
fn gpt() {
    trains(GPT, &[&ALL[6..], &WITH_MESH, &SEQUENCE], "adamw?lr=1e-2&clip=1&warmup=3", &[4], 3);
}

#[test]
fn gpt_unevenly() {
    trains(GPT, &[&["zero2", "mesh"], &SEQUENCE[3..]], "adam?lr=1e-2&schedule=cosine&steps=8", &[6], 3);
}

#[test]
fn moe() {
    trains(MOE, &[&["zero3", "megatron,zero2"], &EXPERT], "adamw?lr=1e-2", &[4], 4);
}

#[test]
fn cnn() {
    trains(CNN, &[&ALL], "sgd?lr=1e-2&decay=1e-3", &[4], 4);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn all_presets_for_twenty_steps() {
    let all = [2, 3, 4, 6, 8];
    for train in ["adamw?lr=1e-2&clip=1&warmup=5&schedule=cosine&steps=20", "momentum?lr=1e-2&decay=1e-3"] {
        trains(MLP, &[&ALL, &WITH_MESH], train, &all, 20);
        trains(GPT, &[&ALL, &WITH_MESH, &SEQUENCE], train, &all, 20);
        trains(MOE, &[&ALL, &WITH_MESH, &EXPERT], train, &all, 20);
        trains(CNN, &[&ALL, &WITH_MESH], train, &all, 20);
    }
}
