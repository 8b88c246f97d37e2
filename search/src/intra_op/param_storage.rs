//! Weights that may be kept otherwise than they are used: in pieces, which each part of the step that uses them brings
//! together for itself ([Rajbhandari et al. 2020](https://arxiv.org/abs/1910.02054), the third stage of ZeRO).
//!
//! How one of them is kept is a group of its own. From there it goes to those who use it, once for the forward and once
//! for the backward part, and again in each turn of a loop; the update reads it as it is kept. Of a parameter that is
//! used as a narrow copy alone it is that copy: where the parameter lies is decided with the op that narrows it.

use super::decision_groups::{DecisionGroup, DecisionGroups, Flow};
use super::layout_space::{LayoutSpace, Place};
use super::search_graph::SearchGraph;
use super::strategies::{Does, Strategy};
use crate::limits::SearchLimits;
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::op::OpKind;
use partita_ir::program::{Phase, Program};
use partita_passes::planning::presets::model::{Model, Stem};
use smallvec::SmallVec;

/// A weight that may be kept otherwise than it is used.
pub(crate) struct ParamStorage {
    pub(crate) value: ValueId,
    /// By dimension of the weight, what splits it; none of those of one element, and of those that another one goes
    /// along with.
    stems: SmallVec<[Option<Stem>; 4]>,
    /// The group of how it is kept.
    pub(crate) group: usize,
    /// In how many parts of the step it is used, forward and backward.
    pub(crate) parts: u32,
}

impl DecisionGroups {
    /// Adds a group for each weight that may be kept otherwise than it is used.
    pub(crate) fn add_param_storage(&mut self, model: &Model<'_>) {
        for (param, _) in &model.updates {
            for value in self.kept_of(model.program, *param) {
                let Some(flow) = self.flow(value) else { continue };
                let forward = |node: usize| self.nodes[node].phase == Phase::Forward;
                let (ahead, behind): (Vec<usize>, Vec<usize>) =
                    self.users(flow).map(|(node, _)| node).partition(|&node| forward(node));
                let parts = u32::from(!ahead.is_empty()) + u32::from(!behind.is_empty());
                if parts == 0 || flow.storage.is_some() || model.dims(value).count() < SearchLimits::TUNED.stored_dims {
                    continue;
                }
                let mut stems: SmallVec<[Option<Stem>; 4]> =
                    SmallVec::from_elem(None, model.program.ty(value).shape.rank());
                for (dim, stem) in model.dims(value) {
                    if !stems.contains(&Some(stem)) {
                        stems[dim] = Some(stem);
                    }
                }
                let storage = self.storages.len();
                let group = self.all.len();
                self.all.push(DecisionGroup {
                    stems: stems.iter().copied().flatten().collect(),
                    nodes: Vec::new(),
                    sums: false,
                });
                self.storages.push(ParamStorage { value, stems, group, parts });
                self.flow_mut(value).storage = Some(storage);
            }
        }
    }

    /// What is kept of a parameter: its narrow copies if nothing else is used of it, or else itself.
    ///
    /// Recogniser: a parameter whose narrow copies are made otherwise is kept itself, with all its bytes.
    fn kept_of(&self, program: &Program, param: ValueId) -> SmallVec<[ValueId; 1]> {
        let Some(flow) = self.flow(param) else { return SmallVec::new() };
        let narrows = |(node, _): (usize, usize)| {
            let op = &program.ops[self.nodes[node].op];
            let is_narrow = |out: &ValueId| program.ty(*out).bytes() < program.ty(param).bytes();
            op.outs.first().copied().filter(|out| matches!(op.kind, OpKind::Convert(_)) && is_narrow(out))
        };
        let copies: Option<SmallVec<[ValueId; 1]>> = self.users(flow).map(narrows).collect();
        copies.unwrap_or_else(|| SmallVec::from_elem(param, 1))
    }

    /// Who uses a value outside of the update: nodes and numbers of their operands.
    pub(crate) fn users<'s>(&'s self, flow: &'s Flow) -> impl Iterator<Item = (usize, usize)> + 's {
        flow.readers.iter().copied().filter(move |(node, _)| self.nodes[*node].phase != Phase::Update)
    }
}

impl ParamStorage {
    /// How it is kept under a strategy of its group.
    pub(crate) fn layout(&self, strategy: &Strategy, axes: &[AxisRef], mesh: MeshId) -> Layout {
        let split = |stem: &Option<Stem>| -> Axes {
            let does = stem.map(Does::Splits);
            axes.iter().zip(strategy).filter(|(_, what)| Some(**what) == does).map(|(axis, _)| *axis).collect()
        };
        let dims = self.stems.iter().map(|stem| DimLayout { axes: split(stem), ..DimLayout::default() }).collect();
        Layout { dims, ..Layout::replicated(mesh, 0) }
    }
}

/// A weight that is kept otherwise than it is used.
pub(crate) struct Stored {
    pub(crate) value: ValueId,
    pub(crate) kept: Layout,
    pub(crate) used: Layout,
}

impl LayoutSpace<'_> {
    /// Where a weight is kept that may be kept otherwise than it is used.
    pub(crate) fn kept(&self, flow: &Flow) -> Option<Place> {
        let storage = flow.storage?;
        Some((self.graph.groups.storages[storage].group, self.laid_out.kept[storage]))
    }

    /// Where it is used first.
    pub(crate) fn used(&self, flow: &Flow) -> Option<Place> {
        let SearchGraph { groups, .. } = self.graph;
        let first = flow.storage.and_then(|_| groups.users(flow).next());
        first.map(|reader| self.need(reader))
    }

    /// Weights that are kept otherwise than they are used.
    pub(crate) fn stored(&self, choice: &[usize]) -> Vec<Stored> {
        let stored = |storage: &ParamStorage| {
            let flow = self.graph.groups.flow(storage.value)?;
            let [kept, used] = [self.kept(flow)?, self.used(flow)?].map(|(group, at)| self.layout(at, choice[group]));
            (kept != used).then(|| Stored { value: storage.value, kept: kept.clone(), used: used.clone() })
        };
        self.graph.groups.storages.iter().filter_map(stored).collect()
    }

    /// Leaves those where a weight is kept in that layout, if it may be kept otherwise than it is used.
    pub(crate) fn restrict_storage(&mut self, value: ValueId, layout: &Layout) {
        if let Some(kept) = self.graph.groups.flow(value).and_then(|flow| self.kept(flow)) {
            self.restrict_at(kept, &|other| layout.same_place(other));
        }
    }
}
