//! Estimates of plans on models with few layers.
//!
//! The time and memory of a step are affine in the number of equal layers. A plan that treats all layers equally is
//! lowered for two models with few layers, and the results are extrapolated. For a pipeline, these models are cut into
//! two stages, whose costs determine those of any number of stages ([`LayeredCosts`]). The result differs from that of
//! the full model by less than the differences between plans that matter; the plans that a search returns are lowered
//! in full.

#[cfg(test)]
mod tests;

use crate::intra_op::{ChosenLayouts, with_equal_layers};
use crate::plan_step::{StepKey, stages_of, step_key, without_budget};
use crate::problem::SearchProblem;
use crate::target::{ModelLayers, Obstacle};
use partita_cost::placement::{AxisLoads, Placement};
use partita_cost::step::layered::{LayeredCosts, ShortPipeline};
use partita_cost::step::predict_with_prices;
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::path::Pattern;
use partita_ir::plan::pipeline::{PipelineConfig, StageSplit};
use partita_ir::plan::{Plan, SourceText};
use partita_ir::program::Program;
use partita_ir::schedule::check::check;
use partita_ir::schedule::{ScheduleKind, StepWork};
use partita_machine::Machine;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use partita_passes::pipelining::schedule::{ScheduleInput, build};
use partita_passes::pipelining::stages;
use partita_passes::planning::reduce_depth::{ReducedDepth, RepeatedLayers};
use partita_passes::training::micro_batches::micro_batch_count;
use smol_str::SmolStr;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Numbers of layers of the two models.
const SHORT_LAYERS: [usize; 2] = [2, 4];

/// Minimum number of layers of a model for which two models with fewer layers are cheaper.
const MIN_LAYERS: usize = 6;

/// Minimum number of layers of a model whose plans with entries for values are estimated, and whose layouts are chosen
/// for few layers. With fewer layers, lowering these plans in full costs little time and is exact.
const MIN_NAMED_LAYERS: usize = 16;

/// Models with few layers, which represent a deep model.
pub(crate) struct DepthModel {
    short: [ReducedDepth; 2],
    /// Layers of the full model.
    layers: RepeatedLayers,
    /// Paths of the parameters of these layers.
    layer_paths: ModelLayers,
    /// Path of each layer, such as `blocks.3`, which is the prefix of the names of its values. `None` if the layers
    /// have no names, or are few.
    layer_names: Option<Vec<String>>,
    /// Costs of pipelines with two stages, keyed by the plan without stages and schedule, and by true if the backward
    /// pass is split.
    pipelines: Mutex<BTreeMap<(String, bool), KnownCosts>>,
    /// Steps of the short models, keyed by the plan entries that they depend on.
    steps: Mutex<BTreeMap<StepKey, KnownSteps>>,
}

/// Costs of two short pipelines, and the obstacles in their layouts. `None` if they cannot be lowered.
type KnownCosts = Option<Arc<(LayeredCosts, Vec<Obstacle>)>>;

/// Steps of the short models. `None` if they cannot be built.
type KnownSteps = Option<Arc<[Program; 2]>>;

/// Estimated time and memory of a step.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StepEstimate {
    pub(crate) seconds: f64,
    pub(crate) peak: u64,
    /// Peak memory of a device of each stage.
    pub(crate) stage_peaks: Vec<u64>,
    pub(crate) devices: usize,
    pub(crate) mesh: String,
    pub(crate) micro_batches: u64,
    /// Number of ops of the lowered steps.
    pub(crate) ops: usize,
    /// Parts of the lowered plan that the target cannot express.
    pub(crate) obstacles: Vec<Obstacle>,
}

impl DepthModel {
    /// Creates the models for a traced program. Returns `None` if it has few layers, or decisions in the plan apply to
    /// some layers only.
    pub(crate) fn new(program: &Program, template: &Plan) -> Option<DepthModel> {
        let layers = RepeatedLayers::find(program)?;
        if layers.count() < MIN_LAYERS {
            return None;
        }
        let short = SHORT_LAYERS.map(|kept| layers.reduced(program, kept));
        let layer_paths = ModelLayers::new(program, &layers);
        let layer_names = layers.paths(program).filter(|names| names.len() >= MIN_NAMED_LAYERS);
        let (pipelines, steps) = (Mutex::default(), Mutex::default());
        let model = DepthModel { short, layers, layer_paths, layer_names, pipelines, steps };
        model.treats_layers_equally(template, program).then_some(model)
    }

    /// Returns true if the model has many layers, whose values have names, so that plans for few layers apply to it.
    pub(crate) fn has_named_layers(&self) -> bool {
        self.layer_names.is_some()
    }

