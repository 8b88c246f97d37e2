//! Refinement: plans with the layouts chosen for priced configurations, and variations of the best plans.

use crate::buckets::size_text;
use crate::configs::ParallelConfig;
use crate::depth::DepthModel;
use crate::evaluate::{Evaluator, SimulatedPlan};
use crate::inter_op;
use crate::intra_op::{
    self, Allowance, ChosenLayouts, Overlap, PricedConfig, SearchGraph, StepGraphs, assumptions, price, with_layouts,
};
use crate::limits::{PricingLimits, RefinementLimits};
use crate::monitor::Monitor;
use crate::plan_step::with_recompute;
use crate::problem::{SearchProblem, Step};
use crate::write::{self, Detail};
use partita_ir::diag::Diagnostic;
use partita_ir::plan::Plan;
use partita_ir::units::parse_bytes;
use partita_passes::planning::presets::DEFAULT_BUCKET_SIZE;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Overlap of gradient reductions, if fixed, and true if optimizer state can be sharded.
type Assumption = (Option<Overlap>, bool);

/// No overlap.
const SERIAL: Overlap = Overlap { reductions: 1.0, backward: 1.0 };

/// Gradient reductions are fully overlapped.
const HIDDEN: Overlap = Overlap { reductions: 0.0, backward: 1.0 };

/// Assumptions used to find alternative layouts of a configuration.
const ASSUMPTIONS: [Assumption; 6] = [
    (Some(SERIAL), true),
    (Some(SERIAL), false),
    (Some(HIDDEN), true),
    (Some(Overlap::EXTREMES[0]), false),
    (Some(Overlap::EXTREMES[1]), true),
    (Some(Overlap::EXTREMES[0]), true),
];

/// Assumptions used if the storage layout of weights can differ from their layout in use.
const STORAGE_ASSUMPTIONS: [Assumption; 2] = [(None, true), (Some(HIDDEN), true)];

/// Schedules tried with the best plan.
const SCHEDULES: [&str; 4] = ["interleaved?chunks=2", "interleaved?chunks=4", "zb-h1", "1f1b"];

/// Refinement of priced configurations by simulation.
pub(crate) struct Refinement<'a, 'g, 'm, 'w> {
    /// The problem for which layouts are chosen: that of the evaluator, or for a deep model that of few layers.
    problem: SearchProblem<'g>,
    graphs: &'g StepGraphs<'g>,
    /// True if separate storage layouts of weights are explored for the best configurations.
    explores_storage: bool,
    pub(crate) evaluator: Evaluator<'a>,
    monitor: &'m mut Monitor<'w>,
    /// Number of priced configurations.
    priced: usize,
    /// Number of ops of the steps that were simulated before.
    ops_before: usize,
    /// Number of plans that were simulated before.
    plans_before: usize,
    /// True if the step is large, so that unpromising plans are skipped.
    is_large: bool,
    /// Models with few layers, if layouts are chosen for one of them.
    shallow: Option<Arc<DepthModel>>,
}

