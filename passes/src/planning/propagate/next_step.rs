//! Search for the next propagation step of one op: the factor whose axes can be propagated from some of its occurrences
//! to others, and the level of the step.
//!
//! The basic strategy propagates the longest list of axes that is compatible with all occurrences of a factor, up to an
//! axis that another factor of the op uses. The aggressive strategy resolves such conflicts in favour of the larger
//! tensor, in ops that only pass dimensions through then of the larger number of shards, then of the earlier operand,
//! then of the earlier factor.

use super::axis_lists::{ListId, free_part};
use super::graph::{Dim, Factor, FactorOccurrence, PropagationGraph, Tie, stage};
use super::state::PropagationState;
use partita_ir::arena::Id;
use partita_ir::mesh::{Axes, AxisRef, shard_count};
use partita_ir::program::Program;
use partita_ir::rule::Flow;
use smallvec::{SmallVec, smallvec};
use std::cmp::Reverse;

/// Priority of a step, lower levels first: `2 * stage` for a step of the basic strategy, `2 * stage + 1` for one of the
/// aggressive strategy.
pub type Level = u8;

/// Number of levels.
pub const LEVELS: usize = 2 * stage::COUNT as usize;

/// A propagation step of an op.
#[derive(Clone, Copy, Debug)]
pub struct NextStep {
    /// Level of the step.
    pub level: Level,
    /// Factor, as an index in [`PropagationGraph::factors`].
    pub factor: u32,
    /// Axes to propagate.
    pub target: ListId,
    /// Occurrence from which the axes propagate, as an index in [`PropagationGraph::occurrences`].
    pub source: u32,
    /// Direction in which the axes propagate.
    pub flow: Flow,
}

/// Order of sources of axes: larger tensors first, then more shards if the op only passes dimensions through, then
/// earlier operands.
type Weight = (Reverse<u64>, Reverse<usize>, u16);

/// Axes to propagate along a factor, and the occurrence from which they propagate.
#[derive(Clone, Copy)]
struct FactorTarget {
    list: ListId,
    source: u32,
    /// True if some occurrence has axes that are incompatible with the list.
    conflict: bool,
}

/// Searches the next step of one op at a time.
pub struct StepSearch<'a> {
    /// Propagation graph.
    graph: &'a PropagationGraph,
    /// Size of each value in bytes.
    bytes: Vec<u64>,
    /// Axes of each factor occurrence of the current op; empty for dimensions that are not active in the current round.
    occurrence_axes: Vec<ListId>,
    /// Index in [`PropagationGraph::occurrences`] of the first entry of `occurrence_axes`.
    first_occurrence: u32,
}

