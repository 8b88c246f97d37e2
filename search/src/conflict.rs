//! Explanation of an infeasible search: an irreducible set of conflicting decisions (irreducible infeasible set, found
//! with the deletion filter; Chinneck and Dravnieks 1991), and changes that make the search feasible.

use crate::driver;
use crate::monitor::{Monitor, Progress};
use crate::outcome::{Infeasible, Outcome};
use crate::problem::{Goal, SearchRequest, SpaceLimits};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::plan::{Plan, PlanEntry, SourceText};
use partita_ir::units::{format_bytes, format_seconds};

/// A decision of the user. Indices refer to the lists of the plan or the goal.
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
    Target,
    Devices,
    Space,
    Budget,
}

/// Returns the error for a search that found no plan.
pub(crate) fn explain(request: &SearchRequest<'_>, infeasible: &Infeasible, monitor: &mut Monitor<'_>) -> Diagnostic {
    let SearchRequest { program, machine, .. } = request;
    let device_text = match infeasible.devices {
        1 => "1 device".to_owned(),
        count => format!("{count} devices"),
    };
    let title = match infeasible.least {
        Some(_) => format!(
            "no layout of `{}` on {device_text} fits into {} per device",
            program.source,
            format_bytes(infeasible.memory)
        ),
        None => format!("no layout of `{}` on {device_text} satisfies all constraints", program.source),
    };
    let mut error = Diagnostic::new(Code::L005, title);
    let all = request.decisions();
    let conflict = if infeasible.is_large { None } else { request.irreducible_conflict(&all, monitor) };
    if let Some(conflict) = &conflict {
        for span in conflict.iter().filter_map(|&decision| request.span(decision)) {
            error = error.label(span, if conflict.len() > 1 { "conflicting decision" } else { "cannot be satisfied" });
        }
        let descriptions: Vec<String> = conflict.iter().map(|&decision| request.describe(decision)).collect();
        error = match &descriptions[..] {
            [] => error.note(format!("even without any constraints, the model does not fit on `{}`", machine.name)),
            [decision] => error.note(format!("{decision} cannot be satisfied, even without all other decisions")),
            [some @ .., last] => error.note(format!(
                "{} and {last} conflict: after removing any one of them, the others can be satisfied",
                some.join(", ")
            )),
        };
    }
    if let Some(least) = infeasible.least {
        error = error.note(format!("the smallest evaluated plan needs {} per device", format_bytes(least)));
        error = match machine.kinds.iter().all(|kind| kind.memory >= least) {
            true => error.help(format!("pass `--budget {least}`, or use more devices")),
            false => error.help("use more devices, or devices with more memory"),
        };
    }
    for decision in conflict.into_iter().flatten().filter(|&decision| decision != Decision::Budget) {
        error = request.relaxation_advice(decision, monitor).into_iter().fold(error, Diagnostic::help);
    }
    error
}

