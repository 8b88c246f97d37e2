//! Solution of triangular systems.

use crate::matrix::Matrix;
use crate::number::Number;

/// The matrix of a system, as a function of the given matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transposition {
    /// The matrix itself.
    None,
    /// The transposed matrix.
    Transpose,
    /// The conjugate transpose.
    Adjoint,
}

/// A system of equations with a triangular matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TriangularSystem {
    /// The matrix is the left factor, `a * x = b`; otherwise `x * a = b`.
    pub left: bool,
    /// The lower triangle is read, otherwise the upper one.
    pub lower: bool,
    /// The diagonal is not read and consists of ones.
    pub unit_diagonal: bool,
    /// Transposition of the matrix.
    pub transposition: Transposition,
}

impl TriangularSystem {
    /// Solves the system by substitution. A zero on the diagonal results in infinite or NaN elements.
    pub fn solve<T: Number>(self, a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
        let (mut a, mut lower) = match self.transposition {
            Transposition::None => (a.clone(), self.lower),
            Transposition::Transpose => (a.transposed(), !self.lower),
            Transposition::Adjoint => (a.adjoint(), !self.lower),
        };
        if self.left {
            return substitute(&a, b.clone(), lower, self.unit_diagonal);
        }
        (a, lower) = (a.transposed(), !lower);
        substitute(&a, b.transposed(), lower, self.unit_diagonal).transposed()
    }
}

/// Solves `a * x = b` from the first row on for a lower triangular matrix, from the last row on for an upper one.
fn substitute<T: Number>(a: &Matrix<T>, mut b: Matrix<T>, lower: bool, unit: bool) -> Matrix<T> {
    let n = a.rows;
    for step in 0..n {
        let i = if lower { step } else { n - 1 - step };
        let known = if lower { 0..i } else { i + 1..n };
        for k in known {
            b.add_row(i, k, -a[(i, k)]);
        }
        if !unit {
            let divisor = a[(i, i)];
            b.data[i * b.cols..][..b.cols].iter_mut().for_each(|x| *x /= divisor);
        }
    }
    b
}
