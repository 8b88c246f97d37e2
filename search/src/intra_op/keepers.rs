//! Weights that may be kept otherwise than they are used: in pieces, which each part of the step that uses them brings
//! together for itself ([Rajbhandari et al. 2020](https://arxiv.org/abs/1910.02054), the third stage of ZeRO).
//!
//! How one of them is kept is a space of its own. From there it goes to those who use it, once for the forward and once
//! for the backward part, and again in each turn of a loop; the update reads it as it is kept. Of a parameter that is
//! used as a narrow copy alone it is that copy: where the parameter lies is decided with the op that narrows it.

use super::intra::{Layouts, Place};
use super::spaces::{Flow, Space, Spaces};
use super::strategies::{Does, Strategy};
use super::subject::Subject;
use crate::limits::SearchLimits;
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::op::OpKind;
use partita_ir::program::{Phase, Program};
use partita_passes::planning::presets::model::{Model, Stem};
use smallvec::SmallVec;

/// A weight that may be kept otherwise than it is used.
pub(crate) struct Keeper {
    pub(crate) value: ValueId,
    /// By dimension of the weight, what splits it; none of those of one element, and of those that another one goes
    /// along with.
    stems: SmallVec<[Option<Stem>; 4]>,
    /// The space of how it is kept.
    pub(crate) space: usize,
    /// In how many parts of the step it is used, forward and backward.
    pub(crate) parts: u32,
}

impl Spaces {
    /// Adds a space for each weight that may be kept otherwise than it is used.
    pub(crate) fn add_keepers(&mut self, model: &Model<'_>) {
        for (param, _) in &model.updates {
            for value in self.kept_of(model.program, *param) {
                let Some(flow) = self.flow(value) else { continue };
                let forward = |worker: usize| self.workers[worker].phase == Phase::Forward;
                let (ahead, behind): (Vec<usize>, Vec<usize>) =
                    self.users(flow).map(|(worker, _)| worker).partition(|&worker| forward(worker));
                let parts = u32::from(!ahead.is_empty()) + u32::from(!behind.is_empty());
                if parts == 0 || flow.keeper.is_some() || model.dims(value).count() < SearchLimits::TUNED.stored_dims {
                    continue;
                }
                let mut stems: SmallVec<[Option<Stem>; 4]> =
                    SmallVec::from_elem(None, model.program.ty(value).shape.rank());
                for (dim, stem) in model.dims(value) {
                    if !stems.contains(&Some(stem)) {
                        stems[dim] = Some(stem);
                    }
                }
                let keeper = self.keepers.len();
                let space = self.all.len();
                self.all.push(Space {
                    stems: stems.iter().copied().flatten().collect(),
                    workers: Vec::new(),
                    sums: false,
                });
                self.keepers.push(Keeper { value, stems, space, parts });
                self.flow_mut(value).keeper = Some(keeper);
            }
        }
    }

    /// What is kept of a parameter: its narrow copies if nothing else is used of it, or else itself.
    ///
    /// Recogniser: a parameter whose narrow copies are made otherwise is kept itself, with all its bytes.
    fn kept_of(&self, program: &Program, param: ValueId) -> SmallVec<[ValueId; 1]> {
        let Some(flow) = self.flow(param) else { return SmallVec::new() };
        let narrows = |(worker, _): (usize, usize)| {
            let op = &program.ops[self.workers[worker].op];
            let is_narrow = |out: &ValueId| program.ty(*out).bytes() < program.ty(param).bytes();
            op.outs.first().copied().filter(|out| matches!(op.kind, OpKind::Convert(_)) && is_narrow(out))
        };
        let copies: Option<SmallVec<[ValueId; 1]>> = self.users(flow).map(narrows).collect();
        copies.unwrap_or_else(|| SmallVec::from_elem(param, 1))
    }

    /// Who uses a value outside of the update: workers and numbers of their operands.
    pub(crate) fn users<'s>(&'s self, flow: &'s Flow) -> impl Iterator<Item = (usize, usize)> + 's {
        flow.readers.iter().copied().filter(move |(worker, _)| self.workers[*worker].phase != Phase::Update)
    }
}

impl Keeper {
    /// How it is kept under a strategy of its space.
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

impl Layouts<'_> {
    /// Where a weight is kept that may be kept otherwise than it is used.
    pub(crate) fn kept(&self, flow: &Flow) -> Option<Place> {
        let keeper = flow.keeper?;
        Some((self.subject.spaces.keepers[keeper].space, self.laid_out.kept[keeper]))
    }

    /// Where it is used first.
    pub(crate) fn used(&self, flow: &Flow) -> Option<Place> {
        let Subject { spaces, .. } = self.subject;
        let first = flow.keeper.and_then(|_| spaces.users(flow).next());
        first.map(|reader| self.need(reader))
    }

    /// Weights that are kept otherwise than they are used.
    pub(crate) fn stored(&self, choice: &[usize]) -> Vec<Stored> {
        let stored = |keeper: &Keeper| {
            let flow = self.subject.spaces.flow(keeper.value)?;
            let [kept, used] = [self.kept(flow)?, self.used(flow)?].map(|(space, at)| self.layout(at, choice[space]));
            (kept != used).then(|| Stored { value: keeper.value, kept: kept.clone(), used: used.clone() })
        };
        self.subject.spaces.keepers.iter().filter_map(stored).collect()
    }

    /// Leaves those where a weight is kept in that layout, if it may be kept otherwise than it is used.
    pub(crate) fn keep_stored(&mut self, value: ValueId, layout: &Layout) {
        if let Some(kept) = self.subject.spaces.flow(value).and_then(|flow| self.kept(flow)) {
            self.keep_at(kept, &|other| layout.same_place(other));
        }
    }
}
