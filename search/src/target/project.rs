//! Projection of a plan to those that a target can express. Each obstacle is removed by the smallest change: a preset
//! becomes the nearest supported one, recomputation becomes a supported level that needs no more memory, stages get
//! equal numbers of layers, a layout loses the axes of the dimension in question, and other settings are removed. The
//! result may have other obstacles, which the next projection removes. Settings that determine what is computed, such
//! as element types and frozen parameters, have no projection.

use super::TargetRules;
use super::obstacle::{Obstacle, ObstacleSite};
use partita_ir::layout::Layout;
use partita_ir::plan::{Mesh, Plan, PlanEntry, SourceText};
use partita_passes::planning::presets::written_presets;

/// A plan without some of the obstacles of another one.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The plan.
    pub plan: Plan,
    /// Changes, each as a sentence without a period.
    pub changes: Vec<String>,
}

impl TargetRules {
    /// Removes obstacles from a plan. Returns `None` if one of them has no projection.
    pub fn project(&self, plan: &Plan, obstacles: &[Obstacle]) -> Option<Projection> {
        let mut projection = Projection { plan: plan.clone(), changes: Vec::new() };
        for obstacle in obstacles {
            let change = self.remove(&mut projection.plan, obstacle)?;
            if !projection.changes.contains(&change) {
                projection.changes.push(change);
            }
        }
        Some(projection)
    }

    /// Removes an obstacle from a plan, and describes the change.
    fn remove(&self, plan: &mut Plan, obstacle: &Obstacle) -> Option<String> {
        match &obstacle.site {
            ObstacleSite::Key(key, text) => self.remove_key(plan, key, text),
            ObstacleSite::Entry(key, path) => self.remove_entry(plan, key, path),
            ObstacleSite::Preset(name, instead) => {
                replace_preset(plan, name, instead);
                Some(match instead.as_str() {
                    "" => format!("the preset `{name}` is removed"),
                    instead => format!("the preset `{name}` becomes `{instead}`"),
                })
            }
            ObstacleSite::UnusedAxis(axis) => {
                let preset = [("data", "data"), ("model", "megatron")].into_iter().find(|(name, _)| name == axis)?.1;
                *plan = std::mem::take(plan).preset(preset);
                Some(format!("the preset `{preset}` uses the mesh axis `{axis}`"))
            }
            ObstacleSite::Stages => self.equalise_stages(plan),
            ObstacleSite::Value(path, layout) => Some(set_layout(plan, path, layout)),
            ObstacleSite::Whole => None,
        }
    }

    /// Removes or replaces the value of a key.
    fn remove_key(&self, plan: &mut Plan, key: &str, text: &str) -> Option<String> {
        match key {
            "pipeline" if self.target().has_stages() => self.equalise_stages(plan),
            "pipeline" | "replicas" => stages_to_data(plan),
            "schedule" => {
                let stages = plan.pipeline_config().ok()??.cuts.count();
                // A list of chunks for an interleaved schedule would be a list of stages for 1F1B.
                if plan.pipeline.as_ref().is_some_and(|written| written.text.contains('|')) {
                    let text = self.equal_layers()?.equal_chunks(stages)?;
                    *plan = std::mem::take(plan).pipeline(text);
                }
                plan.schedule = None;
                Some(format!("the schedule `{text}` becomes `1f1b`"))
            }
            "map" => {
                plan.map = None;
                Some(format!("`map {text}` is removed"))
            }
            "overlap" => {
                plan.overlap = None;
                Some(format!("`overlap {text}` is removed"))
            }
            "bucket" => {
                plan.bucket = None;
                Some(format!("`bucket {text}` is removed"))
            }
            "rules" => {
                plan.rules.retain(|written| written.text != text);
                Some(format!("the rules `{text}` are removed"))
            }
            "hold" => {
                plan.hold.retain(|written| written.text != text);
                Some(format!("`hold {text}` is removed"))
            }
            _ => None,
        }
    }

    /// Removes or replaces an entry of a key.
    fn remove_entry(&self, plan: &mut Plan, key: &str, path: &str) -> Option<String> {
        let retain = |entries: &mut Vec<PlanEntry>| entries.retain(|entry| entry.path.text != path);
        match key {
            "shard" => retain(&mut plan.shards),
            "store" => retain(&mut plan.stores),
            "attention" => retain(&mut plan.attention),
            "remat" => {
                let levels = self.target().recompute_levels();
                plan.remat.clear();
                if levels.contains(&"full") {
                    *plan = std::mem::take(plan).remat("**", "full");
                    return Some("recomputation becomes `full`".to_owned());
                }
                return Some("nothing is recomputed".to_owned());
            }
            _ => return None,
        }
        Some(format!("`{key} {path}` is removed"))
    }

