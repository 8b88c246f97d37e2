//! `tensor_product`: products of matrices of narrow floats on tensor cores, and a program on each of their elements.
//!
//! A cube computes a tile of one result. Its tiles of the operands go through shared memory twice buffered: while
//! planes multiply what is there, units read what comes next, if they read it in vectors. What is summed up is `f32`.

use super::evaluate::{Registers, evaluate, place, stepped};
use super::product::{Matrix, Sizes};
use super::steps::Step;
use cubecl::prelude::*;

/// How many narrow floats are read at once: sixteen bytes.
pub(crate) const VECTOR: usize = 8;

/// Units of a plane.
const PLANE: usize = 32;

/// Side of what a plane multiplies at once.
const SIDE: usize = 16;

/// How many products are summed between two exchanges of tiles.
pub(crate) const DEPTH: usize = 32;

/// Rows in shared memory are longer by so many elements, so that they begin in different banks.
const PAD: usize = 8;

/// How an operand's elements are read: along the dimension in which they lie side by side, so many at once.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Operand {
    /// Whether elements lie side by side along the dimension that is summed.
    pub(crate) along_depth: bool,
    /// A power of two that divides whatever a place is made of.
    pub(crate) at_once: usize,
}

/// How a product is cut.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cut {
    /// Sides of the tile of a cube.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// How many planes share its rows and its columns.
    pub(crate) planes: [usize; 2],
    pub(crate) left: Operand,
    pub(crate) right: Operand,
}

impl Cut {
    /// A cut for products of those sizes: large tiles where there are enough of them to keep a device busy.
    pub(crate) fn of(sizes: &Sizes) -> Cut {
        const ENOUGH: usize = 128;
        let left = Operand::of(&sizes.left, sizes.m, sizes.k, false);
        let right = Operand::of(&sizes.right, sizes.k, sizes.n, true);
        let large = Cut { rows: 128, columns: 128, planes: [2, 4], left, right };
        if large.cubes(sizes) >= ENOUGH { large } else { Cut { rows: 64, columns: 64, planes: [2, 2], ..large } }
    }

    /// Units of a cube.
    pub(crate) fn units(&self) -> usize {
        self.planes[0] * self.planes[1] * PLANE
    }

    /// How many cubes there are.
    pub(crate) fn cubes(&self, sizes: &Sizes) -> usize {
        sizes.batch * sizes.m.div_ceil(self.rows) * sizes.n.div_ceil(self.columns)
    }
}

impl Operand {
    /// How a matrix with so many rows and columns is read.
    fn of(matrix: &Matrix, rows: usize, columns: usize, is_right: bool) -> Operand {
        let by_row = matrix.column.unsigned_abs() <= matrix.row.unsigned_abs();
        let (side_by_side, other, long) =
            if by_row { (matrix.column, matrix.row, columns) } else { (matrix.row, matrix.column, rows) };
        let strides = matrix.of_batch.terms.iter().map(|term| term.stride);
        let mut all = strides.chain([matrix.of_batch.offset, other, long as i64]);
        let in_vectors = side_by_side == 1 && all.all(|stride| stride % VECTOR as i64 == 0);
        Operand { along_depth: by_row != is_right, at_once: if in_vectors { VECTOR } else { 1 } }
    }

    /// Whether several elements are read at once.
    fn in_vectors(&self) -> bool {
        self.at_once > 1
    }

    /// A tile with `wide` rows or columns in shared memory: how many runs it has, how long they are, and how far they
    /// are apart.
    fn runs(&self, wide: usize) -> (usize, usize, usize) {
        let (count, long) = if self.along_depth { (wide, DEPTH) } else { (DEPTH, wide) };
        (count, long, long + PAD)
    }

    /// How many times a unit reads to fill a tile.
    fn turns(&self, wide: usize, units: usize) -> usize {
        (wide * DEPTH / self.at_once).div_ceil(units)
    }
}

/// A tile of an operand in memory: where its matrix is, the first row or column of the tile, and how many there are in
/// all.
#[derive(CubeType)]
struct Source {
    start: usize,
    first: usize,
    count: usize,
}

