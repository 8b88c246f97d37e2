//! Gradients of attention without tensor cores. Scores are recomputed twice: by rows for the gradient of the queries,
//! which also computes the softmax statistics of each row, and by columns for the gradients of keys and values.

use super::softmax::{Softmax, masked_score};
use super::tiles::{
    Rows, SQUARE, Tiles, UnitShare, accumulate, column_of, dots, element_address, is_visible, row_of, store,
    visible_columns, zeros,
};
use super::{AttentionSizes, PITCH, TILE, UNITS_PER_ROW};
use crate::kernels::evaluate::{address, float};
use crate::kernels::product::Matrix;
use cubecl::prelude::*;

/// Sizes and operand layouts of an attention op, and layouts of its gradients. The result of the attention is an
/// operand of its gradients.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct GradientSizes {
    /// Sizes of the attention, and layouts of its operands and its result.
    pub(crate) attention: AttentionSizes,
    /// Layout of the gradient with respect to the result of the attention, which is an operand.
    pub(crate) result_grad: Matrix,
    /// Layout of the gradient with respect to the queries.
    pub(crate) queries: Matrix,
    /// Layout of the gradient with respect to the keys.
    pub(crate) keys: Matrix,
    /// Layout of the gradient with respect to the values.
    pub(crate) values: Matrix,
}

impl GradientSizes {
    /// Returns the number of cubes for the gradients of keys and values.
    pub(crate) fn column_cubes(&self) -> usize {
        self.attention.batch * self.attention.columns.div_ceil(TILE)
    }
}

