//! Attention of narrow floats on tensor cores.
//!
//! A plane has sixteen rows of queries. It goes over the columns twice: first to find what the softmax of each row
//! divides by, then to sum up values. So nothing that was summed up must be scaled down later, and the sums stay in
//! registers.

use super::Attend;
use super::fragments::{ROWS, Reading, SHARERS, UNITS, add_products, dots, load_rows, nothing, own_rows, pitch, write};
use super::softmax::lowest;
use super::tiles::{Rows, columns_seen, sees};
use crate::kernels::evaluate::{float, place};
use crate::kernels::functions::maximum;
use cubecl::prelude::*;

/// Longer keys and values leave no registers.
pub(crate) const LONGEST: usize = 128;

impl Attend {
    /// Columns of keys at a time.
    fn tensor_tile(&self) -> usize {
        if self.key.max(self.value) <= LONGEST / 2 { 64 } else { 32 }
    }

    /// How many cubes there are on tensor cores.
    pub(crate) fn tensor_cubes(&self) -> usize {
        self.batch * self.rows.div_ceil(ROWS)
    }
}

/// The logarithm of the sum of the exponentials of a row's scores, of which each unit takes in some of each tile.
#[derive(CubeType)]
pub(crate) struct Total {
    max: RuntimeCell<f32>,
    sum: RuntimeCell<f32>,
}

#[cube]
impl Total {
    pub(crate) fn new() -> Total {
        Total { max: RuntimeCell::<f32>::new(lowest()), sum: RuntimeCell::<f32>::new(0.0) }
    }

    /// Takes in a unit's part of a tile of scores with so many columns.
    pub(crate) fn take(
        &self,
        stage: &Shared<[f32]>,
        masks: &Sequence<Box<[u32]>>,
        mask0: usize,
        row: usize,
        column0: usize,
        rows: usize,
        #[comptime] tile: usize,
        #[comptime] sizes: Attend,
    ) {
        let (first, mine) = part_of_row(tile);
        let scale = float(comptime!(sizes.scale));
        let before = self.max.read();
        for c in 0..comptime!(tile / SHARERS) {
            let score = stage[mine + c] * scale;
            if sees(masks, mask0, row, column0 + first + c, rows, comptime!(sizes.clone())) {
                self.max.store(select(score > self.max.read(), score, self.max.read()));
            }
        }
        self.sum.store(self.sum.read() * (before - self.max.read()).exp());
        for c in 0..comptime!(tile / SHARERS) {
            if sees(masks, mask0, row, column0 + first + c, rows, comptime!(sizes.clone())) {
                self.sum.store(self.sum.read() + (stage[mine + c] * scale - self.max.read()).exp());
            }
        }
    }

    /// That of the whole row; of a row that sees nothing some number.
    pub(crate) fn of_row(&self, parts: &mut Shared<[f32]>) -> f32 {
        let me = UNIT_POS as usize;
        parts[me] = self.max.read();
        parts[me + UNITS] = self.sum.read();
        sync_plane();
        let other = me / SHARERS * SHARERS + (me + 1) % SHARERS;
        let largest = select(parts[other] > self.max.read(), parts[other], self.max.read());
        let here = self.sum.read() * (self.max.read() - largest).exp();
        let all = here + parts[other + UNITS] * (parts[other] - largest).exp();
        let least = float(comptime!(f32::MIN_POSITIVE.to_bits()));
        largest + maximum(all, least).ln()
    }
}

/// Of a tile with so many columns, the first one that a unit has of its row, and where that is in shared memory.
#[cube]
pub(crate) fn part_of_row(#[comptime] tile: usize) -> (usize, usize) {
    let first = UNIT_POS as usize % SHARERS * comptime!(tile / SHARERS);
    (first, UNIT_POS as usize / SHARERS * comptime!(pitch(tile)) + first)
}

