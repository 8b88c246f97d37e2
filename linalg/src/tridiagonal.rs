//! Systems of equations with tridiagonal matrices.

use crate::matrix::Matrix;
use crate::number::Number;

/// A square tridiagonal matrix. All diagonals have as many elements as the matrix has rows.
#[derive(Clone, Copy, Debug)]
pub struct Tridiagonal<'a, T> {
    /// Elements below the diagonal, by row. The first one is not read.
    pub lower: &'a [T],
    /// Elements on the diagonal.
    pub diagonal: &'a [T],
    /// Elements above the diagonal, by row. The last one is not read.
    pub upper: &'a [T],
}

impl<T: Number> Tridiagonal<'_, T> {
    /// Returns the solution `x` of `a * x = b`, by elimination with partial pivoting like LAPACK's `gtsv`; NaN if the
    /// matrix is singular.
    pub fn solve(&self, b: &Matrix<T>) -> Matrix<T> {
        let (n, mut x) = (b.rows, b.clone());
        let at = |items: &[T], i: usize| items.get(i).copied().unwrap_or(T::zero());
        let size = |x: T| x.re().abs() + x.im().abs();
        // Elements of the eliminated rows from the diagonal on. A row has a third one if it was exchanged.
        let mut rows: Vec<[T; 3]> = Vec::with_capacity(n);
        let mut current = [at(self.diagonal, 0), at(self.upper, 0), T::zero()];
        for i in 0..n {
            let above = |i: usize| if i + 1 < n { at(self.upper, i) } else { T::zero() };
            if i == 0 {
                current[1] = above(0);
            }
            let mut next = [T::zero(); 3];
            if i + 1 < n {
                next = [at(self.lower, i + 1), at(self.diagonal, i + 1), above(i + 1)];
                if size(next[0]) > size(current[0]) {
                    std::mem::swap(&mut current, &mut next);
                    x.swap_rows(i, i + 1);
                }
            }
            if current[0].is_zero() {
                return Matrix::nan(b.rows, b.cols);
            }
            rows.push(current);
            if i + 1 < n {
                let factor = next[0] / current[0];
                x.add_row(i + 1, i, -factor);
                current = [next[1] - factor * current[1], next[2] - factor * current[2], T::zero()];
            }
        }
        for (i, row) in rows.iter().enumerate().rev() {
            for (distance, &element) in row.iter().enumerate().skip(1).filter(|(distance, _)| i + distance < n) {
                x.add_row(i, i + distance, -element);
            }
            (0..x.cols).for_each(|j| x[(i, j)] /= row[0]);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    /// Returns the product of a tridiagonal matrix with columns.
    fn product<T: Number>(a: Tridiagonal<'_, T>, x: &Matrix<T>) -> Matrix<T> {
        Matrix::from_fn(x.rows, x.cols, |i, j| {
            let mut sum = a.diagonal[i] * x[(i, j)];
            if i > 0 {
                sum += a.lower[i] * x[(i - 1, j)];
            }
            if i + 1 < x.rows {
                sum += a.upper[i] * x[(i + 1, j)];
            }
            sum
        })
    }

    fn assert_solves<T: Number>(n: usize, element: impl Fn(usize) -> T) {
        let diagonal = |first: usize| (0..n).map(|i| element(first + i)).collect::<Vec<T>>();
        // Rows are exchanged where the lower diagonal is larger.
        let (lower, middle, upper) = (diagonal(1), diagonal(5), diagonal(9));
        let a = Tridiagonal { lower: &lower, diagonal: &middle, upper: &upper };
        let b = Matrix::from_fn(n, 2, |i, j| element(3 * i + j));
        let found = product(a, &a.solve(&b));
        for (x, y) in found.data.iter().zip(&b.data) {
            assert!((*x - *y).abs() < 1e-9, "{n}");
        }
    }

    #[test]
    fn solves_systems() {
        let real = |i: usize| ((i * 7 % 11) as f64 - 4.3) * if i.is_multiple_of(3) { 0.1 } else { 1.0 };
        for n in 0..9 {
            assert_solves(n, real);
            assert_solves(n, |i| Complex64::new(real(i), real(i + 4)));
        }
    }

    #[test]
    fn singular_matrices_have_no_solution() {
        let (off, zero) = ([0.0, 1.0], [0.0, 0.0]);
        let b = Matrix::identity(2, 1);
        let x = Tridiagonal { lower: &off, diagonal: &zero, upper: &zero }.solve(&b);
        assert!(x.data.iter().all(|x| x.is_nan()));
        // Elements outside of the matrix are not read.
        let x = Tridiagonal { lower: &[f64::NAN, 1.0], diagonal: &zero, upper: &[1.0, f64::NAN] }.solve(&b);
        assert_eq!(x.data, [0.0, 1.0]);
    }
}
