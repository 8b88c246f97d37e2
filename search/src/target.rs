//! Frameworks that train with a plan, and the plans that each of them can express.
//!
//! A [`TargetRules`] examines a plan twice. [`TargetRules::of_plan`] examines its settings, before it is lowered, and
//! [`TargetRules::of_pipeline`] the lowered plan: the layouts of parameters, inputs and outputs, and the contents of
//! stages. Both return an [`Obstacle`] for each part without an equivalent in the framework. A plan without obstacles
//! can be expressed.

mod dtensor;
mod jax;
mod megatron;
mod model_layers;

pub(crate) use model_layers::ModelLayers;

use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::dtype::Type;
use partita_ir::layout::Layout;
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::pipeline::{Cell, Pipeline};
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::{Plan, PlanEntry, SourceText};
use partita_ir::program::{ParamKind, Program};
use partita_ir::schedule::ScheduleKind;
use partita_passes::planning::name_dims::DimClasses;
use std::collections::BTreeSet;
use std::fmt;

/// Framework that executes a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// JAX: one jitted function on a mesh, with a `PartitionSpec` for each argument and result.
    Jax,
    /// PyTorch: a `DeviceMesh`, DTensor placements, `fully_shard` and `torch.distributed.pipelining`.
    Dtensor,
    /// Megatron-LM: a grid of data, context, expert, tensor and pipeline parallelism.
    Megatron,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 3] = [Target::Jax, Target::Dtensor, Target::Megatron];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Jax => "jax",
            Target::Dtensor => "dtensor",
            Target::Megatron => "megatron",
        }
    }

    /// Returns the target with a name.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns the name of the framework.
    pub(crate) const fn framework(self) -> &'static str {
        match self {
            Target::Jax => "JAX",
            Target::Dtensor => "PyTorch",
            Target::Megatron => "Megatron-LM",
        }
    }

    /// Returns true if a pipeline can have a schedule.
    pub(crate) fn has_schedule(self, kind: ScheduleKind) -> bool {
        match self {
            Target::Jax => true,
            Target::Dtensor => dtensor::schedule_obstacle(kind).is_none(),
            Target::Megatron => megatron::has_schedule(kind),
        }
    }

    /// Returns true if the model can be cut into pipeline stages.
    pub(crate) const fn has_stages(self) -> bool {
        match self {
            Target::Jax => false,
            Target::Dtensor | Target::Megatron => true,
        }
    }

    /// Returns true if compositions can have an axis or a ZeRO stage of that name.
    pub(crate) fn has_name(self, name: &str) -> bool {
        match self {
            Target::Jax | Target::Dtensor => true,
            Target::Megatron => megatron::has_name(name),
        }
    }

    /// Returns true if parameters can have layouts other than those of presets.
    pub(crate) const fn has_free_layouts(self) -> bool {
        match self {
            Target::Jax | Target::Dtensor => true,
            Target::Megatron => false,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Part of a plan that a target cannot express.
#[derive(Clone, PartialEq, Debug)]
pub struct Obstacle {
    /// Plan key with its value, or path of a parameter, input or output with its layout.
    pub part: String,
    /// Reason, as a clause.
    pub reason: String,
    /// Location of the part, if the plan contains it.
    pub span: Option<Span>,
}

impl Obstacle {
    /// Creates an obstacle for a value of a plan key.
    fn of_key(key: &str, written: &SourceText, reason: impl Into<String>) -> Obstacle {
        Obstacle { part: format!("`{key} {}`", written.text.trim()), reason: reason.into(), span: Some(written.span()) }
    }

    /// Creates an obstacle for values that a mesh axis must shard.
    pub(crate) fn of_fixed_axis(entry: &PlanEntry) -> Obstacle {
        let part = format!("`{}={}`", entry.path.text.trim(), entry.text.text.trim());
        let reason = "presets determine the layouts of all parameters".to_owned();
        Obstacle { part, reason, span: Some(entry.text.span()) }
    }

    /// Creates an obstacle for a part that no single plan entry specifies.
    fn of_part(part: impl Into<String>, reason: impl Into<String>) -> Obstacle {
        Obstacle { part: part.into(), reason: reason.into(), span: None }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.reason)
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
    /// Repeated layers. `None` if the model has fewer than four equal layers.
    layers: Option<ModelLayers>,
}

impl TargetRules {
    /// Creates the rules for a traced program, the step that is derived from it, and the classes of its dimensions.
    pub fn new(target: Target, program: &Program, step: &Program, classes: &DimClasses) -> TargetRules {
        let layers = if target == Target::Megatron { ModelLayers::find(program) } else { None };
        TargetRules { target, heads: megatron::heads(step, classes), layers }
    }

    /// Returns the target.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Returns the repeated layers if stages need equal numbers of them. `None` for a target without this restriction.
    pub(crate) fn equal_layers(&self) -> Option<&ModelLayers> {
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
            Target::Megatron => megatron::plan_obstacles(self, plan, &config),
        }
    }

    /// Returns the parts of a lowered plan that the target cannot express, in addition to those of
    /// [`TargetRules::of_plan`].
    pub fn of_pipeline(&self, plan: &Plan, pipeline: &Pipeline) -> Vec<Obstacle> {
        match self.target {
            Target::Jax | Target::Dtensor => self.layout_obstacles(plan, pipeline),
            Target::Megatron => megatron::pipeline_obstacles(self, plan, pipeline),
        }
    }

    /// Returns the obstacles of [`TargetRules::of_pipeline`] that do not depend on the number of layers.
    pub(crate) fn of_short_pipeline(&self, plan: &Plan, pipeline: &Pipeline) -> Vec<Obstacle> {
        match self.target {
            Target::Jax | Target::Dtensor => self.layout_obstacles(plan, pipeline),
            Target::Megatron => megatron::preset_use_obstacles(plan),
        }
    }

    /// Returns an obstacle if the target needs equal numbers of layers in all chunks, and `sizes` differ.
    pub(crate) fn unequal_layers(&self, sizes: &[usize]) -> Option<Obstacle> {
        megatron::unequal_stages(self.layers.as_ref()?.count(), sizes)
    }

    /// Returns the obstacles in the layouts of parameters, inputs and outputs.
    fn layout_obstacles(&self, plan: &Plan, pipeline: &Pipeline) -> Vec<Obstacle> {
        let params = pipeline.chunks.iter().flat_map(|chunk| chunk.program.params.values());
        let params = params.filter(|param| param.kind == ParamKind::Trainable && dtensor::gathers_parameters(plan));
        let gathered: BTreeSet<&str> = params.map(|param| param.path.as_str()).collect();
        let obstacle = |(name, cell, mesh): (&str, &Cell, &DeviceMesh)| {
            let layout = cell.layout.as_deref()?;
            let reason = self.value_obstacle(&cell.ty, layout, mesh, gathered.contains(name))?;
            let text = partita_ir::plan::layout_text(layout, mesh);
            Some(Obstacle::of_part(format!("`{name}` with the layout `{text}`"), reason))
        };
        boundary_values(pipeline).filter_map(obstacle).collect()
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
            Target::Megatron => None,
        }
    }

    /// Returns the error for obstacles in the user's plan.
    pub(crate) fn written_error(&self, obstacles: &[Obstacle]) -> Diagnostic {
        let title = format!("`--target {}` cannot express {}", self.target, list(obstacles));
        let mut error = Diagnostic::new(Code::L019, title);
        for obstacle in obstacles {
            error = match &obstacle.span {
                Some(span) => error.label(span.clone(), obstacle.reason.clone()),
                None => error.note(obstacle.to_string()),
            };
        }
        error.help("remove the setting, or search without `--target`")
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
