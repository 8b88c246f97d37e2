//! Launch options have the values of the plan, and only options that the frameworks have.

use super::exported;
use partita::prelude::*;
use partita::search::Target;
use serde_json::Value;
use std::collections::BTreeMap;

const GPT: &str = "zoo:gpt?layers=8&width=32&heads=4&hidden=64&seq=16&vocab=48&batch=64&loss=true&tied=false";

fn gpt() -> Program {
    partita::load(GPT).unwrap()
}

/// Returns the flags of a script with their values.
fn flags(script: &str) -> BTreeMap<String, String> {
    let words = script.split("pretrain_gpt.py").nth(1).unwrap().replace('\\', " ");
    let mut flags: BTreeMap<String, String> = BTreeMap::new();
    for part in words.split(" --").skip(1) {
        let (flag, value) = part.split_once(' ').unwrap_or((part, ""));
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flags.insert(flag.trim().to_owned(), value).is_none(), "`{flag}` is given twice");
    }
    flags
}

#[test]
fn flags_of_megatron() {
    let toml = "mesh = { data = 2, context = 2, model = 2 }\nmap = 'data, context, model'\npipeline = 'tokens positions \
                blocks.0 blocks.1 | blocks.2 blocks.3 | blocks.4 blocks.5 | blocks.6 blocks.7 norm head'\n\
                schedule = 'interleaved?chunks=2'\nmicrobatches = 8\nremat = 'selective'\nprecision = 'bf16'\n\
                presets = 'data, megatron, sequence, context?attention=ring, zero1'\n\
                train = 'adamw?lr=3e-4&warmup=100&schedule=cosine&steps=1000&end=0.1&clip=1&decay=0.1'";
    let text = exported(&gpt(), toml, Target::Megatron).text;
    let flags = flags(&text);
    let expected = [
        ("tensor-model-parallel-size", "2"),
        ("pipeline-model-parallel-size", "2"),
        ("context-parallel-size", "2"),
        ("expert-model-parallel-size", "1"),
        ("num-layers-per-virtual-pipeline-stage", "2"),
        ("cp-comm-type", "p2p"),
        ("sequence-parallel", ""),
        ("use-distributed-optimizer", ""),
        ("recompute-granularity", "selective"),
        ("bf16", ""),
        // 64 examples for 2 replicas in 8 micro-batches.
        ("micro-batch-size", "4"),
        ("global-batch-size", "64"),
        ("num-layers", "8"),
        ("num-attention-heads", "4"),
        ("lr", "0.0003"),
        ("min-lr", "0.00003"),
        ("lr-decay-style", "cosine"),
        ("lr-warmup-iters", "100"),
        ("lr-decay-iters", "1000"),
        ("train-iters", "1000"),
        ("clip-grad", "1.0"),
        ("weight-decay", "0.1"),
    ];
    for (flag, value) in expected {
        let found = flags.get(flag).unwrap_or_else(|| panic!("no `--{flag}`\n{text}"));
        let is_equal = found == value
            || found
                .parse::<f64>()
                .ok()
                .zip(value.parse().ok())
                .is_some_and(|(a, b): (f64, f64)| (a - b).abs() < 1e-12);
        assert!(is_equal, "`--{flag} {found}`, not {value}");
    }
    assert!(text.contains("torchrun --nproc-per-node 8 --nnodes 2"), "{text}");
    assert!(text.contains("\"${DATA_PATH:?prefix of the preprocessed data}\""), "{text}");
}

