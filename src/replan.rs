//! A new plan in place of the present one, when devices were lost or added or layers are frozen: searched for on the
//! devices that there are now, and laid on them so that as little state as possible moves.
//!
//! Several plans that take about as long are looked at, among them the present one with another size of an axis, and of
//! those the one counts of which least moves. What moves is a matter of [`partita_search::replan`]; here stands who has
//! what under a plan: parameters and all state of the optimizer, where the stages of a plan lie on the machine.

mod report;

use crate::error::{Error, Result};
use crate::partition::Partition;
use crate::search::{Goal, Progress, search};
use crate::simulate::Simulation;
use indexmap::IndexMap;
use partita_cost::placement::Placement;
use partita_cost::step::predict_by;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::plan::train::Train;
use partita_ir::plan::{Mesh, Plan, Written};
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_search::replan::{Lies, Moves, Region, moves, region};

/// What becomes of the devices and of what is trained.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Devices of the machine that are lost, by number.
    pub lost: Vec<usize>,
    /// How many devices there are now: the first ones of the machine; all of it if `None`.
    pub devices: Option<usize>,
    /// Paths of parameters that are no longer trained.
    pub freeze: Vec<Written>,
    /// By which share a step may take longer than the fastest one if less moves for it.
    pub slower: f64,
    /// By which share more than the least may move where the step is faster on devices that are closer to each other.
    pub more: f64,
}

/// A tensor that the new plan keeps and the present one does not.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Anew {
    tensors: usize,
    bytes: u64,
}

/// How a plan lies on devices.
struct Laid {
    /// By stage and rank, the device.
    stages: Vec<Vec<usize>>,
    /// What it takes along.
    tensors: Vec<Lies>,
    moves: Moves,
    anew: Anew,
}

/// A new plan, and what has to move for it. Prints as tables.
pub struct Replan {
    model: String,
    machine: String,
    change: Change,
    /// Devices that the present plan uses.
    before: usize,
    /// Devices that there are now.
    available: Vec<usize>,
    plan: Plan,
    /// Seconds of a step: by the present plan, by the new one on devices that follow each other, and on those that it
    /// is laid on.
    seconds: [f64; 3],
    laid: Laid,
    /// How many plans were laid on the devices.
    tried: usize,
}

/// So many plans are laid on the devices.
const LAID: usize = 4;

