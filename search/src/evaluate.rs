//! Evaluation of plans: each is lowered, and its step is simulated.

use crate::autotune;
use crate::problem::SearchProblem;
use indexmap::IndexMap;
use partita_cost::placement::Placement;
use partita_cost::step::{Failure, predict_by};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::pipeline::Pipelined;
use partita_ir::plan::{Plan, Written};
use partita_ir::program::Program;
use partita_ir::units::bytes;
use partita_machine::Machine;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use partita_passes::pipelining::stages;
use partita_passes::training::micro_batches;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Plan with its simulated step.
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
    /// Activations that are recomputed: `none`, `selective` or `full`.
    pub recompute: &'static str,
    /// Schedule of the tasks; `None` for a single stage without one.
    pub schedule: Option<String>,
    /// Simulated seconds of a step.
    pub seconds: f64,
    /// Peak memory of the fullest device, in bytes.
    pub peak: u64,
    /// Number of devices.
    pub devices: usize,
    /// Layouts of parameters, state and inputs, by path.
    pub layouts: IndexMap<String, String>,
}

impl fmt::Display for SimulatedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SimulatedPlan { mesh, stages, micro_batches, recompute, seconds, peak, .. } = self;
        write!(f, "stages: {stages}, mesh: {mesh}, micro-batches: {micro_batches}, recompute: {recompute}: ")?;
        write!(f, "{seconds:.6} s, {}", bytes(*peak))
    }
}

/// Keys of a plan that its step depends on: training, micro-batches, stages, and the schedule of a single stage.
type StepKey = [Option<String>; 4];

/// Simulated plan with the number of ops of its step.
type Simulated = Result<(SimulatedPlan, usize), Vec<Diagnostic>>;

