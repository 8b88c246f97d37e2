//! Driver of a search: runs the stages in order, and decides the order of simulations and the end of the search.
//!
//! The plan becomes [`Constraints`] once. Then [`configs`] lists configurations, [`intra_op::solve`] prices them by
//! their best layouts, and the [`Evaluator`] simulates plans: the best configuration of each kind first, then all in
//! the order of their prices, and at last variations of the best plans.
//!
//! The search ends after a number of simulated ops, so that its result depends on the request alone. Deadline and
//! listener are asked between simulations, and may end it earlier with the best plan so far. The bound is the lowest
//! bound of all priced configurations, and 0 if pricing was interrupted.

use crate::configs::{ParallelConfig, configs};
use crate::evaluate::{Evaluator, SimulatedPlan, autotuned, recomputing};
use crate::inter_op;
use crate::intra_op::{
    self, ChosenLayouts, Overlap, PricedConfig, PricedConfigs, SearchGraph, StepGraphs, assumptions, price,
    with_layouts,
};
use crate::limits::{PricingLimits, RefinementLimits};
use crate::outcome::{Infeasible, Outcome};
use crate::problem::{Constraints, SearchProblem, SearchRequest, Step};
use crate::write::{self, Detail};
use partita_ir::diag::Diagnostic;
use partita_ir::plan::Plan;
use partita_machine::collective::choice::Prices;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Progress of a search.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Progress {
    /// Configurations that are priced, and all that there are.
    pub priced: (usize, usize),
    /// Simulated plans.
    pub simulated: usize,
    /// Seconds of a step by the fastest plan that fits.
    pub best: Option<f64>,
    /// Estimated seconds that no layouts take less than, and the share by which the best layouts may be above.
    pub bound: Option<(f64, f64)>,
}

/// Deadline of a search, and the listener that may stop it.
pub struct Monitor<'w> {
    started: Instant,
    time_limit: Option<Duration>,
    on_progress: &'w mut dyn FnMut(&Progress) -> bool,
}

