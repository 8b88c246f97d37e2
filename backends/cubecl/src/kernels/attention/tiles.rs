//! Building blocks of attention and its gradients without tensor cores: square tiles of scores, of which each unit
//! keeps a few in registers.

use super::{AttentionSizes, DEPTH, PITCH, TILE, UNITS};
use crate::kernels::evaluate::strided_address;
use crate::kernels::half::{Half, rounded};
use crate::kernels::product::{Matrix, element};
use cubecl::prelude::*;

/// Number of rows, and of columns, of the scores of a tile that one unit computes.
pub(crate) const SQUARE: usize = 2;

/// Distance in a tile between the rows, and between the columns, of one unit.
const SQUARE_STRIDE: usize = TILE / SQUARE;

/// Returns the address of an element of a matrix that starts at the address `start`.
#[cube]
pub(crate) fn element_address(start: usize, row: usize, column: usize, #[comptime] matrix: Matrix) -> usize {
    strided_address(strided_address(start, row, comptime!(matrix.row)), column, comptime!(matrix.column))
}

/// A range of rows of a matrix in memory.
#[derive(CubeType, Clone, Copy)]
/// Address of the matrix.
pub(crate) struct Rows {
    /// First row of the range.
    pub(crate) start: usize,
    /// Number of rows of the matrix.
    pub(crate) first: usize,
    pub(crate) count: usize,
}

/// Copies a tile of [`TILE`] rows and [`DEPTH`] columns to shared memory in column-major order. Elements beyond the
/// matrix are zero.
#[cube]
fn load_tile<E: Float>(
    from: &[E],
    to: &mut Shared<[f32]>,
    rows: &Rows,
    column0: usize,
    #[comptime] columns: usize,
    #[comptime] matrix: Matrix,
) {
    // For coalesced loads, neighbouring units read neighbouring elements.
    let by_row = comptime!(matrix.row.unsigned_abs() < matrix.column.unsigned_abs());
    #[unroll]
    for i in 0..comptime!(TILE * DEPTH / UNITS) {
        let item = UNIT_POS as usize + comptime!(i * UNITS);
        let (r, c) = if comptime!(by_row) { (item % TILE, item / TILE) } else { (item / DEPTH, item % DEPTH) };
        let (row, column) = (rows.first + r, column0 + c);
        let from_here = element_address(rows.start, row, column, comptime!(matrix.clone()));
        to[c * PITCH + r] = element(from, from_here, row < rows.count && column < columns);
    }
}

/// Returns the row within a tile of a unit's score number `i`.
#[cube]
pub(crate) fn row_of(#[comptime] i: usize) -> usize {
    UNIT_POS as usize / SQUARE_STRIDE + comptime!(i / SQUARE * SQUARE_STRIDE)
}

/// Returns the column within a tile of a unit's score number `i`.
#[cube]
pub(crate) fn column_of(#[comptime] i: usize) -> usize {
    UNIT_POS as usize % SQUARE_STRIDE + comptime!(i % SQUARE * SQUARE_STRIDE)
}

/// Returns a unit's scores of a tile: dot products of rows of the left matrix with rows of the right matrix, over
/// `depth` columns.
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

/// Tiles of the two operands of [`dots`] in shared memory.
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

/// Distribution of a tile of result rows over the units of a cube: each unit has some columns of some consecutive rows.
#[derive(Clone, Copy)]
pub(crate) struct UnitShare {
    /// Units per row.
    pub(crate) width: usize,
    /// Rows of a unit.
    pub(crate) rows: usize,
    /// Columns of a unit, at a distance of `width`.
    pub(crate) columns: usize,
}

impl UnitShare {
    /// Returns the distribution of a result with the given number of columns.
    pub(crate) fn for_columns(columns: usize) -> UnitShare {
        let width = columns.next_power_of_two().clamp(UNITS / TILE, UNITS);
        UnitShare { width, rows: TILE * width / UNITS, columns: columns.div_ceil(width) }
    }

    /// Returns the number of result elements of a unit.
    pub(crate) fn count(self) -> usize {
        self.rows * self.columns
    }
}

