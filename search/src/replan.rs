//! Search for a new plan after devices were lost or added or layers were frozen, placed on the available devices so
//! that little state moves.
//!
//! The selected plan moves the fewest bytes among plans with similar step times, including the present one with another
//! axis size.

mod assignment;
mod moves;
mod regions;

pub use moves::{Moves, ShardMove, TensorShards};
pub use regions::Region;

use crate::monitor::Monitor;
use crate::problem::{Goal, SearchRequest};
use indexmap::IndexMap;
use moves::moves;
use partita_cost::placement::{Placement, PlacementError};
use partita_cost::step::{PredictError, predict_with_prices};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::train::TrainConfig;
use partita_ir::plan::{Mesh, Plan, SourceText};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use regions::region;
use smol_str::SmolStr;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Change of the devices and of what is trained.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Machine devices that are lost.
    pub lost: Vec<usize>,
    /// Number of devices at the start of the machine that are available unless they are lost. `None` for all devices of
    /// the machine.
    pub devices: Option<usize>,
    /// Paths of parameters that are no longer trained.
    pub freeze: Vec<SourceText>,
    /// Relative increase of the step time that is accepted to move fewer bytes.
    pub max_slowdown: f64,
    /// Relative increase of the moved bytes that is accepted to use devices closer to each other.
    pub max_extra_moves: f64,
}

/// A partitioned plan with its predicted step.
pub struct PredictedPlan {
    /// The pipeline.
    pub pipeline: Arc<Pipeline>,
    /// Paths of parameters and optimizer state.
    pub params: BTreeSet<String>,
    /// Mesh axes from major (across nodes) to minor (within a node), as far as the plan specifies them.
    pub map: Vec<SmolStr>,
    /// Predicted seconds of a step.
    pub seconds: f64,
    /// Maximum peak memory of any device in bytes.
    pub peak: u64,
}

/// Function that partitions a plan and predicts its step.
pub type Predict<'p> = dyn Fn(&Plan) -> Result<PredictedPlan, Vec<Diagnostic>> + 'p;

/// A plan placed on devices.
#[derive(Clone, Debug)]
pub struct PlacedPlan {
    /// Machine device of each rank of each stage.
    pub stages: Vec<Vec<usize>>,
    /// Tensors that also exist in the present plan.
    pub tensors: Vec<TensorShards>,
    /// Moves of the shards of `tensors`.
    pub moves: Moves,
    /// Number of tensors that do not exist in the present plan, or have another type in it.
    pub new_tensors: usize,
    /// Bytes of the tensors counted by `new_tensors`.
    pub new_bytes: u64,
}

/// Result of replanning.
#[derive(Clone, Debug)]
pub struct ReplanResult {
    /// The new plan.
    pub plan: Plan,
    /// Placement of the new plan, and the resulting moves.
    pub placed: PlacedPlan,
    /// Number of devices of the present plan.
    pub devices_before: usize,
    /// Available devices of the machine.
    pub available: Vec<usize>,
    /// Step time of the present plan in seconds.
    pub seconds_before: f64,
    /// Step time of the new plan in seconds, as predicted when the plan was found. Assumes the first devices of the
    /// machine instead of the devices in `placed`.
    pub seconds_searched: f64,
    /// Predicted step time of the new plan in seconds on the devices in `placed`.
    pub seconds: f64,
    /// Number of candidate plans that were placed on devices.
    pub plans_placed: usize,
}

/// Maximum number of placed plans among the adapted plans, and among the searched plans.
const MAX_PLACED_PLANS: usize = 4;

