//! The gradients of attention of narrow floats on tensor cores: as [`gradients`](super::gradients), with a plane for
//! sixteen rows, or sixteen columns.

use super::fragments::{ROWS, Reading, SHARERS, UNITS, add_products, dots, load_rows, nothing, own_rows, pitch, write};
use super::gradients::Gradients;
use super::tensor::{Total, part_of_row};
use super::tiles::{Rows, at, columns_seen, sees};
use crate::kernels::evaluate::{float, place};
use cubecl::prelude::*;

/// Longer keys and values leave no registers.
pub(crate) const LONGEST: usize = 64;

/// Columns, or rows, at a time.
const TILE: usize = 32;

impl Gradients {
    /// How many cubes there are for queries.
    pub(crate) fn tensor_row_cubes(&self) -> usize {
        self.of.batch * self.of.rows.div_ceil(ROWS)
    }

    /// How many cubes there are for keys and values.
    pub(crate) fn tensor_column_cubes(&self) -> usize {
        self.of.batch * self.of.columns.div_ceil(ROWS)
    }
}

/// As [`query_gradient`](super::gradients::query_gradient).
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tensor_query_gradient<E: Float, N: Size>(
    queries: &[Vector<E, N>],
    keys: &[Vector<E, N>],
    values: &[Vector<E, N>],
    result: &[E],
    given: &[Vector<E, N>],
    masks: &Sequence<Box<[u32]>>,
    to_queries: &mut [E],
    totals: &mut [f32],
    means: &mut [f32],
    #[comptime] sizes: Gradients,
    #[comptime] reading: Reading,
) {
    let of = comptime!(sizes.of.clone());
    let blocks = comptime!(of.rows.div_ceil(ROWS));
    let batch = CUBE_POS / blocks;
    let row0 = CUBE_POS % blocks * ROWS;
    // There may be more cubes than tiles: they have no rows.
    let rows = select(batch < comptime!(of.batch), comptime!(of.rows), 0);
    let columns = select(batch < comptime!(of.batch), comptime!(of.columns), 0);
    let k0 = place(batch, comptime!(of.keys.of_batch.clone()));
    let v0 = place(batch, comptime!(of.values.of_batch.clone()));
    let mask0 = place(batch, comptime!(of.mask.clone().unwrap_or_default().of_batch));

    // Queries and what is given are there first.
    let (d, e, at_once) = comptime!((of.key, of.value, reading.at_once));
    let mut key_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(ROWS * pitch(d) / at_once), 128usize);
    let mut value_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(ROWS * pitch(e) / at_once), 128usize);
    let mut weights = Shared::<[E]>::new_aligned_slice(comptime!(ROWS * pitch(TILE)), 128usize);
    let mut stage = Shared::<[f32]>::new_aligned_slice(comptime!(ROWS * pitch(TILE)), 128usize);
    // What totals are made of takes the first two parts of it.
    let mut parts = Shared::<[f32]>::new_slice(comptime!(3 * UNITS));

    let (q, k, v, g) = comptime!((of.queries.clone(), of.keys.clone(), of.values.clone(), sizes.given.clone()));
    let query_rows = Rows { start: place(batch, comptime!(q.of_batch.clone())), first: row0, count: rows };
    let given_rows = Rows { start: place(batch, comptime!(g.of_batch.clone())), first: row0, count: rows };
    load_rows(queries, &mut key_tile, &query_rows, ROWS, d, q, reading);
    load_rows(given, &mut value_tile, &given_rows, ROWS, e, g, reading);
    sync_cube();
    let own_queries = own_rows(&key_tile, d, reading);
    let own_given = own_rows(&value_tile, e, reading);

    // The sum of the result times its gradient.
    let me = UNIT_POS as usize;
    let row = row0 + me / SHARERS;
    let result0 = place(batch, comptime!(of.result.of_batch.clone()));
    let mean = RuntimeCell::<f32>::new(0.0);
    if row < rows {
        for turn in 0..comptime!(e.div_ceil(SHARERS)) {
            let column = turn * SHARERS + me % SHARERS;
            if column < e {
                let y = result[at(result0, row, column, comptime!(of.result.clone()))];
                let held = me / SHARERS * comptime!(pitch(e)) + column;
                let g = value_tile[held / at_once].extract_dynamic(held % at_once);
                mean.store(mean.read() + f32::cast_from(y) * f32::cast_from(g));
            }
        }
    }
    parts[comptime!(2 * UNITS) + me] = mean.read();
    sync_cube();
    let pair = comptime!(2 * UNITS) + me / SHARERS * SHARERS;
    let mean = parts[pair] + parts[pair + 1];

    let (first, mine) = part_of_row(TILE);
    let total = Total::new();
    let tiles = columns_seen(row0, ROWS, comptime!(of.clone())).div_ceil(TILE);
    for number in 0..tiles {
        let key_rows = Rows { start: k0, first: number * TILE, count: columns };
        load_rows(keys, &mut key_tile, &key_rows, TILE, d, comptime!(k.clone()), reading);
        sync_cube();
        dots(&own_queries, &key_tile, &mut stage, TILE, d, reading);
        total.take(&stage, masks, mask0, row, number * TILE, rows, TILE, comptime!(of.clone()));
        sync_cube();
    }
    let total = total.of_row(&mut parts);
    if row < rows && me % SHARERS == 0usize {
        totals[batch * comptime!(of.rows) + row] = total;
        means[batch * comptime!(of.rows) + row] = mean;
    }
    let sums = nothing(d);
    let mut seen = Array::<f32>::new(comptime!(TILE / SHARERS));
    for number in 0..tiles {
        let column0 = number * TILE;
        let key_rows = Rows { start: k0, first: column0, count: columns };
        let value_rows = Rows { start: v0, first: column0, count: columns };
        load_rows(keys, &mut key_tile, &key_rows, TILE, d, comptime!(k.clone()), reading);
        load_rows(values, &mut value_tile, &value_rows, TILE, e, comptime!(v.clone()), reading);
        sync_cube();
        let scale = float(comptime!(of.scale));
        dots(&own_queries, &key_tile, &mut stage, TILE, d, reading);
        #[unroll]
        for c in 0..comptime!(TILE / SHARERS) {
            let is_seen = sees(masks, mask0, row, column0 + first + c, rows, comptime!(of.clone()));
            seen[c] = select(is_seen, (stage[mine + c] * scale - total).exp(), 0.0);
        }
        sync_plane();
        dots(&own_given, &value_tile, &mut stage, TILE, e, reading);
        #[unroll]
        for c in 0..comptime!(TILE / SHARERS) {
            weights[mine + c] = E::cast_from(seen[c] * (stage[mine + c] - mean) * scale);
        }
        sync_plane();
        add_products(&sums, &weights, &key_tile, TILE, d, reading);
        sync_cube();
    }
    let to = Rows { start: place(batch, comptime!(sizes.queries.of_batch.clone())), first: row0, count: rows };
    write(&sums, &mut stage, to_queries, &to, TILE, d, comptime!(sizes.queries.clone()));
}

