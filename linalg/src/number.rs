//! Elements of matrices: real and complex numbers.

use num_complex::Complex64;
use num_traits::NumAssign;
use std::ops::Neg;

/// A real or complex number in double precision.
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
}
