//! Intervals of numbers, and interval arithmetic.

use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::BinaryOp;
use partita_ir::tensor::Scalar;

/// An interval of integers with inclusive bounds. For floats, it bounds the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Range {
    pub(super) const ZERO: Range = Range { low: 0, high: 0 };
    pub(super) const BIT: Range = Range { low: 0, high: 1 };
    pub(super) const WORD: Range = Range { low: i32::MIN as i64, high: i32::MAX as i64 };

    /// Returns all numbers of a dtype.
    pub(super) fn full(dtype: DType) -> Range {
        match dtype {
            DType::Bool => Range::BIT,
            _ if dtype.is_float() || dtype.bits() == 64 => Range { low: i64::MIN, high: i64::MAX },
            _ => {
                let (low, high) = dtype.int_range();
                Range { low, high }
            }
        }
    }

    pub(super) fn contains(self, other: Range) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Returns the smallest interval that contains both.
    pub(super) fn union(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Returns the smallest interval that contains the numbers, or `None` if one exceeds 64 bits.
    pub(super) fn hull(numbers: impl IntoIterator<Item = i128>) -> Option<Range> {
        let mut all = numbers.into_iter();
        let first = all.next()?;
        let (low, high) = all.fold((first, first), |(low, high), n| (low.min(n), high.max(n)));
        Some(Range { low: low.try_into().ok()?, high: high.try_into().ok()? })
    }

    /// Returns the interval of `f` over two intervals, for an `f` that is monotone in each argument.
    pub(super) fn map_endpoints(self, other: Range, f: impl Fn(i128, i128) -> i128) -> Option<Range> {
        let pairs = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        Range::hull(pairs.map(|(a, b)| f(a.into(), b.into())))
    }

    /// Returns the largest absolute value.
    pub(super) fn magnitude(self) -> i128 {
        i128::from(self.low).abs().max(i128::from(self.high).abs())
    }

    /// Returns the interval of sums of up to `count` numbers.
    pub(super) fn summed(self, count: usize) -> Option<Range> {
        let count = count as i128;
        Range::hull([0, i128::from(self.low) * count, i128::from(self.high) * count])
    }

    /// Returns the interval of `count` numbers combined by a monoid.
    pub(super) fn combined(self, monoid: Monoid, count: usize) -> Option<Range> {
        match monoid {
            Monoid::Sum => self.summed(count),
            Monoid::Max | Monoid::Min => Some(self),
            Monoid::And | Monoid::Or => Some(bits(self, self)),
            Monoid::Prod if count <= 1 || Range::BIT.contains(self) => Some(self),
            Monoid::Prod => None,
        }
    }
}

/// Returns the interval of `and`, `or` and `xor` of two numbers: all numbers of at most as many bits.
pub(super) fn bits(a: Range, b: Range) -> Range {
    let both = a.union(b);
    let width = 64 - both.high.max(!both.low).max(0).leading_zeros();
    let high = ((1i128 << width) - 1) as i64;
    Range { low: if both.low < 0 { !high } else { 0 }, high }
}

/// Returns the interval of `op` on two integers, or `None` where 32-bit arithmetic may differ.
pub(super) fn binary(op: BinaryOp, a: Range, b: Range) -> Option<Range> {
    let is_shift = (0..32).contains(&b.low) && b.high < 32;
    match op {
        BinaryOp::Add => a.map_endpoints(b, |a, b| a + b),
        BinaryOp::Sub => a.map_endpoints(b, |a, b| a - b),
        BinaryOp::Mul => a.map_endpoints(b, |a, b| a * b),
        BinaryOp::Max => Some(Range { low: a.low.max(b.low), high: a.high.max(b.high) }),
        BinaryOp::Min => Some(Range { low: a.low.min(b.low), high: a.high.min(b.high) }),
        // Division by 0 yields -1.
        BinaryOp::Div if a.low >= 0 && b.low > 0 => Some(Range { low: 0, high: a.high / b.low }),
        BinaryOp::Div => Range::hull([-1, -a.magnitude(), a.magnitude()]),
        BinaryOp::Rem => {
            let most = if b.low > 0 { a.magnitude().min(i128::from(b.high) - 1) } else { a.magnitude() };
            Range::hull([0, if a.low < 0 { -most } else { 0 }, if a.high > 0 { most } else { 0 }])
        }
        BinaryOp::And if a.low >= 0 && b.low >= 0 => Some(Range { low: 0, high: a.high.min(b.high) }),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Some(bits(a, b)),
        BinaryOp::ShiftLeft if is_shift => a.map_endpoints(b, |a, b| a << b),
        BinaryOp::ShiftRight if is_shift => a.map_endpoints(b, |a, b| a >> b),
        BinaryOp::ShiftRightLogical if is_shift && a.low >= 0 => a.map_endpoints(b, |a, b| a >> b),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => None,
        BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => None,
    }
}

/// Returns the bound below which a dtype represents every integer, so that rounding stays within an interval.
pub(super) fn exact_bound(dtype: DType) -> i128 {
    match dtype {
        DType::F32 => 1 << 24,
        DType::F16 => 1 << 11,
        DType::BF16 => 1 << 8,
        DType::Mini(format) => 1 << (format.mantissa_bits() + 1),
        // Intervals end at 64 bits.
        _ => 1 << 64,
    }
}

/// Returns the integers that enclose a number, or `None` if they may be inexact.
pub(super) fn enclosing(number: Scalar) -> Option<Range> {
    match number {
        Scalar::Int(n) => Some(Range { low: n, high: n }),
        Scalar::Float(x) if x.abs() < 2f64.powi(53) => Some(Range { low: x.floor() as i64, high: x.ceil() as i64 }),
        Scalar::Float(_) => None,
    }
}
