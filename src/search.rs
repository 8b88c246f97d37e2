//! The search for the best plan on a machine: stages, meshes, parts of the batch and layouts are priced, and those that look best are
//! simulated.

mod outline;
mod tried;

use self::outline::{Ground, Made, Outline, Spread};
use self::tried::Tried;
use crate::error::Result;
use crate::report::{Align, Table};
use partita_ir::collective::choice::Prices;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::machine::Machine;
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Program};
use partita_ir::units::bytes;
use partita_passes::analysis::cost::Efficiencies;
use partita_passes::search::{Effort, Stop, Subject};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

/// What is searched for.
#[derive(Clone, Debug)]
pub struct Goal {
    /// How many devices there are; all of the machine if `None`.
    pub devices: Option<usize>,
    /// Most bytes of a device; what the smallest one has if `None`.
    pub memory: Option<u64>,
    /// How many plans are shown.
    pub shown: usize,
    /// How much is done for each mesh.
    pub effort: Effort,
    /// Which share of what data sheets say is reached.
    pub efficiencies: Efficiencies,
}

impl Default for Goal {
    fn default() -> Goal {
        Goal { devices: None, memory: None, shown: 5, effort: Effort::default(), efficiencies: Efficiencies::default() }
    }
}

/// A plan that was found.
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    /// The mesh of each stage.
    pub mesh: String,
    /// How many stages there are.
    pub stages: usize,
    /// In how many parts the batch is computed.
    pub parts: u64,
    /// What is computed again: `none`, `selective` or `full`.
    pub recompute: &'static str,
    /// The schedule of the stages; none if there is one.
    pub schedule: Option<String>,
    /// A step, simulated.
    pub seconds: f64,
    /// The most bytes that a device holds.
    pub peak: u64,
    /// Devices that it uses.
    pub devices: usize,
}

/// How far a search has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Ways to spread the step that are priced, and how many there are.
    pub priced: (usize, usize),
    /// Plans that were simulated.
    pub simulated: usize,
    /// Seconds of a step by the best of those that fit.
    pub best: Option<f64>,
}

/// Is told how far a search has come, and says whether it is to go on. When it is not, the best plan so far is what was found; there
/// is one as soon as anything fits.
pub type Watch<'w> = dyn FnMut(&Progress) -> bool + 'w;

/// What a search found: the best plans, the best one first.
pub struct Search {
    model: String,
    machine: String,
    plans: Vec<Candidate>,
    memory: u64,
    /// By the model of costs, what the best layouts take, and what none takes less than.
    cost: f64,
    bound: f64,
    stop: Stop,
    /// Whether it was not to go on.
    interrupted: bool,
    seconds: f64,
}

impl Search {
    /// Looks for the best plans of a program on a machine. `base` is what the user has decided, training included.
    ///
    /// # Errors
    /// What is wrong with the base, `H002` when the machine is too small.
    pub fn run(program: &Program, base: &Plan, machine: &Machine, goal: &Goal) -> Result<Search> {
        Search::watched(program, base, machine, goal, &mut |_| true)
    }

