//! DeepSpeed: data parallelism, the stages of ZeRO and pipelines. Tensor parallelism belongs to the model, and its
//! automatic form replicates layers that `megatron` shards. Pipelines have the schedule 1F1B, and ZeRO stage 1 at most.

use super::optimizer::shared_obstacles;
use super::{Combination, Launcher};
use crate::target::Obstacle;
use partita_ir::plan::train::{RateSchedule, TrainConfig};
use partita_ir::schedule::ScheduleKind;

/// Options of the configuration file.
pub(in crate::target) const DEEPSPEED: Launcher = Launcher {
    name: "DeepSpeed",
    axes: &["data"],
    presets: &[("data", &["data"]), ("zero1", &["data"]), ("zero2", &["data"]), ("zero3", &["data"])],
    attention: &[],
    recompute: &["none", "full"],
    precisions: &["f32", "bf16", "f16"],
    overlaps: &[],
    has_bucket: true,
    schedule_obstacle: |kind| match kind {
        ScheduleKind::OneFOneB => None,
        ScheduleKind::Interleaved { .. }
        | ScheduleKind::Vanilla
        | ScheduleKind::Gpipe
        | ScheduleKind::ZbH1
        | ScheduleKind::ZbH2 => Some("the schedule of DeepSpeed is 1f1b"),
    },
    train_obstacles,
    combination_obstacles,
};

fn train_obstacles(config: &TrainConfig) -> Vec<String> {
    let schedule = match config.schedule {
        RateSchedule::Linear if config.end > 0.0 => {
            Some("the linear schedule of DeepSpeed ends at a learning rate of 0".to_owned())
        }
        RateSchedule::Linear | RateSchedule::Constant | RateSchedule::Cosine => None,
    };
    shared_obstacles(config).into_iter().chain(schedule).collect()
}

fn combination_obstacles(plan: &Combination<'_>) -> Vec<Obstacle> {
    let reason = "pipelines of DeepSpeed have ZeRO stage 1 at most";
    let stages = ["zero2", "zero3"].into_iter().filter(|_| plan.stages > 1);
    stages.filter_map(|name| plan.preset_obstacle(name, reason, "zero1")).collect()
}
