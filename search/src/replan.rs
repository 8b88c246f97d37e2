//! Search for a plan in place of the present one, when devices were lost or added or layers are frozen: on the devices
//! that there are now, placed so that as little state as possible moves.
//!
//! Of several plans that take about as long, among them the present one with another size of an axis, the one counts of
//! which least moves.

mod assign;
mod moves;
mod regions;

pub use moves::{Move, Moves, TensorShards};
pub use regions::Region;

use crate::driver::Monitor;
use crate::problem::{Goal, SearchRequest};
use indexmap::IndexMap;
use moves::moves;
use partita_cost::placement::{Misplaced, Placement};
use partita_cost::step::{Failure, predict_by};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::train::Train;
use partita_ir::plan::{Mesh, Plan, Written};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use regions::region;
use smol_str::SmolStr;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Change of the devices and of what is trained.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Numbers of the devices of the machine that are lost.
    pub lost: Vec<usize>,
    /// Number of devices that there are now, the first ones of the machine; all of them if `None`.
    pub devices: Option<usize>,
    /// Paths of parameters that are no longer trained.
    pub freeze: Vec<Written>,
    /// Share by which a step may take longer than the fastest one if less moves for it.
    pub slower: f64,
    /// Share by which more than the least may move where the step is faster on devices that are closer to each other.
    pub more: f64,
}

/// Plan that is partitioned, with its predicted step.
pub struct PredictedPlan {
    /// The stages.
    pub pipeline: Arc<Pipeline>,
    /// Paths of parameters and state.
    pub params: BTreeSet<String>,
    /// Mesh axes from the one across nodes to the one within, as far as they are decided.
    pub map: Vec<SmolStr>,
    /// Predicted seconds of a step.
    pub seconds: f64,
    /// Peak memory of the fullest device, in bytes.
    pub peak: u64,
}

/// Partitions a plan and predicts its step.
pub type Predict<'p> = dyn Fn(&Plan) -> Result<PredictedPlan, Vec<Diagnostic>> + 'p;

/// Plan on devices.
#[derive(Clone, Debug)]
pub struct PlacedPlan {
    /// Devices by stage and rank.
    pub stages: Vec<Vec<usize>>,
    /// Tensors that the present plan has, too.
    pub tensors: Vec<TensorShards>,
    /// Moves of their shards.
    pub moves: Moves,
    /// Number of tensors that the present plan does not have.
    pub new_tensors: usize,
    /// Bytes of these tensors.
    pub new_bytes: u64,
}

/// Plan in place of the present one.
#[derive(Clone, Debug)]
pub struct Replanned {
    /// The new plan.
    pub plan: Plan,
    /// Its devices, and what moves.
    pub placed: PlacedPlan,
    /// Number of devices of the present plan.
    pub devices_before: usize,
    /// Devices that there are now.
    pub available: Vec<usize>,
    /// Seconds of a step by the present plan.
    pub seconds_before: f64,
    /// Seconds of a step by the new plan on devices that follow each other, as the search places it.
    pub seconds_searched: f64,
    /// Seconds of a step by the new plan on its devices.
    pub seconds: f64,
    /// Number of plans that were placed on devices.
    pub plans_placed: usize,
}

/// Plans that are placed on devices, of those that are adapted from the present one and of those that are searched.
const PLACED: usize = 4;

