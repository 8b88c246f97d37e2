//! nanotron: the configuration file, in YAML. Values between `<` and `>` are those that the user fills in.

use super::launch_settings::{LaunchSettings, number};
use super::{Subject, comments};
use partita_ir::plan::train::{Optimizer, RateSchedule, TrainConfig};
use partita_ir::schedule::ScheduleKind;

/// Returns the file.
pub(super) fn emit(subject: &Subject<'_>) -> String {
    let settings = LaunchSettings::new(subject);
    let mut head = subject.head();
    head.push(String::new());
    head.push(format!(
        "Start it on {} devices: `torchrun ... run_train.py --config-file FILE`. Fill in values between `<`",
        settings.devices
    ));
    head.push(
        "and `>`. The file has the sections that depend on the plan: add `general`, `checkpoints`, `data`,".to_owned(),
    );
    head.push("`tokenizer` and `model.model_config`.".to_owned());
    let engine = match settings.schedule {
        ScheduleKind::Gpipe => "afab",
        ScheduleKind::OneFOneB
        | ScheduleKind::Interleaved { .. }
        | ScheduleKind::Vanilla
        | ScheduleKind::ZbH1
        | ScheduleKind::ZbH2 => "1f1b",
    };
    let mode = if settings.shards_sequence { "REDUCE_SCATTER" } else { "ALL_REDUCE" };
    let mut text = comments(&head, "#");
    text += &format!(
        "parallelism:\n  dp: {}\n  pp: {}\n  tp: {}\n  pp_engine: {engine}\n  tp_mode: {mode}\n  \
         tp_linear_async_communication: {}\n  expert_parallel_size: 1\n",
        settings.data,
        settings.stages,
        settings.model,
        !settings.overlap.is_empty(),
    );
    let size = |value: Option<u64>| value.map_or("<examples of a micro-batch>".to_owned(), |size| size.to_string());
    let train = settings.train.as_ref();
    let steps = train.filter(|train| train.schedule != RateSchedule::Constant).map(|train| train.steps.to_string());
    text += &format!(
        "tokens:\n  sequence_length: <length of a sequence>\n  train_steps: {}\n  micro_batch_size: {}\n  \
         batch_accumulation_per_replica: {}\n",
        steps.unwrap_or_else(|| "<number of steps>".to_owned()),
        size(settings.micro_batch_size()),
        settings.micro_batches,
    );
    let dtype = if settings.precision == "bf16" { "bfloat16" } else { "float32" };
    text += &format!("model:\n  dtype: {dtype}\n");
    if let Some(bytes) = settings.bucket {
        text += &format!("  ddp_bucket_cap_mb: {}\n", (bytes >> 20).max(1));
    }
    text += &format!("optimizer:\n  zero_stage: {}\n", settings.zero);
    if let Some(train) = train {
        text += &optimizer(train, &settings);
    } else {
        text += "  learning_rate_scheduler:\n    learning_rate: <learning rate>\n";
    }
    text
}

/// Returns the options of the optimizer and of its learning rate.
fn optimizer(train: &TrainConfig, settings: &LaunchSettings) -> String {
    let mut text = String::new();
    if let Optimizer::Adam { beta1, beta2, eps } = train.optimizer {
        let [beta1, beta2, eps] = [beta1, beta2, eps].map(number);
        text += &format!(
            "  adam_beta1: {beta1}\n  adam_beta2: {beta2}\n  adam_eps: {eps}\n  torch_adam_is_fused: true\n  \
             accumulate_grad_in_fp32: true\n"
        );
    }
    let (rate, clip) = (settings.rate(train), train.clip.map_or("null".to_owned(), number));
    text += &format!("  weight_decay: {}\n  clip_grad: {clip}\n", number(train.decay));
    // A constant rate is one that decays to itself.
    let (style, end) = match train.schedule {
        RateSchedule::Constant => ("linear", 1.0),
        RateSchedule::Linear => ("linear", train.end),
        RateSchedule::Cosine => ("cosine", train.end),
    };
    text += &format!(
        "  learning_rate_scheduler:\n    learning_rate: {}\n    lr_warmup_steps: {}\n    lr_warmup_style: linear\n    \
         lr_decay_style: {style}\n    min_decay_lr: {}\n",
        number(rate),
        train.warmup,
        number(rate * end),
    );
    text
}
