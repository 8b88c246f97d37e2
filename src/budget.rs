//! Check of a plan's memory against its budget. For a plan above the budget, the error proposes changes to the plan,
//! each with the predicted peak memory of the changed plan.

use crate::compile_results::LocalPrograms;
use crate::error::Result;
use crate::partition::Partition;
use crate::report::{LargeValueRow, format_bytes};
use partita_cost::peak_breakdown::{PeakBreakdown, peak_of_program, peak_of_stages};
use partita_cost::roofline::Efficiencies;
use partita_cost::step::ReservedBytes;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::pipeline::StageSplit;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::units::format_count;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::planning::presets::DATA_AXES;
use partita_passes::training::micro_batches;
use std::cmp::Reverse;

/// Maximum number of proposed changes.
const MAX_PROPOSALS: usize = 4;

/// Maximum number of plans that are compiled to evaluate single changes. A combination of changes compiles at most one
/// more plan for each kind of change.
const MAX_COMPILED_PLANS: usize = 14;

/// Number of largest values that the error lists.
const MAX_LISTED_VALUES: usize = 4;

/// Maximum number of layers in a `--freeze` proposal.
const MAX_FREEZE_LAYERS: usize = 8;

/// Peak memory of one device, or of one device of each stage, and the number of micro-batches.
pub(crate) struct MemoryNeed {
    /// One entry for a plan on one mesh, or one for each pipeline stage.
    pub(crate) devices: Vec<PeakBreakdown>,
    pub(crate) micro_batches: u64,
}

impl MemoryNeed {
    /// Returns the peak bytes of the device that needs most.
    fn peak_bytes(&self) -> u64 {
        self.devices.iter().map(|device| device.bytes).max().unwrap_or(0)
    }
}

/// Checks that a plan stays within its memory budget. `needed` is called only if the plan has a budget.
///
/// # Errors
/// `L005` for a plan above the budget, with the peak by purpose and proposed changes; `L017` for an invalid budget.
pub(crate) fn check_budget(
    program: &Program,
    plan: &Plan,
    machine: Option<&Machine>,
    needed: impl FnOnce() -> MemoryNeed,
) -> Result<()> {
    let (Some(budget), Some(written)) = (plan.budget_bytes()?, &plan.budget) else { return Ok(()) };
    let needed = needed();
    let worst = (0..needed.devices.len()).max_by_key(|&stage| (needed.devices[stage].bytes, Reverse(stage)));
    let Some(worst) = worst.filter(|_| needed.peak_bytes() > budget) else { return Ok(()) };
    let device = &needed.devices[worst];
    let who = if needed.devices.len() > 1 { format!("stage {worst} needs") } else { "the plan needs".to_owned() };
    let title = format!(
        "{who} {} per device, {} over the budget",
        format_bytes(device.bytes),
        format_bytes(device.bytes - budget)
    );
    let mut error = Diagnostic::new(Code::L005, title)
        .label(written.span(), format!("the budget per device: {}", format_bytes(budget)));
    error = error.note(purposes_text(device)).note(largest_text(device));
    let others = (0..needed.devices.len()).filter(|&s| s != worst && needed.devices[s].bytes > budget);
    let others: Vec<String> = others.map(|s| format!("{s} ({})", format_bytes(needed.devices[s].bytes))).collect();
    if !others.is_empty() {
        error = error.note(format!("also over the budget: stage {}", others.join(", stage ")));
    }
    Err(propose_changes(program, (plan, machine), &needed, budget).into_iter().fold(error, Diagnostic::help).into())
}

/// Formats the peak memory of a device by purpose, one line for each purpose.
fn purposes_text(device: &PeakBreakdown) -> String {
    let line = |share: &partita_cost::peak_breakdown::PurposeTotal| {
        let dtypes: Vec<String> = share.dtypes.iter().map(ToString::to_string).collect();
        let of = match share.elements {
            0 => String::new(),
            1 => format!("   1 element, {}", dtypes.join(" and ")),
            n => format!("   {} elements, {}", format_count(n), dtypes.join(" and ")),
        };
        format!("{:<11} {:>10}{of}", share.purpose.name(), format_bytes(share.bytes))
    };
    device.by_purpose().iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Formats the largest values at the peak. Equal values of different layers share an entry.
fn largest_text(device: &PeakBreakdown) -> String {
    let rows = LargeValueRow::from_peak(device);
    let named: Vec<String> =
        rows.iter().take(MAX_LISTED_VALUES).map(|row| format!("{row} {}", format_bytes(row.bytes))).collect();
    format!("largest at the peak: {} (`explain --peak` lists more)", named.join("; "))
}

/// A change to a plan that may reduce its peak memory.
struct PlanChange {
    /// Description for the user.
    description: String,
    /// Command-line flags that make the change.
    flags: String,
    cost: ChangeCost,
    /// The changed plan.
    plan: Plan,
}

/// Cost of a change to the user, in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ChangeCost {
    /// A longer step or, for `bf16`, less precision. The trained parameters and the number of devices are unchanged.
    StepTime,
    /// Additional devices.
    Devices,
    /// Parameters that are no longer trained.
    Training,
}