impl<'w> Monitor<'w> {
    /// A monitor of a search that begins now. The search stops when the time is over or `on_progress` returns `false`,
    /// with the best plan so far, or goes on until it finds the first plan.
    pub fn new(time_limit: Option<Duration>, on_progress: &'w mut dyn FnMut(&Progress) -> bool) -> Monitor<'w> {
        Monitor { started: Instant::now(), time_limit, on_progress }
    }

    /// Reports progress, and returns whether to go on.
    pub(crate) fn goes_on(&mut self, progress: &Progress) -> bool {
        let is_in_time = self.time_limit.is_none_or(|limit| self.started.elapsed() < limit);
        (self.on_progress)(progress) && is_in_time
    }
}

/// Searches for plans in the element types of the request's plan.
///
/// # Errors
/// Errors in the plan, and `H002` if the machine is too small.
pub(crate) fn search(
    request: &SearchRequest<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Result<Outcome, Infeasible>, Vec<Diagnostic>> {
    let SearchRequest { program, machine, goal, .. } = *request;
    let (devices, memory) = (request.device_count()?, request.memory());
    let constraints = Constraints::of(request.plan, program, &goal.fix)?;
    let (prices, effort, efficiencies) = (Prices::new(machine), &goal.effort, &goal.efficiencies);
    let problem = SearchProblem { program, constraints: &constraints, prices: &prices, memory, effort, efficiencies };
    let step = Step::of(program, &constraints, 1)?;
    let configs = configs(&constraints, &step.program, devices)?;
    let steps = step.divided(program, &constraints, configs.iter().map(|config| config.micro_batches));

    let mut solve = |problem: &SearchProblem<'_>, graphs: &StepGraphs<'_>| {
        let progress = |priced| Progress { priced: (priced, configs.len()), ..Progress::default() };
        intra_op::solve(problem, graphs, &configs, &mut |priced| monitor.goes_on(&progress(priced)))
    };
    let mut graphs = StepGraphs::of(&steps, false);
    let mut explores_storage = goal.param_storage;
    let mut priced = solve(&problem, &graphs)?;
    if priced.all.is_empty() && goal.param_storage {
        graphs = StepGraphs::of(&steps, true);
        explores_storage = false;
        priced = solve(&problem, &graphs)?;
    }
    if priced.all.is_empty() {
        // Without a memory limit there are layouts, which show how much memory would be enough.
        priced = solve(&problem.with_memory(u64::MAX), &graphs)?;
        priced.all.truncate(RefinementLimits::TUNED.smallest_configs);
    }
    let is_large = priced.considered < configs.len();
    let infeasible = |least| Ok(Err(Infeasible { devices, memory, least, is_large }));
    let Some(best) = priced.all.first() else { return infeasible(None) };

    let mut refinement = Refinement::new(problem, &graphs, explores_storage, &priced, monitor);
    refinement.run(&priced.all)?;
    let is_interrupted = refinement.is_interrupted || priced.is_interrupted;
    let mut plans = refinement.evaluator.into_ranked()?;
    if plans[0].peak > memory {
        return infeasible(plans.iter().map(|one| one.peak).min());
    }
    if !graphs.is_large() {
        plans.truncate(goal.shown.max(RefinementLimits::TUNED.autotuned_plans));
        plans = plans.into_par_iter().map(|plan| autotuned(&problem, plan)).collect();
        plans.sort_by_key(|one| (one.peak > memory, one.seconds.to_bits()));
    }
    plans.truncate(goal.shown);
    Ok(Ok(Outcome {
        plans,
        memory,
        cost: best.seconds(),
        bound: priced.bound(),
        priced: (priced.considered, configs.len()),
        stop: best.layouts.solution.stop,
        is_interrupted,
    }))
}

/// Overlap of gradient reductions, if assumed, and whether state may be sharded.
type Assumption = (Option<Overlap>, bool);

/// Nothing is overlapped.
const SERIAL: Overlap = Overlap { reductions: 1.0, backward: 1.0 };

/// Gradient reductions are hidden entirely.
const HIDDEN: Overlap = Overlap { reductions: 0.0, backward: 1.0 };

/// Assumptions for other layouts of a configuration.
const ASSUMPTIONS: [Assumption; 6] = [
    (Some(SERIAL), true),
    (Some(SERIAL), false),
    (Some(HIDDEN), true),
    (Some(Overlap::EITHER[0]), false),
    (Some(Overlap::EITHER[1]), true),
    (Some(Overlap::EITHER[0]), true),
];

/// Assumptions where weights may be stored otherwise than they are used.
const STORAGE_ASSUMPTIONS: [Assumption; 2] = [(None, true), (Some(HIDDEN), true)];

/// Schedules for the best plan.
const SCHEDULES: [&str; 4] = ["interleaved?chunks=2", "interleaved?chunks=4", "zb-h1", "1f1b"];

/// Refinement of priced configurations by simulation.
struct Refinement<'a, 'm, 'w> {
    problem: SearchProblem<'a>,
    graphs: &'a StepGraphs<'a>,
    /// True if other storage of weights is considered for the best configurations.
    explores_storage: bool,
    evaluator: Evaluator<'a>,
    monitor: &'m mut Monitor<'w>,
    /// Number of priced configurations.
    priced: usize,
    /// Bound and gap of the prices ([`Progress::bound`]).
    bound: Option<(f64, f64)>,
    /// True if plans with little chance to win are left out.
    is_large: bool,
    is_interrupted: bool,
}

impl<'a, 'm, 'w> Refinement<'a, 'm, 'w> {
    fn new(
        problem: SearchProblem<'a>,
        graphs: &'a StepGraphs<'a>,
        explores_storage: bool,
        priced: &PricedConfigs,
        monitor: &'m mut Monitor<'w>,
    ) -> Refinement<'a, 'm, 'w> {
        let bound = priced.all.iter().map(PricedConfig::bound).fold(f64::INFINITY, f64::min);
        Refinement {
            problem,
            graphs,
            explores_storage,
            evaluator: Evaluator::new(problem),
            monitor,
            priced: priced.all.len(),
            bound: priced.all.first().map(|best| (bound, (1.0 - bound / best.seconds()).max(0.0))),
            is_large: graphs.is_large(),
            is_interrupted: false,
        }
    }