    /// Returns the problem for the longer of the models, with a memory limit in proportion to its parameters.
    pub(crate) fn shallow<'s>(&'s self, problem: &SearchProblem<'s>) -> SearchProblem<'s> {
        let bytes =
            |program: &Program| program.params.values().map(|param| program.ty(param.value).bytes()).sum::<u64>();
        let [_, ReducedDepth { program, .. }] = &self.short;
        let share = bytes(program) as f64 / bytes(problem.program).max(1) as f64;
        SearchProblem { program, memory: (problem.memory as f64 * share) as u64, ..*problem }
    }

    /// Returns the layouts of one layer for all layers of the problem of [`DepthModel::shallow`].
    pub(crate) fn with_equal_layers(&self, found: &ChosenLayouts, program: &Program) -> ChosenLayouts {
        match &self.layer_names {
            Some(names) => with_equal_layers(found, program, &names[..SHORT_LAYERS[1]]),
            None => found.clone(),
        }
    }

    /// Estimates a plan. Returns `None` if the plan does not treat all layers equally, or cannot be lowered for the
    /// short models.
    pub(crate) fn estimate(
        &self,
        problem: &SearchProblem<'_>,
        machine: &Arc<Machine>,
        plan: &Plan,
    ) -> Option<StepEstimate> {
        if !self.treats_layers_equally(plan, problem.program) {
            return None;
        }
        let steps = self.steps(plan)?;
        let how = stages_of(plan).ok()?;
        let estimate = Estimation { model: self, problem, machine, plan, steps: &steps };
        if how.is_single() { estimate.single_stage(&how) } else { estimate.pipeline(&how) }
    }

    /// Returns a plan that divides the layers among the chunks of its pipeline as its estimate assumes. `None` if the
    /// plan has no pipeline, or states the stages itself.
    pub(crate) fn with_whole_layers(
        &self,
        problem: &SearchProblem<'_>,
        machine: &Arc<Machine>,
        plan: &Plan,
    ) -> Option<Plan> {
        let (steps, how) = (self.steps(plan)?, stages_of(plan).ok()?);
        let StageSplit::Count(stages) = how.cuts else { return None };
        let chunks = stages * how.kind.chunks_per_stage();
        if chunks < 2 || chunks > self.layers.count() {
            return None;
        }
        let costs = Estimation { model: self, problem, machine, plan, steps: &steps }.layered_costs(&how)?;
        let layers = costs.0.balanced_layers(chunks, self.layers.count());
        Some(plan.clone().pipeline(self.layer_paths.chunks(&layers)))
    }

    /// Returns true if no entry of a plan names a single layer, or a value whose name depends on the depth.
    fn treats_layers_equally(&self, plan: &Plan, program: &Program) -> bool {
        // All fields are listed, so that a new one with paths is not forgotten.
        let Plan {
            shards,
            stores,
            attention,
            remat,
            precision,
            names,
            allow_reshard,
            no_padding,
            hold,
            freeze,
            train_only,
            mesh: _,
            stage_meshes: _,
            presets: _,
            rules: _,
            train: _,
            bucket: _,
            pipeline: _,
            schedule: _,
            micro_batches: _,
            replicas: _,
            map: _,
            overlap: _,
            budget: _,
        } = plan;
        let entries =
            [shards, stores, attention, remat, precision, names].into_iter().flatten().map(|entry| &entry.path);
        let lists = [allow_reshard, no_padding, hold, freeze, train_only].into_iter().flatten();
        let is_general = |path: &SourceText| {
            let text = path.text.trim();
            if let Some(name) = text.strip_prefix('%') {
                return self.layer_names.as_ref().is_some_and(|layers| names_all_or_none(name, layers));
            }
            let names_layer = text.split('.').any(|part| part.parse::<u32>().is_ok());
            (!names_layer || text.starts_with("input.")) && self.layers.is_uniform(program, text)
        };
        entries.chain(lists).all(is_general)
    }

    /// Returns the step of the longer of the models for a plan. `None` if the plan does not treat all layers equally.
    pub(crate) fn shallow_step(&self, problem: &SearchProblem<'_>, plan: &Plan) -> Option<Program> {
        let steps = self.treats_layers_equally(plan, problem.program).then(|| self.steps(plan))??;
        Some(steps[1].clone())
    }

    /// Returns the steps of the short models.
    fn steps(&self, plan: &Plan) -> Option<Arc<[Program; 2]>> {
        let key = step_key(plan);
        if let Some(known) = self.steps.lock().ok()?.get(&key) {
            return known.clone();
        }
        let step = |short: &ReducedDepth| {
            let mut step = short.program.clone();
            let (input, mut findings) = (Input::with_plan(without_budget(plan)), Findings::default());
            pipelines::build_step(&mut step, &input, &mut findings).ok()?;
            Some(step)
        };
        let [first, second] = self.short.each_ref().map(step);
        let steps = first.zip(second).map(|(first, second)| Arc::new([first, second]));
        self.steps.lock().ok()?.insert(key, steps.clone());
        steps
    }
}

