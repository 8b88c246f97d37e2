//! Where axes are in the middle of a search, in terms of atoms: sub-axes that both ends of the way can be written in.

use partita_ir::arena::MeshId;
use partita_ir::dtype::Shape;
use partita_ir::layout::{Layout, Pending, divides};
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::rule::joined;
use smallvec::SmallVec;
/// Where the axes are: the part of a layout that moves change, in atoms.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct State {
    pub(super) dims: SmallVec<[Axes; 4]>,
    pub(super) pending: SmallVec<[Pending; 1]>,
}

/// The cuts of each axis that make every sub-axis in play a product of atoms.
pub(super) struct Atoms(pub(super) Vec<AxisRef>);

impl Atoms {
    /// The atoms of two layouts' axes; `None` when there are none, since factors of 2 and of 3 at the major end of one
    /// axis have no common cut.
    pub(super) fn of(have: &State, need: &State) -> Option<Atoms> {
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
                // An axis of one device is an atom as well: what is pending over it has to be reduced.
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

    /// Into how many pieces all atoms together cut.
    pub(super) fn ways(&self) -> usize {
        self.0.iter().map(|atom| atom.size as usize).product()
    }

    /// Whether all atoms together cut any dimension that can be cut into equal pieces.
    pub(super) fn divide(&self, shape: &Shape) -> bool {
        shape.iter().all(|&n| n == 1 || n.is_multiple_of(self.ways()))
    }

    /// Whether an axis on an uneven dimension would have to be cut. Padded pieces of an axis and of its factors do not
    /// begin at the same elements (5 over 4: at 0, 2, 4, 6; over 2 and 2: at 0, 2, 3, 5).
    pub(super) fn refine_uneven(&self, shape: &Shape, states: [&State; 2]) -> bool {
        let dims = states.into_iter().flat_map(|state| state.dims.iter().zip(shape.iter()));
        dims.into_iter().any(|(axes, &n)| !divides(n, axes) && axes.iter().any(|a| !self.0.contains(a)))
    }

    /// The axis as atoms, major to minor.
    pub(super) fn cut(&self, axis: AxisRef) -> impl Iterator<Item = AxisRef> + '_ {
        self.0.iter().copied().filter(move |a| a.overlaps(axis))
    }
}

impl State {
    pub(super) fn of(layout: &Layout) -> State {
        let mut pending = layout.pending.clone();
        pending.sort_unstable();
        State { dims: layout.dims.iter().map(|d| d.axes.clone()).collect(), pending }
    }

    pub(super) fn axes(&self) -> impl Iterator<Item = AxisRef> + '_ {
        self.dims.iter().flatten().copied().chain(self.pending.iter().map(|p| p.0))
    }

    pub(super) fn cut(&self, atoms: &Atoms) -> State {
        let mut pending: SmallVec<[Pending; 1]> =
            self.pending.iter().flat_map(|&(a, m)| atoms.cut(a).map(move |a| (a, m))).collect();
        pending.sort_unstable();
        let dims = self.dims.iter().map(|axes| axes.iter().flat_map(|&a| atoms.cut(a)).collect()).collect();
        State { dims, pending }
    }

    /// The layout with just these axes.
    pub(super) fn as_it_is(&self, mesh: MeshId) -> Layout {
        Layout { pending: self.pending.clone(), ..Layout::of(mesh, self.dims.iter().cloned()) }
    }

    pub(super) fn to_layout(&self, mesh: MeshId) -> Layout {
        let mut layout = Layout::of(mesh, self.dims.iter().map(|axes| joined(axes.iter().copied())));
        for &(axis, monoid) in &self.pending {
            match layout.pending.last_mut() {
                Some((last, m)) if *m == monoid && last.axis == axis.axis && last.pre * last.size == axis.pre => {
                    last.size *= axis.size;
                }
                _ => layout.pending.push((axis, monoid)),
            }
        }
        layout
    }
}