#[test]
fn file_of_torchtitan() {
    let toml = "mesh = { data = 2, shard = 2, model = 2 }\nmap = 'data, shard, model'\nmicrobatches = 4\n\
                pipeline = 'tokens positions blocks.0 blocks.1 blocks.2 blocks.3 | blocks.4 blocks.5 blocks.6 blocks.7 norm head'\n\
                presets = 'data, megatron, sequence, zero3'\nremat = 'full'\nprecision = 'bf16'\n\
                train = 'adamw?lr=3e-4&schedule=linear&steps=1000&warmup=10'";
    let text = exported(&gpt(), toml, Target::Torchtitan).text;
    let file: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let parallelism = file["parallelism"].as_table().unwrap();
    let number = |key: &str| parallelism[key].as_integer().unwrap();
    assert_eq!(number("data_parallel_replicate_degree"), 2);
    assert_eq!(number("data_parallel_shard_degree"), 2);
    assert_eq!(number("tensor_parallel_degree"), 2);
    assert_eq!(number("pipeline_parallel_degree"), 2);
    assert_eq!(number("context_parallel_degree"), 1);
    // 64 examples for 4 replicas in 4 micro-batches.
    assert_eq!(number("pipeline_parallel_microbatch_size"), 4);
    assert_eq!(parallelism["pipeline_parallel_schedule"].as_str(), Some("1F1B"));
    assert_eq!(parallelism["fsdp_reshard_after_forward"].as_str(), Some("always"));
    let parts = parallelism["module_fqns_per_model_part"].as_array().unwrap();
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[0].as_array().unwrap().len(), 5, "{text}");
    assert_eq!(file["training"]["local_batch_size"].as_integer(), Some(16));
    assert_eq!(file["training"]["global_batch_size"].as_integer(), Some(64));
    assert_eq!(file["training"]["mixed_precision_param"].as_str(), Some("bfloat16"));
    assert_eq!(file["activation_checkpoint"]["mode"].as_str(), Some("full"));
    assert_eq!(file["lr_scheduler"]["warmup_steps"].as_integer(), Some(10));
    assert_eq!(file["optimizer"]["lr"].as_float(), Some(3e-4));
}

#[test]
fn file_of_deepspeed() {
    let toml = "mesh = { data = 4 }\npresets = 'data, zero2'\nprecision = 'f16'\nremat = 'full'\n\
                train = 'adamw?lr=1e-3&accumulate=4&clip=0.5&warmup=10'";
    let text = exported(&gpt(), toml, Target::Deepspeed).text;
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["zero_optimization"]["stage"], 2);
    assert_eq!(file["gradient_accumulation_steps"], 4);
    assert_eq!(file["train_micro_batch_size_per_gpu"], 4);
    assert_eq!(file["train_batch_size"], 64);
    assert_eq!(file["fp16"]["enabled"], true);
    assert_eq!(file["gradient_clipping"], 0.5);
    assert_eq!(file["optimizer"]["type"], "AdamW");
    assert_eq!(file["scheduler"]["params"]["warmup_num_steps"], 10);
    let comments = file["comment"].to_string();
    assert!(comments.contains("deepspeed.checkpointing.checkpoint"), "{comments}");
}

#[test]
fn file_of_nanotron() {
    let toml = "mesh = { data = 4, model = 2 }\nmap = 'data, model'\npresets = 'data, megatron, sequence, zero1'\n\
                precision = 'bf16'\ntrain = 'adamw?lr=1e-3&accumulate=4&clip=1'";
    let text = exported(&gpt(), toml, Target::Nanotron).text;
    for line in [
        "  dp: 4",
        "  pp: 1",
        "  tp: 2",
        "  pp_engine: 1f1b",
        "  tp_mode: REDUCE_SCATTER",
        "  micro_batch_size: 4",
        "  batch_accumulation_per_replica: 4",
        "  dtype: bfloat16",
        "  zero_stage: 1",
        "  clip_grad: 1.0",
        "    learning_rate: 0.001",
        "    min_decay_lr: 0.001",
    ] {
        assert!(text.lines().any(|one| one == line), "no `{line}`\n{text}");
    }
}

/// A step of JAX whose random key is annotated as whole, on a mesh without axes.
const WITH_KEY: &str = r#"module @jit_step {
  sdy.mesh @empty_mesh = <[]>
  func.func public @main(%arg0: tensor<8x8xf32>, %arg1: tensor<2xui32>, %arg2: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<2xui32>) {
    %0 = sdy.sharding_constraint %arg1 <@empty_mesh, [{}]> : tensor<2xui32>
    %1 = stablehlo.add %0, %0 : tensor<2xui32>
    %2 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.dot_general %arg2, %2, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %4 = stablehlo.subtract %arg0, %3 : tensor<8x8xf32>
    return %4, %1 : tensor<8x8xf32>, tensor<2xui32>
  }
}
"#;

#[test]
fn annotations_of_random_keys_are_no_layouts_of_parameters() {
    let program = partita_stablehlo::import("step", WITH_KEY).unwrap();
    let text = exported(&program, "mesh = { data = 2 }\npresets = 'data'", Target::Deepspeed).text;
    assert!(serde_json::from_str::<Value>(&text).is_ok_and(|value| value.is_object()), "{text}");
}
