//! Products of few rows with a matrix whose columns lie one after the other: each column is read once, for all rows at
//! a time.
//!
//! A general product would first put such a matrix into another order, which costs as much as the product itself when
//! there are few rows to meet it.

use pulp::NullaryFnOnce;

/// Rows that meet a column at a time.
const AT_ONCE: usize = 8;

/// Elements of a vector's worth of sums.
const LANES: usize = 16;

/// Products that are summed up in `f32` before they are added in `f64`, so that the error does not grow with their
/// number.
const BLOCK: usize = LANES * 64;

/// `to[i, j] = sum over k of a[i, k] * b[k, j]`, where `k` has a stride of one in both operands. Strides count
/// elements.
pub(super) struct Skinny {
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

impl NullaryFnOnce for Skinny {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut first = 0;
        while first < self.m {
            // SAFETY: whoever made it promises that the addresses are good.
            unsafe {
                match self.m - first {
                    1 => self.rows::<1>(first),
                    2 | 3 => self.rows::<2>(first),
                    4..AT_ONCE => self.rows::<4>(first),
                    _ => self.rows::<AT_ONCE>(first),
                }
            }
            first += match self.m - first {
                1 => 1,
                2 | 3 => 2,
                4..AT_ONCE => 4,
                _ => AT_ONCE,
            };
        }
    }
}

impl Skinny {
    /// `N` rows with all columns.
    #[inline(always)]
    unsafe fn rows<const N: usize>(&self, first: usize) {
        let whole = self.k / LANES * LANES;
        let mut j = self.columns.start;
        while j < self.columns.end {
            // SAFETY: rows and columns have `k` elements.
            unsafe {
                let b = self.b.offset(j as isize * self.b_column);
                let mut totals = [0f64; N];
                let mut k = 0;
                while k < whole {
                    let end = whole.min(k + BLOCK);
                    let mut sums = [[0f32; LANES]; N];
                    while k < end {
                        let b = &*b.add(k).cast::<[f32; LANES]>();
                        for (r, sums) in sums.iter_mut().enumerate() {
                            let a = &*self.a.offset((first + r) as isize * self.a_row).add(k).cast::<[f32; LANES]>();
                            for (sum, (x, y)) in sums.iter_mut().zip(a.iter().zip(b)) {
                                *sum += x * y;
                            }
                        }
                        k += LANES;
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
                    let mut k = whole;
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
