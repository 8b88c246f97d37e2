//! Linear program for the dual prices of resource limits, solved by [`microlp`], or by HiGHS if the feature `highs` is
//! enabled.

use crate::limits::Solver;
use microlp::{ComparisonOp, OptimizationDirection, SolveOutcome};

/// Constraint on the value and the prices of the linear program: `value - rates · prices <= upper_bound`.
pub(crate) struct CuttingPlane {
    pub(crate) rates: Vec<f64>,
    pub(crate) upper_bound: f64,
}

/// Maximises the value subject to all cutting planes, with prices between 0 and `max_price`. Returns the value and the
/// prices, or `None` if the solver fails numerically.
pub(crate) fn maximise_value(planes: &[CuttingPlane], max_price: f64, solver: Solver) -> Option<(f64, Vec<f64>)> {
    let solution = match solver {
        Solver::Microlp => solve_with_microlp(planes, max_price),
        #[cfg(feature = "highs")]
        Solver::Highs => solve_with_highs(planes, max_price),
    }?;
    let (&value, prices) = solution.split_first()?;
    Some((value, prices.iter().map(|price| price.max(0.0)).collect()))
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

/// Returns the number of prices, which is the same for all cutting planes.
fn price_count(planes: &[CuttingPlane]) -> usize {
    planes.first().map_or(0, |plane| plane.rates.len())
}

/// Returns the value, followed by the prices.
fn solve_with_microlp(planes: &[CuttingPlane], max_price: f64) -> Option<Vec<f64>> {
    let mut program = microlp::Problem::new(OptimizationDirection::Maximize);
    let value = program.add_var(1.0, (f64::NEG_INFINITY, f64::INFINITY));
    let prices: Vec<_> = (0..price_count(planes)).map(|_| program.add_var(0.0, (0.0, max_price))).collect();
    for plane in planes {
        let rates = prices.iter().zip(&plane.rates).map(|(&price, rate)| (price, -rate));
        let all: Vec<_> = [(value, 1.0)].into_iter().chain(rates).collect();
        program.add_constraint(&all[..], ComparisonOp::Le, plane.upper_bound);
    }
    let Ok(SolveOutcome::Solution(solution)) = program.solve() else { return None };
    Some([value].iter().chain(&prices).map(|&variable| solution[variable]).collect())
}

/// Returns the value, followed by the prices.
#[cfg(feature = "highs")]
fn solve_with_highs(planes: &[CuttingPlane], max_price: f64) -> Option<Vec<f64>> {
    let mut program = highs::RowProblem::default();
    let value = program.add_column(1.0, f64::NEG_INFINITY..f64::INFINITY);
    let prices: Vec<highs::Col> = (0..price_count(planes)).map(|_| program.add_column(0.0, 0.0..=max_price)).collect();
    for plane in planes {
        let rates = prices.iter().zip(&plane.rates).map(|(&price, rate)| (price, -rate));
        let all: Vec<(highs::Col, f64)> = [(value, 1.0)].into_iter().chain(rates).collect();
        program.add_row(..=plane.upper_bound, &all[..]);
    }
    let mut model = program.optimise(highs::Sense::Maximise);
    model.make_quiet();
    // A single thread makes results reproducible.
    model.set_option("threads", 1);
    let solved = model.try_solve().ok()?;
    (solved.status() == highs::HighsModelStatus::Optimal).then(|| solved.get_solution().columns().to_vec())
}

#[cfg(test)]
mod tests {
    use super::{CuttingPlane, Solver, maximise_value};
    use proptest::prelude::*;

    proptest! {
        /// The value is the maximum that the cutting planes allow at the returned prices, and is equal for all solvers.
        #[test]
        fn all_solvers_find_the_same(
            planes in prop::collection::vec((prop::collection::vec(-1.0f64..1.0, 2), 0.1f64..1.0), 1..12),
        ) {
            let plane = |(rates, upper_bound)| CuttingPlane { rates, upper_bound };
            let planes: Vec<CuttingPlane> = planes.into_iter().map(plane).collect();
            let mut values: Vec<f64> = Vec::new();
            for &solver in Solver::BUILT {
                let Some((value, prices)) = maximise_value(&planes, 1e3, solver) else {
                    return Err(TestCaseError::fail(format!("{solver} finds nothing")));
                };
                let gained = |plane: &CuttingPlane| {
                    plane.rates.iter().zip(&prices).map(|(rate, price)| rate * price).sum::<f64>()
                };
                let allowed = |plane: &CuttingPlane| plane.upper_bound + gained(plane);
                let least = planes.iter().map(allowed).fold(f64::INFINITY, f64::min);
                prop_assert!((value - least).abs() <= 1e-6 * value.abs().max(1.0), "{solver}: {value} for {least}");
                prop_assert!(prices.iter().all(|price| (0.0..=1e3 + 1e-6).contains(price)));
                values.push(value);
            }
            let first = values[0];
            prop_assert!(values.iter().all(|value| (value - first).abs() <= 1e-6 * first.abs().max(1.0)), "{values:?}");
        }
    }
}
