//! The search for the best plan on a machine: stages, meshes, parts of the batch and layouts are priced, and those that
//! look best are simulated.

mod candidate;
mod choice;
mod conflict;
mod front;
mod outline;
mod outlines;
mod plans;
mod precisions;
mod spreads;
mod tried;
mod unequal;

pub use self::candidate::Candidate;
use self::candidate::SideBySide;
pub use self::front::Front;
use self::outline::{Ground, Made};
use self::outlines::Outlines;
use self::plans::{Plans, in_best_way};
use self::spreads::Decided;
use self::tried::Tried;
use crate::error::Result;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::{Entry, Mesh, Plan};
use partita_ir::program::{Form, Program};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
pub use partita_search::{Effort, Solver};
use partita_search::{SearchGraph, Stop};
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// What is searched for.
#[derive(Clone, Debug)]
pub struct Goal {
    /// How many devices there are; all of the machine if `None`.
    pub devices: Option<usize>,
    /// Most bytes of a device; what the smallest one has if `None`.
    pub memory: Option<u64>,
    /// Layouts that every plan keeps to: paths, each with a layout, or with an axis alone that splits what it matches
    /// along whichever dimension is best.
    pub fix: Vec<Entry>,
    /// Element types that everything may be computed in; what the plan says if there are none.
    pub precisions: Vec<String>,
    /// Whether weights may be kept otherwise than they are used where nothing fits without that, which takes several
    /// times as long.
    pub keepers: bool,
    /// How many plans are shown.
    pub shown: usize,
    /// How much is done for each mesh.
    pub effort: Effort,
    /// Which share of what data sheets say is reached.
    pub efficiencies: Efficiencies,
}

impl Default for Goal {
    fn default() -> Goal {
        Goal {
            devices: None,
            memory: None,
            fix: Vec::new(),
            precisions: Vec::new(),
            keepers: true,
            shown: 5,
            effort: Effort::default(),
            efficiencies: Efficiencies::default(),
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Progress {
    /// Ways to spread the step that are priced, and how many there are.
    pub priced: (usize, usize),
    /// Plans that were simulated.
    pub simulated: usize,
    /// Seconds of a step by the best of those that fit.
    pub best: Option<f64>,
    /// Seconds that no layouts of those ways take less than by their prices, and the share of their price that the best
    /// of them may be away from that.
    pub bound: Option<(f64, f64)>,
}

/// Is told how far a search has come, and says whether it is to go on. When it is not, the best plan so far is what was
/// found; there is one as soon as anything fits.
pub type Watch<'w> = dyn FnMut(&Progress) -> bool + 'w;

/// Result of a search: plans in ascending order of predicted step time, and a lower bound.
pub struct Outcome {
    model: String,
    machine: String,
    plans: Vec<Candidate>,
    memory: u64,
    /// By the model of costs, what the best layouts take, and what none takes less than.
    cost: f64,
    bound: f64,
    /// Ways to spread the step that were priced, and how many there are.
    priced: (usize, usize),
    stop: Stop,
    /// Whether it was not to go on.
    interrupted: bool,
    seconds: f64,
}

/// Returns a builder for a search for the fastest plans of `program` on `machine`.
///
/// ```
/// use partita::prelude::*;
///
/// # fn main() -> partita::Result<()> {
/// let (program, machine) = (partita::load("zoo:mlp")?, partita::load_machine("dgx-a100")?);
/// let outcome = partita::search(&program, &machine).devices(4).time_limit(Duration::from_secs(20)).run()?;
/// println!("{outcome}");
/// # Ok(()) }
/// ```
pub fn search<'a>(program: &'a Program, machine: &'a Machine) -> Search<'a> {
    Search { program, machine, base: Plan::default(), goal: Goal::default(), time_limit: None, on_progress: None }
}

/// Builder of a search: goal, decisions already made, and time limit.
pub struct Search<'a> {
    program: &'a Program,
    machine: &'a Machine,
    base: Plan,
    goal: Goal,
    time_limit: Option<Duration>,
    on_progress: Option<Box<Watch<'a>>>,
}

impl<'a> Search<'a> {
    /// Sets the decisions already made: training, presets, layouts.
    #[must_use]
    pub fn plan(self, base: &Plan) -> Self {
        Search { base: base.clone(), ..self }
    }

    /// Sets all parameters of the search at once. Later calls change single ones.
    #[must_use]
    pub fn goal(self, goal: &Goal) -> Self {
        Search { goal: goal.clone(), ..self }
    }

    /// Sets the number of devices. The default is all devices of the machine.
    #[must_use]
    pub fn devices(mut self, count: usize) -> Self {
        self.goal.devices = Some(count);
        self
    }

    /// Sets the memory limit of a device, in bytes. The default is the memory of the smallest device.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.goal.memory = Some(bytes);
        self
    }

    /// Sets a time limit. The search then returns the best plan so far, or continues until it finds the first plan.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        Search { time_limit: Some(limit), ..self }
    }

