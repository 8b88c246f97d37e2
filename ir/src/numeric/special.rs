//! Special functions that are in neither the standard library nor `libm`.

use std::f64::consts::{PI, SQRT_2};

/// Computes the inverse of the error function, accurate to a few units in the last place. Returns NaN outside `[-1,
/// 1]`. Starts from the approximation of M. Giles, "Approximating the erfinv function" (2010), refined by Halley steps
/// on `erf`, or on `erfc` in the tails.
pub(crate) fn erf_inv(x: f64) -> f64 {
    if x.abs() >= 1.0 || x.is_nan() {
        return if x.abs() == 1.0 { x * f64::INFINITY } else { f64::NAN };
    }
    const CENTRAL: [f64; 9] = [
        2.810_226_36e-08,
        3.432_739_39e-07,
        -3.523_387_7e-06,
        -4.391_506_54e-06,
        0.000_218_580_87,
        -0.001_253_725_03,
        -0.004_177_681_64,
        0.246_640_727,
        1.501_409_41,
    ];
    const TAIL: [f64; 9] = [
        -0.000_200_214_257,
        0.000_100_950_558,
        0.001_349_343_22,
        -0.003_673_428_44,
        0.005_739_507_73,
        -0.007_622_461_3,
        0.009_438_870_47,
        1.001_674_06,
        2.832_976_82,
    ];
    let w = -((1.0 - x) * (1.0 + x)).ln();
    let (w, coefficients) = if w < 5.0 { (w - 2.5, CENTRAL) } else { (w.sqrt() - 3.0, TAIL) };
    let mut y = coefficients.iter().fold(0.0, |sum, c| sum * w + c) * x;
    // Converges in two steps near zero, and in a few steps in the far tails, which the approximation does not cover.
    for _ in 0..8 {
        let error = if x.abs() < 0.5 {
            libm::erf(y) - x
        } else if x > 0.0 {
            (1.0 - x) - libm::erfc(y)
        } else {
            libm::erfc(-y) - (1.0 + x)
        };
        let step = error * PI.sqrt() / 2.0 * (y * y).exp();
        let next = y - step / (1.0 + y * step);
        if (next - y).abs() <= 1e-8 * y.abs() {
            return next;
        }
        y = next;
    }
    y
}

/// Computes the quantile function of the standard normal distribution at probability `p`.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    SQRT_2 * erf_inv(2.0 * p - 1.0)
}

/// Computes the digamma function, the logarithmic derivative of the gamma function. Returns NaN at the poles. Uses the
/// recurrence up to 10, then the asymptotic series, and reflection for negative arguments (Abramowitz and Stegun,
/// 6.3.5, 6.3.7, 6.3.18).
pub(crate) fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        return if x == x.floor() { f64::NAN } else { digamma(1.0 - x) - PI / (PI * x).tan() };
    }
    let mut x = x;
    let mut below = 0.0;
    while x < 10.0 {
        below -= 1.0 / x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    // Bernoulli numbers B(2k) / 2k, highest first.
    let series = [1.0 / 12.0, -691.0 / 32760.0, 1.0 / 132.0, -1.0 / 240.0, 1.0 / 252.0, -1.0 / 120.0, 1.0 / 12.0]
        .iter()
        .fold(0.0, |sum, b| sum * r + b);
    below + x.ln() - 0.5 / x - series * r
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erf_inv_inverts_erf() {
        for i in -999..1000 {
            let x = f64::from(i) / 1000.0;
            assert!((libm::erf(erf_inv(x)) - x).abs() < 1e-15, "{x}");
        }
        // In the tail, where `erf` rounds to 1.
        for tail in [2f64.powi(-20), 2f64.powi(-40), 2f64.powi(-53)] {
            let y = erf_inv(1.0 - tail);
            assert!((libm::erfc(y) / tail - 1.0).abs() < 1e-13, "{tail}: {y}");
        }
        assert_eq!(erf_inv(-1.0), f64::NEG_INFINITY);
        assert!(erf_inv(1.5).is_nan());
    }

    #[test]
    fn digamma_has_known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        assert!((digamma(1.0) + EULER).abs() < 1e-14);
        assert!((digamma(0.5) + EULER + 2.0 * 2f64.ln()).abs() < 1e-14);
        assert!((digamma(-0.5) - (digamma(0.5) + 2.0)).abs() < 1e-13);
        assert!((digamma(11.0) - digamma(10.0) - 0.1).abs() < 1e-14);
        assert!(digamma(-3.0).is_nan());
    }
}
