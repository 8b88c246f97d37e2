//! Float types of kernels that are generic over `f32` and `f64`.

use std::ops::{AddAssign, Mul, Sub};

/// Float type of a generic kernel.
pub(super) trait Float:
    Copy + Send + Sync + 'static + PartialOrd + Mul<Output = Self> + AddAssign + Sub<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    /// Minus infinity: the score of a masked column.
    const HIDDEN: Self;
    /// Lowest finite number.
    const LOWEST: Self;
    /// Smallest positive normal number.
    const SMALLEST: Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
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
            #[inline(always)]
            fn ln(self) -> $t {
                $t::ln(self)
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
