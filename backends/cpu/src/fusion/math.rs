//! Functions of `f32` without branches and calls, so that loops over them are vectorised.
//!
//! Argument reductions and polynomials are those of the Cephes library (Moshier, 1984-2000), with errors of a few units
//! in the last place.

use std::f32::consts::FRAC_2_SQRT_PI;

/// High part of ln 2 = `LN_2_HIGH - LN_2_LOW`. It has few significant bits, so that its products with small integers
/// are exact.
const LN_2_HIGH: f32 = 0.693_359_4;
/// Low part of ln 2, negated.
const LN_2_LOW: f32 = 2.121_944_4e-4;

/// Returns e^x.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let r = x - n * LN_2_HIGH + n * LN_2_LOW;
    let mut p = 1.987_569_1e-4;
    for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 5.0e-1] {
        p = p * r + c;
    }
    let p = p * r * r + r + 1.0;
    // 2^n as a product of two powers, since `n` may exceed the exponent range.
    let n = shifted.to_bits() as i32 - SHIFT.to_bits() as i32;
    let half = n >> 1;
    let power = |n: i32| f32::from_bits(((n + 127) << 23) as u32);
    p * power(half) * power(n - half)
}

/// Returns the natural logarithm.
#[inline(always)]
pub(super) fn ln(x: f32) -> f32 {
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 8_388_608.0 } else { x };
    let bits = scaled.to_bits();
    let exponent = ((bits >> 23) as i32 - 126) as f32 - if tiny { 23.0 } else { 0.0 };
    let mantissa = f32::from_bits((bits & 0x007f_ffff) | 0x3f00_0000);
    let low = mantissa < std::f32::consts::FRAC_1_SQRT_2;
    let e = if low { exponent - 1.0 } else { exponent };
    let m = if low { mantissa + mantissa - 1.0 } else { mantissa - 1.0 };
    let mut p = 7.037_683_6e-2;
    for c in [
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_7e-1,
        2.000_071_5e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ] {
        p = p * m + c;
    }
    let z = m * m;
    let y = p * m * z - LN_2_LOW * e - 0.5 * z;
    let y = m + y + LN_2_HIGH * e;
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    let y = if x == f32::INFINITY { x } else { y };
    if x >= 0.0 { y } else { f32::NAN }
}

/// Returns the hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let mut p = -5.704_988_7e-3;
    for c in [2.063_909e-2, -5.373_971_5e-2, 1.333_144_2e-1, -3.333_328e-1] {
        p = p * z + c;
    }
    // Adding `x` alone would lose the sign of -0.
    let near = (p * z * x + x).copysign(x);
    let far = 1.0 - 2.0 / (exp(a + a) + 1.0);
    let far = far.copysign(x);
    if a < 0.625 { near } else { far }
}

/// Returns 1 / (1 + e^-x).
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// Returns the error function.
#[inline(always)]
pub(super) fn erf(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let mut near = 7.853_861_4e-5;
    for c in [-8.010_193_6e-4, 5.188_327_7e-3, -2.685_381_2e-2, 1.128_358_5e-1, -3.761_262_6e-1, FRAC_2_SQRT_PI] {
        near = near * z + c;
    }
    let near = near * x;
    let q = 1.0 / a;
    let y = q * q;
    let mut middle = 2.326_82e-2;
    for c in [
        -1.387_039_4e-1,
        3.687_424_6e-1,
        -5.824_733e-1,
        6.210_004_6e-1,
        -4.944_515_2e-1,
        3.404_88e-1,
        -2.741_127e-1,
        5.638_259_6e-1,
    ] {
        middle = middle * y + c;
    }
    let mut outer = -10.477_664;
    for c in [12.977_2, -7.495_518_7, 2.921_019, -1.015_265_3, 4.218_463_3e-1, -2.820_767_5e-1, 5.641_895_3e-1] {
        outer = outer * y + c;
    }
    let tail = exp(-z) * q * if a < 2.0 { middle } else { outer };
    let far = (1.0 - tail).copysign(x);
    if a < 1.0 || a.is_nan() { near } else { far }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares two functions on `[from, to]` with a relative tolerance of `units` times `f32::EPSILON`.
    fn assert_close(name: &str, ours: fn(f32) -> f32, truth: fn(f64) -> f64, from: f32, to: f32, units: f64) {
        for i in 0..=20_000 {
            let x = from + (to - from) * (i as f32 / 20_000.0);
            let (got, want) = (f64::from(ours(x)), truth(f64::from(x)));
            let error = (got - want).abs() / want.abs().max(f64::from(f32::MIN_POSITIVE));
            assert!(error <= units * f64::from(f32::EPSILON) || got == want, "{name}({x}) = {got}, not {want}");
        }
    }

    #[test]
    fn functions_are_accurate() {
        assert_close("exp", exp, f64::exp, -87.0, 88.7, 2.0);
        assert_close("ln", ln, f64::ln, 1e-30, 1e-3, 2.0);
        assert_close("ln", ln, f64::ln, 1.5, 1e6, 2.0);
        assert_close("tanh", tanh, f64::tanh, -10.0, 10.0, 3.0);
        assert_close("erf", erf, libm::erf, -6.0, 6.0, 4.0);
        assert_close("sigmoid", sigmoid, |x| 1.0 / (1.0 + (-x).exp()), -80.0, 80.0, 4.0);
    }

    #[test]
    fn special_values_are_exact() {
        assert_eq!((exp(f32::INFINITY), exp(f32::NEG_INFINITY), exp(0.0)), (f32::INFINITY, 0.0, 1.0));
        assert!(exp(f32::NAN).is_nan() && ln(-1.0).is_nan() && ln(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
        assert_eq!((ln(0.0), ln(f32::INFINITY), ln(1.0)), (f32::NEG_INFINITY, f32::INFINITY, 0.0));
        assert_eq!((tanh(f32::INFINITY), tanh(-0.0).to_bits()), (1.0, (-0.0f32).to_bits()));
        assert_eq!((erf(f32::INFINITY), erf(f32::NEG_INFINITY), erf(0.0)), (1.0, -1.0, 0.0));
        assert!(erf(f32::NAN).is_nan() && sigmoid(f32::NAN).is_nan());
    }
}
