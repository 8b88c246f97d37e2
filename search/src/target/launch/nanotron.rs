//! nanotron: data, tensor and pipeline parallelism, the schedules GPipe (all forward, all backward) and 1F1B, and
//! `zero1`. It recomputes nothing.

use super::Launcher;
use super::optimizer::{adam_only, no_scaling, shared_obstacles};
use partita_ir::schedule::ScheduleKind;

/// Options of the configuration file.
pub(in crate::target) const NANOTRON: Launcher = Launcher {
    name: "nanotron",
    axes: &["data", "model"],
    presets: &[("data", &["data"]), ("megatron", &["model"]), ("sequence", &["model"]), ("zero1", &["data"])],
    attention: &[],
    recompute: &["none"],
    precisions: &["f32", "bf16"],
    overlaps: &["all_gather,reduce_scatter"],
    has_bucket: true,
    schedule_obstacle: |kind| match kind {
        ScheduleKind::Gpipe | ScheduleKind::OneFOneB => None,
        ScheduleKind::Interleaved { .. } | ScheduleKind::Vanilla | ScheduleKind::ZbH1 | ScheduleKind::ZbH2 => {
            Some("the schedules of nanotron are gpipe and 1f1b")
        }
    },
    train_obstacles: |config| {
        let name = "nanotron";
        let own = [adam_only(name, config), no_scaling(name, config)].into_iter().flatten();
        shared_obstacles(config).into_iter().chain(own).collect()
    },
    combination_obstacles: |_| Vec::new(),
};
