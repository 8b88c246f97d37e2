//! Comparison of two plans for one model on one machine: step time, communication, memory, settings and layouts.
//!
//! A step consists of computation, exposed communication and pipeline idle time, each averaged over stages. The three
//! differences add up to the difference of the step times. The verdict names the largest one as the reason.

pub(crate) mod differences;

use crate::error::Result;
use crate::partition::Partition;
use crate::report::stages::transfers;
use crate::report::{Align, Table};
use crate::simulate::Simulation;
use indexmap::IndexMap;
use partita_cost::placement::{CollectiveCosts, Placement};
use partita_cost::roofline::Efficiencies;
use partita_cost::traffic::{collectives, contraction_flops, phase_contraction_flops};
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::Plan;
use partita_ir::program::{Phase, Program};
use partita_ir::units::{format_bytes, format_seconds};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use serde_json::{Value, json};
use std::fmt;

/// Kinds of communication in the order of the table. The last one is transfers between stages.
const TRAFFIC_KINDS: [&str; 6] =
    ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute", STAGE_TRANSFERS];

/// Kind of the transfers between stages.
const STAGE_TRANSFERS: &str = "between stages";

/// Relative difference of step times below which two plans count as equally fast.
const MIN_RELATIVE_DIFFERENCE: f64 = 1e-9;

/// Traffic of one kind of communication.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Traffic {
    /// Bytes that a device sends in a step, with ring algorithms: of the stage whose devices send most.
    pub bytes: u64,
    /// Seconds in a step on average over stages, overlapped time included. Zero for transfers between stages.
    pub seconds: f64,
}

/// Predicted figures of a plan.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanFigures {
    /// Step time in seconds.
    pub step_seconds: f64,
    /// Seconds of computation in a step, averaged over stages.
    pub compute_seconds: f64,
    /// Seconds of exposed communication in a step, averaged over stages.
    pub exposed_seconds: f64,
    /// Seconds of pipeline idle time in a step.
    pub idle_seconds: f64,
    /// Traffic by kind of communication.
    pub traffic: IndexMap<&'static str, Traffic>,
    /// Peak memory of a device in bytes.
    pub peak_bytes: u64,
    /// Number of devices.
    pub devices: usize,
    /// Share of the contraction FLOPs that is recomputation.
    pub recomputed_share: f64,
    /// Number of stages.
    pub stages: usize,
    /// Name of the pipeline schedule. `None` for a single stage.
    pub schedule: Option<String>,
    /// Number of micro-batches.
    pub micro_batches: u64,
    /// Mesh of each stage.
    pub mesh: String,
}

/// A setting or layout that differs between two plans.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryDifference {
    /// Setting, or names of values.
    pub name: String,
    /// Entry of each plan, `None` if absent.
    pub values: [Option<String>; 2],
}

/// Comparison of two plans. Prints as tables and a verdict.
pub struct PlanComparison {
    pub(crate) model: String,
    pub(crate) machine: String,
    pub(crate) names: [String; 2],
    figures: [PlanFigures; 2],
    /// Predicted step of each plan.
    pub(crate) simulations: [Simulation; 2],
    settings: Vec<EntryDifference>,
    layouts: Vec<EntryDifference>,
}

impl PlanComparison {
    /// Simulates both plans and compares them.
    ///
    /// # Errors
    /// Errors in a plan, `H002` for a machine with too few devices.
    pub fn new(
        program: &Program,
        plans: [(&str, &Plan); 2],
        machine: &Machine,
        efficiencies: &Efficiencies,
    ) -> Result<PlanComparison> {
        let side = |(_, plan): (&str, &Plan)| -> Result<(Partition, Simulation, PlanFigures)> {
            let (partition, simulation) = Simulation::from_plan(program, plan, machine, efficiencies)?;
            let figures = predicted_figures(&partition, &simulation, machine, efficiencies)?;
            Ok((partition, simulation, figures))
        };
        let [first, second] = [side(plans[0])?, side(plans[1])?];
        let layouts = [first.0.stages()?.input_layouts(), second.0.stages()?.input_layouts()];
        Ok(PlanComparison {
            model: program.source.to_string(),
            machine: machine.name.to_string(),
            names: plans.map(|(name, _)| name.to_string()),
            figures: [first.2, second.2],
            simulations: [first.1, second.1],
            settings: differences::setting_differences(plans.map(|(_, plan)| plan)),
            layouts: differences::fold_equal_layers(&differences::differences([&layouts[0], &layouts[1]])),
        })
    }

