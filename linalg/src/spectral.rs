//! Singular values and eigenvalues, computed by faer.

use crate::matrix::Matrix;
use crate::number::Number;
use faer::linalg::solvers::Eigen;
use faer::traits::ComplexField;
use faer::{MatRef, Side};
use num_complex::Complex64;

/// Singular value decomposition `a = u * diag(s) * vh`.
pub struct SingularValues<T> {
    /// Left singular vectors, in columns.
    pub u: Matrix<T>,
    /// Singular values in descending order.
    pub s: Vec<f64>,
    /// Conjugates of the right singular vectors, in rows.
    pub vh: Matrix<T>,
}

/// Eigenvalues and eigenvectors of a Hermitian matrix.
pub struct SpectralPairs<T> {
    /// Eigenvalues in ascending order.
    pub values: Vec<f64>,
    /// Orthonormal eigenvectors, in columns.
    pub vectors: Matrix<T>,
}

/// Eigenvalues and right eigenvectors of a square matrix.
pub struct EigenPairs {
    /// Eigenvalues.
    pub values: Vec<Complex64>,
    /// Eigenvectors in columns, of norm 1 and with a real component of largest absolute value.
    pub vectors: Matrix<Complex64>,
}

impl EigenPairs {
    /// Computes the left eigenvectors of the matrix `a` of these pairs, in the order of the eigenvalues: `u` with
    /// `u^H a = value u^H`. They are the right eigenvectors of the adjoint matrix, whose eigenvalues are the
    /// conjugates, in another order. Returns `None` if the iteration does not converge.
    pub fn left_vectors<T: Spectral>(&self, a: &Matrix<T>) -> Option<Matrix<Complex64>> {
        let adjoint = T::eig(&a.adjoint())?;
        let mut unused: Vec<usize> = (0..a.rows).collect();
        let mut order = Vec::with_capacity(a.rows);
        for value in &self.values {
            let distance = |j: &usize| (adjoint.values[*j] - value.conj()).norm();
            let nearest = unused.iter().map(distance).enumerate().min_by(|(_, x), (_, y)| x.total_cmp(y));
            order.push(unused.remove(nearest.map_or(0, |(position, _)| position)));
        }
        Some(Matrix::from_fn(a.rows, a.cols, |i, j| adjoint.vectors[(i, order[j])]))
    }
}

/// A number with factorizations that faer computes. They are methods, so that they are compiled once, in this crate.
pub trait Spectral: Number {
    /// Computes the singular value decomposition, with all singular vectors if `full`, otherwise with as many as there
    /// are singular values. Returns `None` if a number is not finite, or if the iteration does not converge.
    fn svd(a: &Matrix<Self>, full: bool) -> Option<SingularValues<Self>>;

    /// Computes the eigenvalues and eigenvectors of a Hermitian matrix from its lower triangle. Returns `None` if a
    /// number is not finite, or if the iteration does not converge.
    fn eigh(a: &Matrix<Self>) -> Option<SpectralPairs<Self>>;

    /// Computes the eigenvalues and right eigenvectors of a square matrix. Returns `None` if a number is not finite, or
    /// if the iteration does not converge.
    fn eig(a: &Matrix<Self>) -> Option<EigenPairs>;
}

impl Spectral for f64 {
    fn svd(a: &Matrix<f64>, full: bool) -> Option<SingularValues<f64>> {
        svd(a, full)
    }

    fn eigh(a: &Matrix<f64>) -> Option<SpectralPairs<f64>> {
        eigh(a)
    }

    fn eig(a: &Matrix<f64>) -> Option<EigenPairs> {
        eig(a, |a| Eigen::new_from_real(a).ok())
    }
}

impl Spectral for Complex64 {
    fn svd(a: &Matrix<Complex64>, full: bool) -> Option<SingularValues<Complex64>> {
        svd(a, full)
    }

    fn eigh(a: &Matrix<Complex64>) -> Option<SpectralPairs<Complex64>> {
        eigh(a)
    }

    fn eig(a: &Matrix<Complex64>) -> Option<EigenPairs> {
        eig(a, |a| Eigen::new(a).ok())
    }
}

fn svd<T: Number + ComplexField<Real = f64>>(a: &Matrix<T>, full: bool) -> Option<SingularValues<T>> {
    let (m, n) = (a.rows, a.cols);
    let k = m.min(n);
    if k == 0 {
        let (u, v) = if full { (m, n) } else { (0, 0) };
        return Some(SingularValues { u: Matrix::identity(m, u), s: Vec::new(), vh: Matrix::identity(v, n) });
    }
    let view = view(a)?;
    let svd = if full { view.svd() } else { view.thin_svd() }.ok()?;
    let s = (0..k).map(|i| svd.S().column_vector()[i].re()).collect();
    let (u, v) = (from_view(svd.U()), from_view(svd.V()));
    Some(SingularValues { u, s, vh: v.adjoint() })
}

fn eigh<T: Number + ComplexField<Real = f64>>(a: &Matrix<T>) -> Option<SpectralPairs<T>> {
    let n = a.rows;
    if n == 0 {
        return Some(SpectralPairs { values: Vec::new(), vectors: Matrix::identity(0, 0) });
    }
    let pairs = view(a)?.self_adjoint_eigen(Side::Lower).ok()?;
    let values = (0..n).map(|i| pairs.S().column_vector()[i].re()).collect();
    Some(SpectralPairs { values, vectors: from_view(pairs.U()) })
}

fn eig<T: Number + ComplexField<Real = f64>>(
    a: &Matrix<T>,
    eigen: impl FnOnce(MatRef<'_, T>) -> Option<Eigen<f64>>,
) -> Option<EigenPairs> {
    let n = a.rows;
    if n == 0 {
        return Some(EigenPairs { values: Vec::new(), vectors: Matrix::identity(0, 0) });
    }
    let pairs = eigen(view(a)?)?;
    let values = (0..n).map(|i| pairs.S().column_vector()[i]).collect();
    let mut vectors = from_view(pairs.U());
    for j in 0..n {
        normalize(&mut vectors, j);
    }
    Some(EigenPairs { values, vectors })
}

/// Scales a column to norm 1, and rotates it so that its first component of largest absolute value is real, as LAPACK's
/// `geev` does.
fn normalize(vectors: &mut Matrix<Complex64>, j: usize) {
    let norm = (0..vectors.rows).fold(0.0, |norm: f64, i| norm.hypot(vectors[(i, j)].norm()));
    let mut largest = Complex64::ONE;
    let mut size = 0.0;
    for i in 0..vectors.rows {
        let x = vectors[(i, j)];
        if x.norm() > size {
            (largest, size) = (x, x.norm());
        }
    }
    // A real vector stays as it is, with its sign.
    let phase = if largest.im == 0.0 { Complex64::ONE } else { largest.conj() / size };
    for i in 0..vectors.rows {
        vectors[(i, j)] *= phase / norm;
    }
}

/// Returns a view of a matrix of finite numbers.
fn view<T: Number>(a: &Matrix<T>) -> Option<MatRef<'_, T>> {
    a.is_finite().then(|| MatRef::from_row_major_slice(&a.data, a.rows, a.cols))
}

fn from_view<T: Number>(view: MatRef<'_, T>) -> Matrix<T> {
    Matrix::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)])
}
