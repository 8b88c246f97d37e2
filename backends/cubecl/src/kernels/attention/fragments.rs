//! Tensor-core fragments of attention. A plane keeps sixteen rows of one operand in registers and multiplies them with
//! tiles of other operands, which all planes of the cube share.

use super::tiles::{Rows, element_address};
use crate::kernels::product::Matrix;
use cubecl::prelude::*;

/// Units of a plane.
pub(crate) const PLANE: usize = 32;

/// Planes of a cube.
const PLANES: usize = 4;

/// Units of a cube.
pub(crate) const UNITS: usize = PLANES * PLANE;

/// Rows and columns of a fragment.
pub(crate) const SIDE: usize = 16;

/// Rows of a cube.
pub(crate) const ROWS: usize = PLANES * SIDE;

/// Units that share a row.
pub(crate) const UNITS_PER_ROW: usize = PLANE / SIDE;

/// Padding of rows in shared memory, in elements; it avoids bank conflicts.
const PAD: usize = 8;

/// Returns the row pitch in shared memory for rows of a number of elements.
pub(crate) fn pitch(elements: usize) -> usize {
    elements.next_multiple_of(SIDE) + PAD
}

/// Load width of 16-bit floats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LoadWidth {
    /// Elements per load: a power of two that divides all strides and offsets.
    pub(crate) vector_len: usize,
}

/// Copies `high` rows of `wide` elements to shared memory. Elements beyond the matrix are zero.
#[cube]
pub(crate) fn load_rows<E: Float, N: Size>(
    from: &[Vector<E, N>],
    to: &mut Shared<[Vector<E, N>]>,
    rows: &Rows,
    #[comptime] high: usize,
    #[comptime] wide: usize,
    #[comptime] matrix: Matrix,
    #[comptime] load_width: LoadWidth,
) {
    let vector_len = comptime!(load_width.vector_len);
    let vectors = comptime!(wide.next_multiple_of(SIDE) / vector_len);
    #[unroll(vector_len > 1)]
    for turn in 0..comptime!((high * vectors).div_ceil(UNITS)) {
        let item = UNIT_POS as usize + turn * UNITS;
        let (r, c) = (item / vectors, item % vectors);
        if r < high {
            let value = RuntimeCell::<Vector<E, N>>::new(Vector::zeroed());
            if rows.first + r < rows.count && c * vector_len < wide {
                let address = element_address(rows.start, rows.first + r, c * vector_len, comptime!(matrix.clone()));
                value.store(from[address / vector_len]);
            }
            to[r * comptime!(pitch(wide) / vector_len) + c] = value.read();
        }
    }
}

/// Returns the fragments of the plane's rows of a tile with [`ROWS`] rows, as left operand.
#[cube]
pub(crate) fn load_fragments<E: Float, N: Size>(
    tile: &Shared<[Vector<E, N>]>,
    #[comptime] wide: usize,
    #[comptime] load_width: LoadWidth,
) -> Sequence<cmma::Matrix<Vector<E, N>>> {
    let vector_len = comptime!(load_width.vector_len);
    let len = comptime!(SIDE * pitch(wide) / vector_len);
    let mut sides = Sequence::<cmma::Matrix<Vector<E, N>>>::new();
    #[unroll]
    for step in 0..comptime!(wide.div_ceil(SIDE)) {
        let from = UNIT_POS as usize / PLANE * len + comptime!(step * SIDE / vector_len);
        let (ident, layout) = (cmma::MatrixIdent::A, cmma::MatrixLayout::RowMajor);
        let side = &tile[from..from + len];
        let pitch = comptime!(pitch(wide) as u32);
        sides.push(cmma::Matrix::<Vector<E, N>>::from_slice(ident, SIDE, SIDE, SIDE, layout, side, pitch));
    }
    sides
}

/// Returns accumulator fragments of zeros.
#[cube]
pub(crate) fn zero_fragments(#[comptime] wide: usize) -> Sequence<cmma::Matrix<f32>> {
    let mut sums = Sequence::<cmma::Matrix<f32>>::new();
    #[unroll]
    for _ in 0..comptime!(wide.div_ceil(SIDE)) {
        let (ident, layout) = (cmma::MatrixIdent::Accumulator, cmma::MatrixLayout::Undefined);
        sums.push(cmma::Matrix::<f32>::from_value(ident, SIDE, SIDE, SIDE, layout, 0.0));
    }
    sums
}

