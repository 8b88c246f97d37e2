//! Normal form of path searches. Searches that differ only in the order of dimensions, or in sizes that every
//! assignment of axes divides evenly, have the same one.

use super::ReshardPath;
use super::state::{Atoms, PathState};
use partita_ir::class::Collective;
use partita_ir::dtype::Shape;
use partita_ir::layout::Layout;
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, AllToAll, ReduceScatter, Shard};
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
        order.sort_by_key(|&d| (least[d], &have.dims[d], &need.dims[d]));
        let reordered = |state: &PathState| PathState {
            dims: order.iter().map(|&d| state.dims[d].clone()).collect(),
            partial: state.partial.clone(),
        };
        let (have, need) = (reordered(have), reordered(need));
        let normal = NormalSearch { shape: order.iter().map(|&d| least[d]).collect(), have, need };
        let scale = shape.count() as f64 * bytes as f64 / normal.shape.count().max(1) as f64;
        (Normalisation { order, scale }, normal)
    }

    /// Returns the path of the tensor for the path of its normal form.
    pub(super) fn apply(&self, path: &ReshardPath) -> ReshardPath {
        let steps = path.steps.iter().map(|(step, layout)| (self.step(step), self.layout(layout))).collect();
        ReshardPath { steps, wire_bytes: path.wire_bytes * self.scale }
    }

    /// Returns a step of a path with the dimensions of the tensor.
    ///
    /// Recogniser: steps are collectives, `shard` or `partial`. The others have no dimension.
    fn step(&self, step: &OpKind) -> OpKind {
        if let OpKind::Shard(Shard { dim, axes }) = step {
            return Shard { dim: self.order[*dim], axes: axes.clone() }.into();
        }
        match step.collective() {
            Some(Collective::AllGather(AllGather { dim, axes })) => {
                AllGather { dim: self.order[*dim], axes: axes.clone() }.into()
            }
            Some(Collective::ReduceScatter(ReduceScatter { dim, axes, monoid })) => {
                ReduceScatter { dim: self.order[*dim], axes: axes.clone(), monoid: *monoid }.into()
            }
            Some(Collective::AllToAll(AllToAll { from, to, axes })) => {
                AllToAll { from: self.order[*from], to: self.order[*to], axes: axes.clone() }.into()
            }
            Some(Collective::AllReduce(_) | Collective::Permute(_)) | None => step.clone(),
        }
    }

    /// Returns a layout with the dimensions of the tensor.
    fn layout(&self, layout: &Layout) -> Layout {
        let mut result = layout.clone();
        for (&dim, of_dim) in self.order.iter().zip(&layout.dims) {
            result.dims[dim] = of_dim.clone();
        }
        result
    }
}
