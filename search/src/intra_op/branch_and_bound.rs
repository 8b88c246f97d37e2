//! Cheapest assignment that satisfies resource limits: Lagrangian relaxation with branch and bound.
//!
//! Each limit has a dual price. The relaxed cost of an assignment is its cost plus, for each limit, the price times the
//! usage. For any non-negative prices, the minimum of the relaxed cost minus the sum of all prices times capacities is
//! a lower bound (Lagrangian duality). The prices that maximise the bound solve the dual of a linear program over all
//! assignments, of which the assignments found so far are sufficient (column generation, Dantzig and Wolfe 1960;
//! cutting planes, Kelley 1960): a [linear program](linear) gives prices, and [`BucketElimination`] the cheapest
//! assignment at these prices, until no new assignment is found.
//!
//! Combinations of the cheapest assignment and a feasible one are also tried: they agree with the former up to some
//! variable and with the latter afterwards. With identical layers, the first layers then use the cheaper option, and
//! the others the option with less usage. The remaining gap is closed by branching on the variable on which the
//! assignments differ most: in one branch the variable has a given option, in the other it does not. The termination
//! criterion counts work, not time, so that results are reproducible.

use super::bucket_elimination::BucketElimination;
use super::linear::{self, CuttingPlane};
use super::problem::{Problem, Term};
use crate::limits::{Effort, SearchLimits};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Reason why the solver stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The solution is optimal within the requested gap.
    Optimal,
    /// The work limit was reached.
    WorkLimit,
}

/// An assignment and lower bounds on the cost of any assignment.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The option chosen for each variable.
    pub choice: Vec<usize>,
    /// Cost of the assignment.
    pub cost: f64,
    /// Lower bound on the cost of any assignment that satisfies the limits.
    pub bound: f64,
    /// Lower bound on the cost of any assignment, without limits.
    pub unlimited_bound: f64,
    /// Reason why the solver stopped.
    pub stop: Stop,
    /// Number of computed table entries, a machine-independent measure of work.
    pub work: u64,
}

impl Solution {
    /// Returns the relative gap between the cost and the lower bound.
    pub fn gap(&self) -> f64 {
        if self.cost > 0.0 { ((self.cost - self.bound) / self.cost).max(0.0) } else { 0.0 }
    }
}

/// For each restricted variable, true for each option that is still allowed.
type AllowedOptions = Vec<(usize, Vec<bool>)>;

/// A node of the branch-and-bound tree.
struct Branch {
    allowed: AllowedOptions,
    bound: f64,
    /// The variable and option to branch on.
    next: Option<(usize, usize)>,
    /// Creation order, used to break ties.
    number: usize,
}

impl PartialEq for Branch {
    fn eq(&self, other: &Branch) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Branch {}

impl PartialOrd for Branch {
    fn partial_cmp(&self, other: &Branch) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Branch {
    /// Orders by ascending bound, then by creation order, for a max-heap.
    fn cmp(&self, other: &Branch) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.number.cmp(&self.number))
    }
}

struct Relaxation {
    bound: f64,
    next: Option<(usize, usize)>,
}

