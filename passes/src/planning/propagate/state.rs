//! What is known so far: the axes on every dimension, and whether it may get more.

use super::graph::{Dim, DimIndex, Graph, Part};
use super::lists::{ListId, Lists};
use partita_ir::arena::{Id, ValueId};
use partita_ir::mesh::{Axes, AxisRef, ways};
use partita_ir::program::Program;
use partita_ir::rule::{Dealt, deal};
use rustc_hash::FxHashMap;

/// The axes on every dimension.
pub struct State {
    /// The lists that `axes` refers to.
    pub lists: Lists,
    /// What splits each dimension.
    pub axes: Vec<ListId>,
    /// Whether it may get more.
    pub open: Vec<bool>,
    /// The round in which it begins to take part; 0 for most.
    pub round: Vec<u8>,
    /// The round that we are in.
    pub now: u8,
    /// The axes of the mesh that each value uses, as a bit mask.
    masks: Vec<u32>,
    /// Axes that a value uses without splitting a dimension: replicated on purpose, or pending.
    kept: FxHashMap<ValueId, Axes>,
}

impl State {
    /// What the layouts of a program say.
    pub fn new(program: &Program, graph: &Graph) -> State {
        let n = graph.dims.len();
        let mut state = State {
            lists: Lists::default(),
            axes: vec![ListId::EMPTY; n],
            open: vec![true; n],
            round: vec![0; n],
            now: 0,
            masks: vec![0; program.values.len()],
            kept: FxHashMap::default(),
        };
        for (value, v) in program.values.iter() {
            let Some(layout) = &v.layout else { continue };
            for (i, dim) in graph.dims_of(value).zip(&layout.dims) {
                state.axes[i] = state.lists.id(&dim.axes);
                state.open[i] = dim.open;
                state.round[i] = dim.priority;
            }
            let split = layout.split_axes().count();
            let kept: Axes = layout.used_axes().skip(split).collect();
            let used = layout.used_axes().fold(0, |mask, a| mask | bit(a));
            state.masks[value.index()] = used;
            if !kept.is_empty() {
                state.kept.insert(value, kept);
            }
        }
        state
    }

    /// Whether the dimension takes part yet.
    pub fn is_visible(&self, dim: DimIndex) -> bool {
        self.round[dim as usize] <= self.now
    }

    /// The axes of one part.
    pub fn of_part(&mut self, graph: &Graph, part: Part) -> ListId {
        let list = self.axes[part.dim as usize];
        if part.sizes.1 == 1 || list == ListId::EMPTY {
            return list;
        }
        let dealt = self.deal(graph, part);
        dealt.parts.get(part.at as usize).map_or(ListId::EMPTY, |axes| self.lists.id(axes))
    }

    /// The axes of all factors of the part's dimension.
    fn deal(&self, graph: &Graph, part: Part) -> Dealt {
        let axes = self.lists.axes(self.axes[part.dim as usize]);
        let mut dealt = deal(sizes(graph, part), axes);
        if part.paddable && part.at == 0 && dealt.rest.len() == 1 && axes.len() == 1 {
            dealt.parts[0] = std::mem::take(&mut dealt.rest);
        }
        dealt
    }

    /// The list that the part's dimension would have if the part, which has the axes `have`, got as much more of
    /// `target` as it can take; `None` when it cannot take any.
    pub fn grown(&mut self, graph: &Graph, part: Part, have: ListId, target: ListId) -> Option<ListId> {
        let dim = part.dim as usize;
        if have == target || !self.open[dim] || !self.is_visible(part.dim) {
            return None;
        }
        let behind = self.lists.behind(target, have)?;
        let Dim { value, size } = graph.dims[dim];
        let mut axes: Axes = self.lists.axes(self.axes[dim]).into();
        let before = axes.len();
        if part.sizes.1 == 1 {
            // Uneven pieces are padded, but nobody wants empty ones that were not asked for.
            let mut parts = ways(&axes);
            for &axis in &behind {
                parts = parts.saturating_mul(axis.size as usize);
                if parts > size || self.is_used(graph, value, axis) {
                    break;
                }
                axes.push(axis);
            }
            if axes.len() == before + behind.len() {
                return (!behind.is_empty()).then_some(target);
            }
        } else {
            // Axes are major to minor: a factor gets some when those before it are used up and those behind it have
            // none.
            let sizes = sizes(graph, part);
            let (dealt, at) = (self.deal(graph, part), part.at as usize);
            let full = dealt.parts.iter().zip(sizes).take(at).all(|(axes, &size)| ways(axes) == size);
            let last = dealt.parts[at + 1..].iter().all(|axes| axes.is_empty()) && dealt.rest.is_empty();
            let mut left = sizes[at] / ways(&dealt.parts[at]).max(1);
            for axis in behind.into_iter().take_while(|_| full && last) {
                let fits = gcd(left, axis.size as usize);
                let exhausts = fits == left || fits == axis.size as usize;
                if part.paddable && at == 0 && before == 0 && !exhausts && axis.size as usize <= left {
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

    /// Gives a dimension another list.
    pub fn set(&mut self, graph: &Graph, dim: DimIndex, list: ListId) {
        self.axes[dim as usize] = list;
        self.masks[graph.dims[dim as usize].value.index()] |= self.lists.mask(list);
    }

    /// Whether the value uses (a part of) the axis already.
    fn is_used(&self, graph: &Graph, value: ValueId, axis: AxisRef) -> bool {
        let overlaps = |axes: &[AxisRef]| axes.iter().any(|a| a.overlaps(axis));
        self.masks[value.index()] & bit(axis) != 0
            && (self.axes[graph.dims_of(value)].iter().any(|&list| overlaps(self.lists.axes(list)))
                || self.kept.get(&value).is_some_and(|kept| overlaps(kept)))
    }
}

fn bit(axis: AxisRef) -> u32 {
    1 << (axis.axis.index() & 31)
}

fn sizes(graph: &Graph, part: Part) -> &[usize] {
    &graph.sizes[part.sizes.0 as usize..][..part.sizes.1 as usize]
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