    /// Calls `on_progress` during the search. If it returns `false`, the search returns the best plan so far.
    #[must_use]
    pub fn on_progress(self, on_progress: impl FnMut(&Progress) -> bool + 'a) -> Self {
        Search { on_progress: Some(Box::new(on_progress)), ..self }
    }

    /// Runs the search.
    ///
    /// # Errors
    /// Errors in the plan, `H002` for a machine that is too small, and `L005` with the conflict if no plan fits.
    pub fn run(self) -> Result<Outcome> {
        let Search { program, machine, base, goal, time_limit, on_progress } = self;
        let started = Instant::now();
        let mut on_progress = on_progress.unwrap_or_else(|| Box::new(|_| true));
        let watch: &mut Watch<'_> = &mut |progress| {
            let is_in_time = time_limit.is_none_or(|limit| started.elapsed() < limit);
            on_progress(progress) && is_in_time
        };
        match precisions::each(&base, &goal, &mut |base| find(program, base, machine, &goal, watch))? {
            Ok(found) => Ok(found),
            Err(nothing) => Err(conflict::explained((program, &base, machine, &goal), &nothing, watch).into()),
        }
    }
}

impl Outcome {
    /// The plans, the best one first.
    pub fn plans(&self) -> &[Candidate] {
        &self.plans
    }

    /// The share of their price that the best layouts may be away from the lowest possible price, over the combinations
    /// of stages, mesh and micro-batches that were priced. Nothing is said of simulated seconds, and of what is decided
    /// beside layouts: recompute, schedules and element types.
    pub fn gap(&self) -> f64 {
        if self.cost > 0.0 && self.cost.is_finite() { ((self.cost - self.bound) / self.cost).max(0.0) } else { 0.0 }
    }

    /// Calls the model by another name.
    pub fn named(mut self, model: &str) -> Outcome {
        model.clone_into(&mut self.model);
        self
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.model,
            "machine": self.machine,
            "plans": self.plans.iter().map(|one| one.to_json(self.memory)).collect::<Vec<_>>(),
            "step_seconds": self.plans.first().map(|best| best.seconds),
            "cost": self.cost,
            "bound": self.bound,
            "gap": self.gap(),
            "gap_covers": GAP_COVERS,
            "priced": self.priced.0,
            "spreads": self.priced.1,
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

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} on {}: searched for {:.2} s{}",
            self.model,
            self.machine,
            self.seconds,
            if self.interrupted { ", then interrupted" } else { "" },
        )?;
        let priced = match self.priced {
            (some, all) if some < all => format!("{some} of {all}"),
            (_, all) => format!("all {all}"),
        };
        writeln!(
            f,
            "gap {:.2} %: by the prices of layouts, for {priced} combinations of stages, mesh and micro-batches, none \
             costs so much less",
            100.0 * self.gap()
        )?;
        writeln!(
            f,
            "the gap does not cover simulated seconds, recompute, schedules, element types and other combinations"
        )?;
        writeln!(f)?;
        write!(f, "{}", SideBySide::of(&self.plans, self.memory))
    }
}

/// What the gap is about, for who reads JSON.
const GAP_COVERS: &str = "layouts, by the prices that choose them, in the priced combinations of stages, mesh and \
                          micro-batches; not simulated seconds, recompute, schedules, element types, or combinations \
                          that were not priced";

/// A search that found nothing.
struct Nothing {
    /// What was searched for.
    source: String,
    devices: usize,
    memory: u64,
    /// The smallest peak of what was looked at; none if nothing keeps to what is decided, with room for anything.
    least: Option<u64>,
    /// Whether another search would take long.
    is_large: bool,
}