/// Finds a replacement for the request's plan. The number of devices and the memory limit in the request's goal are
/// ignored.
///
/// # Errors
/// Returns errors in the present plan, `H002` for devices that the machine does not have or does not connect, errors of
/// a search, and `G001` if no plan was found.
pub fn replan(
    request: &SearchRequest<'_>,
    change: &Change,
    predict: &Predict<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<ReplanResult, Vec<Diagnostic>> {
    let SearchRequest { plan: present, machine, goal, .. } = *request;
    let available = available(machine, change)?;
    let prices = Prices::new(machine);
    let step = |plan: &PredictedPlan, stages: &[Vec<usize>]| -> Result<f64, Diagnostic> {
        let placement = Placement { stages: stages.to_vec() };
        let step = predict_with_prices(&plan.pipeline, &prices, &placement, &goal.efficiencies);
        Ok(step.map_err(|failure| prediction_error(machine, failure))?.seconds)
    };
    let old = predict(present)?;
    let old_stages = present_devices(&old, present, machine)?;
    let present_shards = param_shards(&old, &old_stages);
    let seconds_before = step(&old, &old_stages)?;
    let searched = searched(request, change, available.len(), monitor)?;
    let memory = present.budget_bytes()?.or(machine.kinds.iter().map(|kind| kind.memory).min()).unwrap_or(0);
    let simulated = |plan: Plan| {
        let predicted = predict(&plan).ok()?;
        (predicted.peak <= memory).then_some((predicted.seconds, plan))
    };
    let adapted = adapted(present, change, old.pipeline.schedule.stages, available.len())?;
    let adapted: Vec<(f64, Plan)> = adapted.into_iter().filter_map(simulated).collect();
    let fastest = searched.iter().chain(&adapted).map(|(seconds, _)| *seconds).fold(f64::INFINITY, f64::min);
    let enough = (1.0 + change.max_slowdown) * fastest;
    let near = |all: Vec<(f64, Plan)>| all.into_iter().filter(|(seconds, _)| *seconds <= enough).take(MAX_PLACED_PLANS);
    let mut all: Vec<ReplanResult> = Vec::new();
    let mut plans_placed = 0;
    for (seconds_searched, plan) in near(adapted).chain(near(searched)) {
        plans_placed += 1;
        let new = predict(&plan)?;
        for slack in [0.0, change.max_extra_moves] {
            let placed = place(&new, &present_shards, machine, &available, slack)?;
            // The devices can differ from those that the search assumed.
            let seconds = step(&new, &placed.stages)?;
            all.push(ReplanResult {
                plan: on_devices(plan.clone(), &placed.stages)?,
                placed,
                devices_before: old.pipeline.device_count(),
                available: available.clone(),
                seconds_before,
                seconds_searched,
                seconds,
                plans_placed: 0,
            });
            let fastest = all.iter().map(|one| one.seconds).fold(f64::INFINITY, f64::min);
            all.retain(|one| one.seconds <= (1.0 + change.max_slowdown) * fastest);
        }
    }
    let best = all.into_iter().min_by_key(|one| (one.placed.moves.bytes(), one.seconds.to_bits()));
    match best {
        Some(best) => Ok(ReplanResult { plans_placed, ..best }),
        None => Err(Diagnostic::new(Code::G001, "no plan was found").into()),
    }
}

/// Returns the error for a plan that cannot be placed on a machine.
fn prediction_error(machine: &Machine, failure: PredictError) -> Diagnostic {
    Diagnostic::new(Code::H002, format!("on `{}`: {failure}", machine.name))
}

/// Returns the available devices.
fn available(machine: &Machine, change: &Change) -> Result<Vec<usize>, Diagnostic> {
    let all = machine.device_count();
    if let Some(&lost) = change.lost.iter().find(|&&lost| lost >= all) {
        let (name, last) = (&machine.name, all - 1);
        let title = format!("`{name}` has devices 0 to {last}, but device {lost} is listed as lost");
        return Err(Diagnostic::new(Code::H002, title).help(format!("list device numbers from 0 to {last}")));
    }
    let count = change.devices.unwrap_or(all);
    if count == 0 || count > all {
        let title = format!("`{}` has {all} devices, but {count} are requested", machine.name);
        let larger = machine.name_with_devices(count);
        return Err(Diagnostic::new(Code::H002, title).help(format!("use a machine with more nodes: `{larger}`")));
    }
    let left: Vec<usize> = (0..count).filter(|device| !change.lost.contains(device)).collect();
    if left.is_empty() {
        return Err(
            Diagnostic::new(Code::H002, "all devices are lost").help("list only the lost devices: `--lost 3,5`")
        );
    }
    Ok(left)
}

/// Returns the machine device of each rank of each stage of the present plan.
fn present_devices(predicted: &PredictedPlan, plan: &Plan, machine: &Machine) -> Result<Vec<Vec<usize>>, Diagnostic> {
    let devices = plan.mesh.as_ref().and_then(|mesh| mesh.devices.as_ref());
    if let Some(devices) = devices.filter(|_| predicted.pipeline.schedule.stages == 1) {
        return Ok(vec![devices.iter().map(|&device| device as usize).collect()]);
    }
    Ok(placement(predicted, machine)?.stages)
}

/// Returns the placement of a plan on the first devices of the machine.
fn placement(predicted: &PredictedPlan, machine: &Machine) -> Result<Placement, Diagnostic> {
    let error = |error: PlacementError| prediction_error(machine, error.into());
    Placement::for_pipeline(&predicted.pipeline, machine, &predicted.map).map_err(error)
}

/// For each path of a parameter or optimizer state, its type and the shard of each device.
type ParamShards = IndexMap<String, (Type, Vec<(usize, Region)>)>;

/// Returns the shards of all parameters and optimizer state, given the devices of each stage.
fn param_shards(predicted: &PredictedPlan, stages: &[Vec<usize>]) -> ParamShards {
    let PredictedPlan { pipeline, params, .. } = predicted;
    let mut all = ParamShards::new();
    for (stage, devices) in stages.iter().enumerate() {
        for entry in pipeline.inputs_of(stage).into_iter().filter(|entry| params.contains(entry.name.as_str())) {
            let chunk = &pipeline.chunks[entry.chunk];
            let cell = &chunk.cells[entry.cell];
            let (_, shards) = all.entry(entry.name.to_string()).or_insert_with(|| (cell.ty.clone(), Vec::new()));
            for (rank, &device) in devices.iter().enumerate() {
                if shards.iter().all(|(known, _)| *known != device) {
                    shards.push((device, region(&cell.ty.shape, cell.layout.as_deref(), &chunk.mesh, rank)));
                }
            }
        }
    }
    all
}

/// Returns the shard of each of `count` devices. `None` for a device without a shard.
fn by_device(shards: &[(usize, Region)], count: usize) -> Vec<Option<Region>> {
    let mut all = vec![None; count];
    for (device, region) in shards {
        if let Some(shard) = all.get_mut(*device) {
            *shard = Some(region.clone());
        }
    }
    all
}

/// Places a new plan on available devices, given the shards of the present plan. `slack` is the relative increase of
/// the moved bytes that is accepted to use devices close to each other.
fn place(
    new: &PredictedPlan,
    before: &ParamShards,
    machine: &Machine,
    available: &[usize],
    slack: f64,
) -> Result<PlacedPlan, Diagnostic> {
    let placement = placement(new, machine)?;
    // Positions are numbered over all stages. Each position prefers its device in a consecutive placement.
    let preferred: Vec<usize> =
        placement.stages.iter().flatten().map(|&nth| available.get(nth).copied().unwrap_or(nth)).collect();
    let mut next = 0..preferred.len();
    let positions: Vec<Vec<usize>> =
        placement.stages.iter().map(|stage| next.by_ref().take(stage.len()).collect()).collect();
    let count = machine.device_count();
    let (mut tensors, mut new_tensors, mut new_bytes) = (Vec::new(), 0, 0);
    for (name, (ty, needs)) in param_shards(new, &positions) {
        let Some((_, has)) = before.get(&name).filter(|(known, _)| *known == ty) else {
            new_tensors += 1;
            new_bytes += ty.bytes();
            continue;
        };
        let width = Type::new(ty.dtype, []).bytes();
        tensors.push(TensorShards {
            name,
            width,
            has: by_device(has, count),
            needs: by_device(&needs, preferred.len()),
        });
    }
    let node_of: Vec<usize> = node_indices(machine);
    let distance = |position: usize, device: usize| match preferred[position] {
        best if best == device => 0,
        best if node_of.get(best) == node_of.get(device) => 1,
        _ => 2,
    };
    let mut moves = moves(&tensors, available, &distance, slack);
    if moves.devices.len() < preferred.len() {
        // No tensor of the present plan remains.
        moves.devices.clone_from(&preferred);
    }
    let stages =
        positions.iter().map(|stage| stage.iter().map(|&position| moves.devices[position]).collect()).collect();
    Ok(PlacedPlan { stages, tensors, moves, new_tensors, new_bytes })
}

/// Returns the node index of each device.
fn node_indices(machine: &Machine) -> Vec<usize> {
    let sizes = machine.nodes.iter().flat_map(|node| std::iter::repeat_n(node.devices.len(), node.count));
    sizes.enumerate().flat_map(|(node, size)| std::iter::repeat_n(node, size)).collect()
}

/// Searches on all available devices and on smaller numbers with more divisors: the largest multiples of 4 and of 2,
/// and the largest power of two. Returns the plans in ascending order of their step time in seconds.
fn searched(
    request: &SearchRequest<'_>,
    change: &Change,
    available: usize,
    monitor: &mut Monitor<'_>,
) -> Result<Vec<(f64, Plan)>, Vec<Diagnostic>> {
    let plan = &fixed_decisions(request.plan, change)?;
    let power = 1usize << available.ilog2();
    let mut counts = vec![available, available / 4 * 4, available / 2 * 2, power];
    counts.retain(|&count| count > 0);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.dedup();
    let (mut all, mut refused) = (Vec::new(), None);
    for count in counts {
        let goal = Goal { devices: Some(count), memory: plan.budget_bytes()?, ..request.goal.clone() };
        match crate::search(&SearchRequest { plan, goal: &goal, ..*request }, monitor) {
            Ok(outcome) => all.extend(outcome.plans.into_iter().map(|one| (one.seconds, one.plan))),
            Err(errors) => refused = refused.or(Some(errors)),
        }
    }
    all.sort_by(|a: &(f64, Plan), b| a.0.total_cmp(&b.0));
    match refused {
        Some(errors) if all.is_empty() => Err(errors),
        _ => Ok(all),
    }
}

/// Adapts the present plan to the available devices. Returns the plan with its present mesh, if enough devices are
/// available, and with each mesh axis resized to the largest possible size. Returns no plans if the plan has replicas
/// or several meshes.
fn adapted(present: &Plan, change: &Change, stages: usize, available: usize) -> Result<Vec<Plan>, Diagnostic> {
    let Some(mesh) = present.mesh.as_ref().filter(|_| present.stage_meshes.is_empty() && present.replicas.is_none())
    else {
        return Ok(Vec::new());
    };
    let sizes: Vec<(&str, u32)> = mesh.axes.iter().map(|axis| (axis.name.as_str(), axis.size)).collect();
    let count = |sizes: &[(&str, u32)]| stages * sizes.iter().map(|(_, size)| *size as usize).product::<usize>();
    let mut shapes = vec![sizes.clone()];
    for axis in 0..sizes.len() {
        let mut shape = sizes.clone();
        shape[axis].1 = 1;
        shape[axis].1 = u32::try_from(available / count(&shape)).unwrap_or(u32::MAX);
        shapes.push(shape);
    }
    shapes.retain(|shape| (1..=available).contains(&count(shape)));
    shapes.dedup();
    let freeze = [&present.freeze[..], &change.freeze].concat();
    let plan =
        |shape: Vec<(&str, u32)>| Ok(Plan { mesh: Some(Mesh::new(shape)?), freeze: freeze.clone(), ..present.clone() });
    shapes.into_iter().map(plan).collect()
}

/// Returns the decisions of the present plan that a search does not make: training, frozen parameters, precision,
/// bucket size, memory budget.
fn fixed_decisions(present: &Plan, change: &Change) -> Result<Plan, Diagnostic> {
    let freeze = [&present.freeze[..], &change.freeze].concat();
    Ok(Plan {
        train: present.train.as_ref().map(without_accumulation).transpose()?,
        freeze,
        train_only: present.train_only.clone(),
        precision: present.precision.clone(),
        bucket: present.bucket.clone(),
        budget: present.budget.clone(),
        ..Plan::default()
    })
}

/// Returns the optimizer and its options without the number of micro-batches, which the search determines.
fn without_accumulation(train: &SourceText) -> Result<SourceText, Diagnostic> {
    if TrainConfig::parse(train)?.accumulate == 1 {
        return Ok(train.clone());
    }
    let (name, options) = train.text.split_once('?').unwrap_or((&train.text, ""));
    let others: Vec<&str> =
        options.split('&').filter(|option| !option.trim_start().starts_with("accumulate")).collect();
    let text = if others.is_empty() { name.to_string() } else { format!("{name}?{}", others.join("&")) };
    Ok(SourceText::at_caller(text))
}

/// Assigns the devices to the plan's mesh, if it has a single stage.
fn on_devices(mut plan: Plan, stages: &[Vec<usize>]) -> Result<Plan, Diagnostic> {
    if let ([devices], Some(mesh)) = (stages, plan.mesh.take_if(|_| stages.len() == 1)) {
        plan.mesh = Some(mesh.with_devices(devices.iter().map(|&device| device as u32).collect())?);
    }
    Ok(plan)
}
