//! State of propagation: the axes of each dimension, and whether more may be added.

use super::axis_lists::{AxisLists, ListId, free_part};
use super::graph::{Dim, DimIndex, FactorOccurrence, PropagationGraph};
use partita_ir::arena::{AxisId, Id, ValueId};
use partita_ir::mesh::{Axes, AxisRef, shard_count};
use partita_ir::program::Program;
use partita_ir::rule::{AxisAssignment, assign_axes};
use rustc_hash::FxHashMap;

/// Axes of all dimensions.
pub struct PropagationState {
    /// Interner of `axes`.
    pub lists: AxisLists,
    /// For each dimension, the axes that shard it.
    pub axes: Vec<ListId>,
    /// For each dimension, true if axes may be added.
    pub open: Vec<bool>,
    /// For each dimension, the round in which it becomes active; 0 for most.
    pub round: Vec<u8>,
    /// Current round.
    pub now: u8,
    /// For each value, its mesh axes as a bit mask.
    masks: Vec<u32>,
    /// Axes that a value uses without sharding a dimension: explicitly replicated, or partial.
    unsharded_axes: FxHashMap<ValueId, Axes>,
}

impl PropagationState {
    /// Returns the state given by the layouts of a program.
    pub fn new(program: &Program, graph: &PropagationGraph) -> PropagationState {
        let n = graph.dims.len();
        let mut state = PropagationState {
            lists: AxisLists::default(),
            axes: vec![ListId::EMPTY; n],
            open: vec![true; n],
            round: vec![0; n],
            now: 0,
            masks: vec![0; program.values.len()],
            unsharded_axes: FxHashMap::default(),
        };
        for (value, v) in program.values.iter() {
            let Some(layout) = &v.layout else { continue };
            for (i, dim) in graph.dims_of(value).zip(&layout.dims) {
                state.axes[i] = state.lists.id(&dim.axes);
                state.open[i] = dim.open;
                state.round[i] = dim.priority;
            }
            let split = layout.split_axes().count();
            let unsharded_axes: Axes = layout.used_axes().skip(split).collect();
            let used = layout.used_axes().fold(0, |mask, a| mask | bit(a));
            state.masks[value.index()] = used;
            if !unsharded_axes.is_empty() {
                state.unsharded_axes.insert(value, unsharded_axes);
            }
        }
        state
    }

    /// Returns true if the dimension is active in the current round.
    pub fn is_visible(&self, dim: DimIndex) -> bool {
        self.round[dim as usize] <= self.now
    }

    /// Returns the axes of one occurrence of a factor.
    pub fn occurrence_axes(&mut self, graph: &PropagationGraph, occurrence: FactorOccurrence) -> ListId {
        let list = self.axes[occurrence.dim as usize];
        if occurrence.sizes.1 == 1 || list == ListId::EMPTY {
            return list;
        }
        let factors = self.factor_axes(graph, occurrence);
        factors.parts.get(occurrence.at as usize).map_or(ListId::EMPTY, |axes| self.lists.id(axes))
    }

    /// Returns the axes of all factors of the occurrence's dimension.
    fn factor_axes(&self, graph: &PropagationGraph, occurrence: FactorOccurrence) -> AxisAssignment {
        let axes = self.lists.axes(self.axes[occurrence.dim as usize]);
        let mut factors = assign_axes(sizes(graph, occurrence), axes);
        if occurrence.paddable && occurrence.at == 0 && factors.rest.len() == 1 && axes.len() == 1 {
            factors.parts[0] = std::mem::take(&mut factors.rest);
        }
        factors
    }

