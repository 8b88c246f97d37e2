//! Attention of 16-bit floats on tensor cores.
//!
//! A plane has sixteen rows of queries. It visits the columns twice: first to compute the softmax statistics of each
//! row, then to accumulate values. Accumulated values are never rescaled and stay in registers.

use super::AttentionSizes;
use super::fragments::{
    LoadWidth, ROWS, UNITS, UNITS_PER_ROW, add_products, dots, load_fragments, load_rows, pitch, write, zero_fragments,
};
use super::softmax::masked_score;
use super::tiles::{Rows, is_visible, visible_columns};
use crate::kernels::evaluate::{address, float};
use crate::kernels::functions::maximum;
use cubecl::prelude::*;

/// Maximum elements of a key or value; longer ones exceed the registers.
pub(crate) const MAX_HEAD_ELEMENTS: usize = 128;

impl AttentionSizes {
    /// Returns the columns of keys per tile.
    fn tensor_tile(&self) -> usize {
        if self.key.max(self.value) <= MAX_HEAD_ELEMENTS / 2 { 64 } else { 32 }
    }

    /// Returns the number of cubes on tensor cores.
    pub(crate) fn tensor_cubes(&self) -> usize {
        self.batch * self.rows.div_ceil(ROWS)
    }
}

/// Running logarithm of the sum of exponentials of a row's scores, over the columns of one unit.
#[derive(CubeType)]
pub(crate) struct LogSumExp {
    max: RuntimeCell<f32>,
    sum: RuntimeCell<f32>,
}

#[cube]
impl LogSumExp {
    pub(crate) fn new() -> LogSumExp {
        LogSumExp { max: RuntimeCell::<f32>::new(masked_score()), sum: RuntimeCell::<f32>::new(0.0) }
    }

    /// Adds a unit's columns of a tile of scores.
    pub(crate) fn add_tile(
        &self,
        stage: &Shared<[f32]>,
        masks: &Sequence<Box<[u32]>>,
        mask0: usize,
        row: usize,
        column0: usize,
        rows: usize,
        #[comptime] tile: usize,
        #[comptime] sizes: AttentionSizes,
    ) {
        let (first, mine) = unit_columns(tile);
        let scale = float(comptime!(sizes.scale));
        let before = self.max.read();
        for c in 0..comptime!(tile / UNITS_PER_ROW) {
            let score = stage[mine + c] * scale;
            if is_visible(masks, mask0, row, column0 + first + c, rows, comptime!(sizes.clone())) {
                self.max.store(select(score > self.max.read(), score, self.max.read()));
            }
        }
        self.sum.store(self.sum.read() * (before - self.max.read()).exp());
        for c in 0..comptime!(tile / UNITS_PER_ROW) {
            if is_visible(masks, mask0, row, column0 + first + c, rows, comptime!(sizes.clone())) {
                self.sum.store(self.sum.read() + (stage[mine + c] * scale - self.max.read()).exp());
            }
        }
    }

    /// Returns the logarithm over all columns of the row. For rows without visible columns the result is finite.
    pub(crate) fn over_row(&self, parts: &mut Shared<[f32]>) -> f32 {
        let me = UNIT_POS as usize;
        parts[me] = self.max.read();
        parts[me + UNITS] = self.sum.read();
        sync_plane();
        let other = me / UNITS_PER_ROW * UNITS_PER_ROW + (me + 1) % UNITS_PER_ROW;
        let largest = select(parts[other] > self.max.read(), parts[other], self.max.read());
        let here = self.sum.read() * (self.max.read() - largest).exp();
        let all = here + parts[other + UNITS] * (parts[other] - largest).exp();
        let least = float(comptime!(f32::MIN_POSITIVE.to_bits()));
        largest + maximum(all, least).ln()
    }
}

/// Returns a unit's first column in a tile of `tile` columns, and its index in shared memory.
#[cube]
pub(crate) fn unit_columns(#[comptime] tile: usize) -> (usize, usize) {
    let first = UNIT_POS as usize % UNITS_PER_ROW * comptime!(tile / UNITS_PER_ROW);
    (first, UNIT_POS as usize / UNITS_PER_ROW * comptime!(pitch(tile)) + first)
}