impl<'a, 'g, 'm, 'w> Refinement<'a, 'g, 'm, 'w> {
    pub(crate) fn new(
        evaluator: Evaluator<'a>,
        (problem, shallow): (SearchProblem<'g>, Option<Arc<DepthModel>>),
        graphs: &'g StepGraphs<'g>,
        (explores_storage, is_large): (bool, bool),
        priced: usize,
        monitor: &'m mut Monitor<'w>,
    ) -> Refinement<'a, 'g, 'm, 'w> {
        Refinement {
            problem,
            graphs,
            explores_storage: explores_storage && !is_large,
            monitor,
            priced,
            ops_before: evaluator.ops,
            plans_before: evaluator.plans.len(),
            is_large,
            shallow,
            evaluator,
        }
    }

    /// Reports progress and returns true if the search should continue.
    fn should_continue(&mut self) -> bool {
        self.monitor.should_continue(&self.evaluator.progress())
    }

    /// Returns true if the given fraction of the simulation budget (plans and ops) has been used.
    fn has_used_budget(&self, share: f64) -> bool {
        let RefinementLimits { ops, plans, .. } = RefinementLimits::TUNED;
        (self.evaluator.ops - self.ops_before) as f64 > share * (ops.0 + ops.1 * self.priced) as f64
            && (self.evaluator.plans.len() - self.plans_before) as f64
                >= share * (plans.0 + self.priced).min(plans.1) as f64
    }

    /// Returns true if refinement should continue after the first plan of each configuration.
    fn may_refine(&mut self) -> bool {
        self.should_continue() && !self.has_used_budget(1.0)
    }

    /// Simulates plans of the configurations, best first, and then variations of the best plans.
    pub(crate) fn run(&mut self, priced: &[PricedConfig]) -> Result<(), Vec<Diagnostic>> {
        let limits = RefinementLimits::TUNED;
        let mut first = self.first_plans(priced)?;
        self.vary_schedules()?;
        // If nothing fits, the smallest plans come first.
        first.sort_by(|a, b| a.seconds.total_cmp(&b.seconds).then(a.peak.cmp(&b.peak)));
        for FirstPlans { seconds, config, .. } in first.into_iter().take(limits.max_refined_configs) {
            let is_near = seconds <= limits.time_slack * self.evaluator.fastest();
            if !self.is_large || is_near || seconds.is_infinite() {
                self.vary_layouts(config, seconds)?;
            }
        }
        if self.should_continue() {
            self.vary_stages(priced)?;
        }
        self.vary_schedules()?;
        self.vary_lowering();
        self.vary_buckets();
        Ok(())
    }

    /// Simulates the first plans of configurations: first the best of each kind, then all others in the order of their
    /// estimates.
    fn first_plans<'p>(&mut self, priced: &'p [PricedConfig]) -> Result<Vec<FirstPlans<'p>>, Vec<Diagnostic>> {
        let limits = RefinementLimits::TUNED;
        let (mut representatives, mut others) = simulation_order(priced);
        if !self.should_continue() && !representatives.is_empty() {
            // After an interruption, one plan is sufficient.
            others = representatives.split_off(1).into_iter().chain(others).collect();
        }
        let plans = self.simulate_promising(&representatives)?;
        let representatives = representatives.into_iter().zip(plans);
        let others = others.into_iter().map(|config| (config, None));
        let (mut first, mut oversized) = (Vec::new(), Vec::new());
        // Minimum ratio of simulated to estimated seconds for each number of stages.
        let mut ratios: BTreeMap<usize, f64> = BTreeMap::new();
        for (config, plan) in representatives.chain(others) {
            let best = self.evaluator.fastest();
            // A plan that was simulated in advance has no further cost.
            let is_enough = plan.is_none() && self.has_used_budget(limits.first_share);
            let is_stopped = !self.should_continue() && !self.evaluator.plans.is_empty();
            if is_stopped || (best.is_finite() && is_enough) {
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
                oversized.push((config, from));
                continue;
            };
            // A plan with more recomputation than estimated is compared with the estimate for that recomputation.
            let is_best = |one: &&SimulatedPlan| one.seconds == seconds && self.evaluator.fits(one);
            let recomputes =
                self.evaluator.plans[from..].iter().find(is_best).is_some_and(|one| one.recompute == "full");
            let ratio = ratios.entry(config.config.stages).or_insert(f64::INFINITY);
            *ratio = ratio.min(seconds / config.seconds_with(recomputes));
            first.push(FirstPlans { seconds, peak, config });
            if recomputes && !config.config.recompute {
                self.add_micro_batches(config, priced)?;
            }
        }
        // Plans that greatly exceed the memory limit are considered only if nothing else fits.
        for (config, from) in oversized {
            if self.evaluator.fastest().is_finite() || !self.should_continue() {
                break;
            }
            if let Some((seconds, peak)) = self.first_plan(config, None, from)? {
                first.push(FirstPlans { seconds, peak, config });
            }
        }
        Ok(first)
    }

    /// Writes the plans of configurations with estimates near the best one, and simulates them in parallel.
    fn simulate_promising(&mut self, priced: &[&PricedConfig]) -> Result<Vec<Option<Plan>>, Vec<Diagnostic>> {
        let best = priced.iter().map(|one| one.seconds()).fold(f64::INFINITY, f64::min);
        let is_promising =
            |one: &PricedConfig| one.seconds() <= RefinementLimits::TUNED.price_slack * best || one.config.is_plain();
        let writer = self.writer();
        let write = |one: &&PricedConfig| {
            let plan = || writer.write(&one.config, &one.layouts, Detail::Values);
            is_promising(one).then(plan).transpose()
        };
        let plans = priced.par_iter().map(write).collect::<Vec<Result<Option<Plan>, _>>>();
        let plans = plans.into_iter().collect::<Result<Vec<Option<Plan>>, _>>()?;
        let ahead = priced.iter().zip(&plans).filter_map(|(one, plan)| {
            let recompute = self.problem.constraints.recompute_levels(one.config.recompute)[0];
            Some((with_recompute(plan.clone()?, recompute), recompute))
        });
        let ahead = ahead.collect();
        self.evaluator.simulate_ahead(ahead);
        Ok(plans)
    }

    /// Simulates plans of a configuration, starting with `plan` if given. If the plan does not fit, tries more
    /// recomputation and layouts with less memory. Returns the seconds of the fastest plan that fits and the smallest
    /// peak among the plans from index `from` on. Returns `None` if `plan` greatly exceeds the memory limit.
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
            if peak as f64 > RefinementLimits::TUNED.memory_slack * self.evaluator.problem.memory as f64 {
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

    /// Chooses layouts with a reduced memory limit if the plans from index `from` on exceed the limit. Returns the
    /// seconds of the fastest plan that fits.
    fn reduce_memory(&mut self, config: &PricedConfig, from: usize) -> Result<f64, Vec<Diagnostic>> {
        let memory = self.evaluator.problem.memory;
        let level = self.problem.constraints.recompute_levels(config.config.recompute)[0];
        let plans = self.evaluator.plans[from..].iter();
        let peak = plans.filter(|one| one.recompute == level).map(|one| one.peak).min();
        let Some(peak) = peak.filter(|&peak| peak > memory) else { return Ok(f64::INFINITY) };
        let share = memory as f64 / peak as f64 * RefinementLimits::TUNED.memory_margin;
        let less = self.problem.memory as f64 * share;
        let Some(graph) = self.graphs.get(config.config.micro_batches) else { return Ok(f64::INFINITY) };
        match price(&self.problem.with_memory(less as u64), graph, &config.config, Allowance::default())? {
            Some(priced) => self.evaluate_layouts(&config.config, &priced.layouts, &Detail::ALL[..1]),
            None => Ok(f64::INFINITY),
        }
    }

    /// Tries more micro-batches for a step without stages that fits only with full recomputation, since more
    /// micro-batches need less memory. Priced configurations are skipped, as they are simulated anyway.
    fn add_micro_batches(&mut self, config: &PricedConfig, priced: &[PricedConfig]) -> Result<(), Vec<Diagnostic>> {
        if config.config.stages > 1 || self.problem.constraints.fixes_micro_batches() {
            return Ok(());
        }
        let mut config = config.config.clone();
        while self.should_continue() {
            config.micro_batches *= 2;
            let Some(graph) = self.graphs.get(config.micro_batches) else { break };
            let is_same =
                |other: &ParallelConfig| other.micro_batches == config.micro_batches && other.has_mesh_of(&config);
            if priced.iter().any(|other| is_same(&other.config)) {
                continue;
            }
            let Some(more) = price(&self.problem, graph, &config, Allowance::default())? else { break };
            let from = self.evaluator.plans.len();
            self.first_plan(&more, None, from)?;
            let is_enough = |one: &SimulatedPlan| self.evaluator.fits(one) && one.recompute != "full";
            if self.evaluator.plans[from..].iter().any(is_enough) {
                break;
            }
        }
        Ok(())
    }

    /// Tries layouts found under other assumptions. The first plan of the configuration takes `seconds`.
    fn vary_layouts(&mut self, config: &PricedConfig, seconds: f64) -> Result<(), Vec<Diagnostic>> {
        let PricedConfig { config, layouts } = config;
        let graph = self.graphs.get(config.micro_batches);
        let Some(graph) = graph.filter(|_| self.may_refine()) else { return Ok(()) };
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
        let count = if self.is_large { RefinementLimits::TUNED.large_model_assumptions } else { ASSUMPTIONS.len() };
        let mut others = best(graph, &ASSUMPTIONS[..count])?;
        let storage = self.explores_storage.then(|| self.graphs.with_param_storage(config.micro_batches)).flatten();
        if let Some(graph) = storage {
            others.extend(best(&graph, &STORAGE_ASSUMPTIONS)?);
        }
        let mut known = vec![(layouts, seconds)];
        for found in &others {
            if self.may_refine() && !known.iter().any(|(known, _)| known.has_same_layouts(found)) {
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

    /// Tries stages of unequal size for the best numbers of micro-batches of equal stages, with the default schedule
    /// and that of the best plan.
    fn vary_stages(&mut self, priced: &[PricedConfig]) -> Result<(), Vec<Diagnostic>> {
        let (problem, limits) = (self.evaluator.problem, PricingLimits::TUNED);
        let devices = priced.iter().map(|one| one.config.stages * one.config.stage_devices()).max().unwrap_or(1);
        if problem.constraints.fixes_stages() || devices > limits.max_submesh_devices {
            return Ok(());
        }
        let mut counts: Vec<u64> = Vec::new();
        for ParallelConfig { micro_batches, .. } in priced.iter().map(|one| &one.config).filter(|one| one.stages > 1) {
            if !counts.contains(micro_batches) && counts.len() < limits.max_submesh_micro_batches {
                counts.push(*micro_batches);
            }
        }
        // Stages divide the layers of the complete model.
        let own = if self.shallow.is_some() { &counts[..] } else { &[] };
        let steps = Step::build_all(problem.program, problem.constraints, own.iter().copied());
        let (all, mut plans) = (StepGraphs::new(&steps, false), Vec::new());
        for micro_batches in counts {
            let graphs = if self.shallow.is_some() { &all } else { self.graphs };
            let Some(graph) = graphs.get(micro_batches) else { continue };
            let submeshes = intra_op::price_submeshes(&problem, graph, micro_batches, devices)?;
            if let Some(stages) = submeshes.and_then(|submeshes| inter_op::assign_stages(graph, &submeshes)) {
                plans.push(write::unequal_plan(&problem, graph, &stages)?);
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

    /// Tries other schedules and numbers of micro-batches for the best plan with several stages, until this brings no
    /// improvement.
    fn vary_schedules(&mut self) -> Result<(), Vec<Diagnostic>> {
        let constraints = self.problem.constraints;
        let limits = RefinementLimits::TUNED;
        let slack = if self.is_large { limits.time_slack } else { limits.price_slack };
        loop {
            // A plan that is nearly as fast as the best one can become faster.
            let enough = slack * self.evaluator.fastest();
            let best = self.fastest_fitting(|one| one.stages > 1).filter(|best| best.seconds <= enough);
            let Some(best) = best else { return Ok(()) };
            let (seconds, recomputes) = (best.seconds, best.recompute != "none");
            let plan = constraints.without_recompute(&best.plan);
            let mut others: Vec<Plan> = Vec::new();
            if !constraints.fixes_schedule() {
                let schedules = match &self.problem.space.schedules {
                    Some(schedules) => schedules.iter().map(ToString::to_string).collect(),
                    None => SCHEDULES.map(str::to_owned).to_vec(),
                };
                others.extend(schedules.into_iter().map(|schedule| plan.clone().schedule(schedule)));
            }
            if !constraints.fixes_micro_batches() {
                let counts = [best.micro_batches * 2, best.micro_batches / 2].into_iter().filter(|&count| count > 1);
                others.extend(counts.map(|count| plan.clone().micro_batches(count.to_string())));
            }
            if self.may_refine() {
                let level = self.problem.constraints.recompute_levels(recomputes)[0];
                let ahead = others.iter().map(|plan| with_recompute(plan.clone(), level));
                let ahead =
                    ahead.filter(|plan| !self.evaluator.has_evaluated(plan)).map(|plan| (plan, level)).collect();
                self.evaluator.simulate_ahead(ahead);
            }
            let mut least = f64::INFINITY;
            for plan in others {
                if !self.may_refine() {
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

    /// Tries the best single-stage plans with a schedule. A scheduled step computes values that depend only on
    /// parameters once for all micro-batches, and reduces gradients together.
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
        for (_, plan, recompute) in near.into_iter().take(limits.max_scheduled_plans) {
            if !self.should_continue() {
                break;
            }
            self.evaluator.evaluate(plan, recompute);
        }
    }

    /// Tries other bucket sizes for the best plans with gradient reductions, one for each mesh and number of stages:
    /// smaller buckets overlap more with the backward pass, and larger ones have fewer latencies.
    fn vary_buckets(&mut self) {
        if self.problem.constraints.template().bucket.is_some() || !self.should_continue() {
            return;
        }
        let limits = RefinementLimits::TUNED;
        let enough = limits.price_slack * self.evaluator.fastest();
        let is_near =
            |one: &&SimulatedPlan| one.plan.bucket.is_some() && one.seconds <= enough && self.evaluator.fits(one);
        let mut near: Vec<&SimulatedPlan> = self.evaluator.plans.iter().filter(is_near).collect();
        let length = |one: &SimulatedPlan| one.plan.to_toml().len();
        near.sort_by(|a, b| a.seconds.total_cmp(&b.seconds).then_with(|| length(a).cmp(&length(b))));
        let mut known = BTreeSet::new();
        near.retain(|one| known.insert((&one.mesh, one.stages)));
        let best = near.into_iter().take(limits.max_bucketed_plans).map(|one| (one.plan.clone(), one.recompute));
        for (plan, recompute) in best.collect::<Vec<_>>() {
            for bytes in self.other_bucket_sizes(&plan) {
                if !self.should_continue() {
                    return;
                }
                self.evaluator.evaluate(plan.clone().bucket(size_text(bytes)), recompute);
            }
        }
    }

    /// Returns larger and smaller sizes of buckets than that of a plan, in bytes.
    fn other_bucket_sizes(&self, plan: &Plan) -> Vec<u64> {
        let Ok(Some(bucket)) = plan.bucket_bytes() else { return Vec::new() };
        let gradients = self.problem.gradient_bytes;
        let smaller = [2, 4, 8].map(|parts| bucket.min(gradients) / parts);
        let default = parse_bytes(DEFAULT_BUCKET_SIZE).unwrap_or(0);
        let larger = [(4 * bucket < gradients).then_some(4 * bucket), (default > bucket).then_some(default)];
        let sizes = larger.into_iter().flatten().chain(smaller);
        sizes.filter(|&bytes| bytes >= RefinementLimits::TUNED.min_bucket).collect()
    }

    /// Returns the fastest plan that fits and satisfies `is_wanted`, the shortest one if several take the same time.
    fn fastest_fitting(&self, is_wanted: impl Fn(&SimulatedPlan) -> bool) -> Option<&SimulatedPlan> {
        let fitting = self.evaluator.plans.iter().filter(|one| self.evaluator.fits(one) && is_wanted(one));
        let length = |one: &SimulatedPlan| one.plan.to_toml().len();
        fitting.min_by(|a, b| a.seconds.total_cmp(&b.seconds).then_with(|| length(a).cmp(&length(b))))
    }

    /// Returns the writer of plans.
    fn writer(&self) -> ConfigWriter<'g> {
        ConfigWriter { problem: self.problem, graphs: self.graphs, shallow: self.shallow.clone() }
    }

    /// Simulates plans of a configuration with the given layouts, one for each level of detail. Returns the seconds of
    /// the fastest plan that fits.
    fn evaluate_layouts(
        &mut self,
        config: &ParallelConfig,
        layouts: &ChosenLayouts,
        details: &[Detail],
    ) -> Result<f64, Vec<Diagnostic>> {
        let mut least = f64::INFINITY;
        // A recomputation level that does not fit with one level of detail does not fit with another.
        let mut levels = self.problem.constraints.recompute_levels(config.recompute);
        for &detail in details {
            if !self.should_continue() || (detail != Detail::ALL[0] && self.has_used_budget(1.0)) {
                break;
            }
            let plan = self.writer().write(config, layouts, detail)?;
            least = least.min(self.evaluator.evaluate_fitting(plan, &mut levels));
        }
        Ok(least)
    }
}

/// Writer of the plans of configurations with layouts.
struct ConfigWriter<'g> {
    problem: SearchProblem<'g>,
    graphs: &'g StepGraphs<'g>,
    /// Models with few layers, if layouts are chosen for one of them.
    shallow: Option<Arc<DepthModel>>,
}

impl ConfigWriter<'_> {
    fn write(&self, config: &ParallelConfig, layouts: &ChosenLayouts, detail: Detail) -> Result<Plan, Vec<Diagnostic>> {
        let graph = self.graphs.get_or_error(config.micro_batches)?;
        let equal = self.shallow.as_ref().map(|depth| depth.with_equal_layers(layouts, graph.program()));
        let layouts = equal.as_ref().unwrap_or(layouts);
        let plan = write::config_plan(&self.problem, graph, config, layouts, detail)?;
        Ok(self.problem.space.with_schedule(plan, config.stages))
    }
}

/// Result of the first plans of a configuration.
struct FirstPlans<'p> {
    /// Seconds of the fastest plan that fits. Infinite if none does.
    seconds: f64,
    /// Smallest peak memory in bytes.
    peak: u64,
    config: &'p PricedConfig,
}

/// Splits configurations into those simulated first (the best for each number of stages and devices, and for each
/// number of micro-batches of a single stage) and all others. Equivalent configurations are omitted.
fn simulation_order(priced: &[PricedConfig]) -> (Vec<&PricedConfig>, Vec<&PricedConfig>) {
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