    /// Returns the axes of the full dimension after an occurrence, which has the axes `have`, is extended by as many
    /// further axes of `target` as possible; `None` if no axis can be added.
    pub fn extended(
        &mut self,
        graph: &PropagationGraph,
        occurrence: FactorOccurrence,
        have: ListId,
        target: ListId,
    ) -> Option<ListId> {
        let dim = occurrence.dim as usize;
        if have == target || !self.open[dim] || !self.is_visible(occurrence.dim) {
            return None;
        }
        let remaining = self.lists.remainder_after(target, have)?;
        let Dim { value, size } = graph.dims[dim];
        let mut axes: Axes = self.lists.axes(self.axes[dim]).into();
        let before = axes.len();
        if occurrence.sizes.1 == 1 {
            // Uneven shards are padded, but empty shards are created only by explicit annotation.
            let mut shards = shard_count(&axes);
            for &axis in &remaining {
                let Some(free) = self.free_part(graph, value, axis) else { break };
                shards = shards.saturating_mul(free.size as usize);
                if shards > size {
                    break;
                }
                axes.push(free);
                if free != axis {
                    break;
                }
            }
            if axes.len() == before + remaining.len() && axes.last() == remaining.last() {
                return (!remaining.is_empty()).then_some(target);
            }
        } else {
            // Axes are major to minor: a factor accepts axes if the factors before it are fully sharded and those after
            // it are unsharded.
            let sizes = sizes(graph, occurrence);
            let (factors, at) = (self.factor_axes(graph, occurrence), occurrence.at as usize);
            let full = factors.parts.iter().zip(sizes).take(at).all(|(axes, &size)| shard_count(axes) == size);
            let last = factors.parts[at + 1..].iter().all(|axes| axes.is_empty()) && factors.rest.is_empty();
            let mut left = sizes[at] / shard_count(&factors.parts[at]).max(1);
            for axis in remaining.into_iter().take_while(|_| full && last) {
                let fits = gcd(left, axis.size as usize);
                let exhausts = fits == left || fits == axis.size as usize;
                if occurrence.paddable && at == 0 && before == 0 && !exhausts && axis.size as usize <= left {
                    if !self.is_used(graph, value, axis) {
                        axes.push(axis);
                    }
                    break;
                }
                if fits == 1 || !exhausts || self.is_used(graph, value, axis) {
                    break;
                }
                axes.extend(axis.split(fits as u32).map(|(major, _)| major));
                left /= fits;
                if fits < axis.size as usize {
                    break;
                }
            }
        }
        (axes.len() > before).then(|| self.lists.id(&axes))
    }

    /// Sets the axes of a dimension.
    pub fn set(&mut self, graph: &PropagationGraph, dim: DimIndex, list: ListId) {
        self.axes[dim as usize] = list;
        self.masks[graph.dims[dim as usize].value.index()] |= self.lists.mask(list);
    }

    /// Returns true if an axis or a part of it shards any dimension.
    pub fn shards_by(&self, axis: AxisId) -> bool {
        self.axes.iter().any(|&list| self.lists.axes(list).iter().any(|a| a.axis == axis))
    }

    /// Returns the major part of an axis that the value does not use.
    fn free_part(&self, graph: &PropagationGraph, value: ValueId, axis: AxisRef) -> Option<AxisRef> {
        if self.masks[value.index()] & bit(axis) == 0 {
            return Some(axis);
        }
        let split = self.axes[graph.dims_of(value)].iter().flat_map(|&list| self.lists.axes(list));
        free_part(axis, split.chain(self.unsharded_axes.get(&value).into_iter().flatten()).copied())
    }

    /// Returns true if the value already uses the axis or a part of it.
    fn is_used(&self, graph: &PropagationGraph, value: ValueId, axis: AxisRef) -> bool {
        let overlaps = |axes: &[AxisRef]| axes.iter().any(|a| a.overlaps(axis));
        self.masks[value.index()] & bit(axis) != 0
            && (self.axes[graph.dims_of(value)].iter().any(|&list| overlaps(self.lists.axes(list)))
                || self.unsharded_axes.get(&value).is_some_and(|unsharded_axes| overlaps(unsharded_axes)))
    }
}

fn bit(axis: AxisRef) -> u32 {
    1 << (axis.axis.index() & 31)
}

fn sizes(graph: &PropagationGraph, occurrence: FactorOccurrence) -> &[usize] {
    &graph.sizes[occurrence.sizes.0 as usize..][..occurrence.sizes.1 as usize]
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
