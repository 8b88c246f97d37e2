//! The search for the best plan on a machine, and its results as text and JSON.

mod front;
mod table;

pub use self::front::Front;
use self::table::PlanTable;
pub(crate) use self::table::plan_to_json;
use crate::error::Result;
use crate::explain::find;
use crate::partition::Partition;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_search::LayoutAlternative;
pub use partita_search::{Effort, Goal, Monitor, Progress, SearchRequest, SimulatedPlan, Solver, Stop};
use serde_json::json;
use std::fmt;
use std::time::{Duration, Instant};

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
    Search { program, machine, plan: Plan::default(), goal: Goal::default(), time_limit: None, on_progress: None }
}

/// Listener to the progress of a search, which returns whether to go on.
type OnProgress<'a> = dyn FnMut(&Progress) -> bool + 'a;

/// Builder of a search: goal, decisions already made, and time limit.
pub struct Search<'a> {
    program: &'a Program,
    machine: &'a Machine,
    plan: Plan,
    goal: Goal,
    time_limit: Option<Duration>,
    on_progress: Option<Box<OnProgress<'a>>>,
}

impl<'a> Search<'a> {
    /// Sets the decisions already made: training, presets, layouts.
    #[must_use]
    pub fn plan(self, plan: &Plan) -> Self {
        Search { plan: plan.clone(), ..self }
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
        let started = Instant::now();
        let names = self.names();
        let outcome = self.with_monitor(partita_search::search)?;
        Ok(Outcome { names, outcome, seconds: started.elapsed().as_secs_f64() })
    }

    /// Searches on all devices, on half of them and so on, each with all memory and then with less, and returns the
    /// plans that no other plan beats in time, memory and devices at once.
    ///
    /// # Errors
    /// As [`Search::run`], if there is no plan at all.
    pub fn front(self) -> Result<Front> {
        let started = Instant::now();
        let names = self.names();
        let front = self.with_monitor(partita_search::pareto::front)?;
        Ok(Front { names, front, seconds: started.elapsed().as_secs_f64() })
    }

    fn names(&self) -> Names {
        Names { model: self.program.source.to_string(), machine: self.machine.name.to_string() }
    }

    fn with_monitor<T, E>(
        self,
        search: impl FnOnce(&SearchRequest<'_>, &mut Monitor<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let Search { program, machine, plan, goal, time_limit, on_progress } = self;
        let mut on_progress = on_progress.unwrap_or_else(|| Box::new(|_| true));
        let request = SearchRequest { program, plan: &plan, machine, goal: &goal };
        search(&request, &mut Monitor::new(time_limit, &mut *on_progress))
    }
}

/// Names of what a search is for.
struct Names {
    model: String,
    machine: String,
}

/// Result of a search: plans in ascending order of predicted step time, and a lower bound. Prints as a table.
pub struct Outcome {
    names: Names,
    outcome: partita_search::Outcome,
    seconds: f64,
}

impl Outcome {
    /// The plans, the fastest one first.
    pub fn plans(&self) -> &[SimulatedPlan] {
        &self.outcome.plans
    }

    /// The share of their price that the best layouts may be away from the lowest possible price, over the combinations
    /// of stages, mesh and micro-batches that were priced. Nothing is said of simulated seconds, and of what is decided
    /// beside layouts: recompute, schedules and element types.
    pub fn gap(&self) -> f64 {
        self.outcome.gap()
    }

    /// Renames the model in texts.
    pub fn named(mut self, model: &str) -> Outcome {
        model.clone_into(&mut self.names.model);
        self
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let outcome = &self.outcome;
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.names.model,
            "machine": self.names.machine,
            "plans": outcome.plans.iter().map(|plan| plan_to_json(plan, outcome.memory)).collect::<Vec<_>>(),
            "step_seconds": outcome.plans.first().map(|best| best.seconds),
            "cost": outcome.cost,
            "bound": outcome.bound,
            "gap": outcome.gap(),
            "gap_covers": GAP_COVERS,
            "priced": outcome.priced.0,
            "spreads": outcome.priced.1,
            "stop": stop_reason(outcome),
            "seconds": self.seconds,
        });
        format!("{object:#}")
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Names { model, machine } = &self.names;
        let interrupted = if self.outcome.is_interrupted { ", then interrupted" } else { "" };
        writeln!(f, "{model} on {machine}: searched for {:.2} s{interrupted}", self.seconds)?;
        let priced = match self.outcome.priced {
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
        write!(f, "{}", PlanTable { plans: &self.outcome.plans, memory: self.outcome.memory })
    }
}

/// Reason why a search stopped, in JSON.
pub(crate) fn stop_reason(outcome: &partita_search::Outcome) -> &'static str {
    match outcome.stop {
        _ if outcome.is_interrupted => "interrupted",
        Stop::Optimal => "optimal",
        Stop::Work => "work",
    }
}

/// Explanation of the gap for readers of JSON.
const GAP_COVERS: &str = "layouts, by the prices that choose them, in the priced combinations of stages, mesh and \
                          micro-batches; not simulated seconds, recompute, schedules, element types, or combinations \
                          that were not priced";

impl Partition {
    /// Explains the layout of a value, and what it is worth on a machine. `original` and `plan` are what the partition
    /// was made of.
    ///
    /// # Errors
    /// As [`Partition::explain`], and errors of a search for other layouts.
    pub fn explain_on(&self, name: &str, original: &Program, plan: &Plan, machine: &Machine) -> Result<String> {
        let mut text = self.explain(name)?;
        let planned = self.planned();
        if let Some(layout) = &planned.values[find(planned, name)?].layout {
            let find = |step: &Program| find(step, name).map_err(|error| error.0);
            if let Some(alternative) = LayoutAlternative::of(original, plan, machine, find, layout)? {
                text.push_str(&format!("\n{alternative}"));
            }
        }
        Ok(text)
    }
}
