//! Whether what a plan needs of memory keeps to its budget, and what to do where it does not: each fix that is offered
//! was planned and measured.

use crate::error::Result;
use crate::made::Local;
use crate::partition::Partition;
use crate::report::{LargeRow, bytes};
use partita_cost::fullest::{Fullest, of_program, of_stages};
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::pipeline::Cuts;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::units::count;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::training::micro_batches;
use std::cmp::Reverse;

/// At most so many fixes are offered.
const OFFERED: usize = 4;

/// At most so many plans are tried for them.
const TRIED: usize = 14;

/// How many of the largest values are named.
const NAMED: usize = 4;

/// At most so many layers are named in a fix.
const LAYERS: usize = 8;

/// A device at its fullest, or one of each stage, and the parts in which the batch goes through.
pub(crate) struct Needed {
    pub(crate) devices: Vec<Fullest>,
    pub(crate) parts: u64,
}

impl Needed {
    fn most(&self) -> u64 {
        self.devices.iter().map(|device| device.bytes).max().unwrap_or(0)
    }
}

/// Refuses a plan that needs more than its budget.
///
/// # Errors
/// `L005`, with what is held and what helps; `L017` for a budget that is none.
pub(crate) fn check(
    program: &Program,
    plan: &Plan,
    machine: Option<&Machine>,
    needed: impl FnOnce() -> Needed,
) -> Result<()> {
    let (Some(budget), Some(written)) = (plan.budget_bytes()?, &plan.budget) else { return Ok(()) };
    let needed = needed();
    let worst = (0..needed.devices.len()).max_by_key(|&stage| (needed.devices[stage].bytes, Reverse(stage)));
    let Some(worst) = worst.filter(|_| needed.most() > budget) else { return Ok(()) };
    let device = &needed.devices[worst];
    let who = if needed.devices.len() > 1 { format!("stage {worst} needs") } else { "the plan needs".to_owned() };
    let title = format!("{who} {} per device, {} over the budget", bytes(device.bytes), bytes(device.bytes - budget));
    let mut error = Diagnostic::new(Code::L005, title).at(written.span(), format!("a device has {}", bytes(budget)));
    error = error.note(shares(device)).note(largest(device));
    let others = (0..needed.devices.len()).filter(|&s| s != worst && needed.devices[s].bytes > budget);
    let others: Vec<String> = others.map(|s| format!("{s} ({})", bytes(needed.devices[s].bytes))).collect();
    if !others.is_empty() {
        error = error.note(format!("over the budget, too: stage {}", others.join(", stage ")));
    }
    Err(fixes(program, (plan, machine), &needed, budget).into_iter().fold(error, Diagnostic::help).into())
}

/// A line for each purpose.
fn shares(device: &Fullest) -> String {
    let line = |share: &partita_cost::fullest::Share| {
        let dtypes: Vec<String> = share.dtypes.iter().map(ToString::to_string).collect();
        let of = match share.elements {
            0 => String::new(),
            1 => format!("   1 element, {}", dtypes.join(" and ")),
            n => format!("   {} elements, {}", count(n), dtypes.join(" and ")),
        };
        format!("{:<11} {:>10}{of}", share.of.name(), bytes(share.bytes))
    };
    device.shares().iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The largest values, those that are alike as one.
fn largest(device: &Fullest) -> String {
    let rows = LargeRow::of(device);
    let named: Vec<String> = rows.iter().take(NAMED).map(|row| format!("{row} {}", bytes(row.bytes))).collect();
    format!("largest at the peak: {} (`explain --peak` lists more)", named.join("; "))
}

/// A plan with a change.
struct Change {
    /// What it does.
    what: String,
    /// How it is said.
    flags: String,
    price: Price,
    plan: Plan,
}

/// What a change gives up, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Price {
    /// Time at most: the same is trained on the same devices.
    Time,
    /// More devices.
    Devices,
    /// Parameters that are not trained any more.
    Training,
}

