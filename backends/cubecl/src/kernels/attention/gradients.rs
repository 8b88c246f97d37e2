//! The gradients of attention. Scores are computed again, twice: row by row for the gradient of the queries, which
//! finds what the softmax of each row divides by, and column by column for those of keys and values.

use super::softmax::{Softmax, lowest};
use super::tiles::{
    Rows, SQUARE, Share, Tiles, accumulate, at, column_of, columns_seen, dots, row_of, sees, store, zeros,
};
use super::{Attend, PITCH, SHARERS, TILE};
use crate::kernels::evaluate::{float, place};
use crate::kernels::product::Matrix;
use cubecl::prelude::*;

/// An attention's sizes, and where what else belongs to its gradients lies. Where the attention wrote its result, there
/// it is read.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Gradients {
    pub(crate) of: Attend,
    /// The gradient of the attention's result.
    pub(crate) given: Matrix,
    pub(crate) queries: Matrix,
    pub(crate) keys: Matrix,
    pub(crate) values: Matrix,
}

impl Gradients {
    /// How many cubes there are for keys and values.
    pub(crate) fn column_cubes(&self) -> usize {
        self.of.batch * self.of.columns.div_ceil(TILE)
    }
}

/// The gradient of the queries; and for each row the logarithm of the sum of its scores' exponentials, and the sum of
/// its result times that result's gradient.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn query_gradient<E: Float>(
    queries: &[E],
    keys: &[E],
    values: &[E],
    result: &[E],
    given: &[E],
    masks: &Sequence<Box<[u32]>>,
    to_queries: &mut [E],
    totals: &mut [f32],
    means: &mut [f32],
    #[comptime] sizes: Gradients,
) {
    let of = comptime!(sizes.of.clone());
    let blocks = comptime!(of.rows.div_ceil(TILE));
    let batch = CUBE_POS / blocks;
    let row0 = CUBE_POS % blocks * TILE;
    // There may be more cubes than tiles: they have no rows.
    let rows = select(batch < comptime!(of.batch), comptime!(of.rows), 0);
    let columns = select(batch < comptime!(of.batch), comptime!(of.columns), 0);
    let k0 = place(batch, comptime!(of.keys.of_batch.clone()));
    let v0 = place(batch, comptime!(of.values.of_batch.clone()));
    let mask0 = place(batch, comptime!(of.mask.clone().unwrap_or_default().of_batch));
    let query_rows = Rows { start: place(batch, comptime!(of.queries.of_batch.clone())), first: row0, count: rows };
    let result_rows = Rows { start: place(batch, comptime!(of.result.of_batch.clone())), first: row0, count: rows };
    let given_rows = Rows { start: place(batch, comptime!(sizes.given.of_batch.clone())), first: row0, count: rows };

    let mut tiles = Tiles::new();
    let mut weights = Shared::<[f32]>::new_slice(comptime!(PITCH * TILE));
    let mut row_means = Shared::<[f32]>::new_slice(TILE);
    let mut softmax = Softmax::new();
    let tile_count = columns_seen(row0, TILE, comptime!(of.clone())).div_ceil(TILE);
    for tile in 0..tile_count {
        let key_rows = Rows { start: k0, first: tile * TILE, count: columns };
        let (q, k) = comptime!((of.queries.clone(), of.keys.clone()));
        let scores = dots(queries, keys, &mut tiles, &query_rows, &key_rows, comptime!(of.key), q, k);
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            let (r, c) = (row_of(i), column_of(i));
            let is_seen = sees(masks, mask0, row0 + r, tile * TILE + c, rows, comptime!(of.clone()));
            weights[r * PITCH + c] = select(is_seen, scores[i] * float(comptime!(of.scale)), lowest());
        }
        sync_cube();
        softmax.take(&mut weights);
    }
    let (row, part) = (UNIT_POS as usize / SHARERS, UNIT_POS as usize % SHARERS);
    let mean = RuntimeCell::<f32>::new(0.0);
    if row0 + row < rows {
        for turn in 0..comptime!(of.value.div_ceil(SHARERS)) {
            let column = turn * SHARERS + part;
            if column < comptime!(of.value) {
                let y = result[at(result_rows.start, row0 + row, column, comptime!(of.result.clone()))];
                let g = given[at(given_rows.start, row0 + row, column, comptime!(sizes.given.clone()))];
                mean.store(mean.read() + f32::cast_from(y) * f32::cast_from(g));
            }
        }
    }
    let mean = softmax.over_row(mean.read());
    let total = softmax.max.read() + softmax.total().ln();
    if part == 0usize {
        softmax.factors[row] = total;
        row_means[row] = mean;
        if row0 + row < rows {
            totals[batch * comptime!(of.rows) + row0 + row] = total;
            means[batch * comptime!(of.rows) + row0 + row] = mean;
        }
    }
    // Products wait for all units, before and behind what is read here.
    let mut sums = zeros(comptime!(Share::of(of.key)));
    for tile in 0..tile_count {
        let key_rows = Rows { start: k0, first: tile * TILE, count: columns };
        let value_rows = Rows { start: v0, first: tile * TILE, count: columns };
        let (q, k) = comptime!((of.queries.clone(), of.keys.clone()));
        let scores = dots(queries, keys, &mut tiles, &query_rows, &key_rows, comptime!(of.key), q, k);
        let (g, v) = comptime!((sizes.given.clone(), of.values.clone()));
        let toward = dots(given, values, &mut tiles, &given_rows, &value_rows, comptime!(of.value), g, v);
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            let (r, c) = (row_of(i), column_of(i));
            let is_seen = sees(masks, mask0, row0 + r, tile * TILE + c, rows, comptime!(of.clone()));
            let scale = float(comptime!(of.scale));
            let weight = select(is_seen, (scores[i] * scale - softmax.factors[r]).exp(), 0.0);
            weights[r * PITCH + c] = weight * (toward[i] - row_means[r]) * scale;
        }
        sync_cube();
        let k = comptime!(of.keys.clone());
        accumulate(&mut sums, &weights, keys, &key_rows, comptime!(of.key), false, k);
    }
    let to = Rows { start: place(batch, comptime!(sizes.queries.of_batch.clone())), first: row0, count: rows };
    store(&sums, to_queries, &to, comptime!(of.key), of.half, comptime!(sizes.queries.clone()));
}

