//! Transformers: `tp_plan` maps a module to its style of tensor parallelism over one mesh axis: `colwise`, `rowwise`
//! and their variants for embeddings. Other axes are replicas, which shard the batch only.

use super::modules::{Module, ModuleKind};
use super::obstacle::{Obstacle, ObstacleSite};
use super::{TargetRules, axis_name, sub_axis_obstacle};
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, divides};
use partita_ir::mesh::{AxisRef, DeviceMesh, shard_count};
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::{Plan, layout_text};
use partita_passes::planning::presets::written_presets;

/// Mesh axis of tensor parallelism.
const AXIS: &str = "model";

/// Presets with an equivalent.
const PRESETS: [&str; 2] = ["data", "megatron"];

/// Returns true for an axis that plans can have, and for no ZeRO.
pub(super) fn has_name(name: &str) -> bool {
    ["data", AXIS, "none"].contains(&name)
}

/// Returns the settings of a plan that a `tp_plan` cannot express.
pub(super) fn plan_obstacles(plan: &Plan, config: &PipelineConfig) -> Vec<Obstacle> {
    let mut all = Vec::new();
    let stages = plan.pipeline.iter().filter(|_| config.cuts.count() > 1);
    all.extend(stages.map(|written| Obstacle::of_key("pipeline", written, "a `tp_plan` has no pipeline stages")));
    let replicas = plan.replicas.as_ref().or(plan.micro_batches.as_ref()).filter(|_| config.replicas > 1);
    all.extend(replicas.map(|written| Obstacle::of_key("replicas", written, "a `tp_plan` has no pipelines")));
    let devices = plan.mesh.iter().filter(|mesh| mesh.devices.is_some());
    let in_order = "the processes are numbered in order";
    all.extend(devices.map(|mesh| Obstacle::of_key("mesh", &mesh.place, in_order)));
    let presets = written_presets(plan).filter(|preset| !PRESETS.contains(&preset.name));
    all.extend(presets.map(|preset| {
        let instead = if preset.is_named("mesh") { "data, megatron" } else { "" };
        Obstacle::of_preset(&preset, "the presets with an equivalent are data and megatron", instead)
    }));
    let stored = "parameters are stored as they are used";
    all.extend(plan.stores.iter().map(|entry| Obstacle::of_entry("store", entry, stored)));
    all.extend(plan.hold.iter().map(|path| Obstacle::of_key("hold", path, stored)));
    let fixed = "styles of modules determine their collectives";
    all.extend(plan.overlap.iter().map(|written| Obstacle::of_key("overlap", written, fixed)));
    all.extend(plan.attention.iter().map(|entry| Obstacle::of_entry("attention", entry, fixed)));
    all
}

/// Returns the reason why no style of a module has a layout.
pub(super) fn value_obstacle(ty: &Type, layout: &Layout, mesh: &DeviceMesh) -> Option<String> {
    if let Some(reason) = sub_axis_obstacle(layout, mesh) {
        return Some(reason);
    }
    for (dim, (size, at)) in ty.shape.iter().zip(&layout.dims).enumerate() {
        if tensor_axes(&at.axes, mesh).next().is_some() && !divides(*size, &at.axes) {
            let shards = shard_count(&at.axes);
            return Some(format!("dimension {dim} ({size}) does not divide into {shards} shards"));
        }
    }
    None
}

/// Returns the reason why a parameter, optimizer state or input cannot have a layout.
pub(super) fn module_obstacle(rules: &TargetRules, name: &str, layout: &Layout, mesh: &DeviceMesh) -> Option<String> {
    let is_own = |one: &&Module, path: &str| one.weight == path || one.bias.as_deref() == Some(path);
    let of_param = |path: &str| rules.modules().iter().find(|one| is_own(one, path));
    let param = name.strip_prefix("optimizer.").and_then(|rest| Some(rest.split_once('.')?.1)).unwrap_or(name);
    let Some(module) = of_param(param) else {
        let mut sharded = layout.split_axes().filter(|axis| axis_name(*axis, mesh) == AXIS);
        return sharded.next().map(|_| format!("only linear and embedding layers are sharded over `{AXIS}`"));
    };
    let other = layout.split_axes().find(|axis| axis_name(*axis, mesh) != AXIS);
    if let Some(axis) = other {
        return Some(format!("parameters are sharded over `{AXIS}` only, not over `{}`", axis_name(axis, mesh)));
    }
    let is_split = layout.dims.iter().filter(|dim| !dim.axes.is_empty()).count() > 1;
    is_split.then(|| format!("`{}` has one style, which shards one dimension", module_name(module)))
}

/// Returns an obstacle if the style of a layer shards its bias in another way than the plan: that of a column-wise
/// layer has the shards of the output features, and any other one is replicated.
pub(super) fn bias_obstacle(
    module: &Module,
    weight: &Layout,
    (path, bias): (&str, &Layout),
    mesh: &DeviceMesh,
) -> Option<Obstacle> {
    let (axes, own) = (&weight.dims.get(module.output_dim)?.axes, &bias.dims.first()?.axes);
    if axes == own {
        return None;
    }
    let mut nearest = Layout::replicated(bias.mesh, bias.dims.len());
    nearest.dims[0].axes.clone_from(axes);
    let [own, nearest] = [bias, &nearest].map(|layout| layout_text(layout, mesh));
    let reason = format!("the style of `{}` shards it as `{nearest}`", module.path);
    let site = ObstacleSite::Value(path.to_owned(), nearest);
    Some(Obstacle { site, ..Obstacle::of_part(format!("`{path}` with the layout `{own}`"), reason) })
}

/// Returns the axes of tensor parallelism.
fn tensor_axes<'a>(axes: &'a [AxisRef], mesh: &'a DeviceMesh) -> impl Iterator<Item = AxisRef> + 'a {
    axes.iter().copied().filter(|axis| axis_name(*axis, mesh) == AXIS)
}

fn module_name(module: &Module) -> String {
    let kind = match module.kind {
        ModuleKind::Linear => "linear layer",
        ModuleKind::Embedding => "embedding",
    };
    format!("{kind} {}", module.path)
}
