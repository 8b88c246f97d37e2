//! What attention and its gradients are made of: square tiles of scores, a few of which each unit has in registers.

use super::{Attend, DEPTH, PITCH, TILE, UNITS};
use crate::kernels::evaluate::stepped;
use crate::kernels::half::{Half, rounded};
use crate::kernels::product::{Matrix, element};
use cubecl::prelude::*;

/// A unit has so many rows and columns of a tile of scores.
pub(crate) const SQUARE: usize = 2;

/// How far they are apart.
const APART: usize = TILE / SQUARE;

/// Where an element of a matrix is.
#[cube]
pub(crate) fn at(start: usize, row: usize, column: usize, #[comptime] matrix: Matrix) -> usize {
    stepped(stepped(start, row, comptime!(matrix.row)), column, comptime!(matrix.column))
}

/// Some rows of a matrix in memory: where it begins, the first row, and how many there are in all.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) start: usize,
    pub(crate) first: usize,
    pub(crate) count: usize,
}

/// Copies a tile to shared memory, column by column, with zeros where there is nothing.
#[cube]
fn load_tile<E: Float>(
    from: &[E],
    to: &mut Shared<[f32]>,
    rows: &Rows,
    column0: usize,
    #[comptime] columns: usize,
    #[comptime] matrix: Matrix,
) {
    // Neighbours read what lies side by side.
    let by_row = comptime!(matrix.row.unsigned_abs() < matrix.column.unsigned_abs());
    #[unroll]
    for i in 0..comptime!(TILE * DEPTH / UNITS) {
        let item = UNIT_POS as usize + comptime!(i * UNITS);
        let (r, c) = if comptime!(by_row) { (item % TILE, item / TILE) } else { (item / DEPTH, item % DEPTH) };
        let (row, column) = (rows.first + r, column0 + c);
        let from_here = at(rows.start, row, column, comptime!(matrix.clone()));
        to[c * PITCH + r] = element(from, from_here, row < rows.count && column < columns);
    }
}

/// The row of a unit's score `i` within a tile, and its column.
#[cube]
pub(crate) fn row_of(#[comptime] i: usize) -> usize {
    UNIT_POS as usize / APART + comptime!(i / SQUARE * APART)
}

/// As [`row_of`].
#[cube]
pub(crate) fn column_of(#[comptime] i: usize) -> usize {
    UNIT_POS as usize % APART + comptime!(i % SQUARE * APART)
}

/// The products of a tile's rows of one matrix with those of another, summed over `depth` columns.
#[cube]
pub(crate) fn dots<E: Float>(
    left: &[E],
    right: &[E],
    tiles: &mut Tiles,
    left_rows: &Rows,
    right_rows: &Rows,
    #[comptime] depth: usize,
    #[comptime] left_matrix: Matrix,
    #[comptime] right_matrix: Matrix,
) -> Array<f32> {
    let mut sums = Array::<f32>::new(comptime!(SQUARE * SQUARE));
    #[unroll]
    for i in 0..comptime!(SQUARE * SQUARE) {
        sums[i] = 0.0;
    }
    for step in 0..comptime!(depth.div_ceil(DEPTH)) {
        load_tile(left, &mut tiles.left, left_rows, step * DEPTH, depth, comptime!(left_matrix.clone()));
        load_tile(right, &mut tiles.right, right_rows, step * DEPTH, depth, comptime!(right_matrix.clone()));
        sync_cube();
        for d in 0..DEPTH {
            #[unroll]
            for i in 0..comptime!(SQUARE * SQUARE) {
                sums[i] += tiles.left[d * PITCH + row_of(i)] * tiles.right[d * PITCH + column_of(i)];
            }
        }
        sync_cube();
    }
    sums
}

/// Tiles of operands in shared memory.
#[derive(CubeType)]
pub(crate) struct Tiles {
    left: Shared<[f32]>,
    right: Shared<[f32]>,
}

#[cube]
impl Tiles {
    pub(crate) fn new() -> Tiles {
        Tiles {
            left: Shared::<[f32]>::new_slice(comptime!(PITCH * DEPTH)),
            right: Shared::<[f32]>::new_slice(comptime!(PITCH * DEPTH)),
        }
    }
}