/// Computes the gradient of the queries. Also computes two softmax statistics of each row: the logarithm of the sum of
/// exponentials of the scores (`log_sums`), and the dot product of the result with its gradient (`row_dots`).
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn query_gradient<E: Float>(
    queries: &[E],
    keys: &[E],
    values: &[E],
    result: &[E],
    result_grad: &[E],
    masks: &Sequence<Box<[u32]>>,
    to_queries: &mut [E],
    log_sums: &mut [f32],
    row_dots: &mut [f32],
    #[comptime] sizes: GradientSizes,
) {
    let attention = comptime!(sizes.attention.clone());
    let blocks = comptime!(attention.rows.div_ceil(TILE));
    let batch = CUBE_POS / blocks;
    let row0 = CUBE_POS % blocks * TILE;
    // A grid may have more cubes than tiles; the extra cubes have no rows.
    let rows = select(batch < comptime!(attention.batch), comptime!(attention.rows), 0);
    let columns = select(batch < comptime!(attention.batch), comptime!(attention.columns), 0);
    let k0 = address(batch, comptime!(attention.keys.batch_map.clone()));
    let v0 = address(batch, comptime!(attention.values.batch_map.clone()));
    let mask0 = address(batch, comptime!(attention.mask.clone().unwrap_or_default().batch_map));
    let query_rows =
        Rows { start: address(batch, comptime!(attention.queries.batch_map.clone())), first: row0, count: rows };
    let result_rows =
        Rows { start: address(batch, comptime!(attention.result.batch_map.clone())), first: row0, count: rows };
    let result_grad_rows =
        Rows { start: address(batch, comptime!(sizes.result_grad.batch_map.clone())), first: row0, count: rows };

    let mut tiles = Tiles::new();
    let mut weights = Shared::<[f32]>::new_slice(comptime!(PITCH * TILE));
    let mut tile_row_dots = Shared::<[f32]>::new_slice(TILE);
    let mut softmax = Softmax::new();
    let tile_count = visible_columns(row0, TILE, comptime!(attention.clone())).div_ceil(TILE);
    for tile in 0..tile_count {
        let key_rows = Rows { start: k0, first: tile * TILE, count: columns };
        let (q, k) = comptime!((attention.queries.clone(), attention.keys.clone()));
        let scores = dots(queries, keys, &mut tiles, &query_rows, &key_rows, comptime!(attention.key), q, k);
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            let (r, c) = (row_of(i), column_of(i));
            let visible = is_visible(masks, mask0, row0 + r, tile * TILE + c, rows, comptime!(attention.clone()));
            weights[r * PITCH + c] = select(visible, scores[i] * float(comptime!(attention.scale)), masked_score());
        }
        sync_cube();
        softmax.add_tile(&mut weights);
    }
    let (row, part) = (UNIT_POS as usize / UNITS_PER_ROW, UNIT_POS as usize % UNITS_PER_ROW);
    let row_dot = RuntimeCell::<f32>::new(0.0);
    if row0 + row < rows {
        for turn in 0..comptime!(attention.value.div_ceil(UNITS_PER_ROW)) {
            let column = turn * UNITS_PER_ROW + part;
            if column < comptime!(attention.value) {
                let y =
                    result[element_address(result_rows.start, row0 + row, column, comptime!(attention.result.clone()))];
                let g = result_grad
                    [element_address(result_grad_rows.start, row0 + row, column, comptime!(sizes.result_grad.clone()))];
                row_dot.store(row_dot.read() + f32::cast_from(y) * f32::cast_from(g));
            }
        }
    }
    let row_dot = softmax.over_row(row_dot.read());
    let log_sum = softmax.max.read() + softmax.divisor().ln();
    if part == 0usize {
        softmax.factors[row] = log_sum;
        tile_row_dots[row] = row_dot;
        if row0 + row < rows {
            log_sums[batch * comptime!(attention.rows) + row0 + row] = log_sum;
            row_dots[batch * comptime!(attention.rows) + row0 + row] = row_dot;
        }
    }
    // `dots` synchronises the cube between the writes of shared memory above and their reads below, and between the
    // iterations.
    let mut sums = zeros(comptime!(UnitShare::for_columns(attention.key)));
    for tile in 0..tile_count {
        let key_rows = Rows { start: k0, first: tile * TILE, count: columns };
        let value_rows = Rows { start: v0, first: tile * TILE, count: columns };
        let (q, k) = comptime!((attention.queries.clone(), attention.keys.clone()));
        let scores = dots(queries, keys, &mut tiles, &query_rows, &key_rows, comptime!(attention.key), q, k);
        let (g, v) = comptime!((sizes.result_grad.clone(), attention.values.clone()));
        let weight_grads =
            dots(result_grad, values, &mut tiles, &result_grad_rows, &value_rows, comptime!(attention.value), g, v);
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            let (r, c) = (row_of(i), column_of(i));
            let visible = is_visible(masks, mask0, row0 + r, tile * TILE + c, rows, comptime!(attention.clone()));
            let scale = float(comptime!(attention.scale));
            let weight = select(visible, (scores[i] * scale - softmax.factors[r]).exp(), 0.0);
            weights[r * PITCH + c] = weight * (weight_grads[i] - tile_row_dots[r]) * scale;
        }
        sync_cube();
        let k = comptime!(attention.keys.clone());
        accumulate(&mut sums, &weights, keys, &key_rows, comptime!(attention.key), false, k);
    }
    let to = Rows { start: address(batch, comptime!(sizes.queries.batch_map.clone())), first: row0, count: rows };
    store(&sums, to_queries, &to, comptime!(attention.key), attention.half, comptime!(sizes.queries.clone()));
}

