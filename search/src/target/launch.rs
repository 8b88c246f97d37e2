//! Training frameworks that are configured by launch options: flags, TOML, JSON or YAML. All of them have one grid of
//! data, context, expert, tensor and pipeline parallelism. Layers are equal and are laid out by presets; stages have
//! equal numbers of layers. A [`Launcher`] describes the values that the options of one framework can have.

mod deepspeed;
mod megatron;
mod mesh;
mod nanotron;
mod optimizer;
mod torchtitan;

pub(super) use deepspeed::DEEPSPEED;
pub(super) use megatron::MEGATRON;
pub(super) use nanotron::NANOTRON;
pub(super) use torchtitan::TORCHTITAN;

use super::TargetRules;
use super::obstacle::{Obstacle, ObstacleSite};
use partita_ir::pipeline::{Chunk, Pipeline};
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::train::TrainConfig;
use partita_ir::plan::{Plan, PlanEntry, SourceText};
use partita_ir::program::Program;
use partita_ir::schedule::ScheduleKind;
use partita_passes::planning::presets::model::ModelStructure;
use partita_passes::planning::presets::{WrittenPreset, default_bucket_size, written_presets};
use std::collections::BTreeSet;

/// Launch options of a framework: the values for which they have an equivalent.
pub(super) struct Launcher {
    /// Name of the framework.
    pub(super) name: &'static str,
    /// Names of mesh axes, from across nodes to within a node.
    axes: &'static [&'static str],
    /// Presets, each with the axes that it uses.
    presets: &'static [(&'static str, &'static [&'static str])],
    /// Implementations of attention over a sharded sequence: values of the option of the preset `context`.
    attention: &'static [&'static str],
    /// Levels of recomputation.
    pub(super) recompute: &'static [&'static str],
    /// Element types in which the model computes.
    precisions: &'static [&'static str],
    /// Collectives that overlap with matrix products: sorted names of each choice.
    overlaps: &'static [&'static str],
    /// True if the size of buckets of gradients is an option.
    has_bucket: bool,
    /// Returns the reason why pipelines cannot have a schedule.
    schedule_obstacle: fn(ScheduleKind) -> Option<&'static str>,
    /// Returns the reasons why a training configuration has no equivalent.
    train_obstacles: fn(&TrainConfig) -> Vec<String>,
    /// Returns the combinations of settings that the framework does not support.
    combination_obstacles: fn(&Combination<'_>) -> Vec<Obstacle>,
}

/// Presets, axes and stages of a plan, whose combinations a framework can restrict.
pub(super) struct Combination<'p> {
    plan: &'p Plan,
    presets: Vec<WrittenPreset<'p>>,
    /// Number of pipeline stages.
    stages: usize,
}

impl Combination<'_> {
    /// Returns true if the plan has a preset of that name.
    fn has(&self, name: &str) -> bool {
        self.presets.iter().any(|preset| preset.is_named(name))
    }

    /// Returns the size of a mesh axis. 1 if the mesh has no axis of that name.
    fn size(&self, axis: &str) -> u32 {
        let mesh = self.plan.mesh.iter().flat_map(|mesh| &mesh.axes);
        mesh.filter(|one| one.name == axis).map(|one| one.size).product()
    }

    /// Returns an obstacle for a preset of the plan. `instead` are the presets that the framework supports instead.
    fn preset_obstacle(&self, name: &str, reason: &str, instead: &str) -> Option<Obstacle> {
        let preset = self.presets.iter().find(|preset| preset.is_named(name))?;
        Some(Obstacle::of_preset(preset, reason, instead))
    }
}