/// Plans that are evaluated so far.
pub(crate) struct Evaluator<'a> {
    problem: SearchProblem<'a>,
    machine: Arc<Machine>,
    /// Steps that are made so far.
    steps: BTreeMap<StepKey, Program>,
    /// Plans that are simulated before they are asked for, by their text.
    ahead: BTreeMap<String, Simulated>,
    /// Seconds and peak memory by the text of a plan; `None` for a plan that cannot be lowered.
    known: BTreeMap<String, Option<(f64, u64)>>,
    /// Plans that were asked for and could be lowered, in the order of evaluation.
    pub(crate) plans: Vec<SimulatedPlan>,
    /// Ops of the simulated steps.
    pub(crate) ops: usize,
    /// Errors of the last plan that could not be lowered.
    refused: Option<Vec<Diagnostic>>,
    /// True if selective recomputation saves nothing, since nothing is quadratic.
    selects_nothing: bool,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(problem: SearchProblem<'a>) -> Evaluator<'a> {
        let machine = Arc::new(problem.machine().clone());
        let (steps, ahead, known) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (plans, ops, refused, selects_nothing) = (Vec::new(), 0, None, false);
        Evaluator { problem, machine, steps, ahead, known, plans, ops, refused, selects_nothing }
    }

    /// Returns whether a plan fits into memory.
    pub(crate) fn fits(&self, plan: &SimulatedPlan) -> bool {
        plan.peak <= self.problem.memory
    }

    /// Seconds of the fastest plan that fits; infinite if none does.
    pub(crate) fn fastest(&self) -> f64 {
        self.plans.iter().filter(|plan| self.fits(plan)).map(|plan| plan.seconds).fold(f64::INFINITY, f64::min)
    }

    /// Returns whether a plan has been evaluated.
    pub(crate) fn knows(&self, plan: &Plan) -> bool {
        self.known.contains_key(&plan.to_toml())
    }

    /// Simulates plans on all cores before they are evaluated, each with the activations that it recomputes.
    pub(crate) fn simulate_ahead(&mut self, plans: Vec<(Plan, &'static str)>) {
        let missing: BTreeMap<StepKey, &Plan> = plans.iter().map(|(plan, _)| (step_key(plan), plan)).collect();
        let missing: Vec<(StepKey, &Plan)> =
            missing.into_iter().filter(|(key, _)| !self.steps.contains_key(key)).collect();
        let problem = self.problem;
        let steps: Vec<Option<Program>> = missing.par_iter().map(|(_, plan)| step(&problem, plan).ok()).collect();
        self.steps.extend(missing.into_iter().zip(steps).filter_map(|((key, _), step)| Some((key, step?))));
        let simulate = |(plan, recompute): &(Plan, &'static str)| {
            let step = self.steps.get(&step_key(plan))?;
            Some((plan.to_toml(), self.simulate(step, plan, recompute)))
        };
        let simulated: Vec<Option<(String, Simulated)>> = plans.par_iter().map(simulate).collect();
        self.ahead.extend(simulated.into_iter().flatten());
    }

    /// Seconds and peak memory of a plan; `None` if it cannot be lowered.
    pub(crate) fn evaluate(&mut self, plan: Plan, recompute: &'static str) -> Option<(f64, u64)> {
        let text = plan.to_toml();
        if let Some(&known) = self.known.get(&text) {
            return known;
        }
        if !self.ahead.contains_key(&text) {
            self.simulate_ahead(vec![(plan.clone(), recompute)]);
        }
        let simulated = self
            .ahead
            .remove(&text)
            .unwrap_or_else(|| step(&self.problem, &plan).and_then(|step| self.simulate(&step, &plan, recompute)));
        let evaluated = match simulated {
            Ok((simulated, ops)) => {
                self.ops += ops;
                let evaluated = (simulated.seconds, simulated.peak);
                self.plans.push(simulated);
                Some(evaluated)
            }
            Err(refused) => {
                self.refused = Some(refused);
                None
            }
        };
        self.known.insert(text, evaluated);
        evaluated
    }

    /// Seconds of a plan with as little recomputation as it needs to fit; infinite if it does not fit. Removes those
    /// `levels` with which it does not fit, except for the last one.
    pub(crate) fn evaluate_fitting(&mut self, plan: Plan, levels: &mut &'static [&'static str]) -> f64 {
        let mut first = None;
        while let Some(&level) = levels.first() {
            let is_pointless = level == "selective" && first.is_some() && self.selects_nothing;
            if !is_pointless {
                let Some((seconds, peak)) = self.evaluate(recomputing(plan.clone(), level), level) else { break };
                if peak <= self.problem.memory {
                    return seconds;
                }
                self.selects_nothing |= level == "selective" && first == Some((seconds, peak));
                first = first.or(Some((seconds, peak)));
            }
            match levels {
                [_, left @ ..] if !left.is_empty() => *levels = left,
                _ => break,
            }
        }
        f64::INFINITY
    }

    /// All plans, at least one: those that fit, then fast ones, then short ones come first.
    ///
    /// # Errors
    /// Errors of the last plan, if no plan can be lowered.
    pub(crate) fn into_ranked(mut self) -> Result<Vec<SimulatedPlan>, Vec<Diagnostic>> {
        if self.plans.is_empty() {
            let title = format!("no plan that was found for `{}` can be carried out", self.problem.program.source);
            return Err(self.refused.unwrap_or_else(|| Diagnostic::new(Code::G001, title).into()));
        }
        let memory = self.problem.memory;
        self.plans.sort_by_cached_key(|one| (one.peak > memory, one.seconds.to_bits(), one.plan.to_toml().len()));
        self.plans.dedup_by(|b, a| a.mesh == b.mesh && a.seconds == b.seconds && a.peak == b.peak);
        Ok(self.plans)
    }

    /// Simulates a plan, whose step is made already, as a draft.
    fn simulate(&self, step: &Program, plan: &Plan, recompute: &'static str) -> Simulated {
        let SearchProblem { prices, efficiencies, .. } = self.problem;
        let machine = prices.machine();
        let input = Input {
            plan: without_budget(plan),
            machine: Some(self.machine.clone()),
            is_draft: true,
            ..Input::default()
        };
        let (stages, mut findings) = (stages_of(plan)?, Findings::default());
        let pipeline = stages::pipeline(step, &stages, &input, &mut findings, &mut |_| Ok(()))?;
        let failed = |failure: Failure| Diagnostic::new(Code::H002, format!("on `{}`: {failure}", machine.name));
        let map = findings.plan(&input.plan).mapped()?;
        let placement = Placement::of(&pipeline, machine, &map).map_err(|misplaced| failed(misplaced.into()))?;
        let prediction = predict_by(&pipeline, prices, &placement, efficiencies).map_err(failed)?;
        let is_scheduled = pipeline.schedule.stages > 1 || plan.schedule.is_some();
        let simulated = SimulatedPlan {
            mesh: pipeline.list_meshes(),
            stages: pipeline.schedule.stages,
            micro_batches: micro_batches::count(step),
            recompute,
            schedule: is_scheduled.then(|| pipeline.schedule.name.to_string()),
            seconds: prediction.seconds,
            peak: prediction.peak_bytes(),
            devices: prediction.devices,
            layouts: pipeline.input_layouts(),
            plan: plan.clone(),
        };
        Ok((simulated, step.ops.len()))
    }
}