/// Returns an assignment that satisfies all limits and whose cost is within [`Effort::gap`] of the minimum, or the best
/// one found when [`Effort::max_work`] is reached. Returns `None` if no such assignment was found. This proves that
/// none exists only if the work limit was not reached.
pub fn branch_and_bound(problem: &Problem, effort: &Effort) -> Option<Solution> {
    let mut search = BranchAndBound::new(problem, effort);
    let root = search.relax(&AllowedOptions::new())?;
    let mut open =
        BinaryHeap::from([Branch { allowed: AllowedOptions::new(), bound: root.bound, next: root.next, number: 0 }]);
    let mut count = 1;
    let mut bound = root.bound;
    let mut stop = Stop::Optimal;
    while let Some(branch) = open.pop() {
        bound = branch.bound;
        if search.is_within_gap(bound) {
            break;
        }
        let Some((variable, option)) = branch.next else { continue };
        if search.eliminator.work > effort.max_work {
            stop = Stop::WorkLimit;
            break;
        }
        for chooses_option in [true, false] {
            let mut allowed = branch.allowed.clone();
            search.rule_out(&mut allowed, variable, |other| (other == option) != chooses_option);
            let Some(relaxed) = search.relax(&allowed) else { continue };
            let bound = relaxed.bound.max(branch.bound);
            if !search.is_within_gap(bound) {
                open.push(Branch { allowed, bound, next: relaxed.next, number: count });
                count += 1;
            }
        }
        if open.is_empty() {
            bound = f64::INFINITY;
        }
    }
    let (cost, choice) = search.best?;
    let (bound, unlimited_bound) = (bound.min(cost), search.unlimited_bound.min(cost));
    Some(Solution { choice, cost, bound, unlimited_bound, stop, work: search.eliminator.work })
}

/// State of the branch-and-bound search.
struct BranchAndBound<'p> {
    problem: &'p Problem,
    eliminator: BucketElimination<'p>,
    /// Cost terms of each variable.
    terms: Vec<Vec<&'p Term>>,
    /// For each variable, the limits that it affects and the usage of each option.
    usage: Vec<Vec<(usize, &'p [f64])>>,
    /// Order in which [`combine`](BranchAndBound::combine) changes variables: those that share a cost term are near
    /// each other.
    change_order: Vec<usize>,
    /// Upper bound on the cost of any assignment with finite cost.
    max_cost: f64,
    gap: f64,
    /// The best feasible assignment and its cost.
    best: Option<(f64, Vec<usize>)>,
    /// Lower bound on the cost without limits. Infinite before the first relaxation.
    unlimited_bound: f64,
}

impl<'p> BranchAndBound<'p> {
    fn new(problem: &'p Problem, effort: &Effort) -> BranchAndBound<'p> {
        let mut terms = vec![Vec::new(); problem.variable_count()];
        for term in &problem.terms {
            term.scope.iter().for_each(|&variable| terms[variable].push(term));
        }
        let mut usage = vec![Vec::new(); problem.variable_count()];
        for (number, limit) in problem.limits.iter().enumerate() {
            limit.usage.iter().for_each(|(variable, of_variable)| usage[*variable].push((number, &of_variable[..])));
        }
        // Each variable is placed by its closest preceding variable with a common term.
        let before = |variable: usize| {
            let neighbours = terms[variable].iter().flat_map(|term| &term.scope).copied();
            neighbours.filter(|&other| other < variable).max().unwrap_or(variable)
        };
        let mut order: Vec<usize> = (0..problem.variable_count()).collect();
        order.sort_by_key(|&variable| (before(variable), variable));
        let largest = |term: &Term| {
            let costs = problem.tables.get(term.table).iter();
            costs.filter(|cost| cost.is_finite()).fold(0.0f64, |largest, cost| largest.max(cost.abs()))
        };
        let max_cost = problem.terms.iter().map(largest).sum();
        let eliminator = BucketElimination::new(problem, effort.max_table_entries);
        BranchAndBound {
            problem,
            eliminator,
            terms,
            usage,
            change_order: order,
            max_cost,
            gap: effort.gap,
            best: None,
            unlimited_bound: f64::INFINITY,
        }
    }

    /// Returns true if the best assignment is within the requested gap of `bound`.
    fn is_within_gap(&self, bound: f64) -> bool {
        self.best.as_ref().is_some_and(|(cost, _)| cost - bound <= self.gap * cost.abs())
    }

    /// Removes the options of a variable for which `is_out` returns true from the allowed ones.
    fn rule_out(&self, allowed: &mut AllowedOptions, variable: usize, is_out: impl Fn(usize) -> bool) {
        let place = allowed.iter().position(|(known, _)| *known == variable).unwrap_or_else(|| {
            allowed.push((variable, vec![true; self.problem.options[variable]]));
            allowed.len() - 1
        });
        allowed[place].1.iter_mut().enumerate().for_each(|(option, is_allowed)| *is_allowed &= !is_out(option));
    }

    /// Returns a lower bound for a node. Returns `None` if no assignment of the node satisfies the limits.
    fn relax(&mut self, allowed: &AllowedOptions) -> Option<Relaxation> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut prices = vec![0.0; self.problem.limits.len()];
        let mut bound = f64::NEG_INFINITY;
        if self.exceeds_limits(allowed) {
            return None;
        }
        for _ in 0..SearchLimits::TUNED.max_price_rounds {
            let (least, candidate) = self.solve_at_prices(allowed, &prices)?;
            // The first bound is computed with zero prices, that is, without limits.
            self.unlimited_bound = if self.unlimited_bound == f64::INFINITY { least } else { self.unlimited_bound };
            bound = bound.max(least);
            if bound > self.max_cost * (1.0 + SearchLimits::TUNED.rounding) {
                return None;
            }
            let is_new = !candidates.iter().any(|known| known.choice == candidate.choice);
            let is_feasible = candidate.excess.iter().all(|&excess| excess <= 0.0);
            if !is_new {
                break;
            }
            candidates.push(candidate);
            if is_feasible && prices.iter().all(|&price| price == 0.0) {
                break;
            }
            self.combine(&candidates);
            let Some((next, value)) = self.dual_prices(&candidates) else { break };
            if self.is_within_gap(bound)
                || (value.is_finite() && value - bound <= SearchLimits::TUNED.rounding * value.abs())
            {
                break;
            }
            prices = next;
        }
        let next = self.branching_decision(allowed, &candidates);
        Some(Relaxation { bound, next })
    }

