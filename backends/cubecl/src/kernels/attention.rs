//! `attention`: scaled dot-product attention, tile by tile: scores are in shared memory only.
//!
//! A cube computes some rows of one batch. The softmax runs along the columns: each row keeps the largest score so far
//! and the sum of the exponentials below it, and what was summed up is scaled down when a larger score comes (Milakov
//! and Gimelshein 2018; Dao et al. 2022, FlashAttention).

pub(crate) mod fragments;
pub(crate) mod gradients;
mod softmax;
pub(crate) mod tensor;
pub(crate) mod tensor_gradients;
mod tiles;

use super::evaluate::{float, place};
use super::half::Half;
use super::product::Matrix;
use cubecl::prelude::*;
use softmax::{Softmax, lowest};
use tiles::{Rows, SQUARE, Share, Tiles, accumulate, column_of, columns_seen, dots, row_of, sees, store, zeros};

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// Rows of queries of a cube, and as many columns of keys at a time.
pub(crate) const TILE: usize = 32;

/// Elements of queries and keys that are in shared memory at a time. Neighbours are one further apart, so that they lie
/// in different banks.
const DEPTH: usize = 32;
const PITCH: usize = TILE + 1;

/// Units that share a row while its softmax is computed.
const SHARERS: usize = UNITS / TILE;

/// An attention's sizes, and where its operands lie.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Attend {
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Elements of a query and of a value.
    pub(crate) key: usize,
    pub(crate) value: usize,
    pub(crate) queries: Matrix,
    pub(crate) keys: Matrix,
    pub(crate) values: Matrix,
    pub(crate) result: Matrix,
    /// Which scores are seen, if not all of them are.
    pub(crate) mask: Option<Matrix>,
    /// Row `i` sees columns `j <= i + columns - rows` only.
    pub(crate) causal: bool,
    /// Bits of the factor of scores.
    pub(crate) scale: u32,
    /// To what results are rounded that memory holds as words.
    pub(crate) half: Option<Half>,
}

impl Attend {
    /// How many cubes there are.
    pub(crate) fn cubes(&self) -> usize {
        self.batch * self.rows.div_ceil(TILE)
    }

    /// How many masks there are.
    pub(crate) fn masks(&self) -> usize {
        usize::from(self.mask.is_some())
    }
}

/// Attention.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn attention<E: Float>(
    queries: &[E],
    keys: &[E],
    values: &[E],
    masks: &Sequence<Box<[u32]>>,
    result: &mut [E],
    #[comptime] sizes: Attend,
) {
    let blocks = comptime!(sizes.rows.div_ceil(TILE));
    let batch = CUBE_POS / blocks;
    let row0 = CUBE_POS % blocks * TILE;
    // There may be more cubes than tiles: they have no rows.
    let rows = select(batch < comptime!(sizes.batch), comptime!(sizes.rows), 0);
    let q0 = place(batch, comptime!(sizes.queries.of_batch.clone()));
    let k0 = place(batch, comptime!(sizes.keys.of_batch.clone()));
    let v0 = place(batch, comptime!(sizes.values.of_batch.clone()));
    let result0 = place(batch, comptime!(sizes.result.of_batch.clone()));
    let mask0 = place(batch, comptime!(sizes.mask.clone().unwrap_or_default().of_batch));
    let query_rows = Rows { start: q0, first: row0, count: rows };

    let mut tiles = Tiles::new();
    let mut weights = Shared::<[f32]>::new_slice(comptime!(PITCH * TILE));
    let mut softmax = Softmax::new();
    let share = comptime!(Share::of(sizes.value));
    let mut sums = zeros(share);
    let group = UNIT_POS as usize / comptime!(share.width);
    for tile in 0..columns_seen(row0, TILE, comptime!(sizes.clone())).div_ceil(TILE) {
        let column0 = tile * TILE;
        let columns = select(rows > 0, comptime!(sizes.columns), 0);
        let key_rows = Rows { start: k0, first: column0, count: columns };
        let (q, k) = comptime!((sizes.queries.clone(), sizes.keys.clone()));
        let scores = dots(queries, keys, &mut tiles, &query_rows, &key_rows, comptime!(sizes.key), q, k);
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            let (r, c) = (row_of(i), column_of(i));
            let is_seen = sees(masks, mask0, row0 + r, column0 + c, rows, comptime!(sizes.clone()));
            let score = scores[i] * float(comptime!(sizes.scale));
            weights[r * PITCH + c] = select(is_seen, score, lowest());
        }
        sync_cube();
        softmax.take(&mut weights);
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
    let part = UNIT_POS as usize % SHARERS;
    if part == 0usize {
        softmax.factors[UNIT_POS as usize / SHARERS] = softmax.total();
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
