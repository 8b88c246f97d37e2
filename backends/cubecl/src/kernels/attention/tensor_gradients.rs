//! Gradients of attention of 16-bit floats on tensor cores. The algorithm is that of [`gradients`](super::gradients),
//! with sixteen rows or columns per plane.

use super::fragments::{
    LoadWidth, ROWS, UNITS, UNITS_PER_ROW, add_products, dots, load_fragments, load_rows, pitch, write, zero_fragments,
};
use super::gradients::GradientSizes;
use super::tensor::{LogSumExp, unit_columns};
use super::tiles::{Rows, element_address, is_visible, visible_columns};
use crate::kernels::evaluate::{address, float};
use cubecl::prelude::*;

/// Maximum elements of a key or value; longer ones exceed the registers.
pub(crate) const MAX_HEAD_ELEMENTS: usize = 64;

/// Columns or rows per tile.
const TILE: usize = 32;

impl GradientSizes {
    /// Returns the number of cubes for the gradient of the queries.
    pub(crate) fn tensor_row_cubes(&self) -> usize {
        self.attention.batch * self.attention.rows.div_ceil(ROWS)
    }

    /// Returns the number of cubes for the gradients of keys and values.
    pub(crate) fn tensor_column_cubes(&self) -> usize {
        self.attention.batch * self.attention.columns.div_ceil(ROWS)
    }
}

