//! Lower bound of the simulated time of a step over all layouts of a mesh.
//!
//! Each selection of serial work bounds the time of the step, and so does each weighted mean of several selections.
//! Branch and bound minimises a mean over all layouts. The critical path of the layouts found is the next selection,
//! and a linear program determines the weights with the largest bound (cutting planes; Kelley 1960). If the best
//! layouts for a mean differ in a group, each strategy of the group has its own bound, and the smallest one holds.

use super::branch_and_bound::branch_and_bound;
use super::layers::Layers;
use super::layout_space::LayoutSpace;
use super::linear::best_weights;
use super::problem::Problem;
use super::serial_work::{SerialWork, StepWork};
use crate::limits::{BoundLimits, Effort};
use rustc_hash::FxHashMap;

/// Lower bounds of the seconds of all micro-batches of a step.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct PassSeconds {
    /// The forward passes and the gradients of activations, which depend on each other.
    pub(crate) spine: f64,
    /// All kernels, and the collectives that they wait for.
    pub(crate) busy: f64,
}

impl LayoutSpace<'_> {
    /// Returns a lower bound of the seconds of a step over all layouts. A bound of `enough` seconds is not improved.
    pub(crate) fn least_step_seconds(&self, work: &StepWork, layers: &Layers, effort: &Effort, enough: f64) -> f64 {
        let mut minimisation = Minimisation::new(self, work, effort, enough);
        let everything = minimisation.layouts.every_kernel(work);
        minimisation.selections.push(everything);
        let all = Strategies::default();
        // The order of kernels and collectives is known for steps without loops only.
        if minimisation.layouts.graph.program.funcs_with_layouts().len() > 1 {
            return minimisation.minimise(&all, &[1.0]).unwrap_or(0.0);
        }
        minimisation.selections.push(minimisation.layouts.spine(work, layers));
        minimisation.minimise(&all, &[0.0, 1.0]);
        minimisation.add_likely_layouts();
        minimisation.run(all)
    }

    /// Returns lower bounds of the seconds of all micro-batches over all layouts.
    pub(crate) fn least_pass_seconds(&self, work: &StepWork, layers: &Layers, effort: &Effort) -> PassSeconds {
        let [spine, busy] = [self.spine(work, layers), self.blocking(work)];
        let mut minimisation = Minimisation::new(self, work, effort, f64::INFINITY);
        let [spine, busy] = [spine, busy].map(|selection| {
            minimisation.selections = vec![selection];
            let problem = minimisation.weighted_problem(&Strategies::default(), &[1.0]);
            branch_and_bound(&problem, effort).map_or(0.0, |solution| solution.bound)
        });
        PassSeconds { spine, busy }
    }
}

/// Strategies of each group that are considered: all of them, except for the groups that are keys.
#[derive(Clone, Default, Debug)]
struct Strategies(FxHashMap<usize, Vec<bool>>);

impl Strategies {
    /// Returns true if a strategy of a group is considered.
    fn contain(&self, group: usize, strategy: usize) -> bool {
        self.0.get(&group).is_none_or(|allowed| allowed[strategy])
    }

    /// Returns true if the strategies of all groups are considered.
    fn contain_all(&self, choice: &[usize]) -> bool {
        choice.iter().enumerate().all(|(group, &strategy)| self.contain(group, strategy))
    }
}

/// Layouts with the seconds of all selections.
struct FoundLayouts {
    choice: Vec<usize>,
    seconds: Vec<f64>,
}

impl FoundLayouts {
    /// Returns the seconds of the selections, weighted.
    fn mean(&self, weights: &[f64]) -> f64 {
        self.seconds.iter().zip(weights).map(|(seconds, weight)| seconds * weight).sum()
    }
}

/// A part of the layouts with its bound.
struct Part {
    strategies: Strategies,
    bound: f64,
    /// Weights of the selections for which the bound is the smallest mean.
    weights: Vec<f64>,
}

/// Minimisation of the time of a step over all layouts.
struct Minimisation<'m, 'a> {
    layouts: &'m LayoutSpace<'a>,
    work: &'m StepWork,
    effort: &'m Effort,
    enough: f64,
    selections: Vec<SerialWork>,
    found: Vec<FoundLayouts>,
    /// Number of means that may still be minimised.
    left: usize,
    /// Work that may still be done for it, in computed table entries.
    left_work: u64,
}

