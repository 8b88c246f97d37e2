//! `f32` products of few rows with a matrix whose columns are contiguous: each column is loaded once for several rows.
//!
//! A general product first reorders such a matrix, which for few rows costs as much as the product itself.

use pulp::NullaryFnOnce;

/// Maximum number of rows that share one pass over a column.
const MAX_ROWS_AT_ONCE: usize = 8;

/// Number of `f32` accumulators for each element of the result.
const ACCUMULATORS: usize = 16;

/// Elements of a block: its products are added in `f32`, and the sums of blocks in `f64`, so that the error does not
/// grow with `k`.
const BLOCK_ELEMENTS: usize = ACCUMULATORS * 64;

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

impl NullaryFnOnce for SkinnyProduct {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut first = 0;
        while first < self.m {
            // SAFETY: the creator guarantees that the addresses are valid.
            unsafe {
                match self.m - first {
                    1 => self.rows::<1>(first),
                    2 | 3 => self.rows::<2>(first),
                    4..MAX_ROWS_AT_ONCE => self.rows::<4>(first),
                    _ => self.rows::<MAX_ROWS_AT_ONCE>(first),
                }
            }
            first += match self.m - first {
                1 => 1,
                2 | 3 => 2,
                4..MAX_ROWS_AT_ONCE => 4,
                _ => MAX_ROWS_AT_ONCE,
            };
        }
    }
}

impl SkinnyProduct {
    /// Computes `N` rows from row `first` on, and all columns of the range.
    #[inline(always)]
    unsafe fn rows<const N: usize>(&self, first: usize) {
        let full = self.k / ACCUMULATORS * ACCUMULATORS;
        let mut j = self.columns.start;
        while j < self.columns.end {
            // SAFETY: rows and columns have `k` elements.
            unsafe {
                let b = self.b.offset(j as isize * self.b_column);
                let mut totals = [0f64; N];
                let mut k = 0;
                while k < full {
                    let end = full.min(k + BLOCK_ELEMENTS);
                    let mut sums = [[0f32; ACCUMULATORS]; N];
                    while k < end {
                        let b = &*b.add(k).cast::<[f32; ACCUMULATORS]>();
                        for (r, sums) in sums.iter_mut().enumerate() {
                            let a =
                                &*self.a.offset((first + r) as isize * self.a_row).add(k).cast::<[f32; ACCUMULATORS]>();
                            for (sum, (x, y)) in sums.iter_mut().zip(a.iter().zip(b)) {
                                *sum += x * y;
                            }
                        }
                        k += ACCUMULATORS;
                    }
                    for (total, sums) in totals.iter_mut().zip(&sums) {
                        for lane in sums {
                            *total += f64::from(*lane);
                        }
                    }
                }
                for (r, total) in totals.into_iter().enumerate() {
                    let a = self.a.offset((first + r) as isize * self.a_row);
                    let mut sum = total;
                    let mut k = full;
                    while k < self.k {
                        sum += f64::from(*a.add(k) * *b.add(k));
                        k += 1;
                    }
                    *self.to.offset((first + r) as isize * self.to_row + j as isize * self.to_column) = sum as f32;
                }
            }
            j += 1;
        }
    }
}
