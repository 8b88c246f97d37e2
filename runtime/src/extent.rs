//! Extents: boxes of elements of a global tensor.

use crate::box_copy::Index;
use partita_ir::dtype::Shape;
use partita_ir::layout::{Layout, dim_shard};
use partita_ir::mesh::DeviceMesh;

/// Box of elements of a global tensor: start and number of elements in each dimension. A scalar has one element.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Extent {
    /// Global index of the first element.
    pub start: Index,
    /// Number of elements in each dimension.
    pub len: Index,
}

impl Extent {
    /// Returns the extent of all elements.
    pub fn full(shape: &Shape) -> Extent {
        Extent { start: Index::from_elem(0, shape.rank()), len: shape.0.clone() }
    }

    /// Returns the extent of a device's shard, without padding.
    pub fn of_device(shape: &Shape, layout: Option<&Layout>, mesh: &DeviceMesh, rank: usize) -> Extent {
        let coords = mesh.coords(rank);
        let mut extent = Extent::full(shape);
        for (d, dim) in layout.iter().flat_map(|l| &l.dims).enumerate() {
            let part = dim_shard(shape[d], &dim.axes, mesh, &coords);
            (extent.start[d], extent.len[d]) = (part.start, part.len);
        }
        extent
    }

    /// Returns block `part` of `parts` of a tensor, divided along its first dimension. The first block of a scalar has
    /// its element.
    pub fn of_rows(shape: &Shape, part: usize, parts: usize) -> Extent {
        let mut extent = Extent::full(shape);
        match shape.first() {
            Some(&rows) => {
                let start = |part: usize| part * rows / parts.max(1);
                (extent.start[0], extent.len[0]) = (start(part), start(part + 1) - start(part));
                extent
            }
            None => extent,
        }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.len.iter().product()
    }

    /// Returns true if the extent has no elements.
    pub fn is_empty(&self) -> bool {
        self.len.contains(&0)
    }

    /// Returns the shape of a tensor with the elements of the extent.
    pub fn shape(&self) -> Shape {
        Shape(self.len.clone())
    }

    /// Returns the common elements of two extents; `None` if there are none.
    pub fn intersection(&self, other: &Extent) -> Option<Extent> {
        let mut common = self.clone();
        for d in 0..self.len.len() {
            let end = (self.start[d] + self.len[d]).min(other.start[d] + other.len[d]);
            common.start[d] = self.start[d].max(other.start[d]);
            common.len[d] = end.saturating_sub(common.start[d]);
        }
        (!common.is_empty()).then_some(common)
    }

    /// Returns the index of the first element, relative to the first element of an extent that contains this one.
    pub fn start_in(&self, outer: &Extent) -> Index {
        self.start.iter().zip(&outer.start).map(|(a, b)| a - b).collect()
    }

    /// Divides the extent into boxes of at most `max_count` elements, at least one. In row-major order, each box is a
    /// contiguous range of the extent, after the range of the box before it.
    pub fn slabs(&self, max_count: usize) -> Vec<Extent> {
        if self.is_empty() {
            return Vec::new();
        }
        if self.count() <= max_count || self.len.is_empty() {
            return vec![self.clone()];
        }
        // The dimensions after `dim` fit into a slab together; earlier dimensions are divided into single indices.
        let (mut dim, mut inner) = (self.len.len() - 1, 1);
        while dim > 0 && inner * self.len[dim] <= max_count {
            inner *= self.len[dim];
            dim -= 1;
        }
        let rows = (max_count / inner).max(1);
        let mut slabs = Vec::new();
        let mut slab = self.clone();
        slab.len[..dim].fill(1);
        loop {
            for first in (0..self.len[dim]).step_by(rows) {
                slab.start[dim] = self.start[dim] + first;
                slab.len[dim] = rows.min(self.len[dim] - first);
                slabs.push(slab.clone());
            }
            let next = (0..dim).rev().find(|&d| slab.start[d] + 1 < self.start[d] + self.len[d]);
            let Some(next) = next else { return slabs };
            slab.start[next] += 1;
            slab.start[next + 1..dim].copy_from_slice(&self.start[next + 1..dim]);
        }
    }
}

/// Returns the extents without duplicates, in the order of their first occurrence.
pub(crate) fn distinct(extents: impl IntoIterator<Item = Extent>) -> Vec<Extent> {
    let mut seen = indexmap::IndexSet::new();
    extents.into_iter().for_each(|extent| {
        seen.insert(extent);
    });
    seen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the row-major numbers of the elements of an extent.
    fn elements(extent: &Extent, shape: &Shape) -> Vec<usize> {
        let strides = shape.strides();
        let mut all = vec![0];
        for d in 0..shape.rank() {
            let range = extent.start[d]..extent.start[d] + extent.len[d];
            all = all
                .iter()
                .flat_map(|at| range.clone().map(move |i| (at, i)))
                .map(|(at, i)| at + i * strides[d])
                .collect();
        }
        all
    }

    #[test]
    fn slabs_are_consecutive_and_small() {
        let shape = Shape::from([3, 4, 5]);
        let inner = Extent { start: Index::from_slice(&[1, 0, 2]), len: Index::from_slice(&[2, 3, 3]) };
        for extent in [Extent::full(&shape), inner] {
            let expected = elements(&extent, &shape);
            for max in 1..=60 {
                let slabs = extent.slabs(max);
                let joined: Vec<usize> = slabs.iter().flat_map(|slab| elements(slab, &shape)).collect();
                assert_eq!(joined, expected, "{max}");
                assert!(slabs.iter().all(|slab| (1..=max).contains(&slab.count())), "{max} {slabs:?}");
            }
        }
        assert_eq!(Extent::full(&Shape::scalar()).slabs(1).len(), 1);
        assert!(Extent::full(&Shape::from([2, 0])).slabs(9).is_empty());
    }

    #[test]
    fn rows_are_divided_completely() {
        for (rows, parts) in [(7, 3), (2, 4), (0, 2), (8, 1)] {
            let shape = Shape::from([rows, 2]);
            let blocks = (0..parts).map(|part| Extent::of_rows(&shape, part, parts));
            let all: Vec<usize> = blocks.flat_map(|block| elements(&block, &shape)).collect();
            assert_eq!(all, (0..rows * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn intersections_have_the_common_elements() {
        let shape = Shape::from([4, 4]);
        let extent = |start: [usize; 2], len: [usize; 2]| Extent {
            start: Index::from_slice(&start),
            len: Index::from_slice(&len),
        };
        let (a, b) = (extent([0, 1], [3, 2]), extent([2, 0], [2, 2]));
        assert_eq!(a.intersection(&b).map(|common| elements(&common, &shape)), Some(vec![9]));
        assert_eq!(a.intersection(&extent([3, 0], [1, 4])), None);
        assert_eq!(b.start_in(&extent([1, 0], [3, 3])).to_vec(), [1, 0]);
    }
}