/// Returns the texts of the proposed changes: of each kind the first change that fits, or else the one with the lowest
/// peak. If no change at the cost of step time alone fits, a combination of several changes is evaluated, too. Changes
/// that fit come first, in the order of their cost; the others follow in ascending order of their peak.
fn propose_changes(
    program: &Program,
    (plan, machine): (&Plan, Option<&Machine>),
    needed: &MemoryNeed,
    budget: u64,
) -> Vec<String> {
    let plan = Plan { budget: None, ..plan.clone() };
    let (mut found, mut compiled): (Vec<EvaluatedChange>, usize) = (Vec::new(), 0);
    for kind in candidate_changes(program, &plan, needed) {
        let mut best: Option<EvaluatedChange> = None;
        for change in kind {
            let is_enough = found.iter().filter(|fix| fix.peak_bytes <= budget).count() >= MAX_PROPOSALS;
            if is_enough || compiled >= MAX_COMPILED_PLANS || best.as_ref().is_some_and(|fix| fix.peak_bytes <= budget)
            {
                break;
            }
            compiled += 1;
            let needs = memory_of_plan(program, &change.plan, machine).map(|needed| needed.peak_bytes());
            let least = best.as_ref().map_or(needed.peak_bytes(), |fix| fix.peak_bytes);
            best = needs
                .ok()
                .filter(|&needs| needs < least)
                .map(|needs| EvaluatedChange { peak_bytes: needs, change })
                .or(best);
        }
        found.extend(best);
    }
    let fits_as_it_is = |fix: &EvaluatedChange| fix.peak_bytes <= budget && fix.change.cost == ChangeCost::StepTime;
    if !found.iter().any(fits_as_it_is) {
        let together = combine_changes(program, (&plan, machine), &found, needed, budget);
        // A combination must be cheaper than each single change that fits.
        let is_beaten = |all: &EvaluatedChange| {
            found.iter().any(|one| one.peak_bytes <= budget && one.change.cost <= all.change.cost)
        };
        found.extend(together.filter(|all| !is_beaten(all)));
    }
    let rank = |fix: &EvaluatedChange| {
        if fix.peak_bytes <= budget { (0, fix.change.cost, 0) } else { (1, ChangeCost::StepTime, fix.peak_bytes) }
    };
    found.sort_by_key(rank);
    let text = |EvaluatedChange { peak_bytes: needs, change }: &EvaluatedChange| {
        let fits = if *needs <= budget { "fits" } else { "not enough" };
        format!("{}: {}, {fits}: `{}`", change.description, format_bytes(*needs), change.flags)
    };
    found.iter().take(MAX_PROPOSALS).map(text).collect()
}

/// A change and the peak bytes of the device that needs most with the change.
struct EvaluatedChange {
    peak_bytes: u64,
    change: PlanChange,
}

