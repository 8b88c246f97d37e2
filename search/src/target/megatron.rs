//! Megatron-LM: one grid of data, expert, context, tensor and pipeline parallelism. All layers are equal and are laid
//! out by presets; stages have equal numbers of layers, in the schedule 1F1B or interleaved 1F1B. Megatron-LM's
//! distributed optimizer is `zero1`.
//!
//! The devices of a tensor-parallel group are adjacent, then those of context, expert and data parallelism; stages are
//! outermost.

use super::{Obstacle, TargetRules};
use partita_ir::pipeline::{Chunk, Pipeline};
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::{Plan, PlanEntry};
use partita_ir::program::Program;
use partita_ir::schedule::ScheduleKind;
use partita_passes::planning::name_dims::DimClasses;
use partita_passes::planning::presets::model::ModelStructure;
use partita_passes::planning::presets::{WrittenPreset, written_presets};
use std::collections::BTreeSet;

/// Names of mesh axes, from across nodes to within a node.
const AXES: [&str; 5] = ["data", "expert", "context", "cp", "model"];

/// Preset of the distributed optimizer.
const DISTRIBUTED_OPTIMIZER: &str = "zero1";

/// Presets, each with the axes that it uses.
const PRESETS: [(&str, &[&str]); 6] = [
    ("data", &["data"]),
    ("megatron", &["model"]),
    ("sequence", &["model"]),
    ("context", &["context", "cp"]),
    ("expert", &["expert", "data"]),
    (DISTRIBUTED_OPTIMIZER, &["data"]),
];

/// Levels of recomputation.
const RECOMPUTE: [&str; 3] = ["none", "selective", "full"];

/// Returns the numbers of heads of queries and keys of a step, in ascending order.
pub(super) fn heads(step: &Program, classes: &DimClasses) -> Vec<usize> {
    let model = ModelStructure::new(step, classes);
    let ops = step.model_ops();
    let attentions = ops.iter().map(|at| at.op).filter(|op| op.kind.class().attention().is_some());
    let heads = attentions.flat_map(|op| op.args.iter().take(2)).filter_map(|&value| {
        let shape = &step.ty(value).shape;
        let dim = shape.rank().checked_sub(3)?;
        // Heads of keys that serve several heads of queries are the smallest dimension of this kind.
        Some([shape[dim], model.min_size(model.stem(value, dim))])
    });
    let heads: BTreeSet<usize> = heads.flatten().filter(|&count| count > 1).collect();
    heads.into_iter().collect()
}

/// Returns true if Megatron-LM has an axis or a ZeRO stage of that name.
pub(super) fn has_name(name: &str) -> bool {
    AXES.contains(&name) || ["none", DISTRIBUTED_OPTIMIZER].contains(&name)
}

/// Returns true if Megatron-LM has a schedule.
pub(super) fn has_schedule(kind: ScheduleKind) -> bool {
    match kind {
        ScheduleKind::OneFOneB => true,
        ScheduleKind::Interleaved { chunks } => chunks > 1,
        ScheduleKind::Vanilla | ScheduleKind::Gpipe | ScheduleKind::ZbH1 | ScheduleKind::ZbH2 => false,
    }
}

/// Returns the settings of a plan that Megatron-LM cannot express.
pub(super) fn plan_obstacles(rules: &TargetRules, plan: &Plan, config: &PipelineConfig) -> Vec<Obstacle> {
    // All fields are listed, so that a new one is not forgotten.
    let Plan {
        shards,
        stores,
        rules: dimension_rules,
        attention,
        remat,
        precision,
        hold,
        mesh: _,
        stage_meshes: _,
        map: _,
        presets: _,
        pipeline: _,
        schedule: _,
        micro_batches: _,
        replicas: _,
        names: _,
        allow_reshard: _,
        no_padding: _,
        freeze: _,
        train_only: _,
        train: _,
        bucket: _,
        overlap: _,
        budget: _,
    } = plan;
    let mut all = mesh_obstacles(rules, plan);
    all.extend(preset_obstacles(plan));
    let entry = |entry: &PlanEntry, reason: &str| Obstacle {
        part: format!("`{} = {}`", entry.path.text.trim(), entry.text.text.trim()),
        reason: reason.to_owned(),
        span: Some(entry.text.span()),
    };
    let layouts = shards.iter().chain(stores);
    all.extend(layouts.map(|one| entry(one, "Megatron-LM has no layouts of single parameters")));
    all.extend(dimension_rules.iter().map(|rule| Obstacle::of_key("rules", rule, "Megatron-LM has presets only")));
    all.extend(hold.iter().map(|path| Obstacle::of_key("hold", path, "Megatron-LM gathers no single parameters")));
    let is_single = |one: &&PlanEntry| one.path.text.trim() != "**";
    for (entries, what) in [(attention, "exchange attention"), (remat, "recompute"), (precision, "compute in one type")]
    {
        let reason = format!("all layers {what} in the same way");
        all.extend(entries.iter().filter(is_single).map(|one| entry(one, &reason)));
    }
    let is_unknown = |one: &&PlanEntry| !is_single(one) && !RECOMPUTE.contains(&one.text.text.trim());
    let levels = "the levels of recomputation are none, selective and full";
    all.extend(remat.iter().filter(is_unknown).map(|one| entry(one, levels)));
    all.extend(pipeline_setting_obstacles(rules, plan, config));
    all
}

