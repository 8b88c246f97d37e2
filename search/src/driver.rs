//! Driver of a search: runs the stages in order, and controls its end.
//!
//! Compositions of presets are explored first ([`explore`](crate::explore)), which takes a fraction of a second and
//! determines the promising meshes. For these, [`intra_op::solve`] chooses the layouts of all values, and
//! [`Refinement`] simulates the resulting plans and their variations. The best plans are lowered in full. Finally
//! [`lower_bound`] bounds the step time of all plans of the space.
//!
//! The search ends after a fixed amount of work, so that its result depends on the request alone. The deadline and the
//! progress callback are checked between simulations and can end the search earlier with the best plan so far.

use crate::bound::lower_bound;
use crate::buckets::gradient_bytes;
use crate::composition::{Composition, Space, limits_for_target};
use crate::configs::{ParallelConfig, configs};
use crate::evaluate::{Evaluator, SimulatedPlan, autotuned, without_idle_devices};
use crate::explore::Exploration;
use crate::intra_op::{self, PricedConfig, StepGraphs};
use crate::limits::{ExploreLimits, RefinementLimits};
use crate::monitor::Monitor;
use crate::outcome::{Infeasible, Outcome};
use crate::problem::{Constraints, SearchProblem, SearchRequest, Step};
use crate::refine::Refinement;
use crate::stage_memory::fit_stages;
use crate::target::{Obstacle, Target, TargetRules};
use partita_ir::diag::Diagnostic;
use partita_ir::plan::Plan;
use partita_machine::collective::choice::Prices;
use partita_passes::pipelines;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Searches for plans with the element types of the request's plan.
///
/// # Errors
/// Returns errors in the plan, `H002` if the machine is too small, and `L019` if the target cannot express a decision
/// or any plan.
pub(crate) fn search(
    request: &SearchRequest<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Result<Outcome, Infeasible>, Vec<Diagnostic>> {
    let SearchRequest { program, machine, goal, .. } = *request;
    let mut program = program.clone();
    pipelines::normalise(&mut program)?;
    let program = &program;
    let (devices, memory) = (request.device_count()?, request.memory());
    let constraints = Constraints::from_plan(request.plan, program, &goal.fix)?;
    let (prices, effort, efficiencies) = (Prices::new(machine), &goal.effort, &goal.efficiencies);
    let step = Step::build(program, &constraints, 1)?;
    let target = goal.target.map(|target| TargetRules::new(target, program, &step.program, &step.classes));
    if let Some(rules) = &target {
        check_expressible(rules, &constraints)?;
    }
    let limits = goal.target.map_or_else(|| goal.space.clone(), |target| limits_for_target(&goal.space, target));
    let problem = SearchProblem {
        program,
        constraints: &constraints,
        prices: &prices,
        memory,
        effort,
        space: &limits,
        target: target.as_ref(),
        efficiencies,
        gradient_bytes: gradient_bytes(program),
    };
    let all_configs = configs(&constraints, &step.program, devices)?;
    let node_devices = machine.nodes.iter().map(|node| node.devices.len()).max().unwrap_or(1);
    let space = Space::new(&constraints, &limits, &step, devices, node_devices);
    let space = space.map(|space| space.with_layers_of(program));
    let space =
        if goal.target.is_some() { space } else { space.map(|space| space.with_buckets_for(problem.gradient_bytes)) };
    let space = match target.as_ref().and_then(TargetRules::equal_layers) {
        Some(layers) => space.map(|space| space.with_equal_stages(layers.clone())),
        None => space,
    };
    let mut evaluator = Evaluator::new(problem, monitor.deadline());

    let promising = space.as_ref().map_or(Vec::new(), |space| explore(&mut evaluator, space, &step, monitor));
    // If the user's decisions are a plan, this plan is a candidate as it is.
    if constraints.mesh.is_some() && !constraints.has_split_along() {
        let template = constraints.template().clone();
        evaluator.evaluate_fitting(template, &mut constraints.recompute_levels(false));
    }
    let is_large = step.program.ops.len() > RefinementLimits::TUNED.large_ops;
    let has_free_layouts = goal.target.is_none_or(Target::has_free_layouts);
    let mut configs = if has_free_layouts {
        configs_of(&promising, &constraints, all_configs, (is_large, !evaluator.plans.is_empty()))
    } else {
        Vec::new()
    };
    configs.retain(|config| config.stages == 1 || goal.target.is_none_or(Target::has_stages));
    if !configs.is_empty() && (!monitor.is_stopped || evaluator.plans.is_empty()) {
        evaluator = refine(evaluator, &configs, (goal.param_storage, is_large), monitor)?;
    }
    if evaluator.plans.is_empty() && !evaluator.has_errors() && target.is_none() {
        return Ok(Err(Infeasible { devices, memory, least: None, is_large }));
    }
    let RefinementLimits { max_autotuned_plans, exact_ops, min_exact_plans, .. } = RefinementLimits::TUNED;
    let count = if is_large { goal.shown } else { goal.shown.max(max_autotuned_plans) };
    let exact = count.min(min_exact_plans.max(exact_ops / step.program.ops.len().max(1)));
    evaluator.verify(exact, monitor);
    if !evaluator.fastest().is_finite() {
        // Memory is estimated until a plan is lowered in full.
        fit_stages(&mut evaluator, monitor);
        evaluator.verify(exact, monitor);
    }
    let mut candidates = evaluator.plans.clone();
    let mut plans = evaluator.take_ranked()?;
    if plans[0].peak > memory && !monitor.is_stopped {
        let least = plans.iter().map(|one| one.peak).min();
        return Ok(Err(Infeasible { devices, memory, least, is_large }));
    }
    if !is_large {
        plans = with_other_meshes(plans, count / 2);
    }
    plans.truncate(count);
    if !monitor.is_stopped {
        let named = if is_large { 1 } else { goal.shown };
        plans.par_iter_mut().take(named).for_each(|one| *one = evaluator.with_stage_paths(one.clone()));
    }
    if !is_large && !monitor.is_stopped {
        plans = plans.into_par_iter().map(|plan| autotuned(&problem, plan)).collect();
        plans.sort_by_key(|one| (one.peak > memory, one.seconds.to_bits(), one.devices));
        plans = without_idle_devices(plans, memory);
        plans[0] = without_idle_bucket(&problem, &evaluator, plans[0].clone());
    }
    let bound = space.as_ref().and_then(|space| lower_bound(&problem, &step, space, &plans[0], monitor.deadline()));
    plans.truncate(goal.shown);
    // Plans that were cut or lowered differently at last.
    let is_new =
        |one: &&SimulatedPlan| candidates.iter().all(|known| (&known.plan, known.seconds) != (&one.plan, one.seconds));
    let new: Vec<SimulatedPlan> = plans.iter().filter(is_new).cloned().collect();
    candidates.extend(new);
    plans.iter_mut().for_each(|one| one.plan = evaluator.shortened(&one.plan));
    Ok(Ok(Outcome { plans, memory, bound, candidates, is_interrupted: monitor.is_stopped }))
}

/// Moves the best plan of each further mesh and number of stages, with and without layouts of single values, behind the
/// first `count` plans: lowering it in several variants can gain more than the small differences between plans on one
/// mesh.
fn with_other_meshes(mut plans: Vec<SimulatedPlan>, count: usize) -> Vec<SimulatedPlan> {
    let rest = plans.split_off(count.min(plans.len()));
    let kind = |one: &SimulatedPlan| (one.mesh.clone(), one.stages, one.plan.shards.is_empty());
    let mut known: BTreeSet<(String, usize, bool)> = plans.iter().map(kind).collect();
    let (others, rest): (Vec<SimulatedPlan>, Vec<SimulatedPlan>) =
        rest.into_iter().partition(|one| known.insert(kind(one)));
    plans.into_iter().chain(others).chain(rest).collect()
}

/// Returns a plan without the size of buckets if the step takes the same time without buckets.
fn without_idle_bucket(problem: &SearchProblem<'_>, evaluator: &Evaluator<'_>, one: SimulatedPlan) -> SimulatedPlan {
    if one.plan.bucket.is_none() || problem.constraints.template().bucket.is_some() {
        return one;
    }
    let bare = Plan { bucket: None, ..one.plan.clone() };
    match evaluator.lower_and_simulate(&bare, one.recompute) {
        Ok((bare, _)) => Some(autotuned(problem, bare)).filter(|bare| bare.seconds <= one.seconds).unwrap_or(one),
        Err(_) => one,
    }
}

/// Checks that a target can express the user's decisions.
fn check_expressible(rules: &TargetRules, constraints: &Constraints) -> Result<(), Diagnostic> {
    let mut obstacles = rules.of_plan(constraints.template());
    if !rules.target().has_free_layouts() {
        obstacles.extend(constraints.split_along().iter().map(Obstacle::of_fixed_axis));
    }
    if obstacles.is_empty() { Ok(()) } else { Err(rules.written_error(&obstacles)) }
}

/// Explores compositions of presets, and returns the promising ones. Empty if no composition fits.
fn explore(evaluator: &mut Evaluator<'_>, space: &Space, step: &Step, monitor: &mut Monitor<'_>) -> Vec<Composition> {
    let SearchProblem { constraints, memory, .. } = evaluator.problem;
    let mut exploration = Exploration::new(space, constraints, memory);
    exploration.run(evaluator, monitor);
    fit_stages(evaluator, monitor);
    let ExploreLimits { solved_ops, solved_configs, .. } = ExploreLimits::TUNED;
    let count = (solved_ops / step.program.ops.len().max(1)).clamp(solved_configs.0, solved_configs.1);
    exploration.promising(count)
}

/// Chooses layouts for configurations, and evaluates the resulting plans and their variations. If the step is large,
/// layouts are chosen for a model with few layers.
fn refine<'a>(
    evaluator: Evaluator<'a>,
    configs: &[ParallelConfig],
    (param_storage, is_large): (bool, bool),
    monitor: &mut Monitor<'_>,
) -> Result<Evaluator<'a>, Vec<Diagnostic>> {
    let depth = evaluator.depth.clone().filter(|depth| is_large && depth.has_named_layers());
    let problem = depth.as_ref().map_or(evaluator.problem, |depth| depth.shallow(&evaluator.problem));
    let counts = configs.iter().map(|config| config.micro_batches);
    let steps = Step::build_all(problem.program, problem.constraints, counts);
    let mut solve =
        |problem: &SearchProblem<'_>, graphs: &StepGraphs<'_>| -> Result<Vec<PricedConfig>, Vec<Diagnostic>> {
            let has_plans = !evaluator.plans.is_empty();
            let mut should_continue =
                |has_priced| monitor.should_continue(&evaluator.progress()) || !(has_plans || has_priced);
            intra_op::solve(problem, graphs, configs, &mut should_continue)
        };
    let mut graphs = StepGraphs::new(&steps, false);
    let mut explores_storage = param_storage;
    let mut priced = solve(&problem, &graphs)?;
    if priced.is_empty() && param_storage {
        graphs = StepGraphs::new(&steps, true);
        explores_storage = false;
        priced = solve(&problem, &graphs)?;
    }
    if priced.is_empty() {
        // Layouts found without a memory limit show how much memory would be sufficient.
        priced = solve(&problem.with_memory(u64::MAX), &graphs)?;
        priced.truncate(RefinementLimits::TUNED.max_reported_configs);
    }
    let mut refinement = Refinement::new(
        evaluator,
        (problem, depth.clone()),
        &graphs,
        (explores_storage, is_large),
        priced.len(),
        monitor,
    );
    refinement.run(&priced)?;
    Ok(refinement.evaluator)
}