    /// Returns the cheapest assignment at the given prices and the resulting bound. Returns `None` if the node has no
    /// assignment with finite cost.
    fn solve_at_prices(&mut self, allowed: &AllowedOptions, prices: &[f64]) -> Option<(f64, Candidate)> {
        let mut extra_costs: Vec<(usize, Vec<f64>)> = Vec::new();
        for (variable, is_allowed) in allowed {
            extra_costs.push((
                *variable,
                is_allowed.iter().map(|&is_allowed| if is_allowed { 0.0 } else { f64::INFINITY }).collect(),
            ));
        }
        let mut limit_value = 0.0;
        for (limit, &price) in self.problem.limits.iter().zip(prices).filter(|(_, price)| **price > 0.0) {
            limit_value += price * limit.capacity;
            let uses = limit.usage.iter();
            extra_costs
                .extend(uses.map(|(variable, uses)| (*variable, uses.iter().map(|used| price * used).collect())));
        }
        let mut found = self.eliminator.minimise(&extra_costs);
        if found.bound == f64::INFINITY {
            return None;
        }
        if !found.is_exact {
            self.local_search(allowed, prices, &mut found.choice);
        }
        let cost = self.problem.cost(&found.choice);
        self.record(&found.choice, cost);
        let excess = self.problem.limits.iter().map(|limit| limit.usage_of(&found.choice) - limit.capacity).collect();
        Some((found.bound - limit_value, Candidate { cost, excess, choice: found.choice }))
    }

    /// Records an assignment if it is feasible and better than the best one so far.
    fn record(&mut self, choice: &[usize], cost: f64) {
        let is_better = self.best.as_ref().is_none_or(|(best, _)| cost < *best);
        if is_better && cost < f64::INFINITY && self.problem.satisfies_limits(choice) {
            self.best = Some((cost, choice.to_vec()));
        }
    }

