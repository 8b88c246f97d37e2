//! torchtitan: replicated and sharded data parallelism (`fully_shard`), context, tensor and pipeline parallelism.
//! Tensor parallelism always includes `sequence`. `zero2` and `zero3` shard parameters over `shard`, or over `data` if
//! the mesh has no such axis; without them, data parallelism combines with no other one.

use super::optimizer::{adam_only, no_scaling, shared_obstacles};
use super::{Combination, Launcher};
use crate::target::Obstacle;
use partita_ir::schedule::ScheduleKind;

/// Options of the configuration file of a job.
pub(in crate::target) const TORCHTITAN: Launcher = Launcher {
    name: "torchtitan",
    axes: &["data", "shard", "context", "cp", "model"],
    presets: &[
        ("data", &["data", "shard"]),
        ("megatron", &["model"]),
        ("sequence", &["model"]),
        ("context", &["context", "cp"]),
        ("zero2", &["data", "shard"]),
        ("zero3", &["data", "shard"]),
    ],
    attention: &["ring", "gather"],
    recompute: &["none", "alternate", "full"],
    precisions: &["f32", "bf16"],
    overlaps: &["all_gather,reduce_scatter"],
    has_bucket: false,
    schedule_obstacle,
    train_obstacles: |config| {
        let name = "torchtitan";
        let own = [adam_only(name, config), no_scaling(name, config)].into_iter().flatten();
        shared_obstacles(config).into_iter().chain(own).collect()
    },
    combination_obstacles,
};

fn schedule_obstacle(kind: ScheduleKind) -> Option<&'static str> {
    match kind {
        ScheduleKind::Gpipe | ScheduleKind::OneFOneB => None,
        ScheduleKind::Interleaved { chunks } if chunks > 1 => None,
        ScheduleKind::Interleaved { .. } | ScheduleKind::Vanilla | ScheduleKind::ZbH1 | ScheduleKind::ZbH2 => {
            Some("the schedules of torchtitan with an equivalent are gpipe, 1f1b and interleaved with several chunks")
        }
    }
}

fn combination_obstacles(plan: &Combination<'_>) -> Vec<Obstacle> {
    let mut all = Vec::new();
    if plan.has("megatron") && !plan.has("sequence") {
        let reason = "tensor parallelism of torchtitan includes sequence parallelism";
        all.extend(plan.preset_obstacle("megatron", reason, "megatron, sequence"));
    }
    let shards_state = plan.has("zero2") || plan.has("zero3");
    let others = plan.size("model") * plan.size("context") * plan.size("cp") > 1 || plan.stages > 1;
    if plan.size("data") * plan.size("shard") > 1 && !shards_state && others {
        let reason = "torchtitan combines replicated parameters with no other parallelism; add zero2 or zero3";
        all.extend(plan.preset_obstacle("data", reason, "data, zero2"));
    }
    if plan.size("shard") > 1 && plan.presets.iter().any(|preset| preset.option == "axis=data") {
        let reason = "torchtitan shards parameters over `shard` if the mesh has this axis";
        let sharding = [("zero2", "zero2?axis=shard"), ("zero3", "zero3?axis=shard")];
        all.extend(sharding.iter().filter_map(|(name, instead)| plan.preset_obstacle(name, reason, instead)));
    }
    all
}
