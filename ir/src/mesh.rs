//! Device meshes: named axes over a list of devices.

use crate::arena::{AxisId, Id};
use smallvec::SmallVec;
use smol_str::SmolStr;

/// One named axis of a mesh.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// Name, unique within the mesh.
    pub name: SmolStr,
    /// Number of devices along the axis; at least 1.
    pub size: u32,
}

/// Devices arranged in a grid of named axes, major to minor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceMesh {
    /// Name in program text, without `@`.
    pub name: SmolStr,
    /// Axes, major to minor.
    pub axes: Vec<Axis>,
    /// Device ids, in row-major order of their coordinates.
    pub devices: Vec<u32>,
}

/// Maximum number of devices of a mesh. Guards against typing errors that would exhaust memory.
pub const MAX_DEVICES: u64 = 1 << 16;

/// Maximum number of axes of a mesh.
pub const MAX_AXES: usize = 32;

/// Checks the axes of a mesh: between 1 and [`MAX_AXES`] axes, distinct names, and sizes of at least 1 whose product is
/// at most [`MAX_DEVICES`].
///
/// Errors: a message without a location. Callers that have the source span report it as `L007`.
pub fn check_axes(axes: &[Axis]) -> Result<(), String> {
    if axes.is_empty() {
        return Err("a mesh has at least one axis".into());
    }
    if axes.len() > MAX_AXES {
        return Err(format!("a mesh has at most {MAX_AXES} axes, not {}", axes.len()));
    }
    for (i, axis) in axes.iter().enumerate() {
        if axis.size == 0 {
            return Err(format!("axis `{}` has size 0", axis.name));
        }
        if axes[..i].iter().any(|a| a.name == axis.name) {
            return Err(format!("axis `{}` is declared twice", axis.name));
        }
    }
    let devices = axes.iter().try_fold(1u64, |n, a| n.checked_mul(u64::from(a.size)));
    if devices.is_none_or(|n| n > MAX_DEVICES) {
        let sizes: Vec<String> = axes.iter().map(|a| a.size.to_string()).collect();
        return Err(format!("{} devices are more than the limit of {MAX_DEVICES}", sizes.join(" x ")));
    }
    Ok(())
}

impl DeviceMesh {
    /// Creates a mesh over devices `0..n`. The axes must satisfy [`check_axes`].
    pub fn new<S: Into<SmolStr>>(name: &str, axes: impl IntoIterator<Item = (S, u32)>) -> DeviceMesh {
        let axes: Vec<Axis> = axes.into_iter().map(|(name, size)| Axis { name: name.into(), size }).collect();
        let count: u64 = axes.iter().map(|a| u64::from(a.size)).product::<u64>().min(MAX_DEVICES);
        DeviceMesh { name: name.into(), axes, devices: (0..count as u32).collect() }
    }

    /// Returns the number of devices: the product of the axis sizes.
    pub fn device_count(&self) -> usize {
        self.axes.iter().map(|a| a.size as usize).product()
    }

    /// Returns the axis named `name`.
    pub fn axis(&self, name: &str) -> Option<AxisId> {
        self.axes.iter().position(|a| a.name == name).map(AxisId::from_index)
    }

    /// Returns all axis ids, major to minor.
    pub fn axis_ids(&self) -> impl Iterator<Item = AxisId> + use<> {
        (0..self.axes.len()).map(AxisId::from_index)
    }

    /// Returns the number of devices along an axis.
    pub fn size(&self, axis: AxisId) -> u32 {
        self.axes[axis.index()].size
    }

    /// Returns the coordinates of the device of rank `rank`, which is its position in [`DeviceMesh::devices`].
    pub fn coords(&self, rank: usize) -> SmallVec<[u32; 4]> {
        let mut rest = rank;
        let mut coords: SmallVec<[u32; 4]> = SmallVec::from_elem(0, self.axes.len());
        for (i, axis) in self.axes.iter().enumerate().rev() {
            coords[i] = (rest % axis.size as usize) as u32;
            rest /= axis.size as usize;
        }
        coords
    }

    /// Returns the rank of the device at `coords`.
    pub fn rank(&self, coords: &[u32]) -> usize {
        self.axes.iter().zip(coords).fold(0, |rank, (axis, &c)| rank * axis.size as usize + c as usize)
    }
}

/// Mesh axis, or a factor (sub-axis) of a mesh axis.
///
/// An axis of size `n = pre x size x post` (major to minor) has the factor `(pre)size` in the middle, as in [Shardy's
/// representation](https://github.com/openxla/shardy/blob/main/docs/sharding_representation.md). The full axis is
/// `(1)n`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AxisRef {
    /// Mesh axis.
    pub axis: AxisId,
    /// Product of the sizes of the more major factors.
    pub pre: u32,
    /// Size of this factor, which is the number of shards that it creates.
    pub size: u32,
}

impl AxisRef {
    /// Returns a reference to the full axis.
    pub fn full(mesh: &DeviceMesh, axis: AxisId) -> AxisRef {
        AxisRef { axis, pre: 1, size: mesh.size(axis) }
    }

    /// Returns true if this is the full axis and not a proper factor.
    pub fn is_full(self, mesh: &DeviceMesh) -> bool {
        self.pre == 1 && self.size == mesh.size(self.axis)
    }

    /// Returns the index of the device at `coords` along this factor.
    pub fn index_of(self, mesh: &DeviceMesh, coords: &[u32]) -> u32 {
        let post = mesh.size(self.axis) / (self.pre * self.size);
        coords[self.axis.index()] / post % self.size
    }

    /// Returns true if the two references cannot both split one value: they share a factor of one axis, or no single
    /// factorization of the axis contains both.
    ///
    /// For example, an axis of size 6 has the factors `(1)2` and `(2)3` as 2 x 3, and `(1)3` and `(3)2` as 3 x 2; the
    /// indices along `(1)2` and `(3)2` depend on each other. An axis of size 1 overlaps itself.
    pub fn overlaps(self, other: AxisRef) -> bool {
        let ends_before = |a: AxisRef, b: AxisRef| b.pre.is_multiple_of(a.pre * a.size);
        self == other || (self.axis == other.axis && !ends_before(self, other) && !ends_before(other, self))
    }

    /// Splits this factor into a major factor of `size` and a minor factor with the rest. Returns `None` if `size` does
    /// not divide the size of this factor.
    pub fn split(self, size: u32) -> Option<(AxisRef, AxisRef)> {
        (size > 0 && self.size.is_multiple_of(size)).then(|| {
            let major = AxisRef { size, ..self };
            let minor = AxisRef { axis: self.axis, pre: self.pre * size, size: self.size / size };
            (major, minor)
        })
    }
}

/// List of axes, major to minor.
pub type Axes = SmallVec<[AxisRef; 2]>;

/// Returns the number of shards of a dimension that is split by `axes`: the product of their sizes.
pub fn shard_count(axes: &[AxisRef]) -> usize {
    axes.iter().map(|a| a.size as usize).product()
}

/// Returns the index of the device at `coords` in the row-major grid of `axes`.
pub fn group_rank(axes: &[AxisRef], mesh: &DeviceMesh, coords: &[u32]) -> usize {
    axes.iter().fold(0, |at, a| at * a.size as usize + a.index_of(mesh, coords) as usize)
}