/// Reads a unit's part of a tile; zeros where there is nothing. `wide` and `deep` are the strides of rows or columns,
/// and of depth.
#[cube]
fn fetch<E: Float, N: Size>(
    from: &[Vector<E, N>],
    tile: &mut Array<Vector<E, N>>,
    source: &Source,
    depth0: usize,
    #[comptime] depth: usize,
    #[comptime] strides: (i64, i64),
    #[comptime] wide: usize,
    #[comptime] units: usize,
    #[comptime] operand: Operand,
) {
    let (_, long, _) = comptime!(operand.runs(wide));
    #[unroll]
    for turn in 0..comptime!(operand.turns(wide, units)) {
        let item = UNIT_POS as usize + comptime!(turn * units);
        let run = item / comptime!(long / operand.at_once);
        let along = item % comptime!(long / operand.at_once) * comptime!(operand.at_once);
        let (w, d) = if comptime!(operand.along_depth) { (run, along) } else { (along, run) };
        let place = stepped(source.start, source.first + w, comptime!(strides.0));
        let place = stepped(place, depth0 + d, comptime!(strides.1));
        let value = RuntimeCell::<Vector<E, N>>::new(Vector::zeroed());
        if source.first + w < source.count && depth0 + d < depth {
            value.store(from[place / comptime!(operand.at_once)]);
        }
        tile[turn] = value.read();
    }
}

/// Puts what a unit has read into shared memory, from `start` on.
#[cube]
fn put<E: Float, N: Size>(
    tile: &Array<Vector<E, N>>,
    to: &mut Shared<[Vector<E, N>]>,
    start: usize,
    #[comptime] wide: usize,
    #[comptime] units: usize,
    #[comptime] operand: Operand,
) {
    let (count, long, pitch) = comptime!(operand.runs(wide));
    #[unroll]
    for turn in 0..comptime!(operand.turns(wide, units)) {
        let item = UNIT_POS as usize + comptime!(turn * units);
        let run = item / comptime!(long / operand.at_once);
        let along = item % comptime!(long / operand.at_once);
        if run < count {
            to[start + run * comptime!(pitch / operand.at_once) + along] = tile[turn];
        }
    }
}

