//! Solutions next to what trying everything finds.

use super::branch_and_bound::{Stop, branch_and_bound};
use super::problem::{Limit, Problem};
use crate::limits::{Effort, Solver};
use proptest::prelude::*;

/// All choices, one after the other.
fn brute_force(problem: &Problem) -> Option<f64> {
    let mut choice = vec![0; problem.count()];
    let mut best: Option<f64> = None;
    loop {
        let cost = problem.cost(&choice);
        if cost < f64::INFINITY && problem.is_kept(&choice) && best.is_none_or(|best| cost < best) {
            best = Some(cost);
        }
        let Some(thing) = (0..choice.len()).rev().find(|&thing| choice[thing] + 1 < problem.options[thing]) else {
            return best;
        };
        choice[thing] += 1;
        choice[thing + 1..].fill(0);
    }
}

/// Up to seven things with up to four options, of which some cost infinity, and any pairs of them.
fn problems(limits: usize) -> impl Strategy<Value = Problem> {
    let cost = prop_oneof![9 => (0u32..40).prop_map(f64::from), 1 => Just(f64::INFINITY)];
    let things = prop::collection::vec(prop::collection::vec(cost.clone(), 1..5), 1..8);
    let pairs = prop::collection::vec((0usize..7, 0usize..7, prop::collection::vec(cost, 16)), 0..10);
    let uses = prop::collection::vec((0.2f64..1.0, prop::collection::vec(0u32..20, 28)), limits);
    (things, pairs, uses).prop_map(|(things, pairs, limits)| {
        let mut problem = Problem::default();
        for costs in &things {
            problem.thing(costs);
        }
        for (a, b, costs) in pairs {
            let (a, b) = (a % things.len(), b % things.len());
            if a != b {
                problem.pair(a, b, &costs[..things[a].len() * things[b].len()]);
            }
        }
        for (share, uses) in limits {
            let uses: Vec<(usize, Vec<f64>)> = things
                .iter()
                .enumerate()
                .map(|(thing, costs)| (thing, (0..costs.len()).map(|i| f64::from(uses[4 * thing + i])).collect()))
                .collect();
            let most: f64 = uses.iter().map(|(_, uses)| uses.iter().copied().fold(0.0, f64::max)).sum();
            problem.limit(Limit { most: (share * most).floor(), uses });
        }
        problem
    })
}

fn agrees(problem: &Problem, widest: usize) -> Result<(), TestCaseError> {
    let best = brute_force(problem);
    Solver::BUILT
        .iter()
        .try_for_each(|&solver| agrees_by(problem, Effort { widest, gap: 1e-9, solver, ..Effort::default() }, best))
}

fn agrees_by(problem: &Problem, effort: Effort, best: Option<f64>) -> Result<(), TestCaseError> {
    let found = branch_and_bound(problem, &effort);
    let Some(found) = found else {
        prop_assert_eq!(best, None);
        return Ok(());
    };
    prop_assert_eq!(found.stop, Stop::Optimal);
    prop_assert!(problem.is_kept(&found.choice));
    prop_assert!((problem.cost(&found.choice) - found.cost).abs() < 1e-9);
    let best = best.ok_or_else(|| TestCaseError::fail("there is no choice"))?;
    prop_assert!((found.cost - best).abs() < 1e-6, "{} instead of {best}", found.cost);
    prop_assert!(found.bound <= best + 1e-6, "{} is above {best}", found.bound);
    Ok(())
}

proptest! {
    #[test]
    fn the_best_choice_is_found(problem in problems(0)) {
        agrees(&problem, 1 << 18)?;
    }

    #[test]
    fn tables_that_are_too_small_only_take_longer(problem in problems(0)) {
        agrees(&problem, 16)?;
    }

    #[test]
    fn limits_are_kept(problem in problems(2)) {
        agrees(&problem, 1 << 18)?;
    }

    #[test]
    fn limits_are_kept_with_small_tables(problem in problems(1)) {
        agrees(&problem, 16)?;
    }
}

/// A chain of equal layers.
fn chain(layers: usize) -> Problem {
    let mut problem = Problem::default();
    let mut before = None;
    for _ in 0..layers {
        let inner: Vec<f64> = (0..8).map(|i| f64::from(i * 37 % 11)).collect();
        let a = problem.thing(&inner);
        let b = problem.thing(&[0.0; 8]);
        let costs: Vec<f64> = (0..64).map(|i| f64::from(i * 29 % 17)).collect();
        problem.pair(a, b, &costs);
        if let Some(before) = before {
            problem.pair(before, a, &costs);
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
fn what_nothing_keeps_is_none() {
    let mut problem = Problem::default();
    let thing = problem.thing(&[1.0, 2.0]);
    problem.limit(Limit { most: 3.0, uses: vec![(thing, vec![5.0, 4.0])] });
    assert_eq!(branch_and_bound(&problem, &Effort { gap: 1e-9, ..Effort::default() }), None);
}