/// How a tile's rows of a result with so many columns are shared: a unit has one column, or several, of some rows.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    /// Units that stand side by side.
    pub(crate) width: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Share {
    pub(crate) fn of(columns: usize) -> Share {
        let width = columns.next_power_of_two().clamp(UNITS / TILE, UNITS);
        Share { width, rows: TILE * width / UNITS, columns: columns.div_ceil(width) }
    }

    pub(crate) fn count(self) -> usize {
        self.rows * self.columns
    }
}

/// Zeros for a share of a result.
#[cube]
pub(crate) fn zeros(#[comptime] share: Share) -> Array<f32> {
    let mut sums = Array::<f32>::new(comptime!(share.count()));
    #[unroll]
    for i in 0..comptime!(share.count()) {
        sums[i] = 0.0;
    }
    sums
}

/// Adds to a share of a result what a tile of weights gives of some rows of a matrix: weight `(r, c)` of row `c`, or if
/// `transposed` of column `r`.
#[cube]
pub(crate) fn accumulate<E: Float>(
    sums: &mut Array<f32>,
    weights: &Shared<[f32]>,
    from: &[E],
    rows: &Rows,
    #[comptime] columns: usize,
    #[comptime] transposed: bool,
    #[comptime] matrix: Matrix,
) {
    let share = comptime!(Share::of(columns));
    let (lane, group) = (UNIT_POS as usize % comptime!(share.width), UNIT_POS as usize / comptime!(share.width));
    for c in 0..TILE {
        let row = rows.first + c;
        #[unroll]
        for j in 0..comptime!(share.columns) {
            let column = lane + comptime!(j * share.width);
            let place = at(rows.start, row, column, comptime!(matrix.clone()));
            let x = element(from, place, row < rows.count && column < columns);
            #[unroll]
            for i in 0..comptime!(share.rows) {
                let mine = group * comptime!(share.rows) + i;
                let weight = if comptime!(transposed) { weights[c * PITCH + mine] } else { weights[mine * PITCH + c] };
                sums[comptime!(i * share.columns + j)] += weight * x;
            }
        }
    }
}

/// Writes a share of a result.
#[cube]
pub(crate) fn store<E: Float>(
    sums: &Array<f32>,
    to: &mut [E],
    rows: &Rows,
    #[comptime] columns: usize,
    #[comptime] half: Option<Half>,
    #[comptime] matrix: Matrix,
) {
    let share = comptime!(Share::of(columns));
    let (lane, group) = (UNIT_POS as usize % comptime!(share.width), UNIT_POS as usize / comptime!(share.width));
    #[unroll]
    for i in 0..comptime!(share.rows) {
        #[unroll]
        for j in 0..comptime!(share.columns) {
            let row = rows.first + group * comptime!(share.rows) + i;
            let column = lane + comptime!(j * share.width);
            if row < rows.count && column < columns {
                let sum = sums[comptime!(i * share.columns + j)];
                let sum = match half {
                    Some(half) => rounded(sum, half),
                    None => sum,
                };
                to[at(rows.start, row, column, comptime!(matrix.clone()))] = E::cast_from(sum);
            }
        }
    }
}

/// Whether a row sees a column.
#[cube]
pub(crate) fn sees(
    masks: &Sequence<Box<[u32]>>,
    start: usize,
    row: usize,
    column: usize,
    rows: usize,
    #[comptime] sizes: Attend,
) -> bool {
    let seen = RuntimeCell::<bool>::new(column < comptime!(sizes.columns) && row < rows);
    if comptime!(sizes.causal) {
        seen.store(seen.read() && column + comptime!(sizes.rows) <= row + comptime!(sizes.columns));
    }
    if comptime!(sizes.mask.is_some()) {
        if seen.read() {
            let mask = comptime!(sizes.mask.clone().unwrap_or_default());
            seen.store(masks.index(0)[at(start, row, column, mask)] != 0u32);
        }
    }
    seen.read()
}

/// How many columns so many rows see at most.
#[cube]
pub(crate) fn columns_seen(row0: usize, #[comptime] count: usize, #[comptime] sizes: Attend) -> usize {
    let (rows, columns) = comptime!((sizes.rows, sizes.columns));
    if comptime!(sizes.causal) {
        // What the last row sees.
        let last = row0 + comptime!(count + columns);
        select(last <= rows, 0, (last - rows).min(columns))
    } else {
        columns.runtime()
    }
}
