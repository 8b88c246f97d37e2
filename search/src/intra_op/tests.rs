//! Comparison of solutions with an exhaustive search.

use super::branch_and_bound::{Stop, branch_and_bound};
use super::problem::{Limit, Problem};
use crate::limits::Effort;
use proptest::prelude::*;

/// Returns the minimum cost over all feasible assignments.
fn brute_force(problem: &Problem) -> Option<f64> {
    let mut choice = vec![0; problem.variable_count()];
    let mut best: Option<f64> = None;
    loop {
        let cost = problem.cost(&choice);
        if cost < f64::INFINITY && problem.satisfies_limits(&choice) && best.is_none_or(|best| cost < best) {
            best = Some(cost);
        }
        let Some(variable) = (0..choice.len()).rev().find(|&variable| choice[variable] + 1 < problem.options[variable])
        else {
            return best;
        };
        choice[variable] += 1;
        choice[variable + 1..].fill(0);
    }
}

/// Generates problems with up to seven variables, up to four options each, some infinite costs, and arbitrary pairs.
fn problems(limits: usize) -> impl Strategy<Value = Problem> {
    let cost = prop_oneof![9 => (0u32..40).prop_map(f64::from), 1 => Just(f64::INFINITY)];
    let variables = prop::collection::vec(prop::collection::vec(cost.clone(), 1..5), 1..8);
    let pairs = prop::collection::vec((0usize..7, 0usize..7, prop::collection::vec(cost, 16)), 0..10);
    let uses = prop::collection::vec((0.2f64..1.0, prop::collection::vec(0u32..20, 28)), limits);
    (variables, pairs, uses).prop_map(|(variables, pairs, limits)| {
        let mut problem = Problem::default();
        for costs in &variables {
            problem.add_variable(costs);
        }
        for (a, b, costs) in pairs {
            let (a, b) = (a % variables.len(), b % variables.len());
            if a != b {
                problem.add_pair(a, b, &costs[..variables[a].len() * variables[b].len()]);
            }
        }
        for (share, uses) in limits {
            let uses: Vec<(usize, Vec<f64>)> = variables
                .iter()
                .enumerate()
                .map(|(variable, costs)| {
                    (variable, (0..costs.len()).map(|i| f64::from(uses[4 * variable + i])).collect())
                })
                .collect();
            let most: f64 = uses.iter().map(|(_, uses)| uses.iter().copied().fold(0.0, f64::max)).sum();
            problem.add_limit(Limit { capacity: (share * most).floor(), usage: uses });
        }
        problem
    })
}

fn matches_exhaustive_search(problem: &Problem, max_table_entries: usize) -> Result<(), TestCaseError> {
    let best = brute_force(problem);
    let found = branch_and_bound(problem, &Effort { max_table_entries, gap: 1e-9, ..Effort::default() });
    let Some(found) = found else {
        prop_assert_eq!(best, None);
        return Ok(());
    };
    prop_assert_eq!(found.stop, Stop::Optimal);
    prop_assert!(problem.satisfies_limits(&found.choice));
    prop_assert!((problem.cost(&found.choice) - found.cost).abs() < 1e-9);
    let best = best.ok_or_else(|| TestCaseError::fail("no assignment is feasible"))?;
    prop_assert!((found.cost - best).abs() < 1e-6, "{} instead of {best}", found.cost);
    prop_assert!(found.bound <= best + 1e-6, "{} is above {best}", found.bound);
    Ok(())
}

proptest! {
    #[test]
    fn solutions_are_optimal(problem in problems(0)) {
        matches_exhaustive_search(&problem, 1 << 18)?;
    }

    #[test]
    fn solutions_are_optimal_with_small_tables(problem in problems(0)) {
        matches_exhaustive_search(&problem, 16)?;
    }

    #[test]
    fn limits_are_satisfied(problem in problems(2)) {
        matches_exhaustive_search(&problem, 1 << 18)?;
    }

    #[test]
    fn limits_are_satisfied_with_small_tables(problem in problems(1)) {
        matches_exhaustive_search(&problem, 16)?;
    }
}

/// Returns a chain of identical layers.
fn chain(layers: usize) -> Problem {
    let mut problem = Problem::default();
    let mut before = None;
    for _ in 0..layers {
        let inner: Vec<f64> = (0..8).map(|i| f64::from(i * 37 % 11)).collect();
        let a = problem.add_variable(&inner);
        let b = problem.add_variable(&[0.0; 8]);
        let costs: Vec<f64> = (0..64).map(|i| f64::from(i * 29 % 17)).collect();
        problem.add_pair(a, b, &costs);
        if let Some(before) = before {
            problem.add_pair(before, a, &costs);
        }
        before = Some(b);
    }
    problem
}

#[test]
fn equal_layers_are_computed_once() {
    let work = |layers| {
        let problem = chain(layers);
        let mut eliminator = super::bucket_elimination::BucketElimination::new(&problem, 1 << 18);
        eliminator.minimise(&[]);
        eliminator.work
    };
    assert!(work(64) < 4 * work(8), "{} and {}", work(64), work(8));
}

#[test]
fn infeasible_limits_have_no_solution() {
    let mut problem = Problem::default();
    let variable = problem.add_variable(&[1.0, 2.0]);
    problem.add_limit(Limit { capacity: 3.0, usage: vec![(variable, vec![5.0, 4.0])] });
    assert_eq!(branch_and_bound(&problem, &Effort { gap: 1e-9, ..Effort::default() }), None);
}
