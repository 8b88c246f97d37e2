//! Evaluation of plans: each plan is lowered, and its step is simulated.

use crate::autotune::{self, StepCost, StepShares, VariantChoice};
use crate::depth::DepthModel;
use crate::limits::{RefinementLimits, SearchLimits};
use crate::monitor::{Monitor, Progress};
use crate::plan_step::{StepKey, stages_of, step, step_key, with_recompute};
use crate::problem::SearchProblem;
use crate::stage_paths::stage_paths;
use crate::target::Obstacle;
use crate::write;
use indexmap::IndexMap;
use partita_cost::placement::Placement;
use partita_cost::step::{PredictError, StagePrediction, predict_with_prices};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::units::{format_bytes, format_seconds};
use partita_machine::Machine;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelining::stages;
use partita_passes::training::micro_batches;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// A plan with its simulated step.
#[derive(Clone, Debug)]
pub struct SimulatedPlan {
    /// The plan.
    pub plan: Plan,
    /// Mesh of each stage.
    pub mesh: String,
    /// Number of stages.
    pub stages: usize,
    /// Number of micro-batches.
    pub micro_batches: u64,
    /// Recomputation level, one of [`crate::RECOMPUTE_LEVELS`].
    pub recompute: &'static str,
    /// Name of the schedule. `None` for a single stage without a schedule.
    pub schedule: Option<String>,
    /// Simulated step time in seconds.
    pub seconds: f64,
    /// Maximum peak memory of any device in bytes.
    pub peak: u64,
    /// Peak memory of a device of each stage in bytes.
    pub stage_peaks: Vec<u64>,
    /// Number of devices.
    pub devices: usize,
    /// Layouts of parameters, optimizer state and inputs, for each path.
    pub layouts: IndexMap<String, String>,
    /// Stages as lists of paths, if the plan states only their number and was lowered in full.
    pub(crate) stage_paths: Option<String>,
    /// Parts of the step time. `None` if time and memory are extrapolated from models with few layers.
    pub shares: Option<StepShares>,
}

impl SimulatedPlan {
    /// Returns true if `other` takes almost the same time on fewer devices.
    fn has_idle_devices(&self, other: &SimulatedPlan) -> bool {
        let difference = (other.seconds - self.seconds).abs();
        other.devices < self.devices && difference <= SearchLimits::TUNED.min_saving_of_devices * self.seconds
    }

    /// Returns true if time and memory are extrapolated from models with few layers.
    pub fn is_estimate(&self) -> bool {
        self.shares.is_none()
    }
}

impl fmt::Display for SimulatedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SimulatedPlan { mesh, stages, micro_batches, recompute, seconds, peak, .. } = self;
        write!(f, "stages: {stages}, mesh: {mesh}, micro-batches: {micro_batches}, recompute: {recompute}: ")?;
        write!(f, "{}, {}", format_seconds(*seconds), format_bytes(*peak))
    }
}

/// A simulated plan and the number of ops of its step, or errors.
pub(crate) type SimulationResult = Result<(SimulatedPlan, usize), Vec<Diagnostic>>;

