//! The cheapest choice without limits, by eliminating one thing after the other (bucket elimination, Dechter 1999).
//!
//! A thing goes when the best of its options is known for all options of those that it has costs with: what that costs becomes a table
//! over them. Going backwards, each gets the option that was best. The thing whose table is the smallest goes first. A model is a
//! chain of layers, in which few things know each other, so that this is exact and fast; where a table would become too large, its terms
//! are minimised apart from each other, and what comes out is a lower bound (mini-buckets, Dechter and Rish 2003), and a choice
//! that is good.
//!
//! Equal tables are one, and what comes of eliminating a thing is remembered by tables: the layers of a model cost what one costs.

use super::problem::{Problem, TableId, Tables, Term};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// A choice, and what no choice costs less than.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Found {
    pub(super) choice: Vec<usize>,
    pub(super) bound: f64,
    /// Whether no table was too large: the choice costs what the bound says.
    pub(super) is_exact: bool,
}

/// What is minimised together: by table, how far it goes on by each of the things, of which the last one goes.
type Key = (Vec<usize>, Vec<(TableId, Vec<usize>)>);

/// Eliminates things of a problem, again and again with other costs of single options.
pub(super) struct Eliminator<'p> {
    problem: &'p Problem,
    tables: Tables,
    known: FxHashMap<Key, TableId>,
    /// Most entries of a table.
    widest: usize,
    /// Entries that were computed: what was done so far, whatever the machine.
    pub(super) work: u64,
}

