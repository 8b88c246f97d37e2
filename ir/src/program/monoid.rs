//! Identity elements and arithmetic of monoids.

use crate::dtype::DType;
use crate::layout::Monoid;
use crate::program::ops::{BinaryOp, Fill, binary};
use crate::rule::FactorKind;
use crate::tensor::{Scalar, wrap_int};

impl Monoid {
    /// Returns the identity element as a [`Fill`]. For `And` it is valid for `bool` only.
    pub fn fill(self) -> Fill {
        match self {
            Monoid::Sum | Monoid::Or => Fill::Zero,
            Monoid::Prod | Monoid::And => Fill::One,
            Monoid::Max => Fill::Lowest,
            Monoid::Min => Fill::Highest,
        }
    }

    /// Returns the identity element for an element type.
    pub fn identity(self, dtype: DType) -> Scalar {
        if self == Monoid::And && dtype.is_int() {
            return Scalar::Int(wrap_int(dtype, -1));
        }
        self.fill().scalar(dtype)
    }

    /// Returns the binary op that combines two elements.
    pub const fn combining_op(self) -> BinaryOp {
        match self {
            Monoid::Sum => BinaryOp::Add,
            Monoid::Prod => BinaryOp::Mul,
            Monoid::Max => BinaryOp::Max,
            Monoid::Min => BinaryOp::Min,
            Monoid::And => BinaryOp::And,
            Monoid::Or => BinaryOp::Or,
        }
    }

    /// Returns the factor kind of a dimension that is reduced. `And` of integers cannot be split: its identity, all
    /// bits set, is not a [`Fill`] and cannot be written to padding.
    pub(crate) fn factor_kind(self, dtype: DType) -> FactorKind {
        if self == Monoid::And && dtype.is_int() { FactorKind::NeedReplication } else { FactorKind::Reduce(self) }
    }

    /// Combines two floats. `And` and `Or` are undefined for floats and return NaN.
    #[inline]
    pub fn combine_floats(self, a: f64, b: f64) -> f64 {
        match self {
            Monoid::Sum => a + b,
            Monoid::Prod => a * b,
            Monoid::Max => binary::maximum(a, b),
            Monoid::Min => binary::minimum(a, b),
            Monoid::And | Monoid::Or => f64::NAN,
        }
    }

    /// Combines two integers or `bool`s in storage representation, before wrapping.
    #[inline]
    pub fn combine_ints(self, dtype: DType, a: i64, b: i64) -> i64 {
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