    /// Starts from the best feasible assignment and changes one variable after another to its option in the cheapest
    /// infeasible one. Records the cheapest feasible assignment on the way.
    fn combine(&mut self, candidates: &[Candidate]) {
        let Some((mut least, best)) = self.best.clone() else { return };
        let is_over =
            |candidate: &&Candidate| candidate.cost < least && candidate.excess.iter().any(|&excess| excess > 0.0);
        let Some(cheap) = candidates.iter().filter(is_over).min_by(|a, b| a.cost.total_cmp(&b.cost)) else { return };
        let problem = self.problem;
        let mut found = None;
        let orders: [Vec<usize>; 2] = [self.change_order.clone(), self.change_order.iter().rev().copied().collect()];
        for order in &orders {
            let mut choice = best.clone();
            let mut used: Vec<f64> = problem.limits.iter().map(|limit| limit.usage_of(&choice)).collect();
            // Infinite terms are counted separately, because infinity minus infinity is not a number.
            let (mut cost, mut impossible) = (self.best.as_ref().map_or(0.0, |best| best.0), 0);
            for &variable in order {
                let (old, new) = (choice[variable], cheap.choice[variable]);
                if old == new {
                    continue;
                }
                for (sign, count, option) in [(-1.0, -1, old), (1.0, 1, new)] {
                    choice[variable] = option;
                    for term in &self.terms[variable] {
                        let costs = problem.term_cost(term, &choice);
                        if costs.is_finite() {
                            cost += sign * costs;
                        } else {
                            impossible += count;
                        }
                    }
                }
                for (limit, uses) in &self.usage[variable] {
                    used[*limit] += uses[new] - uses[old];
                }
                let is_feasible = used.iter().zip(&problem.limits).all(|(used, limit)| *used <= limit.capacity);
                if is_feasible && impossible == 0 && cost < least {
                    least = cost;
                    found = Some(choice.clone());
                }
            }
        }
        if let Some(choice) = found {
            self.record(&choice, problem.cost(&choice));
        }
    }

    /// Improves an assignment by changing single variables until no change helps.
    fn local_search(&self, allowed: &AllowedOptions, prices: &[f64], choice: &mut [usize]) {
        let problem = self.problem;
        let priced = |variable: usize, option: usize| -> f64 {
            self.usage[variable].iter().map(|(limit, uses)| prices[*limit] * uses[option]).sum()
        };
        let is_out = |variable: usize, option: usize| {
            allowed.iter().any(|(of, is_allowed)| *of == variable && !is_allowed[option])
        };
        let mut changed = true;
        while changed {
            changed = false;
            for variable in 0..problem.variable_count() {
                let old = choice[variable];
                let mut best = (f64::INFINITY, old);
                for option in (0..problem.options[variable]).filter(|&option| !is_out(variable, option)) {
                    choice[variable] = option;
                    let cost = self.terms[variable].iter().map(|term| problem.term_cost(term, choice)).sum::<f64>()
                        + priced(variable, option);
                    if cost < best.0 - SearchLimits::TUNED.rounding * cost.abs() || (option == old && cost <= best.0) {
                        best = (cost, option);
                    }
                }
                choice[variable] = best.1;
                changed |= best.1 != old;
            }
        }
    }

    /// Returns the prices that maximise the minimum, over the assignments found so far, of the cost plus the prices
    /// times the excess, and this maximum. The maximum is infinite if none of the assignments is feasible; the prices
    /// then have their maximum. Returns `None` if the linear program cannot be solved numerically.
    fn dual_prices(&self, candidates: &[Candidate]) -> Option<(Vec<f64>, f64)> {
        let count = self.problem.limits.len();
        // Scales all quantities to similar magnitudes.
        let scale = candidates.iter().map(|candidate| candidate.cost.abs()).fold(f64::MIN_POSITIVE, f64::max);
        let sizes: Vec<f64> = (0..count)
            .map(|limit| {
                candidates.iter().map(|candidate| candidate.excess[limit].abs()).fold(f64::MIN_POSITIVE, f64::max)
            })
            .collect();
        let plane = |candidate: &Candidate| CuttingPlane {
            rates: candidate.excess.iter().zip(&sizes).map(|(excess, size)| excess / size).collect(),
            upper_bound: candidate.cost / scale,
        };
        let planes: Vec<CuttingPlane> = candidates.iter().map(plane).collect();
        let (value, prices) = linear::maximise_value(&planes, SearchLimits::TUNED.max_price)?;
        let is_finite = value < SearchLimits::TUNED.max_price / 2.0;
        // If no assignment is feasible, prices must outweigh all costs.
        let (value, unit) = if is_finite { (value * scale, scale) } else { (f64::INFINITY, self.max_cost.max(scale)) };
        Some((prices.iter().zip(&sizes).map(|(price, size)| price * unit / size).collect(), value))
    }

