//! Boxes of elements of a tensor.

use partita_ir::dtype::Shape;
use partita_ir::layout::{Layout, piece};
use partita_ir::mesh::Mesh;
use smallvec::SmallVec;
use std::ops::Range;

/// A box: by dimension, a range of indices.
pub type Region = SmallVec<[Range<usize>; 4]>;

/// What a device has of a value of that shape, padding left out.
pub fn region(shape: &Shape, layout: Option<&Layout>, mesh: &Mesh, rank: usize) -> Region {
    let coords = mesh.coords(rank);
    let dims = shape.iter().enumerate().map(|(dim, &size)| {
        let axes = layout.map_or(&[][..], |layout| &layout.dims[dim].axes);
        let piece = piece(size, axes, mesh, &coords);
        let start = piece.start.min(size);
        start..start + piece.len
    });
    dims.collect()
}

/// Bytes of elements of that width.
pub fn bytes_of(region: &Region, width: u64) -> u64 {
    region.iter().map(|range| range.len() as u64).product::<u64>() * width
}

/// What both have, if they have anything in common.
pub fn common(a: &Region, b: &Region) -> Option<Region> {
    let common: Region = a.iter().zip(b).map(|(a, b)| a.start.max(b.start)..a.end.min(b.end)).collect();
    common.iter().all(|range| range.start < range.end).then_some(common)
}

/// What of a box is not in another one, as boxes that have nothing in common.
pub fn without(of: &Region, hole: &Region) -> Vec<Region> {
    let Some(hole) = common(of, hole) else { return vec![of.clone()] };
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

/// A box in at most so many parts, cut along its longest dimension.
pub(super) fn parts(of: &Region, count: usize) -> impl Iterator<Item = Region> + '_ {
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