/// What helps: of each kind of change the first that fits, or else the one that helps most, and several at once where
/// none fits that leaves the training and its devices as they are. What fits comes first, in the order of what it gives
/// up.
fn fixes(program: &Program, (plan, machine): (&Plan, Option<&Machine>), needed: &Needed, budget: u64) -> Vec<String> {
    let plan = Plan { budget: None, ..plan.clone() };
    let (mut found, mut tried): (Vec<Fix>, usize) = (Vec::new(), 0);
    for kind in kinds(program, &plan, needed) {
        let mut best: Option<Fix> = None;
        for change in kind {
            let is_enough = found.iter().filter(|fix| fix.needs <= budget).count() >= OFFERED;
            if is_enough || tried >= TRIED || best.as_ref().is_some_and(|fix| fix.needs <= budget) {
                break;
            }
            tried += 1;
            let needs = needed_by(program, &change.plan, machine).map(|needed| needed.most());
            let least = best.as_ref().map_or(needed.most(), |fix| fix.needs);
            best = needs.ok().filter(|&needs| needs < least).map(|needs| Fix { needs, change }).or(best);
        }
        found.extend(best);
    }
    let fits_as_it_is = |fix: &Fix| fix.needs <= budget && fix.change.price == Price::Time;
    if !found.iter().any(fits_as_it_is) {
        let together = together(program, (&plan, machine), &found, needed, budget);
        // What gives up as much as a single change that fits is no better than that.
        let is_beaten = |all: &Fix| found.iter().any(|one| one.needs <= budget && one.change.price <= all.change.price);
        found.extend(together.filter(|all| !is_beaten(all)));
    }
    let rank = |fix: &Fix| if fix.needs <= budget { (0, fix.change.price, 0) } else { (1, Price::Time, fix.needs) };
    found.sort_by_key(rank);
    let text = |Fix { needs, change }: &Fix| {
        let fits = if *needs <= budget { "fits" } else { "still too much" };
        format!("{}: {}, {fits}: `{}`", change.what, bytes(*needs), change.flags)
    };
    found.iter().take(OFFERED).map(text).collect()
}

/// A change that was tried, and the bytes that the fullest device needs with it.
struct Fix {
    needs: u64,
    change: Change,
}

/// Several changes, one after the other until they fit, those first that give up least: of each kind the one that was
/// found to help alone, or else the strongest.
fn together(
    program: &Program,
    (plan, machine): (&Plan, Option<&Machine>),
    found: &[Fix],
    needed: &Needed,
    budget: u64,
) -> Option<Fix> {
    let (mut plan, mut least, mut flags, mut price) = (plan.clone(), needed.most(), Vec::new(), Price::Time);
    let mut order: Vec<(Price, usize)> = kinds(program, &plan, needed)
        .iter()
        .enumerate()
        .filter_map(|(number, kind)| Some((kind.first()?.price, number)))
        .collect();
    order.sort();
    for (_, number) in order {
        // The kind's changes of the plan as it is by now.
        let mut kind = kinds(program, &plan, needed).swap_remove(number);
        let helps = |change: &Change| found.iter().any(|fix| fix.change.flags == change.flags);
        let Some(next) = kind.iter().position(helps).or(kind.len().checked_sub(1)) else { continue };
        let next = kind.swap_remove(next);
        let Ok(needs) = needed_by(program, &next.plan, machine) else { continue };
        if needs.most() < least {
            (plan, least, price) = (next.plan, needs.most(), price.max(next.price));
            flags.push(next.flags);
        }
        if least <= budget {
            break;
        }
    }
    let change = Change { what: "several changes at once".to_owned(), flags: flags.join(" "), price, plan };
    (flags.len() > 1).then_some(Fix { needs: least, change })
}

/// Returns the memory that a plan needs, in stages that fit into the memory of the machine if possible.
fn needed_by(program: &Program, plan: &Plan, machine: Option<&Machine>) -> Result<Needed> {
    let is_staged = plan.staged()?.is_some();
    let machine = machine.filter(|_| is_staged);
    let (prices, usual) = (machine.map(Prices::new), Efficiencies::default());
    let by = prices.as_ref().map(|prices| (prices, &usual));
    Ok(needed(&Partition::make(program, plan, by, &mut |_| Ok(()))?))
}

/// Returns the memory that a partition needs.
pub(crate) fn needed(partition: &Partition) -> Needed {
    match &partition.made.local {
        Local::Whole { program, .. } => {
            Needed { devices: vec![of_program(program)], parts: micro_batches::count(program) }
        }
        Local::Stages { pipeline, .. } => {
            Needed { devices: of_stages(pipeline), parts: u64::from(pipeline.schedule.micro_batches) }
        }
    }
}

/// The changes that might help, those that cost least first.
fn kinds(program: &Program, plan: &Plan, needed: &Needed) -> Vec<Vec<Change>> {
    let trained = if plan.train.is_some() {
        vec![zero(plan), recompute(plan), narrow(plan), parts(plan, needed.parts), frozen(program, plan)]
    } else {
        vec![narrow(plan), parts(plan, needed.parts)]
    };
    trained.into_iter().chain([larger(plan), stages(plan)]).collect()
}