/// Combines changes in the order of their cost until the plan fits: of each kind the change that helped alone, or else
/// the last candidate. Returns `None` if fewer than two changes reduce the peak. The combined plan may still exceed the
/// budget.
fn combine_changes(
    program: &Program,
    (plan, machine): (&Plan, Option<&Machine>),
    found: &[EvaluatedChange],
    needed: &MemoryNeed,
    budget: u64,
) -> Option<EvaluatedChange> {
    let (mut plan, mut least, mut flags, mut cost) =
        (plan.clone(), needed.peak_bytes(), Vec::new(), ChangeCost::StepTime);
    let mut order: Vec<(ChangeCost, usize)> = candidate_changes(program, &plan, needed)
        .iter()
        .enumerate()
        .filter_map(|(number, kind)| Some((kind.first()?.cost, number)))
        .collect();
    order.sort();
    for (_, number) in order {
        // The changes of this kind, recomputed for the current plan.
        let mut kind = candidate_changes(program, &plan, needed).swap_remove(number);
        let helps = |change: &PlanChange| found.iter().any(|fix| fix.change.flags == change.flags);
        let Some(next) = kind.iter().position(helps).or(kind.len().checked_sub(1)) else { continue };
        let next = kind.swap_remove(next);
        let Ok(needs) = memory_of_plan(program, &next.plan, machine) else { continue };
        if needs.peak_bytes() < least {
            (plan, least, cost) = (next.plan, needs.peak_bytes(), cost.max(next.cost));
            flags.push(next.flags);
        }
        if least <= budget {
            break;
        }
    }
    let change = PlanChange { description: "several changes at once".to_owned(), flags: flags.join(" "), cost, plan };
    (flags.len() > 1).then_some(EvaluatedChange { peak_bytes: least, change })
}

/// Compiles a plan and computes the memory that it needs. Pipeline stages are split to fit into the memory of the
/// machine where possible.
///
/// # Errors
/// Errors in the plan, and `H002` for a plan on more devices than the machine has.
fn memory_of_plan(program: &Program, plan: &Plan, machine: Option<&Machine>) -> Result<MemoryNeed> {
    let is_staged = plan.scheduled_pipeline()?.is_some();
    let (prices, usual) = (machine.filter(|_| is_staged).map(Prices::new), Efficiencies::default());
    let by = prices.as_ref().map(|prices| (prices, &usual));
    let partition = Partition::build(program, plan, by, &mut |_| Ok(()))?;
    let (needed, available) = (partition.device_count(), machine.map_or(usize::MAX, Machine::device_count));
    if needed > available {
        let title = format!("the plan needs {needed} devices, and the machine has {available}");
        return Err(Diagnostic::new(Code::H002, title).into());
    }
    Ok(memory_of_partition(&partition, machine))
}

/// Computes the memory that a partition needs, with the memory that a device of the machine reserves.
pub(crate) fn memory_of_partition(partition: &Partition, machine: Option<&Machine>) -> MemoryNeed {
    let kinds = machine.iter().flat_map(|machine| &machine.kinds).map(|kind| kind.reserved);
    let reserved = kinds.max_by_key(|reserved| reserved.context).unwrap_or_default();
    match &partition.results.local {
        LocalPrograms::OneMesh { program, .. } => {
            let peak = peak_of_program(program);
            let reserved = ReservedBytes::new(reserved, std::iter::once(program), false, peak.bytes);
            MemoryNeed {
                devices: vec![peak.with_reserved(reserved)],
                micro_batches: micro_batches::micro_batch_count(program),
            }
        }
        LocalPrograms::Stages { pipeline, .. } => {
            let of_stage = |(stage, peak): (usize, PeakBreakdown)| {
                let reserved = ReservedBytes::of_stage(reserved, pipeline, stage, peak.bytes);
                peak.with_reserved(reserved)
            };
            MemoryNeed {
                devices: peak_of_stages(pipeline).into_iter().enumerate().map(of_stage).collect(),
                micro_batches: u64::from(pipeline.schedule.micro_batches),
            }
        }
    }
}

/// Returns the candidate changes by kind. Within a kind, the preferred change comes first.
fn candidate_changes(program: &Program, plan: &Plan, needed: &MemoryNeed) -> Vec<Vec<PlanChange>> {
    let kinds = if plan.train.is_some() {
        vec![
            zero_changes(plan),
            recompute_changes(plan),
            precision_changes(plan),
            micro_batch_changes(plan, needed.micro_batches),
            freeze_changes(program, plan),
        ]
    } else {
        vec![precision_changes(plan), micro_batch_changes(plan, needed.micro_batches)]
    };
    kinds.into_iter().chain([mesh_changes(plan), stage_changes(plan)]).collect()
}