    /// Reports progress, and returns whether to go on: always until a plan fits.
    fn goes_on(&mut self) -> bool {
        let best = Some(self.evaluator.fastest()).filter(|best| best.is_finite());
        let simulated = self.evaluator.plans.len();
        let progress = Progress { priced: (self.priced, self.priced), simulated, best, bound: self.bound };
        self.is_interrupted |= !self.monitor.goes_on(&progress);
        !self.is_interrupted || best.is_none()
    }

    /// Returns whether this share of the plans and ops that may be simulated has been simulated.
    fn has_used(&self, share: f64) -> bool {
        let RefinementLimits { ops, plans, .. } = RefinementLimits::TUNED;
        self.evaluator.ops as f64 > share * (ops.0 + ops.1 * self.priced) as f64
            && self.evaluator.plans.len() as f64 >= share * (plans.0 + self.priced).min(plans.1) as f64
    }

    /// Returns whether to go on after the first plan of each configuration.
    fn has_more(&mut self) -> bool {
        self.goes_on() && !self.has_used(1.0)
    }

    /// Simulates plans of the configurations, the best ones first, and then variations of the best plans.
    fn run(&mut self, priced: &[PricedConfig]) -> Result<(), Vec<Diagnostic>> {
        let limits = RefinementLimits::TUNED;
        let mut first = self.first_plans(priced)?;
        self.vary_schedules()?;
        // Where nothing fits, the smallest plans are the best.
        first.sort_by(|a, b| a.seconds.total_cmp(&b.seconds).then(a.peak.cmp(&b.peak)));
        for First { seconds, config, .. } in first.into_iter().take(limits.refined_configs) {
            let is_near = seconds <= limits.time_slack * self.evaluator.fastest();
            if !self.is_large || is_near || seconds.is_infinite() {
                self.vary_layouts(config, seconds)?;
            }
        }
        if self.goes_on() {
            self.vary_stages(priced)?;
        }
        self.vary_schedules()?;
        self.vary_lowering();
        Ok(())
    }