/// The plan in the variant that is predicted to be fastest, which takes several times as long to find as the usual
/// lowering; unchanged if that is faster, or the step too large.
pub(crate) fn autotuned(problem: &SearchProblem<'_>, simulated: SimulatedPlan) -> SimulatedPlan {
    let priced = || -> Result<Option<autotune::Price>, Vec<Diagnostic>> {
        let by = (problem.prices, problem.efficiencies);
        let step = step(problem, &simulated.plan)?;
        let machine = Some(Arc::new(problem.machine().clone()));
        let mut input = Input { machine, ..Input::with_plan(without_budget(&simulated.plan)) };
        let stages = stages_of(&simulated.plan)?;
        let choice = autotune::choose(&step, &stages, &input, by)?;
        input.variant = choice.map_or(input.variant, |choice| choice.variant);
        autotune::price(&step, &stages, &input, &mut Findings::default(), by)
    };
    match priced() {
        Ok(Some(price)) if price.seconds < simulated.seconds && price.peak <= problem.memory.max(simulated.peak) => {
            SimulatedPlan { seconds: price.seconds, peak: price.peak, ..simulated }
        }
        _ => simulated,
    }
}

/// The plan with so much recomputation.
pub(crate) fn recomputing(plan: Plan, level: &str) -> Plan {
    if level == "none" { plan } else { plan.remat("**", level) }
}

/// The plan whatever memory it needs: a plan that does not fit is reported as such.
fn without_budget(plan: &Plan) -> Plan {
    Plan { budget: None, ..plan.clone() }
}

/// The stages of a plan, or a single one.
fn stages_of(plan: &Plan) -> Result<Pipelined, Diagnostic> {
    Ok(plan.pipelined()?.unwrap_or_else(Pipelined::single))
}

/// The keys of a plan that [`step`] depends on.
fn step_key(plan: &Plan) -> StepKey {
    let text = |written: &Option<Written>| written.as_ref().map(|written| written.text.clone());
    let stages = text(&plan.pipeline).filter(|_| plan.micro_batches.is_none());
    // A single stage whose tasks have a schedule has a loop also over one micro-batch.
    let is_single = plan.pipeline.as_ref().is_some_and(|stages| stages.text.trim() == "1");
    let schedule = text(&plan.schedule).filter(|_| is_single);
    [text(&plan.train), text(&plan.micro_batches), stages, schedule]
}

/// The step of a plan, before layouts: the same for plans that differ in layouts alone.
fn step(problem: &SearchProblem<'_>, plan: &Plan) -> Result<Program, Vec<Diagnostic>> {
    let mut step = problem.program.clone();
    let (input, mut findings) = (Input::with_plan(without_budget(plan)), Findings::default());
    pipelines::make_step(&mut step, &input, &mut findings)?;
    Ok(step)
}
