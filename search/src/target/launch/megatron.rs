//! Megatron-LM: data, expert, context, tensor and pipeline parallelism, and the schedules 1F1B and interleaved 1F1B.
//! Its distributed optimizer is `zero1`.
//!
//! The devices of a tensor-parallel group are adjacent, then those of context, expert and data parallelism; stages are
//! outermost.

use super::Launcher;
use super::optimizer::shared_obstacles;
use partita_ir::plan::train::{Optimizer, TrainConfig};
use partita_ir::schedule::ScheduleKind;

/// Options of `pretrain_gpt.py`.
pub(in crate::target) const MEGATRON: Launcher = Launcher {
    name: "Megatron-LM",
    axes: &["data", "expert", "context", "cp", "model"],
    presets: &[
        ("data", &["data"]),
        ("megatron", &["model"]),
        ("sequence", &["model"]),
        ("context", &["context", "cp"]),
        ("expert", &["expert", "data"]),
        ("zero1", &["data"]),
    ],
    attention: &["ring", "gather", "ulysses"],
    recompute: &["none", "selective", "full"],
    precisions: &["f32", "bf16", "f16"],
    overlaps: &["all_gather", "all_gather,reduce_scatter", "reduce_scatter"],
    has_bucket: true,
    schedule_obstacle,
    train_obstacles,
    combination_obstacles: |_| Vec::new(),
};

fn schedule_obstacle(kind: ScheduleKind) -> Option<&'static str> {
    match kind {
        ScheduleKind::OneFOneB => None,
        ScheduleKind::Interleaved { chunks } if chunks > 1 => None,
        ScheduleKind::Interleaved { .. }
        | ScheduleKind::Vanilla
        | ScheduleKind::Gpipe
        | ScheduleKind::ZbH1
        | ScheduleKind::ZbH2 => Some("the schedules of Megatron-LM are 1f1b and interleaved with several chunks"),
    }
}

fn train_obstacles(config: &TrainConfig) -> Vec<String> {
    let nesterov = match config.optimizer {
        Optimizer::Momentum { nesterov: true, .. } => Some("Megatron-LM has no Nesterov momentum".to_owned()),
        Optimizer::Sgd | Optimizer::Momentum { .. } | Optimizer::Adam { .. } => None,
    };
    shared_obstacles(config).into_iter().chain(nesterov).collect()
}
