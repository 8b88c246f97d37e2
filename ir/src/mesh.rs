//! Device meshes: named axes over a list of devices.

use crate::arena::{AxisId, Id};
use smallvec::SmallVec;
use smol_str::SmolStr;

/// One named axis of a mesh.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// Its name, unique in the mesh.
    pub name: SmolStr,
    /// How many devices lie along it; at least 1.
    pub size: u32,
}

/// Devices arranged in a grid of named axes, major to minor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mesh {
    /// The name in program text, without `@`.
    pub name: SmolStr,
    /// Axes, major to minor.
    pub axes: Vec<Axis>,
    /// The devices, in row-major order of their coordinates.
    pub devices: Vec<u32>,
}

/// Devices beyond this are refused: no plan needs them and a typing error should not take the memory.
pub const MAX_DEVICES: u64 = 1 << 16;

/// More axes than this are refused.
pub const MAX_AXES: usize = 32;

/// Checks what a mesh may be made of: at least one axis and at most [`MAX_AXES`], names distinct, sizes at least 1 and
/// their product at most [`MAX_DEVICES`]. The error says what is wrong; who knows the span makes it an `L007`.
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

impl Mesh {
    /// A mesh of those axes, which passed [`check_axes`], over devices `0..n`.
    pub fn new<S: Into<SmolStr>>(name: &str, axes: impl IntoIterator<Item = (S, u32)>) -> Mesh {
        let axes: Vec<Axis> = axes.into_iter().map(|(name, size)| Axis { name: name.into(), size }).collect();
        let count: u64 = axes.iter().map(|a| u64::from(a.size)).product::<u64>().min(MAX_DEVICES);
        Mesh { name: name.into(), axes, devices: (0..count as u32).collect() }
    }

    /// Number of devices: the product of the axis sizes.
    pub fn device_count(&self) -> usize {
        self.axes.iter().map(|a| a.size as usize).product()
    }

    /// The axis of that name.
    pub fn axis(&self, name: &str) -> Option<AxisId> {
        self.axes.iter().position(|a| a.name == name).map(AxisId::from_index)
    }

    /// Every axis id, major to minor.
    pub fn axis_ids(&self) -> impl Iterator<Item = AxisId> + use<> {
        (0..self.axes.len()).map(AxisId::from_index)
    }

    /// Number of devices along an axis.
    pub fn size(&self, axis: AxisId) -> u32 {
        self.axes[axis.index()].size
    }

    /// Coordinates of the `rank`-th device (its position in [`Mesh::devices`]).
    pub fn coords(&self, rank: usize) -> SmallVec<[u32; 4]> {
        let mut rest = rank;
        let mut coords: SmallVec<[u32; 4]> = SmallVec::from_elem(0, self.axes.len());
        for (i, axis) in self.axes.iter().enumerate().rev() {
            coords[i] = (rest % axis.size as usize) as u32;
            rest /= axis.size as usize;
        }
        coords
    }

    /// The rank at those coordinates.
    pub fn rank(&self, coords: &[u32]) -> usize {
        self.axes.iter().zip(coords).fold(0, |rank, (axis, &c)| rank * axis.size as usize + c as usize)
    }
}

/// A whole axis, or a factor of it.
///
/// An axis of size `n` seen as `pre x size x post` (major to minor) has the sub-axis `(pre)size` in the middle, as in
/// [Shardy's representation](https://github.com/openxla/shardy/blob/main/docs/sharding_representation.md).
/// The whole axis is `(1)n`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AxisRef {
    /// The axis.
    pub axis: AxisId,
    /// Product of the factors before this one.
    pub pre: u32,
    /// How many ways this factor splits.
    pub size: u32,
}

impl AxisRef {
    /// The whole of `axis`.
    pub fn whole(mesh: &Mesh, axis: AxisId) -> AxisRef {
        AxisRef { axis, pre: 1, size: mesh.size(axis) }
    }

    /// Whether this is the whole axis.
    pub fn is_whole(self, mesh: &Mesh) -> bool {
        self.pre == 1 && self.size == mesh.size(self.axis)
    }

    /// This device's position along the factor, from its coordinate along the axis.
    pub fn index_of(self, mesh: &Mesh, coords: &[u32]) -> u32 {
        let post = mesh.size(self.axis) / (self.pre * self.size);
        coords[self.axis.index()] / post % self.size
    }

    /// Whether two references cannot both split one value: they use a common factor of the same axis, or are factors
    /// that no one way of cutting the axis has. (An axis of 6 as 2 x 3 has `(1)2` and `(2)3`, as 3 x 2 it has `(1)3`
    /// and `(3)2`; the positions along `(1)2` and `(3)2` depend on each other.) An axis of one device is no exception:
    /// it overlaps itself.
    pub fn overlaps(self, other: AxisRef) -> bool {
        let ends_before = |a: AxisRef, b: AxisRef| b.pre.is_multiple_of(a.pre * a.size);
        self == other || (self.axis == other.axis && !ends_before(self, other) && !ends_before(other, self))
    }

    /// Splits into a major factor of `size` ways and the rest; `None` when `size` does not divide.
    pub fn split(self, size: u32) -> Option<(AxisRef, AxisRef)> {
        (size > 0 && self.size.is_multiple_of(size)).then(|| {
            let major = AxisRef { size, ..self };
            let minor = AxisRef { axis: self.axis, pre: self.pre * size, size: self.size / size };
            (major, minor)
        })
    }
}

/// A list of axes, major to minor.
pub type Axes = SmallVec<[AxisRef; 2]>;

/// In how many parts these axes split what they are put on.
pub fn ways(axes: &[AxisRef]) -> usize {
    axes.iter().map(|a| a.size as usize).product()
}

/// This device's position in the row-major grid of `axes`.
pub fn position(axes: &[AxisRef], mesh: &Mesh, coords: &[u32]) -> usize {
    axes.iter().fold(0, |at, a| at * a.size as usize + a.index_of(mesh, coords) as usize)
}
