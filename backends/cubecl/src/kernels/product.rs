//! `product`: products of matrices, tile by tile through shared memory, and a program on each of their elements.

use super::evaluate::{Registers, evaluate, place, stepped};
use super::steps::{At, Step};
use cubecl::prelude::*;

/// Units of a cube, each of which computes a square of results.
pub(crate) const UNITS: usize = 256;

/// Side of a tile of results, and of the square of one unit.
pub(crate) const TILE: usize = 64;
pub(crate) const SQUARE: usize = 4;

/// How many products are summed between two exchanges of tiles.
pub(crate) const DEPTH: usize = 16;

/// A matrix for each index of the batch: where the first element is, and the distances between rows and columns.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Matrix {
    pub(crate) of_batch: At,
    pub(crate) row: i64,
    pub(crate) column: i64,
}

impl Matrix {
    /// An upper bound of the places of the elements of so many matrices with so many rows and columns.
    pub(crate) fn last(&self, batch: usize, [rows, columns]: [usize; 2]) -> u64 {
        let along = |count: usize, stride: i64| (count.saturating_sub(1) as u64).saturating_mul(stride.max(0) as u64);
        [along(rows, self.row), along(columns, self.column)]
            .iter()
            .fold(self.of_batch.last(batch), |a, b| a.saturating_add(*b))
    }
}

/// Products of `m x k` by `k x n` matrices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Sizes {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) batch: usize,
    pub(crate) left: Matrix,
    pub(crate) right: Matrix,
    pub(crate) result: Matrix,
}

/// An element, or zero beyond the matrix.
#[cube]
pub(crate) fn element<E: Float>(matrix: &[E], place: usize, is_inside: bool) -> f32 {
    let x = RuntimeCell::<f32>::new(0.0);
    if is_inside {
        x.store(f32::cast_from(matrix[place]));
    }
    x.read()
}

/// Adds the products of two tiles in shared memory to a unit's square of sums.
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

/// A cube computes a tile of one result; cubes count columns, then rows, then the batch. For each element the program
/// is carried out on the place that the result gives it; the element is the program's reduction 0.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn product(
    left: &[f32],
    right: &[f32],
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] sizes: Sizes,
    #[comptime] epilogue: Vec<Step>,
) {
    let (m, n, k) = comptime!((sizes.m, sizes.n, sizes.k));
    let (a, b, c) = comptime!((sizes.left.clone(), sizes.right.clone(), sizes.result.clone()));
    let (rows, columns) = comptime!((sizes.m.div_ceil(TILE), sizes.n.div_ceil(TILE)));
    let tile = CUBE_POS;
    let column0 = tile % columns * TILE;
    let row0 = tile / columns % rows * TILE;
    let batch = tile / comptime!(rows * columns);
    // There may be more cubes than tiles.
    let is_here = batch < comptime!(sizes.batch);
    let a0 = place(batch, comptime!(a.of_batch.clone()));
    let b0 = place(batch, comptime!(b.of_batch.clone()));
    let c0 = place(batch, comptime!(c.of_batch.clone()));
    let me = UNIT_POS as usize;
    let mut lefts = Shared::<[f32]>::new_slice(comptime!(TILE * DEPTH));
    let mut rights = Shared::<[f32]>::new_slice(comptime!(TILE * DEPTH));
    let mut sums = Array::<f32>::new(comptime!(SQUARE * SQUARE));
    #[unroll]
    for i in 0..comptime!(SQUARE * SQUARE) {
        sums[i] = 0.0;
    }
    // Neighbours read what lies side by side.
    let (a_by_row, b_by_row) =
        comptime!((a.column.unsigned_abs() > a.row.unsigned_abs(), b.row.unsigned_abs() < b.column.unsigned_abs()));
    for step in 0..comptime!(k.div_ceil(DEPTH)) {
        #[unroll]
        for i in 0..comptime!(TILE * DEPTH / UNITS) {
            let item = me + comptime!(i * UNITS);
            let (r, d) = if comptime!(a_by_row) { (item % TILE, item / TILE) } else { (item / DEPTH, item % DEPTH) };
            let (row, depth) = (row0 + r, step * DEPTH + d);
            let at = stepped(stepped(a0, row, comptime!(a.row)), depth, comptime!(a.column));
            lefts[d * TILE + r] = element(left, at, row < m && depth < k && is_here);
            let (l, d) = if comptime!(b_by_row) { (item / DEPTH, item % DEPTH) } else { (item % TILE, item / TILE) };
            let (column, depth) = (column0 + l, step * DEPTH + d);
            let at = stepped(stepped(b0, depth, comptime!(b.row)), column, comptime!(b.column));
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
                let to = stepped(stepped(c0, row, comptime!(c.row)), column, comptime!(c.column));
                let mut reduced = Sequence::<f32>::new();
                reduced.push(sums[comptime!(i * SQUARE + j)]);
                let mut registers = Registers::new();
                evaluate(reads, writes, halves, &reduced, to, &mut registers, comptime!(epilogue.clone()));
            }
        }
    }
}