    /// The same, telling `watch` how far it has come.
    ///
    /// # Errors
    /// As [`Search::run`].
    pub fn watched(
        program: &Program,
        base: &Plan,
        machine: &Machine,
        goal: &Goal,
        watch: &mut Watch<'_>,
    ) -> Result<Search> {
        let started = Instant::now();
        let count = goal.devices.unwrap_or(machine.device_count());
        if count == 0 || count > machine.device_count() {
            let title = format!("`{}` has {} devices, and {count} are asked for", machine.name, machine.device_count());
            return Err(Diagnostic::new(Code::H002, title)
                .help("take a machine with more nodes, as in `dgx-a100?nodes=8`")
                .into());
        }
        if program.form > Form::Traced {
            let title = format!("`{}` is {} already: its layouts are decided", program.source, program.form.name());
            return Err(Diagnostic::new(Code::G001, title).help("search for the traced program").into());
        }
        check_free(program, base)?;
        let memory = goal.memory.unwrap_or_else(|| machine.kinds.iter().map(|kind| kind.memory).min().unwrap_or(0));
        let ground = Ground {
            machine,
            prices: &Prices::new(machine),
            efficiencies: &goal.efficiencies,
            effort: &goal.effort,
            memory,
        };
        let whole = Made::of(program, base, 1)?;
        let spreads = spreads(&whole.program, count);
        let made = Made::all(program, base, whole, spreads.iter().map(|spread| spread.parts));
        let subjects: BTreeMap<u64, Subject<'_>> =
            made.iter().map(|made| (made.parts, Subject::of(&made.program, &made.classes))).collect();
        let (mut outlines, all_are_priced) = outlines(&ground, &subjects, &spreads, watch);
        if outlines.is_empty() {
            // With room for anything there are some, which say what would fit.
            let limitless = Ground { memory: u64::MAX, ..ground };
            outlines = self::outlines(&limitless, &subjects, &spreads, watch).0;
            outlines.truncate(LOOKED_AT);
        }
        let mut tried = Tried::new(program, base, &ground, &subjects, watch);
        tried.all(&outlines)?;
        let interrupted = tried.interrupted || !all_are_priced;
        let mut plans = tried.best()?;
        let Some(best) = outlines.first().filter(|_| plans[0].peak <= memory) else {
            return Err(too_large(&made[0].program, count, memory, &plans).into());
        };
        plans.truncate(goal.shown);
        // Of what was not priced nothing is known.
        let bound = outlines.iter().map(Outline::bound).fold(f64::INFINITY, f64::min);
        let bound = if all_are_priced { bound } else { 0.0 };
        let (cost, stop) = (best.seconds(), best.found.solution.stop);
        Ok(Search {
            model: made[0].program.source.to_string(),
            machine: machine.name.to_string(),
            plans,
            memory,
            cost,
            bound,
            stop,
            interrupted,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// The plans, the best one first.
    pub fn plans(&self) -> &[Candidate] {
        &self.plans
    }

    /// The share of its cost that the best layouts may be away from what is possible.
    pub fn gap(&self) -> f64 {
        if self.cost > 0.0 && self.cost.is_finite() { ((self.cost - self.bound) / self.cost).max(0.0) } else { 0.0 }
    }

    /// Calls the model by another name.
    pub fn named(mut self, model: &str) -> Search {
        model.clone_into(&mut self.model);
        self
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let plan = |one: &Candidate| {
            json!({
                "mesh": one.mesh,
                "stages": one.stages,
                "microbatches": one.parts,
                "recompute": one.recompute,
                "schedule": one.schedule,
                "step_seconds": one.seconds,
                "peak_bytes": one.peak,
                "devices": one.devices,
                "fits": one.peak <= self.memory,
            })
        };
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.model,
            "machine": self.machine,
            "plans": self.plans.iter().map(plan).collect::<Vec<_>>(),
            "step_seconds": self.plans.first().map(|best| best.seconds),
            "cost": self.cost,
            "bound": self.bound,
            "gap": self.gap(),
            "stop": match self.stop {
                _ if self.interrupted => "interrupted",
                Stop::Optimal => "optimal",
                Stop::Work => "work",
            },
            "seconds": self.seconds,
        });
        format!("{object:#}")
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Align::{Left, Right};
        writeln!(
            f,
            "{} on {}: searched for {:.2} s{}; by what layouts are priced, at most {:.2} % could be saved",
            self.model,
            self.machine,
            self.seconds,
            if self.interrupted { ", then interrupted" } else { "" },
            100.0 * self.gap()
        )?;
        writeln!(f)?;
        let columns = [("mesh", Left), ("stages", Right), ("parts", Right), ("recompute", Left)];
        let figures = [("step", Right), ("peak memory", Right), ("devices", Right)];
        let mut table = Table::new(columns.into_iter().chain(figures));
        for one in &self.plans {
            let over = if one.peak > self.memory { " (too much)" } else { "" };
            let stages = match &one.schedule {
                Some(schedule) => format!("{} {schedule}", one.stages),
                None => one.stages.to_string(),
            };
            table.row([
                one.mesh.clone(),
                stages,
                one.parts.to_string(),
                one.recompute.to_string(),
                format!("{:.6} s", one.seconds),
                format!("{}{over}", bytes(one.peak)),
                one.devices.to_string(),
            ]);
        }
        write!(f, "{table}")
    }
}

/// Refuses what a search would not keep to: layouts and stages that are decided already.
fn check_free(program: &Program, base: &Plan) -> Result<()> {
    if !program.meshes.is_empty() {
        let title = format!("`{}` came with a mesh and layouts on it, and a search is for both", program.source);
        return Err(Diagnostic::new(Code::G001, title).help("take the model without annotations").into());
    }
    let entries = base.shards.iter().chain(&base.stores).map(|entry| &entry.text);
    let mesh = base.mesh.iter().map(|mesh| &mesh.place);
    let decided = mesh.chain(&base.rules).chain(entries).chain(&base.presets).chain(&base.hold);
    let stages = [&base.pipeline, &base.schedule, &base.micro_batches, &base.replicas];
    let mut decided = decided.chain(stages.into_iter().flatten()).chain(&base.map);
    let Some(written) = decided.next() else { return Ok(()) };
    let title = "a search decides on mesh and layouts, and keeps to none that is given yet";
    let error = Diagnostic::new(Code::G001, title).at(written.span(), "is decided already");
    Err(error.help("leave it out here; `simulate` says what a plan of your own comes to").into())
}

/// The error when no plan fits: with what the smallest of those that were simulated needs.
fn too_large(step: &Program, count: usize, memory: u64, plans: &[Candidate]) -> Diagnostic {
    let title = format!("no layout of `{}` on {count} devices fits into {} of each", step.source, bytes(memory));
    let least = plans.iter().map(|one| one.peak).min().unwrap_or(memory);
    Diagnostic::new(Code::L005, title)
        .note(format!("of those that were looked at the smallest needs {}", bytes(least)))
        .help(format!("allow `--budget {least}`, or take more devices"))
}

/// All ways to spread a step that are looked at; of those that differ in parts alone, few parts come first.
fn spreads(step: &Program, devices: usize) -> Vec<Spread> {
    let mut spreads = Vec::new();
    for stages in outline::stages(step, devices) {
        for axes in outline::shapes(devices / stages) {
            let parts = outline::parts(step, stages).into_iter();
            spreads.extend(parts.map(|parts| Spread { stages, axes: axes.clone(), parts, recompute: false }));
        }
    }
    spreads
}

/// Where nothing fits, so many ways to spread the step are looked at for the smallest.
const LOOKED_AT: usize = 8;

/// Outlines of all ways to spread a step, the one that looks best first, and whether these are all.
fn outlines(
    ground: &Ground<'_>,
    subjects: &BTreeMap<u64, Subject<'_>>,
    spreads: &[Spread],
    watch: &mut Watch<'_>,
) -> (Vec<Outline>, bool) {
    let mut outlines: Vec<Outline> = Vec::new();
    let (mut priced, mut goes_on) = (0, true);
    for alike in spreads.chunk_by(|a, b| a.stages == b.stages && a.axes == b.axes) {
        goes_on &= watch(&Progress { priced: (priced, spreads.len()), simulated: 0, best: None });
        if !goes_on && !outlines.is_empty() {
            break;
        }
        priced += alike.len();
        for spread in alike {
            let subject = subjects.get(&spread.parts);
            let Some(outline) = subject.and_then(|subject| ground.outline(subject, spread)) else { continue };
            let is_enough = !outline.spread.recompute;
            outlines.push(outline);
            // Without stages more parts only save memory.
            if is_enough {
                break;
            }
        }
    }
    outlines.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()).then_with(|| a.spread.cmp(&b.spread)));
    (outlines, priced == spreads.len())
}
