//! Every setting of a plan is part of each export, or the export is refused.

use super::plan;
use partita::export::{ExportRequest, export};
use partita::ir::plan::KEYS;
use partita::prelude::*;
use partita::search::Target;
use std::collections::BTreeSet;

const MLP: &str = "zoo:mlp?layers=2&width=16&hidden=32&batch=8&loss=true";
const GPT: &str = "zoo:gpt?layers=4&width=32&heads=4&hidden=64&seq=16&vocab=48&batch=8&loss=true&tied=false";

/// For each key: a model, the rest of a plan, and the key with a value that changes the plan.
const CASES: &[(&str, &str, &str, &str)] = &[
    ("mesh", MLP, "presets = 'data'", "mesh = { data = 4 }"),
    ("devices", MLP, "mesh = { data = 2 }\npresets = 'data'", "devices = [1, 0]"),
    ("presets", MLP, "mesh = { data = 2 }", "presets = 'data'"),
    ("rules", MLP, "mesh = { data = 2 }\nname.'input.0' = 'batch, _'", "rules = 'batch:data'"),
    ("name", MLP, "mesh = { data = 2 }\nrules = 'batch:data'", "name.'input.0' = 'batch, _'"),
    ("shard", MLP, "mesh = { model = 2 }", "shard.'layers.0.weight' = '_, model'"),
    ("store", MLP, "mesh = { data = 2 }", "store.'layers.0.weight' = 'data, _'"),
    (
        "allow_reshard",
        MLP,
        "mesh = { data = 2, model = 2 }\nshard.'layers.0.weight' = '_, model'\nshard.'layers.0.bias' = 'data'",
        "allow_reshard = 'layers.0.bias'",
    ),
    ("no_padding", MLP, "mesh = { data = 3 }\npresets = 'data'", "no_padding = 'input.0'"),
    (
        "hold",
        MLP,
        "mesh = { data = 2 }\ntrain = 'sgd'\nstore.'layers.1.weight' = 'data, _'",
        "hold = 'layers.1.weight'",
    ),
    ("attention", GPT, "mesh = { context = 2 }\npresets = 'context'", "attention = 'gather'"),
    ("overlap", GPT, "mesh = { model = 2 }\npresets = 'megatron, sequence'", "overlap = 'all_gather'"),
    ("train", GPT, "mesh = { data = 2 }\npresets = 'data'", "train = 'adamw?lr=3e-4&clip=1'"),
    ("freeze", GPT, "mesh = { data = 2 }\npresets = 'data'\ntrain = 'adam'", "freeze = 'blocks.0.**'"),
    ("train_only", GPT, "mesh = { data = 2 }\npresets = 'data'\ntrain = 'adam'", "train_only = 'blocks.0.**'"),
    ("precision", GPT, "mesh = { data = 2 }\npresets = 'data'\ntrain = 'adam'", "precision = 'bf16'"),
    ("remat", GPT, "mesh = { data = 2 }\npresets = 'data'\ntrain = 'adam'", "remat = 'full'"),
    ("bucket", GPT, "mesh = { data = 2 }\npresets = 'data'\ntrain = 'adam'", "bucket = '7MiB'"),
    (
        "pipeline",
        GPT,
        "mesh = { data = 2 }\npresets = 'data, zero1'\ntrain = 'adam'",
        "pipeline = 'tokens positions blocks.0 blocks.1 | blocks.2 blocks.3 norm head'\nmicrobatches = 2",
    ),
    (
        "schedule",
        GPT,
        "mesh = { model = 1 }\ntrain = 'adam'\nmicrobatches = 4\npipeline = 'tokens positions blocks.0 blocks.1 | blocks.2 blocks.3 norm head'",
        "schedule = 'gpipe'",
    ),
    (
        "microbatches",
        GPT,
        "mesh = { model = 1 }\ntrain = 'adam'\npipeline = 'tokens positions blocks.0 blocks.1 | blocks.2 blocks.3 norm head'",
        "microbatches = 2",
    ),
    (
        "replicas",
        GPT,
        "mesh = { model = 1 }\ntrain = 'adam'\nmicrobatches = 4\npipeline = 'tokens positions blocks.0 blocks.1 | blocks.2 blocks.3 norm head'",
        "replicas = 2",
    ),
    ("map", GPT, "mesh = { data = 4, model = 2 }\npresets = 'data, megatron'\ntrain = 'sgd'", "map = 'model, data'"),
    ("budget", MLP, "mesh = { data = 2 }\npresets = 'data'", "budget = '1GiB'"),
];

/// Returns the exported file or the error, and true if the target refuses the plan.
fn outcome(program: &Program, text: &str, target: Target) -> (String, bool) {
    match export(program, &plan(text), &ExportRequest::new(target)) {
        Ok(export) => (export.text, false),
        Err(error) => {
            let is_refused = error.0[0].code.name() == "L019";
            (error.to_string(), is_refused)
        }
    }
}

#[test]
fn every_setting_is_exported_or_refused() {
    let cases: BTreeSet<&str> = CASES.iter().map(|case| case.0).collect();
    let keys: BTreeSet<&str> = KEYS.iter().map(|key| key.name).collect();
    assert_eq!(cases, keys, "one case for each key");
    for (_, model, rest, value) in CASES {
        let program = partita::load(model).unwrap();
        for target in Target::ALL {
            let without = outcome(&program, rest, target);
            let with = outcome(&program, &format!("{value}\n{rest}"), target);
            assert!(with.1 || without.0 != with.0, "`{value}` changes nothing for {target}:\n{}", with.0);
        }
    }
}

/// Plans that each target can express, with a fragment of the exported file.
const EXPRESSIBLE: &[(Target, &str, &str)] = &[
    (
        Target::Jax,
        "mesh = { data = 2, model = 2 }\npresets = 'data, megatron, sequence, zero1'",
        "PartitionSpec(None, \"model\")",
    ),
    (Target::Dtensor, "mesh = { data = 2, model = 2 }\npresets = 'data, megatron, zero3'", "SHARD_AXES = [\"data\"]"),
    (
        Target::TpPlan,
        "mesh = { data = 2, model = 2 }\npresets = 'data, megatron'",
        "\"blocks.*.attention.query\": \"colwise\"",
    ),
    (
        Target::Megatron,
        "mesh = { data = 2, model = 2 }\npresets = 'data, megatron, sequence, zero1'",
        "--sequence-parallel",
    ),
    (
        Target::Torchtitan,
        "mesh = { data = 2, model = 2 }\npresets = 'data, megatron, sequence, zero3'",
        "tensor_parallel_degree = 2",
    ),
    (Target::Deepspeed, "mesh = { data = 4 }\npresets = 'data, zero2'", "\"stage\": 2"),
    (Target::Nanotron, "mesh = { data = 2, model = 2 }\npresets = 'data, megatron, zero1'", "tp_mode: ALL_REDUCE"),
];

#[test]
fn each_target_exports_a_plan_with_all_of_its_axes() {
    let program = partita::load(GPT).unwrap();
    for (target, text, fragment) in EXPRESSIBLE {
        let (exported, is_refused) = outcome(&program, &format!("train = 'adam'\n{text}"), *target);
        assert!(!is_refused && exported.contains(fragment), "{target}:\n{exported}");
    }
    let targets: Vec<Target> = EXPRESSIBLE.iter().map(|case| case.0).collect();
    assert_eq!(targets, Target::ALL);
}
