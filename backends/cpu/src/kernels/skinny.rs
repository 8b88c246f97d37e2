//! `f32` products of few rows with a matrix whose columns are contiguous: a tile of rows and columns shares the loads
//! of its operands.
//!
//! A general product first reorders such a matrix, which for few rows costs as much as the product itself.

use pulp::{Simd, WithSimd};

/// Columns of a tile.
const TILE_COLUMNS: usize = 2;

/// Vectors of a block: their products are added in `f32`, and the sums of blocks in `f64`, so that the error does not
/// grow with `k`.
const BLOCK_VECTORS: usize = 64;

/// Registers that a tile of eight rows needs.
const REGISTERS_OF_EIGHT_ROWS: usize = 24;

/// Product `to[i, j] = sum over k of a[i, k] * b[k, j]` for all `m` rows and a range of columns. `k` has a stride of
/// one in both operands. Strides are in elements.
pub(super) struct SkinnyProduct {
    pub(super) m: usize,
    pub(super) columns: std::ops::Range<usize>,
    pub(super) k: usize,
    pub(super) a: *const f32,
    pub(super) a_row: isize,
    pub(super) b: *const f32,
    pub(super) b_column: isize,
    pub(super) to: *mut f32,
    pub(super) to_row: isize,
    pub(super) to_column: isize,
}

impl WithSimd for SkinnyProduct {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let has_eight_rows = S::REGISTER_COUNT >= REGISTERS_OF_EIGHT_ROWS;
        let mut first = 0;
        while first < self.m {
            let left = self.m - first;
            // SAFETY: the creator guarantees that the addresses are valid.
            first += unsafe {
                match left {
                    1 => self.rows::<S, 1>(simd, first),
                    2 | 3 => self.rows::<S, 2>(simd, first),
                    8.. if has_eight_rows => self.rows::<S, 8>(simd, first),
                    _ => self.rows::<S, 4>(simd, first),
                }
            };
        }
    }
}

impl SkinnyProduct {
    /// Computes `ROWS` rows from row `first` on, and all columns of the range. Returns `ROWS`.
    #[inline(always)]
    unsafe fn rows<S: Simd, const ROWS: usize>(&self, simd: S, first: usize) -> usize {
        let mut j = self.columns.start;
        // SAFETY: guaranteed by the caller.
        unsafe {
            while j + TILE_COLUMNS <= self.columns.end {
                self.tile::<S, ROWS, TILE_COLUMNS>(simd, first, j);
                j += TILE_COLUMNS;
            }
            while j < self.columns.end {
                self.tile::<S, ROWS, 1>(simd, first, j);
                j += 1;
            }
        }
        ROWS
    }

    /// Computes a tile of the result.
    #[inline(always)]
    unsafe fn tile<S: Simd, const ROWS: usize, const COLUMNS: usize>(&self, simd: S, row: usize, column: usize) {
        let lanes = S::F32_LANES;
        let full = self.k / lanes * lanes;
        let mut totals = [[0f64; COLUMNS]; ROWS];
        // SAFETY: rows and columns have `k` elements.
        unsafe {
            let a = self.a.offset(row as isize * self.a_row);
            let b = self.b.offset(column as isize * self.b_column);
            let mut k = 0;
            while k < full {
                let end = full.min(k + BLOCK_VECTORS * lanes);
                let mut sums = [[simd.splat_f32s(0.0); COLUMNS]; ROWS];
                while k < end {
                    let mut y = [simd.splat_f32s(0.0); COLUMNS];
                    for_each_index!(c, COLUMNS, {
                        y[c] = b.offset(c as isize * self.b_column).add(k).cast::<S::f32s>().read_unaligned();
                    });
                    for_each_index!(r, ROWS, {
                        let x = a.offset(r as isize * self.a_row).add(k).cast::<S::f32s>().read_unaligned();
                        for_each_index!(c, COLUMNS, sums[r][c] = simd.mul_add_e_f32s(x, y[c], sums[r][c]));
                    });
                    k += lanes;
                }
                for_each_index!(r, ROWS, {
                    for_each_index!(c, COLUMNS, totals[r][c] += f64::from(simd.reduce_sum_f32s(sums[r][c])));
                });
            }
            for_each_index!(r, ROWS, {
                for_each_index!(c, COLUMNS, {
                    let (a, b) = (a.offset(r as isize * self.a_row), b.offset(c as isize * self.b_column));
                    let mut sum = totals[r][c];
                    let mut k = full;
                    while k < self.k {
                        sum += f64::from(*a.add(k) * *b.add(k));
                        k += 1;
                    }
                    let to = self.to.offset((row + r) as isize * self.to_row);
                    *to.offset((column + c) as isize * self.to_column) = sum as f32;
                });
            });
        }
    }
}
