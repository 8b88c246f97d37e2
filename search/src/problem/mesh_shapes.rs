//! Mesh shapes that a search considers.

use crate::limits::ConfigLimits;

/// Returns the mesh shapes for a number of devices: one axis, or two axes with a short inner axis.
pub(crate) fn mesh_shapes(devices: usize) -> Vec<Vec<u32>> {
    let count = u32::try_from(devices).unwrap_or(u32::MAX);
    let mut shapes = vec![vec![count]];
    let inner = (2..count.min(ConfigLimits::TUNED.max_inner_axis + 1)).rev().filter(|n| count.is_multiple_of(*n));
    shapes.extend(inner.map(|n| vec![count / n, n]));
    shapes
}