/// Computes the gradients of keys and values, given the softmax statistics of [`query_gradient`].
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn key_value_gradients<E: Float>(
    queries: &[E],
    keys: &[E],
    values: &[E],
    result_grad: &[E],
    log_sums: &[f32],
    row_dots: &[f32],
    masks: &Sequence<Box<[u32]>>,
    to_keys: &mut [E],
    to_values: &mut [E],
    #[comptime] sizes: GradientSizes,
) {
    let attention = comptime!(sizes.attention.clone());
    let blocks = comptime!(attention.columns.div_ceil(TILE));
    let batch = CUBE_POS / blocks;
    let column0 = CUBE_POS % blocks * TILE;
    let rows = select(batch < comptime!(attention.batch), comptime!(attention.rows), 0);
    let columns = select(batch < comptime!(attention.batch), comptime!(attention.columns), 0);
    let q0 = address(batch, comptime!(attention.queries.batch_map.clone()));
    let g0 = address(batch, comptime!(sizes.result_grad.batch_map.clone()));
    let mask0 = address(batch, comptime!(attention.mask.clone().unwrap_or_default().batch_map));
    let key_rows =
        Rows { start: address(batch, comptime!(attention.keys.batch_map.clone())), first: column0, count: columns };
    let value_rows =
        Rows { start: address(batch, comptime!(attention.values.batch_map.clone())), first: column0, count: columns };

    let mut tiles = Tiles::new();
    let mut weights = Shared::<[f32]>::new_slice(comptime!(PITCH * TILE));
    let mut key_sums = zeros(comptime!(UnitShare::for_columns(attention.key)));
    let mut value_sums = zeros(comptime!(UnitShare::for_columns(attention.value)));
    // Earlier rows may not attend to any of these columns.
    let first = if comptime!(attention.causal) {
        let seen_from = column0 + comptime!(attention.rows);
        select(seen_from <= comptime!(attention.columns), 0, seen_from - comptime!(attention.columns)) / TILE
    } else {
        0usize.runtime()
    };
    for tile in first..comptime!(attention.rows.div_ceil(TILE)) {
        let row0 = tile * TILE;
        let query_rows = Rows { start: q0, first: row0, count: rows };
        let result_grad_rows = Rows { start: g0, first: row0, count: rows };
        let (q, k) = comptime!((attention.queries.clone(), attention.keys.clone()));
        let scores = dots(queries, keys, &mut tiles, &query_rows, &key_rows, comptime!(attention.key), q, k);
        let (g, v) = comptime!((sizes.result_grad.clone(), attention.values.clone()));
        let mut weight_grads =
            dots(result_grad, values, &mut tiles, &result_grad_rows, &value_rows, comptime!(attention.value), g, v);
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            let (r, c) = (row_of(i), column_of(i));
            let weight = RuntimeCell::<f32>::new(0.0);
            let row_dot = RuntimeCell::<f32>::new(0.0);
            let scale = float(comptime!(attention.scale));
            if is_visible(masks, mask0, row0 + r, column0 + c, rows, comptime!(attention.clone())) {
                let row = batch * comptime!(attention.rows) + row0 + r;
                weight.store((scores[i] * scale - log_sums[row]).exp());
                row_dot.store(row_dots[row]);
            }
            weights[r * PITCH + c] = weight.read();
            weight_grads[i] = weight.read() * (weight_grads[i] - row_dot.read()) * scale;
        }
        sync_cube();
        let g = comptime!(sizes.result_grad.clone());
        accumulate(&mut value_sums, &weights, result_grad, &result_grad_rows, comptime!(attention.value), true, g);
        sync_cube();
        #[unroll]
        for i in 0..comptime!(SQUARE * SQUARE) {
            weights[row_of(i) * PITCH + column_of(i)] = weight_grads[i];
        }
        sync_cube();
        let q = comptime!(attention.queries.clone());
        accumulate(&mut key_sums, &weights, queries, &query_rows, comptime!(attention.key), true, q);
    }
    let to = Rows { start: address(batch, comptime!(sizes.keys.batch_map.clone())), first: column0, count: columns };
    store(&key_sums, to_keys, &to, comptime!(attention.key), attention.half, comptime!(sizes.keys.clone()));
    let to = Rows { start: address(batch, comptime!(sizes.values.batch_map.clone())), first: column0, count: columns };
    store(&value_sums, to_values, &to, comptime!(attention.value), attention.half, comptime!(sizes.values.clone()));
}
