//! `tensor_product`: matrix products of 16-bit floats on tensor cores, with an epilogue per element.
//!
//! A cube computes a tile of one result. Tiles of the operands are double-buffered in shared memory: while planes
//! multiply one tile, units load the next one, if vector loads are possible. Accumulators are `f32`.

use super::evaluate::{Registers, address, evaluate, strided_address};
use super::product::{MatmulSizes, Matrix};
use super::steps::Step;
use cubecl::prelude::*;

/// Elements per vector load: sixteen bytes of 16-bit floats.
pub(crate) const VECTOR: usize = 8;

/// Units of a plane.
const PLANE: usize = 32;

/// Rows and columns of a fragment.
const SIDE: usize = 16;

/// Size of the contracted dimension of a tile.
pub(crate) const DEPTH: usize = 32;

/// Padding of rows in shared memory, in elements; it avoids bank conflicts.
const PAD: usize = 8;

/// Loads of an operand, which run along its contiguous dimension.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct OperandLoads {
    /// True if the operand is contiguous along the contracted dimension.
    pub(crate) along_depth: bool,
    /// Elements per load: a power of two that divides all strides and offsets.
    pub(crate) vector_len: usize,
}

/// Tiling of a matrix product.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Tiling {
    /// Rows and columns of the tile of a cube.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Planes along the rows and the columns of the tile.
    pub(crate) planes: [usize; 2],
    pub(crate) left: OperandLoads,
    pub(crate) right: OperandLoads,
}

impl Tiling {
    /// Returns the tiling for a product: large tiles if there are enough of them to keep a GPU busy.
    pub(crate) fn new(sizes: &MatmulSizes) -> Tiling {
        const MIN_LARGE_CUBES: usize = 128;
        let left = OperandLoads::new(&sizes.left, sizes.m, sizes.k, false);
        let right = OperandLoads::new(&sizes.right, sizes.k, sizes.n, true);
        let large = Tiling { rows: 128, columns: 128, planes: [2, 4], left, right };
        if large.cubes(sizes) >= MIN_LARGE_CUBES {
            large
        } else {
            Tiling { rows: 64, columns: 64, planes: [2, 2], ..large }
        }
    }

    /// Units of a cube.
    pub(crate) fn units(&self) -> usize {
        self.planes[0] * self.planes[1] * PLANE
    }

    /// Returns the number of cubes.
    pub(crate) fn cubes(&self, sizes: &MatmulSizes) -> usize {
        sizes.batch * sizes.m.div_ceil(self.rows) * sizes.n.div_ceil(self.columns)
    }
}

impl OperandLoads {
    /// Returns the loads of a matrix with the given numbers of rows and columns.
    fn new(matrix: &Matrix, rows: usize, columns: usize, is_right: bool) -> OperandLoads {
        let by_row = matrix.column.unsigned_abs() <= matrix.row.unsigned_abs();
        let (side_by_side, other, long) =
            if by_row { (matrix.column, matrix.row, columns) } else { (matrix.row, matrix.column, rows) };
        let strides = matrix.batch_map.terms.iter().map(|term| term.stride);
        let mut all = strides.chain([matrix.batch_map.offset, other, long as i64]);
        let in_vectors = side_by_side == 1 && all.all(|stride| stride % VECTOR as i64 == 0);
        OperandLoads { along_depth: by_row != is_right, vector_len: if in_vectors { VECTOR } else { 1 } }
    }

    /// Returns true if vector loads are possible.
    fn in_vectors(&self) -> bool {
        self.vector_len > 1
    }

    /// Returns number, length and pitch of the contiguous runs of a tile with `wide` rows or columns in shared memory.
    fn runs(&self, wide: usize) -> (usize, usize, usize) {
        let (count, long) = if self.along_depth { (wide, DEPTH) } else { (DEPTH, wide) };
        (count, long, long + PAD)
    }

    /// Returns the number of loads per unit that fill a tile.
    fn turns(&self, wide: usize, units: usize) -> usize {
        (wide * DEPTH / self.vector_len).div_ceil(units)
    }
}

