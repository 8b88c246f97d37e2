//! The search for the best plan on a machine: for every shape of the mesh the best layouts, of which those that look best are simulated.

use crate::error::{Error, Result};
use crate::pipeline::Pipeline;
use crate::report::{Align, Table};
use crate::simulate::Simulation;
use partita_ir::collective::choice::Prices;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::machine::Machine;
use partita_ir::mesh;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Form, Program};
use partita_ir::units::bytes;
use partita_passes::analysis::cost::Efficiencies;
use partita_passes::pass::Cx;
use partita_passes::pipelines;
use partita_passes::plan::presets::BUCKET;
use partita_passes::search::intra::{Intra, Setting, layouts};
use partita_passes::search::{Effort, Solution, Stop, write};
use serde_json::json;
use std::collections::BTreeSet;
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
}

impl Default for Goal {
    fn default() -> Goal {
        Goal { devices: None, memory: None, shown: 5, effort: Effort::default() }
    }
}

/// A plan that was found.
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    /// What it is in a few words.
    pub name: String,
    /// A step, simulated.
    pub seconds: f64,
    /// The most bytes that a device holds.
    pub peak: u64,
    /// Devices that it uses.
    pub devices: usize,
}

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
    seconds: f64,
}

impl Search {
    /// Looks for the best plans of a program on a machine. `base` is what the user has decided, training included.
    ///
    /// # Errors
    /// What is wrong with the base, `H002` when the machine is too small.
    pub fn run(program: &Program, base: &Plan, machine: &Machine, goal: &Goal) -> Result<Search> {
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
        let mut step = program.clone();
        let mut cx = Cx { plan: base.clone(), ..Cx::default() };
        pipelines::make()?.run(&mut step, &mut cx, &mut |_| Ok(()))?;
        let on = On { program, step: &step, base, machine, prices: &Prices::new(machine), memory };
        let mut all = Found::default();
        for axes in shapes(count) {
            on.search(&axes, &goal.effort, &mut all)?;
        }
        let Some(best) = all.solutions.iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).cloned() else {
            return Err(on.too_large(count, &goal.effort)?.into());
        };
        if all.plans.is_empty() {
            let title = format!("no plan that was found for `{}` can be carried out", step.source);
            return Err(all.refused.unwrap_or_else(|| Diagnostic::new(Code::G001, title).into()));
        }
        let bound = all.solutions.iter().map(|solution| solution.bound).fold(f64::INFINITY, f64::min);
        Ok(Search {
            model: step.source.to_string(),
            machine: machine.name.to_string(),
            plans: all.best(memory, goal.shown),
            memory,
            cost: best.cost,
            bound,
            stop: best.stop,
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
                "name": one.name,
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
            "{} on {}: searched for {:.2} s; by what layouts are priced, at most {:.2} % could be saved",
            self.model,
            self.machine,
            self.seconds,
            100.0 * self.gap()
        )?;
        writeln!(f)?;
        let mut table = Table::new([("mesh", Left), ("step", Right), ("peak memory", Right), ("devices", Right)]);
        for one in &self.plans {
            let over = if one.peak > self.memory { " (too much)" } else { "" };
            table.row([
                one.name.clone(),
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
    let mut decided = decided.chain(&base.pipeline).chain(&base.replicas).chain(&base.map);
    let Some(written) = decided.next() else { return Ok(()) };
    let title = "a search decides on mesh and layouts, and keeps to none that is given yet";
    let error = Diagnostic::new(Code::G001, title).at(written.span(), "is decided already");
    Err(error.help("leave it out here; `simulate` says what a plan of your own comes to").into())
}

/// Shapes of the mesh: one axis, or two.
fn shapes(count: usize) -> Vec<Vec<u32>> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let mut shapes = vec![vec![count]];
    shapes.extend((2..count).filter(|n| count.is_multiple_of(*n)).map(|n| vec![n, count / n]));
    shapes
}

/// What is searched for, and where it is to run.
struct On<'a> {
    /// As it was traced, and what is made of it.
    program: &'a Program,
    step: &'a Program,
    base: &'a Plan,
    machine: &'a Machine,
    prices: &'a Prices<'a>,
    memory: u64,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    solutions: Vec<Solution>,
    plans: Vec<Candidate>,
    /// Their texts.
    known: BTreeSet<String>,
    /// Why the last one that cannot be carried out cannot.
    refused: Option<Error>,
}

impl Found {
    /// The best plans: those that fit, then fast ones, then those of few words.
    fn best(mut self, memory: u64, count: usize) -> Vec<Candidate> {
        self.plans.sort_by_cached_key(|one| (one.peak > memory, one.seconds.to_bits(), one.plan.to_toml().len()));
        self.plans.dedup_by(|b, a| a.name == b.name && a.seconds == b.seconds && a.peak == b.peak);
        self.plans.truncate(count);
        self.plans
    }
}

/// What may be assumed of gradients' reductions, which are hidden by what is computed beside them or not, and whether state may lie in
/// pieces. The simulation says which of the layouts that follow are the best.
const ASSUMED: [(f64, bool); 5] = [(1.0, false), (1.0, true), (0.3, false), (0.3, true), (0.0, false)];

/// Of these the bound is said: nothing is hidden, and nothing is ruled out.
const ALL_COUNTS: (f64, bool) = (1.0, true);

impl On<'_> {
    /// Adds the best layouts on meshes of these axes, the last of which lies within nodes.
    fn search(&self, axes: &[u32], effort: &Effort, all: &mut Found) -> Result<()> {
        for (waiting, pieces) in ASSUMED {
            let Some(intra) = self.layouts(axes, (waiting, pieces), effort) else { continue };
            let axes = named(self.step, axes, &intra);
            let shape = mesh::Mesh::new("mesh", axes.iter().cloned());
            let names: Vec<&str> = axes.iter().map(|axis| axis.0.as_str()).collect();
            let declared = Some(Mesh::new(axes.iter().cloned())?);
            let base = Plan { mesh: declared, ..self.base.clone() }.map(names.join(", "));
            let base = if base.bucket.is_none() { base.bucket(BUCKET) } else { base };
            for detail in write::Detail::ALL {
                let plan = write::plan(&base, self.step, &shape, &intra, detail)?;
                if all.known.insert(plan.to_toml()) {
                    match self.simulated(plan)? {
                        Ok(candidate) => all.plans.push(candidate),
                        Err(refused) => all.refused = Some(refused),
                    }
                }
            }
            if (waiting, pieces) == ALL_COUNTS {
                all.solutions.push(intra.solution);
            }
        }
        Ok(())
    }

    /// The best layouts on a mesh.
    fn layouts(&self, axes: &[u32], (waiting, pieces): (f64, bool), effort: &Effort) -> Option<Intra> {
        let mut program = self.step.clone();
        let shape = mesh::Mesh::new("mesh", axes.iter().enumerate().map(|(at, &size)| (format!("axis{at}"), size)));
        let id = program.meshes.push(shape.clone());
        let devices: Vec<usize> = (0..shape.device_count()).collect();
        let setting = Setting {
            program: &program,
            mesh: (id, &shape),
            devices: &devices,
            machine: self.machine,
            prices: self.prices,
            efficiencies: &Efficiencies::default(),
            memory: Some(self.memory),
            waiting,
            pieces,
        };
        layouts(setting, effort)
    }

    /// A plan with what its step comes to, or why it cannot be carried out.
    fn simulated(&self, plan: Plan) -> Result<Result<Candidate>> {
        // What does not fit is shown as such.
        let free = Plan { budget: None, ..plan.clone() };
        let pipeline = match Pipeline::on(self.program, &free.pipeline("1"), self.machine) {
            Ok(pipeline) => pipeline,
            Err(refused) => return Ok(Err(refused)),
        };
        let simulated = Simulation::of(&pipeline, self.machine, &Efficiencies::default())?;
        let prediction = simulated.prediction();
        let name = plan.mesh.iter().flat_map(|mesh| &mesh.axes).map(|axis| format!("{}={}", axis.name, axis.size));
        Ok(Ok(Candidate {
            name: name.collect::<Vec<_>>().join(","),
            seconds: prediction.seconds,
            peak: prediction.peak_bytes(),
            devices: prediction.devices,
            plan,
        }))
    }

    /// The error when nothing fits: what would, is computed.
    fn too_large(&self, count: usize, effort: &Effort) -> Result<Diagnostic> {
        let limitless = On { memory: u64::MAX, ..*self };
        let mut all = Found::default();
        for axes in shapes(count) {
            limitless.search(&axes, effort, &mut all)?;
        }
        let name = &self.step.source;
        let title = format!("no layout of `{name}` on {count} devices fits into {} of each", bytes(self.memory));
        let error = Diagnostic::new(Code::L005, title);
        let least = all.plans.iter().map(|one| one.peak).min();
        Ok(match least {
            Some(peak) => error.note(format!("of those that were looked at the smallest needs {}", bytes(peak))).help(
                format!("allow `--budget {peak}`, take more devices, or compute activations again: `--remat full`"),
            ),
            None => error.help("take more devices"),
        })
    }
}

/// Axes by what they split: `data` where it is examples.
fn named(step: &Program, axes: &[u32], intra: &Intra) -> Vec<(String, u32)> {
    let splits_data = |at: usize| {
        let data = intra.inputs.iter().filter(|(value, _)| step.param_of(*value).is_none());
        data.clone().any(|(_, layout)| layout.split_axes().any(|axis| partita_ir::arena::Id::index(axis.axis) == at))
    };
    let mut names: Vec<(String, u32)> = Vec::new();
    for (at, &size) in axes.iter().enumerate() {
        let base = if splits_data(at) { "data" } else { "model" };
        let count = names.iter().filter(|(name, _)| name.starts_with(base)).count();
        let name = if count == 0 { base.to_string() } else { format!("{base}{}", count + 1) };
        names.push((name, size));
    }
    names
}
