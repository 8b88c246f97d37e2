//! Layouts (shardings): the mesh axes that shard each dimension of a tensor, and the axes over which it is partial.
//!
//! # Uneven dimensions
//!
//! A dimension of `n` elements over axes `a, b` (major to minor) is split axis by axis, rounding up each time: shards
//! along `a` have `ceil(n / a)` elements, and shards along `b` of those have `ceil(ceil(n / a) / b)`. The last shards
//! may be short or empty. Device buffers always have the full shard size, and the content of the padding is undefined.
//! Because the split is done axis by axis instead of by the product, every shard is contained in the shard of the axis
//! before it, so gathering a minor axis needs no elements from outside that shard.

use crate::arena::MeshId;
use crate::dtype::Shape;
use crate::mesh::{Axes, AxisRef, DeviceMesh, shard_count};
use smallvec::SmallVec;

/// Reduction that combines partial results.
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
    /// All monoids.
    pub const ALL: [Monoid; 6] = [Monoid::Sum, Monoid::Prod, Monoid::Max, Monoid::Min, Monoid::And, Monoid::Or];

    /// Returns the name in program text.
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

    /// Returns the monoid named `name`.
    pub fn from_name(name: &str) -> Option<Monoid> {
        Monoid::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Returns true if combining a value with itself yields that value.
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Monoid::Sum | Monoid::Prod)
    }
}

/// Sharding of one dimension.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct DimLayout {
    /// Axes that split the dimension, major to minor. Empty if the dimension is unsharded.
    pub axes: Axes,
    /// True if propagation may add axes.
    pub open: bool,
    /// Propagation round in which this dimension takes part, starting with 0.
    pub priority: u8,
}

/// Axis over which a value is partial, and the reduction that yields the final value.
pub type PartialAxis = (AxisRef, Monoid);

/// Sharding of a tensor on a mesh.
///
/// Invariants, checked by the verifier: `dims` has one entry per dimension of the value, and no axis is used twice
/// across `dims`, `replicated` and `partial`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// Mesh that the axes belong to.
    pub mesh: MeshId,
    /// Sharding of each dimension.
    pub dims: SmallVec<[DimLayout; 4]>,
    /// Axes along which the value is explicitly replicated. Propagation may not use them for this value.
    pub replicated: Axes,
    /// Axes over which the value is partial.
    pub partial: SmallVec<[PartialAxis; 1]>,
}

impl Layout {
    /// Returns the fully replicated layout with closed dimensions.
    pub fn replicated(mesh: MeshId, rank: usize) -> Layout {
        Layout {
            mesh,
            dims: SmallVec::from_elem(DimLayout::default(), rank),
            replicated: Axes::new(),
            partial: SmallVec::new(),
        }
    }

    /// Returns the unconstrained layout: every dimension is unsharded and open.
    pub fn open(mesh: MeshId, rank: usize) -> Layout {
        let dim = DimLayout { open: true, ..DimLayout::default() };
        Layout { dims: SmallVec::from_elem(dim, rank), ..Layout::replicated(mesh, 0) }
    }

    /// Returns a layout with closed dimensions that are split by `dims`.
    pub fn from_axes(mesh: MeshId, dims: impl IntoIterator<Item = Axes>) -> Layout {
        let dims = dims.into_iter().map(|axes| DimLayout { axes, ..DimLayout::default() }).collect();
        Layout { dims, ..Layout::replicated(mesh, 0) }
    }

    /// Returns the axes that split dimensions, ordered by dimension.
    pub fn split_axes(&self) -> impl Iterator<Item = AxisRef> + '_ {
        self.dims.iter().flat_map(|d| d.axes.iter().copied())
    }

    /// Returns all axes that the layout uses: splitting, explicitly replicated and partial.
    pub fn used_axes(&self) -> impl Iterator<Item = AxisRef> + '_ {
        self.split_axes().chain(self.replicated.iter().copied()).chain(self.partial.iter().map(|p| p.0))
    }

    /// Returns true if every device has the full, final value.
    pub fn is_replicated(&self) -> bool {
        self.partial.is_empty() && self.dims.iter().all(|d| d.axes.is_empty())
    }

    /// Returns true if both layouts place every element on the same devices and are partial over the same axes. Open
    /// flags, explicit replication and priorities are ignored.
    pub fn has_same_sharding(&self, other: &Layout) -> bool {
        self.mesh == other.mesh
            && self.dims.len() == other.dims.len()
            && self.dims.iter().zip(&other.dims).all(|(a, b)| a.axes == b.axes)
            && self.partial == other.partial
    }

    /// Returns the axes of each dimension, without open flags and priorities.
    pub fn dim_axes(&self) -> impl Iterator<Item = &Axes> {
        self.dims.iter().map(|d| &d.axes)
    }
}

/// Returns the size of one device's shard of a dimension of `size` elements, including padding.
pub fn local_size(size: usize, axes: &[AxisRef]) -> usize {
    axes.iter().fold(size, |n, a| n.div_ceil(a.size as usize))
}

/// Returns true if all shards of a dimension of `size` elements have equal size, so that no padding is needed.
pub fn divides(size: usize, axes: &[AxisRef]) -> bool {
    size.is_multiple_of(shard_count(axes))
}

/// Returns the shape of one device's shard of a value of `shape`, including padding. All local shapes are computed
/// here.
pub fn local_shape(shape: &Shape, layout: Option<&Layout>) -> Shape {
    match layout {
        None => shape.clone(),
        Some(layout) => shape.iter().zip(&layout.dims).map(|(&n, d)| local_size(n, &d.axes)).collect(),
    }
}

/// One device's shard of a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DimShard {
    /// Global index of the first element. May exceed the size of the dimension if the shard is empty.
    pub start: usize,
    /// Number of elements, without padding.
    pub len: usize,
    /// Number of elements of the buffer, including padding.
    pub padded: usize,
}

/// Returns the shard of a dimension of `size` elements split by `axes`, for the device at `coords`.
pub fn dim_shard(size: usize, axes: &[AxisRef], mesh: &DeviceMesh, coords: &[u32]) -> DimShard {
    let mut shard = DimShard { start: 0, len: size, padded: size };
    for a in axes {
        let step = shard.padded.div_ceil(a.size as usize);
        let before = step * a.index_of(mesh, coords) as usize;
        shard = DimShard { start: shard.start + before, len: shard.len.saturating_sub(before).min(step), padded: step };
    }
    shard
}