/// Keeps in pieces over `data` what replicas would all have.
fn zero(plan: &Plan) -> Vec<Change> {
    const STAGES: [(&str, &str); 3] = [
        ("zero1", "the optimizer's state"),
        ("zero2", "the optimizer's state and gradients"),
        ("zero3", "the optimizer's state, gradients and parameters"),
    ];
    let has_replicas = plan.mesh.iter().flat_map(|mesh| &mesh.axes).any(|axis| axis.name == "data" && axis.size > 1);
    let names: Vec<&str> = plan.presets.iter().flat_map(|written| written.text.split(',')).map(str::trim).collect();
    let is_stage =
        |name: &str| STAGES.iter().position(|(stage, _)| *stage == name || (*stage == "zero3" && name == "fsdp"));
    let now = names.iter().copied().find(|name| is_stage(name).is_some());
    let first = now.and_then(is_stage).map_or(0, |stage| stage + 1);
    let others: Vec<&str> = names.iter().copied().filter(|name| is_stage(name).is_none()).collect();
    let change = |&(name, what): &(&str, &str)| {
        let presets = others.iter().copied().chain([name]).collect::<Vec<_>>().join(",");
        let instead = now.map(|now| format!(" in place of `{now}`")).unwrap_or_default();
        Change {
            what: format!("{what} in pieces over `data`{instead}"),
            flags: format!("--preset {name}"),
            price: Price::Time,
            plan: Plan { presets: Vec::new(), ..plan.clone() }.preset(presets),
        }
    };
    if has_replicas { STAGES[first..].iter().map(change).collect() } else { Vec::new() }
}

/// Computes again what the backward pass reads.
fn recompute(plan: &Plan) -> Vec<Change> {
    let now = match &plan.remat[..] {
        [] => "none",
        [entry] if entry.path.text == "**" => entry.text.text.as_str(),
        _ => return Vec::new(),
    };
    let all = [("selective", "the scores of attention"), ("full", "all but what goes into layers")];
    let first = ["none", "selective"].iter().position(|how| *how == now).unwrap_or(all.len());
    let change = |&(how, what): &(&str, &str)| Change {
        what: format!("compute {what} again"),
        flags: format!("--remat {how}"),
        price: Price::Time,
        plan: plan.clone().remat("**", how),
    };
    all[first..].iter().map(change).collect()
}

/// Computes in 16 bits.
fn narrow(plan: &Plan) -> Vec<Change> {
    let change = || Change {
        what: "compute in bf16".to_owned(),
        flags: "--precision bf16".to_owned(),
        price: Price::Time,
        plan: plan.clone().precision("**", "bf16"),
    };
    if plan.precision.is_empty() { vec![change()] } else { Vec::new() }
}

/// Lets the batch through in more parts.
fn parts(plan: &Plan, now: u64) -> Vec<Change> {
    let more = [2, 4, 8].map(|times| now * times);
    let change = |parts: u64, flags: String, plan: Plan| Change {
        what: format!("{parts} micro-batches instead of {now}"),
        flags,
        price: Price::Time,
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

/// Leaves the first half of the layers as they are.
fn frozen(program: &Program, plan: &Plan) -> Vec<Change> {
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
    let Some((list, mut numbers)) = most.filter(|(_, numbers)| numbers.len() > 1 && numbers.len() / 2 <= LAYERS) else {
        return Vec::new();
    };
    numbers.sort_unstable();
    numbers.truncate(numbers.len() / 2);
    let paths: Vec<String> = numbers.iter().map(|number| format!("{list}.{number}.**")).collect();
    vec![Change {
        what: "freeze half of the layers".to_owned(),
        flags: paths.iter().map(|path| format!("--freeze '{path}'")).collect::<Vec<_>>().join(" "),
        price: Price::Training,
        plan: paths.iter().fold(plan.clone(), |plan, path| plan.freeze(path)),
    }]
}

/// Doubles an axis of the mesh: `model` first, which splits what replicas all have.
fn larger(plan: &Plan) -> Vec<Change> {
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
        Some(Change {
            what: format!("`{name}` = {size} instead of {}, {then} devices instead of {now}", mesh.axes[axis].size),
            flags: format!("--mesh {text}"),
            price: Price::Devices,
            plan: Plan { mesh: Mesh::new(axes.iter().map(|a| (a.name.to_string(), a.size))).ok(), ..plan.clone() },
        })
    };
    order.iter().filter_map(change).collect()
}

/// Cuts into twice as many stages.
fn stages(plan: &Plan) -> Vec<Change> {
    let Ok(Some(Cuts::Count(now))) = plan.pipelined().map(|pipelined| pipelined.map(|of| of.cuts)) else {
        return Vec::new();
    };
    let then = 2 * now;
    vec![Change {
        what: format!("{then} stages instead of {now}"),
        flags: format!("--pipeline {then}"),
        price: Price::Devices,
        plan: plan.clone().pipeline(then.to_string()),
    }]
}
