//! Megatron-LM: a shell script that starts `pretrain_gpt.py`. Shell variables without a default name what the user
//! fills in.

use super::launch_settings::{LaunchSettings, number};
use super::{Subject, comments};
use partita_ir::plan::train::{LossScaling, Optimizer, RateSchedule, TrainConfig};

/// Maximum number of devices of a node, for the number of processes that the script starts.
const DEVICES_PER_NODE: usize = 8;

/// Returns the script.
pub(super) fn emit(subject: &Subject<'_>) -> String {
    let settings = LaunchSettings::new(subject);
    let per_node = (1..=DEVICES_PER_NODE).rev().find(|count| settings.devices.is_multiple_of(*count)).unwrap_or(1);
    let nodes = settings.devices / per_node;
    let mut head = subject.head();
    head.push(String::new());
    head.push(format!(
        "Start it on each of {nodes} nodes with {per_node} devices, in a checkout of Megatron-LM. The shell names each"
    ));
    head.push("variable that is not set.".to_owned());
    let mut launch = format!("torchrun --nproc-per-node {per_node}");
    if nodes > 1 {
        launch += &format!(
            " --nnodes {nodes} \\\n    --node-rank \"${{NODE_RANK:?number of this node}}\" \\\n    \
             --master-addr \"${{MASTER_ADDR:?address of the first node}}\" --master-port \"${{MASTER_PORT:-29500}}\""
        );
    }
    let mut flags = parallelism(&settings);
    flags.extend(batch(&settings));
    flags.extend(model(&settings));
    match &settings.train {
        Some(train) => flags.extend(training(train, &settings)),
        None => flags.extend([
            "--lr \"${LR:?learning rate}\"".to_owned(),
            "--train-iters \"${TRAIN_ITERS:?number of steps}\"".to_owned(),
        ]),
    }
    flags.extend([
        "--tokenizer-type \"${TOKENIZER_TYPE:?such as HuggingFaceTokenizer}\"".to_owned(),
        "--tokenizer-model \"${TOKENIZER_MODEL:?name or file of the tokenizer}\"".to_owned(),
        "--data-path \"${DATA_PATH:?prefix of the preprocessed data}\"".to_owned(),
    ]);
    let flags: String = flags.iter().map(|flag| format!(" \\\n    {flag}")).collect();
    format!("#!/bin/sh\n{}set -eu\n\n{launch} pretrain_gpt.py{flags}\n", comments(&head, "#"))
}

/// Returns the flags of parallelism, recomputation and communication.
fn parallelism(settings: &LaunchSettings) -> Vec<String> {
    let mut flags = vec![
        format!("--tensor-model-parallel-size {}", settings.model),
        format!("--pipeline-model-parallel-size {}", settings.stages),
        format!("--context-parallel-size {}", settings.context),
        format!("--expert-model-parallel-size {}", settings.expert),
    ];
    if settings.context > 1 {
        let kind = match settings.attention.as_str() {
            "gather" => "all_gather",
            "ulysses" => "a2a",
            _ => "p2p",
        };
        flags.push(format!("--cp-comm-type {kind}"));
    }
    if let Some(layers) = settings.layers.filter(|_| settings.stages > 1 && settings.chunks_per_stage > 1) {
        let chunk = layers / (settings.stages * settings.chunks_per_stage);
        flags.push(format!("--num-layers-per-virtual-pipeline-stage {chunk}"));
    }
    if settings.shards_sequence && settings.model > 1 {
        flags.push("--sequence-parallel".to_owned());
    }
    if settings.zero == 1 {
        flags.push("--use-distributed-optimizer".to_owned());
    }
    if settings.data > 1 {
        flags.push("--overlap-grad-reduce".to_owned());
        // The option counts elements of 4 bytes.
        flags.extend(settings.bucket.map(|bytes| format!("--ddp-bucket-size {}", bytes / 4)));
    }
    if !settings.overlap.is_empty() {
        flags.push("--tp-comm-overlap".to_owned());
        let has = |name: &str| settings.overlap.iter().any(|one| one == name);
        flags.extend((!has("all_gather")).then(|| "--disable-tp-comm-overlap-ag".to_owned()));
        flags.extend((!has("reduce_scatter")).then(|| "--disable-tp-comm-overlap-rs".to_owned()));
    }
    match settings.recompute.as_str() {
        "selective" => flags.push("--recompute-granularity selective".to_owned()),
        "full" => {
            flags.push("--recompute-granularity full --recompute-method uniform --recompute-num-layers 1".to_owned())
        }
        _ => {}
    }
    match settings.precision.as_str() {
        "bf16" => flags.push("--bf16".to_owned()),
        "f16" => flags.push("--fp16".to_owned()),
        _ => {}
    }
    flags
}

