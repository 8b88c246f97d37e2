//! A choice to be made for each of many things: what each option costs, what options of two things cost together, and
//! amounts that all choices together may not exceed.
//!
//! Alpa's program within an operator (Zheng et al. 2022, section 4.2) is one: things are ops, options their strategies,
//! costs of pairs what it takes to reshard. It is minimised by
//! [`branch_and_bound`](super::branch_and_bound::branch_and_bound).

use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A table of costs, by what it says: equal tables have one id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableId(u32);

/// Tables, each of them once. Equal layers of a model have equal tables, and what was found out of some holds for all.
#[derive(Clone, Default, Debug)]
pub struct Tables {
    all: Vec<Rc<[f64]>>,
    known: FxHashMap<Rc<[u64]>, TableId>,
}

impl Tables {
    /// The table that says this.
    pub fn id(&mut self, costs: &[f64]) -> TableId {
        let bits: Rc<[u64]> = costs.iter().map(|cost| cost.to_bits()).collect();
        if let Some(&id) = self.known.get(&bits) {
            return id;
        }
        let id = TableId(self.all.len() as u32);
        self.all.push(costs.into());
        self.known.insert(bits, id);
        id
    }

    /// What it says.
    pub fn get(&self, id: TableId) -> &Rc<[f64]> {
        &self.all[id.0 as usize]
    }
}

/// Costs of the options of some things together, which are in the order of their numbers; the options of the last one
/// follow each other.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Term {
    pub(crate) scope: Vec<usize>,
    pub(crate) table: TableId,
}

/// An amount that choices may not exceed together.
#[derive(Clone, PartialEq, Debug)]
pub struct Limit {
    /// The amount.
    pub most: f64,
    /// By thing, what each of its options takes of it. A thing that is not there takes nothing.
    pub uses: Vec<(usize, Vec<f64>)>,
}

impl Limit {
    /// What a choice takes of it.
    pub fn used(&self, choice: &[usize]) -> f64 {
        self.uses.iter().map(|(thing, uses)| uses[choice[*thing]]).sum()
    }

    /// Whether a choice keeps it, but for rounding.
    pub fn is_kept(&self, choice: &[usize]) -> bool {
        self.used(choice) <= self.most * (1.0 + 1e-12)
    }
}

/// Things with options, costs and limits.
#[derive(Clone, Default, Debug)]
pub struct Problem {
    pub(crate) tables: Tables,
    /// By thing, how many options there are.
    pub(crate) options: Vec<usize>,
    /// In the order in which they were said.
    pub(crate) terms: Vec<Term>,
    pub(crate) limits: Vec<Limit>,
}

impl Problem {
    /// Adds a thing: what each of its options costs, at least one. An option that costs infinity is none. Its number.
    pub fn thing(&mut self, costs: &[f64]) -> usize {
        let thing = self.options.len();
        self.options.push(costs.len());
        self.terms.push(Term { scope: vec![thing], table: self.tables.id(costs) });
        thing
    }

    /// Adds what options of two things cost together, beside what they cost alone: `costs[i * n + j]` for option `i` of
    /// the first one and `j` of the second one, which has `n`.
    pub fn pair(&mut self, first: usize, second: usize, costs: &[f64]) {
        debug_assert!(first != second && costs.len() == self.options[first] * self.options[second]);
        if costs.iter().all(|&cost| cost == 0.0) {
            return;
        }
        let term = if first < second {
            Term { scope: vec![first, second], table: self.tables.id(costs) }
        } else {
            let (rows, columns) = (self.options[first], self.options[second]);
            let turned: Vec<f64> = (0..columns).flat_map(|j| (0..rows).map(move |i| costs[i * columns + j])).collect();
            Term { scope: vec![second, first], table: self.tables.id(&turned) }
        };
        self.terms.push(term);
    }

    /// Adds an amount that may not be exceeded.
    pub fn limit(&mut self, limit: Limit) {
        self.limits.push(limit);
    }

    /// By thing, how many options there are.
    pub fn options(&self) -> &[usize] {
        &self.options
    }

    /// What may not be exceeded.
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// How many things there are.
    pub fn count(&self) -> usize {
        self.options.len()
    }

    /// What a choice costs.
    pub fn cost(&self, choice: &[usize]) -> f64 {
        self.terms.iter().map(|term| self.at(term, choice)).sum()
    }

    /// Whether a choice keeps all limits.
    pub fn is_kept(&self, choice: &[usize]) -> bool {
        self.limits.iter().all(|limit| limit.is_kept(choice))
    }

    pub(crate) fn at(&self, term: &Term, choice: &[usize]) -> f64 {
        self.tables.get(term.table)[self.place(&term.scope, choice)]
    }

    /// Where a choice is in a table over some things.
    pub(crate) fn place(&self, scope: &[usize], choice: &[usize]) -> usize {
        scope.iter().fold(0, |place, &thing| place * self.options[thing] + choice[thing])
    }
}
