//! Factorizations of dense matrices and discrete Fourier transforms, in the conventions of LAPACK.
//!
//! All computations are in double precision, on real or complex numbers ([`Number`]). This is the only crate that uses
//! faer and rustfft.

mod cholesky;
mod fourier;
mod householder;
mod lu;
mod matrix;
mod number;
mod spectral;
mod triangular;
mod tridiagonal;

pub use cholesky::cholesky;
pub use fourier::fourier;
pub use householder::{hessenberg, householder_product, qr};
pub use lu::{LuFactors, lu};
pub use matrix::Matrix;
pub use num_complex::Complex64;
pub use number::Number;
pub use spectral::{EigenPairs, SingularValues, Spectral, SpectralPairs};
pub use triangular::{Transposition, TriangularSystem};
pub use tridiagonal::Tridiagonal;
