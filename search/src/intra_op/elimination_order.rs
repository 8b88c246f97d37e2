//! Elimination order of variables, and the tables combined in each step. Both are independent of costs.
//!
//! The variable with the smallest combined table is eliminated first (min-size heuristic). Terms whose combined table
//! would be too large are minimised separately.

use super::problem::Problem;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Index of a table: the terms of the problem, then one table of additional unary costs for each variable, then the
/// results of eliminations.
pub(crate) type Slot = usize;

/// Elimination of one variable.
pub(crate) struct EliminationStep {
    pub(crate) variable: usize,
    /// Tables of the variable, with their scopes.
    pub(crate) terms: Vec<(Slot, Vec<usize>)>,
    /// Tables that are minimised together.
    pub(crate) groups: Vec<Bucket>,
}

/// Tables that are combined and minimised over one variable.
pub(crate) struct Bucket {
    /// Index of the memory layout. Buckets with the same layout share an index.
    pub(crate) pattern: usize,
    /// Tables of the bucket.
    pub(crate) slots: SmallVec<[Slot; 6]>,
    /// Slot of the resulting table. `None` if the result is a number.
    pub(crate) output: Option<Slot>,
}

/// Number of options of each variable, the eliminated variable last, and the stride of each table along each variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TablePattern {
    pub(crate) sizes: Vec<usize>,
    pub(crate) strides: Vec<Vec<usize>>,
}

/// Elimination order of all variables.
pub(crate) struct EliminationOrder {
    pub(crate) steps: Vec<EliminationStep>,
    pub(crate) patterns: IndexSet<TablePattern, FxBuildHasher>,
    /// Number of tables.
    pub(crate) slots: usize,
    /// True if no terms are minimised separately.
    pub(crate) is_exact: bool,
}

impl EliminationOrder {
    /// Computes the elimination order of a problem with at most `max_table_entries` entries per table.
    pub(crate) fn new(problem: &Problem, max_table_entries: usize) -> EliminationOrder {
        let mut scopes: Vec<Option<Vec<usize>>> = problem.terms.iter().map(|term| Some(term.scope.clone())).collect();
        scopes.extend((0..problem.variable_count()).map(|variable| Some(vec![variable])));
        let mut order = EliminationOrder { steps: Vec::new(), patterns: IndexSet::default(), slots: 0, is_exact: true };
        let mut buckets = BucketQueue::new(problem, scopes);
        while let Some(variable) = buckets.next() {
            let terms = buckets.take(variable);
            let groups = partition_terms(problem, max_table_entries, variable, &terms);
            order.is_exact &= groups.len() <= 1;
            let groups = groups.into_iter().map(|(scope, members)| {
                let members = members.into_iter().map(|at| &terms[at]);
                let (slots, strides) =
                    members.map(|(slot, of)| (*slot, strides(problem, of, &scope, variable))).unzip();
                let sizes = scope.iter().chain([&variable]).map(|&variable| problem.options[variable]).collect();
                let pattern = order.patterns.insert_full(TablePattern { sizes, strides }).0;
                let output = (!scope.is_empty()).then(|| buckets.put(scope));
                Bucket { pattern, slots, output }
            });
            let groups = groups.collect();
            order.steps.push(EliminationStep { variable, terms, groups });
        }
        order.slots = buckets.scopes.len();
        order
    }
}

/// Groups terms whose combined table has at most `max_table_entries` entries. Returns the scope and members of each
/// group.
fn partition_terms(
    problem: &Problem,
    max_table_entries: usize,
    variable: usize,
    terms: &[(Slot, Vec<usize>)],
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut sorted: Vec<usize> = (0..terms.len()).collect();
    sorted.sort_by_key(|&at| Reverse(terms[at].1.len()));
    let mut groups: Vec<(BTreeSet<usize>, Vec<usize>)> = Vec::new();
    for at in sorted {
        let others = || terms[at].1.iter().copied().filter(|&other| other != variable);
        let fits = |scope: &BTreeSet<usize>| {
            let joined: BTreeSet<usize> = scope.iter().copied().chain(others()).collect();
            joined.into_iter().fold(1usize, |n, variable| n.saturating_mul(problem.options[variable]))
                <= max_table_entries
        };
        match groups.iter_mut().find(|(scope, _)| fits(scope)) {
            Some((scope, group)) => {
                scope.extend(others());
                group.push(at);
            }
            None => groups.push((others().collect(), vec![at])),
        }
    }
    groups.into_iter().map(|(scope, group)| (scope.into_iter().collect(), group)).collect()
}