    /// Replaces the name of the model.
    pub fn with_model_name(mut self, model: &str) -> PlanComparison {
        model.clone_into(&mut self.model);
        self
    }

    /// Predicted figures of each plan.
    pub fn figures(&self) -> &[PlanFigures; 2] {
        &self.figures
    }

    /// Returns a sentence that names the faster plan, the difference and its main reason.
    pub fn verdict(&self) -> String {
        let [first, second] = &self.figures;
        let slower = usize::from(second.step_seconds > first.step_seconds);
        let (slow, fast) = (&self.figures[slower], &self.figures[1 - slower]);
        let saved = slow.step_seconds - fast.step_seconds;
        if saved <= MIN_RELATIVE_DIFFERENCE * slow.step_seconds {
            return format!("Both plans take {}.", format_seconds(slow.step_seconds));
        }
        let less = |of: fn(&PlanFigures) -> f64| of(slow) - of(fast);
        let parts = [less(|f| f.compute_seconds), less(|f| f.exposed_seconds), less(|f| f.idle_seconds)];
        let most = (0..3).max_by(|&a, &b| parts[a].total_cmp(&parts[b])).unwrap_or_default();
        let of_most = match most {
            0 => "it computes less".to_string(),
            1 => {
                let seconds = |of: &PlanFigures, kind| of.traffic.get(kind).map_or(0.0, |sent| sent.seconds);
                let less = TRAFFIC_KINDS.map(|kind| (seconds(slow, kind) - seconds(fast, kind), kind));
                match less.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).filter(|most| most.0 > 0.0) {
                    Some((_, kind)) => format!("less communication is exposed, mostly {kind}"),
                    None => "more communication is overlapped".to_string(),
                }
            }
            _ => "stages are idle for less time".to_string(),
        };
        format!(
            "{} is faster by {:.1} % ({} per step), mainly because {of_most} ({}).",
            self.names[1 - slower],
            100.0 * saved / slow.step_seconds,
            format_seconds(saved),
            format_seconds(parts[most]),
        )
    }

    /// Formats the comparison as a JSON object.
    pub fn to_json(&self) -> String {
        let side = |number: usize| {
            let f = &self.figures[number];
            let sent = f.traffic.iter().map(|(kind, sent)| {
                (kind.replace(' ', "_"), json!({ "bytes_per_device": sent.bytes, "seconds": sent.seconds }))
            });
            json!({
                "plan": self.names[number],
                "step_seconds": f.step_seconds,
                "compute_seconds": f.compute_seconds,
                "exposed_communication_seconds": f.exposed_seconds,
                "idle_seconds": f.idle_seconds,
                "sent": sent.collect::<serde_json::Map<String, Value>>(),
                "peak_bytes": f.peak_bytes,
                "devices": f.devices,
                "recomputed_share": f.recomputed_share,
                "stages": f.stages,
                "schedule": f.schedule,
                "micro_batches": f.micro_batches,
                "mesh": f.mesh,
            })
        };
        let listed = |all: &[EntryDifference]| -> Vec<Value> {
            all.iter().map(|one| json!({ "of": one.name, "first": one.values[0], "second": one.values[1] })).collect()
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

/// Computes the predicted figures of a simulated plan.
fn predicted_figures(
    partition: &Partition,
    simulation: &Simulation,
    machine: &Machine,
    efficiencies: &Efficiencies,
) -> Result<PlanFigures> {
    let (stages, prediction) = (partition.stages()?, simulation.prediction());
    let count = prediction.stages.len().max(1) as f64;
    let average =
        |of: fn(&partita_cost::step::StagePrediction) -> f64| prediction.stages.iter().map(of).sum::<f64>() / count;
    let (computing, exposed) = (average(|stage| stage.computing), average(|stage| stage.exposed));
    Ok(PlanFigures {
        step_seconds: prediction.seconds,
        compute_seconds: computing,
        exposed_seconds: exposed,
        idle_seconds: (prediction.seconds - computing - exposed).max(0.0),
        traffic: traffic_by_kind(partition, machine, efficiencies)?,
        peak_bytes: prediction.peak_bytes(),
        devices: prediction.devices,
        recomputed_share: recomputed_share(stages),
        stages: stages.schedule.stages,
        schedule: partition.schedule().map(|schedule| schedule.name.to_string()),
        micro_batches: partition.micro_batches(),
        mesh: stages.list_meshes(),
    })
}

/// Computes the share of the contraction FLOPs that is recomputation.
fn recomputed_share(stages: &Pipeline) -> f64 {
    let (mut all, mut again) = (0.0, 0.0);
    for (number, chunk) in stages.chunks.iter().enumerate() {
        for task in &chunk.tasks {
            let times = (stages.runs_per_step(number, task.moment) * chunk.mesh.device_count() as u64) as f64;
            all += times * contraction_flops(&task.program) as f64;
            again += times * phase_contraction_flops(&task.program, Phase::Recompute) as f64;
        }
    }
    if all > 0.0 { again / all } else { 0.0 }
}

/// Computes the traffic by kind of communication. Kinds without traffic are left out.
fn traffic_by_kind(
    partition: &Partition,
    machine: &Machine,
    efficiencies: &Efficiencies,
) -> Result<IndexMap<&'static str, Traffic>> {
    let stages = partition.stages()?;
    let count = stages.schedule.stages;
    let mut seconds: IndexMap<&'static str, f64> = TRAFFIC_KINDS.into_iter().map(|kind| (kind, 0.0)).collect();
    // Bytes that a device of each stage sends.
    let mut bytes: IndexMap<&'static str, Vec<u64>> =
        TRAFFIC_KINDS.into_iter().map(|kind| (kind, vec![0; count])).collect();
    let prices = Prices::new(machine);
    // Stages without a placement on the machine were not simulated.
    let placement = Placement::for_pipeline(stages, machine, &partition.plan().mesh_axis_order()?).ok();
    for (number, chunk) in stages.chunks.iter().enumerate() {
        let stage = stages.schedule.stage_of_chunk[number];
        let devices = placement.as_ref().map_or(&[][..], |placement| &placement.stages[stage]);
        let mut priced = CollectiveCosts::new(machine, &prices, &chunk.mesh, devices);
        for task in &chunk.tasks {
            for collective in collectives(&task.program) {
                let op = &task.program.ops[collective.op];
                let Some(sent) = bytes.get_mut(op.kind.name()) else { continue };
                let times = stages.runs_per_step(number, task.moment).saturating_mul(collective.count);
                sent[stage] = sent[stage].saturating_add(times.saturating_mul(collective.wire_bytes));
                let each = priced.achieved_seconds(&task.program, op, efficiencies).unwrap_or(0.0);
                seconds[op.kind.name()] += times as f64 * each / count as f64;
            }
        }
    }
    for transfer in transfers(stages) {
        bytes[STAGE_TRANSFERS][transfer.from] += transfer.bytes.saturating_mul(transfer.count);
    }
    let traffic = |(kind, bytes): (&'static str, Vec<u64>)| {
        let most = bytes.into_iter().max().filter(|&bytes| bytes > 0)?;
        Some((kind, Traffic { bytes: most, seconds: seconds[kind] }))
    };
    Ok(bytes.into_iter().filter_map(traffic).collect())
}

/// Formats the ratio of `of` to `to`.
fn ratio(of: f64, to: f64) -> String {
    if to == of {
        "1.00".to_string()
    } else if to > 0.0 {
        format!("{:.2}", of / to)
    } else {
        String::new()
    }
}

impl PlanComparison {
    /// Returns the figures of both plans and their ratios.
    pub(crate) fn figures_table(&self) -> Table {
        use Align::{Left, Right};
        let mut table = Table::new([("", Left), ("first", Right), ("second", Right), ("ratio", Right)]);
        let [a, b] = &self.figures;
        let mut seconds = |name: &str, of: fn(&PlanFigures) -> f64| {
            table.row([name.into(), format_seconds(of(a)), format_seconds(of(b)), ratio(of(a), of(b))]);
        };
        seconds("step", |f| f.step_seconds);
        seconds("  computation", |f| f.compute_seconds);
        seconds("  exposed communication", |f| f.exposed_seconds);
        seconds("  pipeline idle", |f| f.idle_seconds);
        for kind in TRAFFIC_KINDS {
            let of = |f: &PlanFigures| f.traffic.get(kind).map_or(0, |sent| sent.bytes);
            if of(a) + of(b) > 0 {
                table.row([
                    format!("{kind}, per device"),
                    format_bytes(of(a)),
                    format_bytes(of(b)),
                    ratio(of(a) as f64, of(b) as f64),
                ]);
            }
        }
        table.row([
            "peak memory, per device".into(),
            format_bytes(a.peak_bytes),
            format_bytes(b.peak_bytes),
            ratio(a.peak_bytes as f64, b.peak_bytes as f64),
        ]);
        let mut number = |name: &str, of: fn(&PlanFigures) -> usize| {
            table.row([name.into(), of(a).to_string(), of(b).to_string(), ratio(of(a) as f64, of(b) as f64)]);
        };
        number("devices", |f| f.devices);
        number("stages", |f| f.stages);
        number("micro-batches", |f| f.micro_batches as usize);
        let share = |f: &PlanFigures| format!("{:.1} %", 100.0 * f.recomputed_share);
        table.row(["recomputed".into(), share(a), share(b), ratio(a.recomputed_share, b.recomputed_share)]);
        let schedule = |f: &PlanFigures| f.schedule.clone().unwrap_or_else(|| "-".to_string());
        table.row(["schedule".into(), schedule(a), schedule(b), String::new()]);
        table.row(["mesh".into(), a.mesh.clone(), b.mesh.clone(), String::new()]);
        table
    }

    /// Returns the settings and the layouts that differ, if there are any.
    pub(crate) fn difference_tables(&self) -> Vec<Table> {
        use Align::Left;
        let mut tables = Vec::new();
        for (title, all) in [("setting", &self.settings), ("layout of", &self.layouts)] {
            if all.is_empty() {
                continue;
            }
            let mut table = Table::new([(title, Left), ("first", Left), ("second", Left)]);
            for one in all {
                let says = |at: usize| one.values[at].clone().unwrap_or_else(|| "-".to_string());
                table.row([one.name.clone(), says(0), says(1)]);
            }
            tables.push(table);
        }
        tables
    }
}

impl fmt::Display for PlanComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.names;
        writeln!(f, "{} on {}: first {first}, second {second}", self.model, self.machine)?;
        writeln!(f)?;
        write!(f, "{}", self.figures_table())?;
        for table in self.difference_tables() {
            write!(f, "\n{table}")?;
        }
        if self.settings.is_empty() && self.layouts.is_empty() {
            writeln!(f, "\nThe plans have equal settings and layouts.")?;
        }
        writeln!(f, "\n{}", self.verdict())
    }
}
