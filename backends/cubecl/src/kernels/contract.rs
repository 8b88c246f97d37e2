//! `contract`: tiled products of matrices whose elements are computed on the fly, with an epilogue per element. A
//! convolution is such a product, without an im2col buffer (implicit GEMM: Chetlur et al. 2014, cuDNN).

use super::evaluate::{Registers, address, evaluate, execute};
use super::product::{DEPTH, SQUARE, add_products};
use super::steps::{AddressMap, Program, Step};
use cubecl::prelude::*;

/// Units of a cube. Each computes a square of results.
pub(crate) const UNITS: usize = 64;

/// Rows and columns of a tile of results.
pub(crate) const TILE: usize = 32;

/// A batch of products of `m x k` by `k x n` matrices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Contraction {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) batch: usize,
    pub(crate) left: ComputedOperand,
    pub(crate) right: ComputedOperand,
    /// The address of an element of the result is the sum of the addresses of its batch index, its row and its column.
    pub(crate) result: [AddressMap; 3],
}

/// An operand whose elements are computed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ComputedOperand {
    /// Program that returns the element for a batch index, row and column.
    pub(crate) element: Program,
    /// True if the operand is contiguous along the contracted dimension.
    pub(crate) along_depth: bool,
    /// Number of elements in memory, and bytes of an element.
    pub(crate) count: usize,
    pub(crate) width: usize,
}

impl Contraction {
    /// Returns the number of elements of the results.
    pub(crate) fn count(&self) -> usize {
        self.batch * self.m * self.n
    }

    /// Returns the number of cubes.
    pub(crate) fn cubes(&self) -> usize {
        self.batch * self.m.div_ceil(TILE) * self.n.div_ceil(TILE)
    }
}

/// Computes matrix products. A cube computes a tile of one result; cube indices count columns, then rows, then the
/// batch. The epilogue runs at the address of each element and reads the element as reduction 0.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn contract(
    operands: &Sequence<Box<[u32]>>,
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] contraction: Contraction,
    #[comptime] epilogue: Vec<Step>,
) {
    let (m, n, k) = comptime!((contraction.m, contraction.n, contraction.k));
    let (rows, columns) = comptime!((m.div_ceil(TILE), n.div_ceil(TILE)));
    let column0 = CUBE_POS % columns * TILE;
    let row0 = CUBE_POS / columns % rows * TILE;
    let batch = CUBE_POS / comptime!(rows * columns);
    // A grid may have more cubes than tiles.
    let is_here = batch < comptime!(contraction.batch);
    let me = UNIT_POS as usize;
    let mut lefts = Shared::<[f32]>::new_slice(comptime!(TILE * DEPTH));
    let mut rights = Shared::<[f32]>::new_slice(comptime!(TILE * DEPTH));
    let mut sums = Array::<f32>::new(comptime!(SQUARE * SQUARE));
    #[unroll]
    for i in 0..comptime!(SQUARE * SQUARE) {
        sums[i] = 0.0;
    }
    let (left_by_depth, right_by_depth) = comptime!((contraction.left.along_depth, contraction.right.along_depth));
    for step in 0..comptime!(k.div_ceil(DEPTH)) {
        for i in 0..comptime!(TILE * DEPTH / UNITS) {
            let item = me + i * UNITS;
            let (r, d) = if left_by_depth { (item / DEPTH, item % DEPTH) } else { (item % TILE, item / TILE) };
            let (row, depth) = (row0 + r, step * DEPTH + d);
            let is_inside = row < m && depth < k && is_here;
            let program = comptime!(contraction.left.element.clone());
            lefts[d * TILE + r] = element(operands, writes, halves, batch, row, depth, is_inside, program);
            let (c, d) = if right_by_depth { (item / DEPTH, item % DEPTH) } else { (item % TILE, item / TILE) };
            let (column, depth) = (column0 + c, step * DEPTH + d);
            let is_inside = column < n && depth < k && is_here;
            let program = comptime!(contraction.right.element.clone());
            rights[d * TILE + c] = element(operands, writes, halves, batch, depth, column, is_inside, program);
        }
        sync_cube();
        add_products(&lefts, &rights, &mut sums, TILE);
        sync_cube();
    }
    let result = comptime!(contraction.result.clone());
    #[unroll]
    for i in 0..SQUARE {
        #[unroll]
        for j in 0..SQUARE {
            let row = row0 + me / comptime!(TILE / SQUARE) * SQUARE + i;
            let column = column0 + me % comptime!(TILE / SQUARE) * SQUARE + j;
            if row < m && column < n && is_here {
                let to = address(batch, comptime!(result[0].clone()))
                    + address(row, comptime!(result[1].clone()))
                    + address(column, comptime!(result[2].clone()));
                let mut reduced = Sequence::<f32>::new();
                reduced.push(sums[comptime!(i * SQUARE + j)]);
                let mut registers = Registers::new();
                evaluate(reads, writes, halves, &reduced, to, &mut registers, comptime!(epilogue.clone()));
            }
        }
    }
}

/// Returns an element of an operand, or zero beyond the matrix.
#[cube]
fn element(
    operands: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    batch: usize,
    row: usize,
    column: usize,
    is_inside: bool,
    #[comptime] program: Program,
) -> f32 {
    let x = RuntimeCell::<f32>::new(0.0);
    if is_inside {
        let mut r = Registers::new();
        r.i32s.push(i32::cast_from(batch));
        r.i32s.push(i32::cast_from(row));
        r.i32s.push(i32::cast_from(column));
        execute(operands, writes, halves, &mut r, comptime!(program.steps.clone()));
        x.store(*r.f32s.index(comptime!(program.results[0])));
    }
    x.read()
}
