//! Where the elements of a chunk lie: rows of a box in an operand and in a result, and how they are cut into tiles.

use crate::exchange::motion::Rows;
use partita_ir::dtype::Shape;
use smallvec::SmallVec;
use std::ops::Range;

/// An index in every dimension.
pub(super) type Corner = SmallVec<[usize; 4]>;

/// A tile has about so many bytes: those of all members together fit into the second cache.
const TILE_BYTES: usize = 16 << 10;

/// The rows of a box; the elements of a row lie next to each other.
#[derive(Debug)]
pub(super) struct Block {
    /// Elements of a row.
    pub(super) run: usize,
    /// The dimensions that number the rows.
    outer: SmallVec<[Dim; 3]>,
    /// Where the first row begins.
    start: Offset,
    rows: usize,
}

/// One dimension: its extent, and how far its elements are apart.
#[derive(Clone, Copy, Debug)]
struct Dim {
    extent: usize,
    stride: Offset,
}

/// Elements before it in an operand, in a result, and in scratch memory of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Offset {
    pub(super) input: usize,
    pub(super) output: usize,
}

/// Some rows, and which elements of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    pub(super) rows: Range<usize>,
    pub(super) run: Range<usize>,
}

impl Tile {
    /// How many elements it has.
    pub(super) fn count(&self) -> usize {
        self.rows.len() * self.run.len()
    }
}

impl Block {
    /// The box of `extent` elements from index `out_of` of an operand, which lies at index `into` of a result. It must
    /// lie inside both.
    pub(super) fn new(operand: &Shape, out_of: &[usize], result: &Shape, into: &[usize], extent: &Shape) -> Block {
        let strides = (operand.strides(), result.strides());
        let offset = |at: &[usize], strides: &[usize]| at.iter().zip(strides).map(|(i, s)| i * s).sum();
        let start = Offset { input: offset(out_of, &strides.0), output: offset(into, &strides.1) };
        // Dimensions that the box covers in both make rows longer; the one above them is the last to do so.
        let covered = |d: &usize| extent[*d] == operand[*d] && extent[*d] == result[*d];
        let whole = (0..extent.rank()).rev().take_while(covered).count();
        let inner = extent.rank().saturating_sub(whole + 1);
        let dim = |d: usize| Dim { extent: extent[d], stride: Offset { input: strides.0[d], output: strides.1[d] } };
        // What has one element numbers nothing.
        let outer: SmallVec<[Dim; 3]> = (0..inner).map(dim).filter(|d| d.extent != 1).collect();
        let rows = if extent.contains(&0) { 0 } else { outer.iter().map(|d| d.extent).product() };
        Block { run: extent[inner..].iter().product(), outer, start, rows }
    }

    /// A range of the elements, at the same place in both.
    pub(super) fn flat(range: Range<usize>) -> Block {
        let start = Offset { input: range.start, output: range.start };
        Block { run: range.len(), outer: SmallVec::new(), start, rows: usize::from(!range.is_empty()) }
    }

    /// How many rows it has; none if it is empty.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// All rows, as many at a time as are equally far apart.
    pub(super) fn boxes(&self) -> impl Iterator<Item = Rows> + '_ {
        let last = self.outer.last();
        let (count, pitch) = last.map_or((1, (0, 0)), |dim| (dim.extent, (dim.stride.input, dim.stride.output)));
        let all = Tile { rows: 0..self.rows, run: 0..self.run };
        let first_rows = self.offsets(&all).step_by(count.max(1)).collect::<Vec<_>>();
        first_rows.into_iter().map(move |at| Rows {
            count,
            run: self.run,
            operand: (at.input, pitch.0),
            result: (at.output, pitch.1),
        })
    }

    /// How many elements it has.
    pub(super) fn count(&self) -> usize {
        self.rows * self.run
    }

    /// Elements of a tile's row, and rows of a tile, if an element has so many bytes.
    fn cut(&self, width: usize) -> (usize, usize) {
        let most = TILE_BYTES / width;
        (self.run.min(most), (most / self.run.max(1)).max(1))
    }

    /// How many tiles it is cut into.
    pub(super) fn tiles(&self, width: usize) -> usize {
        let (run, rows) = self.cut(width);
        self.rows.div_ceil(rows) * self.run.div_ceil(run.max(1))
    }

    /// How many rows its tiles have all together.
    pub(super) fn lines(&self, width: usize) -> usize {
        self.rows * self.run.div_ceil(self.cut(width).0.max(1))
    }

    /// The tile of that number.
    pub(super) fn tile(&self, width: usize, number: usize) -> Tile {
        let (run, rows) = self.cut(width);
        let across = self.run.div_ceil(run.max(1)).max(1);
        let (row, column) = (number / across * rows, number % across * run);
        Tile { rows: row..(row + rows).min(self.rows), run: column..(column + run).min(self.run) }
    }

    /// Where each row of a tile begins.
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