/// Returns the strides of a table along each variable of a scope, followed by the eliminated variable.
fn strides(problem: &Problem, of: &[usize], scope: &[usize], variable: usize) -> Vec<usize> {
    let mut strides = vec![0; scope.len() + 1];
    let mut stride = 1;
    for &member in of.iter().rev() {
        let place = if member == variable { scope.len() } else { scope.partition_point(|&other| other < member) };
        strides[place] = stride;
        stride *= problem.options[member];
    }
    strides
}

/// Tables of each variable, and a priority queue of variables.
struct BucketQueue<'p> {
    problem: &'p Problem,
    /// Scope of each slot. `None` after its elimination.
    scopes: Vec<Option<Vec<usize>>>,
    /// Tables of each variable. `None` after its elimination.
    of: Vec<Option<Vec<Slot>>>,
    /// Variables by the size of their combined table. Outdated entries are skipped.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    sizes: Vec<u64>,
    /// Variables whose tables have changed.
    changed: Vec<usize>,
}

impl<'p> BucketQueue<'p> {
    fn new(problem: &'p Problem, scopes: Vec<Option<Vec<usize>>>) -> BucketQueue<'p> {
        let mut of = vec![Vec::new(); problem.variable_count()];
        for (slot, scope) in scopes.iter().enumerate() {
            scope.iter().flatten().for_each(|&variable| of[variable].push(slot));
        }
        let of = of.into_iter().map(Some).collect();
        let changed = (0..problem.variable_count()).collect();
        BucketQueue { problem, scopes, of, queue: BinaryHeap::new(), sizes: vec![0; problem.variable_count()], changed }
    }

    /// Computes the size of the combined table of a variable and queues it.
    fn update_size(&mut self, variable: usize) {
        let Some(slots) = &self.of[variable] else { return };
        let mut scope: SmallVec<[usize; 32]> =
            slots.iter().flat_map(|&slot| self.scopes[slot].iter().flatten()).copied().collect();
        scope.sort_unstable();
        scope.dedup();
        self.sizes[variable] = scope.iter().fold(1u64, |n, &t| n.saturating_mul(self.problem.options[t] as u64));
        self.queue.push(Reverse((self.sizes[variable], variable)));
    }

    fn next(&mut self) -> Option<usize> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        changed.into_iter().for_each(|variable| self.update_size(variable));
        while let Some(Reverse((size, variable))) = self.queue.pop() {
            if self.of[variable].is_some() && self.sizes[variable] == size {
                return Some(variable);
            }
        }
        None
    }

    /// Removes a variable and its tables.
    fn take(&mut self, variable: usize) -> Vec<(Slot, Vec<usize>)> {
        let slots = self.of[variable].take().unwrap_or_default();
        let terms: Vec<(Slot, Vec<usize>)> =
            slots.into_iter().filter_map(|slot| Some((slot, self.scopes[slot].take()?))).collect();
        let neighbours: BTreeSet<usize> = terms.iter().flat_map(|(_, scope)| scope).copied().collect();
        for &other in &neighbours {
            if let Some(slots) = &mut self.of[other] {
                slots.retain(|&slot| self.scopes[slot].is_some());
            }
        }
        self.changed.extend(neighbours);
        terms
    }

    fn put(&mut self, scope: Vec<usize>) -> Slot {
        let slot = self.scopes.len();
        for &variable in &scope {
            self.of[variable].get_or_insert_default().push(slot);
        }
        self.changed.extend(&scope);
        self.scopes.push(Some(scope));
        slot
    }
}
