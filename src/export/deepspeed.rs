//! DeepSpeed: the configuration file, in JSON. The entry `comment` names what the user does in the script.

use super::Subject;
use super::launch_settings::LaunchSettings;
use partita_ir::plan::train::{LossScaling, Optimizer, RateSchedule, TrainConfig};
use serde_json::{Value, json};

/// Returns the file.
pub(super) fn emit(subject: &Subject<'_>) -> String {
    let settings = LaunchSettings::new(subject);
    let mut comment = subject.head();
    comment.push(format!("Start it on {} devices: `deepspeed SCRIPT --deepspeed_config FILE`.", settings.devices));
    let mut file = json!({
        "gradient_accumulation_steps": settings.micro_batches,
        "zero_optimization": { "stage": settings.zero },
        "bf16": { "enabled": settings.precision == "bf16" },
    });
    if let Some((batch, micro)) = settings.batch.zip(settings.micro_batch_size()) {
        file["train_batch_size"] = json!(batch);
        file["train_micro_batch_size_per_gpu"] = json!(micro);
    } else {
        comment.push("Set `train_micro_batch_size_per_gpu`: examples of a micro-batch of one device.".to_owned());
    }
    // The option counts elements of 4 bytes.
    if let Some(bytes) = settings.bucket.filter(|&bytes| bytes >= 4) {
        file["zero_optimization"]["reduce_bucket_size"] = json!(bytes / 4);
    }
    file["fp16"] = fp16(&settings);
    if settings.stages > 1 {
        let interval = u32::from(settings.recompute == "full");
        file["pipeline"] = json!({ "stages": settings.stages, "activation_checkpoint_interval": interval });
        comment.push(format!(
            "Pass the layers to `PipelineModule(layers, num_stages={}, partition_method=\"uniform\", \
             activation_checkpoint_interval={interval})`.",
            settings.stages
        ));
    } else if settings.recompute == "full" {
        comment.push("Call each layer by `deepspeed.checkpointing.checkpoint` to recompute it.".to_owned());
    }
    match &settings.train {
        Some(train) => training(&mut file, train, &settings),
        None => comment.push("Pass the optimizer to `deepspeed.initialize`.".to_owned()),
    }
    file["comment"] = json!(comment);
    format!("{file:#}\n")
}

/// Returns the section of half precision.
fn fp16(settings: &LaunchSettings) -> Value {
    let enabled = settings.precision == "f16";
    let scaling = settings.train.as_ref().and_then(|train| train.scaling);
    // A scale of 0 is dynamic.
    let scale = match scaling {
        Some(LossScaling::Static(scale)) => scale,
        Some(LossScaling::None) => 1.0,
        Some(LossScaling::Dynamic) | None => 0.0,
    };
    if enabled { json!({ "enabled": true, "loss_scale": scale }) } else { json!({ "enabled": false }) }
}

/// Adds the options of training.
fn training(file: &mut Value, train: &TrainConfig, settings: &LaunchSettings) {
    let rate = settings.rate(train);
    let (kind, params) = match train.optimizer {
        Optimizer::Adam { beta1, beta2, eps } => {
            ("AdamW", json!({ "lr": rate, "betas": [beta1, beta2], "eps": eps, "weight_decay": train.decay }))
        }
        Optimizer::Momentum { beta, nesterov } => {
            ("SGD", json!({ "lr": rate, "momentum": beta, "nesterov": nesterov, "weight_decay": train.decay }))
        }
        Optimizer::Sgd => ("SGD", json!({ "lr": rate, "weight_decay": train.decay })),
    };
    file["optimizer"] = json!({ "type": kind, "params": params });
    if kind == "SGD" && settings.zero > 0 {
        file["zero_allow_untested_optimizer"] = json!(true);
    }
    // A limit of 0 disables clipping.
    file["gradient_clipping"] = json!(train.clip.unwrap_or(0.0));
    let warmup = json!({
        "warmup_min_lr": 0.0, "warmup_max_lr": rate, "warmup_num_steps": train.warmup, "warmup_type": "linear",
    });
    let scheduler = match train.schedule {
        RateSchedule::Constant if train.warmup == 0 => return,
        RateSchedule::Constant => json!({ "type": "WarmupLR", "params": warmup }),
        RateSchedule::Linear => {
            let mut params = warmup;
            params["total_num_steps"] = json!(train.steps);
            json!({ "type": "WarmupDecayLR", "params": params })
        }
        RateSchedule::Cosine => json!({
            "type": "WarmupCosineLR",
            "params": {
                "total_num_steps": train.steps, "warmup_num_steps": train.warmup, "warmup_min_ratio": 0.0,
                "cos_min_ratio": train.end, "warmup_type": "linear",
            },
        }),
    };
    file["scheduler"] = scheduler;
}