impl Replan {
    /// Finds a plan for what has changed. `goal` says how to search; its devices and memory are of no account.
    ///
    /// # Errors
    /// What is wrong with the present plan, `H002` for devices that the machine does not have, and what a search says.
    pub fn find(
        program: &Program,
        present: &Plan,
        machine: &Machine,
        change: &Change,
        goal: &Goal,
        on_progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Replan> {
        let available = available(machine, change)?;
        let (old, _) = Simulation::of_plan(program, present, machine, &goal.efficiencies)?;
        let stages = placed(&old, present, machine)?;
        let before = lying(&old, &stages)?;
        let prices = Prices::new(machine);
        let step = |partition: &Partition, stages: Vec<Vec<usize>>| -> Result<f64> {
            let step = predict_by(partition.stages()?, &prices, &Placement { stages }, &goal.efficiencies);
            Ok(step.map_err(|why| Diagnostic::new(Code::H002, format!("on `{}`: {why}", machine.name)))?.seconds)
        };
        let step_before = step(&old, stages)?;
        let searched = candidates(program, present, machine, change, goal, available.len(), on_progress)?;
        let memory = present.budget_bytes()?.or(machine.kinds.iter().map(|kind| kind.memory).min()).unwrap_or(0);
        let simulated = |plan: Plan| {
            let (_, simulation) = Simulation::of_plan(program, &plan, machine, &goal.efficiencies).ok()?;
            let prediction = simulation.prediction();
            (prediction.peak_bytes() <= memory).then_some((prediction.seconds, plan))
        };
        let alike = adapted(present, change, old.stages()?.schedule.stages, available.len())?;
        let alike: Vec<(f64, Plan)> = alike.into_iter().filter_map(simulated).collect();
        let fastest = searched.iter().chain(&alike).map(|(seconds, _)| *seconds).fold(f64::INFINITY, f64::min);
        let enough = (1.0 + change.slower) * fastest;
        let near =
            |all: Vec<(f64, Plan)>| all.into_iter().filter(|(seconds, _)| *seconds <= enough).take(LAID).collect();
        let near: [Vec<(f64, Plan)>; 2] = [near(alike), near(searched)];
        let mut all: Vec<Replan> = Vec::new();
        let mut tried = 0;
        for (seconds, plan) in near.into_iter().flatten() {
            tried += 1;
            let (new, _) = Simulation::of_plan(program, &plan, machine, &goal.efficiencies)?;
            for slack in [0.0, change.more] {
                let laid = laid(&new, &before, machine, &available, slack)?;
                // Where devices are missing in between, those that the search counted on are others.
                let now = step(&new, laid.stages.clone())?;
                all.push(Replan {
                    model: program.source.to_string(),
                    machine: machine.name.to_string(),
                    change: change.clone(),
                    before: old.device_count(),
                    available: available.clone(),
                    plan: on_devices(plan.clone(), &laid.stages)?,
                    seconds: [step_before, seconds, now],
                    laid,
                    tried: 0,
                });
                let fastest = all.iter().map(|one| one.seconds[2]).fold(f64::INFINITY, f64::min);
                all.retain(|one| one.seconds[2] <= (1.0 + change.slower) * fastest);
            }
        }
        let least = |one: &Replan| (one.laid.moves.bytes(), one.seconds[2].to_bits());
        let none = || Diagnostic::new(Code::G001, "no plan was found").into();
        all.into_iter().min_by_key(least).map(|best| Replan { tried, ..best }).ok_or_else(none)
    }

    /// The new plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What moves.
    pub fn moves(&self) -> &Moves {
        &self.laid.moves
    }

    /// Calls the model by another name.
    pub fn named(mut self, model: &str) -> Replan {
        model.clone_into(&mut self.model);
        self
    }
}

/// The devices that there are now.
fn available(machine: &Machine, change: &Change) -> Result<Vec<usize>> {
    let all = machine.device_count();
    let too_many = |title: String| {
        Diagnostic::new(Code::H002, title).help("take a machine with more nodes, as in `dgx-a100?nodes=8`")
    };
    if let Some(&lost) = change.lost.iter().find(|&&lost| lost >= all) {
        return Err(too_many(format!(
            "`{}` has {all} devices, from 0 to {}, and {lost} is said to be lost",
            machine.name,
            all - 1
        ))
        .into());
    }
    let count = change.devices.unwrap_or(all);
    if count == 0 || count > all {
        return Err(too_many(format!("`{}` has {all} devices, and {count} are asked for", machine.name)).into());
    }
    let left: Vec<usize> = (0..count).filter(|device| !change.lost.contains(device)).collect();
    if left.is_empty() {
        return Err(Diagnostic::new(Code::H002, "all devices are lost")
            .help("name those that are: `--lost 3,5`")
            .into());
    }
    Ok(left)
}

/// By stage and rank, the device that the present plan uses.
fn placed(partition: &Partition, plan: &Plan, machine: &Machine) -> Result<Vec<Vec<usize>>> {
    let said = plan.mesh.as_ref().and_then(|mesh| mesh.devices.as_ref());
    if let Some(devices) = said.filter(|_| partition.schedule().is_none()) {
        return Ok(vec![devices.iter().map(|&device| device as usize).collect()]);
    }
    let wrong = |why| {
        let why = partita_cost::step::Failure::from(why);
        Diagnostic::new(Code::H002, format!("on `{}`: {why}", machine.name))
    };
    Ok(Placement::of(partition.stages()?, machine, &partition.plan().mapped()?).map_err(wrong)?.stages)
}

/// By path, parameters and state: their type, and by device what it has.
type Lying = IndexMap<String, (Type, Vec<(usize, Region)>)>;

/// Who has what when the devices of stages are these.
fn lying(partition: &Partition, stages: &[Vec<usize>]) -> Result<Lying> {
    let (step, cut) = (partition.planned(), partition.stages()?);
    let params: std::collections::BTreeSet<&str> = step.params.values().map(|param| param.path.as_str()).collect();
    let mut all = Lying::new();
    for (stage, devices) in stages.iter().enumerate() {
        for entry in cut.inputs_of(stage).into_iter().filter(|entry| params.contains(entry.name.as_str())) {
            let chunk = &cut.chunks[entry.chunk];
            let cell = &chunk.cells[entry.cell];
            let (_, has) = all.entry(entry.name.to_string()).or_insert_with(|| (cell.ty.clone(), Vec::new()));
            for (rank, &device) in devices.iter().enumerate() {
                if has.iter().all(|(known, _)| *known != device) {
                    has.push((device, region(&cell.ty.shape, cell.layout.as_deref(), &chunk.mesh, rank)));
                }
            }
        }
    }
    Ok(all)
}

/// By what a device has, in a list as long as needed.
fn by_device(has: &[(usize, Region)], count: usize) -> Vec<Option<Region>> {
    let mut all = vec![None; count];
    for (device, region) in has {
        if let Some(place) = all.get_mut(*device) {
            *place = Some(region.clone());
        }
    }
    all
}

/// Lays a new plan on devices.
fn laid(new: &Partition, before: &Lying, machine: &Machine, available: &[usize], slack: f64) -> Result<Laid> {
    let cut = new.stages()?;
    let wrong = |why| {
        let why = partita_cost::step::Failure::from(why);
        Diagnostic::new(Code::H002, format!("on `{}`: {why}", machine.name))
    };
    let placement = Placement::of(cut, machine, &new.plan().mapped()?).map_err(wrong)?;
    // Positions are counted over all stages, and like the device that is theirs where devices follow each other.
    let liked: Vec<usize> =
        placement.stages.iter().flatten().map(|&nth| available.get(nth).copied().unwrap_or(nth)).collect();
    let mut next = 0..liked.len();
    let positions: Vec<Vec<usize>> =
        placement.stages.iter().map(|stage| next.by_ref().take(stage.len()).collect()).collect();
    let count = machine.device_count();
    let (mut tensors, mut anew) = (Vec::new(), Anew::default());
    for (name, (ty, needs)) in lying(new, &positions)? {
        let Some((_, has)) = before.get(&name).filter(|(known, _)| *known == ty) else {
            anew = Anew { tensors: anew.tensors + 1, bytes: anew.bytes + ty.bytes() };
            continue;
        };
        let width = Type::new(ty.dtype, []).bytes();
        tensors.push(Lies { name, width, has: by_device(has, count), needs: by_device(&needs, liked.len()) });
    }
    let node_of: Vec<usize> = nodes(machine);
    let how = |position: usize, device: usize| match liked[position] {
        best if best == device => 0,
        best if node_of.get(best) == node_of.get(device) => 1,
        _ => 2,
    };
    let mut moves = moves(&tensors, available, &how, slack);
    if moves.devices.len() < liked.len() {
        // Nothing outlives the present plan.
        moves.devices.clone_from(&liked);
    }
    let stages =
        positions.iter().map(|stage| stage.iter().map(|&position| moves.devices[position]).collect()).collect();
    Ok(Laid { stages, tensors, moves, anew })
}

/// By device, the number of its node.
fn nodes(machine: &Machine) -> Vec<usize> {
    let sizes = machine.nodes.iter().flat_map(|node| std::iter::repeat_n(node.devices.len(), node.count));
    sizes.enumerate().flat_map(|(node, size)| std::iter::repeat_n(node, size)).collect()
}

/// Plans for so many devices or somewhat fewer, which are easier to divide, with seconds of a step: the fastest one
/// first.
fn candidates(
    program: &Program,
    present: &Plan,
    machine: &Machine,
    change: &Change,
    goal: &Goal,
    available: usize,
    on_progress: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Vec<(f64, Plan)>> {
    let base = base(present, change)?;
    let power = 1usize << available.ilog2();
    let mut counts = vec![available, available / 4 * 4, available / 2 * 2, power];
    counts.retain(|&count| count > 0);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.dedup();
    let (mut all, mut refused): (Vec<(f64, Plan)>, Option<Error>) = (Vec::new(), None);
    for count in counts {
        let goal = Goal { devices: Some(count), memory: base.budget_bytes()?, ..goal.clone() };
        match search(program, machine).plan(&base).goal(&goal).on_progress(&mut *on_progress).run() {
            Ok(search) => all.extend(search.plans().iter().map(|one| (one.seconds, one.plan.clone()))),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    match refused {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok(all),
    }
}

/// The present plan for as many devices: as it is if there are enough, and with one axis of its mesh as long as they
/// allow.
fn adapted(present: &Plan, change: &Change, stages: usize, available: usize) -> Result<Vec<Plan>> {
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

/// Of the present plan what no search decides: how to train, what is frozen, in which precision, in how much memory.
fn base(present: &Plan, change: &Change) -> Result<Plan> {
    let freeze = [&present.freeze[..], &change.freeze].concat();
    Ok(Plan {
        train: present.train.as_ref().map(in_one_part).transpose()?,
        freeze,
        train_only: present.train_only.clone(),
        precision: present.precision.clone(),
        bucket: present.bucket.clone(),
        budget: present.budget.clone(),
        ..Plan::default()
    })
}

/// How to train, but for the number of parts of the batch, which the search chooses.
fn in_one_part(train: &Written) -> Result<Written> {
    if Train::read(train)?.accumulate == 1 {
        return Ok(train.clone());
    }
    let (name, options) = train.text.split_once('?').unwrap_or((&train.text, ""));
    let others: Vec<&str> =
        options.split('&').filter(|option| !option.trim_start().starts_with("accumulate")).collect();
    let text = if others.is_empty() { name.to_string() } else { format!("{name}?{}", others.join("&")) };
    Ok(Written::here(text))
}

/// The plan on these devices, if it has a single mesh to say so of.
fn on_devices(mut plan: Plan, stages: &[Vec<usize>]) -> Result<Plan> {
    if let ([devices], Some(mesh)) = (stages, plan.mesh.take_if(|_| stages.len() == 1)) {
        plan.mesh = Some(mesh.over(devices.iter().map(|&device| device as u32).collect())?);
    }
    Ok(plan)
}
