//! `product`: tiled matrix products through shared memory, with an epilogue per element.

use super::evaluate::{Registers, address, evaluate, strided_address};
use super::steps::{AddressMap, Step};
use cubecl::prelude::*;

/// Units of a cube. Each computes a square of results.
pub(crate) const UNITS: usize = 256;

/// Rows and columns of the tile of results of a cube, and of the square of a unit.
pub(crate) const TILE: usize = 64;
pub(crate) const SQUARE: usize = 4;

/// Size of the contracted dimension of a tile.
pub(crate) const DEPTH: usize = 16;

/// A batch of strided matrices: address of the first element for each batch index, and strides of rows and columns.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Matrix {
    pub(crate) batch_map: AddressMap,
    pub(crate) row: i64,
    pub(crate) column: i64,
}

impl Matrix {
    /// Returns an upper bound of the addresses of a batch of matrices with the given numbers of rows and columns.
    pub(crate) fn max_address(&self, batch: usize, [rows, columns]: [usize; 2]) -> u64 {
        let along = |count: usize, stride: i64| (count.saturating_sub(1) as u64).saturating_mul(stride.max(0) as u64);
        [along(rows, self.row), along(columns, self.column)]
            .iter()
            .fold(self.batch_map.max_address(batch), |a, b| a.saturating_add(*b))
    }
}

/// A batch of products of `m x k` by `k x n` matrices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct MatmulSizes {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) batch: usize,
    pub(crate) left: Matrix,
    pub(crate) right: Matrix,
    pub(crate) result: Matrix,
}

/// Returns an element as `f32`, or zero beyond the matrix.
#[cube]
pub(crate) fn element<E: Float>(matrix: &[E], address: usize, is_inside: bool) -> f32 {
    let x = RuntimeCell::<f32>::new(0.0);
    if is_inside {
        x.store(f32::cast_from(matrix[address]));
    }
    x.read()
}

/// Adds the product of two tiles in shared memory to a unit's square of sums.
#[cube]
pub(crate) fn add_products(
    lefts: &Shared<[f32]>,
    rights: &Shared<[f32]>,
    sums: &mut Array<f32>,
    #[comptime] tile: usize,
) {
    let me = UNIT_POS as usize;
    for d in 0..DEPTH {
        #[unroll]
        for i in 0..SQUARE {
            let x = lefts[d * tile + me / comptime!(tile / SQUARE) * SQUARE + i];
            #[unroll]
            for j in 0..SQUARE {
                sums[comptime!(i * SQUARE + j)] += x * rights[d * tile + me % comptime!(tile / SQUARE) * SQUARE + j];
            }
        }
    }
}

/// Computes matrix products. A cube computes a tile of one result; cube indices count columns, then rows, then the
/// batch. The epilogue runs at the address of each element and reads the element as reduction 0.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn product(
    left: &[f32],
    right: &[f32],
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] sizes: MatmulSizes,
    #[comptime] epilogue: Vec<Step>,
) {
    let (m, n, k) = comptime!((sizes.m, sizes.n, sizes.k));
    let (a, b, c) = comptime!((sizes.left.clone(), sizes.right.clone(), sizes.result.clone()));
    let (rows, columns) = comptime!((sizes.m.div_ceil(TILE), sizes.n.div_ceil(TILE)));
    let tile = CUBE_POS;
    let column0 = tile % columns * TILE;
    let row0 = tile / columns % rows * TILE;
    let batch = tile / comptime!(rows * columns);
    // A grid may have more cubes than tiles.
    let is_here = batch < comptime!(sizes.batch);
    let a0 = address(batch, comptime!(a.batch_map.clone()));
    let b0 = address(batch, comptime!(b.batch_map.clone()));
    let c0 = address(batch, comptime!(c.batch_map.clone()));
    let me = UNIT_POS as usize;
    let mut lefts = Shared::<[f32]>::new_slice(comptime!(TILE * DEPTH));
    let mut rights = Shared::<[f32]>::new_slice(comptime!(TILE * DEPTH));
    let mut sums = Array::<f32>::new(comptime!(SQUARE * SQUARE));
    #[unroll]
    for i in 0..comptime!(SQUARE * SQUARE) {
        sums[i] = 0.0;
    }
    // For coalesced loads, neighbouring units read neighbouring elements.
    let (a_by_row, b_by_row) =
        comptime!((a.column.unsigned_abs() > a.row.unsigned_abs(), b.row.unsigned_abs() < b.column.unsigned_abs()));
    for step in 0..comptime!(k.div_ceil(DEPTH)) {
        #[unroll]
        for i in 0..comptime!(TILE * DEPTH / UNITS) {
            let item = me + comptime!(i * UNITS);
            let (r, d) = if comptime!(a_by_row) { (item % TILE, item / TILE) } else { (item / DEPTH, item % DEPTH) };
            let (row, depth) = (row0 + r, step * DEPTH + d);
            let at = strided_address(strided_address(a0, row, comptime!(a.row)), depth, comptime!(a.column));
            lefts[d * TILE + r] = element(left, at, row < m && depth < k && is_here);
            let (l, d) = if comptime!(b_by_row) { (item / DEPTH, item % DEPTH) } else { (item % TILE, item / TILE) };
            let (column, depth) = (column0 + l, step * DEPTH + d);
            let at = strided_address(strided_address(b0, depth, comptime!(b.row)), column, comptime!(b.column));
            rights[d * TILE + l] = element(right, at, column < n && depth < k && is_here);
        }
        sync_cube();
        add_products(&lefts, &rights, &mut sums, TILE);
        sync_cube();
    }
    #[unroll]
    for i in 0..SQUARE {
        #[unroll]
        for j in 0..SQUARE {
            let row = row0 + me / comptime!(TILE / SQUARE) * SQUARE + i;
            let column = column0 + me % comptime!(TILE / SQUARE) * SQUARE + j;
            if row < m && column < n && is_here {
                let to = strided_address(strided_address(c0, row, comptime!(c.row)), column, comptime!(c.column));
                let mut reduced = Sequence::<f32>::new();
                reduced.push(sums[comptime!(i * SQUARE + j)]);
                let mut registers = Registers::new();
                evaluate(reads, writes, halves, &reduced, to, &mut registers, comptime!(epilogue.clone()));
            }
        }
    }
}
