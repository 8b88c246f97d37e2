//! Two plans for one model on one machine, side by side: where the time of a step goes, what is sent, what is held, and
//! what the plans say otherwise.
//!
//! A step consists of what is computed, of waiting for collectives that nothing hides, and of stages that wait for each
//! other; each is the average over stages. So the three differences add up to that of the steps, and the largest one
//! says what it is due to.

pub(crate) mod entries;

use crate::error::Result;
use crate::partition::Partition;
use crate::report::{Align, Table};
use crate::simulate::Simulation;
use indexmap::IndexMap;
use partita_cost::placement::{Collectives, Placement};
use partita_cost::roofline::Efficiencies;
use partita_cost::traffic::{collectives, contraction_flops, contraction_flops_of};
use partita_ir::dtype::Type;
use partita_ir::pipeline::{Pipeline, messages};
use partita_ir::plan::Plan;
use partita_ir::program::{Phase, Program};
use partita_ir::units::bytes;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use serde_json::{Value, json};
use std::fmt;

/// Kinds of what is sent, in the order in which they are listed. The last one is what stages hand each other.
const KINDS: [&str; 6] = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute", BETWEEN];

/// What stages hand each other.
const BETWEEN: &str = "between stages";

/// Steps that differ by less take the same time.
const ALIKE: f64 = 1e-9;

/// What is sent of one kind.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Sent {
    /// Bytes in a step, from all devices, on rings.
    pub bytes: u64,
    /// Seconds in a step, whatever is computed meanwhile, on average over stages. Nothing is said of what goes between
    /// stages.
    pub seconds: f64,
}

/// What a plan comes to.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures {
    /// A step.
    pub step: f64,
    /// Of it, what is computed, on average over stages.
    pub computing: f64,
    /// Of it, what nothing is computed in since a collective is waited for.
    pub exposed: f64,
    /// The rest: stages that wait for each other.
    pub idle: f64,
    /// By kind, what is sent.
    pub sent: IndexMap<&'static str, Sent>,
    /// The most that a device holds.
    pub peak: u64,
    /// How many devices there are.
    pub devices: usize,
    /// The share of all products that is computed again.
    pub again: f64,
    /// How many stages there are.
    pub stages: usize,
    /// In which order they work; nothing where there is a single one.
    pub schedule: Option<String>,
    /// In how many parts the batch goes through them.
    pub micro_batches: u64,
    /// The mesh of each stage.
    pub mesh: String,
}

/// Something that two plans say otherwise; nothing where one does not speak of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What it is about: a setting, or the names of values.
    pub of: String,
    /// What each says.
    pub says: [Option<String>; 2],
}

/// Two plans side by side. Prints as tables and a verdict.
pub struct Compared {
    model: String,
    machine: String,
    names: [String; 2],
    figures: [Figures; 2],
    settings: Vec<Difference>,
    layouts: Vec<Difference>,
}

impl Compared {
    /// Simulates both plans.
    ///
    /// # Errors
    /// What is wrong with a plan, `H002` when the machine is too small for one.
    pub fn of(
        program: &Program,
        plans: [(&str, &Plan); 2],
        machine: &Machine,
        efficiencies: &Efficiencies,
    ) -> Result<Compared> {
        let side = |(_, plan): (&str, &Plan)| -> Result<(Figures, IndexMap<String, String>)> {
            let (partition, simulation) = Simulation::of_plan(program, plan, machine, efficiencies)?;
            let layouts = partition.stages()?.input_layouts();
            Ok((figures(&partition, &simulation, machine, efficiencies)?, layouts))
        };
        let [(first, lies), (second, lies_too)] = [side(plans[0])?, side(plans[1])?];
        Ok(Compared {
            model: program.source.to_string(),
            machine: machine.name.to_string(),
            names: plans.map(|(name, _)| name.to_string()),
            figures: [first, second],
            settings: entries::settings(plans.map(|(_, plan)| plan)),
            layouts: entries::folded(&entries::differences([&lies, &lies_too])),
        })
    }

    /// Calls the model by another name.
    pub fn named(mut self, model: &str) -> Compared {
        model.clone_into(&mut self.model);
        self
    }

    /// What each plan comes to.
    pub fn figures(&self) -> &[Figures; 2] {
        &self.figures
    }

