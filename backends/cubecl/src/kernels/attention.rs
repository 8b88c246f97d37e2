//! `attention`: scaled dot-product attention, tile by tile: scores are in shared memory only.
//!
//! A cube computes some rows of one batch. The softmax runs along the columns: each row keeps the largest score so far and the sum of
//! the exponentials below it, and what was summed up is scaled down when a larger score comes (Milakov and Gimelshein 2018; Dao et
//! al. 2022, FlashAttention).

use super::product::{Matrix, element};
use super::steps::{float, place};
use cubecl::prelude::*;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// Rows of queries of a cube, and as many columns of keys at a time.
pub(crate) const TILE: usize = 32;

/// Elements of queries and keys that are in shared memory at a time. Neighbours are one further apart, so that they lie in different
/// banks.
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
}

impl Attend {
    /// How many cubes there are.
    pub(crate) fn cubes(&self) -> usize {
        self.batch * self.rows.div_ceil(TILE)
    }

    /// Columns of the result at which units stand side by side.
    fn width(&self) -> usize {
        self.value.next_power_of_two().clamp(SHARERS, UNITS)
    }
}

/// Where an element of a matrix is.
#[cube]
pub(crate) fn at(start: usize, row: usize, column: usize, #[comptime] matrix: Matrix) -> usize {
    start + row * comptime!(matrix.row as u32 as usize) + column * comptime!(matrix.column as u32 as usize)
}

/// Copies a tile to shared memory, element by row, and zeros where there is nothing.
#[cube]
pub(crate) fn load_tile(
    from: &[f32],
    to: &mut Shared<[f32]>,
    start: usize,
    row0: usize,
    column0: usize,
    rows: usize,
    columns: usize,
    #[comptime] matrix: Matrix,
) {
    let me = UNIT_POS as usize;
    // Neighbours read what lies side by side.
    let by_row = comptime!(matrix.row.unsigned_abs() < matrix.column.unsigned_abs());
    #[unroll]
    for i in 0..comptime!(TILE * DEPTH / UNITS) {
        let item = me + comptime!(i * UNITS);
        let (r, c) = if comptime!(by_row) { (item % TILE, item / TILE) } else { (item / DEPTH, item % DEPTH) };
        let (row, column) = (row0 + r, column0 + c);
        let from_here = at(start, row, column, comptime!(matrix.clone()));
        to[c * PITCH + r] = element(from, from_here, row < rows && column < columns);
    }
}

