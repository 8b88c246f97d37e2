//! The cheapest choice that keeps limits: a linear relaxation, and branch and bound around it.
//!
//! A limit has a price, and what a choice uses of it costs that much more. At any prices the cheapest choice without
//! limits, less what all limits are worth, costs no more than the best one that keeps them (Lagrange). The prices for
//! which that bound is the highest are the dual of a linear program over all choices, of which one row each for those
//! that were met is enough (Dantzig and Wolfe 1960, Kelley 1960): a [`Solver`] says prices, [`BucketElimination`] the
//! choice that they favour, until there is none that is new.
//!
//! Between the cheapest choice and one that keeps the limits lie those that are the one as far as some thing and the
//! other from there on: of layers that are all alike, so many do what is cheap and the rest what is small. What is left
//! is then decided: the thing that the choices disagree on most gets one of its options, or one of the others. What was
//! counted decides when to stop, and no clock does, so that every run says the same.

use super::bucket_elimination::BucketElimination;
use super::linear::{self, Row};
use super::problem::{Problem, Term};
use crate::limits::{Effort, SearchLimits, Solver};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Why no better choice was looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// There is none, or none that is better by the gap that was asked for.
    Optimal,
    /// So much work was done as was asked for.
    Work,
}

/// A choice.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// By thing, its option.
    pub choice: Vec<usize>,
    /// What it costs.
    pub cost: f64,
    /// What no choice that keeps the limits costs less than.
    pub bound: f64,
    /// What no choice costs less than, if it need not keep them.
    pub limitless: f64,
    /// Why no better one was looked for.
    pub stop: Stop,
}

impl Solution {
    /// The share of its cost that it may be away from the best one.
    pub fn gap(&self) -> f64 {
        if self.cost > 0.0 { ((self.cost - self.bound) / self.cost).max(0.0) } else { 0.0 }
    }
}

/// Options that are ruled out: by thing, which are left.
type Left = Vec<(usize, Vec<bool>)>;

/// A part of all choices.
struct Branch {
    left: Left,
    bound: f64,
    /// The thing that is decided next, and its option.
    next: Option<(usize, usize)>,
    /// In which order they were found.
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
    /// The lowest bound is the greatest, then the one that was found first.
    fn cmp(&self, other: &Branch) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.number.cmp(&self.number))
    }
}

/// What the relaxation of a branch says.
struct Relaxed {
    bound: f64,
    next: Option<(usize, usize)>,
}

/// The cheapest choice that keeps all limits; none when nothing keeps them.
pub fn branch_and_bound(problem: &Problem, effort: &Effort) -> Option<Solution> {
    let mut search = Search::of(problem, effort);
    let root = search.relax(&Left::new())?;
    let mut open = BinaryHeap::from([Branch { left: Left::new(), bound: root.bound, next: root.next, number: 0 }]);
    let mut count = 1;
    let mut bound = root.bound;
    let mut stop = Stop::Optimal;
    while let Some(branch) = open.pop() {
        bound = branch.bound;
        if search.is_enough(bound) {
            break;
        }
        let Some((thing, option)) = branch.next else { continue };
        if search.eliminator.work > effort.work {
            stop = Stop::Work;
            break;
        }
        for takes in [true, false] {
            let mut left = branch.left.clone();
            search.rule_out(&mut left, thing, |other| (other == option) != takes);
            let Some(relaxed) = search.relax(&left) else { continue };
            let bound = relaxed.bound.max(branch.bound);
            if !search.is_enough(bound) {
                open.push(Branch { left, bound, next: relaxed.next, number: count });
                count += 1;
            }
        }
        if open.is_empty() {
            bound = f64::INFINITY;
        }
    }
    let (cost, choice) = search.best?;
    Some(Solution { choice, cost, bound: bound.min(cost), limitless: search.limitless.min(cost), stop })
}

