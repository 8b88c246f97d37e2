//! Linear programs of a few variables, solved by [`microlp`]: dual prices of resource limits, and weights of means.

use microlp::{ComparisonOp, OptimizationDirection, SolveOutcome};

/// Constraint on the value and the prices of the linear program: `value - rates · prices <= upper_bound`.
pub(crate) struct CuttingPlane {
    pub(crate) rates: Vec<f64>,
    pub(crate) upper_bound: f64,
}

/// Maximises the value subject to all cutting planes, with prices between 0 and `max_price`. Returns the value and the
/// prices, or `None` if the solver fails numerically.
pub(crate) fn maximise_value(planes: &[CuttingPlane], max_price: f64) -> Option<(f64, Vec<f64>)> {
    let price_count = planes.first().map_or(0, |plane| plane.rates.len());
    let mut program = microlp::Problem::new(OptimizationDirection::Maximize);
    let value = program.add_var(1.0, (f64::NEG_INFINITY, f64::INFINITY));
    let prices: Vec<_> = (0..price_count).map(|_| program.add_var(0.0, (0.0, max_price))).collect();
    for plane in planes {
        let rates = prices.iter().zip(&plane.rates).map(|(&price, rate)| (price, -rate));
        let all: Vec<_> = [(value, 1.0)].into_iter().chain(rates).collect();
        program.add_constraint(&all[..], ComparisonOp::Le, plane.upper_bound);
    }
    let Ok(SolveOutcome::Solution(solution)) = program.solve() else { return None };
    Some((solution[value], prices.into_iter().map(|price| solution[price].max(0.0)).collect()))
}

/// Returns the weights, which add up to 1, for which the smallest weighted mean of the rows is largest, and this mean.
/// Rows have the same length. Returns `None` if the solver fails numerically.
pub(crate) fn best_weights(rows: &[&[f64]]) -> Option<(f64, Vec<f64>)> {
    // The solver has absolute tolerances.
    let scale = rows.iter().copied().flatten().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let count = rows.first()?.len();
    let mut program = microlp::Problem::new(OptimizationDirection::Maximize);
    let mean = program.add_var(1.0, (f64::NEG_INFINITY, f64::INFINITY));
    let weights: Vec<_> = (0..count).map(|_| program.add_var(0.0, (0.0, 1.0))).collect();
    let ones: Vec<_> = weights.iter().map(|&weight| (weight, 1.0)).collect();
    program.add_constraint(&ones[..], ComparisonOp::Eq, 1.0);
    for row in rows {
        let terms = weights.iter().zip(*row).map(|(&weight, &value)| (weight, -value.min(2.0 * scale) / scale));
        let all: Vec<_> = [(mean, 1.0)].into_iter().chain(terms).collect();
        program.add_constraint(&all[..], ComparisonOp::Le, 0.0);
    }
    let Ok(SolveOutcome::Solution(solution)) = program.solve() else { return None };
    let weights: Vec<f64> = weights.iter().map(|&weight| solution[weight].max(0.0)).collect();
    let sum: f64 = weights.iter().sum();
    Some((scale * solution[mean], weights.into_iter().map(|weight| weight / sum).collect()))
}

#[cfg(test)]
mod tests {
    use super::{CuttingPlane, maximise_value};
    use proptest::prelude::*;

    proptest! {
        /// The value is the maximum that the cutting planes allow at the returned prices, and no price is better.
        #[test]
        fn the_largest_value_is_found(
            planes in prop::collection::vec((prop::collection::vec(-1.0f64..1.0, 2), 0.1f64..1.0), 1..12),
            others in prop::collection::vec(prop::collection::vec(0.0f64..1e3, 2), 20),
        ) {
            let plane = |(rates, upper_bound)| CuttingPlane { rates, upper_bound };
            let planes: Vec<CuttingPlane> = planes.into_iter().map(plane).collect();
            let allowed = |prices: &[f64]| {
                let gained = |plane: &CuttingPlane| {
                    plane.rates.iter().zip(prices).map(|(rate, price)| rate * price).sum::<f64>()
                };
                planes.iter().map(|plane| plane.upper_bound + gained(plane)).fold(f64::INFINITY, f64::min)
            };
            let Some((value, prices)) = maximise_value(&planes, 1e3) else {
                return Err(TestCaseError::fail("nothing is found"));
            };
            let tolerance = 1e-6 * value.abs().max(1.0);
            prop_assert!((value - allowed(&prices)).abs() <= tolerance, "{value} for {prices:?}");
            prop_assert!(prices.iter().all(|price| (0.0..=1e3 + 1e-6).contains(price)));
            prop_assert!(others.iter().all(|other| allowed(other) <= value + tolerance), "{value} for {prices:?}");
        }
    }
}