/// Returns the obstacles in the meshes of a plan and their order on the machine.
fn mesh_obstacles(rules: &TargetRules, plan: &Plan) -> Vec<Obstacle> {
    let mut all = Vec::new();
    let Some(mesh) = &plan.mesh else { return all };
    let used = || mesh.axes.iter().filter(|axis| axis.size > 1);
    let place = |axis: &str| AXES.iter().position(|known| *known == axis);
    let unknown = used().filter(|axis| place(&axis.name).is_none());
    all.extend(unknown.map(|axis| {
        let reason = format!("Megatron-LM has no axis `{}`; its axes are data, expert, context and model", axis.name);
        Obstacle::of_key("mesh", &mesh.place, reason)
    }));
    if mesh.devices.is_some() {
        all.push(Obstacle::of_key("mesh", &mesh.place, "Megatron-LM numbers the devices in order"));
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
        let reason = "on the machine, the axes have the order data, expert, context, model";
        all.push(Obstacle::of_key(key, written, reason));
    }
    if let Some(axis) = used().find(|axis| axis.name == "model")
        && let Some(heads) = rules.heads.iter().find(|heads| !heads.is_multiple_of(axis.size as usize))
    {
        let reason = format!("{heads} attention heads do not divide over `model` ({})", axis.size);
        all.push(Obstacle::of_key("mesh", &mesh.place, reason));
    }
    all
}

/// Returns the obstacles in the presets of a plan.
fn preset_obstacles(plan: &Plan) -> Vec<Obstacle> {
    let unknown = written_presets(plan).filter(|preset| PRESETS.iter().all(|(name, _)| !preset.is_named(name)));
    let obstacle = |preset: WrittenPreset<'_>| Obstacle {
        part: format!("`preset {}`", preset.name),
        reason: "the presets with an equivalent are data, megatron, sequence, context, expert and zero1".into(),
        span: Some(preset.span),
    };
    unknown.map(obstacle).collect()
}

/// Returns the obstacles in the settings of a pipeline.
fn pipeline_setting_obstacles(rules: &TargetRules, plan: &Plan, config: &PipelineConfig) -> Vec<Obstacle> {
    let mut all = Vec::new();
    if let Some(shares) = config.shares.as_ref().filter(|shares| shares.iter().any(|share| *share != shares[0])) {
        let reason = format!("replicas have equal numbers of micro-batches, not {shares:?}");
        all.extend(plan.micro_batches.iter().map(|written| Obstacle::of_key("microbatches", written, reason.clone())));
    }
    let (stages, Some(written)) = (config.cuts.count(), &plan.pipeline) else { return all };
    if stages == 1 {
        return all;
    }
    let chunks = stages * config.kind.chunks_per_stage();
    match &rules.layers {
        None => all.push(Obstacle::of_key("pipeline", written, "the model has fewer than four equal layers")),
        Some(layers) if !layers.count().is_multiple_of(chunks) => {
            let reason = format!("{} layers do not divide into {chunks} chunks of equal size", layers.count());
            all.push(Obstacle::of_key("pipeline", written, reason));
        }
        Some(_) => {}
    }
    let Some(schedule) = &plan.schedule else { return all };
    if !has_schedule(config.kind) {
        let reason = "the schedules of Megatron-LM are 1f1b and interleaved with several chunks";
        all.push(Obstacle::of_key("schedule", schedule, reason));
    }
    if let Some(count) = config.micro_batches.filter(|count| chunks > stages && !count.is_multiple_of(stages as u64)) {
        let reason = format!("interleaving requires micro-batches in multiples of {stages} stages, not {count}");
        all.push(Obstacle::of_key("schedule", schedule, reason));
    }
    all
}

/// Returns the parts of a lowered plan that Megatron-LM cannot express: axes without a preset, and unequal stages.
pub(super) fn pipeline_obstacles(rules: &TargetRules, plan: &Plan, pipeline: &Pipeline) -> Vec<Obstacle> {
    let mut all = preset_use_obstacles(plan);
    if let Some(layers) = rules.layers.as_ref().filter(|_| pipeline.chunks.len() > 1) {
        let of_chunk = |chunk: &Chunk| layers.layers_of(chunk.inputs.iter().map(|port| port.name.as_str())).len();
        let sizes: Vec<usize> = pipeline.chunks.iter().map(of_chunk).collect();
        all.extend(unequal_stages(layers.count(), &sizes));
    }
    all
}

/// Returns the obstacles in the combination of presets: axes that no preset uses, and experts without the preset that
/// they require.
pub(super) fn preset_use_obstacles(plan: &Plan) -> Vec<Obstacle> {
    let mut all = Vec::new();
    let has_preset = |axis: &str| {
        let uses = |name: &str| PRESETS.iter().any(|(known, axes)| *known == name && axes.contains(&axis));
        written_presets(plan).any(|preset| uses(preset.name))
    };
    for axis in plan.mesh.iter().flat_map(|mesh| &mesh.axes).filter(|axis| axis.size > 1 && !has_preset(&axis.name)) {
        let part = format!("the mesh axis `{}`", axis.name);
        all.push(Obstacle::of_part(part, "no preset of the plan uses it"));
    }
    let has = |name: &str| written_presets(plan).any(|preset| preset.is_named(name));
    if has("expert") && has("megatron") && !has("sequence") {
        let reason = "with experts, tensor parallelism requires sequence parallelism";
        all.push(Obstacle::of_part("`preset megatron`", reason));
    }
    all
}

/// Returns an obstacle if chunks do not have equal numbers of the layers.
pub(super) fn unequal_stages(layers: usize, sizes: &[usize]) -> Option<Obstacle> {
    if sizes.iter().all(|&size| size * sizes.len() == layers) {
        return None;
    }
    let sizes = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Some(Obstacle::of_part("the pipeline", format!("its chunks have {sizes} layers, but need equal numbers")))
}