struct Search<'p> {
    problem: &'p Problem,
    eliminator: BucketElimination<'p>,
    /// By thing, its terms.
    terms: Vec<Vec<&'p Term>>,
    /// By thing, the limits that it takes of, by number, and how much its options take.
    uses: Vec<Vec<(usize, &'p [f64])>>,
    /// Things, those that belong together near each other.
    order: Vec<usize>,
    /// More than this no choice costs that costs anything finite.
    most: f64,
    gap: f64,
    solver: Solver,
    /// The best choice that keeps the limits, and its cost.
    best: Option<(f64, Vec<usize>)>,
    /// What no choice costs less than, whatever it takes of the limits.
    limitless: f64,
}

impl<'p> Search<'p> {
    fn of(problem: &'p Problem, effort: &Effort) -> Search<'p> {
        let mut terms = vec![Vec::new(); problem.count()];
        for term in &problem.terms {
            term.scope.iter().for_each(|&thing| terms[thing].push(term));
        }
        let mut uses = vec![Vec::new(); problem.count()];
        for (number, limit) in problem.limits.iter().enumerate() {
            limit.uses.iter().for_each(|(thing, of_thing)| uses[*thing].push((number, &of_thing[..])));
        }
        // What comes last of a layer is near what it was made from.
        let before = |thing: usize| {
            let near = terms[thing].iter().flat_map(|term| &term.scope).copied();
            near.filter(|&other| other < thing).max().unwrap_or(thing)
        };
        let mut order: Vec<usize> = (0..problem.count()).collect();
        order.sort_by_key(|&thing| (before(thing), thing));
        let largest = |term: &Term| {
            let costs = problem.tables.get(term.table).iter();
            costs.filter(|cost| cost.is_finite()).fold(0.0f64, |largest, cost| largest.max(cost.abs()))
        };
        let most = problem.terms.iter().map(largest).sum();
        let eliminator = BucketElimination::new(problem, effort.widest);
        let Effort { gap, solver, .. } = *effort;
        Search { problem, eliminator, terms, uses, order, most, gap, solver, best: None, limitless: f64::INFINITY }
    }

    fn is_enough(&self, bound: f64) -> bool {
        self.best.as_ref().is_some_and(|(cost, _)| cost - bound <= self.gap * cost.abs())
    }

    fn rule_out(&self, left: &mut Left, thing: usize, is_out: impl Fn(usize) -> bool) {
        let place = left.iter().position(|(known, _)| *known == thing).unwrap_or_else(|| {
            left.push((thing, vec![true; self.problem.options[thing]]));
            left.len() - 1
        });
        left[place].1.iter_mut().enumerate().for_each(|(option, is_left)| *is_left &= !is_out(option));
    }

    /// What no choice of a branch costs less than; none when none keeps the limits.
    fn relax(&mut self, left: &Left) -> Option<Relaxed> {
        let mut met: Vec<Met> = Vec::new();
        let mut prices = vec![0.0; self.problem.limits.len()];
        let mut bound = f64::NEG_INFINITY;
        if self.needs_too_much(left) {
            return None;
        }
        for _ in 0..SearchLimits::TUNED.price_rounds {
            let (least, one) = self.cheapest(left, &prices)?;
            // The first of all knows of no limit.
            self.limitless = if self.limitless == f64::INFINITY { least } else { self.limitless };
            bound = bound.max(least);
            if bound > self.most * (1.0 + SearchLimits::TUNED.rounding) {
                return None;
            }
            let is_new = !met.iter().any(|known| known.choice == one.choice);
            let is_kept = one.over.iter().all(|&over| over <= 0.0);
            if !is_new {
                break;
            }
            met.push(one);
            if is_kept && prices.iter().all(|&price| price == 0.0) {
                break;
            }
            self.mix(&met);
            let Some((next, value)) = self.prices(&met) else { break };
            if self.is_enough(bound)
                || (value.is_finite() && value - bound <= SearchLimits::TUNED.rounding * value.abs())
            {
                break;
            }
            prices = next;
        }
        let next = self.disagreed(left, &met);
        Some(Relaxed { bound, next })
    }

    /// The choice that prices favour, and the bound that follows. None when a branch has no choice.
    fn cheapest(&mut self, left: &Left, prices: &[f64]) -> Option<(f64, Met)> {
        let mut more: Vec<(usize, Vec<f64>)> = Vec::new();
        for (thing, is_left) in left {
            more.push((*thing, is_left.iter().map(|&is_left| if is_left { 0.0 } else { f64::INFINITY }).collect()));
        }
        let mut worth = 0.0;
        for (limit, &price) in self.problem.limits.iter().zip(prices).filter(|(_, price)| **price > 0.0) {
            worth += price * limit.most;
            let uses = limit.uses.iter();
            more.extend(uses.map(|(thing, uses)| (*thing, uses.iter().map(|used| price * used).collect())));
        }
        let mut found = self.eliminator.minimise(&more);
        if found.bound == f64::INFINITY {
            return None;
        }
        if !found.is_exact {
            self.improve(left, prices, &mut found.choice);
        }
        let cost = self.problem.cost(&found.choice);
        self.keep(&found.choice, cost);
        let over = self.problem.limits.iter().map(|limit| limit.used(&found.choice) - limit.most).collect();
        Some((found.bound - worth, Met { cost, over, choice: found.choice }))
    }

    /// Notes a choice if it keeps the limits and is the best one so far.
    fn keep(&mut self, choice: &[usize], cost: f64) {
        let is_better = self.best.as_ref().is_none_or(|(best, _)| cost < *best);
        if is_better && cost < f64::INFINITY && self.problem.is_kept(choice) {
            self.best = Some((cost, choice.to_vec()));
        }
    }

    /// Looks for a better choice between the best one and the cheapest one that was met, which does not keep the
    /// limits.
    fn mix(&mut self, met: &[Met]) {
        let Some((mut least, best)) = self.best.clone() else { return };
        let is_over = |one: &&Met| one.cost < least && one.over.iter().any(|&over| over > 0.0);
        let Some(cheap) = met.iter().filter(is_over).min_by(|a, b| a.cost.total_cmp(&b.cost)) else { return };
        let problem = self.problem;
        let mut found = None;
        let orders: [Vec<usize>; 2] = [self.order.clone(), self.order.iter().rev().copied().collect()];
        for order in &orders {
            let mut choice = best.clone();
            let mut used: Vec<f64> = problem.limits.iter().map(|limit| limit.used(&choice)).collect();
            // What options rule each other out is counted, since without end less without end is no number.
            let (mut cost, mut impossible) = (self.best.as_ref().map_or(0.0, |best| best.0), 0);
            for &thing in order {
                let (old, new) = (choice[thing], cheap.choice[thing]);
                if old == new {
                    continue;
                }
                for (sign, count, option) in [(-1.0, -1, old), (1.0, 1, new)] {
                    choice[thing] = option;
                    for term in &self.terms[thing] {
                        let costs = problem.at(term, &choice);
                        if costs.is_finite() {
                            cost += sign * costs;
                        } else {
                            impossible += count;
                        }
                    }
                }
                for (limit, uses) in &self.uses[thing] {
                    used[*limit] += uses[new] - uses[old];
                }
                let is_kept = used.iter().zip(&problem.limits).all(|(used, limit)| *used <= limit.most);
                if is_kept && impossible == 0 && cost < least {
                    least = cost;
                    found = Some(choice.clone());
                }
            }
        }
        if let Some(choice) = found {
            self.keep(&choice, problem.cost(&choice));
        }
    }

    /// Gives single things better options while there are any.
    fn improve(&self, left: &Left, prices: &[f64], choice: &mut [usize]) {
        let problem = self.problem;
        let priced = |thing: usize, option: usize| -> f64 {
            self.uses[thing].iter().map(|(limit, uses)| prices[*limit] * uses[option]).sum()
        };
        let is_out = |thing: usize, option: usize| left.iter().any(|(of, is_left)| *of == thing && !is_left[option]);
        let mut changed = true;
        while changed {
            changed = false;
            for thing in 0..problem.count() {
                let old = choice[thing];
                let mut best = (f64::INFINITY, old);
                for option in (0..problem.options[thing]).filter(|&option| !is_out(thing, option)) {
                    choice[thing] = option;
                    let cost = self.terms[thing].iter().map(|term| problem.at(term, choice)).sum::<f64>()
                        + priced(thing, option);
                    if cost < best.0 - SearchLimits::TUNED.rounding * cost.abs() || (option == old && cost <= best.0) {
                        best = (cost, option);
                    }
                }
                choice[thing] = best.1;
                changed |= best.1 != old;
            }
        }
    }

    /// Prices for which the cheapest of the choices that were met costs as much as possible, and how much: without end
    /// if none of them keeps the limits, at prices that are as high as they may be. None when there are no such prices
    /// for lack of precision.
    fn prices(&self, met: &[Met]) -> Option<(Vec<f64>, f64)> {
        let count = self.problem.limits.len();
        // Units in which nothing is very large or small.
        let scale = met.iter().map(|one| one.cost.abs()).fold(f64::MIN_POSITIVE, f64::max);
        let sizes: Vec<f64> = (0..count)
            .map(|limit| met.iter().map(|one| one.over[limit].abs()).fold(f64::MIN_POSITIVE, f64::max))
            .collect();
        let row = |one: &Met| Row {
            rates: one.over.iter().zip(&sizes).map(|(over, size)| over / size).collect(),
            most: one.cost / scale,
        };
        let rows: Vec<Row> = met.iter().map(row).collect();
        let (value, prices) = linear::highest(&rows, SearchLimits::TUNED.highest_price, self.solver)?;
        let is_finite = value < SearchLimits::TUNED.highest_price / 2.0;
        // Where none keeps the limits, prices are to outweigh all costs.
        let (value, unit) = if is_finite { (value * scale, scale) } else { (f64::INFINITY, self.most.max(scale)) };
        Some((prices.iter().zip(&sizes).map(|(price, size)| price * unit / size).collect(), value))
    }

    /// Whether a limit is exceeded even if all things take as little as they can.
    fn needs_too_much(&self, left: &Left) -> bool {
        let least = |thing: usize, uses: &[f64]| {
            let is_left = left.iter().find(|(known, _)| *known == thing).map(|(_, is_left)| is_left);
            let uses = uses.iter().enumerate().filter(|(option, _)| is_left.is_none_or(|is_left| is_left[*option]));
            uses.map(|(_, &used)| used).fold(f64::INFINITY, f64::min)
        };
        self.problem.limits.iter().any(|limit| {
            let all: f64 = limit.uses.iter().map(|(thing, uses)| least(*thing, uses)).sum();
            all > limit.most * (1.0 + 1e-12)
        })
    }

    /// A thing that choices disagree on, and the option of it in the one that is the best or comes closest to the
    /// limits.
    fn disagreed(&self, left: &Left, met: &[Met]) -> Option<(usize, usize)> {
        let over = |one: &Met| {
            one.over
                .iter()
                .zip(&self.problem.limits)
                .map(|(over, limit)| over.max(0.0) / limit.most.max(1.0))
                .sum::<f64>()
        };
        let closest = met.iter().min_by(|a, b| over(a).total_cmp(&over(b)).then(a.cost.total_cmp(&b.cost)))?;
        let is_decided = |thing: usize| {
            let known = left.iter().find(|(known, _)| *known == thing);
            known.is_some_and(|(_, is_left)| is_left.iter().filter(|&&is_left| is_left).count() <= 1)
        };
        let others = |thing: usize| met.iter().filter(|one| one.choice[thing] != closest.choice[thing]).count();
        let candidates =
            (0..self.problem.count()).filter(|&thing| self.problem.options[thing] > 1 && !is_decided(thing));
        let weight = |thing: usize| {
            let spread = self.uses[thing].iter().map(|(limit, uses)| {
                let (low, high) =
                    uses.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &u| (low.min(u), high.max(u)));
                (high - low) / self.problem.limits[*limit].most.max(1.0)
            });
            spread.sum::<f64>()
        };
        let key = |thing: usize| (others(thing) as f64) + weight(thing).min(0.5);
        let next = candidates.max_by(|&a, &b| key(a).total_cmp(&key(b)).then(b.cmp(&a)))?;
        Some((next, closest.choice[next]))
    }
}

/// A choice that was met: its cost, and by limit, how far it goes beyond.
struct Met {
    cost: f64,
    over: Vec<f64>,
    choice: Vec<usize>,
}