    /// Which one is faster, by how much, and what most of that is due to.
    pub fn verdict(&self) -> String {
        let [first, second] = &self.figures;
        let slower = usize::from(second.step > first.step);
        let (slow, fast) = (&self.figures[slower], &self.figures[1 - slower]);
        let saved = slow.step - fast.step;
        if saved <= ALIKE * slow.step {
            return format!("Both take {:.6} s.", slow.step);
        }
        let less = |of: fn(&Figures) -> f64| of(slow) - of(fast);
        let parts = [less(|f| f.computing), less(|f| f.exposed), less(|f| f.idle)];
        let most = (0..3).max_by(|&a, &b| parts[a].total_cmp(&parts[b])).unwrap_or_default();
        let of_most = match most {
            0 => "less is computed".to_string(),
            1 => {
                let seconds = |of: &Figures, kind| of.sent.get(kind).map_or(0.0, |sent| sent.seconds);
                let less = KINDS.map(|kind| (seconds(slow, kind) - seconds(fast, kind), kind));
                match less.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).filter(|most| most.0 > 0.0) {
                    Some((_, kind)) => format!("collectives are waited for less, {kind} above all"),
                    None => "more of what collectives take is hidden".to_string(),
                }
            }
            _ => "stages wait less for each other".to_string(),
        };
        format!(
            "{} is faster, by {:.1} % ({saved:.6} s a step): most of all {of_most} ({:.6} s).",
            self.names[1 - slower],
            100.0 * saved / slow.step,
            parts[most],
        )
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let side = |number: usize| {
            let f = &self.figures[number];
            let sent = f
                .sent
                .iter()
                .map(|(kind, sent)| (kind.replace(' ', "_"), json!({ "bytes": sent.bytes, "seconds": sent.seconds })));
            json!({
                "plan": self.names[number],
                "step_seconds": f.step,
                "compute_seconds": f.computing,
                "exposed_communication_seconds": f.exposed,
                "idle_seconds": f.idle,
                "sent": sent.collect::<serde_json::Map<String, Value>>(),
                "peak_bytes": f.peak,
                "devices": f.devices,
                "recomputed_share": f.again,
                "stages": f.stages,
                "schedule": f.schedule,
                "micro_batches": f.micro_batches,
                "mesh": f.mesh,
            })
        };
        let listed = |all: &[Difference]| -> Vec<Value> {
            all.iter().map(|one| json!({ "of": one.of, "first": one.says[0], "second": one.says[1] })).collect()
        };
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.model,
            "machine": self.machine,
            "plans": [side(0), side(1)],
            "settings": listed(&self.settings),
            "layouts": listed(&self.layouts),
            "verdict": self.verdict(),
        });
        format!("{object:#}")
    }
}

/// What a simulated plan comes to.
fn figures(
    partition: &Partition,
    simulation: &Simulation,
    machine: &Machine,
    efficiencies: &Efficiencies,
) -> Result<Figures> {
    let (stages, prediction) = (partition.stages()?, simulation.prediction());
    let count = prediction.stages.len().max(1) as f64;
    let average = |of: fn(&partita_cost::step::Stage) -> f64| prediction.stages.iter().map(of).sum::<f64>() / count;
    let (computing, exposed) = (average(|stage| stage.computing), average(|stage| stage.exposed));
    Ok(Figures {
        step: prediction.seconds,
        computing,
        exposed,
        idle: (prediction.seconds - computing - exposed).max(0.0),
        sent: sent(partition, machine, efficiencies)?,
        peak: prediction.peak_bytes(),
        devices: prediction.devices,
        again: again(stages),
        stages: stages.schedule.stages,
        schedule: partition.schedule().map(|schedule| schedule.name.to_string()),
        micro_batches: partition.micro_batches(),
        mesh: stages.list_meshes(),
    })
}

/// The share of all products that is computed again.
fn again(stages: &Pipeline) -> f64 {
    let (mut all, mut again) = (0.0, 0.0);
    for (number, chunk) in stages.chunks.iter().enumerate() {
        for task in &chunk.tasks {
            let times = (stages.times(number, task.moment) * chunk.mesh.device_count() as u64) as f64;
            all += times * contraction_flops(&task.program) as f64;
            again += times * contraction_flops_of(&task.program, Phase::Recompute) as f64;
        }
    }
    if all > 0.0 { again / all } else { 0.0 }
}