    /// Simulates the first plans of configurations: of the best of each kind, then of all others in the order of their
    /// prices.
    fn first_plans<'p>(&mut self, priced: &'p [PricedConfig]) -> Result<Vec<First<'p>>, Vec<Diagnostic>> {
        let limits = RefinementLimits::TUNED;
        let (mut heads, mut others) = in_order(priced);
        self.goes_on();
        if self.is_interrupted && !heads.is_empty() {
            // The first plan that fits is enough.
            others = heads.split_off(1).into_iter().chain(others).collect();
        }
        let plans = self.simulate_promising(&heads)?;
        let heads = heads.into_iter().zip(plans);
        let others = others.into_iter().map(|config| (config, None));
        let (mut first, mut far) = (Vec::new(), Vec::new());
        // Least ratio of simulated to priced seconds, by number of stages.
        let mut ratios: BTreeMap<usize, f64> = BTreeMap::new();
        for (config, plan) in heads.chain(others) {
            let best = self.evaluator.fastest();
            // A plan that was simulated ahead costs nothing more.
            let is_enough = plan.is_none() && self.has_used(limits.first_share);
            if !self.goes_on() || (best.is_finite() && is_enough) {
                break;
            }
            let ratio = ratios.get(&config.config.stages).copied().unwrap_or(1.0);
            let is_too_slow = match self.is_large {
                true => plan.is_none() && limits.price_trust * ratio * config.least_seconds() > best,
                false => config.seconds() > limits.price_slack * best,
            };
            if is_too_slow {
                continue;
            }
            let from = self.evaluator.plans.len();
            let Some((seconds, peak)) = self.first_plan(config, plan, from)? else {
                far.push((config, from));
                continue;
            };
            // A plan that recomputes more than was priced is compared with the price of that.
            let is_best = |one: &&SimulatedPlan| one.seconds == seconds && self.evaluator.fits(one);
            let recomputes =
                self.evaluator.plans[from..].iter().find(is_best).is_some_and(|one| one.recompute == "full");
            let ratio = ratios.entry(config.config.stages).or_insert(f64::INFINITY);
            *ratio = ratio.min(seconds / config.seconds_with(recomputes));
            first.push(First { seconds, peak, config });
            if recomputes && !config.config.recompute {
                self.add_micro_batches(config, priced)?;
            }
        }
        // Plans that are far from fitting are all there is where nothing else fits.
        for (config, from) in far {
            if self.evaluator.fastest().is_finite() || !self.goes_on() {
                break;
            }
            if let Some((seconds, peak)) = self.first_plan(config, None, from)? {
                first.push(First { seconds, peak, config });
            }
        }
        Ok(first)
    }

    /// Plans of those configurations whose prices are near the best one, simulated ahead on all cores.
    fn simulate_promising(&mut self, priced: &[&PricedConfig]) -> Result<Vec<Option<Plan>>, Vec<Diagnostic>> {
        let best = priced.iter().map(|one| one.seconds()).fold(f64::INFINITY, f64::min);
        let is_promising =
            |one: &PricedConfig| one.seconds() <= RefinementLimits::TUNED.price_slack * best || one.config.is_plain();
        let (constraints, graphs) = (self.problem.constraints, self.graphs);
        let write = |one: &&PricedConfig| {
            let plan = || write(constraints, graphs, &one.config, &one.layouts, Detail::Values);
            is_promising(one).then(plan).transpose()
        };
        let plans = priced.par_iter().map(write).collect::<Vec<Result<Option<Plan>, _>>>();
        let plans = plans.into_iter().collect::<Result<Vec<Option<Plan>>, _>>()?;
        let ahead = priced.iter().zip(&plans).filter_map(|(one, plan)| {
            let recompute = self.problem.constraints.recompute_levels(one.config.recompute)[0];
            Some((recomputing(plan.clone()?, recompute), recompute))
        });
        let ahead = ahead.collect();
        self.evaluator.simulate_ahead(ahead);
        Ok(plans)
    }

    /// Simulates plans of a configuration, beginning with `plan` if there is one: with more recomputation and with less
    /// memory for layouts if it does not fit. Returns the seconds of the fastest plan that fits and the smallest peak
    /// of the plans from number `from` on; `None` if `plan` is far from fitting.
    fn first_plan(
        &mut self,
        config: &PricedConfig,
        plan: Option<Plan>,
        from: usize,
    ) -> Result<Option<(f64, u64)>, Vec<Diagnostic>> {
        let smallest = |driver: &Self| driver.evaluator.plans[from..].iter().map(|one| one.peak).min();
        if let Some(plan) = plan {
            let seconds = self
                .evaluator
                .evaluate_fitting(plan, &mut &self.problem.constraints.recompute_levels(config.config.recompute)[..1]);
            let peak = smallest(self).unwrap_or(u64::MAX);
            if peak as f64 > RefinementLimits::TUNED.memory_slack * self.problem.memory as f64 {
                return Ok(None);
            }
            if seconds.is_finite() {
                return Ok(Some((seconds, peak)));
            }
        }
        let seconds = self.evaluate_layouts(&config.config, &config.layouts, &Detail::ALL[..1])?;
        let seconds = seconds.min(self.reduce_memory(config, from)?);
        Ok(Some((seconds, smallest(self).unwrap_or(u64::MAX))))
    }

    /// Chooses layouts again with less memory where a plan from number `from` on needs more than its layouts should.
    /// Returns the seconds of the fastest plan that fits.
    fn reduce_memory(&mut self, config: &PricedConfig, from: usize) -> Result<f64, Vec<Diagnostic>> {
        let memory = self.problem.memory;
        let level = self.problem.constraints.recompute_levels(config.config.recompute)[0];
        let plans = self.evaluator.plans[from..].iter();
        let peak = plans.filter(|one| one.recompute == level).map(|one| one.peak).min();
        let Some(peak) = peak.filter(|&peak| peak > memory) else { return Ok(f64::INFINITY) };
        let less = memory as f64 * (memory as f64 / peak as f64) * RefinementLimits::TUNED.memory_margin;
        let Some(graph) = self.graphs.get(config.config.micro_batches) else { return Ok(f64::INFINITY) };
        match price(&self.problem.with_memory(less as u64), graph, &config.config)? {
            Some(priced) => self.evaluate_layouts(&config.config, &priced.layouts, &Detail::ALL[..1]),
            None => Ok(f64::INFINITY),
        }
    }

    /// Tries a step without stages that fits only with full recomputation in more micro-batches, which need less memory
    /// each; those that are priced are simulated anyway.
    fn add_micro_batches(&mut self, config: &PricedConfig, priced: &[PricedConfig]) -> Result<(), Vec<Diagnostic>> {
        if config.config.stages > 1 || self.problem.constraints.fixes_micro_batches() {
            return Ok(());
        }
        let mut config = config.config.clone();
        while self.goes_on() {
            config.micro_batches *= 2;
            let Some(graph) = self.graphs.get(config.micro_batches) else { break };
            let is_same =
                |other: &ParallelConfig| other.micro_batches == config.micro_batches && other.has_mesh_of(&config);
            if priced.iter().any(|other| is_same(&other.config)) {
                continue;
            }
            let Some(more) = price(&self.problem, graph, &config)? else { break };
            let from = self.evaluator.plans.len();
            self.first_plan(&more, None, from)?;
            let is_enough = |one: &SimulatedPlan| self.evaluator.fits(one) && one.recompute != "full";
            if self.evaluator.plans[from..].iter().any(is_enough) {
                break;
            }
        }
        Ok(())
    }

    /// Tries layouts of a configuration by other assumptions; its first plan takes `seconds`.
    fn vary_layouts(&mut self, config: &PricedConfig, seconds: f64) -> Result<(), Vec<Diagnostic>> {
        let PricedConfig { config, layouts } = config;
        let graph = self.graphs.get(config.micro_batches);
        let Some(graph) = graph.filter(|_| self.has_more()) else { return Ok(()) };
        let problem = self.problem;
        let best = |graph: &SearchGraph<'_>, all: &[Assumption]| -> Result<Vec<ChosenLayouts>, Vec<Diagnostic>> {
            let found = with_layouts(&problem, graph, config, 0, |layouts| {
                let best = |&(overlap, sharded): &Assumption| {
                    layouts.best(&assumptions(&problem, config, overlap, sharded), problem.effort)
                };
                all.iter().filter_map(best).collect()
            })?;
            Ok(found.unwrap_or_default())
        };
        let count = if self.is_large { RefinementLimits::TUNED.large_assumptions } else { ASSUMPTIONS.len() };
        let mut others = best(graph, &ASSUMPTIONS[..count])?;
        let storage = self.explores_storage.then(|| self.graphs.with_param_storage(config.micro_batches)).flatten();
        if let Some(graph) = storage {
            others.extend(best(&graph, &STORAGE_ASSUMPTIONS)?);
        }
        let mut known = vec![(layouts, seconds)];
        for found in &others {
            if self.has_more() && !known.iter().any(|(known, _)| known.has_same_layouts(found)) {
                known.push((found, self.evaluate_layouts(config, found, &Detail::ALL[..1])?));
            }
        }
        if !self.is_large {
            known.sort_by(|a, b| a.1.total_cmp(&b.1));
            for (layouts, _) in known {
                self.evaluate_layouts(config, layouts, &Detail::ALL[1..])?;
            }
        }
        Ok(())
    }

    /// Tries stages of different size for the numbers of micro-batches that equal stages are best with, by the usual
    /// schedule and by that of the best plan.
    fn vary_stages(&mut self, priced: &[PricedConfig]) -> Result<(), Vec<Diagnostic>> {
        let (problem, limits) = (self.problem, PricingLimits::TUNED);
        let devices = priced.iter().map(|one| one.config.stages * one.config.stage_devices()).max().unwrap_or(1);
        if problem.constraints.fixes_stages() || devices > limits.submesh_devices {
            return Ok(());
        }
        let mut counts: Vec<u64> = Vec::new();
        for ParallelConfig { micro_batches, .. } in priced.iter().map(|one| &one.config).filter(|one| one.stages > 1) {
            if !counts.contains(micro_batches) && counts.len() < limits.submesh_micro_batches {
                counts.push(*micro_batches);
            }
        }
        let mut plans = Vec::new();
        for micro_batches in counts {
            let Some(graph) = self.graphs.get(micro_batches) else { continue };
            let submeshes = intra_op::price_submeshes(&problem, graph, micro_batches, devices)?;
            if let Some(stages) = submeshes.and_then(|submeshes| inter_op::assign(graph, &submeshes)) {
                plans.push(write::unequal_plan(problem.constraints, graph, &stages)?);
            }
        }
        let schedule = self.fastest_fitting(|_| true).and_then(|best| best.schedule.clone());
        let schedule = schedule.filter(|_| !problem.constraints.fixes_schedule());
        for plan in plans {
            let scheduled = schedule.iter().map(|schedule| plan.clone().schedule(schedule));
            for plan in scheduled.collect::<Vec<_>>().into_iter().chain([plan]) {
                self.evaluator.evaluate_fitting(plan, &mut self.problem.constraints.recompute_levels(false));
            }
        }
        Ok(())
    }

    /// Tries other schedules and numbers of micro-batches with the best plan of several stages, as long as that helps.
    fn vary_schedules(&mut self) -> Result<(), Vec<Diagnostic>> {
        let constraints = self.problem.constraints;
        let limits = RefinementLimits::TUNED;
        let slack = if self.is_large { limits.time_slack } else { limits.price_slack };
        loop {
            // A plan that is nearly as fast as the best one may become faster.
            let enough = slack * self.evaluator.fastest();
            let best = self.fastest_fitting(|one| one.stages > 1).filter(|best| best.seconds <= enough);
            let Some(best) = best else { return Ok(()) };
            let (seconds, recomputes) = (best.seconds, best.recompute != "none");
            let plan = constraints.without_recompute(&best.plan);
            let mut others: Vec<Plan> = Vec::new();
            if !constraints.fixes_schedule() {
                others.extend(SCHEDULES.iter().map(|&schedule| plan.clone().schedule(schedule)));
            }
            if !constraints.fixes_micro_batches() {
                let counts = [best.micro_batches * 2, best.micro_batches / 2].into_iter().filter(|&count| count > 1);
                others.extend(counts.map(|count| plan.clone().micro_batches(count.to_string())));
            }
            if self.has_more() {
                let level = self.problem.constraints.recompute_levels(recomputes)[0];
                let ahead = others.iter().map(|plan| recomputing(plan.clone(), level));
                let ahead = ahead.filter(|plan| !self.evaluator.knows(plan)).map(|plan| (plan, level)).collect();
                self.evaluator.simulate_ahead(ahead);
            }
            let mut least = f64::INFINITY;
            for plan in others {
                if !self.has_more() {
                    return Ok(());
                }
                least = least.min(
                    self.evaluator.evaluate_fitting(plan, &mut self.problem.constraints.recompute_levels(recomputes)),
                );
            }
            if least >= seconds {
                return Ok(());
            }
        }
    }

    /// Tries the best plans of a single stage with a schedule: what is made of parameters alone is then made once for
    /// all micro-batches, and gradients are reduced together.
    fn vary_lowering(&mut self) {
        if self.problem.constraints.fixes_schedule() {
            return;
        }
        let limits = RefinementLimits::TUNED;
        let enough = limits.time_slack * self.evaluator.fastest();
        let is_near = |one: &&SimulatedPlan| one.stages == 1 && one.seconds <= enough && self.evaluator.fits(one);
        let open = self.evaluator.plans.iter().filter(is_near).filter(|one| one.plan.schedule.is_none());
        let scheduled = |plan: &Plan| match plan.pipeline {
            None => plan.clone().pipeline("1").schedule("1f1b"),
            Some(_) => plan.clone().schedule("1f1b"),
        };
        let mut near: Vec<(f64, Plan, &'static str)> =
            open.map(|one| (one.seconds, scheduled(&one.plan), one.recompute)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, plan, recompute) in near.into_iter().take(limits.scheduled_plans) {
            if !self.goes_on() {
                break;
            }
            self.evaluator.evaluate(plan, recompute);
        }
    }

    /// The fastest of the plans that fit and that `is_wanted`.
    fn fastest_fitting(&self, is_wanted: impl Fn(&SimulatedPlan) -> bool) -> Option<&SimulatedPlan> {
        let fitting = self.evaluator.plans.iter().filter(|one| self.evaluator.fits(one) && is_wanted(one));
        fitting.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// Simulates plans of a configuration with layouts, one for each detail. Returns the seconds of the fastest plan
    /// that fits.
    fn evaluate_layouts(
        &mut self,
        config: &ParallelConfig,
        layouts: &ChosenLayouts,
        details: &[Detail],
    ) -> Result<f64, Vec<Diagnostic>> {
        let mut least = f64::INFINITY;
        // What does not fit in one detail does not fit in another.
        let mut levels = self.problem.constraints.recompute_levels(config.recompute);
        for &detail in details {
            if !self.goes_on() || (detail != Detail::ALL[0] && self.has_used(1.0)) {
                break;
            }
            let plan = write(self.problem.constraints, self.graphs, config, layouts, detail)?;
            least = least.min(self.evaluator.evaluate_fitting(plan, &mut levels));
        }
        Ok(least)
    }
}

/// First plans of a configuration.
struct First<'p> {
    /// Seconds of the fastest one that fits; infinite if none does.
    seconds: f64,
    /// Smallest peak memory, in bytes.
    peak: u64,
    config: &'p PricedConfig,
}

/// Configurations in the order of their first plans: the best of each number of stages and devices, and of a single
/// stage of each number of micro-batches, then all others. Configurations that equal others are left out.
fn in_order(priced: &[PricedConfig]) -> (Vec<&PricedConfig>, Vec<&PricedConfig>) {
    let is_distinct = |(at, one): &(usize, &PricedConfig)| {
        !one.has_needless_axis(priced) && !priced[..*at].iter().any(|other| one.is_mirrored(other))
    };
    let mut known: BTreeSet<(usize, usize, u64)> = BTreeSet::new();
    let distinct = priced.iter().enumerate().filter(is_distinct).map(|(_, one)| one);
    distinct.partition(|one| {
        let micro_batches = if one.config.stages == 1 { one.config.micro_batches } else { 0 };
        known.insert((one.config.stages, one.config.stage_devices(), micro_batches))
    })
}

/// The plan of a configuration with layouts.
fn write(
    constraints: &Constraints,
    graphs: &StepGraphs<'_>,
    config: &ParallelConfig,
    layouts: &ChosenLayouts,
    detail: Detail,
) -> Result<Plan, Vec<Diagnostic>> {
    write::config_plan(constraints, graphs.of_micro_batches(config.micro_batches)?, config, layouts, detail)
}
