//! Figures, none below zero, with which a linear forecast is off least.

/// How often each figure is improved with the others as they are.
const SWEEPS: usize = 4000;

/// How much it weighs to change a figure by all that it can be, beside a forecast that is off by all of what was
/// measured: what is not told apart stays as it is.
const HOLD: f64 = 1e-6;

/// Figures for which the squares of what forecasts are off are least. `slopes` says by figure what each forecast has
/// more for one more of it, and `off` what forecasts are off with the figures `before`. Figure by figure, which for
/// least squares comes to the best of all (coordinate descent, as for non-negative least squares).
pub(super) fn closest(slopes: &[Vec<f64>], mut off: Vec<f64>, before: &[f64]) -> Vec<f64> {
    // The most that a figure can be: then it is all of some program.
    let most = |slope: &Vec<f64>| slope.iter().copied().fold(0.0, f64::max).recip();
    let most: Vec<f64> = slopes.iter().map(most).collect();
    let mut figures = before.to_vec();
    for _ in 0..SWEEPS {
        for (j, slope) in slopes.iter().enumerate().filter(|(j, _)| most[*j].is_finite()) {
            let hold = HOLD / (most[j] * most[j]);
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
    use super::closest;

    /// What forecasts are off with these figures, where all of them should be 1.
    fn off(slopes: &[Vec<f64>], figures: &[f64]) -> Vec<f64> {
        (0..slopes[0].len()).map(|i| slopes.iter().zip(figures).map(|(s, x)| s[i] * x).sum::<f64>() - 1.0).collect()
    }

    #[test]
    fn figures_are_found_that_explain_all() {
        // Three programs that take 4, 6 and 9 of one and 2, 1 and 7 of the other: with 0.1 and 0.02, and scaled to
        // be 1.
        let times = [0.1 * 4.0 + 0.02 * 2.0, 0.1 * 6.0 + 0.02 * 1.0, 0.1 * 9.0 + 0.02 * 7.0];
        let slopes =
            [[4.0, 6.0, 9.0], [2.0, 1.0, 7.0]].map(|counts| counts.iter().zip(times).map(|(n, t)| n / t).collect());
        let found = closest(&slopes, off(&slopes, &[0.0, 0.0]), &[0.0, 0.0]);
        assert!((found[0] - 0.1).abs() < 1e-4 && (found[1] - 0.02).abs() < 1e-4, "{found:?}");
        let again = closest(&slopes, off(&slopes, &found), &found);
        assert!(again.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-4), "{again:?}");
    }

    #[test]
    fn no_figure_is_below_zero_and_what_nothing_tells_stays() {
        // Less than nothing of the second one would be best; the third one is in no program.
        let slopes = [vec![1.0, 0.5], vec![1.0, 0.0], vec![0.0, 0.0]];
        let found = closest(&slopes, off(&slopes, &[1.0, 1.0, 5.0]), &[1.0, 1.0, 5.0]);
        assert_eq!((found[1], found[2]), (0.0, 5.0));
        assert!((found[0] - 1.2).abs() < 1e-3, "{found:?}");
    }
}
