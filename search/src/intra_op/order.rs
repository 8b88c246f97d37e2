//! In which order things are eliminated, and what each of them is eliminated from: known before any cost is.
//!
//! The thing whose table is the smallest goes first. Terms whose table together would be too large are minimised apart
//! from each other.

use super::problem::Problem;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// A table by number: those of the problem's terms, then one for each thing with costs of its options alone, then what
/// is left of things.
pub(crate) type Slot = usize;

/// A thing goes.
pub(crate) struct Step {
    pub(crate) thing: usize,
    /// Its terms, and of what they are about.
    pub(crate) terms: Vec<(Slot, Vec<usize>)>,
    /// What is minimised together.
    pub(crate) groups: Vec<Group>,
}

/// Terms whose least costs over all options of a thing become one.
pub(crate) struct Group {
    /// How they lie in memory, by number: equal groups have one number.
    pub(crate) pattern: usize,
    /// Their tables.
    pub(crate) slots: SmallVec<[Slot; 6]>,
    /// Where the table goes that is left; none if it is a number.
    pub(crate) gives: Option<Slot>,
}

/// How many options each thing has, the last of which goes, and how far each table goes on by each of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pattern {
    pub(crate) sizes: Vec<usize>,
    pub(crate) strides: Vec<Vec<usize>>,
}

/// All steps.
pub(crate) struct Order {
    pub(crate) steps: Vec<Step>,
    pub(crate) patterns: IndexSet<Pattern, FxBuildHasher>,
    /// How many tables there are.
    pub(crate) slots: usize,
    /// Whether nothing is minimised apart.
    pub(crate) is_exact: bool,
}

impl Order {
    /// The steps for a problem, with at most so many entries in a table.
    pub(crate) fn of(problem: &Problem, widest: usize) -> Order {
        let mut scopes: Vec<Option<Vec<usize>>> = problem.terms.iter().map(|term| Some(term.scope.clone())).collect();
        scopes.extend((0..problem.count()).map(|thing| Some(vec![thing])));
        let mut order = Order { steps: Vec::new(), patterns: IndexSet::default(), slots: 0, is_exact: true };
        let mut buckets = Buckets::of(problem, scopes);
        while let Some(thing) = buckets.next() {
            let terms = buckets.take(thing);
            let groups = groups(problem, widest, thing, &terms);
            order.is_exact &= groups.len() <= 1;
            let groups = groups.into_iter().map(|(scope, members)| {
                let members = members.into_iter().map(|at| &terms[at]);
                let (slots, strides) = members.map(|(slot, of)| (*slot, strides(problem, of, &scope, thing))).unzip();
                let sizes = scope.iter().chain([&thing]).map(|&thing| problem.options[thing]).collect();
                let pattern = order.patterns.insert_full(Pattern { sizes, strides }).0;
                let gives = (!scope.is_empty()).then(|| buckets.put(scope));
                Group { pattern, slots, gives }
            });
            let groups = groups.collect();
            order.steps.push(Step { thing, terms, groups });
        }
        order.slots = buckets.scopes.len();
        order
    }
}

/// Terms that are minimised together, with what else they are about: all of them if the table is small enough.
fn groups(
    problem: &Problem,
    widest: usize,
    thing: usize,
    terms: &[(Slot, Vec<usize>)],
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut sorted: Vec<usize> = (0..terms.len()).collect();
    sorted.sort_by_key(|&at| Reverse(terms[at].1.len()));
    let mut groups: Vec<(BTreeSet<usize>, Vec<usize>)> = Vec::new();
    for at in sorted {
        let others = || terms[at].1.iter().copied().filter(|&other| other != thing);
        let fits = |scope: &BTreeSet<usize>| {
            let joined: BTreeSet<usize> = scope.iter().copied().chain(others()).collect();
            joined.into_iter().fold(1usize, |n, thing| n.saturating_mul(problem.options[thing])) <= widest
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

/// How far the table of a term goes on by each thing of a scope, and by the one that goes.
fn strides(problem: &Problem, of: &[usize], scope: &[usize], thing: usize) -> Vec<usize> {
    let mut strides = vec![0; scope.len() + 1];
    let mut stride = 1;
    for &member in of.iter().rev() {
        let place = if member == thing { scope.len() } else { scope.partition_point(|&other| other < member) };
        strides[place] = stride;
        stride *= problem.options[member];
    }
    strides
}

/// Tables by the things that they are about, and the things in the order in which they go.
struct Buckets<'p> {
    problem: &'p Problem,
    /// By slot, what its table is about; none when it is gone.
    scopes: Vec<Option<Vec<usize>>>,
    /// By thing, its tables; none when it is gone.
    of: Vec<Option<Vec<Slot>>>,
    /// By size of the table that would be left; entries that are out of date are skipped.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    sizes: Vec<u64>,
    /// Things whose tables have changed.
    touched: Vec<usize>,
}

impl<'p> Buckets<'p> {
    fn of(problem: &'p Problem, scopes: Vec<Option<Vec<usize>>>) -> Buckets<'p> {
        let mut of = vec![Vec::new(); problem.count()];
        for (slot, scope) in scopes.iter().enumerate() {
            scope.iter().flatten().for_each(|&thing| of[thing].push(slot));
        }
        let of = of.into_iter().map(Some).collect();
        let touched = (0..problem.count()).collect();
        Buckets { problem, scopes, of, queue: BinaryHeap::new(), sizes: vec![0; problem.count()], touched }
    }

    /// Notes how large the table is that is gone through to eliminate a thing.
    fn look_at(&mut self, thing: usize) {
        let Some(slots) = &self.of[thing] else { return };
        let mut scope: SmallVec<[usize; 32]> =
            slots.iter().flat_map(|&slot| self.scopes[slot].iter().flatten()).copied().collect();
        scope.sort_unstable();
        scope.dedup();
        self.sizes[thing] = scope.iter().fold(1u64, |n, &t| n.saturating_mul(self.problem.options[t] as u64));
        self.queue.push(Reverse((self.sizes[thing], thing)));
    }

    fn next(&mut self) -> Option<usize> {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().for_each(|thing| self.look_at(thing));
        while let Some(Reverse((size, thing))) = self.queue.pop() {
            if self.of[thing].is_some() && self.sizes[thing] == size {
                return Some(thing);
            }
        }
        None
    }

    /// Takes a thing out, with its tables.
    fn take(&mut self, thing: usize) -> Vec<(Slot, Vec<usize>)> {
        let slots = self.of[thing].take().unwrap_or_default();
        let terms: Vec<(Slot, Vec<usize>)> =
            slots.into_iter().filter_map(|slot| Some((slot, self.scopes[slot].take()?))).collect();
        let near: BTreeSet<usize> = terms.iter().flat_map(|(_, scope)| scope).copied().collect();
        for &other in &near {
            if let Some(slots) = &mut self.of[other] {
                slots.retain(|&slot| self.scopes[slot].is_some());
            }
        }
        self.touched.extend(near);
        terms
    }

    fn put(&mut self, scope: Vec<usize>) -> Slot {
        let slot = self.scopes.len();
        for &thing in &scope {
            self.of[thing].get_or_insert_default().push(slot);
        }
        self.touched.extend(&scope);
        self.scopes.push(Some(scope));
        slot
    }
}