/// Returns changes that shard state replicated over `data` or `shard` (ZeRO), from the first stage above the plan's
/// own. Empty if the mesh has no such axis with several devices.
fn zero_changes(plan: &Plan) -> Vec<PlanChange> {
    const STAGES: [(&str, &str); 3] = [
        ("zero1", "the optimizer state"),
        ("zero2", "the optimizer state and gradients"),
        ("zero3", "the optimizer state, gradients and parameters"),
    ];
    let has_axis =
        |name: &&str| plan.mesh.iter().flat_map(|mesh| &mesh.axes).any(|axis| axis.name == *name && axis.size > 1);
    let shard_axis = DATA_AXES.into_iter().rev().find(has_axis);
    let names: Vec<&str> = plan.presets.iter().flat_map(|written| written.text.split(',')).map(str::trim).collect();
    let is_stage = |preset: &str| {
        let name = preset.split('?').next().unwrap_or_default();
        STAGES.iter().position(|(stage, _)| *stage == name || (*stage == "zero3" && name == "fsdp"))
    };
    let now = names.iter().copied().find(|name| is_stage(name).is_some());
    let first = now.and_then(is_stage).map_or(0, |stage| stage + 1);
    let others: Vec<&str> = names.iter().copied().filter(|name| is_stage(name).is_none()).collect();
    let option = now.and_then(|now| Some(&now[now.find('?')?..])).unwrap_or_default();
    let change = |axis: &str, &(name, what): &(&str, &str)| {
        let name = format!("{name}{option}");
        let presets = others.iter().copied().chain([name.as_str()]).collect::<Vec<_>>().join(",");
        let instead = now.map(|now| format!(" instead of `{now}`")).unwrap_or_default();
        PlanChange {
            description: format!("shard {what} over `{axis}`{instead}"),
            flags: format!("--preset {name}"),
            cost: ChangeCost::StepTime,
            plan: Plan { presets: Vec::new(), ..plan.clone() }.preset(presets),
        }
    };
    shard_axis.map_or(Vec::new(), |axis| STAGES[first..].iter().map(|stage| change(axis, stage)).collect())
}

/// Returns changes that recompute more activations in the backward pass. Empty if the plan has policies for single
/// paths.
fn recompute_changes(plan: &Plan) -> Vec<PlanChange> {
    let now = match &plan.remat[..] {
        [] => "none",
        [entry] if entry.path.text == "**" => entry.text.text.as_str(),
        _ => return Vec::new(),
    };
    let all = [
        ("selective", "selective", "attention scores"),
        ("cheapest?share=50%", "'cheapest?share=50%'", "the half of the activations that is cheapest"),
        ("full", "full", "all activations except the inputs of layers"),
    ];
    let (policy, _) = now.split_once('?').unwrap_or((now, ""));
    let first = ["none", "selective", "cheapest"].iter().position(|how| *how == policy).unwrap_or(all.len());
    let change = |&(how, quoted, what): &(&str, &str, &str)| PlanChange {
        description: format!("recompute {what}"),
        flags: format!("--remat {quoted}"),
        cost: ChangeCost::StepTime,
        plan: plan.clone().remat("**", how),
    };
    all[first..].iter().map(change).collect()
}

/// Returns the change to compute in bf16. Empty if the plan specifies a precision.
fn precision_changes(plan: &Plan) -> Vec<PlanChange> {
    let change = || PlanChange {
        description: "compute in bf16".to_owned(),
        flags: "--precision bf16".to_owned(),
        cost: ChangeCost::StepTime,
        plan: plan.clone().precision("**", "bf16"),
    };
    if plan.precision.is_empty() { vec![change()] } else { Vec::new() }
}

/// Returns changes to 2, 4 and 8 times as many micro-batches. Empty if replicas have different numbers of micro-batches
/// (`4+8`), or if the plan has neither a pipeline nor training options.
fn micro_batch_changes(plan: &Plan, now: u64) -> Vec<PlanChange> {
    let more = [2, 4, 8].map(|times| now * times);
    let change = |parts: u64, flags: String, plan: Plan| PlanChange {
        description: format!("{parts} micro-batches instead of {now}"),
        flags,
        cost: ChangeCost::StepTime,
        plan,
    };
    match (&plan.pipeline, &plan.train) {
        (Some(_), _) if plan.micro_batches.iter().all(|said| !said.text.contains('+')) => {
            let with = |n: u64| change(n, format!("--microbatches {n}"), plan.clone().micro_batches(n.to_string()));
            more.map(with).into()
        }
        (None, Some(train)) => {
            let (optimizer, options) = train.text.split_once('?').unwrap_or((&train.text, ""));
            let others = options.split('&').filter(|option| !option.is_empty() && !option.starts_with("accumulate"));
            let others: Vec<&str> = others.collect();
            let with = |n: u64| {
                let options = others.iter().copied().map(str::to_owned).chain([format!("accumulate={n}")]);
                let text = format!("{optimizer}?{}", options.collect::<Vec<_>>().join("&"));
                change(n, format!("--train '{text}'"), plan.clone().train(text))
            };
            more.map(with).into()
        }
        _ => Vec::new(),
    }
}

