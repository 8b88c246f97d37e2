//! The search for the best plan on a machine, and its results as text and JSON.

mod choice;
mod pareto;
mod space;
mod table;

use self::choice::{Choice, runner_up};
pub use self::pareto::ParetoFront;
pub use self::space::load_space;
pub(crate) use self::table::{PlanTable, plan_to_json};
use crate::error::Result;
use crate::explain::find_value;
use crate::partition::Partition;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::units::{format_bytes, format_seconds};
use partita_machine::Machine;
use partita_search::LayoutAlternative;
pub use partita_search::{Effort, Goal, Monitor, Progress, SearchRequest, SimulatedPlan, Target};
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

/// Progress callback of a search. The search ends if the callback returns `false`.
type OnSearchProgress<'a> = dyn FnMut(&Progress) -> bool + 'a;

/// Builder of a search: goal, constraints and time limit.
pub struct Search<'a> {
    program: &'a Program,
    machine: &'a Machine,
    plan: Plan,
    goal: Goal,
    time_limit: Option<Duration>,
    on_progress: Option<Box<OnSearchProgress<'a>>>,
}

impl<'a> Search<'a> {
    /// Sets a plan that constrains the search: training, presets, layouts.
    #[must_use]
    pub fn plan(self, plan: &Plan) -> Self {
        Search { plan: plan.clone(), ..self }
    }

    /// Sets all parameters of the search at once. Later calls change single ones.
    #[must_use]
    pub fn goal(self, goal: &Goal) -> Self {
        Search { goal: goal.clone(), ..self }
    }

    /// Limits the search to plans that a framework can express.
    #[must_use]
    pub fn target(mut self, target: Target) -> Self {
        self.goal.target = Some(target);
        self
    }

    /// Sets the number of devices. The default is all devices of the machine.
    #[must_use]
    pub fn devices(mut self, count: usize) -> Self {
        self.goal.devices = Some(count);
        self
    }

    /// Sets the memory limit of a device, in bytes. The default is the budget of the plan, or else the memory of the
    /// smallest device.
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
    /// Errors in the plan, `G001` for a program that already has layouts, `H002` for a machine that is too small,
    /// `L005` with the conflicting decisions if no plan fits, and `L019` if the target cannot express a decision or any
    /// plan.
    pub fn run(self) -> Result<SearchOutcome> {
        let started = Instant::now();
        let names = self.names();
        let outcome = self.with_monitor(partita_search::search)?;
        Ok(SearchOutcome { names, outcome, seconds: started.elapsed().as_secs_f64() })
    }

    /// Searches on all devices, half of the devices and so on, each with full and with less memory. Returns the plans
    /// on the Pareto front of time, memory and number of devices.
    ///
    /// # Errors
    /// The errors of [`Search::run`], if no plan is found.
    pub fn pareto(self) -> Result<ParetoFront> {
        let started = Instant::now();
        let names = self.names();
        let front = self.with_monitor(partita_search::pareto::search_front)?;
        Ok(ParetoFront { names, front, seconds: started.elapsed().as_secs_f64() })
    }

    fn names(&self) -> SearchNames {
        SearchNames {
            model: self.program.source.to_string(),
            machine: self.machine.name.to_string(),
            target: self.goal.target,
        }
    }

    fn with_monitor<T>(
        self,
        search: impl FnOnce(&SearchRequest<'_>, &mut Monitor<'_>) -> std::result::Result<T, Vec<Diagnostic>>,
    ) -> std::result::Result<T, Vec<Diagnostic>> {
        let Search { program, machine, plan, mut goal, time_limit, on_progress } = self;
        goal.memory = goal.memory.or(plan.budget_bytes().map_err(|error| vec![error])?);
        let mut on_progress = on_progress.unwrap_or_else(|| Box::new(|_| true));
        let request = SearchRequest { program, plan: &plan, machine, goal: &goal };
        search(&request, &mut Monitor::new(time_limit, &mut *on_progress))
    }
}

/// Names of the model, the machine and the target in the output.
pub(crate) struct SearchNames {
    pub(crate) model: String,
    pub(crate) machine: String,
    /// Framework that can express the plans. `None` without this restriction.
    target: Option<Target>,
}

impl SearchNames {
    /// Returns the name of the target. `None` without one.
    fn target_name(&self) -> Option<&'static str> {
        self.target.map(Target::name)
    }

    /// Returns the target as the end of a clause: ` for megatron`. Empty without one.
    pub(crate) fn target_clause(&self) -> String {
        self.target.map(|target| format!(" for {target}")).unwrap_or_default()
    }
}

/// Result of a search: plans in ascending order of predicted step time, and a lower bound. Prints as a table.
pub struct SearchOutcome {
    pub(crate) names: SearchNames,
    pub(crate) outcome: partita_search::Outcome,
    seconds: f64,
}

impl SearchOutcome {
    /// Plans in ascending order of predicted step time.
    pub fn plans(&self) -> &[SimulatedPlan] {
        &self.outcome.plans
    }

    /// Lower bound in seconds of the step time of all plans of the search space. `None` if it is unknown.
    pub fn bound(&self) -> Option<f64> {
        self.outcome.bound
    }

    /// Relative gap between the step time of the best plan and the lower bound. `None` if the bound is unknown.
    pub fn gap(&self) -> Option<f64> {
        self.outcome.gap()
    }

    /// Replaces the name of the model in the output.
    pub fn with_model_name(mut self, model: &str) -> SearchOutcome {
        model.clone_into(&mut self.names.model);
        self
    }