/// By kind, what is sent; kinds of which there is nothing are left out.
fn sent(partition: &Partition, machine: &Machine, efficiencies: &Efficiencies) -> Result<IndexMap<&'static str, Sent>> {
    let stages = partition.stages()?;
    let mut all: IndexMap<&'static str, Sent> = KINDS.into_iter().map(|kind| (kind, Sent::default())).collect();
    let prices = Prices::new(machine);
    // What has no place on the machine was not simulated.
    let placement = Placement::of(stages, machine, &partition.plan().mapped()?).ok();
    for (number, chunk) in stages.chunks.iter().enumerate() {
        let devices = placement.as_ref().map_or(&[][..], |placement| &placement.stages[stages.schedule.home[number]]);
        let mut priced = Collectives::new(machine, &prices, &chunk.mesh, devices);
        for task in &chunk.tasks {
            for collective in collectives(&task.program) {
                let op = &task.program.ops[collective.op];
                let Some(sent) = all.get_mut(op.kind.name()) else { continue };
                let times = stages.times(number, task.moment).saturating_mul(collective.count);
                let devices = chunk.mesh.device_count() as u64;
                sent.bytes =
                    sent.bytes.saturating_add(times.saturating_mul(collective.wire_bytes).saturating_mul(devices));
                let seconds = priced.seconds(&task.program, op).unwrap_or(0.0) / efficiencies.link;
                sent.seconds += times as f64 * seconds / stages.schedule.stages as f64;
            }
        }
    }
    for transfer in &stages.transfers {
        let homes = [transfer.from.0, transfer.to.0].map(|chunk| stages.schedule.home[chunk]);
        if homes[0] == homes[1] {
            continue;
        }
        let end = |(chunk, cell): (usize, usize)| (&stages.chunks[chunk].cells[cell], &stages.chunks[chunk].mesh);
        let ((cell, mesh), (into, onto)) = (end(transfer.from), end(transfer.to));
        let sends = messages(&cell.ty.shape, (cell.layout.as_deref(), mesh), (into.layout.as_deref(), onto));
        let elements: u64 = sends.iter().map(|message| message.count() * (1 + message.onward.len() as u64)).sum();
        let width = Type::new(cell.ty.dtype, []).bytes();
        all[BETWEEN].bytes += stages.times(transfer.from.0, transfer.behind) * elements * width;
    }
    all.retain(|_, sent| sent.bytes > 0);
    Ok(all)
}

/// How often the first is the second.
fn ratio(of: f64, to: f64) -> String {
    if to == of {
        "1.00".to_string()
    } else if to > 0.0 {
        format!("{:.2}", of / to)
    } else {
        String::new()
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Align::{Left, Right};
        let [first, second] = &self.names;
        writeln!(f, "{} on {}: first {first}, second {second}", self.model, self.machine)?;
        writeln!(f)?;
        let mut table = Table::new([("", Left), ("first", Right), ("second", Right), ("ratio", Right)]);
        let [a, b] = &self.figures;
        let mut seconds = |name: &str, of: fn(&Figures) -> f64| {
            table.row([name.into(), format!("{:.6} s", of(a)), format!("{:.6} s", of(b)), ratio(of(a), of(b))]);
        };
        seconds("step", |f| f.step);
        seconds("  computes", |f| f.computing);
        seconds("  waits for collectives", |f| f.exposed);
        seconds("  idle", |f| f.idle);
        for kind in KINDS {
            let of = |f: &Figures| f.sent.get(kind).map_or(0, |sent| sent.bytes);
            if of(a) + of(b) > 0 {
                table.row([kind.into(), bytes(of(a)), bytes(of(b)), ratio(of(a) as f64, of(b) as f64)]);
            }
        }
        table.row(["peak memory".into(), bytes(a.peak), bytes(b.peak), ratio(a.peak as f64, b.peak as f64)]);
        let mut number = |name: &str, of: fn(&Figures) -> usize| {
            table.row([name.into(), of(a).to_string(), of(b).to_string(), ratio(of(a) as f64, of(b) as f64)]);
        };
        number("devices", |f| f.devices);
        number("stages", |f| f.stages);
        number("micro-batches", |f| f.micro_batches as usize);
        let share = |f: &Figures| format!("{:.1} %", 100.0 * f.again);
        table.row(["computed again".into(), share(a), share(b), ratio(a.again, b.again)]);
        let schedule = |f: &Figures| f.schedule.clone().unwrap_or_else(|| "-".to_string());
        table.row(["schedule".into(), schedule(a), schedule(b), String::new()]);
        table.row(["mesh".into(), a.mesh.clone(), b.mesh.clone(), String::new()]);
        write!(f, "{table}")?;
        for (title, all) in [("setting", &self.settings), ("layout of", &self.layouts)] {
            if all.is_empty() {
                continue;
            }
            let mut table = Table::new([(title, Left), ("first", Left), ("second", Left)]);
            for one in all {
                let says = |at: usize| one.says[at].clone().unwrap_or_else(|| "-".to_string());
                table.row([one.of.clone(), says(0), says(1)]);
            }
            write!(f, "\n{table}")?;
        }
        if self.settings.is_empty() && self.layouts.is_empty() {
            writeln!(f, "\nThe plans say the same.")?;
        }
        writeln!(f, "\n{}", self.verdict())
    }
}