/// Multiplies a plane's rows with the rows of a tile. Writes the products to the plane's rows of `stage`, whose pitch
/// is `pitch(high)`.
#[cube]
pub(crate) fn dots<E: Float, N: Size>(
    rows: &Sequence<cmma::Matrix<Vector<E, N>>>,
    tile: &Shared<[Vector<E, N>]>,
    stage: &mut Shared<[f32]>,
    #[comptime] high: usize,
    #[comptime] wide: usize,
    #[comptime] load_width: LoadWidth,
) {
    let vector_len = comptime!(load_width.vector_len);
    let sums = zero_fragments(high);
    #[unroll]
    for j in 0..comptime!(high / SIDE) {
        #[unroll]
        for d in 0..comptime!(wide.div_ceil(SIDE)) {
            let from = comptime!((j * SIDE * pitch(wide) + d * SIDE) / vector_len);
            let side = &tile[from..from + comptime!(SIDE * pitch(wide) / vector_len)];
            let (ident, layout) = (cmma::MatrixIdent::B, cmma::MatrixLayout::ColMajor);
            let pitch = comptime!(pitch(wide) as u32);
            let other = cmma::Matrix::<Vector<E, N>>::from_slice(ident, SIDE, SIDE, SIDE, layout, side, pitch);
            cmma::execute(rows.index(d), &other, sums.index(j), sums.index(j));
        }
        let to = UNIT_POS as usize / PLANE * comptime!(SIDE * pitch(high)) + comptime!(j * SIDE);
        let len = comptime!(SIDE * pitch(high));
        let layout = cmma::MatrixLayout::RowMajor;
        cmma::store(&mut stage[to..to + len], sums.index(j), comptime!(pitch(high) as u32), layout);
    }
    sync_plane();
}

/// Adds the products of a plane's weights, laid out as by [`dots`], with the rows of a tile to `sums`.
#[cube]
pub(crate) fn add_products<E: Float, N: Size>(
    sums: &Sequence<cmma::Matrix<f32>>,
    weights: &Shared<[E]>,
    tile: &Shared<[Vector<E, N>]>,
    #[comptime] high: usize,
    #[comptime] wide: usize,
    #[comptime] load_width: LoadWidth,
) {
    let vector_len = comptime!(load_width.vector_len);
    #[unroll]
    for step in 0..comptime!(high / SIDE) {
        let from = UNIT_POS as usize / PLANE * comptime!(SIDE * pitch(high)) + comptime!(step * SIDE);
        let side = &weights[from..from + comptime!(SIDE * pitch(high))];
        let (ident, layout, pitch_) = (cmma::MatrixIdent::A, cmma::MatrixLayout::RowMajor, comptime!(pitch(high)));
        let weight = cmma::Matrix::<E>::from_slice(ident, SIDE, SIDE, SIDE, layout, side, pitch_ as u32);
        #[unroll]
        for j in 0..comptime!(wide.div_ceil(SIDE)) {
            let from = comptime!((step * SIDE * pitch(wide) + j * SIDE) / vector_len);
            let side = &tile[from..from + comptime!(SIDE * pitch(wide) / vector_len)];
            let (ident, layout) = (cmma::MatrixIdent::B, cmma::MatrixLayout::RowMajor);
            let pitch = comptime!(pitch(wide) as u32);
            let other = cmma::Matrix::<Vector<E, N>>::from_slice(ident, SIDE, SIDE, SIDE, layout, side, pitch);
            cmma::execute(&weight, &other, sums.index(j), sums.index(j));
        }
    }
}

/// Writes a plane's rows of a result through its rows of `stage`, whose pitch is `pitch(high)`. The caller must
/// synchronise the plane before it reuses `stage`.
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
        // The square overwrites the previous one.
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
                to[element_address(rows.start, row, column, comptime!(matrix.clone()))] = E::cast_from(x);
            }
        }
    }
}