/// Computes attention.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tensor_attention<E: Float, N: Size>(
    queries: &[Vector<E, N>],
    keys: &[Vector<E, N>],
    values: &[Vector<E, N>],
    masks: &Sequence<Box<[u32]>>,
    result: &mut [E],
    #[comptime] sizes: AttentionSizes,
    #[comptime] load_width: LoadWidth,
) {
    let tile = comptime!(sizes.tensor_tile());
    let blocks = comptime!(sizes.rows.div_ceil(ROWS));
    let batch = CUBE_POS / blocks;
    let row0 = CUBE_POS % blocks * ROWS;
    // A grid may have more cubes than tiles; the extra cubes have no rows.
    let rows = select(batch < comptime!(sizes.batch), comptime!(sizes.rows), 0);
    let columns = select(batch < comptime!(sizes.batch), comptime!(sizes.columns), 0);
    let k0 = address(batch, comptime!(sizes.keys.batch_map.clone()));
    let v0 = address(batch, comptime!(sizes.values.batch_map.clone()));
    let mask0 = address(batch, comptime!(sizes.mask.clone().unwrap_or_default().batch_map));

    // The tile stores queries first, and keys later.
    let (d, e, vector_len) = comptime!((sizes.key, sizes.value, load_width.vector_len));
    let key_rows = comptime!(Ord::max(ROWS, tile));
    let mut key_tile =
        Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(key_rows * pitch(d) / vector_len), 128usize);
    let mut value_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(tile * pitch(e) / vector_len), 128usize);
    let mut weights = Shared::<[E]>::new_aligned_slice(comptime!(ROWS * pitch(tile)), 128usize);
    let mut stage = Shared::<[f32]>::new_aligned_slice(comptime!(ROWS * pitch(tile)), 128usize);
    let mut parts = Shared::<[f32]>::new_slice(comptime!(2 * UNITS));

    let (q, k, v) = comptime!((sizes.queries.clone(), sizes.keys.clone(), sizes.values.clone()));
    let query_rows = Rows { start: address(batch, comptime!(q.batch_map.clone())), first: row0, count: rows };
    load_rows(queries, &mut key_tile, &query_rows, ROWS, d, q, load_width);
    sync_cube();
    let plane_queries = load_fragments(&key_tile, d, load_width);
    sync_cube();

    let row = row0 + UNIT_POS as usize / UNITS_PER_ROW;
    let (first, mine) = unit_columns(tile);
    let log_sum = LogSumExp::new();
    let tiles = visible_columns(row0, ROWS, comptime!(sizes.clone())).div_ceil(tile);
    for number in 0..tiles {
        let key_rows = Rows { start: k0, first: number * tile, count: columns };
        load_rows(keys, &mut key_tile, &key_rows, tile, d, comptime!(k.clone()), load_width);
        sync_cube();
        dots(&plane_queries, &key_tile, &mut stage, tile, d, load_width);
        log_sum.add_tile(&stage, masks, mask0, row, number * tile, rows, tile, comptime!(sizes.clone()));
        sync_cube();
    }
    let log_sum = log_sum.over_row(&mut parts);
    let sums = zero_fragments(e);
    for number in 0..tiles {
        let column0 = number * tile;
        let key_rows = Rows { start: k0, first: column0, count: columns };
        let value_rows = Rows { start: v0, first: column0, count: columns };
        load_rows(keys, &mut key_tile, &key_rows, tile, d, comptime!(k.clone()), load_width);
        load_rows(values, &mut value_tile, &value_rows, tile, e, comptime!(v.clone()), load_width);
        sync_cube();
        dots(&plane_queries, &key_tile, &mut stage, tile, d, load_width);
        for c in 0..comptime!(tile / UNITS_PER_ROW) {
            let visible = is_visible(masks, mask0, row, column0 + first + c, rows, comptime!(sizes.clone()));
            let score = stage[mine + c] * float(comptime!(sizes.scale));
            weights[mine + c] = E::cast_from(select(visible, (score - log_sum).exp(), 0.0));
        }
        sync_plane();
        add_products(&sums, &weights, &value_tile, tile, e, load_width);
        sync_cube();
    }
    let result_rows =
        Rows { start: address(batch, comptime!(sizes.result.batch_map.clone())), first: row0, count: rows };
    write(&sums, &mut stage, result, &result_rows, tile, e, comptime!(sizes.result.clone()));
}