/// Returns the change that freezes the first half of the longest numbered list of layers. Empty for a model with fewer
/// than two layers, or with more than `MAX_FREEZE_LAYERS` in that half.
fn freeze_changes(program: &Program, plan: &Plan) -> Vec<PlanChange> {
    let mut layers: Vec<(&str, Vec<usize>)> = Vec::new();
    for param in program.params.values() {
        let mut dots = param.path.match_indices('.').map(|(at, _)| at);
        let numbered = dots.find_map(|dot| {
            let (list, rest) = (&param.path[..dot], &param.path[dot + 1..]);
            Some((list, rest.split('.').next()?.parse::<usize>().ok()?))
        });
        let Some((list, number)) = numbered else { continue };
        match layers.iter_mut().find(|(known, _)| *known == list) {
            Some((_, numbers)) if numbers.contains(&number) => {}
            Some((_, numbers)) => numbers.push(number),
            None => layers.push((list, vec![number])),
        }
    }
    let most = layers.into_iter().max_by_key(|(_, numbers)| numbers.len());
    let Some((list, mut numbers)) =
        most.filter(|(_, numbers)| numbers.len() > 1 && numbers.len() / 2 <= MAX_FREEZE_LAYERS)
    else {
        return Vec::new();
    };
    numbers.sort_unstable();
    numbers.truncate(numbers.len() / 2);
    let paths: Vec<String> = numbers.iter().map(|number| format!("{list}.{number}.**")).collect();
    vec![PlanChange {
        description: "freeze half of the layers".to_owned(),
        flags: paths.iter().map(|path| format!("--freeze '{path}'")).collect::<Vec<_>>().join(" "),
        cost: ChangeCost::Training,
        plan: paths.iter().fold(plan.clone(), |plan, path| plan.freeze(path)),
    }]
}

/// Returns changes that double one axis of the mesh, `model` first since it shards tensors that `data` replicates.
/// Empty if the plan lists devices, or if stages have their own meshes.
fn mesh_changes(plan: &Plan) -> Vec<PlanChange> {
    let Some(mesh) = plan.mesh.as_ref().filter(|mesh| mesh.devices.is_none() && plan.stage_meshes.is_empty()) else {
        return Vec::new();
    };
    let mut order: Vec<usize> = (0..mesh.axes.len()).rev().collect();
    order.sort_by_key(|&axis| mesh.axes[axis].name != "model");
    let all = |axes: &[partita_ir::mesh::Axis]| axes.iter().map(|axis| u64::from(axis.size)).product::<u64>();
    let change = |&axis: &usize| {
        let mut axes = mesh.axes.clone();
        axes[axis].size = axes[axis].size.checked_mul(2)?;
        let (name, size) = (&axes[axis].name, axes[axis].size);
        let text = axes.iter().map(|axis| format!("{}={}", axis.name, axis.size)).collect::<Vec<_>>().join(",");
        let (now, then) = (all(&mesh.axes), all(&axes));
        Some(PlanChange {
            description: format!(
                "`{name}` = {size} instead of {}, {then} devices instead of {now}",
                mesh.axes[axis].size
            ),
            flags: format!("--mesh {text}"),
            cost: ChangeCost::Devices,
            plan: Plan { mesh: Mesh::new(axes.iter().map(|a| (a.name.to_string(), a.size))).ok(), ..plan.clone() },
        })
    };
    order.iter().filter_map(change).collect()
}

/// Returns the change that doubles the number of pipeline stages. Empty if the plan does not specify their number.
fn stage_changes(plan: &Plan) -> Vec<PlanChange> {
    let Ok(Some(StageSplit::Count(now))) = plan.pipeline_config().map(|pipelined| pipelined.map(|of| of.cuts)) else {
        return Vec::new();
    };
    let then = 2 * now;
    vec![PlanChange {
        description: format!("{then} stages instead of {now}"),
        flags: format!("--pipeline {then}"),
        cost: ChangeCost::Devices,
        plan: plan.clone().pipeline(then.to_string()),
    }]
}
