//! PyTorch: a `DeviceMesh`, and a DTensor placement for each mesh axis: `Shard(dim)`, `Replicate` or `Partial`. Several
//! axes shard one dimension in the order of the mesh, except for parameters that `fully_shard` gathers: it splits the
//! shards of all other axes. Shards may be uneven, but `fully_shard` pads dimension 0 only.
//!
//! Optimizer state has the placements of its parameter. Stage 3 of ZeRO is `fully_shard`, which stores parameters in
//! shards as well; stages 1 and 2 have no equivalent.
//!
//! Pipelines have the same mesh in each stage. `torch.distributed.pipelining` has these schedules:
//!
//! | schedule of a plan | class |
//! |---|---|
//! | `gpipe` | `ScheduleGPipe` |
//! | `1f1b` | `Schedule1F1B` |
//! | `interleaved` | `ScheduleInterleaved1F1B` |
//! | `vanilla`, `zb-h1`, `zb-h2` | none: `ScheduleZBVZeroBubble` has two chunks per stage, placed in a V |

use super::{Obstacle, axis_name, sub_axis_obstacle};
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, divides};
use partita_ir::mesh::{DeviceMesh, shard_count};
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::schedule::ScheduleKind;
use partita_passes::planning::presets::{DATA_AXES, written_presets};

/// Returns the settings of a plan that PyTorch cannot express.
pub(super) fn plan_obstacles(plan: &Plan, config: &PipelineConfig) -> Vec<Obstacle> {
    let mut all = Vec::new();
    if let Some(mesh) = config.meshes.iter().find(|mesh| mesh.axes != config.meshes[0].axes) {
        let reason = "the stages of a `DeviceMesh` have equal meshes";
        all.push(Obstacle::of_key("mesh", &mesh.place, reason));
    }
    if let Some(shares) = config.shares.as_ref().filter(|shares| shares.iter().any(|share| *share != shares[0])) {
        let reason = format!("replicas have equal numbers of micro-batches, not {shares:?}");
        all.extend(plan.micro_batches.iter().map(|written| Obstacle::of_key("microbatches", written, reason.clone())));
    }
    let state = written_presets(plan).filter(|preset| STATE_PRESETS.contains(&preset.name));
    let reason = "optimizer state has the placements of its parameter";
    all.extend(state.map(|preset| Obstacle::of_preset(&preset, reason, "zero3")));
    if config.cuts.count() > 1 {
        let reason = schedule_obstacle(config.kind).or_else(|| round_obstacle(config));
        let written = plan.schedule.as_ref().zip(reason);
        all.extend(written.map(|(written, reason)| Obstacle::of_key("schedule", written, reason)));
    }
    all
}

/// Returns the reason why `torch.distributed.pipelining` has no such schedule.
pub(super) fn schedule_obstacle(kind: ScheduleKind) -> Option<String> {
    match kind {
        ScheduleKind::Gpipe | ScheduleKind::OneFOneB => None,
        ScheduleKind::Interleaved { chunks } if chunks > 1 => None,
        ScheduleKind::Interleaved { .. } => Some("`ScheduleInterleaved1F1B` has several chunks per stage".into()),
        ScheduleKind::Vanilla | ScheduleKind::ZbH1 | ScheduleKind::ZbH2 => {
            Some("`torch.distributed.pipelining` has no such schedule; it has GPipe, 1F1B and interleaved 1F1B".into())
        }
    }
}

/// Returns the reason why `ScheduleInterleaved1F1B` cannot have this number of micro-batches: they must divide into
/// rounds of at least as many micro-batches as stages.
fn round_obstacle(config: &PipelineConfig) -> Option<String> {
    let (stages, count) = (config.cuts.count() as u64, config.micro_batches?);
    let rounds = (count / stages).max(1);
    let is_uneven = config.kind.chunks_per_stage() > 1 && !count.is_multiple_of(rounds);
    is_uneven.then(|| format!("{count} micro-batches do not divide into {rounds} rounds of {stages} stages"))
}

/// Returns true if a plan stores parameters in shards and gathers them for use, as `fully_shard` does.
pub(super) fn gathers_parameters(plan: &Plan) -> bool {
    !plan.stores.is_empty() || written_presets(plan).any(|preset| preset.is_named("zero3"))
}

/// Returns true if compositions can have a stage of ZeRO, or any axis.
pub(super) fn has_name(name: &str) -> bool {
    !STATE_PRESETS.contains(&name)
}

/// Presets that shard optimizer state in another way than its parameters.
const STATE_PRESETS: [&str; 2] = ["zero1", "zero2"];

/// Returns the layout of a parameter that `fully_shard` gathers, with the axes of each dimension in the order of the
/// mesh if the last one shards the batch: `fully_shard` splits the shards of all other axes.
pub(super) fn gathered_layout(layout: &Layout, mesh: &DeviceMesh) -> Layout {
    let mut sorted = layout.clone();
    for dim in &mut sorted.dims {
        if dim.axes.last().is_some_and(|axis| DATA_AXES.contains(&axis_name(*axis, mesh))) {
            dim.axes.sort_by_key(|axis| axis.axis);
        }
    }
    sorted
}

/// Returns the reason why a DTensor cannot have a layout.
pub(super) fn value_obstacle(ty: &Type, layout: &Layout, mesh: &DeviceMesh, is_gathered: bool) -> Option<String> {
    if let Some(reason) = sub_axis_obstacle(layout, mesh) {
        return Some(reason);
    }
    for (dim, (size, at)) in ty.shape.iter().zip(&layout.dims).enumerate() {
        if let Some(pair) = at.axes.windows(2).find(|pair| pair[0].axis > pair[1].axis) {
            let [major, minor] = [pair[0], pair[1]].map(|axis| axis_name(axis, mesh));
            return Some(format!(
                "dimension {dim} is split by `{major}` before `{minor}`, which is not the order of the mesh"
            ));
        }
        if dim > 0 && is_gathered && !divides(*size, &at.axes) {
            let shards = shard_count(&at.axes);
            return Some(format!(
                "dimension {dim} ({size}) does not divide into {shards} shards, and `fully_shard` pads dimension 0 only"
            ));
        }
    }
    None
}
