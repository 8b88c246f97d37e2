//! Floating-point formats of at most 8 bits: those of the
//! [OCP specification of micro-scaling
//! formats](https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf) and the variants
//! that StableHLO defines. A number is stored in one byte and computed in `f32`.

/// A floating-point format of at most 8 bits. The name gives the exponent and mantissa bits; `FN` has no infinity,
/// `UZ` has no negative zero, `U` has no sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)] // the names are the documentation
pub enum MiniFloat {
    E5M2,
    E5M2Fnuz,
    E4M3,
    E4M3Fn,
    E4M3Fnuz,
    E4M3B11Fnuz,
    E3M4,
    E8M0Fnu,
    E3M2Fn,
    E2M3Fn,
    E2M1Fn,
}

/// Numbers that are not finite in a format, and the result of a conversion that overflows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    /// Infinity and NaN, as in IEEE 754. Overflow is infinite.
    Ieee,
    /// NaN with all bits set, besides the sign. Overflow is NaN.
    Nan,
    /// NaN in place of the negative zero. Overflow is NaN.
    NanForNegativeZero,
    /// None. Overflow is the largest number, and NaN becomes the negative zero.
    None,
}

impl MiniFloat {
    /// All formats.
    pub const ALL: [MiniFloat; 11] = [
        MiniFloat::E5M2,
        MiniFloat::E5M2Fnuz,
        MiniFloat::E4M3,
        MiniFloat::E4M3Fn,
        MiniFloat::E4M3Fnuz,
        MiniFloat::E4M3B11Fnuz,
        MiniFloat::E3M4,
        MiniFloat::E8M0Fnu,
        MiniFloat::E3M2Fn,
        MiniFloat::E2M3Fn,
        MiniFloat::E2M1Fn,
    ];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            MiniFloat::E5M2 => "f8e5m2",
            MiniFloat::E5M2Fnuz => "f8e5m2fnuz",
            MiniFloat::E4M3 => "f8e4m3",
            MiniFloat::E4M3Fn => "f8e4m3fn",
            MiniFloat::E4M3Fnuz => "f8e4m3fnuz",
            MiniFloat::E4M3B11Fnuz => "f8e4m3b11fnuz",
            MiniFloat::E3M4 => "f8e3m4",
            MiniFloat::E8M0Fnu => "f8e8m0fnu",
            MiniFloat::E3M2Fn => "f6e3m2fn",
            MiniFloat::E2M3Fn => "f6e2m3fn",
            MiniFloat::E2M1Fn => "f4e2m1fn",
        }
    }

    /// Returns the number of exponent bits, the number of mantissa bits, the exponent bias, and the numbers that are
    /// not finite.
    const fn format(self) -> (u32, u32, i32, Specials) {
        match self {
            MiniFloat::E5M2 => (5, 2, 15, Specials::Ieee),
            MiniFloat::E5M2Fnuz => (5, 2, 16, Specials::NanForNegativeZero),
            MiniFloat::E4M3 => (4, 3, 7, Specials::Ieee),
            MiniFloat::E4M3Fn => (4, 3, 7, Specials::Nan),
            MiniFloat::E4M3Fnuz => (4, 3, 8, Specials::NanForNegativeZero),
            MiniFloat::E4M3B11Fnuz => (4, 3, 11, Specials::NanForNegativeZero),
            MiniFloat::E3M4 => (3, 4, 3, Specials::Ieee),
            MiniFloat::E8M0Fnu => (8, 0, 127, Specials::Nan),
            MiniFloat::E3M2Fn => (3, 2, 3, Specials::None),
            MiniFloat::E2M3Fn => (2, 3, 1, Specials::None),
            MiniFloat::E2M1Fn => (2, 1, 1, Specials::None),
        }
    }

    /// Returns the number of mantissa bits.
    pub const fn mantissa_bits(self) -> u32 {
        self.format().1
    }

    /// Returns the number of bits that a number has.
    pub const fn bits(self) -> u32 {
        let (exponent_bits, mantissa_bits, ..) = self.format();
        exponent_bits + mantissa_bits + if self.is_signed() { 1 } else { 0 }
    }

    const fn is_signed(self) -> bool {
        !matches!(self, MiniFloat::E8M0Fnu)
    }

    /// Returns the largest finite number.
    pub fn largest(self) -> f32 {
        let magnitude_bits = self.bits() - u32::from(self.is_signed());
        let all_ones = ((1u32 << magnitude_bits) - 1) as u8;
        let (_, mantissa_bits, _, specials) = self.format();
        self.decode(match specials {
            Specials::Ieee => all_ones - (1 << mantissa_bits),
            Specials::Nan => all_ones - 1,
            Specials::NanForNegativeZero | Specials::None => all_ones,
        })
    }

    /// Returns the lowest and the highest number, which are infinite if the format has infinities.
    pub fn range(self) -> (f32, f32) {
        let highest = if self.format().3 == Specials::Ieee { f32::INFINITY } else { self.largest() };
        (if self.is_signed() { -highest } else { self.decode(0) }, highest)
    }

    /// Returns the number with the given bits. Bits beyond [`MiniFloat::bits`] are ignored.
    pub fn decode(self, bits: u8) -> f32 {
        let (exponent_bits, mantissa_bits, bias, specials) = self.format();
        if self == MiniFloat::E8M0Fnu {
            return if bits == u8::MAX { f32::NAN } else { 2f64.powi(i32::from(bits) - bias) as f32 };
        }
        let negative = bits >> (exponent_bits + mantissa_bits) & 1 == 1;
        let magnitude = u32::from(bits) & ((1 << (exponent_bits + mantissa_bits)) - 1);
        let (exponent, mantissa) = (magnitude >> mantissa_bits, magnitude & ((1 << mantissa_bits) - 1));
        let all_exponent_bits = exponent == (1 << exponent_bits) - 1;
        let all_mantissa_bits = mantissa == (1 << mantissa_bits) - 1;
        let finite = || {
            let (fraction, exponent) = match exponent {
                0 => (0.0, 1),
                _ => (1.0, exponent as i32),
            };
            ((fraction + f64::from(mantissa) / f64::from(1 << mantissa_bits)) * 2f64.powi(exponent - bias)) as f32
        };
        let size = match specials {
            Specials::Ieee if all_exponent_bits => {
                if mantissa == 0 {
                    f32::INFINITY
                } else {
                    f32::NAN
                }
            }
            Specials::Nan if all_exponent_bits && all_mantissa_bits => f32::NAN,
            Specials::NanForNegativeZero if negative && magnitude == 0 => f32::NAN,
            Specials::Ieee | Specials::Nan | Specials::NanForNegativeZero | Specials::None => finite(),
        };
        if negative { -size } else { size }
    }

    /// Rounds to the nearest number of the format, ties to even.
    pub fn round(self, x: f32) -> f32 {
        let (_, mantissa_bits, bias, specials) = self.format();
        let zero = match specials {
            Specials::NanForNegativeZero => 0.0,
            Specials::Ieee | Specials::Nan | Specials::None => 0f32.copysign(x),
        };
        if x.is_nan() {
            return if specials == Specials::None { -0.0 } else { f32::NAN };
        }
        if !self.is_signed() && x <= 0.0 {
            return f32::NAN;
        }
        let wide = f64::from(x).abs();
        let smallest_exponent = if self.is_signed() { 1 - bias } else { -bias };
        let exponent = if wide == 0.0 { smallest_exponent } else { (libm::ilogb(wide)).max(smallest_exponent) };
        let step = 2f64.powi(exponent - mantissa_bits as i32);
        let rounded = if x.is_infinite() { wide } else { (wide / step).round_ties_even() * step };
        if rounded == 0.0 {
            return zero;
        }
        let size = match specials {
            _ if rounded <= f64::from(self.largest()) => rounded as f32,
            Specials::Ieee => f32::INFINITY,
            Specials::Nan | Specials::NanForNegativeZero => f32::NAN,
            Specials::None => self.largest(),
        };
        if x < 0.0 { -size } else { size }
    }

    /// Returns the bits of a number, rounded to the format. NaN has the bits of the quiet NaN without sign.
    pub fn encode(self, x: f32) -> u8 {
        let (exponent_bits, mantissa_bits, bias, specials) = self.format();
        let rounded = self.round(x);
        let all_exponent_bits = ((1u32 << exponent_bits) - 1) << mantissa_bits;
        let sign = u32::from(self.is_signed() && rounded.is_sign_negative()) << (exponent_bits + mantissa_bits);
        let size = f64::from(rounded).abs();
        let bits = if rounded.is_nan() {
            match specials {
                Specials::Ieee => all_exponent_bits | 1 << (mantissa_bits - 1),
                Specials::Nan => (1 << (exponent_bits + mantissa_bits)) - 1,
                Specials::NanForNegativeZero => 1 << (exponent_bits + mantissa_bits),
                Specials::None => 0,
            }
        } else if rounded.is_infinite() {
            sign | all_exponent_bits
        } else if size < 2f64.powi(1 - bias) && self.is_signed() {
            sign | (size / 2f64.powi(1 - bias - mantissa_bits as i32)) as u32
        } else {
            let exponent = libm::ilogb(size);
            let mantissa = (size / 2f64.powi(exponent) - 1.0) * f64::from(1u32 << mantissa_bits);
            sign | ((exponent + bias) as u32) << mantissa_bits | mantissa as u32
        };
        bits as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_round_trips_through_its_bits() {
        for format in MiniFloat::ALL {
            for bits in 0..=((1u32 << format.bits()) - 1) as u8 {
                let x = format.decode(bits);
                assert!(x.is_nan() || format.encode(x) == bits, "{} {bits:#x} {x}", format.name());
                assert!(x.is_nan() || format.round(x).to_bits() == x.to_bits(), "{} {x}", format.name());
            }
        }
    }

    /// Conversions of `ml_dtypes` 0.5.
    #[test]
    fn conversions_overflow_and_round_as_in_ml_dtypes() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        let cases = [
            (MiniFloat::E5M2, [(nan, 0x7e), (1e9, 0x7c), (-1e-9, 0x80), (464.0, 0x5f), (31.0, 0x50)]),
            (MiniFloat::E5M2Fnuz, [(inf, 0x80), (1e9, 0x80), (-1e-9, 0), (465.0, 0x63), (31.0, 0x54)]),
            (MiniFloat::E4M3, [(nan, 0x7c), (-inf, 0xf8), (-1.0, 0xb8), (464.0, 0x78), (31.0, 0x60)]),
            (MiniFloat::E4M3Fn, [(nan, 0x7f), (1e9, 0x7f), (-1.0, 0xb8), (464.0, 0x7e), (465.0, 0x7f)]),
            (MiniFloat::E4M3Fnuz, [(nan, 0x80), (-1.0, 0xc0), (464.0, 0x80), (28.0, 0x66), (31.0, 0x68)]),
            (MiniFloat::E4M3B11Fnuz, [(nan, 0x80), (-1.0, 0xd8), (31.0, 0x80), (28.0, 0x7e), (0.0, 0)]),
            (MiniFloat::E3M4, [(nan, 0x78), (inf, 0x70), (-1.0, 0xb0), (28.0, 0x70), (-0.0, 0x80)]),
            (MiniFloat::E8M0Fnu, [(nan, 0xff), (1e9, 0x9d), (0.0, 0xff), (-1.0, 0xff), (464.0, 0x88)]),
            (MiniFloat::E3M2Fn, [(inf, 0x1f), (-1e9, 0x3f), (-1.0, 0x2c), (-0.0, 0x20), (28.0, 0x1f)]),
            (MiniFloat::E2M3Fn, [(inf, 0x1f), (-1e9, 0x3f), (-1.0, 0x28), (-0.0, 0x20), (28.0, 0x1f)]),
            (MiniFloat::E2M1Fn, [(inf, 0x7), (-1e9, 0xf), (-1.0, 0xa), (-0.0, 0x8), (28.0, 0x7)]),
        ];
        for (format, pairs) in cases {
            for (x, bits) in pairs {
                assert_eq!(format.encode(x), bits, "{} {x}", format.name());
            }
        }
    }
}
