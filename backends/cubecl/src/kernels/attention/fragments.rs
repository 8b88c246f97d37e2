//! Tensor-core fragments of attention: a plane has sixteen rows of an operand in registers, and multiplies them
//! with tiles of other operands, which planes share.

use super::tiles::{Rows, at};
use crate::kernels::product::Matrix;
use cubecl::prelude::*;

/// Units of a plane.
pub(crate) const PLANE: usize = 32;

/// Planes of a cube.
const PLANES: usize = 4;

/// Units of a cube.
pub(crate) const UNITS: usize = PLANES * PLANE;

/// Side of what a plane multiplies at once.
pub(crate) const SIDE: usize = 16;

/// Rows of a cube.
pub(crate) const ROWS: usize = PLANES * SIDE;

/// Units that share a row.
pub(crate) const SHARERS: usize = PLANE / SIDE;

/// Rows in shared memory are longer by so many elements, so that they begin in different banks.
const PAD: usize = 8;

/// How long a row of so many elements is in shared memory.
pub(crate) fn pitch(elements: usize) -> usize {
    elements.next_multiple_of(SIDE) + PAD
}

/// How narrow floats are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reading {
    /// So many elements at once, where they lie side by side: a power of two that divides whatever a place is made of.
    pub(crate) at_once: usize,
}

/// Copies so many rows to shared memory, with zeros where there is nothing.
#[cube]
pub(crate) fn load_rows<E: Float, N: Size>(
    from: &[Vector<E, N>],
    to: &mut Shared<[Vector<E, N>]>,
    rows: &Rows,
    #[comptime] high: usize,
    #[comptime] wide: usize,
    #[comptime] matrix: Matrix,
    #[comptime] reading: Reading,
) {
    let at_once = comptime!(reading.at_once);
    let vectors = comptime!(wide.next_multiple_of(SIDE) / at_once);
    #[unroll(at_once > 1)]
    for turn in 0..comptime!((high * vectors).div_ceil(UNITS)) {
        let item = UNIT_POS as usize + turn * UNITS;
        let (r, c) = (item / vectors, item % vectors);
        if r < high {
            let value = RuntimeCell::<Vector<E, N>>::new(Vector::zeroed());
            if rows.first + r < rows.count && c * at_once < wide {
                let place = at(rows.start, rows.first + r, c * at_once, comptime!(matrix.clone()));
                value.store(from[place / at_once]);
            }
            to[r * comptime!(pitch(wide) / at_once) + c] = value.read();
        }
    }
}

/// A plane's rows of a tile with [`ROWS`] rows, to be multiplied with something.
#[cube]
pub(crate) fn own_rows<E: Float, N: Size>(
    tile: &Shared<[Vector<E, N>]>,
    #[comptime] wide: usize,
    #[comptime] reading: Reading,
) -> Sequence<cmma::Matrix<Vector<E, N>>> {
    let at_once = comptime!(reading.at_once);
    let whole = comptime!(SIDE * pitch(wide) / at_once);
    let mut sides = Sequence::<cmma::Matrix<Vector<E, N>>>::new();
    #[unroll]
    for step in 0..comptime!(wide.div_ceil(SIDE)) {
        let from = UNIT_POS as usize / PLANE * whole + comptime!(step * SIDE / at_once);
        let (ident, layout) = (cmma::MatrixIdent::A, cmma::MatrixLayout::RowMajor);
        let side = &tile[from..from + whole];
        let pitch = comptime!(pitch(wide) as u32);
        sides.push(cmma::Matrix::<Vector<E, N>>::from_slice(ident, SIDE, SIDE, SIDE, layout, side, pitch));
    }
    sides
}

/// Zeros, to add products to.
#[cube]
pub(crate) fn nothing(#[comptime] wide: usize) -> Sequence<cmma::Matrix<f32>> {
    let mut sums = Sequence::<cmma::Matrix<f32>>::new();
    #[unroll]
    for _ in 0..comptime!(wide.div_ceil(SIDE)) {
        let (ident, layout) = (cmma::MatrixIdent::Accumulator, cmma::MatrixLayout::Undefined);
        sums.push(cmma::Matrix::<f32>::from_value(ident, SIDE, SIDE, SIDE, layout, 0.0));
    }
    sums
}

