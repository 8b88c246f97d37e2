//! What one op can do next: the factor whose axes can be spread from some of its places to others, and when that is
//! due.
//!
//! The basic strategy spreads the longest list that all places of a factor are compatible with, up to an axis that
//! another factor of the op uses. The aggressive one resolves such conflicts: in favour of the larger tensor, then the
//! earlier operand, then the earlier factor.

use super::graph::{Factor, Graph, Part, Tie, stage};
use super::lists::ListId;
use super::state::State;
use partita_ir::arena::Id;
use partita_ir::program::Program;
use smallvec::SmallVec;
use std::cmp::Reverse;

/// When something is due: two for each stage, basic and aggressive.
pub type Level = u8;

/// How many levels there are.
pub const LEVELS: usize = 2 * stage::COUNT as usize;

/// Something that an op can do.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// When it is due.
    pub level: Level,
    /// The factor, by position in [`Graph::factors`].
    pub factor: u32,
    /// The axes to spread.
    pub target: ListId,
    /// Where they come from, by position in [`Graph::parts`].
    pub source: u32,
    /// Whether results may not get them.
    pub backward: bool,
}

/// The axes that are to be spread along a factor.
#[derive(Clone, Copy)]
struct Target {
    list: ListId,
    source: u32,
    /// Somebody disagrees.
    conflict: bool,
}

/// Looks at ops, one at a time.
pub struct Look<'a> {
    /// The program as a graph.
    graph: &'a Graph,
    /// Bytes of each value.
    bytes: Vec<u64>,
    /// The axes of each part of the op that is looked at.
    have: Vec<ListId>,
    /// The first of these parts.
    base: u32,
}