/// Returns zeros for a unit's elements of a result.
#[cube]
pub(crate) fn zeros(#[comptime] share: UnitShare) -> Array<f32> {
    let mut sums = Array::<f32>::new(comptime!(share.count()));
    #[unroll]
    for i in 0..comptime!(share.count()) {
        sums[i] = 0.0;
    }
    sums
}

/// Adds the product of a tile of weights with rows of a matrix to a unit's elements of a result. Result row `r` is the
/// sum over `c` of weight `(r, c)` times row `c` of the matrix; with `transposed`, of weight `(c, r)` times row `c`.
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
    let share = comptime!(UnitShare::for_columns(columns));
    let (unit, group) = (UNIT_POS as usize % comptime!(share.width), UNIT_POS as usize / comptime!(share.width));
    for c in 0..TILE {
        let row = rows.first + c;
        #[unroll]
        for j in 0..comptime!(share.columns) {
            let column = unit + comptime!(j * share.width);
            let address = element_address(rows.start, row, column, comptime!(matrix.clone()));
            let x = element(from, address, row < rows.count && column < columns);
            #[unroll]
            for i in 0..comptime!(share.rows) {
                let mine = group * comptime!(share.rows) + i;
                let weight = if comptime!(transposed) { weights[c * PITCH + mine] } else { weights[mine * PITCH + c] };
                sums[comptime!(i * share.columns + j)] += weight * x;
            }
        }
    }
}

/// Writes a unit's elements of a result.
#[cube]
pub(crate) fn store<E: Float>(
    sums: &Array<f32>,
    to: &mut [E],
    rows: &Rows,
    #[comptime] columns: usize,
    #[comptime] half: Option<Half>,
    #[comptime] matrix: Matrix,
) {
    let share = comptime!(UnitShare::for_columns(columns));
    let (unit, group) = (UNIT_POS as usize % comptime!(share.width), UNIT_POS as usize / comptime!(share.width));
    #[unroll]
    for i in 0..comptime!(share.rows) {
        #[unroll]
        for j in 0..comptime!(share.columns) {
            let row = rows.first + group * comptime!(share.rows) + i;
            let column = unit + comptime!(j * share.width);
            if row < rows.count && column < columns {
                let sum = sums[comptime!(i * share.columns + j)];
                let sum = match half {
                    Some(half) => rounded(sum, half),
                    None => sum,
                };
                to[element_address(rows.start, row, column, comptime!(matrix.clone()))] = E::cast_from(sum);
            }
        }
    }
}

/// Returns true if the query of a row may attend to the key of a column, given the causal mask and the mask operand.
/// `start` is the address of the mask of the batch element.
#[cube]
pub(crate) fn is_visible(
    masks: &Sequence<Box<[u32]>>,
    start: usize,
    row: usize,
    column: usize,
    rows: usize,
    #[comptime] sizes: AttentionSizes,
) -> bool {
    let seen = RuntimeCell::<bool>::new(column < comptime!(sizes.columns) && row < rows);
    if comptime!(sizes.causal) {
        seen.store(seen.read() && column + comptime!(sizes.rows) <= row + comptime!(sizes.columns));
    }
    if comptime!(sizes.mask.is_some()) {
        if seen.read() {
            let mask = comptime!(sizes.mask.clone().unwrap_or_default());
            seen.store(masks.index(0)[element_address(start, row, column, mask)] != 0u32);
        }
    }
    seen.read()
}

/// Returns the number of leading columns to which any of `count` rows from `row0` on may attend under the causal mask.
#[cube]
pub(crate) fn visible_columns(row0: usize, #[comptime] count: usize, #[comptime] sizes: AttentionSizes) -> usize {
    let (rows, columns) = comptime!((sizes.rows, sizes.columns));
    if comptime!(sizes.causal) {
        // Number of columns to which the last row may attend.
        let last = row0 + comptime!(count + columns);
        select(last <= rows, 0, (last - rows).min(columns))
    } else {
        columns.runtime()
    }
}