/// The products of a plane's rows with the rows of a tile, in the plane's part of `stage`, which has rows of
/// `pitch(high)`.
#[cube]
pub(crate) fn dots<E: Float, N: Size>(
    rows: &Sequence<cmma::Matrix<Vector<E, N>>>,
    tile: &Shared<[Vector<E, N>]>,
    stage: &mut Shared<[f32]>,
    #[comptime] high: usize,
    #[comptime] wide: usize,
    #[comptime] reading: Reading,
) {
    let at_once = comptime!(reading.at_once);
    let sums = nothing(high);
    #[unroll]
    for j in 0..comptime!(high / SIDE) {
        #[unroll]
        for d in 0..comptime!(wide.div_ceil(SIDE)) {
            let from = comptime!((j * SIDE * pitch(wide) + d * SIDE) / at_once);
            let side = &tile[from..from + comptime!(SIDE * pitch(wide) / at_once)];
            let (ident, layout) = (cmma::MatrixIdent::B, cmma::MatrixLayout::ColMajor);
            let pitch = comptime!(pitch(wide) as u32);
            let other = cmma::Matrix::<Vector<E, N>>::from_slice(ident, SIDE, SIDE, SIDE, layout, side, pitch);
            cmma::execute(rows.index(d), &other, sums.index(j), sums.index(j));
        }
        let to = UNIT_POS as usize / PLANE * comptime!(SIDE * pitch(high)) + comptime!(j * SIDE);
        let whole = comptime!(SIDE * pitch(high));
        let layout = cmma::MatrixLayout::RowMajor;
        cmma::store(&mut stage[to..to + whole], sums.index(j), comptime!(pitch(high) as u32), layout);
    }
    sync_plane();
}

/// Adds the products of a plane's weights, which lie as [`dots`] does, with the rows of a tile.
#[cube]
pub(crate) fn add_products<E: Float, N: Size>(
    sums: &Sequence<cmma::Matrix<f32>>,
    weights: &Shared<[E]>,
    tile: &Shared<[Vector<E, N>]>,
    #[comptime] high: usize,
    #[comptime] wide: usize,
    #[comptime] reading: Reading,
) {
    let at_once = comptime!(reading.at_once);
    #[unroll]
    for step in 0..comptime!(high / SIDE) {
        let from = UNIT_POS as usize / PLANE * comptime!(SIDE * pitch(high)) + comptime!(step * SIDE);
        let side = &weights[from..from + comptime!(SIDE * pitch(high))];
        let (ident, layout, pitch_) = (cmma::MatrixIdent::A, cmma::MatrixLayout::RowMajor, comptime!(pitch(high)));
        let weight = cmma::Matrix::<E>::from_slice(ident, SIDE, SIDE, SIDE, layout, side, pitch_ as u32);
        #[unroll]
        for j in 0..comptime!(wide.div_ceil(SIDE)) {
            let from = comptime!((step * SIDE * pitch(wide) + j * SIDE) / at_once);
            let side = &tile[from..from + comptime!(SIDE * pitch(wide) / at_once)];
            let (ident, layout) = (cmma::MatrixIdent::B, cmma::MatrixLayout::RowMajor);
            let pitch = comptime!(pitch(wide) as u32);
            let other = cmma::Matrix::<Vector<E, N>>::from_slice(ident, SIDE, SIDE, SIDE, layout, side, pitch);
            cmma::execute(&weight, &other, sums.index(j), sums.index(j));
        }
    }
}

/// Writes a plane's rows of a result, by way of its part of `stage`, which has rows of `pitch(high)`. The plane must be
/// synchronized before `stage` is used again.
#[cube]
pub(crate) fn write<E: Float>(
    sums: &Sequence<cmma::Matrix<f32>>,
    stage: &mut Shared<[f32]>,
    to: &mut [E],
    rows: &Rows,
    #[comptime] high: usize,
    #[comptime] wide: usize,
    #[comptime] matrix: Matrix,
) {
    let plane = UNIT_POS as usize / PLANE;
    let from = plane * comptime!(SIDE * pitch(high));
    #[unroll]
    for j in 0..comptime!(wide.div_ceil(SIDE)) {
        // The square takes the place of the one before.
        if comptime!(j > 0) {
            sync_plane();
        }
        let part = &mut stage[from..from + comptime!(SIDE * pitch(high))];
        cmma::store(part, sums.index(j), comptime!(pitch(high) as u32), cmma::MatrixLayout::RowMajor);
        sync_plane();
        #[unroll]
        for turn in 0..comptime!(SIDE * SIDE / PLANE) {
            let element = UNIT_POS as usize % PLANE + comptime!(turn * PLANE);
            let row = rows.first + plane * SIDE + element / SIDE;
            let column = comptime!(j * SIDE) + element % SIDE;
            if row < rows.count && column < wide {
                let x = stage[from + element / SIDE * comptime!(pitch(high)) + element % SIDE];
                to[at(rows.start, row, column, comptime!(matrix.clone()))] = E::cast_from(x);
            }
        }
    }
}