/// Maximum number of mesh axes for which layouts are solved after compositions have been explored. The number of
/// layouts of a value grows exponentially with it.
const MAX_SOLVED_AXES: usize = 2;

/// Returns the configurations of compositions, or all of them if there are no compositions. If the user specifies the
/// mesh, returns those of `all` with the stages and micro-batches of a composition. Unless the step is large, further
/// configurations have the devices of the best composition, and of the largest one without stages, along one axis:
/// layouts can be better that no preset has. There are none for a mesh with more than [`MAX_SOLVED_AXES`] axes, unless
/// no plan is known.
fn configs_of(
    compositions: &[Composition],
    constraints: &Constraints,
    all: Vec<ParallelConfig>,
    (is_large, has_plans): (bool, bool),
) -> Vec<ParallelConfig> {
    let axis_count = |mesh: &Vec<(String, u32)>| mesh.iter().filter(|axis| axis.1 > 1).count();
    if has_plans && constraints.mesh.as_ref().is_some_and(|mesh| axis_count(mesh) > MAX_SOLVED_AXES) {
        return Vec::new();
    }
    if compositions.is_empty() {
        return all;
    }
    if constraints.mesh.is_some() {
        let is_wanted = |config: &&ParallelConfig| {
            compositions.iter().any(|one| (one.stages, one.micro_batches) == (config.stages, config.micro_batches))
        };
        let wanted: Vec<ParallelConfig> = all.iter().filter(is_wanted).cloned().collect();
        return if wanted.is_empty() { all } else { wanted };
    }
    let has_presets = !constraints.template().presets.is_empty();
    let config = |one: &Composition| {
        let named = one.axes_for(constraints.template());
        let axes: Vec<u32> = named.iter().map(|axis| axis.1).collect();
        // Presets of the user refer to axes by name. Other axes are named by their use.
        let names = named.iter().filter(|_| has_presets).map(|(role, _)| role.name().to_owned()).collect();
        ParallelConfig {
            stages: one.stages,
            order: (0..axes.len()).collect(),
            axes,
            names,
            micro_batches: one.micro_batches,
            recompute: false,
        }
    };
    let mut configs: Vec<ParallelConfig> = compositions.iter().map(config).collect();
    if !has_presets && !is_large {
        let plain = configs.iter().filter(|config| config.is_plain());
        let best = configs.first().into_iter().chain(plain.max_by_key(|config| config.stage_devices()));
        let along_one_axis = |config: &ParallelConfig| {
            let axes = vec![config.axes.iter().product()];
            ParallelConfig { axes, order: vec![0], ..config.clone() }
        };
        let more: Vec<ParallelConfig> = best.map(along_one_axis).collect();
        configs.extend(more);
    }
    configs.retain(|config| config.axes.iter().filter(|&&size| size > 1).count() <= MAX_SOLVED_AXES);
    configs.sort();
    configs.dedup();
    configs
}
