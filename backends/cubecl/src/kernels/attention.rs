//! `attention`: tiled scaled dot-product attention without tensor cores. Scores exist in shared memory only.
//!
//! A cube computes a tile of rows of one batch. The softmax over columns is online: each row has a running maximum and
//! a running sum of exponentials, and the accumulated values are rescaled when the maximum increases (Milakov and
//! Gimelshein 2018; Dao et al. 2022, FlashAttention).

pub(crate) mod fragments;
pub(crate) mod gradients;
mod softmax;
pub(crate) mod tensor;
pub(crate) mod tensor_gradients;
mod tiles;

use super::evaluate::{address, float};
use super::half::Half;
use super::product::Matrix;
use cubecl::prelude::*;
use softmax::{Softmax, masked_score};
use tiles::{
    Rows, SQUARE, Tiles, UnitShare, accumulate, column_of, dots, is_visible, row_of, store, visible_columns, zeros,
};

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// Rows of queries of a cube and of a tile, and columns of keys of a tile.
pub(crate) const TILE: usize = 32;

/// Elements of a query or key that a tile in shared memory contains.
const DEPTH: usize = 32;
/// Distance in shared memory between the columns of a tile of queries or keys, and between the rows of a tile of
/// scores: one more than their length, which avoids bank conflicts.
const PITCH: usize = TILE + 1;

/// Units per row of the softmax.
const UNITS_PER_ROW: usize = UNITS / TILE;

/// Sizes of an attention op and layouts of its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AttentionSizes {
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Elements of a query and of a key.
    pub(crate) key: usize,
    /// Elements of a value.
    pub(crate) value: usize,
    /// Layouts of queries, keys, values and result.
    pub(crate) queries: Matrix,
    pub(crate) keys: Matrix,
    pub(crate) values: Matrix,
    pub(crate) result: Matrix,
    /// Layout of the mask, if any: row `i` may attend to column `j` if element `(i, j)` is not zero.
    pub(crate) mask: Option<Matrix>,
    /// True if row `i` is restricted to the columns `j <= i + columns - rows`.
    pub(crate) causal: bool,
    /// The factor of the scores as bits of an `f32`.
    pub(crate) scale: u32,
    /// The 16-bit float type to which results are rounded if memory stores them as 32-bit words.
    pub(crate) half: Option<Half>,
}

impl AttentionSizes {
    /// Returns the number of cubes of the kernel.
    pub(crate) fn cubes(&self) -> usize {
        self.batch * self.rows.div_ceil(TILE)
    }

    /// Returns the number of mask operands: 0 or 1.
    pub(crate) fn masks(&self) -> usize {
        usize::from(self.mask.is_some())
    }
}

/// Computes attention.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn attention<E: Float>(
    queries: &[E],
    keys: &[E],
    values: &[E],
    masks: &Sequence<Box<[u32]>>,
    result: &mut [E],
    #[comptime] sizes: AttentionSizes,
) {
    let blocks = comptime!(sizes.rows.div_ceil(TILE));
    let batch = CUBE_POS / blocks;
    let row0 = CUBE_POS % blocks * TILE;
    // A grid may have more cubes than tiles; the extra cubes have no rows.
    let rows = select(batch < comptime!(sizes.batch), comptime!(sizes.rows), 0);
    let q0 = address(batch, comptime!(sizes.queries.batch_map.clone()));
    let k0 = address(batch, comptime!(sizes.keys.batch_map.clone()));
    let v0 = address(batch, comptime!(sizes.values.batch_map.clone()));
    let result0 = address(batch, comptime!(sizes.result.batch_map.clone()));
    let mask0 = address(batch, comptime!(sizes.mask.clone().unwrap_or_default().batch_map));
    let query_rows = Rows { start: q0, first: row0, count: rows };

    let mut tiles = Tiles::new();
    let mut weights = Shared::<[f32]>::new_slice(comptime!(PITCH * TILE));
    let mut softmax = Softmax::new();
    let share = comptime!(UnitShare::for_columns(sizes.value));
    let mut sums = zeros(share);
    let group = UNIT_POS as usize / comptime!(share.width);
    for tile in 0..visible_columns(row0, TILE, comptime!(sizes.clone())).div_ceil(TILE) {
        let column0 = tile * TILE;
        let columns = select(rows > 0, comptime!(sizes.columns), 0);
        let key_rows = Rows { start: k0, first: column0, count: columns };
        let (q, k) = comptime!((sizes.queries.clone(), sizes.keys.clone()));
        let scores = dots(queries, keys, &mut tiles, &query_rows, &key_rows, comptime!(sizes.key), q, k);
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            let (r, c) = (row_of(i), column_of(i));
            let visible = is_visible(masks, mask0, row0 + r, column0 + c, rows, comptime!(sizes.clone()));
            let score = scores[i] * float(comptime!(sizes.scale));
            weights[r * PITCH + c] = select(visible, score, masked_score());
        }
        sync_cube();
        softmax.add_tile(&mut weights);
        #[unroll]
        for i in 0..comptime!(share.rows) {
            #[unroll]
            for j in 0..comptime!(share.columns) {
                sums[comptime!(i * share.columns + j)] *= softmax.factors[group * comptime!(share.rows) + i];
            }
        }
        let value_rows = Rows { start: v0, first: column0, count: columns };
        let v = comptime!(sizes.values.clone());
        accumulate(&mut sums, &weights, values, &value_rows, comptime!(sizes.value), false, v);
        sync_cube();
    }
    let part = UNIT_POS as usize % UNITS_PER_ROW;
    if part == 0usize {
        softmax.factors[UNIT_POS as usize / UNITS_PER_ROW] = softmax.divisor();
    }
    sync_cube();
    #[unroll]
    for i in 0..comptime!(share.rows) {
        #[unroll]
        for j in 0..comptime!(share.columns) {
            sums[comptime!(i * share.columns + j)] /= softmax.factors[group * comptime!(share.rows) + i];
        }
    }
    let result_rows = Rows { start: result0, first: row0, count: rows };
    store(&sums, result, &result_rows, comptime!(sizes.value), sizes.half, comptime!(sizes.result.clone()));
}