impl<'m, 'a> Minimisation<'m, 'a> {
    fn new(layouts: &'m LayoutSpace<'a>, work: &'m StepWork, effort: &'m Effort, enough: f64) -> Minimisation<'m, 'a> {
        let (left, left_work) = (BoundLimits::TUNED.max_entries / work.entries().max(1), BoundLimits::TUNED.max_work);
        Minimisation { layouts, work, effort, enough, selections: Vec::new(), found: Vec::new(), left, left_work }
    }

    /// Returns a lower bound of the step time over all layouts.
    fn run(&mut self, all: Strategies) -> f64 {
        let limits = BoundLimits::TUNED;
        let weights = vec![0.0; self.selections.len()];
        let mut parts = vec![self.improved(Part { strategies: all, bound: 0.0, weights }, limits.rounds)];
        while self.left > 0 {
            parts.sort_by(|a, b| b.bound.total_cmp(&a.bound));
            let Some(least) = parts.last().map(|part| part.bound) else { break };
            if least >= self.enough || self.shortest() <= least * (1.0 + limits.gap) {
                break;
            }
            let Some((group, is_first)) = parts.last().and_then(|part| self.differing_group(part)) else { break };
            let Some(Part { strategies, bound, weights }) = parts.pop() else { break };
            for is_inside in [true, false] {
                let mut strategies = strategies.clone();
                let allowed = strategies.0.entry(group).or_insert_with(|| vec![true; is_first.len()]);
                allowed.iter_mut().zip(&is_first).for_each(|(allowed, &is_first)| *allowed &= is_first == is_inside);
                let part = Part { strategies, bound, weights: weights.clone() };
                parts.push(self.improved(part, limits.part_rounds));
            }
        }
        parts.iter().map(|part| part.bound).fold(f64::INFINITY, f64::min)
    }

    /// Returns the shortest critical path found.
    fn shortest(&self) -> f64 {
        let longest = |found: &FoundLayouts| found.seconds.iter().copied().fold(0.0, f64::max);
        self.found.iter().map(longest).fold(f64::INFINITY, f64::min)
    }

    /// Improves the bound of a part of the layouts.
    fn improved(&mut self, mut part: Part, rounds: usize) -> Part {
        for _ in 0..rounds {
            if self.left == 0 {
                break;
            }
            let inside = self.found.iter().filter(|found| part.strategies.contain_all(&found.choice));
            let rows: Vec<&[f64]> = inside.map(|found| &found.seconds[..]).collect();
            part.weights.resize(self.selections.len(), 0.0);
            let weights = match best_weights(&rows) {
                Some((most, _)) if most <= part.bound * (1.0 + BoundLimits::TUNED.gap) => break,
                // Weights between the best and the next ones converge faster (Ben-Ameur and Neto 2007).
                Some((_, next)) if part.bound > 0.0 => {
                    part.weights.iter().zip(&next).map(|(best, next)| f64::midpoint(*best, *next)).collect()
                }
                Some((_, next)) => next,
                None => vec![1.0 / self.selections.len() as f64; self.selections.len()],
            };
            let Some(bound) = self.minimise(&part.strategies, &weights) else { break };
            if bound > part.bound {
                (part.bound, part.weights) = (bound, weights);
            }
            if part.bound >= self.enough {
                break;
            }
        }
        part
    }

    /// Minimises a weighted mean of the selections, and adds the critical path of the layouts found to them. Returns
    /// the bound of the mean.
    fn minimise(&mut self, strategies: &Strategies, weights: &[f64]) -> Option<f64> {
        let solution = branch_and_bound(&self.weighted_problem(strategies, weights), self.effort);
        let work = solution.as_ref().map_or(0, |solution| solution.work);
        self.left_work = self.left_work.saturating_sub(work);
        self.left = if self.left_work == 0 { 0 } else { self.left.saturating_sub(1) };
        let solution = solution?;
        self.add(solution.choice);
        Some(solution.bound)
    }