    /// Formats the result as a JSON object.
    pub fn to_json(&self) -> String {
        let outcome = &self.outcome;
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.names.model,
            "machine": self.names.machine,
            "target": self.names.target_name(),
            "plans": outcome.plans.iter().map(|plan| plan_to_json(plan, outcome.memory)).collect::<Vec<_>>(),
            "step_seconds": outcome.plans.first().map(|best| best.seconds),
            "bound": outcome.bound,
            "gap": outcome.gap(),
            "stop": stop_reason(outcome),
            "seconds": self.seconds,
        });
        format!("{object:#}")
    }
}

impl SearchOutcome {
    /// Formats all evaluated plans as lines of JSON, in the order of their evaluation.
    pub fn candidates_to_json_lines(&self) -> String {
        let line = |plan: &SimulatedPlan| {
            let mut object = plan_to_json(plan, self.outcome.memory);
            object["presets"] = plan.plan.presets.iter().map(|preset| preset.text.as_str()).collect();
            object["is_estimate"] = plan.is_estimate().into();
            object["plan"] = plan.plan.to_toml().into();
            format!("{object}\n")
        };
        self.outcome.candidates.iter().map(line).collect()
    }
}

impl fmt::Display for SearchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SearchNames { model, machine, .. } = &self.names;
        let interrupted = if self.outcome.is_interrupted { " and stopped early" } else { "" };
        writeln!(f, "{model} on {machine}: searched for {:.2} s{interrupted}", self.seconds)?;
        self.findings().iter().try_for_each(|finding| writeln!(f, "{finding}"))?;
        writeln!(f)?;
        write!(f, "{}", self.table())?;
        match self.choice() {
            Some(choice) => write!(f, "\n{choice}"),
            None => Ok(()),
        }
    }
}

impl SearchOutcome {
    /// Returns sentences on the bound and on the memory limit.
    pub(crate) fn findings(&self) -> Vec<String> {
        let outcome = &self.outcome;
        let mut findings = vec![match outcome.bound.zip(outcome.gap()) {
            Some((bound, gap)) => {
                format!("no plan takes less than {}: gap {:.2} %", format_seconds(bound), 100.0 * gap)
            }
            None => "lower bound of the step time: unknown".to_owned(),
        }];
        if let Some(least) = outcome.plans.iter().map(|plan| plan.peak).min().filter(|&least| least > outcome.memory) {
            let (peak, memory) = (format_bytes(least), format_bytes(outcome.memory));
            findings
                .push(format!("no plan that fits was found in time: the smallest needs {peak} of {memory} per device"));
        }
        findings
    }

    /// Returns the table of the plans.
    pub(crate) fn table(&self) -> PlanTable<'_> {
        PlanTable { plans: &self.outcome.plans, memory: self.outcome.memory }
    }

    /// Returns the summary of the best plan and the runner-up.
    pub(crate) fn choice(&self) -> Option<impl fmt::Display + '_> {
        let (best, others) = self.outcome.plans.split_first()?;
        let (runner_up, memory, target) = (runner_up(best, others), self.outcome.memory, self.names.target_clause());
        Some(Choice { best, runner_up, memory, target })
    }
}

/// Returns the JSON value for the reason why a search stopped.
pub(crate) fn stop_reason(outcome: &partita_search::Outcome) -> &'static str {
    if outcome.is_interrupted { "interrupted" } else { "finished" }
}

impl Partition {
    /// Explains the layout of a value, and the cost of choosing a different layout on a machine. The partition must be
    /// that of `original` and `plan`.
    ///
    /// # Errors
    /// The errors of [`Partition::explain`], and errors of a search for other layouts.
    pub fn explain_on(&self, name: &str, original: &Program, plan: &Plan, machine: &Machine) -> Result<String> {
        let text = self.explain(name)?;
        Ok(match self.alternative(name, original, plan, machine)? {
            Some(alternative) => format!("{text}\n{alternative}"),
            None => text,
        })
    }

    /// Explains the layout of a value as [`Partition::explain_on`] does, as a JSON object.
    ///
    /// # Errors
    /// The errors of [`Partition::explain_on`].
    pub fn explain_on_as_json(
        &self,
        name: &str,
        original: &Program,
        plan: &Plan,
        machine: &Machine,
    ) -> Result<serde_json::Value> {
        let mut object = self.explain_as_json(name)?;
        let Some(alternative) = self.alternative(name, original, plan, machine)? else { return Ok(object) };
        let LayoutAlternative { machine, layout, seconds, next } = alternative;
        let next = next.map(|(layout, seconds)| json!({ "layout": layout, "step_seconds": seconds }));
        object["alternative"] = json!({ "machine": machine, "layout": layout, "step_seconds": seconds, "next": next });
        Ok(object)
    }

    /// Evaluates the layout of a value and its best alternative on a machine. The partition must be that of `original`
    /// and `plan`. Returns `None` for a value without a layout, or with one that no op supports.
    ///
    /// # Errors
    /// `C002` for an unknown name, and errors of a search for other layouts.
    fn alternative(
        &self,
        name: &str,
        original: &Program,
        plan: &Plan,
        machine: &Machine,
    ) -> Result<Option<LayoutAlternative>> {
        let planned = self.planned();
        let Some(layout) = &planned.values[find_value(planned, name)?].layout else { return Ok(None) };
        let find = |step: &Program| find_value(step, name).map_err(|error| error.0);
        Ok(LayoutAlternative::evaluate(original, plan, machine, find, layout)?)
    }
}