/// As [`key_value_gradients`](super::gradients::key_value_gradients).
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tensor_key_value_gradients<E: Float, N: Size>(
    queries: &[Vector<E, N>],
    keys: &[Vector<E, N>],
    values: &[Vector<E, N>],
    given: &[Vector<E, N>],
    totals: &[f32],
    means: &[f32],
    masks: &Sequence<Box<[u32]>>,
    to_keys: &mut [E],
    to_values: &mut [E],
    #[comptime] sizes: Gradients,
    #[comptime] reading: Reading,
) {
    let of = comptime!(sizes.of.clone());
    let blocks = comptime!(of.columns.div_ceil(ROWS));
    let batch = CUBE_POS / blocks;
    let column0 = CUBE_POS % blocks * ROWS;
    // There may be more cubes than tiles: they have no rows.
    let rows = select(batch < comptime!(of.batch), comptime!(of.rows), 0);
    let columns = select(batch < comptime!(of.batch), comptime!(of.columns), 0);
    let q0 = place(batch, comptime!(of.queries.of_batch.clone()));
    let g0 = place(batch, comptime!(sizes.given.of_batch.clone()));
    let mask0 = place(batch, comptime!(of.mask.clone().unwrap_or_default().of_batch));

    // Keys and values are there first.
    let (d, e, at_once) = comptime!((of.key, of.value, reading.at_once));
    let mut query_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(ROWS * pitch(d) / at_once), 128usize);
    let mut given_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(ROWS * pitch(e) / at_once), 128usize);
    let mut weights = Shared::<[E]>::new_aligned_slice(comptime!(ROWS * pitch(TILE)), 128usize);
    let mut stage = Shared::<[f32]>::new_aligned_slice(comptime!(ROWS * pitch(TILE)), 128usize);

    let (q, k, v, g) = comptime!((of.queries.clone(), of.keys.clone(), of.values.clone(), sizes.given.clone()));
    let key_rows = Rows { start: place(batch, comptime!(k.of_batch.clone())), first: column0, count: columns };
    let value_rows = Rows { start: place(batch, comptime!(v.of_batch.clone())), first: column0, count: columns };
    load_rows(keys, &mut query_tile, &key_rows, ROWS, d, k, reading);
    load_rows(values, &mut given_tile, &value_rows, ROWS, e, v, reading);
    sync_cube();
    let own_keys = own_rows(&query_tile, d, reading);
    let own_values = own_rows(&given_tile, e, reading);
    sync_cube();

    let column = column0 + UNIT_POS as usize / SHARERS;
    let (first, mine) = part_of_row(TILE);
    let (key_sums, value_sums) = (nothing(d), nothing(e));
    let mut seen = Array::<f32>::new(comptime!(TILE / SHARERS));
    // Rows before see none of these columns.
    let first_tile = if comptime!(of.causal) {
        let seen_from = column0 + comptime!(of.rows);
        select(seen_from <= comptime!(of.columns), 0, seen_from - comptime!(of.columns)) / TILE
    } else {
        0usize.runtime()
    };
    for number in first_tile..comptime!(of.rows.div_ceil(TILE)) {
        let row0 = number * TILE;
        let query_rows = Rows { start: q0, first: row0, count: rows };
        let given_rows = Rows { start: g0, first: row0, count: rows };
        load_rows(queries, &mut query_tile, &query_rows, TILE, d, comptime!(q.clone()), reading);
        load_rows(given, &mut given_tile, &given_rows, TILE, e, comptime!(g.clone()), reading);
        sync_cube();
        let scale = float(comptime!(of.scale));
        dots(&own_keys, &query_tile, &mut stage, TILE, d, reading);
        #[unroll]
        for r in 0..comptime!(TILE / SHARERS) {
            let row = row0 + first + r;
            let weight = RuntimeCell::<f32>::new(0.0);
            if sees(masks, mask0, row, column, rows, comptime!(of.clone())) {
                weight.store((stage[mine + r] * scale - totals[batch * comptime!(of.rows) + row]).exp());
            }
            seen[r] = weight.read();
            weights[mine + r] = E::cast_from(weight.read());
        }
        sync_plane();
        add_products(&value_sums, &weights, &given_tile, TILE, e, reading);
        dots(&own_values, &given_tile, &mut stage, TILE, e, reading);
        #[unroll]
        for r in 0..comptime!(TILE / SHARERS) {
            let row = row0 + first + r;
            let mean = RuntimeCell::<f32>::new(0.0);
            if row < rows {
                mean.store(means[batch * comptime!(of.rows) + row]);
            }
            weights[mine + r] = E::cast_from(seen[r] * (stage[mine + r] - mean.read()) * scale);
        }
        sync_plane();
        add_products(&key_sums, &weights, &query_tile, TILE, d, reading);
        sync_cube();
    }
    let to = Rows { start: place(batch, comptime!(sizes.keys.of_batch.clone())), first: column0, count: columns };
    write(&key_sums, &mut stage, to_keys, &to, TILE, d, comptime!(sizes.keys.clone()));
    sync_plane();
    let to = Rows { start: place(batch, comptime!(sizes.values.of_batch.clone())), first: column0, count: columns };
    write(&value_sums, &mut stage, to_values, &to, TILE, e, comptime!(sizes.values.clone()));
}