/// Evaluator of plans, with a cache of previous results.
pub(crate) struct Evaluator<'a> {
    pub(crate) problem: SearchProblem<'a>,
    machine: Arc<Machine>,
    /// Models with few layers, if the program has many equal layers.
    pub(crate) depth: Option<Arc<DepthModel>>,
    /// Steps built so far, or the errors of those that cannot be built.
    steps: BTreeMap<StepKey, Result<Program, Vec<Diagnostic>>>,
    /// Plans simulated in advance, keyed by their text.
    prefetched: BTreeMap<String, SimulationResult>,
    /// Seconds and peak memory of each plan, keyed by its text. `None` for a plan that cannot be lowered.
    results: BTreeMap<String, Option<(f64, u64)>>,
    /// Requested plans that could be lowered, in the order of evaluation.
    pub(crate) plans: Vec<SimulatedPlan>,
    /// Total number of ops of the simulated steps.
    pub(crate) ops: usize,
    /// Errors of the last plan that could not be lowered.
    last_errors: Option<Vec<Diagnostic>>,
    /// Time at which simulations of further plans are abandoned.
    deadline: Option<Instant>,
    /// True if selective recomputation saves no memory because the model has no quadratic activations.
    selective_is_useless: bool,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(problem: SearchProblem<'a>, deadline: Option<Instant>) -> Evaluator<'a> {
        let machine = Arc::new(problem.machine().clone());
        let (steps, prefetched, results) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (plans, ops, last_errors, selective_is_useless) = (Vec::new(), 0, None, false);
        let depth = DepthModel::new(problem.program, problem.constraints.template()).map(Arc::new);
        Evaluator {
            problem,
            machine,
            depth,
            steps,
            prefetched,
            results,
            plans,
            ops,
            last_errors,
            deadline,
            selective_is_useless,
        }
    }

    /// Returns true if a plan fits into memory.
    pub(crate) fn fits(&self, plan: &SimulatedPlan) -> bool {
        plan.peak <= self.problem.memory
    }

    /// Returns the seconds of the fastest plan that fits. Infinite if none does.
    pub(crate) fn fastest(&self) -> f64 {
        self.plans.iter().filter(|plan| self.fits(plan)).map(|plan| plan.seconds).fold(f64::INFINITY, f64::min)
    }

    /// Returns the progress of the search.
    pub(crate) fn progress(&self) -> Progress {
        let best = Some(self.fastest()).filter(|best| best.is_finite());
        Progress { simulated: self.plans.len(), best, bound: None }
    }

    /// Returns true if a plan has been evaluated.
    pub(crate) fn has_evaluated(&self, plan: &Plan) -> bool {
        self.results.contains_key(&plan.to_toml())
    }

    /// Returns true if the target can express the settings of a plan.
    pub(crate) fn is_expressible(&self, plan: &Plan) -> bool {
        self.problem.target.is_none_or(|target| target.of_plan(plan).is_empty())
    }

    /// Simulates plans in parallel before they are requested, each with its recomputation level. Plans that the target
    /// cannot express are skipped.
    pub(crate) fn simulate_ahead(&mut self, mut plans: Vec<(Plan, &'static str)>) {
        plans.retain(|(plan, _)| self.is_expressible(plan));
        let estimate =
            |(plan, recompute): &(Plan, &'static str)| Some((plan.to_toml(), self.estimate(plan, recompute)?));
        let estimated: Vec<Option<(String, SimulationResult)>> = plans.par_iter().map(estimate).collect();
        let left = plans.into_iter().zip(&estimated).filter(|(_, estimate)| estimate.is_none());
        let mut plans: Vec<(Plan, &'static str)> = left.map(|(plan, _)| plan).collect();
        let is_large = self.problem.program.ops.len() > RefinementLimits::TUNED.large_ops;
        if is_large && estimated.iter().any(Option::is_some) {
            // Lowering a plan of a deep model takes as long as many estimates. Its neighbours have estimates.
            let unknown = Diagnostic::new(Code::G001, "the plan has no estimate on few layers");
            self.prefetched.extend(plans.drain(..).map(|(plan, _)| (plan.to_toml(), Err(unknown.clone().into()))));
        }
        self.prefetched.extend(estimated.into_iter().flatten());
        let missing: BTreeMap<StepKey, &Plan> = plans.iter().map(|(plan, _)| (step_key(plan), plan)).collect();
        let missing: Vec<(StepKey, &Plan)> =
            missing.into_iter().filter(|(key, _)| !self.steps.contains_key(key)).collect();
        let problem = self.problem;
        let steps: Vec<Result<Program, _>> = missing.par_iter().map(|(_, plan)| step(&problem, plan)).collect();
        self.steps.extend(missing.into_iter().zip(steps).map(|((key, _), step)| (key, step)));
        let deadline = self.deadline.filter(|_| !self.plans.is_empty());
        let simulate = |(plan, recompute): &(Plan, &'static str)| {
            (plan.to_toml(), self.lower_and_simulate_until(plan, recompute, deadline))
        };
        let simulated: Vec<(String, SimulationResult)> = plans.par_iter().map(simulate).collect();
        self.prefetched.extend(simulated);
    }

    /// Returns the seconds and peak memory of a plan. Returns `None` if it cannot be lowered.
    pub(crate) fn evaluate(&mut self, plan: Plan, recompute: &'static str) -> Option<(f64, u64)> {
        let text = plan.to_toml();
        if let Some(&result) = self.results.get(&text) {
            return result;
        }
        if !self.problem.space.allow(&plan, recompute) || !self.is_expressible(&plan) {
            return None;
        }
        if !self.prefetched.contains_key(&text) {
            self.simulate_ahead(vec![(plan.clone(), recompute)]);
        }
        let simulated = self.prefetched.remove(&text).unwrap_or_else(|| self.lower_and_simulate(&plan, recompute));
        let evaluated = match simulated {
            Ok((simulated, ops)) => {
                self.ops += ops;
                let evaluated = (simulated.seconds, simulated.peak);
                self.plans.push(simulated);
                Some(evaluated)
            }
            Err(errors) => {
                self.last_errors = Some(errors);
                None
            }
        };
        self.results.insert(text, evaluated);
        evaluated
    }

    /// Returns the seconds of a plan with the first recomputation level that fits. Infinite if none fits, or if a level
    /// that does not fit is much slower than the fastest plan. Removes the levels that do not fit from `levels`, except
    /// the last one.
    pub(crate) fn evaluate_fitting(&mut self, plan: Plan, levels: &mut &'static [&'static str]) -> f64 {
        let mut first = None;
        while let Some(&level) = levels.first() {
            let is_pointless = level == "selective" && first.is_some() && self.selective_is_useless;
            if !is_pointless {
                let Some((seconds, peak)) = self.evaluate(with_recompute(plan.clone(), level), level) else { break };
                if peak <= self.problem.memory {
                    return seconds;
                }
                if seconds > RefinementLimits::TUNED.time_slack * self.fastest() {
                    break;
                }
                self.selective_is_useless |= level == "selective" && first == Some((seconds, peak));
                first = first.or(Some((seconds, peak)));
            }
            match levels {
                [_, left @ ..] if !left.is_empty() => *levels = left,
                _ => break,
            }
        }
        f64::INFINITY
    }

    /// Sorts the plans by fit, step time, number of devices and length of the plan, and removes those
    /// with the figures of another one, which are the same plan in other words.
    fn rank_distinct(&mut self) {
        let memory = self.problem.memory;
        self.plans.sort_by_cached_key(|one| rank(one, memory));
        let figures =
            |one: &SimulatedPlan| (one.seconds.to_bits(), one.peak, one.devices, one.stages, one.micro_batches);
        self.plans.dedup_by(|b, a| figures(a) == figures(b));
    }

    /// Returns a plan with fewer entries that states the same layouts.
    pub(crate) fn shortened(&self, plan: &Plan) -> Plan {
        let template = self.problem.constraints.template();
        if plan.shards.len() <= template.shards.len() + 1 {
            return plan.clone();
        }
        let shallow = self.depth.as_ref().and_then(|depth| depth.shallow_step(&self.problem, plan));
        let step = shallow.map_or_else(|| step(&self.problem, plan), Ok);
        step.map_or_else(|_| plan.clone(), |step| write::shortened(plan, template, &step))
    }

    /// Removes and returns all plans that differ in more than the size of buckets and idle devices, at least one,
    /// sorted by fit, step time, number of devices and length of the plan.
    ///
    /// # Errors
    /// Returns the errors of the last plan if no plan can be lowered.
    pub(crate) fn take_ranked(&mut self) -> Result<Vec<SimulatedPlan>, Vec<Diagnostic>> {
        if self.plans.is_empty() {
            let source = &self.problem.program.source;
            let none = || match self.problem.target {
                Some(target) => target.empty_error(source, &[]),
                None => Diagnostic::new(Code::G001, format!("no plan found for `{source}` can be executed")),
            };
            return Err(self.last_errors.take().unwrap_or_else(|| none().into()));
        }
        self.rank_distinct();
        let mut known = BTreeSet::new();
        self.plans.retain(|one| known.insert(distinction(one)));
        Ok(without_idle_devices(std::mem::take(&mut self.plans), self.problem.memory))
    }

    /// Lowers a plan in full and simulates it.
    pub(crate) fn lower_and_simulate(&self, plan: &Plan, recompute: &'static str) -> SimulationResult {
        self.lower_and_simulate_until(plan, recompute, None)
    }

    /// Lowers a plan in full and simulates it. At the deadline, returns an error instead.
    fn lower_and_simulate_until(
        &self,
        plan: &Plan,
        recompute: &'static str,
        deadline: Option<Instant>,
    ) -> SimulationResult {
        match self.steps.get(&step_key(plan)) {
            Some(Ok(step)) => self.simulate(step, plan, recompute, deadline),
            Some(Err(errors)) => Err(errors.clone()),
            None => self.simulate(&step(&self.problem, plan)?, plan, recompute, deadline),
        }
    }

    /// Estimates a plan on models with few layers, if possible.
    pub(crate) fn estimate(&self, plan: &Plan, recompute: &'static str) -> Option<SimulationResult> {
        let estimate = self.depth.as_ref()?.estimate(&self.problem, &self.machine, plan)?;
        if let Some(error) = self.target_error(&estimate.obstacles) {
            return Some(Err(error.into()));
        }
        let stages = stages_of(plan).ok()?;
        let is_scheduled = !stages.is_single() || plan.schedule.is_some();
        let simulated = SimulatedPlan {
            plan: plan.clone(),
            mesh: estimate.mesh,
            stages: stages.cuts.count(),
            micro_batches: estimate.micro_batches,
            recompute,
            schedule: is_scheduled.then(|| stages.kind.to_string()),
            seconds: estimate.seconds,
            peak: estimate.peak,
            stage_peaks: estimate.stage_peaks,
            devices: estimate.devices,
            layouts: IndexMap::new(),
            stage_paths: None,
            shares: None,
        };
        Some(Ok((simulated, estimate.ops)))
    }

    /// Returns the error for a plan that the target cannot express, or `None` if there are no obstacles.
    fn target_error(&self, obstacles: &[Obstacle]) -> Option<Diagnostic> {
        let target = self.problem.target.filter(|_| !obstacles.is_empty())?;
        Some(target.empty_error(&self.problem.program.source, obstacles))
    }

    /// Returns true if a plan could not be lowered.
    pub(crate) fn has_errors(&self) -> bool {
        self.last_errors.is_some()
    }

    /// Returns a plan with lists of paths instead of the number of stages, unless it is then slower or needs too much
    /// memory. A plan whose time is an estimate is not changed.
    pub(crate) fn with_stage_paths(&self, found: SimulatedPlan) -> SimulatedPlan {
        let Some(plan) = found.stage_paths.clone().map(|paths| found.plan.clone().pipeline(paths)) else {
            return found;
        };
        let limit = RefinementLimits::TUNED.stage_slack * found.seconds;
        match self.lower_and_simulate(&plan, found.recompute) {
            Ok((cut, _)) if cut.seconds <= limit && (self.fits(&cut) || cut.peak <= found.peak) => cut,
            Ok(_) | Err(_) => found,
        }
    }

    /// Lowers the best plans in full if their time is an estimate, until the best `count` plans are exact, or until the
    /// search is stopped. The best plan of a model that is not very large is exact in any case.
    pub(crate) fn verify(&mut self, count: usize, monitor: &mut Monitor<'_>) {
        loop {
            self.rank_distinct();
            let first = self.plans.iter().take(count).position(SimulatedPlan::is_estimate);
            let is_quick = self.problem.program.ops.len() <= RefinementLimits::TUNED.large_ops;
            let must_verify = |&at: &usize| (at == 0 && is_quick) || monitor.should_continue(&self.progress());
            let Some(at) = first.filter(must_verify) else { return };
            let estimate = self.plans.remove(at);
            match self.lower_and_simulate(&estimate.plan, estimate.recompute) {
                Ok((exact, _)) => self.add_exact(estimate, exact),
                Err(errors) => self.last_errors = Some(errors),
            }
        }
    }

    /// Adds a plan that was lowered in full. If it does not keep what its estimate promised, the stages of the estimate
    /// and, for too little memory, more recomputation are evaluated as well.
    fn add_exact(&mut self, estimate: SimulatedPlan, exact: SimulatedPlan) {
        let SimulatedPlan { plan, recompute, seconds, .. } = estimate;
        let is_underestimated = estimate.peak <= self.problem.memory && !self.fits(&exact);
        let is_slower = exact.seconds > RefinementLimits::TUNED.estimate_slack * seconds;
        self.plans.push(exact);
        if is_underestimated || is_slower {
            let depth = self.depth.as_ref();
            let whole = depth.and_then(|depth| depth.with_whole_layers(&self.problem, &self.machine, &plan));
            let lowered = whole.map(|plan| self.lower_and_simulate(&plan, recompute));
            let lowered = lowered.and_then(Result::ok).map(|(exact, _)| exact);
            let suffices = lowered.as_ref().is_some_and(|exact| self.fits(exact));
            self.plans.extend(lowered);
            if is_underestimated && !suffices {
                self.evaluate_recomputing_more(plan, recompute);
            }
        }
    }

    /// Evaluates a plan with the levels of recomputation after `recompute`, up to the first that fits.
    fn evaluate_recomputing_more(&mut self, plan: Plan, recompute: &str) {
        let levels = self.problem.constraints.recompute_levels(false);
        let more = levels.iter().position(|level| *level == recompute).map(|at| &levels[at + 1..]);
        if let Some(mut more) = more {
            self.evaluate_fitting(plan, &mut more);
        }
    }

    /// Simulates a plan with an existing step, in draft mode. At the deadline, returns an error instead.
    fn simulate(
        &self,
        step: &Program,
        plan: &Plan,
        recompute: &'static str,
        deadline: Option<Instant>,
    ) -> SimulationResult {
        let SearchProblem { prices, efficiencies, .. } = self.problem;
        let machine = prices.machine();
        let input =
            Input { plan: plan.clone(), machine: Some(self.machine.clone()), is_draft: true, ..Input::default() };
        let (stages, mut findings) = (stages_of(plan)?, Findings::default());
        let pipeline = stages::pipeline(step, &stages, &input, &mut findings, &mut |_| match deadline {
            Some(deadline) if Instant::now() >= deadline => {
                Err(Diagnostic::new(Code::G001, "the time limit was reached"))
            }
            Some(_) | None => Ok(()),
        })?;
        let obstacles = self.problem.target.map(|target| target.of_pipeline(plan, &pipeline));
        if let Some(error) = self.target_error(&obstacles.unwrap_or_default()) {
            return Err(error.into());
        }
        let failed = |failure: PredictError| Diagnostic::new(Code::H002, format!("on `{}`: {failure}", machine.name));
        let map = findings.plan(&input.plan).mesh_axis_order()?;
        let placement = Placement::for_pipeline(&pipeline, machine, &map).map_err(|error| failed(error.into()))?;
        let prediction = predict_with_prices(&pipeline, prices, &placement, efficiencies).map_err(failed)?;
        let is_scheduled = pipeline.schedule.stages > 1 || plan.schedule.is_some();
        let simulated = SimulatedPlan {
            mesh: pipeline.list_meshes(),
            stages: pipeline.schedule.stages,
            micro_batches: micro_batches::micro_batch_count(step),
            recompute,
            schedule: is_scheduled.then(|| pipeline.schedule.name.to_string()),
            seconds: prediction.seconds,
            peak: prediction.peak_bytes(),
            stage_peaks: prediction.stages.iter().map(StagePrediction::device_bytes).collect(),
            devices: prediction.devices,
            layouts: pipeline.input_layouts(),
            stage_paths: stage_paths(self.problem.program, plan, &pipeline),
            plan: plan.clone(),
            shares: Some(StepShares::from_prediction(&prediction)),
        };
        Ok((simulated, step.ops.len()))
    }
}

/// Returns the key by which plans are ranked: fit, step time, number of devices, and length of the plan.
fn rank(plan: &SimulatedPlan, memory: u64) -> (bool, u64, usize, usize) {
    (plan.peak > memory, plan.seconds.to_bits(), plan.devices, plan.plan.to_toml().len())
}

/// Returns the text by which plans differ in more than the size of buckets and, in one stage, the schedule.
fn distinction(simulated: &SimulatedPlan) -> String {
    let mut plan = Plan { bucket: None, ..simulated.plan.clone() };
    if simulated.stages == 1 {
        plan = Plan { schedule: None, pipeline: None, ..plan };
    }
    plan.to_toml()
}

/// Returns the plans without those that take almost the same time as another one that fits on fewer devices.
pub(crate) fn without_idle_devices(plans: Vec<SimulatedPlan>, memory: u64) -> Vec<SimulatedPlan> {
    let is_idle = |one: &SimulatedPlan| plans.iter().any(|other| one.has_idle_devices(other) && other.peak <= memory);
    let idle: Vec<bool> = plans.iter().map(is_idle).collect();
    plans.into_iter().zip(idle).filter(|(_, is_idle)| !is_idle).map(|(one, _)| one).collect()
}

/// Returns the plan with the predicted cost of its best lowering variant. Takes several times as long as the default
/// lowering. Returns the plan unchanged if no variant is faster or the step is too large.
pub(crate) fn autotuned(problem: &SearchProblem<'_>, simulated: SimulatedPlan) -> SimulatedPlan {
    let SimulatedPlan { seconds, peak, shares, .. } = simulated;
    let known = shares.map(|shares| StepCost { seconds, peak, shares });
    let choice = || -> Result<Option<VariantChoice>, Vec<Diagnostic>> {
        let step = step(problem, &simulated.plan)?;
        let machine = Some(Arc::new(problem.machine().clone()));
        let input = Input { machine, is_draft: true, ..Input::with_plan(simulated.plan.clone()) };
        let stages = stages_of(&simulated.plan)?;
        autotune::choose_variant(&step, &stages, &input, (problem.prices, problem.efficiencies), known)
    };
    match choice() {
        Ok(Some(VariantChoice { cost: StepCost { seconds, peak, shares }, .. }))
            if seconds < simulated.seconds && peak <= problem.memory.max(simulated.peak) =>
        {
            SimulatedPlan { seconds, peak, shares: Some(shares), ..simulated }
        }
        _ => simulated,
    }
}