/// A cube computes a tile of one result; cubes count columns, then rows, then the batch. For each element the program
/// is carried out on the place that the result gives it; the element is the program's reduction 0.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tensor_product<E: Float, L: Size, R: Size>(
    left: &[Vector<E, L>],
    right: &[Vector<E, R>],
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] sizes: Sizes,
    #[comptime] cut: Cut,
    #[comptime] epilogue: Vec<Step>,
) {
    let (m, n, k) = comptime!((sizes.m, sizes.n, sizes.k));
    let (a, b, c) = comptime!((sizes.left.clone(), sizes.right.clone(), sizes.result.clone()));
    let (rows, columns) = comptime!((m.div_ceil(cut.rows), n.div_ceil(cut.columns)));
    let units = comptime!(cut.units());
    let column0 = CUBE_POS % columns * comptime!(cut.columns);
    let row0 = CUBE_POS / columns % rows * comptime!(cut.rows);
    let batch = CUBE_POS / comptime!(rows * columns);
    // There may be more cubes than tiles: they have no rows and columns.
    let is_here = batch < comptime!(sizes.batch);
    let (m_here, n_here) = (select(is_here, m, 0), select(is_here, n, 0));
    let left_source = Source { start: place(batch, comptime!(a.of_batch.clone())), first: row0, count: m_here };
    let right_source = Source { start: place(batch, comptime!(b.of_batch.clone())), first: column0, count: n_here };
    let c0 = place(batch, comptime!(c.of_batch.clone()));

    // In shared memory, by vectors.
    let left_tile = comptime!({
        let (count, _, pitch) = cut.left.runs(cut.rows);
        count * pitch / cut.left.at_once
    });
    let right_tile = comptime!({
        let (count, _, pitch) = cut.right.runs(cut.columns);
        count * pitch / cut.right.at_once
    });
    let mut lefts = Shared::<[Vector<E, L>]>::new_aligned_slice(comptime!(2 * left_tile), 128usize);
    let mut rights = Shared::<[Vector<E, R>]>::new_aligned_slice(comptime!(2 * right_tile), 128usize);
    let mut stage = Shared::<[f32]>::new_aligned_slice(comptime!(units / PLANE * SIDE * SIDE), 128usize);
    let mut left_part = Array::<Vector<E, L>>::new(comptime!(cut.left.turns(cut.rows, units)));
    let mut right_part = Array::<Vector<E, R>>::new(comptime!(cut.right.turns(cut.columns, units)));

    let plane = UNIT_POS as usize / PLANE;
    let (plane_rows, plane_columns) = comptime!((cut.rows / cut.planes[0], cut.columns / cut.planes[1]));
    let plane_row = plane / comptime!(cut.planes[1]) * plane_rows;
    let plane_column = plane % comptime!(cut.planes[1]) * plane_columns;
    let (high, wide) = comptime!((plane_rows / SIDE, plane_columns / SIDE));
    let mut sums = Sequence::<cmma::Matrix<f32>>::new();
    #[unroll]
    for _ in 0..comptime!(high * wide) {
        let accumulator = cmma::MatrixIdent::Accumulator;
        let layout = cmma::MatrixLayout::Undefined;
        sums.push(cmma::Matrix::<f32>::from_value(accumulator, SIDE, SIDE, SIDE, layout, 0.0));
    }

    let (a_strides, b_strides) = comptime!(((a.row, a.column), (b.column, b.row)));
    let (tm, tn) = comptime!((cut.rows, cut.columns));
    fetch(left, &mut left_part, &left_source, 0usize, k, a_strides, tm, units, comptime!(cut.left.clone()));
    fetch(right, &mut right_part, &right_source, 0usize, k, b_strides, tn, units, comptime!(cut.right.clone()));
    put(&left_part, &mut lefts, 0usize, tm, units, comptime!(cut.left.clone()));
    put(&right_part, &mut rights, 0usize, tn, units, comptime!(cut.right.clone()));
    sync_cube();
    let steps = comptime!(k.div_ceil(DEPTH));
    for step in 0..steps {
        let (now, next) = (step % 2, 1 - step % 2);
        let depth0 = (step + 1) * DEPTH;
        if step + 1 < steps {
            if comptime!(cut.left.in_vectors()) {
                fetch(left, &mut left_part, &left_source, depth0, k, a_strides, tm, units, comptime!(cut.left.clone()));
            }
            if comptime!(cut.right.in_vectors()) {
                fetch(
                    right,
                    &mut right_part,
                    &right_source,
                    depth0,
                    k,
                    b_strides,
                    tn,
                    units,
                    comptime!(cut.right.clone()),
                );
            }
        }
        #[unroll]
        for d in 0..comptime!(DEPTH / SIDE) {
            let mut right_sides = Sequence::<cmma::Matrix<Vector<E, R>>>::new();
            #[unroll]
            for j in 0..wide {
                let from = now * right_tile
                    + side(plane_column + comptime!(j * SIDE), comptime!(d * SIDE), tn, comptime!(cut.right.clone()));
                let (_, _, pitch) = comptime!(cut.right.runs(cut.columns));
                let layout = comptime!(layout(cut.right.along_depth, true));
                let whole = comptime!(SIDE * pitch / cut.right.at_once);
                let slice = &rights[from..from + whole];
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
                    + side(plane_row + comptime!(i * SIDE), comptime!(d * SIDE), tm, comptime!(cut.left.clone()));
                let (_, _, pitch) = comptime!(cut.left.runs(cut.rows));
                let layout = comptime!(layout(cut.left.along_depth, false));
                let whole = comptime!(SIDE * pitch / cut.left.at_once);
                let slice = &lefts[from..from + whole];
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
            // Single elements are so many that registers would not hold them beside what is multiplied.
            if comptime!(!cut.left.in_vectors()) {
                fetch(left, &mut left_part, &left_source, depth0, k, a_strides, tm, units, comptime!(cut.left.clone()));
            }
            if comptime!(!cut.right.in_vectors()) {
                fetch(
                    right,
                    &mut right_part,
                    &right_source,
                    depth0,
                    k,
                    b_strides,
                    tn,
                    units,
                    comptime!(cut.right.clone()),
                );
            }
            put(&left_part, &mut lefts, next * left_tile, tm, units, comptime!(cut.left.clone()));
            put(&right_part, &mut rights, next * right_tile, tn, units, comptime!(cut.right.clone()));
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
                    let to = stepped(stepped(c0, row, comptime!(c.row)), column, comptime!(c.column));
                    let mut reduced = Sequence::<f32>::new();
                    reduced.push(stage[mine + element]);
                    let mut registers = Registers::new();
                    evaluate(reads, writes, halves, &reduced, to, &mut registers, comptime!(epilogue.clone()));
                }
            }
            // The next square takes the place of this one.
            if comptime!(i + 1 < high || j + 1 < wide) {
                sync_plane();
            }
        }
    }
}

/// Where a square begins in a tile, by vectors.
#[cube]
fn side(wide0: usize, #[comptime] depth0: usize, #[comptime] wide: usize, #[comptime] operand: Operand) -> usize {
    let (_, _, pitch) = comptime!(operand.runs(wide));
    let elements = if comptime!(operand.along_depth) { wide0 * pitch + depth0 } else { depth0 * pitch + wide0 };
    elements / comptime!(operand.at_once)
}

/// How a square of an operand lies in shared memory: rows of the left operand are wide, of the right one deep.
fn layout(along_depth: bool, is_right: bool) -> cmma::MatrixLayout {
    if along_depth == is_right { cmma::MatrixLayout::ColMajor } else { cmma::MatrixLayout::RowMajor }
}
