//! Explanation of a search that finds nothing: decisions that conflict, of which none can be left out (an irreducible
//! infeasible set, found by leaving out one after the other; Chinneck and Dravnieks 1991), and changes that are enough.

use crate::driver::{self, Monitor, Progress};
use crate::outcome::{Infeasible, Outcome};
use crate::problem::{Goal, SearchRequest};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::plan::{Entry, Plan, Written};
use partita_ir::units::bytes;

/// A decision of the user. Numbers are places in the lists of the plan, or of the goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Decision {
    Fix(usize),
    Shard(usize),
    Store(usize),
    Rules(usize),
    Preset(usize),
    NoPadding(usize),
    Remat(usize),
    Map,
    Schedule,
    Replicas,
    MicroBatches,
    Mesh,
    Pipeline,
    Devices,
    Budget,
}

/// The error for a search that found nothing.
pub(crate) fn explain(request: &SearchRequest<'_>, infeasible: &Infeasible, monitor: &mut Monitor<'_>) -> Diagnostic {
    let SearchRequest { program, machine, .. } = request;
    let on = match infeasible.devices {
        1 => "1 device".to_owned(),
        count => format!("{count} devices"),
    };
    let title = match infeasible.least {
        Some(_) => format!("no layout of `{}` on {on} fits into {} of each", program.source, bytes(infeasible.memory)),
        None => format!("no layout of `{}` on {on} keeps to what is decided", program.source),
    };
    let mut error = Diagnostic::new(Code::L005, title);
    let all = request.decisions();
    let conflict = if infeasible.is_large { None } else { request.irreducible(&all, monitor) };
    if let Some(conflict) = &conflict {
        for span in conflict.iter().filter_map(|&one| request.place(one)) {
            error = error.at(span, if conflict.len() > 1 { "one of those that conflict" } else { "cannot be kept to" });
        }
        let said: Vec<String> = conflict.iter().map(|&one| request.describe(one)).collect();
        error = match &said[..] {
            [] => error.note(format!("even with nothing decided it does not fit `{}`", machine.name)),
            [one] => error.note(format!("{one} is what cannot be kept to, whatever else is decided")),
            [some @ .., last] => error.note(format!(
                "{} and {last} conflict: without any one of them, and with nothing else decided, there is a plan",
                some.join(", ")
            )),
        };
    }
    if let Some(least) = infeasible.least {
        error = error.note(format!("of those that were looked at the smallest needs {}", bytes(least)));
        error = match machine.kinds.iter().all(|kind| kind.memory >= least) {
            true => error.help(format!("allow `--budget {least}`, or take more devices")),
            false => error.help("take more devices, or larger ones"),
        };
    }
    for one in conflict.into_iter().flatten().filter(|&one| one != Decision::Budget) {
        error = request.change(one, monitor).into_iter().fold(error, Diagnostic::help);
    }
    error
}

