//! What kernels that serve `f32` and `f64` alike ask of a float.

use std::ops::{AddAssign, Mul, Sub};

/// A float that kernels compute in.
pub(super) trait Float:
    Copy + Send + Sync + 'static + PartialOrd + Mul<Output = Self> + AddAssign + Sub<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    /// Minus infinity: the score of what is not looked at.
    const HIDDEN: Self;
    /// The lowest finite number.
    const LOWEST: Self;
    /// The smallest positive normal number.
    const SMALLEST: Self;
    fn exp(self) -> Self;
    fn from(x: f64) -> Self;
    fn inverse(self) -> Self;
    fn is_nan(self) -> bool;
}

macro_rules! float {
    ($t:ident, $exp:expr) => {
        impl Float for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const HIDDEN: $t = $t::NEG_INFINITY;
            const LOWEST: $t = $t::MIN;
            const SMALLEST: $t = $t::MIN_POSITIVE;
            #[inline(always)]
            fn exp(self) -> $t {
                $exp(self)
            }
            fn from(x: f64) -> $t {
                x as $t
            }
            fn inverse(self) -> $t {
                1.0 / self
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }
        }
    };
}
float!(f32, crate::fusion::math::exp);
float!(f64, f64::exp);