impl Launcher {
    /// Returns true if the framework has an axis or a ZeRO stage of that name.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.axes.contains(&name) || name == "none" || self.presets.iter().any(|(preset, _)| *preset == name)
    }

    /// Returns true if pipelines can have a schedule.
    pub(super) fn has_schedule(&self, kind: ScheduleKind) -> bool {
        (self.schedule_obstacle)(kind).is_none()
    }

    /// Returns the settings of a plan that the launch options cannot express.
    pub(super) fn plan_obstacles(&self, rules: &TargetRules, plan: &Plan, config: &PipelineConfig) -> Vec<Obstacle> {
        // All fields are listed, so that a new one is not forgotten.
        let Plan {
            shards,
            stores,
            rules: dimension_rules,
            attention,
            remat,
            precision,
            hold,
            freeze,
            train_only,
            train,
            bucket,
            overlap,
            // Examined by `mesh_obstacles`, `preset_obstacles` and `pipeline_obstacles`.
            mesh: _,
            stage_meshes: _,
            map: _,
            presets: _,
            pipeline: _,
            schedule: _,
            micro_batches: _,
            replicas: _,
            // Without effect on presets.
            names: _,
            allow_reshard: _,
            no_padding: _,
            // A limit, which the plan satisfies.
            budget: _,
        } = plan;
        let name = self.name;
        let mut all = self.mesh_obstacles(rules, plan, config);
        all.extend(self.preset_obstacles(plan, config));
        for (key, entries) in [("shard", shards), ("store", stores)] {
            let reason = format!("{name} has no layouts of single parameters");
            // JAX annotates that its random keys are replicated.
            let is_replicated =
                |one: &&PlanEntry| one.path.text.starts_with('%') && !one.text.text.contains(char::is_alphabetic);
            all.extend(
                entries.iter().filter(|one| !is_replicated(one)).map(|one| Obstacle::of_entry(key, one, &reason)),
            );
        }
        let reason = format!("{name} has presets only");
        all.extend(dimension_rules.iter().map(|rule| Obstacle::of_key("rules", rule, &reason)));
        let reason = format!("{name} gathers no single parameters");
        all.extend(hold.iter().map(|path| Obstacle::of_key("hold", path, &reason)));
        let reason = format!("{name} has no option for frozen parameters");
        all.extend(freeze.iter().map(|path| Obstacle::of_key("freeze", path, &reason)));
        all.extend(train_only.iter().map(|path| Obstacle::of_key("train_only", path, &reason)));
        let is_single = |one: &&PlanEntry| one.path.text.trim() != "**";
        let uniform = [("attention", attention, "exchange attention"), ("remat", remat, "recompute")];
        for (key, entries, what) in uniform.into_iter().chain([("precision", precision, "compute in one type")]) {
            let reason = format!("all layers {what} in the same way");
            all.extend(entries.iter().filter(is_single).map(|one| Obstacle::of_entry(key, one, &reason)));
        }
        let mut values = |key: &'static str, entries: &[PlanEntry], known: &[&str], what: &str| {
            let is_unknown = |one: &&PlanEntry| !is_single(one) && !known.contains(&one.text.text.trim());
            let reason = format!("the {what} of {name} are {}", listed(known));
            all.extend(entries.iter().filter(is_unknown).map(|one| Obstacle::of_entry(key, one, &reason)));
        };
        values("remat", remat, self.recompute, "levels of recomputation");
        values("precision", precision, self.precisions, "element types");
        values("attention", attention, self.attention, "kinds of context parallelism");
        all.extend(overlap.iter().filter_map(|written| self.overlap_obstacle(written)));
        all.extend(bucket.iter().filter_map(|written| self.bucket_obstacle(written)));
        if let Some((written, config)) = train.as_ref().and_then(|text| Some((text, TrainConfig::parse(text).ok()?))) {
            let reasons = (self.train_obstacles)(&config);
            all.extend(reasons.into_iter().map(|reason| Obstacle::of_key("train", written, reason)));
        }
        all.extend(self.pipeline_obstacles(rules, plan, config));
        all
    }

    /// Returns the obstacles in the presets of a plan and in their combination.
    fn preset_obstacles(&self, plan: &Plan, config: &PipelineConfig) -> Vec<Obstacle> {
        let mut all = Vec::new();
        let known: Vec<&str> = self.presets.iter().map(|(name, _)| *name).collect();
        for preset in written_presets(plan) {
            let method = preset.option.strip_prefix("attention=");
            if !known.contains(&preset.name) {
                let reason = format!("the presets with an equivalent are {}", listed(&known));
                all.push(Obstacle::of_preset(&preset, reason, self.nearest_preset(preset.name)));
            } else if method.is_some_and(|method| !self.attention.contains(&method)) {
                let reason =
                    format!("the kinds of context parallelism of {} are {}", self.name, listed(self.attention));
                let instead = self.attention.first().map(|method| format!("context?attention={method}"));
                all.push(Obstacle::of_preset(&preset, reason, &instead.unwrap_or_default()));
            }
        }
        let presets = written_presets(plan).collect();
        all.extend((self.combination_obstacles)(&Combination { plan, presets, stages: config.cuts.count() }));
        all
    }

    /// Returns the presets that are nearest to an unsupported one: the nearest stage of ZeRO. Empty if there is none.
    fn nearest_preset(&self, name: &str) -> &'static str {
        let stage = |name: &str| name.strip_prefix("zero").and_then(|stage| stage.parse::<i32>().ok());
        let known = self.presets.iter().filter_map(|(known, _)| Some((stage(known)?, *known)));
        match (name, stage(name)) {
            ("mesh", _) => "data, megatron",
            (_, Some(wanted)) => known.min_by_key(|(stage, _)| (stage - wanted).abs()).map_or("", |(_, name)| name),
            (_, None) => "",
        }
    }

    /// Returns an obstacle for collectives that do not overlap with matrix products.
    fn overlap_obstacle(&self, written: &SourceText) -> Option<Obstacle> {
        let names: BTreeSet<&str> = written.text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        let sorted = names.into_iter().collect::<Vec<_>>().join(",");
        if self.overlaps.contains(&sorted.as_str()) {
            return None;
        }
        let reason = match self.overlaps {
            [] => format!("{} has no option for it", self.name),
            known => format!("{} overlaps {}", self.name, known.join(" or ")),
        };
        Some(Obstacle::of_key("overlap", written, reason))
    }

    /// Returns an obstacle for a size of buckets that differs from the default, if it is not an option.
    fn bucket_obstacle(&self, written: &SourceText) -> Option<Obstacle> {
        let size = written.text.trim();
        let is_default = (1..=MAX_DEFAULT_SHARDS).any(|shards| default_bucket_size(shards) == size);
        let reason = if size == "none" {
            format!("{} reduces gradients in buckets", self.name)
        } else if !self.has_bucket && !is_default {
            format!("{} has no option for the size of buckets", self.name)
        } else {
            return None;
        };
        Some(Obstacle::of_key("bucket", written, reason))
    }

    /// Returns the obstacles in the settings of a pipeline.
    fn pipeline_obstacles(&self, rules: &TargetRules, plan: &Plan, config: &PipelineConfig) -> Vec<Obstacle> {
        let mut all = Vec::new();
        if let Some(shares) = config.shares.as_ref().filter(|shares| shares.iter().any(|share| *share != shares[0])) {
            let reason = format!("replicas have equal numbers of micro-batches, not {shares:?}");
            let written = plan.micro_batches.iter();
            all.extend(written.map(|written| Obstacle::of_key("microbatches", written, reason.clone())));
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
        if let Some(reason) = (self.schedule_obstacle)(config.kind) {
            all.push(Obstacle::of_key("schedule", schedule, reason));
        }
        let is_uneven = |count: &u64| chunks > stages && !count.is_multiple_of(stages as u64);
        if let Some(count) = config.micro_batches.filter(is_uneven) {
            let reason = format!("interleaving requires micro-batches in multiples of {stages} stages, not {count}");
            all.push(Obstacle::of_key("schedule", schedule, reason));
        }
        all
    }

    /// Returns the parts of a lowered plan that the launch options cannot express: axes without a preset, and unequal
    /// stages.
    pub(super) fn lowered_obstacles(&self, rules: &TargetRules, plan: &Plan, pipeline: &Pipeline) -> Vec<Obstacle> {
        let mut all = self.preset_use_obstacles(plan);
        if let Some(layers) = rules.layers.as_ref().filter(|_| pipeline.chunks.len() > 1) {
            let of_chunk = |chunk: &Chunk| layers.layers_of(chunk.inputs.iter().map(|port| port.name.as_str())).len();
            let sizes: Vec<usize> = pipeline.chunks.iter().map(of_chunk).collect();
            all.extend(unequal_stages(layers.count(), &sizes));
        }
        all
    }

    /// Returns an obstacle for each mesh axis that no preset of the plan uses.
    pub(super) fn preset_use_obstacles(&self, plan: &Plan) -> Vec<Obstacle> {
        let has_preset = |axis: &str| {
            let uses = |name: &str| self.presets.iter().any(|(known, axes)| *known == name && axes.contains(&axis));
            written_presets(plan).any(|preset| uses(preset.name))
        };
        let axes = plan.mesh.iter().flat_map(|mesh| &mesh.axes);
        let unused = axes.filter(|axis| axis.size > 1 && !has_preset(&axis.name));
        let obstacle = |name: &str| Obstacle {
            site: ObstacleSite::UnusedAxis(name.to_owned()),
            ..Obstacle::of_part(format!("the mesh axis `{name}`"), "no preset of the plan uses it")
        };
        let mut all: Vec<Obstacle> = unused.map(|axis| obstacle(&axis.name)).collect();
        let has = |name: &str| written_presets(plan).any(|preset| preset.is_named(name));
        if has("expert") && has("megatron") && !has("sequence") {
            let reason = "with experts, tensor parallelism requires sequence parallelism";
            let megatron = written_presets(plan).find(|preset| preset.is_named("megatron"));
            all.extend(megatron.map(|preset| Obstacle::of_preset(&preset, reason, "megatron, sequence")));
        }
        all
    }
}

/// Lists words: `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => words.concat(),
    }
}

/// Maximum number of devices along the axis `shard` for which the default size of a bucket is recognised.
const MAX_DEFAULT_SHARDS: u32 = 64;

/// Returns an obstacle if chunks do not have equal numbers of the layers.
pub(super) fn unequal_stages(layers: usize, sizes: &[usize]) -> Option<Obstacle> {
    if sizes.iter().all(|&size| size * sizes.len() == layers) {
        return None;
    }
    let sizes = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let reason = format!("its chunks have {sizes} layers, but need equal numbers");
    Some(Obstacle { site: ObstacleSite::Stages, ..Obstacle::of_part("the pipeline", reason) })
}

/// Returns the numbers of heads of queries and keys of a step, in ascending order.
pub(super) fn heads(step: &Program, model: &ModelStructure<'_>) -> Vec<usize> {
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
