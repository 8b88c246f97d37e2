//! Storage layouts of weights that differ from the layout in use: a weight is stored sharded, and all-gathered in each
//! phase that uses it (ZeRO stage 3, [Rajbhandari et al. 2020](https://arxiv.org/abs/1910.02054)).
//!
//! The storage layout of a weight is a separate decision group. The weight is resharded from storage once for the
//! forward pass and once for the backward pass, and in each iteration of a loop. The update uses the storage layout. If
//! a parameter is used only as a low-precision copy, the decision applies to the copy; the layout of the parameter
//! itself is decided with the op that converts it.

use super::decision_groups::{DecisionGroup, DecisionGroups, DefUse};
use super::layout_space::{LayoutSite, LayoutSpace};
use super::search_graph::SearchGraph;
use super::strategies::{AxisUse, Strategy};
use crate::limits::SearchLimits;
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::op::OpKind;
use partita_ir::program::{Phase, Program};
use partita_passes::planning::presets::model::{ModelStructure, Stem};
use smallvec::SmallVec;

/// A weight whose storage layout can differ from the layout in use.
pub(crate) struct ParamStorage {
    pub(crate) value: ValueId,
    /// Stem that shards each dimension of the weight. `None` for dimensions of size 1 and for those that share the stem
    /// of an earlier dimension.
    stems: SmallVec<[Option<Stem>; 4]>,
    /// Index of the decision group of the storage layout.
    pub(crate) group: usize,
    /// Number of passes that use the weight: forward, backward, or both.
    pub(crate) pass_count: u32,
}

impl DecisionGroups {
    /// Adds a group for each weight whose storage layout can differ from the layout in use.
    pub(crate) fn add_param_storage(&mut self, model: &ModelStructure<'_>) {
        for (param, _) in &model.updates {
            for value in self.stored_values(model.program, *param) {
                let Some(def_use) = self.def_use(value) else { continue };
                let forward = |node: usize| self.nodes[node].phase == Phase::Forward;
                let (forward_uses, backward_uses): (Vec<usize>, Vec<usize>) =
                    self.users(def_use).map(|(node, _)| node).partition(|&node| forward(node));
                let pass_count = u32::from(!forward_uses.is_empty()) + u32::from(!backward_uses.is_empty());
                if pass_count == 0
                    || def_use.storage.is_some()
                    || model.dims(value).count() < SearchLimits::TUNED.min_stored_dims
                {
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
                    accumulates: false,
                });
                self.storages.push(ParamStorage { value, stems, group, pass_count });
                self.def_use_mut(value).storage = Some(storage);
            }
        }
    }

    /// Returns the stored values of a parameter: its low-precision copies if no other op uses it, else the parameter
    /// itself.
    ///
    /// Recogniser: a parameter whose low-precision copies are not recognised is stored itself, with all its bytes.
    fn stored_values(&self, program: &Program, param: ValueId) -> SmallVec<[ValueId; 1]> {
        let Some(def_use) = self.def_use(param) else { return SmallVec::new() };
        let low_precision_copy = |(node, _): (usize, usize)| {
            let op = &program.ops[self.nodes[node].op];
            let is_smaller = |out: &ValueId| program.ty(*out).bytes() < program.ty(param).bytes();
            op.outs.first().copied().filter(|out| matches!(op.kind, OpKind::Convert(_)) && is_smaller(out))
        };
        let copies: Option<SmallVec<[ValueId; 1]>> = self.users(def_use).map(low_precision_copy).collect();
        copies.unwrap_or_else(|| SmallVec::from_elem(param, 1))
    }

    /// Returns the uses of a value outside of the update: nodes and operand numbers.
    pub(crate) fn users<'s>(&'s self, def_use: &'s DefUse) -> impl Iterator<Item = (usize, usize)> + 's {
        def_use.uses.iter().copied().filter(move |(node, _)| self.nodes[*node].phase != Phase::Update)
    }
}

impl ParamStorage {
    /// Returns the storage layout under a strategy of the group.
    pub(crate) fn layout(&self, strategy: &Strategy, axes: &[AxisRef], mesh: MeshId) -> Layout {
        let split = |stem: &Option<Stem>| -> Axes {
            let does = stem.map(AxisUse::Shard);
            axes.iter().zip(strategy).filter(|(_, what)| Some(**what) == does).map(|(axis, _)| *axis).collect()
        };
        let dims = self.stems.iter().map(|stem| DimLayout { axes: split(stem), ..DimLayout::default() }).collect();
        Layout { dims, ..Layout::replicated(mesh, 0) }
    }
}

/// A weight whose storage layout differs from the layout in use.
pub(crate) struct StoredParam {
    pub(crate) value: ValueId,
    pub(crate) storage: Layout,
    pub(crate) used: Layout,
}

impl LayoutSpace<'_> {
    /// Returns the site of the storage layout of a weight, if it can differ from the layout in use.
    pub(crate) fn storage_site(&self, def_use: &DefUse) -> Option<LayoutSite> {
        let storage = def_use.storage?;
        Some((self.graph.groups.storages[storage].group, self.strategy_table.storage[storage]))
    }

    /// Returns the site of the first use.
    pub(crate) fn first_use_site(&self, def_use: &DefUse) -> Option<LayoutSite> {
        let SearchGraph { groups, .. } = self.graph;
        let first = def_use.storage.and_then(|_| groups.users(def_use).next());
        first.map(|reader| self.use_site(reader))
    }

    /// Returns the weights whose storage layout differs from the layout in use.
    pub(crate) fn stored(&self, choice: &[usize]) -> Vec<StoredParam> {
        let stored = |param: &ParamStorage| {
            let def_use = self.graph.groups.def_use(param.value)?;
            let [storage, used] = [self.storage_site(def_use)?, self.first_use_site(def_use)?]
                .map(|(group, at)| self.layout(at, choice[group]));
            (storage != used).then(|| StoredParam { value: param.value, storage: storage.clone(), used: used.clone() })
        };
        self.graph.groups.storages.iter().filter_map(stored).collect()
    }

    /// Restricts the storage layout of a weight to the given one, if it can differ from the layout in use.
    pub(crate) fn restrict_storage(&mut self, value: ValueId, layout: &Layout) {
        if let Some(site) = self.graph.groups.def_use(value).and_then(|def_use| self.storage_site(def_use)) {
            self.restrict_at(site, &|other| layout.has_same_sharding(other));
        }
    }
}