/// Computes the same results as [`query_gradient`](super::gradients::query_gradient).
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tensor_query_gradient<E: Float, N: Size>(
    queries: &[Vector<E, N>],
    keys: &[Vector<E, N>],
    values: &[Vector<E, N>],
    result: &[E],
    result_grad: &[Vector<E, N>],
    masks: &Sequence<Box<[u32]>>,
    to_queries: &mut [E],
    log_sums: &mut [f32],
    row_dots: &mut [f32],
    #[comptime] sizes: GradientSizes,
    #[comptime] load_width: LoadWidth,
) {
    let attention = comptime!(sizes.attention.clone());
    let blocks = comptime!(attention.rows.div_ceil(ROWS));
    let batch = CUBE_POS / blocks;
    let row0 = CUBE_POS % blocks * ROWS;
    // A grid may have more cubes than tiles; the extra cubes have no rows.
    let rows = select(batch < comptime!(attention.batch), comptime!(attention.rows), 0);
    let columns = select(batch < comptime!(attention.batch), comptime!(attention.columns), 0);
    let k0 = address(batch, comptime!(attention.keys.batch_map.clone()));
    let v0 = address(batch, comptime!(attention.values.batch_map.clone()));
    let mask0 = address(batch, comptime!(attention.mask.clone().unwrap_or_default().batch_map));

    // The tiles store queries and result gradients first, and keys and values later.
    let (d, e, vector_len) = comptime!((attention.key, attention.value, load_width.vector_len));
    let mut key_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(ROWS * pitch(d) / vector_len), 128usize);
    let mut value_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(ROWS * pitch(e) / vector_len), 128usize);
    let mut weights = Shared::<[E]>::new_aligned_slice(comptime!(ROWS * pitch(TILE)), 128usize);
    let mut stage = Shared::<[f32]>::new_aligned_slice(comptime!(ROWS * pitch(TILE)), 128usize);
    // The softmax statistics use the first two thirds.
    let mut parts = Shared::<[f32]>::new_slice(comptime!(3 * UNITS));

    let (q, k, v, g) = comptime!((
        attention.queries.clone(),
        attention.keys.clone(),
        attention.values.clone(),
        sizes.result_grad.clone()
    ));
    let query_rows = Rows { start: address(batch, comptime!(q.batch_map.clone())), first: row0, count: rows };
    let result_grad_rows = Rows { start: address(batch, comptime!(g.batch_map.clone())), first: row0, count: rows };
    load_rows(queries, &mut key_tile, &query_rows, ROWS, d, q, load_width);
    load_rows(result_grad, &mut value_tile, &result_grad_rows, ROWS, e, g, load_width);
    sync_cube();
    let plane_queries = load_fragments(&key_tile, d, load_width);
    let plane_result_grad = load_fragments(&value_tile, e, load_width);

    // Dot product of the result with its gradient.
    let me = UNIT_POS as usize;
    let row = row0 + me / UNITS_PER_ROW;
    let result0 = address(batch, comptime!(attention.result.batch_map.clone()));
    let row_dot = RuntimeCell::<f32>::new(0.0);
    if row < rows {
        for turn in 0..comptime!(e.div_ceil(UNITS_PER_ROW)) {
            let column = turn * UNITS_PER_ROW + me % UNITS_PER_ROW;
            if column < e {
                let y = result[element_address(result0, row, column, comptime!(attention.result.clone()))];
                let index = me / UNITS_PER_ROW * comptime!(pitch(e)) + column;
                let g = value_tile[index / vector_len].extract_dynamic(index % vector_len);
                row_dot.store(row_dot.read() + f32::cast_from(y) * f32::cast_from(g));
            }
        }
    }
    parts[comptime!(2 * UNITS) + me] = row_dot.read();
    sync_cube();
    let pair = comptime!(2 * UNITS) + me / UNITS_PER_ROW * UNITS_PER_ROW;
    let row_dot = parts[pair] + parts[pair + 1];

    let (first, mine) = unit_columns(TILE);
    let log_sum = LogSumExp::new();
    let tiles = visible_columns(row0, ROWS, comptime!(attention.clone())).div_ceil(TILE);
    for number in 0..tiles {
        let key_rows = Rows { start: k0, first: number * TILE, count: columns };
        load_rows(keys, &mut key_tile, &key_rows, TILE, d, comptime!(k.clone()), load_width);
        sync_cube();
        dots(&plane_queries, &key_tile, &mut stage, TILE, d, load_width);
        log_sum.add_tile(&stage, masks, mask0, row, number * TILE, rows, TILE, comptime!(attention.clone()));
        sync_cube();
    }
    let log_sum = log_sum.over_row(&mut parts);
    if row < rows && me % UNITS_PER_ROW == 0usize {
        log_sums[batch * comptime!(attention.rows) + row] = log_sum;
        row_dots[batch * comptime!(attention.rows) + row] = row_dot;
    }
    let sums = zero_fragments(d);
    let mut seen = Array::<f32>::new(comptime!(TILE / UNITS_PER_ROW));
    for number in 0..tiles {
        let column0 = number * TILE;
        let key_rows = Rows { start: k0, first: column0, count: columns };
        let value_rows = Rows { start: v0, first: column0, count: columns };
        load_rows(keys, &mut key_tile, &key_rows, TILE, d, comptime!(k.clone()), load_width);
        load_rows(values, &mut value_tile, &value_rows, TILE, e, comptime!(v.clone()), load_width);
        sync_cube();
        let scale = float(comptime!(attention.scale));
        dots(&plane_queries, &key_tile, &mut stage, TILE, d, load_width);
        #[unroll]
        for c in 0..comptime!(TILE / UNITS_PER_ROW) {
            let visible = is_visible(masks, mask0, row, column0 + first + c, rows, comptime!(attention.clone()));
            seen[c] = select(visible, (stage[mine + c] * scale - log_sum).exp(), 0.0);
        }
        sync_plane();
        dots(&plane_result_grad, &value_tile, &mut stage, TILE, e, load_width);
        #[unroll]
        for c in 0..comptime!(TILE / UNITS_PER_ROW) {
            weights[mine + c] = E::cast_from(seen[c] * (stage[mine + c] - row_dot) * scale);
        }
        sync_plane();
        add_products(&sums, &weights, &key_tile, TILE, d, load_width);
        sync_cube();
    }
    let to = Rows { start: address(batch, comptime!(sizes.queries.batch_map.clone())), first: row0, count: rows };
    write(&sums, &mut stage, to_queries, &to, TILE, d, comptime!(sizes.queries.clone()));
}