/// Finds a plan in place of the request's plan. Devices and memory of its goal do not count.
///
/// # Errors
/// Errors in the present plan, `H002` for devices that the machine does not have, and errors of a search.
pub fn replan(
    request: &SearchRequest<'_>,
    change: &Change,
    predict: &Predict<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Replanned, Vec<Diagnostic>> {
    let SearchRequest { plan: present, machine, goal, .. } = *request;
    let available = available(machine, change)?;
    let prices = Prices::new(machine);
    let step = |plan: &PredictedPlan, stages: &[Vec<usize>]| -> Result<f64, Diagnostic> {
        let placement = Placement { stages: stages.to_vec() };
        let step = predict_by(&plan.pipeline, &prices, &placement, &goal.efficiencies);
        Ok(step.map_err(|failure| failed(machine, failure))?.seconds)
    };
    let old = predict(present)?;
    let old_stages = present_devices(&old, present, machine)?;
    let held = held(&old, &old_stages);
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
    let enough = (1.0 + change.slower) * fastest;
    let near = |all: Vec<(f64, Plan)>| all.into_iter().filter(|(seconds, _)| *seconds <= enough).take(PLACED);
    let mut all: Vec<Replanned> = Vec::new();
    let mut plans_placed = 0;
    for (seconds_searched, plan) in near(adapted).chain(near(searched)) {
        plans_placed += 1;
        let new = predict(&plan)?;
        for slack in [0.0, change.more] {
            let placed = place(&new, &held, machine, &available, slack)?;
            // The devices may differ from those that the search counted on.
            let seconds = step(&new, &placed.stages)?;
            all.push(Replanned {
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
            all.retain(|one| one.seconds <= (1.0 + change.slower) * fastest);
        }
    }
    let best = all.into_iter().min_by_key(|one| (one.placed.moves.bytes(), one.seconds.to_bits()));
    match best {
        Some(best) => Ok(Replanned { plans_placed, ..best }),
        None => Err(Diagnostic::new(Code::G001, "no plan was found").into()),
    }
}

/// The error for a plan that cannot be placed on a machine.
fn failed(machine: &Machine, failure: Failure) -> Diagnostic {
    Diagnostic::new(Code::H002, format!("on `{}`: {failure}", machine.name))
}

/// Devices that there are now.
fn available(machine: &Machine, change: &Change) -> Result<Vec<usize>, Diagnostic> {
    let all = machine.device_count();
    let too_many = |title: String| {
        Diagnostic::new(Code::H002, title).help("take a machine with more nodes, as in `dgx-a100?nodes=8`")
    };
    if let Some(&lost) = change.lost.iter().find(|&&lost| lost >= all) {
        let (name, last) = (&machine.name, all - 1);
        let title = format!("`{name}` has {all} devices, from 0 to {last}, and {lost} is said to be lost");
        return Err(too_many(title));
    }
    let count = change.devices.unwrap_or(all);
    if count == 0 || count > all {
        return Err(too_many(format!("`{}` has {all} devices, and {count} are asked for", machine.name)));
    }
    let left: Vec<usize> = (0..count).filter(|device| !change.lost.contains(device)).collect();
    if left.is_empty() {
        return Err(Diagnostic::new(Code::H002, "all devices are lost").help("name those that are: `--lost 3,5`"));
    }
    Ok(left)
}

/// Devices of the present plan, by stage and rank.
fn present_devices(predicted: &PredictedPlan, plan: &Plan, machine: &Machine) -> Result<Vec<Vec<usize>>, Diagnostic> {
    let devices = plan.mesh.as_ref().and_then(|mesh| mesh.devices.as_ref());
    if let Some(devices) = devices.filter(|_| predicted.pipeline.schedule.stages == 1) {
        return Ok(vec![devices.iter().map(|&device| device as usize).collect()]);
    }
    Ok(placement(predicted, machine)?.stages)
}

/// Placement on devices that follow each other.
fn placement(predicted: &PredictedPlan, machine: &Machine) -> Result<Placement, Diagnostic> {
    let misplaced = |misplaced: Misplaced| failed(machine, misplaced.into());
    Placement::of(&predicted.pipeline, machine, &predicted.map).map_err(misplaced)
}

/// Parameters and state by path: their type, and the shard of each device.
type Held = IndexMap<String, (Type, Vec<(usize, Region)>)>;

/// Shards that are held where stages have these devices.
fn held(predicted: &PredictedPlan, stages: &[Vec<usize>]) -> Held {
    let PredictedPlan { pipeline, params, .. } = predicted;
    let mut all = Held::new();
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

/// Shards by device, for so many devices.
fn by_device(shards: &[(usize, Region)], count: usize) -> Vec<Option<Region>> {
    let mut all = vec![None; count];
    for (device, region) in shards {
        if let Some(shard) = all.get_mut(*device) {
            *shard = Some(region.clone());
        }
    }
    all
}

/// Places a new plan on devices, of which some hold shards.
fn place(
    new: &PredictedPlan,
    before: &Held,
    machine: &Machine,
    available: &[usize],
    slack: f64,
) -> Result<PlacedPlan, Diagnostic> {
    let placement = placement(new, machine)?;
    // Positions are counted over all stages. Each prefers the device that it has where devices follow each other.
    let preferred: Vec<usize> =
        placement.stages.iter().flatten().map(|&nth| available.get(nth).copied().unwrap_or(nth)).collect();
    let mut next = 0..preferred.len();
    let positions: Vec<Vec<usize>> =
        placement.stages.iter().map(|stage| next.by_ref().take(stage.len()).collect()).collect();
    let count = machine.device_count();
    let (mut tensors, mut new_tensors, mut new_bytes) = (Vec::new(), 0, 0);
    for (name, (ty, needs)) in held(new, &positions) {
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
    let node_of: Vec<usize> = nodes(machine);
    let distance = |position: usize, device: usize| match preferred[position] {
        best if best == device => 0,
        best if node_of.get(best) == node_of.get(device) => 1,
        _ => 2,
    };
    let mut moves = moves(&tensors, available, &distance, slack);
    if moves.devices.len() < preferred.len() {
        // No tensor of the present plan is left.
        moves.devices.clone_from(&preferred);
    }
    let stages =
        positions.iter().map(|stage| stage.iter().map(|&position| moves.devices[position]).collect()).collect();
    Ok(PlacedPlan { stages, tensors, moves, new_tensors, new_bytes })
}

/// Number of its node by device.
fn nodes(machine: &Machine) -> Vec<usize> {
    let sizes = machine.nodes.iter().flat_map(|node| std::iter::repeat_n(node.devices.len(), node.count));
    sizes.enumerate().flat_map(|(node, size)| std::iter::repeat_n(node, size)).collect()
}

/// Plans of searches for all devices and for somewhat fewer, which are easier to divide, with seconds of a step: the
/// fastest one first.
fn searched(
    request: &SearchRequest<'_>,
    change: &Change,
    available: usize,
    monitor: &mut Monitor<'_>,
) -> Result<Vec<(f64, Plan)>, Vec<Diagnostic>> {
    let plan = &decisions_beside(request.plan, change)?;
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

/// The present plan for as many devices: as it is if there are enough, and with each axis of its mesh as long as they
/// allow.
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

/// The decisions of the present plan that no search makes: training, frozen parameters, precision, memory.
fn decisions_beside(present: &Plan, change: &Change) -> Result<Plan, Diagnostic> {
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

/// The optimizer and its options, except for the number of micro-batches, which the search chooses.
fn without_accumulation(train: &Written) -> Result<Written, Diagnostic> {
    if Train::read(train)?.accumulate == 1 {
        return Ok(train.clone());
    }
    let (name, options) = train.text.split_once('?').unwrap_or((&train.text, ""));
    let others: Vec<&str> =
        options.split('&').filter(|option| !option.trim_start().starts_with("accumulate")).collect();
    let text = if others.is_empty() { name.to_string() } else { format!("{name}?{}", others.join("&")) };
    Ok(Written::here(text))
}

/// The plan on these devices, if it has a single mesh that can name them.
fn on_devices(mut plan: Plan, stages: &[Vec<usize>]) -> Result<Plan, Diagnostic> {
    if let ([devices], Some(mesh)) = (stages, plan.mesh.take_if(|_| stages.len() == 1)) {
        plan.mesh = Some(mesh.over(devices.iter().map(|&device| device as u32).collect())?);
    }
    Ok(plan)
}
