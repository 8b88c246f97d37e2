//! The cheapest choice without limits, by eliminating one thing after the other (bucket elimination, Dechter 1999).
//!
//! A thing goes when the best of its options is known for all options of those that it has costs with: what that costs
//! becomes a table over them. Going backwards, each gets the option that was best. A model is a chain of layers, in
//! which few things know each other, so that this is exact and fast; where a table would become too large, its terms
//! are minimised apart from each other, and what comes out is a lower bound (mini-buckets, Dechter and Rish 2003), and
//! a choice that is good.
//!
//! Equal tables are one, and what comes of eliminating a thing is remembered by tables: the layers of a model cost what
//! one costs.

use super::order::{Group, Order, Pattern, Step};
use super::problem::{Problem, TableId, Tables};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A choice, and what no choice costs less than.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Found {
    pub(crate) choice: Vec<usize>,
    pub(crate) bound: f64,
    /// Whether no table was too large: the choice costs what the bound says.
    pub(crate) is_exact: bool,
}

/// What is minimised together: how the tables lie in memory, and which they are.
type Key = (usize, SmallVec<[Option<TableId>; 6]>);

/// Eliminates things of a problem, again and again with other costs of single options.
pub(crate) struct BucketElimination<'p> {
    problem: &'p Problem,
    order: Order,
    tables: Tables,
    known: FxHashMap<Key, TableId>,
    /// Entries that were computed: what was done so far, whatever the machine.
    pub(crate) work: u64,
}

impl<'p> BucketElimination<'p> {
    pub(crate) fn new(problem: &'p Problem, widest: usize) -> BucketElimination<'p> {
        let order = Order::of(problem, widest);
        BucketElimination { problem, order, tables: problem.tables.clone(), known: FxHashMap::default(), work: 0 }
    }

    /// The cheapest choice where options of some things cost so much more.
    pub(crate) fn minimise(&mut self, more: &[(usize, Vec<f64>)]) -> Found {
        let mut alone: Vec<Option<Vec<f64>>> = vec![None; self.problem.count()];
        for (thing, costs) in more {
            match &mut alone[*thing] {
                Some(sums) => sums.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost),
                none => *none = Some(costs.clone()),
            }
        }
        let mut held: Vec<Option<TableId>> = self.problem.terms.iter().map(|term| Some(term.table)).collect();
        held.extend(alone.into_iter().map(|costs| costs.map(|costs| self.tables.id(&costs))));
        held.resize(self.order.slots, None);
        self.work += held.len() as u64;
        let mut bound = 0.0;
        for step in 0..self.order.steps.len() {
            for group in 0..self.order.steps[step].groups.len() {
                let Group { pattern, slots, gives } = &self.order.steps[step].groups[group];
                let (gives, key) = (*gives, (*pattern, slots.iter().map(|&slot| held[slot]).collect()));
                let table = self.without(key);
                match gives {
                    Some(slot) => held[slot] = Some(table),
                    None => bound += self.tables.get(table)[0],
                }
            }
        }
        let mut choice = vec![0; self.problem.count()];
        for step in self.order.steps.iter().rev() {
            choice[step.thing] = self.best(step, &held, &mut choice);
        }
        Found { choice, bound, is_exact: self.order.is_exact }
    }

    /// What the others cost at least, by their options.
    fn without(&mut self, key: Key) -> TableId {
        if let Some(&table) = self.known.get(&key) {
            return table;
        }
        let costs = self.minimal(&key);
        let table = self.tables.id(&costs);
        self.known.insert(key, table);
        table
    }

    fn minimal(&mut self, (pattern, held): &Key) -> Vec<f64> {
        let Pattern { sizes, strides } = &self.order.patterns[*pattern];
        let (&inner, outer) = sizes.split_last().unwrap_or((&1, &[]));
        let count = outer.iter().product();
        let parts: Vec<(&[f64], &[usize])> = (held.iter().zip(strides))
            .filter_map(|(held, strides)| Some((&self.tables.get((*held)?)[..], &strides[..])))
            .collect();
        self.work += (count * inner * parts.len()) as u64;
        let mut places = vec![0usize; parts.len()];
        let mut at = vec![0usize; outer.len()];
        let mut sums = vec![0.0; inner];
        let mut costs = Vec::with_capacity(count);
        for _ in 0..count {
            sums.fill(0.0);
            for ((table, strides), &place) in parts.iter().zip(&places) {
                // Almost all of a search's solving is spent here: what lies side by side is added several at a time.
                match strides[outer.len()] {
                    0 => sums.iter_mut().for_each(|sum| *sum += table[place]),
                    1 => sums.iter_mut().zip(&table[place..]).for_each(|(sum, cost)| *sum += cost),
                    stride => {
                        let costs = table[place..].iter().step_by(stride);
                        sums.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost);
                    }
                }
            }
            costs.push(sums.iter().copied().fold(f64::INFINITY, f64::min));
            // The next one, the last thing first.
            for dim in (0..outer.len()).rev() {
                at[dim] += 1;
                let goes_on = at[dim] < outer[dim];
                for ((_, strides), place) in parts.iter().zip(&mut places) {
                    if goes_on {
                        *place += strides[dim];
                    } else {
                        *place -= strides[dim] * (outer[dim] - 1);
                    }
                }
                if goes_on {
                    break;
                }
                at[dim] = 0;
            }
        }
        costs
    }

    /// The option of a thing that costs least where all others of its terms have theirs.
    fn best(&self, step: &Step, held: &[Option<TableId>], choice: &mut [usize]) -> usize {
        let mut best = (f64::INFINITY, 0);
        for option in 0..self.problem.options[step.thing] {
            choice[step.thing] = option;
            let terms = step.terms.iter().filter_map(|(slot, scope)| Some((held[*slot]?, scope)));
            let cost = terms.map(|(table, scope)| self.tables.get(table)[self.problem.place(scope, choice)]).sum();
            if cost < best.0 {
                best = (cost, option);
            }
        }
        best.1
    }
}
