//! QR factorization by Householder reflections.
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
            let tau = reflector(&mut packed, i);
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

/// Replaces column `i` below the diagonal by the vector of the reflection that eliminates it, and the element on the
/// diagonal by the resulting real number. Returns `tau`. The algorithm is that of LAPACK's `larfg`, which determines
/// the signs of `r`.
fn reflector<T: Number>(a: &mut Matrix<T>, i: usize) -> T {
    let alpha = a[(i, i)];
    let rest = (i + 1..a.rows).fold(0.0, |norm: f64, k| norm.hypot(a[(k, i)].abs()));
    if rest == 0.0 && alpha.im() == 0.0 {
        return T::zero();
    }
    let beta = -alpha.abs().hypot(rest).copysign(alpha.re());
    let tau = T::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta);
    let divisor = alpha - T::from_parts(beta, 0.0);
    for k in i + 1..a.rows {
        a[(k, i)] /= divisor;
    }
    a[(i, i)] = T::from_parts(beta, 0.0);
    tau
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
