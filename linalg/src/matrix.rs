//! Dense matrices.

use crate::number::Number;
use std::ops::{Index, IndexMut};

/// A dense matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix<T> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Elements in row-major order.
    pub data: Vec<T>,
}

impl<T: Number> Matrix<T> {
    /// Creates a matrix from its elements in row-major order. Missing elements are zero.
    pub fn from_rows(rows: usize, cols: usize, mut data: Vec<T>) -> Matrix<T> {
        data.resize(rows * cols, T::zero());
        Matrix { rows, cols, data }
    }

    /// Creates a matrix from a function of row and column.
    pub fn from_fn(rows: usize, cols: usize, element: impl Fn(usize, usize) -> T) -> Matrix<T> {
        let element = &element;
        let data = (0..rows).flat_map(|i| (0..cols).map(move |j| element(i, j))).collect();
        Matrix { rows, cols, data }
    }

    /// Creates a matrix with ones on its diagonal and zeros elsewhere.
    pub fn identity(rows: usize, cols: usize) -> Matrix<T> {
        Matrix::from_fn(rows, cols, |i, j| if i == j { T::one() } else { T::zero() })
    }

    /// Creates a matrix of NaN, the result of a failed computation.
    pub fn nan(rows: usize, cols: usize) -> Matrix<T> {
        Matrix { rows, cols, data: vec![T::nan(); rows * cols] }
    }

    /// Returns the transposed matrix.
    pub fn transposed(&self) -> Matrix<T> {
        Matrix::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// Returns the conjugate transpose.
    pub fn adjoint(&self) -> Matrix<T> {
        Matrix::from_fn(self.cols, self.rows, |i, j| self[(j, i)].conj())
    }

    /// Returns true if no element is infinite or NaN.
    pub fn is_finite(&self) -> bool {
        self.data.iter().all(|x| x.abs().is_finite())
    }

    /// Adds a multiple of row `source` to row `target`, which must be another row.
    pub(crate) fn add_row(&mut self, target: usize, source: usize, factor: T) {
        let n = self.cols;
        let (low, high) = (target.min(source), target.max(source));
        let (first, second) = self.data.split_at_mut(high * n);
        let (low, high) = (&mut first[low * n..][..n], &mut second[..n]);
        let (target, source) = if target < source { (low, high) } else { (high, low) };
        for (x, &y) in target.iter_mut().zip(source.iter()) {
            *x += factor * y;
        }
    }

    /// Exchanges two rows.
    pub(crate) fn swap_rows(&mut self, a: usize, b: usize) {
        for j in 0..self.cols {
            self.data.swap(a * self.cols + j, b * self.cols + j);
        }
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i * self.cols + j]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i * self.cols + j]
    }
}