impl<'a> Look<'a> {
    /// Nothing is looked at yet.
    pub fn new(program: &Program, graph: &'a Graph) -> Look<'a> {
        let bytes = program.values.values().map(|v| v.ty.bytes()).collect();
        Look { graph, bytes, have: Vec::new(), base: 0 }
    }

    /// The first thing that is due for an op; `None` when nothing ever is, as layouts are now.
    pub fn at(&mut self, tie: &Tie, state: &mut State) -> Option<Finding> {
        let graph = self.graph;
        let factors = &graph.factors[tie.factors.start as usize..tie.factors.end as usize];
        self.base = factors[0].parts.start;
        // The axes of each factor in all of its places, as a bit mask.
        let mut masks: SmallVec<[u32; 8]> = SmallVec::new();
        let mut unsettled: SmallVec<[u32; 8]> = SmallVec::new();
        self.have.clear();
        for (i, factor) in (tie.factors.start..).zip(factors) {
            let (mut mask, mut first, mut settled) = (0, None, true);
            for &part in &graph.parts[factor.parts.start as usize..factor.parts.end as usize] {
                let list = if state.is_visible(part.dim) { state.of_part(graph, part) } else { ListId::EMPTY };
                mask |= state.lists.mask(list);
                settled &= *first.get_or_insert(list) == list;
                self.have.push(list);
            }
            masks.push(mask);
            if !settled {
                unsettled.push(i);
            }
        }
        if unsettled.is_empty() {
            return None;
        }
        let mut found: Option<Finding> = None;
        let mut conflict = false;
        for &i in &unsettled {
            let factor = &graph.factors[i as usize];
            let others = masks.iter().enumerate().filter(|&(k, _)| tie.factors.start + k as u32 != i);
            let others = others.fold(0, |mask, (_, m)| mask | m);
            for (stage, backward) in directions(factor) {
                let Some(mut target) = self.agreed(factor, state, backward) else { continue };
                let free = self.without_conflicts(tie, i, target.list, others, state);
                target.conflict |= free != target.list;
                target.list = free;
                conflict |= target.conflict;
                self.consider(&mut found, 2 * stage, i, target, backward, state);
            }
        }
        if conflict {
            self.resolve(&unsettled, state, &mut found);
        }
        found
    }

    /// The aggressive strategy.
    fn resolve(&self, unsettled: &[u32], state: &mut State, found: &mut Option<Finding>) {
        let mut wishes: SmallVec<[_; 8]> = SmallVec::new();
        for &i in unsettled {
            let factor = &self.graph.factors[i as usize];
            for (stage, backward) in directions(factor) {
                if let Some((weight, target)) = self.heaviest(factor, state, backward) {
                    wishes.push((weight, i, stage, backward, target));
                }
            }
        }
        wishes.sort_by_key(|&(weight, i, stage, ..)| (weight, i, stage));
        for (_, i, stage, backward, target) in wishes {
            self.consider(found, 2 * stage + 1, i, target, backward, state);
        }
    }

    /// Takes note of a target if it is due earlier than what was found, and somebody can take axes of it.
    fn consider(
        &self,
        found: &mut Option<Finding>,
        level: Level,
        factor: u32,
        target: Target,
        backward: bool,
        state: &mut State,
    ) {
        if found.is_some_and(|f| f.level <= level) {
            return;
        }
        let parts = self.graph.factors[factor as usize].parts.clone();
        let takes = |i: u32, state: &mut State| {
            let part = self.graph.parts[i as usize];
            let have = self.have[(i - self.base) as usize];
            !(backward && part.result) && state.grown(self.graph, part, have, target.list).is_some()
        };
        if parts.into_iter().any(|i| takes(i, state)) {
            *found = Some(Finding { level, factor, target: target.list, source: target.source, backward });
        }
    }

    /// The parts of a factor that axes may come from, each with its axes.
    fn sources<'s>(&'s self, factor: &Factor, backward: bool) -> impl Iterator<Item = (u32, Part, ListId)> + 's {
        let have = move |i: u32| (i, self.graph.parts[i as usize], self.have[(i - self.base) as usize]);
        factor
            .parts
            .clone()
            .map(have)
            .filter(move |(_, part, list)| *list != ListId::EMPTY && (part.result || !backward))
    }

    /// The longest list that all sources of a factor agree on.
    fn agreed(&self, factor: &Factor, state: &mut State, backward: bool) -> Option<Target> {
        let mut target: Option<Target> = None;
        for (i, _, list) in self.sources(factor, backward) {
            let Some(t) = &mut target else {
                target = Some(Target { list, source: i, conflict: false });
                continue;
            };
            if list == t.list || state.lists.behind(t.list, list).is_some() {
                continue;
            }
            if state.lists.behind(list, t.list).is_some() {
                // What was cut short by a disagreement does not grow again.
                if !t.conflict {
                    *t = Target { list, source: i, conflict: false };
                }
            } else {
                t.list = state.lists.common(t.list, list);
                t.conflict = true;
            }
        }
        target
    }

    /// The list up to an axis that another factor of the op uses.
    fn without_conflicts(&self, tie: &Tie, factor: u32, list: ListId, others: u32, state: &mut State) -> ListId {
        if state.lists.mask(list) & others == 0 {
            return list;
        }
        let used = |axis| {
            tie.factors.clone().filter(|&f| f != factor).any(|f| {
                let parts = self.graph.factors[f as usize].parts.clone();
                let lists = &self.have[(parts.start - self.base) as usize..(parts.end - self.base) as usize];
                lists.iter().any(|&l| state.lists.axes(l).iter().any(|a| a.overlaps(axis)))
            })
        };
        let axes = state.lists.axes(list);
        let kept: SmallVec<[_; 4]> = axes.iter().copied().take_while(|&a| !used(a)).collect();
        state.lists.id(&kept)
    }

    /// The list of the largest source, and what smaller ones have behind it. The weight sorts larger tensors first.
    fn heaviest(&self, factor: &Factor, state: &mut State, backward: bool) -> Option<((Reverse<u64>, u16), Target)> {
        let weight = |part: Part| {
            let value = self.graph.dims[part.dim as usize].value;
            (Reverse(self.bytes[value.index()]), part.tensor)
        };
        let mut sources: SmallVec<[_; 8]> =
            self.sources(factor, backward).map(|(i, part, list)| (weight(part), i, list)).collect();
        sources.sort_by_key(|&(weight, i, _)| (weight, i));
        let &(weight, source, list) = sources.first()?;
        let mut target = Target { list, source, conflict: false };
        for &(_, source, list) in &sources {
            if list != target.list && state.lists.behind(list, target.list).is_some() {
                target = Target { list, source, conflict: false };
            }
        }
        Some((weight, target))
    }
}

/// In which stage a factor may be spread, and whether to operands only.
fn directions(factor: &Factor) -> impl Iterator<Item = (u8, bool)> {
    let early = (factor.forward > factor.stage).then_some((factor.stage, true));
    early.into_iter().chain([(factor.forward, false)])
}