/// Searches; that nothing was found is no error yet.
///
/// # Errors
/// What is wrong with the base, `H002` when the machine is too small.
fn find(
    program: &Program,
    base: &Plan,
    machine: &Machine,
    goal: &Goal,
    watch: &mut Watch<'_>,
) -> Result<std::result::Result<Outcome, Nothing>> {
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
    let (base, along) = &fixed(on_own_mesh(program, base)?, &goal.fix);
    let decided = Decided::of(program, base, along)?;
    let memory = goal.memory.unwrap_or_else(|| machine.kinds.iter().map(|kind| kind.memory).min().unwrap_or(0));
    let ground = Ground {
        machine,
        base,
        along,
        prices: &Prices::new(machine),
        efficiencies: &goal.efficiencies,
        effort: &goal.effort,
        memory,
    };
    let whole = Made::of(program, base, 1)?;
    let spreads = decided.spreads(&whole.program, count)?;
    let made = Made::all(program, base, whole, spreads.iter().map(|spread| spread.parts));
    let mut may_keep = goal.keepers.then_some(&made[..]);
    let mut subjects = subjects_of(&made, false);
    let mut outlines = Outlines::of(&ground, &subjects, &spreads, watch)?;
    if outlines.all.is_empty() && goal.keepers {
        subjects = subjects_of(&made, true);
        may_keep = None;
        outlines = Outlines::of(&ground, &subjects, &spreads, watch)?;
    }
    if outlines.all.is_empty() {
        // With room for anything there are some, which say what would fit.
        let limitless = Ground { memory: u64::MAX, ..ground };
        outlines = Outlines::of(&limitless, &subjects, &spreads, watch)?;
        outlines.all.truncate(LOOKED_AT);
    }
    let nothing = |least| Nothing {
        source: made[0].program.source.to_string(),
        devices: count,
        memory,
        least,
        is_large: outlines.looked_at < spreads.len(),
    };
    if outlines.all.is_empty() {
        return Ok(Err(nothing(None)));
    }
    let of = Plans { program, ground: &ground, subjects: &subjects, may_keep };
    let mut tried = Tried::new(of, watch);
    tried.all(&outlines.all)?;
    let interrupted = tried.interrupted || outlines.are_interrupted;
    let mut plans = tried.best()?;
    let least = plans.iter().map(|one| one.peak).min();
    let Some(best) = outlines.all.first().filter(|_| plans[0].peak <= memory) else { return Ok(Err(nothing(least))) };
    plans.truncate(goal.shown.max(CARRIED_OUT));
    let mut plans: Vec<Candidate> = plans.into_par_iter().map(|one| in_best_way(&of, one)).collect();
    plans.sort_by_key(|one| (one.peak > memory, one.seconds.to_bits()));
    plans.truncate(goal.shown);
    let (cost, bound, stop) = (best.seconds(), outlines.bound(), best.found.solution.stop);
    let priced = (outlines.looked_at, spreads.len());
    Ok(Ok(Outcome {
        model: made[0].program.source.to_string(),
        machine: machine.name.to_string(),
        plans,
        memory,
        cost,
        bound,
        priced,
        stop,
        interrupted,
        seconds: started.elapsed().as_secs_f64(),
    }))
}

/// By parts of the batch, what is laid out; `keepers` if weights may be kept otherwise than they are used.
fn subjects_of(made: &[Made], keepers: bool) -> BTreeMap<u64, SearchGraph<'_>> {
    let all: Vec<(u64, SearchGraph<'_>)> = (made.par_iter())
        .map(|made| {
            let graph = SearchGraph::of(&made.program, &made.classes);
            (made.parts, if keepers { graph.with_param_storage() } else { graph })
        })
        .collect();
    all.into_iter().collect()
}

/// The base on the mesh that the program came with, if it came with one: layouts on it are kept to as if the base said
/// them.
fn on_own_mesh(program: &Program, base: &Plan) -> Result<Plan> {
    let mut base = base.clone();
    if let Some((_, own)) = program.needed_mesh().filter(|_| base.mesh.is_none()) {
        let mut mesh = Mesh::new(own.axes.iter().map(|axis| (axis.name.clone(), axis.size)))?;
        mesh.devices = (!own.devices.iter().copied().eq(0..own.devices.len() as u32)).then(|| own.devices.clone());
        base.mesh = Some(mesh);
    }
    Ok(base)
}

/// The base with what is fixed as layouts, and what is fixed by an axis alone.
fn fixed(mut base: Plan, fix: &[Entry]) -> (Plan, Vec<Entry>) {
    let is_axis = |entry: &&Entry| {
        let text = entry.text.text.trim();
        text != "whole"
            && text.starts_with(char::is_alphabetic)
            && text.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let (along, layouts): (Vec<&Entry>, Vec<&Entry>) = fix.iter().partition(is_axis);
    base.shards.extend(layouts.into_iter().cloned());
    (base, along.into_iter().cloned().collect())
}

/// At least so many plans are looked at as they would be carried out.
const CARRIED_OUT: usize = 8;

/// Where nothing fits, so many ways to spread the step are looked at for the smallest.
const LOOKED_AT: usize = 8;