/// Computes the same results as [`key_value_gradients`](super::gradients::key_value_gradients).
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tensor_key_value_gradients<E: Float, N: Size>(
    queries: &[Vector<E, N>],
    keys: &[Vector<E, N>],
    values: &[Vector<E, N>],
    result_grad: &[Vector<E, N>],
    log_sums: &[f32],
    row_dots: &[f32],
    masks: &Sequence<Box<[u32]>>,
    to_keys: &mut [E],
    to_values: &mut [E],
    #[comptime] sizes: GradientSizes,
    #[comptime] load_width: LoadWidth,
) {
    let attention = comptime!(sizes.attention.clone());
    let blocks = comptime!(attention.columns.div_ceil(ROWS));
    let batch = CUBE_POS / blocks;
    let column0 = CUBE_POS % blocks * ROWS;
    // A grid may have more cubes than tiles; the extra cubes have no rows.
    let rows = select(batch < comptime!(attention.batch), comptime!(attention.rows), 0);
    let columns = select(batch < comptime!(attention.batch), comptime!(attention.columns), 0);
    let q0 = address(batch, comptime!(attention.queries.batch_map.clone()));
    let g0 = address(batch, comptime!(sizes.result_grad.batch_map.clone()));
    let mask0 = address(batch, comptime!(attention.mask.clone().unwrap_or_default().batch_map));

    // The tiles store keys and values first, and queries and result gradients later.
    let (d, e, vector_len) = comptime!((attention.key, attention.value, load_width.vector_len));
    let mut query_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(ROWS * pitch(d) / vector_len), 128usize);
    let mut result_grad_tile =
        Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(ROWS * pitch(e) / vector_len), 128usize);
    let mut weights = Shared::<[E]>::new_aligned_slice(comptime!(ROWS * pitch(TILE)), 128usize);
    let mut stage = Shared::<[f32]>::new_aligned_slice(comptime!(ROWS * pitch(TILE)), 128usize);

    let (q, k, v, g) = comptime!((
        attention.queries.clone(),
        attention.keys.clone(),
        attention.values.clone(),
        sizes.result_grad.clone()
    ));
    let key_rows = Rows { start: address(batch, comptime!(k.batch_map.clone())), first: column0, count: columns };
    let value_rows = Rows { start: address(batch, comptime!(v.batch_map.clone())), first: column0, count: columns };
    load_rows(keys, &mut query_tile, &key_rows, ROWS, d, k, load_width);
    load_rows(values, &mut result_grad_tile, &value_rows, ROWS, e, v, load_width);
    sync_cube();
    let plane_keys = load_fragments(&query_tile, d, load_width);
    let plane_values = load_fragments(&result_grad_tile, e, load_width);
    sync_cube();

    let column = column0 + UNIT_POS as usize / UNITS_PER_ROW;
    let (first, mine) = unit_columns(TILE);
    let (key_sums, value_sums) = (zero_fragments(d), zero_fragments(e));
    let mut seen = Array::<f32>::new(comptime!(TILE / UNITS_PER_ROW));
    // Earlier rows may not attend to any of these columns.
    let first_tile = if comptime!(attention.causal) {
        let seen_from = column0 + comptime!(attention.rows);
        select(seen_from <= comptime!(attention.columns), 0, seen_from - comptime!(attention.columns)) / TILE
    } else {
        0usize.runtime()
    };
    for number in first_tile..comptime!(attention.rows.div_ceil(TILE)) {
        let row0 = number * TILE;
        let query_rows = Rows { start: q0, first: row0, count: rows };
        let result_grad_rows = Rows { start: g0, first: row0, count: rows };
        load_rows(queries, &mut query_tile, &query_rows, TILE, d, comptime!(q.clone()), load_width);
        load_rows(result_grad, &mut result_grad_tile, &result_grad_rows, TILE, e, comptime!(g.clone()), load_width);
        sync_cube();
        let scale = float(comptime!(attention.scale));
        dots(&plane_keys, &query_tile, &mut stage, TILE, d, load_width);
        #[unroll]
        for r in 0..comptime!(TILE / UNITS_PER_ROW) {
            let row = row0 + first + r;
            let weight = RuntimeCell::<f32>::new(0.0);
            if is_visible(masks, mask0, row, column, rows, comptime!(attention.clone())) {
                weight.store((stage[mine + r] * scale - log_sums[batch * comptime!(attention.rows) + row]).exp());
            }
            seen[r] = weight.read();
            weights[mine + r] = E::cast_from(weight.read());
        }
        sync_plane();
        add_products(&value_sums, &weights, &result_grad_tile, TILE, e, load_width);
        dots(&plane_values, &result_grad_tile, &mut stage, TILE, e, load_width);
        #[unroll]
        for r in 0..comptime!(TILE / UNITS_PER_ROW) {
            let row = row0 + first + r;
            let row_dot = RuntimeCell::<f32>::new(0.0);
            if row < rows {
                row_dot.store(row_dots[batch * comptime!(attention.rows) + row]);
            }
            weights[mine + r] = E::cast_from(seen[r] * (stage[mine + r] - row_dot.read()) * scale);
        }
        sync_plane();
        add_products(&key_sums, &weights, &query_tile, TILE, d, load_width);
        sync_cube();
    }
    let to = Rows { start: address(batch, comptime!(sizes.keys.batch_map.clone())), first: column0, count: columns };
    write(&key_sums, &mut stage, to_keys, &to, TILE, d, comptime!(sizes.keys.clone()));
    sync_plane();
    let to = Rows { start: address(batch, comptime!(sizes.values.batch_map.clone())), first: column0, count: columns };
    write(&value_sums, &mut stage, to_values, &to, TILE, e, comptime!(sizes.values.clone()));
}
