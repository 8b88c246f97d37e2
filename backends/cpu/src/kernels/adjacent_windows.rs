//! Pooling of a plane with windows that tile it without overlap, and its gradient, on the vectors of the machine.
//!
//! Outputs of a row are computed together, one element of their windows after the other. The loops are `while` loops,
//! since iterators may not be inlined and would then not be compiled for wide vectors.

use partita_ir::layout::Monoid;
use partita_ir::ops::{maximum, minimum};
use pulp::NullaryFnOnce;

/// Outputs that [`AdjacentUnpool`] computes together.
const CHUNK: usize = 64;

/// Pooling of a plane.
pub(super) struct AdjacentPool<'a> {
    /// Monoid; for booleans, 0 and 1, `or` is the maximum and `and` the minimum.
    pub(super) monoid: Monoid,
    /// Sizes of the windows.
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Columns of the operand and of the result.
    pub(super) input: usize,
    pub(super) output: usize,
    /// Operand and result.
    pub(super) x: &'a [f32],
    pub(super) y: &'a mut [f32],
}

impl NullaryFnOnce for AdjacentPool<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.monoid {
            Monoid::Sum => self.pool(|a, b| a + b),
            Monoid::Prod => self.pool(|a, b| a * b),
            Monoid::Max | Monoid::Or => self.pool(maximum),
            Monoid::Min | Monoid::And => self.pool(minimum),
        }
    }
}

impl AdjacentPool<'_> {
    #[inline(always)]
    fn pool(self, combine: impl Fn(f32, f32) -> f32) {
        // A constant distance between windows allows vector loads.
        match self.columns {
            2 => self.pool_columns(2, combine),
            columns => self.pool_columns(columns, combine),
        }
    }

    #[inline(always)]
    fn pool_columns(self, columns: usize, combine: impl Fn(f32, f32) -> f32) {
        let AdjacentPool { rows, input, output, x, y, .. } = self;
        let mut row = 0;
        while row < y.len() / output {
            let y = &mut y[row * output..][..output];
            let mut i = 0;
            while i < rows {
                let x = &x[(row * rows + i) * input..][..output * columns];
                let mut j = 0;
                while j < columns {
                    let mut c = 0;
                    while c < output {
                        // SAFETY: `x` has `columns` elements for each output. A check would prevent vectors.
                        let element = unsafe { *x.get_unchecked(c * columns + j) };
                        y[c] = if i == 0 && j == 0 { element } else { combine(y[c], element) };
                        c += 1;
                    }
                    j += 1;
                }
                i += 1;
            }
            row += 1;
        }
    }
}

/// Gradient of the pooling of a plane with a maximum or minimum: the first element with the extreme value of each
/// window receives the gradient of the output.
pub(super) struct AdjacentUnpool<'a> {
    /// True for a maximum, false for a minimum.
    pub(super) is_max: bool,
    /// Sizes of the windows.
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Columns of the operand and of the pooled result.
    pub(super) input: usize,
    pub(super) output: usize,
    /// Operand of the pooling, gradient of its result, and gradient of its operand, which is zero before the call.
    pub(super) x: &'a [f32],
    pub(super) source: &'a [f32],
    pub(super) sums: &'a mut [f32],
}

impl NullaryFnOnce for AdjacentUnpool<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.is_max {
            true => self.unpool(|a, b| a >= b),
            false => self.unpool(|a, b| a <= b),
        }
    }
}

impl AdjacentUnpool<'_> {
    #[inline(always)]
    fn unpool(self, is_selected: impl Fn(f32, f32) -> bool) {
        match self.columns {
            2 => self.unpool_columns(2, is_selected),
            columns => self.unpool_columns(columns, is_selected),
        }
    }

    #[inline(always)]
    fn unpool_columns(self, columns: usize, is_selected: impl Fn(f32, f32) -> bool) {
        let AdjacentUnpool { rows, input, output, x, source, sums, .. } = self;
        let mut first = 0;
        while first < source.len() {
            let (row, column) = (first / output, first % output);
            let n = CHUNK.min(output - column);
            let source = &source[first..][..n];
            // Extreme value of each window, and its index in the window.
            let (mut best, mut selected) = ([0f32; CHUNK], [0u32; CHUNK]);
            let mut tap = 0;
            while tap < rows * columns {
                let (i, j) = (tap / columns, tap % columns);
                let x = &x[(row * rows + i) * input + column * columns..][..n * columns];
                let mut c = 0;
                while c < n {
                    // SAFETY: `x` has `columns` elements for each output. A check would prevent vectors.
                    let element = unsafe { *x.get_unchecked(c * columns + j) };
                    let is_kept = tap > 0 && is_selected(best[c], element);
                    best[c] = if is_kept { best[c] } else { element };
                    selected[c] = if is_kept { selected[c] } else { tap as u32 };
                    c += 1;
                }
                tap += 1;
            }
            let mut i = 0;
            while i < rows {
                let sums = &mut sums[(row * rows + i) * input + column * columns..][..n * columns];
                let mut c = 0;
                while c < n {
                    let mut j = 0;
                    while j < columns {
                        let is_extreme = selected[c] == (i * columns + j) as u32;
                        let gradient = if is_extreme { source[c] } else { 0.0 };
                        // SAFETY: as above, for `sums`.
                        unsafe { *sums.get_unchecked_mut(c * columns + j) = gradient };
                        j += 1;
                    }
                    c += 1;
                }
                i += 1;
            }
            first += n;
        }
    }
}