/// Attention.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tensor_attention<E: Float, N: Size>(
    queries: &[Vector<E, N>],
    keys: &[Vector<E, N>],
    values: &[Vector<E, N>],
    masks: &Sequence<Box<[u32]>>,
    result: &mut [E],
    #[comptime] sizes: Attend,
    #[comptime] reading: Reading,
) {
    let tile = comptime!(sizes.tensor_tile());
    let blocks = comptime!(sizes.rows.div_ceil(ROWS));
    let batch = CUBE_POS / blocks;
    let row0 = CUBE_POS % blocks * ROWS;
    // There may be more cubes than tiles: they have no rows.
    let rows = select(batch < comptime!(sizes.batch), comptime!(sizes.rows), 0);
    let columns = select(batch < comptime!(sizes.batch), comptime!(sizes.columns), 0);
    let k0 = place(batch, comptime!(sizes.keys.of_batch.clone()));
    let v0 = place(batch, comptime!(sizes.values.of_batch.clone()));
    let mask0 = place(batch, comptime!(sizes.mask.clone().unwrap_or_default().of_batch));

    // Queries are there first, and keys where they were.
    let (d, e, at_once) = comptime!((sizes.key, sizes.value, reading.at_once));
    let key_rows = comptime!(Ord::max(ROWS, tile));
    let mut key_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(key_rows * pitch(d) / at_once), 128usize);
    let mut value_tile = Shared::<[Vector<E, N>]>::new_aligned_slice(comptime!(tile * pitch(e) / at_once), 128usize);
    let mut weights = Shared::<[E]>::new_aligned_slice(comptime!(ROWS * pitch(tile)), 128usize);
    let mut stage = Shared::<[f32]>::new_aligned_slice(comptime!(ROWS * pitch(tile)), 128usize);
    let mut parts = Shared::<[f32]>::new_slice(comptime!(2 * UNITS));

    let (q, k, v) = comptime!((sizes.queries.clone(), sizes.keys.clone(), sizes.values.clone()));
    let query_rows = Rows { start: place(batch, comptime!(q.of_batch.clone())), first: row0, count: rows };
    load_rows(queries, &mut key_tile, &query_rows, ROWS, d, q, reading);
    sync_cube();
    let own = own_rows(&key_tile, d, reading);
    sync_cube();

    let row = row0 + UNIT_POS as usize / SHARERS;
    let (first, mine) = part_of_row(tile);
    let total = Total::new();
    let tiles = columns_seen(row0, ROWS, comptime!(sizes.clone())).div_ceil(tile);
    for number in 0..tiles {
        let key_rows = Rows { start: k0, first: number * tile, count: columns };
        load_rows(keys, &mut key_tile, &key_rows, tile, d, comptime!(k.clone()), reading);
        sync_cube();
        dots(&own, &key_tile, &mut stage, tile, d, reading);
        total.take(&stage, masks, mask0, row, number * tile, rows, tile, comptime!(sizes.clone()));
        sync_cube();
    }
    let total = total.of_row(&mut parts);
    let sums = nothing(e);
    for number in 0..tiles {
        let column0 = number * tile;
        let key_rows = Rows { start: k0, first: column0, count: columns };
        let value_rows = Rows { start: v0, first: column0, count: columns };
        load_rows(keys, &mut key_tile, &key_rows, tile, d, comptime!(k.clone()), reading);
        load_rows(values, &mut value_tile, &value_rows, tile, e, comptime!(v.clone()), reading);
        sync_cube();
        dots(&own, &key_tile, &mut stage, tile, d, reading);
        for c in 0..comptime!(tile / SHARERS) {
            let is_seen = sees(masks, mask0, row, column0 + first + c, rows, comptime!(sizes.clone()));
            let score = stage[mine + c] * float(comptime!(sizes.scale));
            weights[mine + c] = E::cast_from(select(is_seen, (score - total).exp(), 0.0));
        }
        sync_plane();
        add_products(&sums, &weights, &value_tile, tile, e, reading);
        sync_cube();
    }
    let result_rows = Rows { start: place(batch, comptime!(sizes.result.of_batch.clone())), first: row0, count: rows };
    write(&sums, &mut stage, result, &result_rows, tile, e, comptime!(sizes.result.clone()));
}