    /// Gives all chunks of a pipeline equal numbers of layers.
    fn equalise_stages(&self, plan: &mut Plan) -> Option<String> {
        let config = plan.pipeline_config().ok()??;
        let chunks = config.cuts.count() * config.kind.chunks_per_stage();
        let text = self.equal_layers()?.equal_chunks(chunks)?;
        *plan = std::mem::take(plan).pipeline(text);
        Some(format!("the {chunks} chunks of the pipeline get equal numbers of layers"))
    }
}

/// Gives the devices of stages and replicas to the mesh axis `data`.
fn stages_to_data(plan: &mut Plan) -> Option<String> {
    let config = plan.pipeline_config().ok()??;
    let factor = u32::try_from(config.cuts.count() * config.replicas).ok()?;
    let mesh = plan.mesh.as_ref()?;
    let shards_batch = written_presets(plan).any(|preset| ["data", "mesh", "zero3"].contains(&preset.name));
    let has_data = mesh.axes.iter().any(|axis| axis.name == "data");
    if !shards_batch && !plan.presets.is_empty() || mesh.devices.is_some() {
        return None;
    }
    let own = mesh.axes.iter().map(|axis| {
        let size = if axis.name == "data" { axis.size.checked_mul(factor)? } else { axis.size };
        Some((axis.name.to_string(), size))
    });
    let mut axes: Vec<(String, u32)> = own.collect::<Option<_>>()?;
    if !has_data {
        axes.insert(0, ("data".to_owned(), factor));
    }
    let mesh = Mesh::new(axes).ok()?;
    let needs_preset = !shards_batch;
    *plan = Plan { mesh: Some(mesh), ..std::mem::take(plan).without_pipeline() };
    if needs_preset {
        *plan = std::mem::take(plan).preset("data");
    }
    Some(format!("the devices of {factor} stages and replicas shard the batch over `data`"))
}

/// Replaces a preset by others. Presets that the plan already has are not repeated.
fn replace_preset(plan: &mut Plan, name: &str, instead: &str) {
    let requests = written_presets(plan).filter(|preset| !preset.is_named(name));
    let text = |name: &str, option: &str| if option.is_empty() { name.to_owned() } else { format!("{name}?{option}") };
    let mut names: Vec<String> = requests.map(|preset| text(preset.name, preset.option)).collect();
    for added in instead.split(',').map(str::trim).filter(|added| !added.is_empty()) {
        if !names.iter().any(|known| known == added) {
            names.push(added.to_owned());
        }
    }
    plan.presets = names.into_iter().map(SourceText::at_caller).collect();
}

/// Sets the layout of a value, or its storage layout if the layout is set already.
fn set_layout(plan: &mut Plan, path: &str, layout: &str) -> String {
    let is_path = |entry: &&PlanEntry| entry.path.text == path;
    let is_set = plan.shards.iter().find(is_path).is_some_and(|entry| entry.text.text == layout);
    let is_stored = plan.stores.iter().any(|entry| entry.path.text == path);
    let taken = std::mem::take(plan);
    *plan = if is_set || is_stored { taken.store(path, layout) } else { taken.shard(path, layout) };
    format!("`{path}` has the layout `{layout}`")
}

/// Returns the layout with as many of the axes of each dimension as the target can express, in the order of the
/// dimensions. Axes of a dimension are sorted by the mesh, if this suffices.
pub(super) fn nearest_layout(layout: &Layout, is_expressible: impl Fn(&Layout) -> bool) -> Layout {
    let mut nearest = Layout::replicated(layout.mesh, layout.dims.len());
    for (dim, at) in layout.dims.iter().enumerate() {
        let mut sorted = at.axes.clone();
        sorted.sort_by_key(|axis| axis.axis);
        for axes in [at.axes.clone(), sorted] {
            let mut candidate = nearest.clone();
            candidate.dims[dim].axes = axes;
            if is_expressible(&candidate) {
                nearest = candidate;
                break;
            }
        }
    }
    nearest
}