impl<'p> Eliminator<'p> {
    pub(super) fn new(problem: &'p Problem, widest: usize) -> Eliminator<'p> {
        Eliminator { problem, tables: problem.tables.clone(), known: FxHashMap::default(), widest, work: 0 }
    }

    /// The cheapest choice where options of some things cost so much more.
    pub(super) fn minimise(&mut self, more: &[(usize, Vec<f64>)]) -> Found {
        let mut terms: Vec<Option<Term>> = self.problem.terms.iter().cloned().map(Some).collect();
        for (thing, costs) in more {
            terms.push(Some(Term { scope: vec![*thing], table: self.tables.id(costs) }));
        }
        self.work += terms.len() as u64;
        let mut buckets = Buckets::of(self.problem, terms);
        let mut gone: Vec<(usize, Vec<Term>)> = Vec::with_capacity(self.problem.count());
        let (mut bound, mut is_exact) = (0.0, true);
        while let Some(thing) = buckets.next() {
            let terms = buckets.take(thing);
            let groups = self.groups(thing, &terms);
            is_exact &= groups.len() <= 1;
            for group in groups {
                let term = self.without(thing, &group);
                if term.scope.is_empty() {
                    bound += self.tables.get(term.table)[0];
                } else {
                    buckets.put(term);
                }
            }
            gone.push((thing, terms));
        }
        let mut choice = vec![0; self.problem.count()];
        for (thing, terms) in gone.into_iter().rev() {
            choice[thing] = self.best(thing, &terms, &mut choice);
        }
        Found { choice, bound, is_exact }
    }

    /// Terms that are minimised together: all of them if the table is small enough.
    fn groups(&self, thing: usize, terms: &[Term]) -> Vec<Vec<Term>> {
        let mut sorted: Vec<&Term> = terms.iter().collect();
        sorted.sort_by_key(|term| Reverse(term.scope.len()));
        let mut groups: Vec<(BTreeSet<usize>, Vec<Term>)> = Vec::new();
        for term in sorted {
            let others = || term.scope.iter().copied().filter(|&other| other != thing);
            let fits = |scope: &BTreeSet<usize>| {
                let joined: BTreeSet<usize> = scope.iter().copied().chain(others()).collect();
                self.entries(joined.into_iter()) <= self.widest
            };
            match groups.iter_mut().find(|(scope, _)| fits(scope)) {
                Some((scope, group)) => {
                    scope.extend(others());
                    group.push(term.clone());
                }
                None => groups.push((others().collect(), vec![term.clone()])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    fn entries(&self, things: impl Iterator<Item = usize>) -> usize {
        things.fold(1, |n, thing| n.saturating_mul(self.problem.options[thing]))
    }

    /// What the others cost at least, by their options.
    fn without(&mut self, thing: usize, terms: &[Term]) -> Term {
        let mut scope: Vec<usize> = terms.iter().flat_map(|t| &t.scope).copied().filter(|&t| t != thing).collect();
        scope.sort_unstable();
        scope.dedup();
        let options = |thing: &usize| self.problem.options[*thing];
        let sizes: Vec<usize> = scope.iter().chain([&thing]).map(options).collect();
        let strides = |term: &Term| -> Vec<usize> {
            let mut strides = vec![0; sizes.len()];
            let mut stride = 1;
            for &member in term.scope.iter().rev() {
                let place = scope.iter().position(|&s| s == member).unwrap_or(scope.len());
                strides[place] = stride;
                stride *= options(&member);
            }
            strides
        };
        let mut parts: Vec<(TableId, Vec<usize>)> = terms.iter().map(|term| (term.table, strides(term))).collect();
        parts.sort_unstable();
        let key = (sizes, parts);
        if let Some(&table) = self.known.get(&key) {
            return Term { scope, table };
        }
        let costs = self.minimal(&key);
        let table = self.tables.id(&costs);
        self.known.insert(key, table);
        Term { scope, table }
    }

    fn minimal(&mut self, (sizes, parts): &Key) -> Vec<f64> {
        let (&inner, outer) = sizes.split_last().unwrap_or((&1, &[]));
        let count = outer.iter().product();
        self.work += (count * inner * parts.len()) as u64;
        let parts: Vec<(&[f64], &[usize])> =
            parts.iter().map(|(id, strides)| (&self.tables.get(*id)[..], &strides[..])).collect();
        let mut places = vec![0usize; parts.len()];
        let mut at = vec![0usize; outer.len()];
        let mut sums = vec![0.0; inner];
        let mut costs = Vec::with_capacity(count);
        for _ in 0..count {
            sums.fill(0.0);
            for ((table, strides), &place) in parts.iter().zip(&places) {
                let stride = strides[outer.len()];
                for (option, sum) in sums.iter_mut().enumerate() {
                    *sum += table[place + option * stride];
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
    fn best(&self, thing: usize, terms: &[Term], choice: &mut [usize]) -> usize {
        let mut best = (f64::INFINITY, 0);
        for option in 0..self.problem.options[thing] {
            choice[thing] = option;
            let cost = terms.iter().map(|term| self.at(term, choice)).sum();
            if cost < best.0 {
                best = (cost, option);
            }
        }
        best.1
    }

    fn at(&self, term: &Term, choice: &[usize]) -> f64 {
        let place = term.scope.iter().fold(0, |place, &thing| place * self.problem.options[thing] + choice[thing]);
        self.tables.get(term.table)[place]
    }
}

/// Terms by the things that they are about, and the things in the order in which they go.
struct Buckets<'p> {
    problem: &'p Problem,
    terms: Vec<Option<Term>>,
    /// By thing, its terms; none when it is gone.
    of: Vec<Option<Vec<usize>>>,
    /// By size of the table that would be left; entries that are out of date are skipped.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    sizes: Vec<u64>,
}

impl<'p> Buckets<'p> {
    fn of(problem: &'p Problem, terms: Vec<Option<Term>>) -> Buckets<'p> {
        let mut of = vec![Vec::new(); problem.count()];
        for (number, term) in terms.iter().enumerate() {
            term.iter().flat_map(|term| &term.scope).for_each(|&thing| of[thing].push(number));
        }
        let of = of.into_iter().map(Some).collect();
        let mut buckets = Buckets { problem, terms, of, queue: BinaryHeap::new(), sizes: vec![0; problem.count()] };
        (0..problem.count()).for_each(|thing| buckets.look_at(thing));
        buckets
    }

    /// Notes how large the table is that eliminating a thing would leave.
    fn look_at(&mut self, thing: usize) {
        let Some(numbers) = &self.of[thing] else { return };
        let terms = numbers.iter().filter_map(|&number| self.terms[number].as_ref());
        let scope: BTreeSet<usize> = terms.flat_map(|term| &term.scope).copied().collect();
        self.sizes[thing] = scope.iter().fold(1u64, |n, &t| n.saturating_mul(self.problem.options[t] as u64));
        self.queue.push(Reverse((self.sizes[thing], thing)));
    }

    fn next(&mut self) -> Option<usize> {
        while let Some(Reverse((size, thing))) = self.queue.pop() {
            if self.of[thing].is_some() && self.sizes[thing] == size {
                return Some(thing);
            }
        }
        None
    }

    /// Takes a thing out, with its terms.
    fn take(&mut self, thing: usize) -> Vec<Term> {
        let numbers = self.of[thing].take().unwrap_or_default();
        let terms: Vec<Term> = numbers.into_iter().filter_map(|number| self.terms[number].take()).collect();
        let near: BTreeSet<usize> = terms.iter().flat_map(|term| &term.scope).copied().collect();
        for &other in &near {
            if let Some(numbers) = &mut self.of[other] {
                numbers.retain(|&number| self.terms[number].is_some());
            }
        }
        near.into_iter().for_each(|other| self.look_at(other));
        terms
    }

    fn put(&mut self, term: Term) {
        let number = self.terms.len();
        let scope = term.scope.clone();
        self.terms.push(Some(term));
        for &thing in &scope {
            self.of[thing].get_or_insert_default().push(number);
        }
        scope.into_iter().for_each(|thing| self.look_at(thing));
    }
}
