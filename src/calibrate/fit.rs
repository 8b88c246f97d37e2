//! Non-negative least squares.

/// Number of sweeps over all variables.
const COORDINATE_SWEEPS: usize = 4000;

/// Weight of the regularisation towards the previous values, relative to the scale of each variable. Variables that the
/// measurements do not determine keep their values.
const REGULARIZATION_WEIGHT: f64 = 1e-6;

/// Minimises the sum of squared errors over non-negative variables, by coordinate descent.
///
/// `slopes[j][i]` is the derivative of prediction `i` with respect to variable `j`, and `off[i]` is the error of
/// prediction `i` at `before`. Coordinate descent converges to the global optimum of non-negative least squares.
pub(super) fn non_negative_least_squares(slopes: &[Vec<f64>], mut off: Vec<f64>, before: &[f64]) -> Vec<f64> {
    // Upper bound of a variable: a prediction that consists of it alone.
    let most = |slope: &Vec<f64>| slope.iter().copied().fold(0.0, f64::max).recip();
    let most: Vec<f64> = slopes.iter().map(most).collect();
    let mut figures = before.to_vec();
    for _ in 0..COORDINATE_SWEEPS {
        for (j, slope) in slopes.iter().enumerate().filter(|(j, _)| most[*j].is_finite()) {
            let hold = REGULARIZATION_WEIGHT / (most[j] * most[j]);
            let (uphill, steep) = off.iter().zip(slope).fold((0.0, 0.0), |(a, b), (off, s)| (a + off * s, b + s * s));
            let new = figures[j] - (uphill + hold * (figures[j] - before[j])) / (steep + hold);
            let change = new.max(0.0) - figures[j];
            off.iter_mut().zip(slope).for_each(|(off, slope)| *off += change * slope);
            figures[j] += change;
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::non_negative_least_squares;

    /// Returns the errors of the predictions, each of which should be 1.
    fn off(slopes: &[Vec<f64>], figures: &[f64]) -> Vec<f64> {
        (0..slopes[0].len()).map(|i| slopes.iter().zip(figures).map(|(s, x)| s[i] * x).sum::<f64>() - 1.0).collect()
    }

    #[test]
    fn figures_are_found_that_explain_all() {
        // Three programs that incur the first cost (0.1) 4, 6 and 9 times, and the second one (0.02) 2, 1 and 7 times.
        // The predicted times are relative to the measured ones.
        let times = [0.1 * 4.0 + 0.02 * 2.0, 0.1 * 6.0 + 0.02 * 1.0, 0.1 * 9.0 + 0.02 * 7.0];
        let slopes =
            [[4.0, 6.0, 9.0], [2.0, 1.0, 7.0]].map(|counts| counts.iter().zip(times).map(|(n, t)| n / t).collect());
        let found = non_negative_least_squares(&slopes, off(&slopes, &[0.0, 0.0]), &[0.0, 0.0]);
        assert!((found[0] - 0.1).abs() < 1e-4 && (found[1] - 0.02).abs() < 1e-4, "{found:?}");
        let again = non_negative_least_squares(&slopes, off(&slopes, &found), &found);
        assert!(again.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-4), "{again:?}");
    }

    #[test]
    fn no_figure_is_below_zero_and_what_nothing_tells_stays() {
        // The unconstrained optimum of the second variable is negative. No program depends on the third variable.
        let slopes = [vec![1.0, 0.5], vec![1.0, 0.0], vec![0.0, 0.0]];
        let found = non_negative_least_squares(&slopes, off(&slopes, &[1.0, 1.0, 5.0]), &[1.0, 1.0, 5.0]);
        assert_eq!((found[1], found[2]), (0.0, 5.0));
        assert!((found[0] - 1.2).abs() < 1e-3, "{found:?}");
    }
}
