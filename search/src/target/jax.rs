//! JAX: one jitted function on a `Mesh` with named axes, and a `PartitionSpec` for each argument and result. A spec has
//! the axes of each dimension, in any order. Arguments and results have shards of equal size and no partial sums.
//! Recomputation is `jax.checkpoint`.

use super::{Obstacle, axis_name, sub_axis_obstacle};
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, divides};
use partita_ir::mesh::{DeviceMesh, shard_count};
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::PipelineConfig;

/// Returns the settings of a plan that a jitted function cannot have.
pub(super) fn plan_obstacles(plan: &Plan, config: &PipelineConfig) -> Vec<Obstacle> {
    let stages = plan.pipeline.as_ref().filter(|_| config.cuts.count() > 1);
    let stages = stages.map(|written| ("pipeline", written, "a jitted function has no pipeline stages"));
    let replicas = plan.replicas.as_ref().or(plan.micro_batches.as_ref()).filter(|_| config.replicas > 1);
    let replicas = replicas.map(|written| ("replicas", written, "a jitted function has no replicas of a pipeline"));
    let all = stages.into_iter().chain(replicas);
    all.map(|(key, written, reason)| Obstacle::of_key(key, written, reason)).collect()
}

/// Returns the reason why an argument or result of a jitted function cannot have a layout.
pub(super) fn value_obstacle(ty: &Type, layout: &Layout, mesh: &DeviceMesh) -> Option<String> {
    if let Some(reason) = sub_axis_obstacle(layout, mesh) {
        return Some(reason);
    }
    if let Some((axis, _)) = layout.partial.first() {
        let name = axis_name(*axis, mesh);
        return Some(format!("arguments and results of a jitted function are not partial over `{name}`"));
    }
    let sizes = ty.shape.iter().zip(&layout.dims).enumerate();
    let (dim, (size, at)) = sizes.into_iter().find(|(_, (size, at))| !divides(**size, &at.axes))?;
    let shards = shard_count(&at.axes);
    Some(format!("dimension {dim} ({size}) does not divide into {shards} shards, which jit requires"))
}
