//! QR factorization and reduction to Hessenberg form by Householder reflections.
//!
//! faer stores reflectors in another form, and allows a complex diagonal of `r`; both are visible to programs.

use crate::matrix::Matrix;
use crate::number::Number;

/// Factors a matrix in the layout of LAPACK's `geqrf`: `r` on and above the diagonal, and below it the vectors `v` of
/// the reflections `I - tau * v * v^H`, without their first element, which is 1. Returns the packed matrix and the
/// factors `tau`.
pub fn qr<T: Number>(a: &Matrix<T>) -> (Matrix<T>, Vec<T>) {
    let mut packed = a.clone();
    let taus = (0..a.rows.min(a.cols))
        .map(|i| {
            let tau = reflector(&mut packed, i, i);
            let v: Vec<T> = (i + 1..a.rows).map(|k| packed[(k, i)]).collect();
            reflect(&mut packed, i, i + 1, &v, tau.conj());
            tau
        })
        .collect();
    (packed, taus)
}

/// Computes the first `cols` columns of the product of the reflections that [`qr`] returns.
pub fn householder_product<T: Number>(packed: &Matrix<T>, taus: &[T], cols: usize) -> Matrix<T> {
    let mut q = Matrix::identity(packed.rows, cols);
    for (i, &tau) in taus.iter().enumerate().rev() {
        let v: Vec<T> = (i + 1..packed.rows).map(|k| packed[(k, i)]).collect();
        reflect(&mut q, i, 0, &v, tau);
    }
    q
}

/// Reduces a square matrix to Hessenberg form, in the layout of LAPACK's `gehrd`: `h` on and above the first
/// subdiagonal, and below it the vectors `v` of the reflections `I - tau * v * v^H`, without their first element, which
/// is 1. Returns the packed matrix and the factors `tau`, one less than rows.
pub fn hessenberg<T: Number>(a: &Matrix<T>) -> (Matrix<T>, Vec<T>) {
    let mut packed = a.clone();
    let taus = (1..a.rows)
        .map(|row| {
            let tau = reflector(&mut packed, row, row - 1);
            let v: Vec<T> = (row + 1..a.rows).map(|k| packed[(k, row - 1)]).collect();
            reflect_rows(&mut packed, row, &v, tau);
            reflect(&mut packed, row, row, &v, tau.conj());
            tau
        })
        .collect();
    (packed, taus)
}

/// Replaces column `i` below `row` by the vector of the reflection that eliminates it, and the element in `row` by the
/// resulting real number. Returns `tau`. The algorithm is that of LAPACK's `larfg`, which determines the signs.
fn reflector<T: Number>(a: &mut Matrix<T>, row: usize, i: usize) -> T {
    let alpha = a[(row, i)];
    let rest = (row + 1..a.rows).fold(0.0, |norm: f64, k| norm.hypot(a[(k, i)].abs()));
    if rest == 0.0 && alpha.im() == 0.0 {
        return T::zero();
    }
    let beta = -alpha.abs().hypot(rest).copysign(alpha.re());
    let tau = T::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta);
    let divisor = alpha - T::from_parts(beta, 0.0);
    for k in row + 1..a.rows {
        a[(k, i)] /= divisor;
    }
    a[(row, i)] = T::from_parts(beta, 0.0);
    tau
}

/// Multiplies the rows by `I - tau * v * v^H` from the right. The vector begins with a 1 in column `i`, followed by
/// `v`.
fn reflect_rows<T: Number>(a: &mut Matrix<T>, i: usize, v: &[T], tau: T) {
    for row in a.data.chunks_exact_mut(a.cols.max(1)) {
        let product = v.iter().zip(&row[i + 1..]).fold(row[i], |sum, (&x, &y)| sum + x * y) * tau;
        row[i] -= product;
        for (&x, y) in v.iter().zip(&mut row[i + 1..]) {
            *y -= product * x.conj();
        }
    }
}

/// Multiplies the columns from `from` on by `I - tau * v * v^H` from the left. The vector begins with a 1 in row `i`,
/// followed by `v`.
fn reflect<T: Number>(a: &mut Matrix<T>, i: usize, from: usize, v: &[T], tau: T) {
    let n = a.cols;
    let mut products = a.data[i * n + from..(i + 1) * n].to_vec();
    for (&x, row) in v.iter().zip(a.data[(i + 1) * n..].chunks_exact(n.max(1))) {
        for (product, &y) in products.iter_mut().zip(&row[from..]) {
            *product += x.conj() * y;
        }
    }
    products.iter_mut().for_each(|product| *product *= tau);
    let elements = std::iter::once(T::one()).chain(v.iter().copied());
    for (x, row) in elements.zip(a.data[i * n..].chunks_exact_mut(n.max(1))) {
        for (y, &product) in row[from..].iter_mut().zip(&products) {
            *y -= product * x;
        }
    }
}
