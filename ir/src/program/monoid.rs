//! What a monoid does to numbers.

use crate::dtype::DType;
use crate::layout::Monoid;
use crate::program::ops::{Fill, binary};
use crate::rule::FactorKind;
use crate::tensor::{Scalar, wrap_int};

impl Monoid {
    /// What changes nothing when it is combined with a number; for `And` of a `bool` only.
    pub fn fill(self) -> Fill {
        match self {
            Monoid::Sum | Monoid::Or => Fill::Zero,
            Monoid::Prod | Monoid::And => Fill::One,
            Monoid::Max => Fill::Lowest,
            Monoid::Min => Fill::Highest,
        }
    }

    /// What changes nothing when it is combined with a number of that type.
    pub fn identity(self, dtype: DType) -> Scalar {
        if self == Monoid::And && dtype.is_int() {
            return Scalar::Int(wrap_int(dtype, -1));
        }
        self.fill().scalar(dtype)
    }

    /// What splitting a dimension means that it reduces. `And` of integers stays whole: what would have to stand in
    /// padding, all bits set, is no [`Fill`].
    pub(crate) fn reduces(self, dtype: DType) -> FactorKind {
        if self == Monoid::And && dtype.is_int() { FactorKind::Whole } else { FactorKind::Reduce(self) }
    }

    /// Combines two floats. `And` and `Or` are not defined on floats.
    #[inline]
    pub fn floats(self, a: f64, b: f64) -> f64 {
        match self {
            Monoid::Sum => a + b,
            Monoid::Prod => a * b,
            Monoid::Max => binary::maximum(a, b),
            Monoid::Min => binary::minimum(a, b),
            Monoid::And | Monoid::Or => f64::NAN,
        }
    }

    /// Combines two integers or `bool`s as they are stored, before wrapping.
    #[inline]
    pub fn ints(self, dtype: DType, a: i64, b: i64) -> i64 {
        let unsigned = dtype == DType::U64;
        match self {
            Monoid::Sum if dtype == DType::Bool => a | b,
            Monoid::Sum => a.wrapping_add(b),
            Monoid::Prod => a.wrapping_mul(b),
            Monoid::Max if unsigned => (a as u64).max(b as u64) as i64,
            Monoid::Max => a.max(b),
            Monoid::Min if unsigned => (a as u64).min(b as u64) as i64,
            Monoid::Min => a.min(b),
            Monoid::And => a & b,
            Monoid::Or => a | b,
        }
    }
}