/// A tile of an operand in memory: address of the matrix, first row or column of the tile, and number of rows or
/// columns of the matrix.
#[derive(CubeType)]
struct TileSource {
    start: usize,
    first: usize,
    count: usize,
}

/// Loads a unit's part of a tile to registers. Elements beyond the matrix are zero. `strides` contains the stride of
/// rows or columns and the stride of the contracted dimension.
#[cube]
fn fetch<E: Float, N: Size>(
    from: &[Vector<E, N>],
    tile: &mut Array<Vector<E, N>>,
    source: &TileSource,
    depth0: usize,
    #[comptime] depth: usize,
    #[comptime] strides: (i64, i64),
    #[comptime] wide: usize,
    #[comptime] units: usize,
    #[comptime] operand: OperandLoads,
) {
    let (_, long, _) = comptime!(operand.runs(wide));
    #[unroll]
    for turn in 0..comptime!(operand.turns(wide, units)) {
        let item = UNIT_POS as usize + comptime!(turn * units);
        let run = item / comptime!(long / operand.vector_len);
        let along = item % comptime!(long / operand.vector_len) * comptime!(operand.vector_len);
        let (w, d) = if comptime!(operand.along_depth) { (run, along) } else { (along, run) };
        let address = strided_address(source.start, source.first + w, comptime!(strides.0));
        let address = strided_address(address, depth0 + d, comptime!(strides.1));
        let value = RuntimeCell::<Vector<E, N>>::new(Vector::zeroed());
        if source.first + w < source.count && depth0 + d < depth {
            value.store(from[address / comptime!(operand.vector_len)]);
        }
        tile[turn] = value.read();
    }
}

/// Writes a unit's part of a tile to shared memory, from `start` on.
#[cube]
fn put<E: Float, N: Size>(
    tile: &Array<Vector<E, N>>,
    to: &mut Shared<[Vector<E, N>]>,
    start: usize,
    #[comptime] wide: usize,
    #[comptime] units: usize,
    #[comptime] operand: OperandLoads,
) {
    let (count, long, pitch) = comptime!(operand.runs(wide));
    #[unroll]
    for turn in 0..comptime!(operand.turns(wide, units)) {
        let item = UNIT_POS as usize + comptime!(turn * units);
        let run = item / comptime!(long / operand.vector_len);
        let along = item % comptime!(long / operand.vector_len);
        if run < count {
            to[start + run * comptime!(pitch / operand.vector_len) + along] = tile[turn];
        }
    }
}

