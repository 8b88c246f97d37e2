//! Obstacles in the meshes of a plan, their order on the machine, and the division of the batch.

use super::Launcher;
use crate::target::{Obstacle, TargetRules};
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::train::TrainConfig;

impl Launcher {
    /// Returns the obstacles in the meshes of a plan and their order on the machine.
    pub(super) fn mesh_obstacles(&self, rules: &TargetRules, plan: &Plan, config: &PipelineConfig) -> Vec<Obstacle> {
        let (name, axes) = (self.name, self.axes);
        let mut all = Vec::new();
        let Some(mesh) = &plan.mesh else { return all };
        let used = || mesh.axes.iter().filter(|axis| axis.size > 1);
        let place = |axis: &str| axes.iter().position(|known| *known == axis);
        let unknown = used().filter(|axis| place(&axis.name).is_none());
        all.extend(unknown.map(|axis| {
            let known = axes.iter().filter(|axis| **axis != "cp").copied().collect::<Vec<_>>().join(", ");
            let reason = format!("{name} has no axis `{}`; its axes are {known}", axis.name);
            Obstacle::of_key("mesh", &mesh.place, reason)
        }));
        if mesh.devices.is_some() {
            all.push(Obstacle::of_key("mesh", &mesh.place, format!("{name} numbers the devices in order")));
        }
        if plan.stage_meshes.iter().any(|other| other.axes != mesh.axes) {
            all.push(Obstacle::of_key("mesh", &mesh.place, "all stages have the same mesh"));
        }
        let order = match (&plan.map, plan.mesh_axis_order()) {
            (Some(_), Ok(order)) => order,
            _ => mesh.axes.iter().map(|axis| axis.name.clone()).collect(),
        };
        let places: Vec<usize> =
            order.iter().filter(|name| used().any(|axis| axis.name == **name)).filter_map(|name| place(name)).collect();
        if !places.is_sorted() {
            let (key, written) = plan.map.as_ref().map_or(("mesh", &mesh.place), |map| ("map", map));
            let known = axes.iter().filter(|axis| **axis != "cp").copied().collect::<Vec<_>>().join(", ");
            let reason = format!("on the machine, the axes have the order {known}");
            all.push(Obstacle::of_key(key, written, reason));
        }
        if let Some(axis) = used().find(|axis| axis.name == "model")
            && let Some(heads) = rules.heads.iter().find(|heads| !heads.is_multiple_of(axis.size as usize))
        {
            let reason = format!("{heads} attention heads do not divide over `model` ({})", axis.size);
            all.push(Obstacle::of_key("mesh", &mesh.place, reason));
        }
        if let Some((batch, parts)) = rules.batch.zip(batch_parts(plan, config))
            && !(batch as u64).is_multiple_of(parts)
        {
            let reason = format!("a batch of {batch} does not divide into {parts} equal micro-batches of all replicas");
            all.push(Obstacle::of_key("mesh", &mesh.place, reason));
        }
        all
    }
}

/// Returns the number of micro-batches of all data-parallel replicas. `None` if the plan leaves it open.
fn batch_parts(plan: &Plan, config: &PipelineConfig) -> Option<u64> {
    let axes = plan.mesh.iter().flat_map(|mesh| &mesh.axes);
    let replicas: u64 = axes
        .filter(|axis| ["data", "shard", "expert"].contains(&axis.name.as_str()))
        .map(|axis| u64::from(axis.size))
        .product();
    let accumulated = plan.train.as_ref().and_then(|train| Some(TrainConfig::parse(train).ok()?.accumulate));
    let micro_batches = match (&plan.micro_batches, config.micro_batches) {
        (Some(_), None) => return None,
        (_, Some(count)) => count,
        (None, None) if config.cuts.count() > 1 => return None,
        (None, None) => config.replicas as u64 * accumulated.unwrap_or(1),
    };
    replicas.checked_mul(micro_batches)
}