/// Whether a row sees a column.
#[cube]
pub(crate) fn sees(
    masks: &Sequence<Box<[u32]>>,
    start: usize,
    row: usize,
    column: usize,
    #[comptime] sizes: Attend,
) -> bool {
    let seen = RuntimeCell::<bool>::new(column < comptime!(sizes.columns) && row < comptime!(sizes.rows));
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

/// The result is written first; then, if there is a second one, the logarithm of the sum of the exponentials of each row's scores.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn attention(
    queries: &[f32],
    keys: &[f32],
    values: &[f32],
    masks: &Sequence<Box<[u32]>>,
    results: &mut Sequence<Box<[f32]>>,
    #[comptime] sizes: Attend,
) {
    let (rows, columns, e) = comptime!((sizes.rows, sizes.columns, sizes.value));
    let (q, k, v) = comptime!((sizes.queries.clone(), sizes.keys.clone(), sizes.values.clone()));
    let out = comptime!(sizes.result.clone());
    let blocks = comptime!(rows.div_ceil(TILE));
    let batch = CUBE_POS / blocks;
    let row0 = CUBE_POS % blocks * TILE;
    // There may be more cubes than tiles: they have no rows.
    let rows_here = select(batch < comptime!(sizes.batch), rows, 0);
    let q0 = place(batch, comptime!(q.of_batch.clone()));
    let k0 = place(batch, comptime!(k.of_batch.clone()));
    let v0 = place(batch, comptime!(v.of_batch.clone()));
    let out0 = place(batch, comptime!(out.of_batch.clone()));
    let mask0 = place(batch, comptime!(sizes.mask.clone().unwrap_or_default().of_batch));
    let me = UNIT_POS as usize;

    let mut query_tile = Shared::<[f32]>::new_slice(comptime!(PITCH * DEPTH));
    let mut key_tile = Shared::<[f32]>::new_slice(comptime!(PITCH * DEPTH));
    let mut weights = Shared::<[f32]>::new_slice(comptime!(PITCH * TILE));
    let mut parts = Shared::<[f32]>::new_slice(UNITS);
    let mut factors = Shared::<[f32]>::new_slice(TILE);

    // Of the result a unit has one column, or several, of some rows.
    let width = comptime!(sizes.width());
    let (my_rows, my_columns) = comptime!((TILE * width / UNITS, e.div_ceil(width)));
    let (lane, group) = (me % width, me / width);
    let mut sums = Array::<f32>::new(comptime!(my_rows * my_columns));
    #[unroll]
    for i in 0..comptime!(my_rows * my_columns) {
        sums[i] = 0.0;
    }
    // Of the softmax a unit has a part of one row.
    let (row, part) = (me / SHARERS, me % SHARERS);
    let lowest = float(comptime!(f32::MIN.to_bits()));
    let max = RuntimeCell::<f32>::new(lowest);
    let sum = RuntimeCell::<f32>::new(0.0);

    let seen = if comptime!(sizes.causal) {
        // What the last row sees.
        let last = row0 + comptime!(TILE + columns);
        select(last <= rows, 0, (last - rows).min(columns))
    } else {
        columns.runtime()
    };
    for tile in 0..seen.div_ceil(TILE) {
        let column0 = tile * TILE;
        // A square of four scores a unit.
        let mut scores = Array::<f32>::new(4usize);
        #[unroll]
        for i in 0..4usize {
            scores[i] = 0.0;
        }
        for step in 0..comptime!(sizes.key.div_ceil(DEPTH)) {
            let depth0 = step * DEPTH;
            load_tile(
                queries,
                &mut query_tile,
                q0,
                row0,
                depth0,
                rows_here,
                comptime!(sizes.key),
                comptime!(q.clone()),
            );
            load_tile(keys, &mut key_tile, k0, column0, depth0, columns, comptime!(sizes.key), comptime!(k.clone()));
            sync_cube();
            for d in 0..DEPTH {
                #[unroll]
                for i in 0..2usize {
                    #[unroll]
                    for j in 0..2usize {
                        scores[comptime!(i * 2 + j)] += query_tile[d * PITCH + me / 16 + comptime!(i * 16)]
                            * key_tile[d * PITCH + me % 16 + comptime!(j * 16)];
                    }
                }
            }
            sync_cube();
        }
        #[unroll]
        for i in 0..2usize {
            #[unroll]
            for j in 0..2usize {
                let (r, c) = (me / 16 + comptime!(i * 16), me % 16 + comptime!(j * 16));
                let is_seen = sees(masks, mask0, row0 + r, column0 + c, comptime!(sizes.clone())) && rows_here > 0;
                let score = scores[comptime!(i * 2 + j)] * float(comptime!(sizes.scale));
                weights[r * PITCH + c] = select(is_seen, score, lowest);
            }
        }
        sync_cube();
        let largest = RuntimeCell::<f32>::new(lowest);
        #[unroll]
        for i in 0..comptime!(TILE / SHARERS) {
            let score = weights[row * PITCH + part + comptime!(i * SHARERS)];
            largest.store(select(score > largest.read(), score, largest.read()));
        }
        parts[me] = largest.read();
        sync_cube();
        let before = max.read();
        #[unroll]
        for i in 0..SHARERS {
            let other = parts[row * SHARERS + i];
            max.store(select(other > max.read(), other, max.read()));
        }
        let added = RuntimeCell::<f32>::new(0.0);
        #[unroll]
        for i in 0..comptime!(TILE / SHARERS) {
            let place = row * PITCH + part + comptime!(i * SHARERS);
            let score = weights[place];
            let weight = select(score > lowest, (score - max.read()).exp(), 0.0);
            weights[place] = weight;
            added.store(added.read() + weight);
        }
        let factor = (before - max.read()).exp();
        sync_cube();
        parts[me] = added.read();
        if part == 0usize {
            factors[row] = factor;
        }
        sync_cube();
        sum.store(sum.read() * factor);
        #[unroll]
        for i in 0..SHARERS {
            sum.store(sum.read() + parts[row * SHARERS + i]);
        }
        #[unroll]
        for i in 0..my_rows {
            #[unroll]
            for j in 0..my_columns {
                sums[comptime!(i * my_columns + j)] *= factors[group * my_rows + i];
            }
        }
        for c in 0..TILE {
            #[unroll]
            for j in 0..my_columns {
                let (from, column) = (column0 + c, lane + comptime!(j * width));
                let place = at(v0, from, column, comptime!(v.clone()));
                let value = element(values, place, from < columns && column < e && rows_here > 0);
                #[unroll]
                for i in 0..my_rows {
                    sums[comptime!(i * my_columns + j)] += weights[(group * my_rows + i) * PITCH + c] * value;
                }
            }
        }
        sync_cube();
    }
    let least = float(comptime!(f32::MIN_POSITIVE.to_bits()));
    if part == 0usize {
        factors[row] = select(sum.read() > least, sum.read(), least);
        if comptime!(results.len() > 1) {
            if row0 + row < rows_here {
                results.index_mut(1)[batch * rows + row0 + row] = max.read() + factors[row].ln();
            }
        }
    }
    sync_cube();
    #[unroll]
    for i in 0..my_rows {
        #[unroll]
        for j in 0..my_columns {
            let (r, column) = (group * my_rows + i, lane + comptime!(j * width));
            if row0 + r < rows_here && column < e {
                let to = at(out0, row0 + r, column, comptime!(out.clone()));
                results.index_mut(0)[to] = sums[comptime!(i * my_columns + j)] / factors[r];
            }
        }
    }
}