/// Computes matrix products. A cube computes a tile of one result; cube indices count columns, then rows, then the
/// batch. The epilogue runs at the address of each element and reads the element as reduction 0.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tensor_product<E: Float, L: Size, R: Size>(
    left: &[Vector<E, L>],
    right: &[Vector<E, R>],
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] sizes: MatmulSizes,
    #[comptime] tiling: Tiling,
    #[comptime] epilogue: Vec<Step>,
) {
    let (m, n, k) = comptime!((sizes.m, sizes.n, sizes.k));
    let (a, b, c) = comptime!((sizes.left.clone(), sizes.right.clone(), sizes.result.clone()));
    let (rows, columns) = comptime!((m.div_ceil(tiling.rows), n.div_ceil(tiling.columns)));
    let units = comptime!(tiling.units());
    let column0 = CUBE_POS % columns * comptime!(tiling.columns);
    let row0 = CUBE_POS / columns % rows * comptime!(tiling.rows);
    let batch = CUBE_POS / comptime!(rows * columns);
    // A grid may have more cubes than tiles; the extra cubes have no rows and columns.
    let is_here = batch < comptime!(sizes.batch);
    let (m_here, n_here) = (select(is_here, m, 0), select(is_here, n, 0));
    let left_source = TileSource { start: address(batch, comptime!(a.batch_map.clone())), first: row0, count: m_here };
    let right_source =
        TileSource { start: address(batch, comptime!(b.batch_map.clone())), first: column0, count: n_here };
    let c0 = address(batch, comptime!(c.batch_map.clone()));

    // Sizes in shared memory, in vectors.
    let left_tile = comptime!({
        let (count, _, pitch) = tiling.left.runs(tiling.rows);
        count * pitch / tiling.left.vector_len
    });
    let right_tile = comptime!({
        let (count, _, pitch) = tiling.right.runs(tiling.columns);
        count * pitch / tiling.right.vector_len
    });
    let mut lefts = Shared::<[Vector<E, L>]>::new_aligned_slice(comptime!(2 * left_tile), 128usize);
    let mut rights = Shared::<[Vector<E, R>]>::new_aligned_slice(comptime!(2 * right_tile), 128usize);
    let mut stage = Shared::<[f32]>::new_aligned_slice(comptime!(units / PLANE * SIDE * SIDE), 128usize);
    let mut left_part = Array::<Vector<E, L>>::new(comptime!(tiling.left.turns(tiling.rows, units)));
    let mut right_part = Array::<Vector<E, R>>::new(comptime!(tiling.right.turns(tiling.columns, units)));

    let plane = UNIT_POS as usize / PLANE;
    let (plane_rows, plane_columns) = comptime!((tiling.rows / tiling.planes[0], tiling.columns / tiling.planes[1]));
    let plane_row = plane / comptime!(tiling.planes[1]) * plane_rows;
    let plane_column = plane % comptime!(tiling.planes[1]) * plane_columns;
    let (high, wide) = comptime!((plane_rows / SIDE, plane_columns / SIDE));
    let mut sums = Sequence::<cmma::Matrix<f32>>::new();
    #[unroll]
    for _ in 0..comptime!(high * wide) {
        let accumulator = cmma::MatrixIdent::Accumulator;
        let layout = cmma::MatrixLayout::Undefined;
        sums.push(cmma::Matrix::<f32>::from_value(accumulator, SIDE, SIDE, SIDE, layout, 0.0));
    }

    let (a_strides, b_strides) = comptime!(((a.row, a.column), (b.column, b.row)));
    let (tm, tn) = comptime!((tiling.rows, tiling.columns));
    fetch(left, &mut left_part, &left_source, 0usize, k, a_strides, tm, units, comptime!(tiling.left.clone()));
    fetch(right, &mut right_part, &right_source, 0usize, k, b_strides, tn, units, comptime!(tiling.right.clone()));
    put(&left_part, &mut lefts, 0usize, tm, units, comptime!(tiling.left.clone()));
    put(&right_part, &mut rights, 0usize, tn, units, comptime!(tiling.right.clone()));
    sync_cube();
    let steps = comptime!(k.div_ceil(DEPTH));
    for step in 0..steps {
        let (now, next) = (step % 2, 1 - step % 2);
        let depth0 = (step + 1) * DEPTH;
        if step + 1 < steps {
            if comptime!(tiling.left.in_vectors()) {
                fetch(
                    left,
                    &mut left_part,
                    &left_source,
                    depth0,
                    k,
                    a_strides,
                    tm,
                    units,
                    comptime!(tiling.left.clone()),
                );
            }
            if comptime!(tiling.right.in_vectors()) {
                fetch(
                    right,
                    &mut right_part,
                    &right_source,
                    depth0,
                    k,
                    b_strides,
                    tn,
                    units,
                    comptime!(tiling.right.clone()),
                );
            }
        }
        #[unroll]
        for d in 0..comptime!(DEPTH / SIDE) {
            let mut right_sides = Sequence::<cmma::Matrix<Vector<E, R>>>::new();
            #[unroll]
            for j in 0..wide {
                let from = now * right_tile
                    + side(
                        plane_column + comptime!(j * SIDE),
                        comptime!(d * SIDE),
                        tn,
                        comptime!(tiling.right.clone()),
                    );
                let (_, _, pitch) = comptime!(tiling.right.runs(tiling.columns));
                let layout = comptime!(layout(tiling.right.along_depth, true));
                let len = comptime!(SIDE * pitch / tiling.right.vector_len);
                let slice = &rights[from..from + len];
                let ident = cmma::MatrixIdent::B;
                right_sides.push(cmma::Matrix::<Vector<E, R>>::from_slice(
                    ident,
                    SIDE,
                    SIDE,
                    SIDE,
                    layout,
                    slice,
                    pitch as u32,
                ));
            }
            #[unroll]
            for i in 0..high {
                let from = now * left_tile
                    + side(plane_row + comptime!(i * SIDE), comptime!(d * SIDE), tm, comptime!(tiling.left.clone()));
                let (_, _, pitch) = comptime!(tiling.left.runs(tiling.rows));
                let layout = comptime!(layout(tiling.left.along_depth, false));
                let len = comptime!(SIDE * pitch / tiling.left.vector_len);
                let slice = &lefts[from..from + len];
                let ident = cmma::MatrixIdent::A;
                let left_side =
                    cmma::Matrix::<Vector<E, L>>::from_slice(ident, SIDE, SIDE, SIDE, layout, slice, pitch as u32);
                #[unroll]
                for j in 0..wide {
                    let sum = sums.index(comptime!(i * wide + j));
                    cmma::execute(&left_side, right_sides.index(j), sum, sum);
                }
            }
        }
        if step + 1 < steps {
            // Scalar loads need so many registers that they must not overlap with the multiplication.
            if comptime!(!tiling.left.in_vectors()) {
                fetch(
                    left,
                    &mut left_part,
                    &left_source,
                    depth0,
                    k,
                    a_strides,
                    tm,
                    units,
                    comptime!(tiling.left.clone()),
                );
            }
            if comptime!(!tiling.right.in_vectors()) {
                fetch(
                    right,
                    &mut right_part,
                    &right_source,
                    depth0,
                    k,
                    b_strides,
                    tn,
                    units,
                    comptime!(tiling.right.clone()),
                );
            }
            put(&left_part, &mut lefts, next * left_tile, tm, units, comptime!(tiling.left.clone()));
            put(&right_part, &mut rights, next * right_tile, tn, units, comptime!(tiling.right.clone()));
        }
        sync_cube();
    }
    #[unroll]
    for i in 0..high {
        #[unroll]
        for j in 0..wide {
            let mine = plane * comptime!(SIDE * SIDE);
            cmma::store(
                &mut stage[mine..mine + comptime!(SIDE * SIDE)],
                sums.index(comptime!(i * wide + j)),
                SIDE as u32,
                cmma::MatrixLayout::RowMajor,
            );
            sync_plane();
            for item in 0..comptime!(SIDE * SIDE / PLANE) {
                let element = UNIT_POS as usize % PLANE + item * PLANE;
                let row = row0 + plane_row + comptime!(i * SIDE) + element / SIDE;
                let column = column0 + plane_column + comptime!(j * SIDE) + element % SIDE;
                if row < m_here && column < n_here {
                    let to = strided_address(strided_address(c0, row, comptime!(c.row)), column, comptime!(c.column));
                    let mut reduced = Sequence::<f32>::new();
                    reduced.push(stage[mine + element]);
                    let mut registers = Registers::new();
                    evaluate(reads, writes, halves, &reduced, to, &mut registers, comptime!(epilogue.clone()));
                }
            }
            // The next square overwrites this one.
            if comptime!(i + 1 < high || j + 1 < wide) {
                sync_plane();
            }
        }
    }
}

/// Returns the address of a fragment in a tile in shared memory, in vectors.
#[cube]
fn side(wide0: usize, #[comptime] depth0: usize, #[comptime] wide: usize, #[comptime] operand: OperandLoads) -> usize {
    let (_, _, pitch) = comptime!(operand.runs(wide));
    let elements = if comptime!(operand.along_depth) { wide0 * pitch + depth0 } else { depth0 * pitch + wide0 };
    elements / comptime!(operand.vector_len)
}

/// Returns the layout of an operand's fragments in shared memory.
fn layout(along_depth: bool, is_right: bool) -> cmma::MatrixLayout {
    if along_depth == is_right { cmma::MatrixLayout::ColMajor } else { cmma::MatrixLayout::RowMajor }
}
