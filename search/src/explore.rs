//! Exploration of compositions: best-first search from a few starting points through neighbours.
//!
//! Each round expands the best composition that has not been expanded: its neighbours are evaluated, until one is
//! better than all others so far. The exploration ends after [`ExploreLimits::patience`] rounds without improvement,
//! or when its budget is used up. Compositions with one stage and with several are explored one after the other, since
//! the way from the best of one group to the best of the other leads through slow compositions.

use crate::composition::{AxisSizes, Composition, DecisionChange, Space, seeds, seeds_on_fewer_devices};
use crate::evaluate::Evaluator;
use crate::limits::{ExploreLimits, RefinementLimits};
use crate::monitor::Monitor;
use crate::plan_step::with_recompute;
use crate::problem::Constraints;
use partita_ir::plan::Plan;
use std::collections::{BTreeMap, BTreeSet};

/// Value of a composition: plans that fit come first, ordered by time; the others are ordered by memory.
type Rank = (bool, u64);

/// Rank of a composition that cannot be lowered.
const UNKNOWN: Rank = (true, u64::MAX);

/// Returns true if the composition of a rank fits into memory, and takes clearly less time than that of `other`, or
/// that one does not fit.
fn is_clearly_better((exceeds, value): Rank, other: Rank) -> bool {
    let limit = (1.0 - ExploreLimits::TUNED.improvement) * f64::from_bits(other.1);
    !exceeds && (other.0 || f64::from_bits(value) < limit)
}

/// Group of compositions that is explored separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ExplorationGroup {
    /// One stage.
    Single,
    /// Several pipeline stages.
    Several,
}

impl ExplorationGroup {
    /// Returns the group of a composition.
    fn containing(composition: &Composition) -> ExplorationGroup {
        if composition.stages > 1 { ExplorationGroup::Several } else { ExplorationGroup::Single }
    }
}

/// An evaluated composition.
#[derive(Clone, Debug)]
struct Explored {
    rank: Rank,
    /// Seconds of a step, whether it fits or not. Infinite if the composition cannot be lowered.
    seconds: f64,
    /// Peak memory in bytes.
    peak: u64,
    is_expanded: bool,
}

/// Exploration of the compositions of a space.
pub(crate) struct Exploration<'s> {
    space: &'s Space,
    constraints: &'s Constraints,
    memory: u64,
    explored: BTreeMap<Composition, Explored>,
    /// Smallest factor over the step time by which each change of a decision has changed it.
    effects: BTreeMap<DecisionChange, f64>,
}