impl SearchRequest<'_> {
    /// All decisions. The first ones are left out first, so that those that are left are the most general.
    fn decisions(&self) -> Vec<Decision> {
        use Decision::*;
        let Plan { shards, stores, rules, presets, no_padding, remat, .. } = self.plan;
        let mut all: Vec<Decision> = Vec::new();
        all.extend((0..self.goal.fix.len()).map(Fix));
        all.extend((0..shards.len()).map(Shard));
        all.extend((0..stores.len()).map(Store));
        all.extend((0..rules.len()).map(Rules));
        all.extend((0..presets.len()).map(Preset));
        all.extend((0..no_padding.len()).map(NoPadding));
        all.extend((0..remat.len()).map(Remat));
        let is_less = self.goal.devices.is_some_and(|devices| devices < self.machine.device_count());
        let least = self.machine.kinds.iter().map(|kind| kind.memory).min();
        let single = [
            (Map, self.plan.map.is_some()),
            (Schedule, self.plan.schedule.is_some()),
            (Replicas, self.plan.replicas.is_some()),
            (MicroBatches, self.plan.micro_batches.is_some()),
            (Mesh, self.plan.mesh.is_some()),
            (Pipeline, self.plan.pipeline.is_some()),
            (Devices, is_less),
            (Budget, self.goal.memory.is_some_and(|memory| least.is_none_or(|least| memory < least))),
        ];
        all.extend(single.into_iter().filter(|(_, is_said)| *is_said).map(|(one, _)| one));
        all
    }

    /// Plan and goal of the request with these decisions alone.
    fn only(&self, kept: &[Decision]) -> (Plan, Goal) {
        use Decision::*;
        let has = |one: Decision| kept.contains(&one);
        fn some<T: Clone>(all: &[T], has: impl Fn(usize) -> bool) -> Vec<T> {
            all.iter().enumerate().filter(|(at, _)| has(*at)).map(|(_, one)| one.clone()).collect()
        }
        let plan = self.plan;
        let plan = Plan {
            shards: some(&plan.shards, |at| has(Shard(at))),
            stores: some(&plan.stores, |at| has(Store(at))),
            rules: some(&plan.rules, |at| has(Rules(at))),
            presets: some(&plan.presets, |at| has(Preset(at))),
            no_padding: some(&plan.no_padding, |at| has(NoPadding(at))),
            remat: some(&plan.remat, |at| has(Remat(at))),
            map: plan.map.clone().filter(|_| has(Map) && has(Mesh)),
            schedule: plan.schedule.clone().filter(|_| has(Schedule)),
            replicas: plan.replicas.clone().filter(|_| has(Replicas)),
            micro_batches: plan.micro_batches.clone().filter(|_| has(MicroBatches)),
            mesh: plan.mesh.clone().filter(|_| has(Mesh)),
            pipeline: plan.pipeline.clone().filter(|_| has(Pipeline)),
            ..plan.clone()
        };
        let goal = Goal {
            fix: some(&self.goal.fix, |at| has(Fix(at))),
            devices: self.goal.devices.filter(|_| has(Devices)),
            memory: self.goal.memory.filter(|_| has(Budget)),
            shown: 1,
            param_storage: false,
            ..self.goal.clone()
        };
        (plan, goal)
    }

    /// Outcome of a search that stops at the first plan; `None` if there is none, or no more time.
    fn found(&self, (plan, goal): &(Plan, Goal), monitor: &mut Monitor<'_>) -> Option<Outcome> {
        let mut until_any = |at: &Progress| monitor.goes_on(at) && at.best.is_none();
        driver::search(&SearchRequest { plan, goal, ..*self }, &mut Monitor::new(None, &mut until_any)).ok()?.ok()
    }

    /// Decisions that conflict, of which none can be left out; `None` if there is no time to find them.
    fn irreducible(&self, all: &[Decision], monitor: &mut Monitor<'_>) -> Option<Vec<Decision>> {
        let mut left: Vec<Decision> = all.to_vec();
        for &one in all {
            if !monitor.goes_on(&Progress::default()) {
                return None;
            }
            let less: Vec<Decision> = left.iter().copied().filter(|&other| other != one).collect();
            if self.found(&self.only(&less), monitor).is_none() {
                left = less;
            }
        }
        Some(left)
    }

    /// Advice: the plan that there is without a decision, if that is enough.
    fn change(&self, one: Decision, monitor: &mut Monitor<'_>) -> Option<String> {
        let others: Vec<Decision> = self.decisions().into_iter().filter(|&other| other != one).collect();
        let (plan, goal) = self.only(&others);
        if let (Decision::Devices, Some(devices)) = (one, self.goal.devices) {
            let counts = std::iter::successors(Some(2 * devices), |count| Some(2 * count));
            let mut counts = counts.take_while(|&count| count <= self.machine.device_count());
            let count = counts.find(|&count| {
                let goal = Goal { devices: Some(count), ..goal.clone() };
                self.found(&(plan.clone(), goal), monitor).is_some()
            });
            return count.map(|count| format!("take `--devices {count}`"));
        }
        let found = self.found(&(plan, goal), monitor)?;
        let best = found.plans.first()?;
        let stages = if best.stages > 1 { format!(" in {} stages", best.stages) } else { String::new() };
        Some(format!(
            "leave out {}: {}{stages} takes {:.6} s and {}",
            self.describe(one),
            best.mesh,
            best.seconds,
            bytes(best.peak)
        ))
    }

    /// A decision in words.
    fn describe(&self, one: Decision) -> String {
        use Decision::*;
        let plan = self.plan;
        let entry = |all: &[Entry], at: usize| format!("`{} = {}`", all[at].path.text, all[at].text.text.trim());
        let quoted =
            |what: &str, said: Option<&Written>| format!("`{what} {}`", said.map_or("", |said| said.text.trim()));
        match one {
            Fix(at) => entry(&self.goal.fix, at),
            Shard(at) => entry(&plan.shards, at),
            Store(at) => format!("keeping {}", entry(&plan.stores, at)),
            Rules(at) => quoted("rules", plan.rules.get(at)),
            Preset(at) => quoted("preset", plan.presets.get(at)),
            NoPadding(at) => quoted("no padding of", plan.no_padding.get(at)),
            Remat(at) => format!("computing again {}", entry(&plan.remat, at)),
            Map => quoted("map", plan.map.as_ref()),
            Schedule => quoted("schedule", plan.schedule.as_ref()),
            Replicas => quoted("replicas", plan.replicas.as_ref()),
            MicroBatches => quoted("microbatches", plan.micro_batches.as_ref()),
            Mesh => quoted("mesh", plan.mesh.as_ref().map(|mesh| &mesh.place)),
            Pipeline => quoted("pipeline", plan.pipeline.as_ref()),
            Devices => format!("`--devices {}`", self.goal.devices.unwrap_or(0)),
            Budget => format!("the budget of {}", bytes(self.goal.memory.unwrap_or(0))),
        }
    }

    /// Place at which a decision is written.
    fn place(&self, one: Decision) -> Option<Span> {
        use Decision::*;
        let plan = self.plan;
        let text = |all: &[Entry], at: usize| all.get(at).map(|entry| entry.text.span());
        let span = |written: Option<&Written>| written.map(Written::span);
        match one {
            Fix(at) => text(&self.goal.fix, at),
            Shard(at) => text(&plan.shards, at),
            Store(at) => text(&plan.stores, at),
            Remat(at) => text(&plan.remat, at),
            Rules(at) => span(plan.rules.get(at)),
            Preset(at) => span(plan.presets.get(at)),
            NoPadding(at) => span(plan.no_padding.get(at)),
            Map => span(plan.map.as_ref()),
            Schedule => span(plan.schedule.as_ref()),
            Replicas => span(plan.replicas.as_ref()),
            MicroBatches => span(plan.micro_batches.as_ref()),
            Mesh => span(plan.mesh.as_ref().map(|mesh| &mesh.place)),
            Pipeline => span(plan.pipeline.as_ref()),
            Budget => span(plan.budget.as_ref()),
            Devices => None,
        }
    }
}
