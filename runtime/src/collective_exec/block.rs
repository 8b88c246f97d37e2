//! Geometry of a block of elements that a collective moves from operands to results: contiguous rows, divided into
//! tiles.

use crate::collective_exec::row_transfers::StridedRows;
use partita_ir::dtype::Shape;
use smallvec::SmallVec;
use std::ops::Range;

/// Multi-dimensional index of the first element of a block.
pub(super) type Corner = SmallVec<[usize; 4]>;

/// Bytes of a tile, chosen so that the tiles of all members together fit into the L2 cache.
const TILE_BYTES: usize = 16 << 10;

/// Box of elements in an operand and in a result, as rows of elements that are contiguous in both.
#[derive(Debug)]
pub(super) struct Block {
    /// Number of elements of a row.
    pub(super) run: usize,
    /// Dimensions that enumerate the rows, outermost first.
    outer: SmallVec<[Dim; 3]>,
    /// Offset of the first row.
    start: Offset,
    rows: usize,
}

/// Dimension of a box: extent, and strides in elements.
#[derive(Clone, Copy, Debug)]
struct Dim {
    extent: usize,
    stride: Offset,
}

/// Offset in elements in an operand and in a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Offset {
    pub(super) input: usize,
    pub(super) output: usize,
}

/// Part of a block: a range of its rows, and a range of elements in each row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    pub(super) rows: Range<usize>,
    pub(super) run: Range<usize>,
}

impl Tile {
    /// Returns the number of elements.
    pub(super) fn count(&self) -> usize {
        self.rows.len() * self.run.len()
    }
}

impl Block {
    /// Creates the block of shape `extent` that starts at index `out_of` of the operand and at index `into` of the
    /// result. The block must be inside both.
    pub(super) fn new(operand: &Shape, out_of: &[usize], result: &Shape, into: &[usize], extent: &Shape) -> Block {
        let strides = (operand.strides(), result.strides());
        let offset = |at: &[usize], strides: &[usize]| at.iter().zip(strides).map(|(i, s)| i * s).sum();
        let start = Offset { input: offset(out_of, &strides.0), output: offset(into, &strides.1) };
        // Trailing dimensions that the box covers completely in both tensors are merged into rows, together with the
        // next outer dimension.
        let covered = |d: &usize| extent[*d] == operand[*d] && extent[*d] == result[*d];
        let covered_dims = (0..extent.rank()).rev().take_while(covered).count();
        let inner = extent.rank().saturating_sub(covered_dims + 1);
        let dim = |d: usize| Dim { extent: extent[d], stride: Offset { input: strides.0[d], output: strides.1[d] } };
        // A dimension of extent 1 does not enumerate rows.
        let outer: SmallVec<[Dim; 3]> = (0..inner).map(dim).filter(|d| d.extent != 1).collect();
        let rows = if extent.contains(&0) { 0 } else { outer.iter().map(|d| d.extent).product() };
        Block { run: extent[inner..].iter().product(), outer, start, rows }
    }

    /// Creates a block of one row at the same position in operand and result.
    pub(super) fn flat(range: Range<usize>) -> Block {
        let start = Offset { input: range.start, output: range.start };
        Block { run: range.len(), outer: SmallVec::new(), start, rows: usize::from(!range.is_empty()) }
    }

    /// Returns the number of rows; 0 for an empty block.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the offset of the first element in one of the tensors, which `of` selects; `None` if the elements are
    /// not contiguous there.
    pub(super) fn contiguous(&self, of: fn(Offset) -> usize) -> Option<usize> {
        let mut inner = self.run;
        for dim in self.outer.iter().rev() {
            if of(dim.stride) != inner {
                return None;
            }
            inner *= dim.extent;
        }
        Some(of(self.start))
    }

    /// Returns all rows, grouped into sequences of equally spaced rows.
    pub(super) fn strided_rows(&self) -> impl Iterator<Item = StridedRows> + '_ {
        let last = self.outer.last();
        let (count, pitch) = last.map_or((1, (0, 0)), |dim| (dim.extent, (dim.stride.input, dim.stride.output)));
        let all = Tile { rows: 0..self.rows, run: 0..self.run };
        let first_rows = self.offsets(&all).step_by(count.max(1)).collect::<Vec<_>>();
        first_rows.into_iter().map(move |at| StridedRows {
            count,
            run: self.run,
            operand: (at.input, pitch.0),
            result: (at.output, pitch.1),
        })
    }

    /// Returns the number of elements.
    pub(super) fn count(&self) -> usize {
        self.rows * self.run
    }

    /// Returns the number of elements of a tile's row and the number of rows of a tile, for elements of `width` bytes.
    fn tile_shape(&self, width: usize) -> (usize, usize) {
        let most = TILE_BYTES / width;
        (self.run.min(most), (most / self.run.max(1)).max(1))
    }

    /// Returns the number of tiles, for elements of `width` bytes.
    pub(super) fn tiles(&self, width: usize) -> usize {
        let (run, rows) = self.tile_shape(width);
        self.rows.div_ceil(rows) * self.run.div_ceil(run.max(1))
    }

    /// Returns the total number of rows of all tiles. A row of the block that several tiles divide counts once per
    /// tile.
    pub(super) fn tile_rows(&self, width: usize) -> usize {
        self.rows * self.run.div_ceil(self.tile_shape(width).0.max(1))
    }

    /// Returns the tile with the given number, counted along rows first.
    pub(super) fn tile(&self, width: usize, number: usize) -> Tile {
        let (run, rows) = self.tile_shape(width);
        let across = self.run.div_ceil(run.max(1)).max(1);
        let (row, column) = (number / across * rows, number % across * run);
        Tile { rows: row..(row + rows).min(self.rows), run: column..(column + run).min(self.run) }
    }

    /// Returns the offset of the first element of each row of a tile.
    pub(super) fn offsets(&self, tile: &Tile) -> impl Iterator<Item = Offset> + '_ {
        let column = tile.run.start;
        let first = self.start;
        let mut index: SmallVec<[usize; 3]> = SmallVec::from_elem(0, self.outer.len());
        let mut at = Offset { input: first.input + column, output: first.output + column };
        let mut rest = tile.rows.start;
        for (i, dim) in index.iter_mut().zip(&self.outer).rev() {
            (*i, rest) = (rest % dim.extent, rest / dim.extent);
            at.input += *i * dim.stride.input;
            at.output += *i * dim.stride.output;
        }
        tile.rows.clone().map(move |_| {
            let here = at;
            for (i, dim) in index.iter_mut().zip(&self.outer).rev() {
                *i += 1;
                at.input += dim.stride.input;
                at.output += dim.stride.output;
                if *i < dim.extent {
                    break;
                }
                at.input -= dim.stride.input * dim.extent;
                at.output -= dim.stride.output * dim.extent;
                *i = 0;
            }
            here
        })
    }
}
