//! States of the resharding search, in terms of atoms: sub-axes in which both layouts can be expressed.

use partita_ir::arena::MeshId;
use partita_ir::dtype::Shape;
use partita_ir::layout::{Layout, PartialAxis, divides};
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::rule::merge_adjacent;
use smallvec::SmallVec;
/// Assignment of atoms to dimensions, and partial atoms: the components of a layout that collectives change.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct PathState {
    pub(super) dims: SmallVec<[Axes; 4]>,
    pub(super) partial: SmallVec<[PartialAxis; 1]>,
}

/// Factors of each axis, such that every sub-axis of the search is a product of atoms.
pub(super) struct Atoms(pub(super) Vec<AxisRef>);

impl Atoms {
    /// Returns the atoms of two layouts. `None` if the sub-axes have no common refinement, such as factors of 2 and of
    /// 3 at the major end of one axis.
    pub(super) fn new(have: &PathState, need: &PathState) -> Option<Atoms> {
        let mut cuts: Vec<(AxisRef, Vec<u32>)> = Vec::new();
        for a in have.axes().chain(need.axes()) {
            let points = [a.pre, a.pre * a.size];
            match cuts.iter_mut().find(|(b, _)| b.axis == a.axis) {
                Some((_, all)) => all.extend(points),
                None => cuts.push((a, points.to_vec())),
            }
        }
        let mut atoms = Vec::new();
        for (axis, mut points) in cuts {
            points.sort_unstable();
            points.dedup();
            if let [pre] = points[..] {
                // An axis of one device is an atom as well: partial sums over it must be reduced.
                atoms.push(AxisRef { axis: axis.axis, pre, size: 1 });
            }
            for pair in points.windows(2) {
                if !pair[1].is_multiple_of(pair[0]) {
                    return None;
                }
                atoms.push(AxisRef { axis: axis.axis, pre: pair[0], size: pair[1] / pair[0] });
            }
        }
        Some(Atoms(atoms))
    }

    /// Returns true if no axis is divided.
    pub(super) fn are_axes(&self) -> bool {
        self.0.iter().enumerate().all(|(at, atom)| atom.pre == 1 && self.0[..at].iter().all(|a| a.axis != atom.axis))
    }

    /// Returns the shard count of all atoms together.
    pub(super) fn shard_count(&self) -> usize {
        self.0.iter().map(|atom| atom.size as usize).product()
    }

    /// Returns true if an axis of an uneven dimension would have to be divided. Padded shards of an axis and of its
    /// factors have other boundaries (5 over 4: at 0, 2, 4, 6; over 2 and 2: at 0, 2, 3, 5).
    pub(super) fn divides_uneven_axis(&self, shape: &Shape, states: [&PathState; 2]) -> bool {
        let dims = states.into_iter().flat_map(|state| state.dims.iter().zip(shape.iter()));
        dims.into_iter().any(|(axes, &n)| !divides(n, axes) && axes.iter().any(|a| !self.0.contains(a)))
    }

    /// Returns the atoms of an axis, major to minor.
    pub(super) fn refine(&self, axis: AxisRef) -> impl Iterator<Item = AxisRef> + '_ {
        self.0.iter().copied().filter(move |a| a.overlaps(axis))
    }
}

impl PathState {
    pub(super) fn from_layout(layout: &Layout) -> PathState {
        let mut pending = layout.partial.clone();
        pending.sort_unstable();
        PathState { dims: layout.dims.iter().map(|d| d.axes.clone()).collect(), partial: pending }
    }

    pub(super) fn axes(&self) -> impl Iterator<Item = AxisRef> + '_ {
        self.dims.iter().flatten().copied().chain(self.partial.iter().map(|p| p.0))
    }

    pub(super) fn refine(&self, atoms: &Atoms) -> PathState {
        let mut pending: SmallVec<[PartialAxis; 1]> =
            self.partial.iter().flat_map(|&(a, m)| atoms.refine(a).map(move |a| (a, m))).collect();
        pending.sort_unstable();
        let dims = self.dims.iter().map(|axes| axes.iter().flat_map(|&a| atoms.refine(a)).collect()).collect();
        PathState { dims, partial: pending }
    }

    /// Returns the layout with exactly these axes, without joining atoms.
    pub(super) fn to_unjoined_layout(&self, mesh: MeshId) -> Layout {
        Layout { partial: self.partial.clone(), ..Layout::from_axes(mesh, self.dims.iter().cloned()) }
    }

    pub(super) fn to_layout(&self, mesh: MeshId) -> Layout {
        let mut layout = Layout::from_axes(mesh, self.dims.iter().map(|axes| merge_adjacent(axes.iter().copied())));
        for &(axis, monoid) in &self.partial {
            match layout.partial.last_mut() {
                Some((last, m)) if *m == monoid && last.axis == axis.axis && last.pre * last.size == axis.pre => {
                    last.size *= axis.size;
                }
                _ => layout.partial.push((axis, monoid)),
            }
        }
        layout
    }
}
