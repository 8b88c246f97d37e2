//! Why nothing is found: of what is decided, some that conflict and of which none can be left out (an irreducible
//! infeasible set, found by leaving out one after the other; Chinneck and Dravnieks 1991), and what changes are enough.

use super::{Goal, Nothing, Outcome, Watch, find};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::plan::{Entry, Plan, Written};
use partita_ir::program::Program;
use partita_ir::units::bytes;
use partita_machine::Machine;

/// Something that is decided. Numbers are places in the plan's lists, or in the goal's.
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

/// A search that found nothing, with all that was asked for.
struct Asked<'a> {
    program: &'a Program,
    base: &'a Plan,
    machine: &'a Machine,
    goal: &'a Goal,
}

/// The error for a search that found nothing.
pub(super) fn explained(
    (program, base, machine, goal): (&Program, &Plan, &Machine, &Goal),
    nothing: &Nothing,
    watch: &mut Watch<'_>,
) -> Diagnostic {
    let asked = Asked { program, base, machine, goal };
    let on = match nothing.devices {
        1 => "1 device".to_owned(),
        count => format!("{count} devices"),
    };
    let title = match nothing.least {
        Some(_) => format!("no layout of `{}` on {on} fits into {} of each", nothing.source, bytes(nothing.memory)),
        None => format!("no layout of `{}` on {on} keeps to what is decided", nothing.source),
    };
    let mut error = Diagnostic::new(Code::L005, title);
    let all = asked.decisions();
    let conflict = if nothing.is_large { None } else { asked.irreducible(&all, watch) };
    if let Some(conflict) = &conflict {
        for span in conflict.iter().filter_map(|&one| asked.place(one)) {
            error = error.at(span, if conflict.len() > 1 { "one of those that conflict" } else { "cannot be kept to" });
        }
        let said: Vec<String> = conflict.iter().map(|&one| asked.said(one)).collect();
        error = match &said[..] {
            [] => error.note(format!("even with nothing decided it does not fit `{}`", machine.name)),
            [one] => error.note(format!("{one} is what cannot be kept to, whatever else is decided")),
            [some @ .., last] => error.note(format!(
                "{} and {last} conflict: without any one of them, and with nothing else decided, there is a plan",
                some.join(", ")
            )),
        };
    }
    if let Some(least) = nothing.least {
        error = error.note(format!("of those that were looked at the smallest needs {}", bytes(least)));
        error = match machine.kinds.iter().all(|kind| kind.memory >= least) {
            true => error.help(format!("allow `--budget {least}`, or take more devices")),
            false => error.help("take more devices, or larger ones"),
        };
    }
    for one in conflict.into_iter().flatten().filter(|&one| one != Decision::Budget) {
        error = asked.change(one, watch).into_iter().fold(error, Diagnostic::help);
    }
    error
}