impl SearchRequest<'_> {
    /// Returns all decisions of the request. Earlier ones are removed first, so that the remaining conflict consists of
    /// the most general decisions.
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
            (Target, self.goal.target.is_some()),
            (Devices, is_less),
            (Space, self.goal.space != SpaceLimits::default()),
            (Budget, self.goal.memory.is_some_and(|memory| least.is_none_or(|least| memory < least))),
        ];
        all.extend(single.into_iter().filter(|(_, is_set)| *is_set).map(|(decision, _)| decision));
        all
    }

    /// Returns the plan and goal of the request, restricted to the given decisions.
    fn restricted_to(&self, decisions: &[Decision]) -> (Plan, Goal) {
        use Decision::*;
        let has = |decision: Decision| decisions.contains(&decision);
        fn some<T: Clone>(all: &[T], has: impl Fn(usize) -> bool) -> Vec<T> {
            all.iter().enumerate().filter(|(at, _)| has(*at)).map(|(_, decision)| decision.clone()).collect()
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
            target: self.goal.target.filter(|_| has(Target)),
            space: if has(Space) { self.goal.space.clone() } else { SpaceLimits::default() },
            memory: self.goal.memory.filter(|_| has(Budget)),
            shown: 1,
            param_storage: false,
            ..self.goal.clone()
        };
        (plan, goal)
    }

    /// Returns the outcome of a search that stops at the first plan. Returns `None` if it finds none or runs out of
    /// time.
    fn first_outcome(&self, (plan, goal): &(Plan, Goal), monitor: &mut Monitor<'_>) -> Option<Outcome> {
        let mut until_any = |at: &Progress| monitor.should_continue(at) && at.best.is_none();
        let found = driver::search(&SearchRequest { plan, goal, ..*self }, &mut Monitor::new(None, &mut until_any));
        // The plan that ended the search can be an estimate that does not fit after all.
        found.ok()?.ok().filter(|outcome| outcome.plans.first().is_some_and(|best| best.peak <= outcome.memory))
    }

    /// Returns an irreducible set of conflicting decisions. Returns `None` if the time is not sufficient to find it.
    fn irreducible_conflict(&self, all: &[Decision], monitor: &mut Monitor<'_>) -> Option<Vec<Decision>> {
        let mut left: Vec<Decision> = all.to_vec();
        for &decision in all {
            if !monitor.should_continue(&Progress::default()) {
                return None;
            }
            let remaining: Vec<Decision> = left.iter().copied().filter(|&other| other != decision).collect();
            if self.first_outcome(&self.restricted_to(&remaining), monitor).is_none() {
                left = remaining;
            }
        }
        Some(left)
    }

    /// Returns advice to remove or change a decision, if this makes the search feasible.
    fn relaxation_advice(&self, decision: Decision, monitor: &mut Monitor<'_>) -> Option<String> {
        let others: Vec<Decision> = self.decisions().into_iter().filter(|&other| other != decision).collect();
        let (plan, goal) = self.restricted_to(&others);
        if let (Decision::Devices, Some(devices)) = (decision, self.goal.devices) {
            let counts = std::iter::successors(Some(2 * devices), |count| Some(2 * count));
            let mut counts = counts.take_while(|&count| count <= self.machine.device_count());
            let count = counts.find(|&count| {
                let goal = Goal { devices: Some(count), ..goal.clone() };
                self.first_outcome(&(plan.clone(), goal), monitor).is_some()
            });
            return count.map(|count| format!("pass `--devices {count}`"));
        }
        let found = self.first_outcome(&(plan, goal), monitor)?;
        let best = found.plans.first()?;
        let stages = if best.stages > 1 { format!(" in {} stages", best.stages) } else { String::new() };
        Some(format!(
            "remove {}: {}{stages} takes {} and {}",
            self.describe(decision),
            best.mesh,
            format_seconds(best.seconds),
            format_bytes(best.peak)
        ))
    }

    /// Returns the text of a decision for messages.
    fn describe(&self, decision: Decision) -> String {
        use Decision::*;
        let plan = self.plan;
        let entry = |all: &[PlanEntry], at: usize| format!("`{} = {}`", all[at].path.text, all[at].text.text.trim());
        let quoted = |what: &str, written: Option<&SourceText>| {
            format!("`{what} {}`", written.map_or("", |written| written.text.trim()))
        };
        match decision {
            Fix(at) => entry(&self.goal.fix, at),
            Shard(at) => entry(&plan.shards, at),
            Store(at) => format!("the storage layout {}", entry(&plan.stores, at)),
            Rules(at) => quoted("rules", plan.rules.get(at)),
            Preset(at) => quoted("preset", plan.presets.get(at)),
            NoPadding(at) => quoted("no padding of", plan.no_padding.get(at)),
            Remat(at) => format!("the recomputation {}", entry(&plan.remat, at)),
            Map => quoted("map", plan.map.as_ref()),
            Schedule => quoted("schedule", plan.schedule.as_ref()),
            Replicas => quoted("replicas", plan.replicas.as_ref()),
            MicroBatches => quoted("microbatches", plan.micro_batches.as_ref()),
            Mesh => quoted("mesh", plan.mesh.as_ref().map(|mesh| &mesh.place)),
            Pipeline => quoted("pipeline", plan.pipeline.as_ref()),
            Target => format!("`--target {}`", self.goal.target.map_or("", |target| target.name())),
            Devices => format!("`--devices {}`", self.goal.devices.unwrap_or(0)),
            Space => "the limits of the search space".to_owned(),
            Budget => format!("the budget of {}", format_bytes(self.goal.memory.unwrap_or(0))),
        }
    }

    /// Returns the source location of a decision.
    fn span(&self, decision: Decision) -> Option<Span> {
        use Decision::*;
        let plan = self.plan;
        let text = |all: &[PlanEntry], at: usize| all.get(at).map(|entry| entry.text.span());
        let span = |written: Option<&SourceText>| written.map(SourceText::span);
        match decision {
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
            Target | Devices | Space => None,
        }
    }
}
