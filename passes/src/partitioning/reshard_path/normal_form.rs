//! Normal form of path searches. Searches that differ only in the order of dimensions, in the names of axes, or in
//! sizes that every assignment of axes divides evenly, have the same one.

use super::ReshardPath;
use super::state::{Atoms, PathState};
use super::transitions::{changed_axes, senders};
use partita_ir::arena::{AxisId, Id};
use partita_ir::class::Collective;
use partita_ir::dtype::Shape;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, AllReduce, AllToAll, Partial, Permute, ReduceScatter, Shard};
use partita_ir::rule::merge_adjacent;
use smallvec::SmallVec;

/// Search in its normal form. Elements have one byte.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct NormalSearch {
    pub(super) shape: Shape,
    pub(super) have: PathState,
    pub(super) need: PathState,
}

/// Relation of a tensor to that of the normal form.
pub(super) struct Normalisation {
    /// Dimension of the tensor for each dimension of the normal form.
    order: SmallVec<[usize; 4]>,
    /// Axis of the tensor's layout for each axis of the normal form. Empty if they are the same.
    axes: SmallVec<[AxisId; 4]>,
    /// Bytes of the tensor per byte of the normal form, on each device.
    scale: f64,
}

impl Normalisation {
    /// Returns the normal form of the search from `have` to `need` for a tensor with elements of `bytes` bytes.
    pub(super) fn new(
        shape: &Shape,
        bytes: u64,
        have: &PathState,
        need: &PathState,
        atoms: &Atoms,
    ) -> (Normalisation, NormalSearch) {
        let shards = atoms.shard_count();
        // Transfers of empty tensors are free, whatever their other sizes.
        let least = shape.iter().map(|&n| if n > 0 && n.is_multiple_of(shards) { shards } else { n });
        let least: SmallVec<[usize; 4]> = least.collect();
        let mut order: SmallVec<[usize; 4]> = (0..least.len()).collect();
        let sizes = |axes: &Axes| -> SmallVec<[u32; 4]> { axes.iter().map(|axis| axis.size).collect() };
        order.sort_by_cached_key(|&d| (least[d], sizes(&have.dims[d]), sizes(&need.dims[d])));
        let mut axes: SmallVec<[AxisId; 4]> = SmallVec::new();
        if atoms.are_axes() {
            let dims = [have, need].into_iter().flat_map(|state| order.iter().flat_map(|&d| &state.dims[d]));
            let partial = have.partial.iter().chain(&need.partial).map(|(axis, _)| axis);
            for axis in dims.chain(partial) {
                if !axes.contains(&axis.axis) {
                    axes.push(axis.axis);
                }
            }
        }
        let renamed = |axis: AxisRef| {
            let place = axes.iter().position(|&id| id == axis.axis);
            AxisRef { axis: place.map_or(axis.axis, AxisId::from_index), ..axis }
        };
        let normal = |state: &PathState| {
            let mut partial = state.partial.clone();
            partial.iter_mut().for_each(|(axis, _)| *axis = renamed(*axis));
            partial.sort_unstable();
            let dims = order.iter().map(|&d| state.dims[d].iter().map(|&axis| renamed(axis)).collect());
            PathState { dims: dims.collect(), partial }
        };
        let (have, need) = (normal(have), normal(need));
        let normal = NormalSearch { shape: order.iter().map(|&d| least[d]).collect(), have, need };
        let scale = shape.count() as f64 * bytes as f64 / normal.shape.count().max(1) as f64;
        (Normalisation { order, axes, scale }, normal)
    }

    /// Returns the path of the tensor from `have` for the path of its normal form.
    pub(super) fn apply(&self, have: &PathState, path: &ReshardPath) -> ReshardPath {
        let mut before = have.clone();
        let mut steps = Vec::with_capacity(path.steps.len());
        for (step, layout) in &path.steps {
            let layout = self.layout(layout);
            let after = PathState::from_layout(&layout);
            steps.push((self.step(step, &before, &after), layout));
            before = after;
        }
        ReshardPath { steps, wire_bytes: path.wire_bytes * self.scale }
    }

    /// Returns a step of a path with the dimensions and axes of the tensor.
    ///
    /// Recogniser: steps are collectives, `shard` or `partial`.
    fn step(&self, step: &OpKind, before: &PathState, after: &PathState) -> OpKind {
        if let OpKind::Shard(Shard { dim, axes }) = step {
            return Shard { dim: self.order[*dim], axes: self.axes(axes) }.into();
        }
        if let OpKind::Partial(Partial { axes }) = step {
            return Partial { axes: self.axes(axes) }.into();
        }
        match step.collective() {
            Some(Collective::AllGather(AllGather { dim, axes })) => {
                AllGather { dim: self.order[*dim], axes: self.axes(axes) }.into()
            }
            Some(Collective::ReduceScatter(ReduceScatter { dim, axes, monoid })) => {
                ReduceScatter { dim: self.order[*dim], axes: self.axes(axes), monoid: *monoid }.into()
            }
            Some(Collective::AllToAll(AllToAll { from, to, axes })) => {
                AllToAll { from: self.order[*from], to: self.order[*to], axes: self.axes(axes) }.into()
            }
            Some(Collective::AllReduce(AllReduce { axes, monoid })) => {
                let mut axes = self.axes(axes);
                axes.sort_unstable();
                AllReduce { axes, monoid: *monoid }.into()
            }
            Some(Collective::Permute(_)) if !self.axes.is_empty() => {
                let axes = merge_adjacent(changed_axes(before, after));
                Permute { axes, pairs: senders(before, after) }.into()
            }
            Some(Collective::Permute(_)) | None => step.clone(),
        }
    }

    /// Returns a layout with the dimensions and axes of the tensor.
    fn layout(&self, layout: &Layout) -> Layout {
        let mut result = layout.clone();
        for (&dim, of_dim) in self.order.iter().zip(&layout.dims) {
            result.dims[dim] = of_dim.clone();
            result.dims[dim].axes = self.axes(&of_dim.axes);
        }
        result.partial.iter_mut().for_each(|(axis, _)| *axis = self.axis(*axis));
        result.partial.sort_unstable();
        result
    }

    fn axes(&self, axes: &Axes) -> Axes {
        axes.iter().map(|&axis| self.axis(axis)).collect()
    }

    fn axis(&self, axis: AxisRef) -> AxisRef {
        AxisRef { axis: self.axes.get(axis.axis.index()).copied().unwrap_or(axis.axis), ..axis }
    }
}
