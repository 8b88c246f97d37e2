//! Cheapest assignment without limits by variable elimination (bucket elimination, Dechter 1999).
//!
//! Eliminating a variable replaces its cost tables by one table over its neighbours, which contains the minimum over
//! its options. A backward pass selects the option of each variable. Models are chains of layers with few neighbours
//! per variable, so that this is exact and fast. If a table would be too large, its terms are minimised separately. The
//! result is then a lower bound (mini-buckets, Dechter and Rish 2003) with a good, but not necessarily optimal,
//! assignment.
//!
//! Equal tables are stored once, and elimination results are cached by table, so that identical layers are computed
//! once.

use super::elimination_order::{Bucket, EliminationOrder, EliminationStep, TablePattern};
use super::problem::{Problem, TableId, Tables};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// An assignment and a lower bound on the cost of any assignment.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Minimum {
    pub(crate) choice: Vec<usize>,
    pub(crate) bound: f64,
    /// True if no table was too large, so that the cost of the assignment equals the bound.
    pub(crate) is_exact: bool,
}

/// Cache key of an elimination: the memory layout of the tables and their ids.
type Key = (usize, SmallVec<[Option<TableId>; 6]>);

/// Solver for one problem with varying unary costs.
pub(crate) struct BucketElimination<'p> {
    problem: &'p Problem,
    order: EliminationOrder,
    tables: Tables,
    cache: FxHashMap<Key, TableId>,
    /// Number of computed table entries, a machine-independent measure of work.
    pub(crate) work: u64,
}

impl<'p> BucketElimination<'p> {
    pub(crate) fn new(problem: &'p Problem, max_table_entries: usize) -> BucketElimination<'p> {
        let order = EliminationOrder::new(problem, max_table_entries);
        BucketElimination { problem, order, tables: problem.tables.clone(), cache: FxHashMap::default(), work: 0 }
    }

    /// Returns the cheapest assignment with additional unary costs for some variables.
    pub(crate) fn minimise(&mut self, extra_costs: &[(usize, Vec<f64>)]) -> Minimum {
        let mut unary: Vec<Option<Vec<f64>>> = vec![None; self.problem.variable_count()];
        for (variable, costs) in extra_costs {
            match &mut unary[*variable] {
                Some(sums) => sums.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost),
                none => *none = Some(costs.clone()),
            }
        }
        let mut slot_tables: Vec<Option<TableId>> = self.problem.terms.iter().map(|term| Some(term.table)).collect();
        slot_tables.extend(unary.into_iter().map(|costs| costs.map(|costs| self.tables.id(&costs))));
        slot_tables.resize(self.order.slots, None);
        self.work += slot_tables.len() as u64;
        let mut bound = 0.0;
        for step in 0..self.order.steps.len() {
            for group in 0..self.order.steps[step].groups.len() {
                let Bucket { pattern, slots, output } = &self.order.steps[step].groups[group];
                let (output, key) = (*output, (*pattern, slots.iter().map(|&slot| slot_tables[slot]).collect()));
                let table = self.eliminate(key);
                match output {
                    Some(slot) => slot_tables[slot] = Some(table),
                    None => bound += self.tables.get(table)[0],
                }
            }
        }
        let mut choice = vec![0; self.problem.variable_count()];
        for step in self.order.steps.iter().rev() {
            choice[step.variable] = self.best(step, &slot_tables, &mut choice);
        }
        Minimum { choice, bound, is_exact: self.order.is_exact }
    }

    /// Eliminates a variable and returns the table over its neighbours.
    fn eliminate(&mut self, key: Key) -> TableId {
        if let Some(&table) = self.cache.get(&key) {
            return table;
        }
        let costs = self.minimum_table(&key);
        let table = self.tables.id(&costs);
        self.cache.insert(key, table);
        table
    }

    fn minimum_table(&mut self, (pattern, slots): &Key) -> Vec<f64> {
        let TablePattern { sizes, strides } = &self.order.patterns[*pattern];
        let (&inner, outer) = sizes.split_last().unwrap_or((&1, &[]));
        let count = outer.iter().product();
        let parts: Vec<(&[f64], &[usize])> = (slots.iter().zip(strides))
            .filter_map(|(slots, strides)| Some((&self.tables.get((*slots)?)[..], &strides[..])))
            .collect();
        self.work += (count * inner * parts.len()) as u64;
        let mut places = vec![0usize; parts.len()];
        let mut at = vec![0usize; outer.len()];
        let mut sums = vec![0.0; inner];
        let mut costs = Vec::with_capacity(count);
        for _ in 0..count {
            sums.fill(0.0);
            for ((table, strides), &place) in parts.iter().zip(&places) {
                // Most of the solving time is spent in these loops. Contiguous entries allow vectorisation.
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
            // Advances to the next entry in row-major order.
            for dim in (0..outer.len()).rev() {
                at[dim] += 1;
                let is_in_range = at[dim] < outer[dim];
                for ((_, strides), place) in parts.iter().zip(&mut places) {
                    if is_in_range {
                        *place += strides[dim];
                    } else {
                        *place -= strides[dim] * (outer[dim] - 1);
                    }
                }
                if is_in_range {
                    break;
                }
                at[dim] = 0;
            }
        }
        costs
    }

    /// Returns the cheapest option of a variable, given the options of its neighbours.
    fn best(&self, step: &EliminationStep, slot_tables: &[Option<TableId>], choice: &mut [usize]) -> usize {
        let mut best = (f64::INFINITY, 0);
        for option in 0..self.problem.options[step.variable] {
            choice[step.variable] = option;
            let terms = step.terms.iter().filter_map(|(slot, scope)| Some((slot_tables[*slot]?, scope)));
            let cost =
                terms.map(|(table, scope)| self.tables.get(table)[self.problem.table_index(scope, choice)]).sum();
            if cost < best.0 {
                best = (cost, option);
            }
        }
        best.1
    }
}
