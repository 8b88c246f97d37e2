//! Exact rational numbers with checked arithmetic.

use std::cmp::Ordering;

/// Rational number in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rational {
    numerator: i128,
    /// Positive.
    denominator: i128,
}

impl Rational {
    /// The number 0.
    pub const ZERO: Rational = Rational { numerator: 0, denominator: 1 };
    /// The number 1.
    pub const ONE: Rational = Rational { numerator: 1, denominator: 1 };
    /// The number -1.
    pub const MINUS_ONE: Rational = Rational { numerator: -1, denominator: 1 };
    /// The number 1/2.
    pub const HALF: Rational = Rational { numerator: 1, denominator: 2 };

    /// Returns a quotient of integers, or `None` if the denominator is zero or a number is too large.
    pub fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        let divisor = i128::try_from(greatest_common_divisor(numerator.unsigned_abs(), denominator.unsigned_abs()));
        let divisor = divisor.ok().filter(|_| denominator != 0)?;
        let sign = denominator.signum();
        Some(Rational {
            numerator: (numerator / divisor).checked_mul(sign)?,
            denominator: (denominator / divisor).checked_mul(sign)?,
        })
    }

    /// Returns an integer as a rational number.
    pub fn from_int(number: i64) -> Rational {
        Rational { numerator: i128::from(number), denominator: 1 }
    }

    /// Returns the exact value of a finite float, or `None` if the value needs more than 127 bits.
    pub fn from_f64(number: f64) -> Option<Rational> {
        if number == 0.0 {
            return Some(Rational::ZERO);
        }
        let bits = number.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        if exponent == 0x7ff || exponent == 0 {
            return None;
        }
        let mantissa = i128::from(bits & ((1 << 52) - 1) | 1 << 52);
        let shift = mantissa.trailing_zeros() as i32;
        let (mantissa, exponent) = (mantissa >> shift, exponent - 1075 + shift);
        let signed = if number < 0.0 { -mantissa } else { mantissa };
        match exponent {
            0..=70 => Some(Rational { numerator: signed << exponent, denominator: 1 }),
            -120..=-1 => Some(Rational { numerator: signed, denominator: 1 << -exponent }),
            _ => None,
        }
    }

    /// Returns the nearest float.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Returns the number if it is an integer.
    pub fn as_int(self) -> Option<i64> {
        (self.denominator == 1).then(|| i64::try_from(self.numerator).ok())?
    }

    /// Returns true for 0.
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// Returns true for a number below 0.
    pub fn is_negative(self) -> bool {
        self.numerator < 0
    }

    /// Returns the sum, unless a number is too large.
    pub fn checked_add(self, other: Rational) -> Option<Rational> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Rational::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    /// Returns the product, unless a number is too large.
    pub fn checked_mul(self, other: Rational) -> Option<Rational> {
        let cross =
            (Rational::new(self.numerator, other.denominator)?, Rational::new(other.numerator, self.denominator)?);
        Rational::new(
            cross.0.numerator.checked_mul(cross.1.numerator)?,
            cross.0.denominator.checked_mul(cross.1.denominator)?,
        )
    }

    /// Returns 1 divided by the number; `None` for 0.
    pub fn reciprocal(self) -> Option<Rational> {
        Rational::new(self.denominator, self.numerator)
    }

    /// Returns the square root if it is rational.
    pub fn square_root(self) -> Option<Rational> {
        let root = |number: i128| {
            let root = (number as f64).sqrt().round() as i128;
            (root.checked_mul(root) == Some(number)).then_some(root)
        };
        Rational::new(root(self.numerator)?, root(self.denominator)?)
    }

    /// Returns an integer power, unless a number is too large.
    pub fn power(self, exponent: i64) -> Option<Rational> {
        let base = if exponent < 0 { self.reciprocal()? } else { self };
        let exponent = u32::try_from(exponent.unsigned_abs()).ok()?;
        Some(Rational {
            numerator: base.numerator.checked_pow(exponent)?,
            denominator: base.denominator.checked_pow(exponent)?,
        })
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    /// A total order that is not the order of numbers.
    fn cmp(&self, other: &Rational) -> Ordering {
        (self.numerator, self.denominator).cmp(&(other.numerator, other.denominator))
    }
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_exact() {
        for number in [0.0, 1.0, -0.1, 1e-8, 123_456.75, f64::from(0.1f32), 1e15, f64::from(f32::MIN_POSITIVE) * 1e9] {
            assert_eq!(Rational::from_f64(number).map(Rational::to_f64), Some(number), "{number}");
        }
        for number in [f64::INFINITY, f64::NAN, 1e300, 5e-324] {
            assert_eq!(Rational::from_f64(number), None, "{number}");
        }
    }

    #[test]
    fn results_that_are_too_large_are_none() {
        let large = Rational::from_f64(1e20).unwrap();
        assert_eq!(large.checked_mul(large).and_then(|square| square.checked_mul(large)), None);
        assert_eq!(Rational::ZERO.reciprocal(), None);
        let third = Rational::new(1, -3).unwrap();
        assert_eq!(third.checked_add(Rational::new(1, 3).unwrap()), Some(Rational::ZERO));
        assert_eq!(third.power(-2), Some(Rational::from_int(9)));
        assert_eq!(Rational::new(4, 9).and_then(Rational::square_root), Rational::new(2, 3));
        assert_eq!(third.square_root(), None);
    }
}
