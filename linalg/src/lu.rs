//! LU factorization with partial pivoting.

use crate::matrix::Matrix;
use crate::number::Number;

/// Factors of a matrix of `m` rows and `n` columns, in the layout of LAPACK's `getrf`.
pub struct LuFactors<T> {
    /// `u` on and above the diagonal, `l` without its unit diagonal below.
    pub packed: Matrix<T>,
    /// Row that was exchanged with row `i` in step `i`, counted from 0; `min(m, n)` of them.
    pub pivots: Vec<usize>,
    /// Position, counted from 1, of the first zero on the diagonal of `u`; 0 if there is none.
    pub singular: usize,
}

/// Factors a matrix by elimination with partial pivoting (Golub and Van Loan, "Matrix Computations", 3.4). The pivot is
/// the first element of the column with the largest sum of the absolute values of its parts.
pub fn lu<T: Number>(a: &Matrix<T>) -> LuFactors<T> {
    let mut packed = a.clone();
    let mut pivots = Vec::new();
    let mut singular = 0;
    for j in 0..a.rows.min(a.cols) {
        let size = |i: usize| packed[(i, j)].re().abs() + packed[(i, j)].im().abs();
        let pivot = (j + 1..a.rows).fold(j, |best, i| if size(i) > size(best) { i } else { best });
        pivots.push(pivot);
        if packed[(pivot, j)].is_zero() {
            singular = if singular == 0 { j + 1 } else { singular };
            continue;
        }
        packed.swap_rows(j, pivot);
        for i in j + 1..a.rows {
            let factor = packed[(i, j)] / packed[(j, j)];
            packed[(i, j)] = factor;
            for k in j + 1..a.cols {
                let x = packed[(j, k)];
                packed[(i, k)] -= factor * x;
            }
        }
    }
    LuFactors { packed, pivots, singular }
}