impl Asked<'_> {
    /// All that is decided. What comes first is left out first, so that what is left says most.
    fn decisions(&self) -> Vec<Decision> {
        use Decision::*;
        let Plan { shards, stores, rules, presets, no_padding, remat, .. } = self.base;
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
            (Map, self.base.map.is_some()),
            (Schedule, self.base.schedule.is_some()),
            (Replicas, self.base.replicas.is_some()),
            (MicroBatches, self.base.micro_batches.is_some()),
            (Mesh, self.base.mesh.is_some()),
            (Pipeline, self.base.pipeline.is_some()),
            (Devices, is_less),
            (Budget, self.goal.memory.is_some_and(|memory| least.is_none_or(|least| memory < least))),
        ];
        all.extend(single.into_iter().filter(|(_, is_said)| *is_said).map(|(one, _)| one));
        all
    }

    /// What was asked for, with these decisions alone.
    fn only(&self, kept: &[Decision]) -> (Plan, Goal) {
        use Decision::*;
        let has = |one: Decision| kept.contains(&one);
        fn some<T: Clone>(all: &[T], has: impl Fn(usize) -> bool) -> Vec<T> {
            all.iter().enumerate().filter(|(at, _)| has(*at)).map(|(_, one)| one.clone()).collect()
        }
        let base = self.base;
        let plan = Plan {
            shards: some(&base.shards, |at| has(Shard(at))),
            stores: some(&base.stores, |at| has(Store(at))),
            rules: some(&base.rules, |at| has(Rules(at))),
            presets: some(&base.presets, |at| has(Preset(at))),
            no_padding: some(&base.no_padding, |at| has(NoPadding(at))),
            remat: some(&base.remat, |at| has(Remat(at))),
            map: base.map.clone().filter(|_| has(Map) && has(Mesh)),
            schedule: base.schedule.clone().filter(|_| has(Schedule)),
            replicas: base.replicas.clone().filter(|_| has(Replicas)),
            micro_batches: base.micro_batches.clone().filter(|_| has(MicroBatches)),
            mesh: base.mesh.clone().filter(|_| has(Mesh)),
            pipeline: base.pipeline.clone().filter(|_| has(Pipeline)),
            ..base.clone()
        };
        let goal = Goal {
            fix: some(&self.goal.fix, |at| has(Fix(at))),
            devices: self.goal.devices.filter(|_| has(Devices)),
            memory: self.goal.memory.filter(|_| has(Budget)),
            shown: 1,
            keepers: false,
            ..self.goal.clone()
        };
        (plan, goal)
    }

    /// A plan that keeps to these decisions alone, if there is one. None, too, once there is no more time.
    fn found(&self, (plan, goal): &(Plan, Goal), watch: &mut Watch<'_>) -> Option<Outcome> {
        let mut any = |at: &super::Progress| watch(at) && at.best.is_none();
        find(self.program, plan, self.machine, goal, &mut any).ok()?.ok()
    }

    /// Decisions that cannot be kept to together, of which none can be left out; none if there is no time to say.
    fn irreducible(&self, all: &[Decision], watch: &mut Watch<'_>) -> Option<Vec<Decision>> {
        let mut left: Vec<Decision> = all.to_vec();
        for &one in all {
            if !watch(&super::Progress::default()) {
                return None;
            }
            let less: Vec<Decision> = left.iter().copied().filter(|&other| other != one).collect();
            if self.found(&self.only(&less), watch).is_none() {
                left = less;
            }
        }
        Some(left)
    }

    /// What there is without a decision, all others kept.
    fn change(&self, one: Decision, watch: &mut Watch<'_>) -> Option<String> {
        let others: Vec<Decision> = self.decisions().into_iter().filter(|&other| other != one).collect();
        let (plan, goal) = self.only(&others);
        if let (Decision::Devices, Some(devices)) = (one, self.goal.devices) {
            let counts = std::iter::successors(Some(2 * devices), |count| Some(2 * count));
            let mut counts = counts.take_while(|&count| count <= self.machine.device_count());
            let count = counts.find(|&count| {
                let goal = Goal { devices: Some(count), ..goal.clone() };
                self.found(&(plan.clone(), goal), watch).is_some()
            });
            return count.map(|count| format!("take `--devices {count}`"));
        }
        let found = self.found(&(plan, goal), watch)?;
        let best = found.plans().first()?;
        let stages = if best.stages > 1 { format!(" in {} stages", best.stages) } else { String::new() };
        Some(format!(
            "leave out {}: {}{stages} takes {:.6} s and {}",
            self.said(one),
            best.mesh,
            best.seconds,
            bytes(best.peak)
        ))
    }

    /// A decision in words.
    fn said(&self, one: Decision) -> String {
        use Decision::*;
        let base = self.base;
        let entry = |all: &[Entry], at: usize| format!("`{} = {}`", all[at].path.text, all[at].text.text.trim());
        let quoted =
            |what: &str, said: Option<&Written>| format!("`{what} {}`", said.map_or("", |said| said.text.trim()));
        match one {
            Fix(at) => entry(&self.goal.fix, at),
            Shard(at) => entry(&base.shards, at),
            Store(at) => format!("keeping {}", entry(&base.stores, at)),
            Rules(at) => quoted("rules", base.rules.get(at)),
            Preset(at) => quoted("preset", base.presets.get(at)),
            NoPadding(at) => quoted("no padding of", base.no_padding.get(at)),
            Remat(at) => format!("computing again {}", entry(&base.remat, at)),
            Map => quoted("map", base.map.as_ref()),
            Schedule => quoted("schedule", base.schedule.as_ref()),
            Replicas => quoted("replicas", base.replicas.as_ref()),
            MicroBatches => quoted("microbatches", base.micro_batches.as_ref()),
            Mesh => quoted("mesh", base.mesh.as_ref().map(|mesh| &mesh.place)),
            Pipeline => quoted("pipeline", base.pipeline.as_ref()),
            Devices => format!("`--devices {}`", self.goal.devices.unwrap_or(0)),
            Budget => format!("the budget of {}", bytes(self.goal.memory.unwrap_or(0))),
        }
    }

    /// Where a decision is written.
    fn place(&self, one: Decision) -> Option<Span> {
        use Decision::*;
        let base = self.base;
        let text = |all: &[Entry], at: usize| all.get(at).map(|entry| entry.text.span());
        let span = |written: Option<&Written>| written.map(Written::span);
        match one {
            Fix(at) => text(&self.goal.fix, at),
            Shard(at) => text(&base.shards, at),
            Store(at) => text(&base.stores, at),
            Remat(at) => text(&base.remat, at),
            Rules(at) => span(base.rules.get(at)),
            Preset(at) => span(base.presets.get(at)),
            NoPadding(at) => span(base.no_padding.get(at)),
            Map => span(base.map.as_ref()),
            Schedule => span(base.schedule.as_ref()),
            Replicas => span(base.replicas.as_ref()),
            MicroBatches => span(base.micro_batches.as_ref()),
            Mesh => span(base.mesh.as_ref().map(|mesh| &mesh.place)),
            Pipeline => span(base.pipeline.as_ref()),
            Budget => span(base.budget.as_ref()),
            Devices => None,
        }
    }
}