/// Returns true if a name or glob of values names values of all layers or of none.
fn names_all_or_none(name: &str, layers: &[String]) -> bool {
    let depth = layers.first().map_or(0, |layer| layer.split('.').count());
    let inner: Vec<&str> = name.split('.').skip(depth).collect();
    let inner = inner.join(".");
    let is_match = |layer: &String| !inner.is_empty() && Pattern::new(name).matches(&format!("{layer}.{inner}"));
    let matches = layers.iter().filter(|layer| is_match(layer)).count();
    matches == 0 || matches == layers.len()
}

/// Estimation of one plan.
struct Estimation<'a> {
    model: &'a DepthModel,
    problem: &'a SearchProblem<'a>,
    machine: &'a Arc<Machine>,
    plan: &'a Plan,
    /// Steps of the short models.
    steps: &'a [Program; 2],
}

impl Estimation<'_> {
    fn input(&self) -> Input {
        Input {
            plan: without_budget(self.plan),
            machine: Some(self.machine.clone()),
            is_draft: true,
            ..Input::default()
        }
    }

    /// Extrapolates the time and memory of a step with a single stage.
    fn single_stage(&self, how: &PipelineConfig) -> Option<StepEstimate> {
        let SearchProblem { prices, efficiencies, .. } = *self.problem;
        let [fewer, more] = self.steps.each_ref().map(|step| self.lower(step, how));
        let [fewer, more] = [fewer?, more?];
        let times = self.layers_beyond(SHORT_LAYERS[0]) / (SHORT_LAYERS[1] - SHORT_LAYERS[0]) as f64;
        let placement = self.placement([&fewer, &more], times)?;
        let predict = |pipeline| predict_with_prices(pipeline, prices, &placement, efficiencies).ok();
        let obstacles = self.problem.target.map_or(Vec::new(), |target| target.of_pipeline(self.plan, &more.pipeline));
        let (devices, mesh) = (more.pipeline.device_count(), more.pipeline.list_meshes());
        let [fewer, more] = [predict(&fewer.pipeline)?, predict(&more.pipeline)?];
        let [fewer, more] = [fewer, more].map(|step| (step.seconds, step.peak_bytes() as f64));
        let extrapolated = |fewer: f64, more: f64| fewer + times * (more - fewer).max(0.0);
        Some(StepEstimate {
            seconds: extrapolated(fewer.0, more.0),
            peak: extrapolated(fewer.1, more.1) as u64,
            stage_peaks: vec![extrapolated(fewer.1, more.1) as u64],
            devices,
            mesh,
            micro_batches: micro_batch_count(&self.steps[0]),
            ops: self.steps.iter().map(|step| step.ops.len()).sum(),
            obstacles,
        })
    }

    /// Simulates a pipeline with the costs of two short pipelines.
    fn pipeline(&self, how: &PipelineConfig) -> Option<StepEstimate> {
        if how.replicas > 1 || !how.meshes.is_empty() {
            return None;
        }
        let stages = how.cuts.count();
        let explicit = match &how.cuts {
            StageSplit::Count(_) => None,
            StageSplit::Explicit { chunks, .. } => Some(self.model.layer_paths.chunk_sizes(chunks)?),
        };
        // On a machine with different devices, the costs of stages differ.
        if stages < 2 || self.machine.kinds.len() > 1 || self.machine.nodes.len() > 1 {
            return None;
        }
        let costs = self.layered_costs(how)?;
        let chunks = stages * how.kind.chunks_per_stage();
        if chunks > self.model.layers.count() {
            return None;
        }
        let (costs, obstacles) = &*costs;
        let layers = explicit.unwrap_or_else(|| costs.balanced_layers(chunks, self.model.layers.count()));
        let unequal = self.problem.target.and_then(|target| target.unequal_layers(&layers));
        let work = StepWork::chain((0..chunks).map(|chunk| costs.chunk_work(chunk, chunks)).collect());
        let count = micro_batch_count(&self.steps[0]);
        let durations = vec![partita_ir::schedule::Durations::new(1.0, 1.0, 1.0); chunks];
        let input = ScheduleInput {
            stages,
            micro_batches: u32::try_from(count).ok()?,
            parts: &work,
            durations: &durations,
            max_in_flight: None,
        };
        let schedule = check(build(how.kind, &input), work).ok()?;
        let SearchProblem { prices, efficiencies, .. } = *self.problem;
        let step = costs.simulate(&schedule, &layers, prices, efficiencies).ok()?;
        let peaks =
            step.outcome.memory.iter().map(|memory| costs.device_bytes(u64::try_from(memory.peak).unwrap_or(0)));
        let stage_peaks: Vec<u64> = peaks.collect();
        Some(StepEstimate {
            seconds: step.seconds(),
            peak: stage_peaks.iter().copied().max().unwrap_or(0),
            stage_peaks,
            devices: stages * costs.stage_devices(),
            mesh: costs.mesh_text(),
            micro_batches: count,
            ops: self.steps.iter().map(|step| step.ops.len()).sum(),
            obstacles: obstacles.iter().cloned().chain(unequal).collect(),
        })
    }

    /// Returns the costs of two short pipelines with the layouts of the plan.
    fn layered_costs(&self, how: &PipelineConfig) -> KnownCosts {
        let splits = how.kind.splits_backward();
        let mut key = self.plan.clone();
        (key.schedule, key.pipeline) = (None, None);
        let key = (key.to_toml(), splits);
        if let Some(known) = self.model.pipelines.lock().ok()?.get(&key) {
            return known.clone();
        }
        let costs = self.lower_short_pipelines(how, splits).map(Arc::new);
        self.model.pipelines.lock().ok()?.insert(key, costs.clone());
        costs
    }

    fn lower_short_pipelines(&self, how: &PipelineConfig, splits: bool) -> Option<(LayeredCosts, Vec<Obstacle>)> {
        let SearchProblem { prices, efficiencies, .. } = *self.problem;
        let kind = if splits { ScheduleKind::ZbH1 } else { ScheduleKind::OneFOneB };
        let lower = |(step, short): (&Program, &ReducedDepth)| {
            self.lower(step, &PipelineConfig { cuts: halves(short), kind, ..how.clone() })
        };
        let [fewer, more] = [0, 1].map(|at| lower((&self.steps[at], &self.model.short[at])));
        let [fewer, more] = [fewer?, more?];
        let [layers, more_layers] = self.model.short.each_ref().map(|short| short.kept / 2);
        let times = self.layers_beyond(layers) / (more_layers - layers) as f64;
        let placement = self.placement([&fewer, &more], times)?;
        let obstacles =
            self.problem.target.map_or(Vec::new(), |target| target.of_short_pipeline(self.plan, &more.pipeline));
        let short = [
            ShortPipeline { pipeline: fewer.pipeline, layers },
            ShortPipeline { pipeline: more.pipeline, layers: more_layers },
        ];
        Some((LayeredCosts::new(short, prices, placement, efficiencies).ok()?, obstacles))
    }

    /// Lowers the step of a short model.
    fn lower(&self, step: &Program, how: &PipelineConfig) -> Option<LoweredShort> {
        let (input, mut findings) = (self.input(), Findings::default());
        let pipeline = stages::pipeline(step, how, &input, &mut findings, &mut |_| Ok(())).ok()?;
        let map = findings.plan(&input.plan).mesh_axis_order().ok()?;
        Some(LoweredShort { pipeline, map })
    }

    /// Returns the placement of two short models: the one of the full model, in which the layers determine the order
    /// of the axes.
    fn placement(&self, [fewer, more]: [&LoweredShort; 2], times: f64) -> Option<Placement> {
        let [some, others] = [fewer, more].map(|short| AxisLoads::new(&short.pipeline));
        Placement::for_loads(&more.pipeline, self.machine, &more.map, &some.extrapolated(&others, times)).ok()
    }

    /// Returns the number of layers that the full model has beyond `layers`.
    fn layers_beyond(&self, layers: usize) -> f64 {
        (self.model.layers.count() - layers) as f64
    }
}

/// Lowered step of a short model.
struct LoweredShort {
    pipeline: Pipeline,
    /// Order of the mesh axes on the machine that the plan states.
    map: Vec<SmolStr>,
}

/// Returns the cuts of a short model into two stages with the same number of layers.
fn halves(reduced: &ReducedDepth) -> StageSplit {
    let paths = |half: usize| {
        let of_half = |(param, repetition): (&partita_ir::program::Param, &Option<usize>)| {
            let is_inside = repetition.is_some_and(|repetition| 2 * repetition / reduced.kept == half);
            is_inside.then(|| SourceText::at_caller(param.path.to_string()))
        };
        reduced.program.params.values().zip(&reduced.param_repetitions).filter_map(of_half).collect()
    };
    StageSplit::Explicit { stages: 2, chunks: vec![paths(0), paths(1)] }
}
