//! The linear program that says what limits are worth, and who solves it: [`microlp`], or HiGHS where the feature
//! `highs` builds it.

use crate::limits::Solver;
use microlp::{ComparisonOp, OptimizationDirection, SolveOutcome};

/// What is not to be exceeded: `value - rates · prices <= most`.
pub(crate) struct Row {
    pub(crate) rates: Vec<f64>,
    pub(crate) most: f64,
}

/// The highest value that all rows allow, and prices from 0 to `dearest` that allow it. None for lack of precision.
pub(crate) fn highest(rows: &[Row], dearest: f64, solver: Solver) -> Option<(f64, Vec<f64>)> {
    let solution = match solver {
        Solver::Microlp => by_microlp(rows, dearest),
        #[cfg(feature = "highs")]
        Solver::Highs => by_highs(rows, dearest),
    }?;
    let (&value, prices) = solution.split_first()?;
    Some((value, prices.iter().map(|price| price.max(0.0)).collect()))
}

/// How many prices there are.
fn count(rows: &[Row]) -> usize {
    rows.first().map_or(0, |row| row.rates.len())
}

/// The value, then prices.
fn by_microlp(rows: &[Row], dearest: f64) -> Option<Vec<f64>> {
    let mut program = microlp::Problem::new(OptimizationDirection::Maximize);
    let value = program.add_var(1.0, (f64::NEG_INFINITY, f64::INFINITY));
    let prices: Vec<_> = (0..count(rows)).map(|_| program.add_var(0.0, (0.0, dearest))).collect();
    for row in rows {
        let rates = prices.iter().zip(&row.rates).map(|(&price, rate)| (price, -rate));
        let all: Vec<_> = [(value, 1.0)].into_iter().chain(rates).collect();
        program.add_constraint(&all[..], ComparisonOp::Le, row.most);
    }
    let Ok(SolveOutcome::Solution(solution)) = program.solve() else { return None };
    Some([value].iter().chain(&prices).map(|&variable| solution[variable]).collect())
}

/// The value, then prices.
#[cfg(feature = "highs")]
fn by_highs(rows: &[Row], dearest: f64) -> Option<Vec<f64>> {
    let mut program = highs::RowProblem::default();
    let value = program.add_column(1.0, f64::NEG_INFINITY..f64::INFINITY);
    let prices: Vec<highs::Col> = (0..count(rows)).map(|_| program.add_column(0.0, 0.0..=dearest)).collect();
    for row in rows {
        let rates = prices.iter().zip(&row.rates).map(|(&price, rate)| (price, -rate));
        let all: Vec<(highs::Col, f64)> = [(value, 1.0)].into_iter().chain(rates).collect();
        program.add_row(..=row.most, &all[..]);
    }
    let mut model = program.optimise(highs::Sense::Maximise);
    model.make_quiet();
    // One thread: the same answer whatever else the machine does.
    model.set_option("threads", 1);
    let solved = model.try_solve().ok()?;
    (solved.status() == highs::HighsModelStatus::Optimal).then(|| solved.get_solution().columns().to_vec())
}

#[cfg(test)]
mod tests {
    use super::{Row, Solver, highest};
    use proptest::prelude::*;

    proptest! {
        /// The value is what the rows allow at these prices, and the same whoever solves it.
        #[test]
        fn all_solvers_find_the_same(
            rows in prop::collection::vec((prop::collection::vec(-1.0f64..1.0, 2), 0.1f64..1.0), 1..12),
        ) {
            let rows: Vec<Row> = rows.into_iter().map(|(rates, most)| Row { rates, most }).collect();
            let mut values: Vec<f64> = Vec::new();
            for &solver in Solver::BUILT {
                let Some((value, prices)) = highest(&rows, 1e3, solver) else {
                    return Err(TestCaseError::fail(format!("{solver} finds nothing")));
                };
                let gained = |row: &Row| row.rates.iter().zip(&prices).map(|(rate, price)| rate * price).sum::<f64>();
                let allowed = |row: &Row| row.most + gained(row);
                let least = rows.iter().map(allowed).fold(f64::INFINITY, f64::min);
                prop_assert!((value - least).abs() <= 1e-6 * value.abs().max(1.0), "{solver}: {value} for {least}");
                prop_assert!(prices.iter().all(|price| (0.0..=1e3 + 1e-6).contains(price)));
                values.push(value);
            }
            let first = values[0];
            prop_assert!(values.iter().all(|value| (value - first).abs() <= 1e-6 * first.abs().max(1.0)), "{values:?}");
        }
    }
}
