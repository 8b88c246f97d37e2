//! Rectangular regions of tensor elements.

use partita_ir::dtype::Shape;
use partita_ir::layout::{Layout, dim_shard};
use partita_ir::mesh::DeviceMesh;
use smallvec::SmallVec;
use std::ops::Range;

/// A rectangular region: a range of indices for each dimension.
pub type Region = SmallVec<[Range<usize>; 4]>;

/// Returns the region of a tensor that a device has, without padding.
pub fn region(shape: &Shape, layout: Option<&Layout>, mesh: &DeviceMesh, rank: usize) -> Region {
    let coords = mesh.coords(rank);
    let dims = shape.iter().enumerate().map(|(dim, &size)| {
        let axes = layout.map_or(&[][..], |layout| &layout.dims[dim].axes);
        let shard = dim_shard(size, axes, mesh, &coords);
        let start = shard.start.min(size);
        start..start + shard.len
    });
    dims.collect()
}

/// Returns the bytes of a region, given the bytes per element.
pub fn region_bytes(region: &Region, width: u64) -> u64 {
    region.iter().map(|range| range.len() as u64).product::<u64>() * width
}

/// Returns the intersection of two regions, if it is not empty.
pub fn intersection(a: &Region, b: &Region) -> Option<Region> {
    let common: Region = a.iter().zip(b).map(|(a, b)| a.start.max(b.start)..a.end.min(b.end)).collect();
    common.iter().all(|range| range.start < range.end).then_some(common)
}

/// Returns the difference of two regions as disjoint regions.
pub fn difference(of: &Region, hole: &Region) -> Vec<Region> {
    let Some(hole) = intersection(of, hole) else { return vec![of.clone()] };
    let (mut left, mut rest) = (Vec::new(), of.clone());
    for (dim, hole) in hole.iter().enumerate() {
        for side in [rest[dim].start..hole.start, hole.end..rest[dim].end] {
            if side.start < side.end {
                let mut part = rest.clone();
                part[dim] = side;
                left.push(part);
            }
        }
        rest[dim] = hole.clone();
    }
    left
}

/// Splits a region into at most `count` parts along its longest dimension.
pub(super) fn split_longest(of: &Region, count: usize) -> impl Iterator<Item = Region> + '_ {
    let longest = (0..of.len()).max_by_key(|&dim| (of[dim].len(), std::cmp::Reverse(dim)));
    let range = longest.map_or(0..1, |dim| of[dim].clone());
    let step = range.len().div_ceil(count.max(1)).max(1);
    range.clone().step_by(step).map(move |start| {
        let mut part = of.clone();
        if let Some(dim) = longest {
            part[dim] = start..(start + step).min(range.end);
        }
        part
    })
}