    /// Adds layouts, and their critical path to the selections.
    fn add(&mut self, choice: Vec<usize>) {
        let Minimisation { layouts, work, selections, found, .. } = self;
        let path = layouts.critical_path(work, &choice);
        found.iter_mut().for_each(|one| one.seconds.push(layouts.selection_seconds(work, &path, &one.choice)));
        selections.push(path);
        let seconds = selections.iter().map(|selection| layouts.selection_seconds(work, selection, &choice)).collect();
        found.push(FoundLayouts { seconds, choice });
    }

    /// Adds replicated layouts, and those with the least sum of all kernels and collectives.
    fn add_likely_layouts(&mut self) {
        let replicated = vec![0; self.layouts.strategy_table.seconds.len()];
        let is_allowed = |(all, &strategy): (&Vec<f64>, &usize)| all[strategy].is_finite();
        if self.layouts.strategy_table.seconds.iter().zip(&replicated).all(is_allowed) {
            self.add(replicated);
        }
        let everything = self.layouts.everything(self.work);
        let all = self.selections.len();
        self.selections.push(everything);
        let mut weights = vec![0.0; all];
        weights.push(1.0);
        let solution = branch_and_bound(&self.weighted_problem(&Strategies::default(), &weights), self.effort);
        self.selections.pop();
        if let Some(solution) = solution {
            self.add(solution.choice);
        }
    }

    /// Returns the group in which the best layouts of a part for its weights differ most, and for each strategy of the
    /// group whether the best layouts have it.
    fn differing_group(&self, part: &Part) -> Option<(usize, Vec<bool>)> {
        let inside = self.found.iter().filter(|found| part.strategies.contain_all(&found.choice));
        let mut best: Vec<&FoundLayouts> = inside.collect();
        best.sort_by(|a, b| a.mean(&part.weights).total_cmp(&b.mean(&part.weights)));
        best.truncate(BoundLimits::TUNED.compared_layouts);
        let first = best.first()?;
        // Seconds of the kernels of each group in the best layouts.
        let mut seconds = vec![0.0; first.choice.len()];
        for (node, all) in self.layouts.graph.groups.nodes.iter().zip(&self.work.kernels) {
            seconds[node.group] += all.iter().copied().fold(0.0, f64::max);
        }
        let others = |group: usize| best.iter().filter(move |one| one.choice[group] != first.choice[group]).count();
        let differs = |&group: &usize| others(group) > 0;
        let weight = |group: usize| others(group).min(best.len() - others(group)) as f64 * seconds[group];
        let group = (0..first.choice.len()).filter(differs).max_by(|&a, &b| weight(a).total_cmp(&weight(b)))?;
        let count = self.layouts.strategy_table.seconds[group].len();
        Some((group, (0..count).map(|strategy| strategy == first.choice[group]).collect()))
    }

    /// Returns the problem of minimising a weighted mean of the selections.
    fn weighted_problem(&self, strategies: &Strategies, weights: &[f64]) -> Problem {
        let Minimisation { layouts, work, selections, .. } = self;
        let weight = |includes: &dyn Fn(&SerialWork) -> bool| -> f64 {
            selections.iter().zip(weights).filter(|(selection, _)| includes(selection)).map(|(_, weight)| weight).sum()
        };
        // Strategies that the constraints rule out have infinite cost.
        let allowed = |(group, all): (usize, &Vec<f64>)| -> Vec<f64> {
            let is_allowed =
                |(strategy, seconds): (usize, &f64)| seconds.is_finite() && strategies.contain(group, strategy);
            all.iter().enumerate().map(|one| if is_allowed(one) { 0.0 } else { f64::INFINITY }).collect()
        };
        let mut unary: Vec<Vec<f64>> = layouts.strategy_table.seconds.iter().enumerate().map(allowed).collect();
        for (number, (node, seconds)) in layouts.graph.groups.nodes.iter().zip(&work.kernels).enumerate() {
            let weight = weight(&|selection| selection.nodes.contains(number));
            unary[node.group].iter_mut().zip(seconds).for_each(|(sum, seconds)| *sum += weight * seconds);
        }
        let weighted = work.edges.iter().enumerate().map(|(number, edge)| {
            let weight = weight(&|selection| selection.edges.contains(number));
            (edge, weight * edge.times)
        });
        let mut problem = Problem::default();
        problem.add_edges(&mut unary, weighted);
        problem
    }
}