impl<'s> Exploration<'s> {
    pub(crate) fn new(space: &'s Space, constraints: &'s Constraints, memory: u64) -> Exploration<'s> {
        Exploration { space, constraints, memory, explored: BTreeMap::new(), effects: BTreeMap::new() }
    }

    /// Explores until nothing better is found, the budget is used up, or the search is stopped.
    pub(crate) fn run(&mut self, evaluator: &mut Evaluator<'_>, monitor: &mut Monitor<'_>) {
        let seeds = self.small_enough(seeds(self.space));
        let recomputing = seeds.iter().filter_map(|seed| self.space.recomputing_most(seed)).collect::<Vec<_>>();
        if !self.evaluate(&seeds, evaluator, monitor) || !self.evaluate(&recomputing, evaluator, monitor) {
            return;
        }
        let mut groups = [ExplorationGroup::Single, ExplorationGroup::Several];
        groups.sort_by_key(|&group| self.best(group).unwrap_or(UNKNOWN));
        for group in groups {
            if self.is_promising(group) && !self.expand(group, evaluator, monitor) {
                return;
            }
        }
        let mut fewer = seeds_on_fewer_devices(self.space);
        fewer.retain(|one| self.space.least_bytes(one) <= self.memory);
        let Some(group) = fewer.first().map(ExplorationGroup::containing) else { return };
        let best = self.best(group);
        if self.evaluate(&fewer, evaluator, monitor) && self.best(group) < best {
            self.expand(group, evaluator, monitor);
        }
    }

    /// Returns the compositions whose parameters and optimizer state may fit into memory, or all of them if none do.
    fn small_enough(&self, mut all: Vec<Composition>) -> Vec<Composition> {
        let may_fit = |one: &Composition| self.space.least_bytes(one) <= self.memory;
        if all.iter().any(may_fit) {
            all.retain(may_fit);
        }
        all
    }

    /// Returns true if the best composition of a group can become the best of all: it is not much slower, or nothing
    /// fits into memory.
    fn is_promising(&self, group: ExplorationGroup) -> bool {
        let seconds = |(exceeds, value): Rank| (!exceeds).then(|| f64::from_bits(value));
        let best = self.explored.values().map(|one| one.rank).min().and_then(seconds);
        let own = self.best(group).and_then(seconds);
        best.is_none_or(|best| own.is_some_and(|own| own <= ExploreLimits::TUNED.group_slack * best))
    }

    /// Expands compositions of a group, best first. Returns false if the exploration was stopped.
    fn expand(&mut self, group: ExplorationGroup, evaluator: &mut Evaluator<'_>, monitor: &mut Monitor<'_>) -> bool {
        let limits = ExploreLimits::TUNED;
        let mut idle = 0;
        while idle < limits.patience && self.explored.len() < limits.max_compositions {
            let best = self.best(group);
            let Some(next) = self.next(group, idle > 0) else { return true };
            if !self.recompute_less(next.clone(), evaluator, monitor) || !self.expand_one(&next, evaluator, monitor) {
                return false;
            }
            idle = if self.best(group) < best { 0 } else { idle + 1 };
        }
        true
    }

    /// Evaluates the neighbours of a composition, first those whose changes have shortened steps the most. If one of
    /// them is better than all others so far, the rest waits until the composition is the best one again. Returns false
    /// if the exploration was stopped.
    fn expand_one(&mut self, next: &Composition, evaluator: &mut Evaluator<'_>, monitor: &mut Monitor<'_>) -> bool {
        let group = ExplorationGroup::containing(next);
        let best = self.best(group).unwrap_or(UNKNOWN);
        let mut neighbours = self.space.neighbours(next);
        neighbours.retain(|neighbour| !self.slows_down(next, neighbour));
        let effect = |neighbour: &Composition| self.effect(next, neighbour).unwrap_or(1.0);
        neighbours.sort_by(|a, b| effect(a).total_cmp(&effect(b)));
        let mut left = neighbours.chunks(ExploreLimits::TUNED.batch).peekable();
        while let Some(batch) = left.next() {
            let goes_on = self.evaluate(batch, evaluator, monitor);
            self.learn_effects(next, batch);
            if !goes_on {
                return false;
            }
            if left.peek().is_some() && self.best(group).is_some_and(|found| is_clearly_better(found, best)) {
                return true;
            }
        }
        if let Some(explored) = self.explored.get_mut(next) {
            explored.is_expanded = true;
        }
        true
    }

    /// Returns true if the change of a composition that fits into memory to its neighbour is expected to lead to a
    /// slower one than the best, whenever it is made. Slower neighbours of a composition that is too large may be those
    /// that fit.
    fn slows_down(&self, from: &Composition, neighbour: &Composition) -> bool {
        let Some(Explored { rank: (false, _), seconds, .. }) = self.explored.get(from) else { return false };
        let Some((false, best)) = self.best(ExplorationGroup::containing(neighbour)) else { return false };
        let enough = ExploreLimits::TUNED.change_slack * f64::from_bits(best);
        self.effect(from, neighbour).is_some_and(|effect| seconds * effect > enough)
    }

    /// Returns the smallest factor over the step time by which the change of a composition to its neighbour has changed
    /// others. `None` if it is not known for any.
    fn effect(&self, from: &Composition, neighbour: &Composition) -> Option<f64> {
        self.effects.get(&DecisionChange::between(from, neighbour)).copied()
    }

    /// Records how the changes of a composition to its neighbours affect the step time.
    fn learn_effects(&mut self, from: &Composition, neighbours: &[Composition]) {
        let Some(before) = self.explored.get(from).map(|one| one.seconds) else { return };
        for neighbour in neighbours {
            let Some(after) = self.explored.get(neighbour).map(|one| one.seconds) else { continue };
            let effect = self.effects.entry(DecisionChange::between(from, neighbour)).or_insert(f64::INFINITY);
            *effect = effect.min(after / before);
        }
    }

    /// Evaluates a composition that fits with lower levels of recomputation, until it does not fit. Returns false if
    /// the exploration was stopped.
    fn recompute_less(
        &mut self,
        mut from: Composition,
        evaluator: &mut Evaluator<'_>,
        monitor: &mut Monitor<'_>,
    ) -> bool {
        while self.explored.get(&from).is_some_and(|one| !one.rank.0)
            && let Some(less) = self.space.recomputing_less(&from)
        {
            if !self.evaluate(std::slice::from_ref(&less), evaluator, monitor) {
                return false;
            }
            from = less;
        }
        true
    }

    /// Returns the best composition of a group that has not been expanded. Compositions that differ from an expanded
    /// one only in the preset or the overlap of the axis `model`, and take the same time and memory, are the same plan
    /// in other words. With `is_diverse`, compositions on meshes that have been expanded come last: those that differ
    /// in recomputation or ZeRO stage alone take similar times.
    fn next(&self, group: ExplorationGroup, is_diverse: bool) -> Option<Composition> {
        let shape = |one: &Composition| (one.stages, one.sizes, one.tensor, one.attention, one.overlap);
        let of_group = || self.explored.iter().filter(|(one, _)| ExplorationGroup::containing(one) == group);
        let expanded = || of_group().filter(|(_, one)| one.is_expanded);
        let known: BTreeSet<_> = expanded().map(|(one, _)| shape(one)).collect();
        let is_same = |(one, of): (&Composition, &Explored), (other, of_other): (&Composition, &Explored)| {
            let reworded = Composition { tensor: other.tensor, overlap: other.overlap, ..one.clone() };
            (of.seconds, of.peak) == (of_other.seconds, of_other.peak) && reworded == *other
        };
        let open = of_group().filter(|&one| !one.1.is_expanded && !expanded().any(|other| is_same(one, other)));
        let next = open.min_by_key(|(one, explored)| (is_diverse && known.contains(&shape(one)), explored.rank));
        next.map(|(one, _)| one.clone())
    }

    /// Returns the best rank in a group.
    fn best(&self, group: ExplorationGroup) -> Option<Rank> {
        self.explored
            .iter()
            .filter(|(other, _)| ExplorationGroup::containing(other) == group)
            .map(|(_, one)| one.rank)
            .min()
    }

    /// Evaluates compositions that can become the fastest, and smaller ones for those that do not fit. Returns false if
    /// the exploration was stopped.
    fn evaluate(
        &mut self,
        compositions: &[Composition],
        evaluator: &mut Evaluator<'_>,
        monitor: &mut Monitor<'_>,
    ) -> bool {
        let fastest = evaluator.fastest();
        let new: Vec<(&Composition, Plan)> = (compositions.iter())
            .filter(|one| !self.explored.contains_key(one) && !self.is_pointless(one, fastest))
            .filter_map(|one| Some((one, one.to_plan(self.constraints, self.space).ok()?)))
            .filter(|(_, plan)| evaluator.is_expressible(plan))
            .collect();
        if new.is_empty() {
            return true;
        }
        for batch in new.chunks(ExploreLimits::TUNED.batch) {
            let ahead =
                batch.iter().map(|(one, plan)| (with_recompute(plan.clone(), one.recompute()), one.recompute()));
            evaluator.simulate_ahead(ahead.collect());
            for (one, plan) in batch {
                let found = evaluator.evaluate(with_recompute(plan.clone(), one.recompute()), one.recompute());
                let (seconds, peak) = found.unwrap_or((f64::INFINITY, u64::MAX));
                let rank = match found {
                    Some(_) if peak <= self.memory => (false, seconds.to_bits()),
                    Some(_) => (true, peak),
                    None => UNKNOWN,
                };
                // A composition that cannot be lowered has no useful neighbours.
                self.explored.insert((*one).clone(), Explored { rank, seconds, peak, is_expanded: found.is_none() });
            }
            if !monitor.should_continue(&evaluator.progress()) {
                return false;
            }
        }
        if !evaluator.fastest().is_finite() {
            return true;
        }
        // A composition that is too large can be the fastest with more recomputation or shards.
        let fastest = evaluator.fastest();
        let too_large = self.explored.iter().filter(|(_, one)| one.rank.0 && one.seconds < fastest);
        let smaller: Vec<Composition> = too_large.flat_map(|(one, _)| self.space.smaller(one)).collect();
        self.evaluate(&smaller, evaluator, monitor)
    }

    /// Returns true if a composition is unlikely to become the fastest plan that fits, given the results of those that
    /// need no more memory, or take no more time.
    fn is_pointless(&self, composition: &Composition, fastest: f64) -> bool {
        let has_any = fastest.is_finite();
        if has_any && self.space.least_bytes(composition) > self.memory {
            return true;
        }
        let hopeless = ExploreLimits::TUNED.recompute_slack * self.memory as f64;
        self.explored.iter().any(|(other, &Explored { rank: (exceeds, value), seconds, .. })| {
            // Recomputation with temporary values of its own can need a little more memory than none.
            let least = if other.recompute == composition.recompute { self.memory as f64 } else { hopeless };
            let is_too_large = has_any && exceeds && value as f64 > least && composition.needs_memory_of(other);
            let is_too_slow = || (!exceeds || (has_any && seconds >= fastest)) && composition.takes_time_of(other);
            is_too_large || is_too_slow()
        })
    }

    /// Returns the best compositions with different stages, axes and micro-batches, at most `count`: those that fit and
    /// are near the best one, then those that would be faster and may fit with other layouts.
    pub(crate) fn promising(&self, count: usize) -> Vec<Composition> {
        let ranked = |exceeds: bool| {
            let of_kind = self.explored.iter().filter(|(_, one)| one.rank.0 == exceeds && one.seconds.is_finite());
            let mut ranked: Vec<(&Composition, &Explored)> = of_kind.collect();
            ranked.sort_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds).then_with(|| a.0.cmp(b.0)));
            ranked
        };
        let fitting = ranked(false);
        let Some(&(_, &Explored { seconds: best, .. })) = fitting.first() else { return Vec::new() };
        let mut known: BTreeSet<(usize, AxisSizes, u64)> = BTreeSet::new();
        let mut is_new = |one: &Composition| {
            let mut sizes = one.sizes;
            sizes.sort_unstable();
            known.insert((one.stages, sizes, one.micro_batches))
        };
        let near = fitting.into_iter().take_while(|(_, one)| one.seconds <= ExploreLimits::TUNED.solve_slack * best);
        let largest = RefinementLimits::TUNED.memory_slack * self.memory as f64;
        let faster = ranked(true).into_iter().take_while(|(_, one)| one.seconds < best);
        let hopeful = faster.filter(|(_, one)| one.rank.1 as f64 <= largest);
        near.chain(hopeful).filter(|(one, _)| is_new(one)).take(count).map(|(one, _)| one.clone()).collect()
    }
}
