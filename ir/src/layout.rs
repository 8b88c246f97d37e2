//! Where a tensor lies: which mesh axes split which dimension, and what is still to be summed.
//!
//! # Uneven dimensions
//!
//! A dimension of `n` elements over axes `a, b` (major to minor) is cut axis by axis, each time rounding up:
//! `ceil(n / a)` elements for a position along `a`, of which `ceil(ceil(n / a) / b)` for a position along `b`.
//! The last pieces may be short or empty; a device's buffer has the full piece all the same, and what lies in its
//! padding is undefined. Cutting axis by axis (instead of by the product at once) keeps every piece inside the piece
//! of the axis before it, so that gathering a minor axis never needs anybody else's elements.

use crate::arena::MeshId;
use crate::dtype::Shape;
use crate::mesh::{Axes, AxisRef, Mesh, ways};
use smallvec::SmallVec;

/// How partial results are combined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[allow(missing_docs)]
pub enum Monoid {
    #[default]
    Sum,
    Prod,
    Max,
    Min,
    And,
    Or,
}

impl Monoid {
    /// Every monoid.
    pub const ALL: [Monoid; 6] = [Monoid::Sum, Monoid::Prod, Monoid::Max, Monoid::Min, Monoid::And, Monoid::Or];

    /// The name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            Monoid::Sum => "sum",
            Monoid::Prod => "prod",
            Monoid::Max => "max",
            Monoid::Min => "min",
            Monoid::And => "and",
            Monoid::Or => "or",
        }
    }

    /// The monoid of that name.
    pub fn from_name(name: &str) -> Option<Monoid> {
        Monoid::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Whether combining a value with itself changes nothing.
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Monoid::Sum | Monoid::Prod)
    }
}

/// What splits one dimension.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct DimLayout {
    /// Axes that split it, major to minor.
    pub axes: Axes,
    /// Propagation may add axes.
    pub open: bool,
    /// In which round of propagation this dimension takes part; 0 is first.
    pub priority: u8,
}

/// Partial results over an axis, to be combined by the monoid before anyone may read the value.
pub type Pending = (AxisRef, Monoid);

/// Where a tensor lies on a mesh.
///
/// Invariants (checked by the verifier): as many dims as the value's rank; no axis used twice, counting `dims`,
/// `replicated` and `pending` together.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// The mesh.
    pub mesh: MeshId,
    /// One entry a dimension.
    pub dims: SmallVec<[DimLayout; 4]>,
    /// Axes along which the value is whole on purpose: propagation may not use them here.
    pub replicated: Axes,
    /// Axes over which the value is still partial.
    pub pending: SmallVec<[Pending; 1]>,
}

impl Layout {
    /// Whole on every device, nothing open.
    pub fn replicated(mesh: MeshId, rank: usize) -> Layout {
        Layout {
            mesh,
            dims: SmallVec::from_elem(DimLayout::default(), rank),
            replicated: Axes::new(),
            pending: SmallVec::new(),
        }
    }

    /// Nothing said yet: every dimension open.
    pub fn open(mesh: MeshId, rank: usize) -> Layout {
        let dim = DimLayout { open: true, ..DimLayout::default() };
        Layout { dims: SmallVec::from_elem(dim, rank), ..Layout::replicated(mesh, 0) }
    }

    /// Closed, with these axes on each dimension.
    pub fn of(mesh: MeshId, dims: impl IntoIterator<Item = Axes>) -> Layout {
        let dims = dims.into_iter().map(|axes| DimLayout { axes, ..DimLayout::default() }).collect();
        Layout { dims, ..Layout::replicated(mesh, 0) }
    }

    /// Every axis that splits a dimension, dimension by dimension.
    pub fn split_axes(&self) -> impl Iterator<Item = AxisRef> + '_ {
        self.dims.iter().flat_map(|d| d.axes.iter().copied())
    }

    /// Every axis that is taken: splitting, replicated on purpose or pending.
    pub fn used_axes(&self) -> impl Iterator<Item = AxisRef> + '_ {
        self.split_axes().chain(self.replicated.iter().copied()).chain(self.pending.iter().map(|p| p.0))
    }

    /// Whether every device holds the whole, final value.
    pub fn is_whole(&self) -> bool {
        self.pending.is_empty() && self.dims.iter().all(|d| d.axes.is_empty())
    }

    /// Whether both place every element on the same devices: same axes on the dims and the same pending sums.
    /// What is open, explicit or prioritised does not matter.
    pub fn same_place(&self, other: &Layout) -> bool {
        self.mesh == other.mesh
            && self.dims.len() == other.dims.len()
            && self.dims.iter().zip(&other.dims).all(|(a, b)| a.axes == b.axes)
            && self.pending == other.pending
    }

    /// The axes on each dimension, without the remarks.
    pub fn dim_axes(&self) -> impl Iterator<Item = &Axes> {
        self.dims.iter().map(|d| &d.axes)
    }
}

/// Elements of a dimension of `size` that one device holds, padding included.
pub fn local_size(size: usize, axes: &[AxisRef]) -> usize {
    axes.iter().fold(size, |n, a| n.div_ceil(a.size as usize))
}

/// Whether every device holds exactly its share of the dimension.
pub fn divides(size: usize, axes: &[AxisRef]) -> bool {
    size.is_multiple_of(ways(axes))
}

/// The shape of what one device holds of a value of `shape`: the one place where local shapes come from.
pub fn local_shape(shape: &Shape, layout: Option<&Layout>) -> Shape {
    match layout {
        None => shape.clone(),
        Some(layout) => shape.iter().zip(&layout.dims).map(|(&n, d)| local_size(n, &d.axes)).collect(),
    }
}

/// The piece of a dimension that one device holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Global index of its first element (may lie past the end when the piece is empty).
    pub start: usize,
    /// How many real elements it has.
    pub len: usize,
    /// How many elements its buffer has: `len` and padding.
    pub padded: usize,
}

/// The piece of a dimension of `size` over `axes` at device coordinates `coords`.
pub fn piece(size: usize, axes: &[AxisRef], mesh: &Mesh, coords: &[u32]) -> Piece {
    let mut piece = Piece { start: 0, len: size, padded: size };
    for a in axes {
        let step = piece.padded.div_ceil(a.size as usize);
        let before = step * a.index_of(mesh, coords) as usize;
        piece = Piece { start: piece.start + before, len: piece.len.saturating_sub(before).min(step), padded: step };
    }
    piece
}
