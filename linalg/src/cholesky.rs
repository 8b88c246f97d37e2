//! Cholesky factorization.

use crate::matrix::Matrix;
use crate::number::Number;

/// Computes the lower triangular factor `l` of `a = l * l^H` from the lower triangle of a Hermitian matrix. Returns
/// `None` if the matrix is not positive definite.
pub fn cholesky<T: Number>(a: &Matrix<T>) -> Option<Matrix<T>> {
    let n = a.rows;
    let mut l: Matrix<T> = Matrix::from_rows(n, n, Vec::new());
    for i in 0..n {
        for j in 0..=i {
            let mut rest = a[(i, j)];
            for k in 0..j {
                rest -= l[(i, k)] * l[(j, k)].conj();
            }
            l[(i, j)] = if i > j {
                rest / l[(j, j)]
            } else if rest.re() > 0.0 {
                T::from_parts(rest.re().sqrt(), 0.0)
            } else {
                return None;
            };
        }
    }
    Some(l)
}
