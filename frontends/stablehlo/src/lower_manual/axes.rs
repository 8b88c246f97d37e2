//! Sets of manual axes.

use std::ops::{BitOr, Sub};

/// A set of manual axes, which are numbered by their positions among the manual axes of a mesh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AxisSet(u64);

impl AxisSet {
    /// The set without axes.
    pub const EMPTY: AxisSet = AxisSet(0);
    /// Maximum number of manual axes.
    pub const MAX_AXES: usize = u64::BITS as usize;

    pub fn is_empty(self) -> bool {
        self == AxisSet::EMPTY
    }

    pub fn contains(self, axis: usize) -> bool {
        self.0 >> axis & 1 == 1
    }

    /// Returns the axes, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..AxisSet::MAX_AXES).filter(move |&axis| self.contains(axis))
    }
}

impl FromIterator<usize> for AxisSet {
    fn from_iter<I: IntoIterator<Item = usize>>(axes: I) -> Self {
        AxisSet(axes.into_iter().fold(0, |set, axis| set | 1 << axis))
    }
}

impl BitOr for AxisSet {
    type Output = AxisSet;

    fn bitor(self, other: AxisSet) -> AxisSet {
        AxisSet(self.0 | other.0)
    }
}

impl Sub for AxisSet {
    type Output = AxisSet;

    fn sub(self, other: AxisSet) -> AxisSet {
        AxisSet(self.0 & !other.0)
    }
}