/// The gradients of keys and values.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn key_value_gradients<E: Float>(
    queries: &[E],
    keys: &[E],
    values: &[E],
    given: &[E],
    totals: &[f32],
    means: &[f32],
    masks: &Sequence<Box<[u32]>>,
    to_keys: &mut [E],
    to_values: &mut [E],
    #[comptime] sizes: Gradients,
) {
    let of = comptime!(sizes.of.clone());
    let blocks = comptime!(of.columns.div_ceil(TILE));
    let batch = CUBE_POS / blocks;
    let column0 = CUBE_POS % blocks * TILE;
    let rows = select(batch < comptime!(of.batch), comptime!(of.rows), 0);
    let columns = select(batch < comptime!(of.batch), comptime!(of.columns), 0);
    let q0 = place(batch, comptime!(of.queries.of_batch.clone()));
    let g0 = place(batch, comptime!(sizes.given.of_batch.clone()));
    let mask0 = place(batch, comptime!(of.mask.clone().unwrap_or_default().of_batch));
    let key_rows = Rows { start: place(batch, comptime!(of.keys.of_batch.clone())), first: column0, count: columns };
    let value_rows =
        Rows { start: place(batch, comptime!(of.values.of_batch.clone())), first: column0, count: columns };

    let mut tiles = Tiles::new();
    let mut weights = Shared::<[f32]>::new_slice(comptime!(PITCH * TILE));
    let mut key_sums = zeros(comptime!(Share::of(of.key)));
    let mut value_sums = zeros(comptime!(Share::of(of.value)));
    // Rows before see none of these columns.
    let first = if comptime!(of.causal) {
        let seen_from = column0 + comptime!(of.rows);
        select(seen_from <= comptime!(of.columns), 0, seen_from - comptime!(of.columns)) / TILE
    } else {
        0usize.runtime()
    };
    for tile in first..comptime!(of.rows.div_ceil(TILE)) {
        let row0 = tile * TILE;
        let query_rows = Rows { start: q0, first: row0, count: rows };
        let given_rows = Rows { start: g0, first: row0, count: rows };
        let (q, k) = comptime!((of.queries.clone(), of.keys.clone()));
        let scores = dots(queries, keys, &mut tiles, &query_rows, &key_rows, comptime!(of.key), q, k);
        let (g, v) = comptime!((sizes.given.clone(), of.values.clone()));
        let mut toward = dots(given, values, &mut tiles, &given_rows, &value_rows, comptime!(of.value), g, v);
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            let (r, c) = (row_of(i), column_of(i));
            let weight = RuntimeCell::<f32>::new(0.0);
            let mean = RuntimeCell::<f32>::new(0.0);
            let scale = float(comptime!(of.scale));
            if sees(masks, mask0, row0 + r, column0 + c, rows, comptime!(of.clone())) {
                let row = batch * comptime!(of.rows) + row0 + r;
                weight.store((scores[i] * scale - totals[row]).exp());
                mean.store(means[row]);
            }
            weights[r * PITCH + c] = weight.read();
            toward[i] = weight.read() * (toward[i] - mean.read()) * scale;
        }
        sync_cube();
        let g = comptime!(sizes.given.clone());
        accumulate(&mut value_sums, &weights, given, &given_rows, comptime!(of.value), true, g);
        sync_cube();
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            weights[row_of(i) * PITCH + column_of(i)] = toward[i];
        }
        sync_cube();
        let q = comptime!(of.queries.clone());
        accumulate(&mut key_sums, &weights, queries, &query_rows, comptime!(of.key), true, q);
    }
    let to = Rows { start: place(batch, comptime!(sizes.keys.of_batch.clone())), first: column0, count: columns };
    store(&key_sums, to_keys, &to, comptime!(of.key), of.half, comptime!(sizes.keys.clone()));
    let to = Rows { start: place(batch, comptime!(sizes.values.of_batch.clone())), first: column0, count: columns };
    store(&value_sums, to_values, &to, comptime!(of.value), of.half, comptime!(sizes.values.clone()));
}
