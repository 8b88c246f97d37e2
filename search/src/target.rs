//! Frameworks that train with a plan, and the plans that each of them can express.
//!
//! A [`TargetRules`] examines a plan twice. [`TargetRules::of_plan`] examines its settings, before it is lowered, and
//! [`TargetRules::of_pipeline`] the lowered plan: the layouts of parameters, inputs and outputs, and the contents of
//! stages. Both return an [`Obstacle`] for each part without an equivalent in the framework. A plan without obstacles
//! can be expressed.

mod dtensor;
mod jax;
mod launch;
mod model_layers;
mod modules;
mod obstacle;
mod project;
mod tp_plan;

pub use model_layers::ModelLayers;
pub use modules::{Module, ModuleKind};
pub use obstacle::Obstacle;
pub use project::Projection;

use launch::Launcher;
use obstacle::ObstacleSite;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::layout::Layout;
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::pipeline::{Cell, Pipeline};
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::{Plan, layout_text};
use partita_ir::program::{Param, ParamKind, Program};
use partita_ir::schedule::ScheduleKind;
use partita_passes::planning::name_dims::DimClasses;
use partita_passes::planning::presets::model::ModelStructure;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Framework that executes a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// JAX: one jitted function on a mesh, with a `PartitionSpec` for each argument and result.
    Jax,
    /// PyTorch: a `DeviceMesh`, DTensor placements, `fully_shard` and `torch.distributed.pipelining`.
    Dtensor,
    /// Hugging Face Transformers: the style of tensor parallelism of each module.
    TpPlan,
    /// Megatron-LM: a grid of data, context, expert, tensor and pipeline parallelism.
    Megatron,
    /// torchtitan: a grid of replicated and sharded data, context, tensor and pipeline parallelism.
    Torchtitan,
    /// DeepSpeed: data parallelism, ZeRO and pipelines.
    Deepspeed,
    /// nanotron: a grid of data, tensor and pipeline parallelism.
    Nanotron,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 7] = [
        Target::Jax,
        Target::Dtensor,
        Target::TpPlan,
        Target::Megatron,
        Target::Torchtitan,
        Target::Deepspeed,
        Target::Nanotron,
    ];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Jax => "jax",
            Target::Dtensor => "dtensor",
            Target::TpPlan => "tp-plan",
            Target::Megatron => "megatron",
            Target::Torchtitan => "torchtitan",
            Target::Deepspeed => "deepspeed",
            Target::Nanotron => "nanotron",
        }
    }

    /// Returns the target with a name.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns the name of the framework.
    pub const fn framework(self) -> &'static str {
        match self {
            Target::Jax => "JAX",
            Target::Dtensor => "PyTorch",
            Target::TpPlan => "Transformers",
            Target::Megatron => launch::MEGATRON.name,
            Target::Torchtitan => launch::TORCHTITAN.name,
            Target::Deepspeed => launch::DEEPSPEED.name,
            Target::Nanotron => launch::NANOTRON.name,
        }
    }

    /// Returns the launch options of a framework that is configured by them only.
    fn launcher(self) -> Option<&'static Launcher> {
        match self {
            Target::Jax | Target::Dtensor | Target::TpPlan => None,
            Target::Megatron => Some(&launch::MEGATRON),
            Target::Torchtitan => Some(&launch::TORCHTITAN),
            Target::Deepspeed => Some(&launch::DEEPSPEED),
            Target::Nanotron => Some(&launch::NANOTRON),
        }
    }

    /// Returns true if a pipeline can have a schedule.
    pub(crate) fn has_schedule(self, kind: ScheduleKind) -> bool {
        match (self, self.launcher()) {
            (_, Some(launcher)) => launcher.has_schedule(kind),
            (Target::Dtensor, None) => dtensor::schedule_obstacle(kind).is_none(),
            (_, None) => true,
        }
    }

    /// Returns true if the model can be cut into pipeline stages.
    pub(crate) const fn has_stages(self) -> bool {
        match self {
            Target::Jax | Target::TpPlan => false,
            Target::Dtensor | Target::Megatron | Target::Torchtitan | Target::Deepspeed | Target::Nanotron => true,
        }
    }

    /// Returns true if compositions can have an axis or a ZeRO stage of that name.
    pub(crate) fn has_name(self, name: &str) -> bool {
        match (self, self.launcher()) {
            (_, Some(launcher)) => launcher.has_name(name),
            (Target::TpPlan, None) => tp_plan::has_name(name),
            (Target::Dtensor, None) => dtensor::has_name(name),
            (_, None) => true,
        }
    }

    /// Returns the levels of recomputation that plans can have if it is an option of the framework. Empty otherwise.
    fn recompute_levels(self) -> &'static [&'static str] {
        self.launcher().map_or(&[], |launcher| launcher.recompute)
    }

    /// Returns true if parameters can have layouts other than those of presets.
    pub(crate) const fn has_free_layouts(self) -> bool {
        match self {
            Target::Jax | Target::Dtensor => true,
            Target::TpPlan | Target::Megatron | Target::Torchtitan | Target::Deepspeed | Target::Nanotron => false,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Maximum number of obstacles that an error lists.
const MAX_LISTED_OBSTACLES: usize = 4;

/// A target, and the facts about a model that its rules depend on.
#[derive(Clone, Debug)]
pub struct TargetRules {
    target: Target,
    /// Numbers of heads of queries and of keys in attention, in ascending order.
    heads: Vec<usize>,
    /// Number of examples in a batch. `None` if the inputs have no batch dimension.
    batch: Option<usize>,
    /// Repeated layers. `None` if the model has fewer than four equal layers.
    layers: Option<ModelLayers>,
    /// Linear and embedding layers.
    modules: Vec<Module>,
}

impl TargetRules {
    /// Creates the rules for a traced program, the step that is derived from it, and the classes of its dimensions.
    pub fn new(target: Target, program: &Program, step: &Program, classes: &DimClasses) -> TargetRules {
        let layers = target.launcher().and_then(|_| ModelLayers::find(program));
        let model = ModelStructure::new(step, classes);
        let modules = if target.launcher().is_none() { modules::find(&model) } else { Vec::new() };
        TargetRules { target, heads: launch::heads(step, &model), batch: modules::batch(&model), layers, modules }
    }

    /// Returns the linear and embedding layers of the model, in the order of the program. Empty for a target without
    /// layouts of single parameters.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// Returns the number of examples in a batch. `None` if the inputs have no batch dimension.
    pub fn batch(&self) -> Option<usize> {
        self.batch
    }

    /// Returns the numbers of heads of queries and of keys in attention, in ascending order.
    pub fn heads(&self) -> &[usize] {
        &self.heads
    }

    /// Returns the target.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Returns the repeated layers if stages need equal numbers of them. `None` for a target without this restriction.
    pub fn equal_layers(&self) -> Option<&ModelLayers> {
        self.layers.as_ref()
    }

    /// Returns the settings of a plan that the target cannot express. Settings that the plan leaves open, and invalid
    /// ones, are no obstacles.
    pub fn of_plan(&self, plan: &Plan) -> Vec<Obstacle> {
        let Ok(config) = plan.pipeline_config() else { return Vec::new() };
        let config = config.unwrap_or_else(PipelineConfig::single);
        match self.target {
            Target::Jax => jax::plan_obstacles(plan, &config),
            Target::Dtensor => dtensor::plan_obstacles(plan, &config),
            Target::TpPlan => tp_plan::plan_obstacles(plan, &config),
            Target::Megatron | Target::Torchtitan | Target::Deepspeed | Target::Nanotron => {
                let launcher = self.target.launcher();
                launcher.map_or_else(Vec::new, |launcher| launcher.plan_obstacles(self, plan, &config))
            }
        }
    }

    /// Returns the parts of a lowered plan that the target cannot express, in addition to those of
    /// [`TargetRules::of_plan`].
    pub fn of_pipeline(&self, plan: &Plan, pipeline: &Pipeline) -> Vec<Obstacle> {
        match self.target.launcher() {
            Some(launcher) => launcher.lowered_obstacles(self, plan, pipeline),
            None => self.layout_obstacles(plan, pipeline),
        }
    }

    /// Returns the obstacles of [`TargetRules::of_pipeline`] that do not depend on the number of layers.
    pub(crate) fn of_short_pipeline(&self, plan: &Plan, pipeline: &Pipeline) -> Vec<Obstacle> {
        match self.target.launcher() {
            Some(launcher) => launcher.preset_use_obstacles(plan),
            None => self.layout_obstacles(plan, pipeline),
        }
    }

    /// Returns an obstacle if the target needs equal numbers of layers in all chunks, and `sizes` differ.
    pub(crate) fn unequal_layers(&self, sizes: &[usize]) -> Option<Obstacle> {
        launch::unequal_stages(self.layers.as_ref()?.count(), sizes)
    }

    /// Returns the obstacles in the layouts of parameters, inputs and outputs.
    fn layout_obstacles(&self, plan: &Plan, pipeline: &Pipeline) -> Vec<Obstacle> {
        let params = pipeline.chunks.iter().flat_map(|chunk| chunk.program.params.values());
        let gathers = dtensor::gathers_parameters(plan);
        let is_gathered = |param: &&Param| param.kind == ParamKind::Trainable || param.is_optimizer_state();
        let params = params.filter(|param| gathers && is_gathered(param));
        let gathered: BTreeSet<&str> = params.map(|param| param.path.as_str()).collect();
        let states = StateLayouts::new(pipeline);
        let obstacle = |(name, cell, mesh): (&str, &Cell, &DeviceMesh)| {
            let layout = cell.layout.as_deref()?;
            let reason = |layout: &Layout| {
                let is_gathered = gathered.contains(name);
                let own = if is_gathered && self.target == Target::Dtensor {
                    self.value_obstacle(&cell.ty, &dtensor::gathered_layout(layout, mesh), mesh, true)
                } else {
                    self.value_obstacle(&cell.ty, layout, mesh, is_gathered)
                };
                own.or_else(|| self.module_obstacle(name, layout, mesh))
            };
            let of_param = states.other_param_layout(name, layout).filter(|_| self.target == Target::Dtensor);
            let differs = || Some(format!("its parameter has the layout `{}`", layout_text(of_param?, mesh)));
            let because = reason(layout).or_else(differs)?;
            let text = layout_text(layout, mesh);
            let nearest = of_param.unwrap_or(layout);
            let nearest = project::nearest_layout(nearest, |layout| reason(layout).is_none());
            let site = ObstacleSite::Value(name.to_owned(), layout_text(&nearest, mesh));
            Some(Obstacle { site, ..Obstacle::of_part(format!("`{name}` with the layout `{text}`"), because) })
        };
        let of_bias = |module: &Module| {
            let (weight, bias) = (states.layouts.get(module.weight.as_str())?, module.bias.as_deref()?);
            let mesh = pipeline.chunks.first().map(|chunk| &chunk.mesh)?;
            tp_plan::bias_obstacle(module, weight, (bias, states.layouts.get(bias)?), mesh)
        };
        let has_styles = self.target == Target::TpPlan;
        let biases = self.modules.iter().filter(|_| has_styles).filter_map(of_bias);
        boundary_values(pipeline).filter_map(obstacle).chain(biases).collect()
    }

    /// Returns the reason why the style of a module cannot express the layout of its parameter.
    fn module_obstacle(&self, name: &str, layout: &Layout, mesh: &DeviceMesh) -> Option<String> {
        match self.target {
            Target::TpPlan => tp_plan::module_obstacle(self, name, layout, mesh),
            Target::Jax
            | Target::Dtensor
            | Target::Megatron
            | Target::Torchtitan
            | Target::Deepspeed
            | Target::Nanotron => None,
        }
    }

    /// Returns the reason why the target cannot express the layout of a parameter, input or output. `is_gathered` is
    /// true for a parameter that can be stored in shards and gathered for use.
    pub(crate) fn value_obstacle(
        &self,
        ty: &Type,
        layout: &Layout,
        mesh: &DeviceMesh,
        is_gathered: bool,
    ) -> Option<String> {
        match self.target {
            Target::Jax => jax::value_obstacle(ty, layout, mesh),
            Target::Dtensor => dtensor::value_obstacle(ty, layout, mesh, is_gathered),
            Target::TpPlan => tp_plan::value_obstacle(ty, layout, mesh),
            Target::Megatron | Target::Torchtitan | Target::Deepspeed | Target::Nanotron => None,
        }
    }

    /// Returns the error for obstacles in the user's plan.
    pub(crate) fn written_error(&self, obstacles: &[Obstacle]) -> Diagnostic {
        let error = self.obstacle_error("--target", obstacles);
        error.help("remove the setting, or search without `--target`")
    }

    /// Returns the error for obstacles in a plan to export, without a proposal.
    pub fn export_error(&self, obstacles: &[Obstacle]) -> Diagnostic {
        self.obstacle_error("--to", obstacles)
    }

    /// Returns an error that lists obstacles. `flag` is the flag that names the target.
    fn obstacle_error(&self, flag: &str, obstacles: &[Obstacle]) -> Diagnostic {
        let title = format!("`{flag} {}` cannot express {}", self.target, list(obstacles));
        let mut error = Diagnostic::new(Code::L019, title);
        for obstacle in obstacles {
            if let Some(span) = &obstacle.span {
                error = error.label(span.clone(), obstacle.reason.clone());
            }
        }
        let without_span = obstacles.iter().filter(|obstacle| obstacle.span.is_none()).take(MAX_LISTED_OBSTACLES);
        without_span.map(ToString::to_string).fold(error, Diagnostic::note)
    }

    /// Returns the error for a search in which the target could express no plan. `obstacles` are those of one plan.
    pub(crate) fn empty_error(&self, source: &str, obstacles: &[Obstacle]) -> Diagnostic {
        let title = format!("`--target {}` can express none of the plans found for `{source}`", self.target);
        let notes = obstacles.iter().take(MAX_LISTED_OBSTACLES).map(|obstacle| format!("for example, {obstacle}"));
        let error = notes.fold(Diagnostic::new(Code::L019, title), Diagnostic::note);
        error.help(format!(
            "use another number of devices, relax `--space`, or search without `--target`, and adapt the plan to {}",
            self.target.framework()
        ))
    }
}

/// Lists the parts of obstacles: `a`, `b` and 3 more.
fn list(obstacles: &[Obstacle]) -> String {
    let shown: Vec<&str> = obstacles.iter().take(MAX_LISTED_OBSTACLES).map(|one| one.part.as_str()).collect();
    match obstacles.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns the parameters, optimizer state, inputs and outputs of a pipeline, each once, with their cells and meshes.
fn boundary_values(pipeline: &Pipeline) -> impl Iterator<Item = (&str, &Cell, &DeviceMesh)> {
    let mut known = BTreeSet::new();
    let ports = pipeline.chunks.iter().flat_map(|chunk| {
        let ports = chunk.inputs.iter().chain(&chunk.outputs);
        ports.map(move |port| (port.name.as_str(), &chunk.cells[port.cell], &chunk.mesh))
    });
    ports.filter(move |(name, cell, _)| known.insert((*name, cell.ty.clone().shape)))
}

/// Layouts of parameters, for the comparison with those of their optimizer state.
struct StateLayouts<'p> {
    layouts: BTreeMap<&'p str, &'p Layout>,
    /// Path of the parameter of each optimizer state.
    params: BTreeMap<&'p str, &'p str>,
}

impl<'p> StateLayouts<'p> {
    fn new(pipeline: &'p Pipeline) -> StateLayouts<'p> {
        let layouts = boundary_values(pipeline);
        let layouts = layouts.filter_map(|(name, cell, _)| Some((name, cell.layout.as_deref()?))).collect();
        let programs = pipeline.chunks.iter().map(|chunk| &chunk.program);
        let params = programs.flat_map(|program| {
            let states = program.params.values().filter(|param| param.is_optimizer_state());
            states.filter_map(|state| Some((state.path.as_str(), program.params[state.parent?].path.as_str())))
        });
        StateLayouts { layouts, params: params.collect() }
    }

    /// Returns the layout of the parameter of an optimizer state, if it differs from that of the state. Scalars have no
    /// layout.
    fn other_param_layout(&self, name: &str, layout: &Layout) -> Option<&'p Layout> {
        let of_param = *self.layouts.get(self.params.get(name)?)?;
        let is_same_rank = of_param.dims.len() == layout.dims.len();
        (is_same_rank && !of_param.has_same_sharding(layout)).then_some(of_param)
    }
}

/// Returns the name of an axis of a mesh.
fn axis_name(axis: AxisRef, mesh: &DeviceMesh) -> &str {
    use partita_ir::arena::Id;
    &mesh.axes[axis.axis.index()].name
}

/// Returns the reason why a layout that uses a factor of a mesh axis cannot be expressed.
fn sub_axis_obstacle(layout: &Layout, mesh: &DeviceMesh) -> Option<String> {
    let part = layout.used_axes().find(|axis| !axis.is_full(mesh))?;
    Some(format!("only a part of the mesh axis `{}` shards the value", axis_name(part, mesh)))
}