/// Returns the flags of the batch.
fn batch(settings: &LaunchSettings) -> [String; 2] {
    match settings.batch.zip(settings.micro_batch_size()) {
        Some((batch, micro)) => [format!("--micro-batch-size {micro}"), format!("--global-batch-size {batch}")],
        None => [
            "--micro-batch-size \"${MICRO_BATCH_SIZE:?examples of a micro-batch}\"".to_owned(),
            "--global-batch-size \"${GLOBAL_BATCH_SIZE:?examples of a step}\"".to_owned(),
        ],
    }
}

/// Returns the flags of the model.
fn model(settings: &LaunchSettings) -> Vec<String> {
    let known = |flag: &str, value: Option<usize>, variable: &str, about: &str| match value {
        Some(value) => format!("--{flag} {value}"),
        None => format!("--{flag} \"${{{variable}:?{about}}}\""),
    };
    vec![
        known("num-layers", settings.layers, "NUM_LAYERS", "number of layers"),
        known("num-attention-heads", settings.heads, "NUM_HEADS", "number of attention heads"),
        known("hidden-size", None, "HIDDEN_SIZE", "width of the model"),
        known("seq-length", None, "SEQ_LENGTH", "length of a sequence"),
        "--max-position-embeddings \"${SEQ_LENGTH}\"".to_owned(),
    ]
}

/// Returns the flags of training.
fn training(train: &TrainConfig, settings: &LaunchSettings) -> Vec<String> {
    let mut flags = match train.optimizer {
        Optimizer::Adam { beta1, beta2, eps } => vec![
            "--optimizer adam".to_owned(),
            format!("--adam-beta1 {} --adam-beta2 {} --adam-eps {}", number(beta1), number(beta2), number(eps)),
        ],
        Optimizer::Momentum { beta, nesterov: _ } => {
            vec![format!("--optimizer sgd --sgd-momentum {}", number(beta))]
        }
        Optimizer::Sgd => vec!["--optimizer sgd --sgd-momentum 0.0".to_owned()],
    };
    let rate = settings.rate(train);
    flags.push(format!("--lr {} --weight-decay {}", number(rate), number(train.decay)));
    let style = match train.schedule {
        RateSchedule::Constant => "constant",
        RateSchedule::Linear => "linear",
        RateSchedule::Cosine => "cosine",
    };
    let mut schedule = format!("--lr-decay-style {style} --lr-warmup-iters {}", train.warmup);
    if train.schedule != RateSchedule::Constant {
        schedule += &format!(" --lr-decay-iters {} --min-lr {}", train.steps, number(rate * train.end));
    }
    flags.push(schedule);
    // A limit of 0 disables clipping.
    flags.push(format!("--clip-grad {}", number(train.clip.unwrap_or(0.0))));
    match train.scaling {
        Some(LossScaling::Static(scale)) => flags.push(format!("--loss-scale {}", number(scale))),
        Some(LossScaling::None) if settings.precision == "f16" => flags.push("--loss-scale 1.0".to_owned()),
        None | Some(LossScaling::None | LossScaling::Dynamic) => {}
    }
    flags.push(match train.schedule {
        RateSchedule::Constant => "--train-iters \"${TRAIN_ITERS:?number of steps}\"".to_owned(),
        RateSchedule::Linear | RateSchedule::Cosine => format!("--train-iters {}", train.steps),
    });
    flags
}