    /// Returns true if a limit is exceeded even if every variable has its allowed option with the smallest usage.
    fn exceeds_limits(&self, allowed: &AllowedOptions) -> bool {
        let least = |variable: usize, uses: &[f64]| {
            let is_allowed = allowed.iter().find(|(known, _)| *known == variable).map(|(_, is_allowed)| is_allowed);
            let uses =
                uses.iter().enumerate().filter(|(option, _)| is_allowed.is_none_or(|is_allowed| is_allowed[*option]));
            uses.map(|(_, &used)| used).fold(f64::INFINITY, f64::min)
        };
        self.problem.limits.iter().any(|limit| {
            let all: f64 = limit.usage.iter().map(|(variable, uses)| least(*variable, uses)).sum();
            all > limit.capacity * (1.0 + 1e-12)
        })
    }

    /// Returns the variable on which the assignments differ most, and its option in the assignment closest to
    /// feasibility.
    fn branching_decision(&self, allowed: &AllowedOptions, candidates: &[Candidate]) -> Option<(usize, usize)> {
        let excess = |candidate: &Candidate| {
            candidate
                .excess
                .iter()
                .zip(&self.problem.limits)
                .map(|(excess, limit)| excess.max(0.0) / limit.capacity.max(1.0))
                .sum::<f64>()
        };
        let closest =
            candidates.iter().min_by(|a, b| excess(a).total_cmp(&excess(b)).then(a.cost.total_cmp(&b.cost)))?;
        let known = |variable: usize| allowed.iter().find(|(known, _)| *known == variable).map(|(_, all)| &all[..]);
        let is_decided = |variable: usize| {
            known(variable).is_some_and(|all| all.iter().filter(|&&is_allowed| is_allowed).count() <= 1)
        };
        let others = |variable: usize| {
            candidates.iter().filter(|candidate| candidate.choice[variable] != closest.choice[variable]).count()
        };
        let candidates = (0..self.problem.variable_count())
            .filter(|&variable| self.problem.options[variable] > 1 && !is_decided(variable));
        let weight = |variable: usize| {
            let range = self.usage[variable].iter().map(|(limit, uses)| {
                let (low, high) =
                    uses.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &u| (low.min(u), high.max(u)));
                (high - low) / self.problem.limits[*limit].capacity.max(1.0)
            });
            range.sum::<f64>()
        };
        // Differences in usage only break ties: they count less than one assignment.
        let key = |variable: usize| (others(variable) as f64) + weight(variable).min(0.5);
        let next = candidates.max_by(|&a, &b| key(a).total_cmp(&key(b)).then(b.cmp(&a)))?;
        // With small tables, a candidate may have an option that is ruled out, which would divide nothing.
        let option = closest.choice[next];
        let first_allowed = || known(next)?.iter().position(|&is_allowed| is_allowed);
        let is_out = known(next).is_some_and(|all| !all[option]);
        Some((next, if is_out { first_allowed()? } else { option }))
    }
}

/// An assignment found by the relaxation: its cost, and its excess over each limit.
struct Candidate {
    cost: f64,
    excess: Vec<f64>,
    choice: Vec<usize>,
}
