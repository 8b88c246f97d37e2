//! Elements of matrices: real and complex numbers.

use crate::matrix::Matrix;
use crate::spectral::{self, EigenPairs, SingularValues, SpectralPairs};
use num_complex::Complex64;
use num_traits::NumAssign;
use std::ops::Neg;

/// A real or complex number in double precision.
///
/// The factorizations that faer computes are methods, so that they are compiled once, in this crate.
pub trait Number: NumAssign + Neg<Output = Self> + Copy {
    /// True for complex numbers.
    const IS_COMPLEX: bool;

    /// Creates a number from its parts. A real number has no imaginary part.
    fn from_parts(re: f64, im: f64) -> Self;

    /// Returns the real part.
    fn re(self) -> f64;

    /// Returns the imaginary part.
    fn im(self) -> f64;

    /// Returns the complex conjugate.
    fn conj(self) -> Self {
        Self::from_parts(self.re(), -self.im())
    }

    /// Returns the absolute value.
    fn abs(self) -> f64 {
        self.re().hypot(self.im())
    }

    /// Returns NaN.
    fn nan() -> Self {
        Self::from_parts(f64::NAN, f64::NAN)
    }

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

impl Number for f64 {
    const IS_COMPLEX: bool = false;

    fn from_parts(re: f64, _: f64) -> f64 {
        re
    }

    fn re(self) -> f64 {
        self
    }

    fn im(self) -> f64 {
        0.0
    }

    fn svd(a: &Matrix<f64>, full: bool) -> Option<SingularValues<f64>> {
        spectral::svd(a, full)
    }

    fn eigh(a: &Matrix<f64>) -> Option<SpectralPairs<f64>> {
        spectral::eigh(a)
    }

    fn eig(a: &Matrix<f64>) -> Option<EigenPairs> {
        spectral::eig(a, |a| faer::linalg::solvers::Eigen::new_from_real(a).ok())
    }
}

impl Number for Complex64 {
    const IS_COMPLEX: bool = true;

    fn from_parts(re: f64, im: f64) -> Complex64 {
        Complex64 { re, im }
    }

    fn re(self) -> f64 {
        self.re
    }

    fn im(self) -> f64 {
        self.im
    }

    fn svd(a: &Matrix<Complex64>, full: bool) -> Option<SingularValues<Complex64>> {
        spectral::svd(a, full)
    }

    fn eigh(a: &Matrix<Complex64>) -> Option<SpectralPairs<Complex64>> {
        spectral::eigh(a)
    }

    fn eig(a: &Matrix<Complex64>) -> Option<EigenPairs> {
        spectral::eig(a, |a| faer::linalg::solvers::Eigen::new(a).ok())
    }
}