impl<'a> StepSearch<'a> {
    /// Returns a search over the ops of the graph.
    pub fn new(program: &Program, graph: &'a PropagationGraph) -> StepSearch<'a> {
        let bytes = program.values.values().map(|v| v.ty.bytes()).collect();
        StepSearch { graph, bytes, occurrence_axes: Vec::new(), first_occurrence: 0 }
    }

    /// Returns the applicable step of an op with the lowest level; `None` if no step changes the current layouts.
    pub fn find(&mut self, tie: &Tie, state: &mut PropagationState) -> Option<NextStep> {
        let graph = self.graph;
        let factors = &graph.factors[tie.factors.start as usize..tie.factors.end as usize];
        self.first_occurrence = factors[0].occurrences.start;
        // For each factor, the mesh axes of all its occurrences as a bit mask.
        let mut masks: SmallVec<[u32; 8]> = SmallVec::new();
        let mut unsettled: SmallVec<[u32; 8]> = SmallVec::new();
        self.occurrence_axes.clear();
        for (i, factor) in (tie.factors.start..).zip(factors) {
            let (mut mask, mut first, mut settled) = (0, None, true);
            for &occurrence in &graph.occurrences[factor.occurrences.start as usize..factor.occurrences.end as usize] {
                let list = if state.is_visible(occurrence.dim) {
                    state.occurrence_axes(graph, occurrence)
                } else {
                    ListId::EMPTY
                };
                mask |= state.lists.mask(list);
                settled &= *first.get_or_insert(list) == list;
                self.occurrence_axes.push(list);
            }
            masks.push(mask);
            if !settled {
                unsettled.push(i);
            }
        }
        if unsettled.is_empty() {
            return None;
        }
        let mut found: Option<NextStep> = None;
        let mut conflict = false;
        for &i in &unsettled {
            let factor = &graph.factors[i as usize];
            let others = masks.iter().enumerate().filter(|&(k, _)| tie.factors.start + k as u32 != i);
            let other_axes = others.fold(0, |mask, (_, m)| mask | m);
            for (stage, flow) in directions(factor) {
                let Some(mut target) = self.agreed(factor, state, flow) else { continue };
                let free = self.without_conflicts(tie, i, target.list, other_axes, state);
                target.conflict |= free != target.list;
                target.list = free;
                conflict |= target.conflict;
                self.consider(&mut found, 2 * stage, i, target, flow, state);
            }
        }
        if conflict {
            self.resolve(&unsettled, state, &mut found);
        }
        found
    }

    /// Considers the steps of the aggressive strategy, those of larger tensors first.
    fn resolve(&self, unsettled: &[u32], state: &mut PropagationState, found: &mut Option<NextStep>) {
        let mut targets: SmallVec<[_; 8]> = SmallVec::new();
        for &i in unsettled {
            let factor = &self.graph.factors[i as usize];
            for (stage, flow) in directions(factor) {
                if let Some((weight, target)) = self.heaviest(factor, state, flow) {
                    targets.push((weight, i, stage, flow, target));
                }
            }
        }
        targets.sort_by_key(|&(weight, i, stage, ..)| (weight, i, stage));
        for (_, i, stage, flow, target) in targets {
            self.consider(found, 2 * stage + 1, i, target, flow, state);
        }
    }

    /// Records a step if its level is lower than that of the step found so far, and at least one occurrence can accept
    /// more axes.
    fn consider(
        &self,
        found: &mut Option<NextStep>,
        level: Level,
        factor: u32,
        target: FactorTarget,
        flow: Flow,
        state: &mut PropagationState,
    ) {
        if found.is_some_and(|f| f.level <= level) {
            return;
        }
        let occurrences = self.graph.factors[factor as usize].occurrences.clone();
        let accepts = |i: u32, state: &mut PropagationState| {
            let occurrence = self.graph.occurrences[i as usize];
            let have = self.occurrence_axes[(i - self.first_occurrence) as usize];
            flow.enters(occurrence.result) && state.extended(self.graph, occurrence, have, target.list).is_some()
        };
        if occurrences.into_iter().any(|i| accepts(i, state)) {
            *found = Some(NextStep { level, factor, target: target.list, source: target.source, flow });
        }
    }

    /// Returns the occurrences of a factor from which axes may propagate in the direction `flow`, with their index and
    /// their axes.
    fn sources<'s>(
        &'s self,
        factor: &Factor,
        flow: Flow,
    ) -> impl Iterator<Item = (u32, FactorOccurrence, ListId)> + 's {
        let with_axes = move |i: u32| {
            (i, self.graph.occurrences[i as usize], self.occurrence_axes[(i - self.first_occurrence) as usize])
        };
        factor
            .occurrences
            .clone()
            .map(with_axes)
            .filter(move |(_, occurrence, list)| *list != ListId::EMPTY && flow.leaves(occurrence.result))
    }

    /// Returns the longest list of axes among the sources of a factor. If two lists conflict (neither is a prefix of
    /// the other), returns their common prefix.
    fn agreed(&self, factor: &Factor, state: &mut PropagationState, flow: Flow) -> Option<FactorTarget> {
        let mut target: Option<FactorTarget> = None;
        for (i, _, list) in self.sources(factor, flow) {
            let Some(t) = &mut target else {
                target = Some(FactorTarget { list, source: i, conflict: false });
                continue;
            };
            if list == t.list || state.lists.remainder_after(t.list, list).is_some() {
                continue;
            }
            if state.lists.remainder_after(list, t.list).is_some() {
                // A list that was shortened by a conflict is not extended again.
                if !t.conflict {
                    *t = FactorTarget { list, source: i, conflict: false };
                }
            } else {
                t.list = state.lists.common_prefix(t.list, list);
                t.conflict = true;
            }
        }
        target
    }

    /// Returns the list up to the first axis that another factor of the op uses. `other_axes` is the bit mask of the
    /// mesh axes of these factors.
    fn without_conflicts(
        &self,
        tie: &Tie,
        factor: u32,
        list: ListId,
        other_axes: u32,
        state: &mut PropagationState,
    ) -> ListId {
        if state.lists.mask(list) & other_axes == 0 {
            return list;
        }
        let used = |axis: AxisRef| -> Axes {
            let others = tie.factors.clone().filter(|&f| f != factor);
            let lists = others.flat_map(|f| {
                let occurrences = self.graph.factors[f as usize].occurrences.clone();
                &self.occurrence_axes[(occurrences.start - self.first_occurrence) as usize
                    ..(occurrences.end - self.first_occurrence) as usize]
            });
            lists.flat_map(|&list| state.lists.axes(list)).copied().filter(|a| a.overlaps(axis)).collect()
        };
        let mut unused = Axes::new();
        for &axis in state.lists.axes(list) {
            let free = free_part(axis, used(axis));
            unused.extend(free);
            if free != Some(axis) {
                break;
            }
        }
        state.lists.id(&unused)
    }

    /// Returns the list of the largest source, or a longer list of a smaller source that extends it. The first result
    /// orders factors: larger tensors first, then more shards, then earlier operands.
    fn heaviest(&self, factor: &Factor, state: &mut PropagationState, flow: Flow) -> Option<(Weight, FactorTarget)> {
        let passes = factor.stage <= stage::PASS_OPS;
        let weight = |occurrence: FactorOccurrence, list| {
            let Dim { value, size } = self.graph.dims[occurrence.dim as usize];
            let shards = if passes { shard_count(state.lists.axes(list)) } else { 0 };
            // More shards than elements are not propagated.
            let shards = if shards <= size { shards } else { 0 };
            (Reverse(self.bytes[value.index()]), Reverse(shards), occurrence.tensor)
        };
        let mut sources: SmallVec<[_; 8]> =
            self.sources(factor, flow).map(|(i, occurrence, list)| (weight(occurrence, list), i, list)).collect();
        sources.sort_by_key(|&(weight, i, _)| (weight, i));
        let &(weight, source, list) = sources.first()?;
        let mut target = FactorTarget { list, source, conflict: false };
        for &(_, source, list) in &sources {
            if list != target.list && state.lists.remainder_after(list, target.list).is_some() {
                target = FactorTarget { list, source, conflict: false };
            }
        }
        Some((weight, target))
    }
}

/// Returns the stages in which a factor propagates, each with the direction.
fn directions(factor: &Factor) -> SmallVec<[(u8, Flow); 2]> {
    match factor.flow {
        Flow::Both if factor.forward > factor.stage => {
            smallvec![(factor.stage, Flow::Backward), (factor.forward, Flow::Both)]
        }
        Flow::Both | Flow::Forward => smallvec![(factor.forward, factor.flow)],
        Flow::Backward => smallvec![(factor.stage, Flow::Backward)],
        Flow::Blocked => SmallVec::new(),
    }
}
