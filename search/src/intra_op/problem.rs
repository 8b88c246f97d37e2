//! Weighted constraint problem: assign an option to each variable so that the sum of unary and pairwise costs is
//! minimal and no resource limit is exceeded.
//!
//! The intra-operator problem of Alpa (Zheng et al. 2022, section 4.2) has this form: variables are groups of ops,
//! options are their strategies, and pairwise costs are resharding times. It is minimised by
//! [`branch_and_bound`](super::branch_and_bound::branch_and_bound).

use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Index of an interned cost table. Equal tables have the same index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableId(u32);

/// Interned cost tables. Identical layers have equal tables, so that results for one table apply to all of them.
#[derive(Clone, Default, Debug)]
pub struct Tables {
    all: Vec<Rc<[f64]>>,
    ids: FxHashMap<Rc<[u64]>, TableId>,
}

impl Tables {
    /// Interns a table and returns its id.
    pub fn id(&mut self, costs: &[f64]) -> TableId {
        let bits: Rc<[u64]> = costs.iter().map(|cost| cost.to_bits()).collect();
        if let Some(&id) = self.ids.get(&bits) {
            return id;
        }
        let id = TableId(self.all.len() as u32);
        self.all.push(costs.into());
        self.ids.insert(bits, id);
        id
    }

    /// Returns the entries of a table.
    pub fn get(&self, id: TableId) -> &Rc<[f64]> {
        &self.all[id.0 as usize]
    }
}

/// Costs of the options of one or more variables, which are sorted by index. The table is row-major: the options of the
/// last variable are contiguous.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Term {
    pub(crate) scope: Vec<usize>,
    pub(crate) table: TableId,
}

/// A resource limit on the sum of all variables' usage.
#[derive(Clone, PartialEq, Debug)]
pub struct Limit {
    /// Maximum total usage.
    pub capacity: f64,
    /// Usage of each option, for each variable. Variables that are not listed have no usage.
    pub usage: Vec<(usize, Vec<f64>)>,
}

impl Limit {
    /// Returns the usage of an assignment.
    pub fn usage_of(&self, choice: &[usize]) -> f64 {
        self.usage.iter().map(|(variable, uses)| uses[choice[*variable]]).sum()
    }

    /// Returns true if an assignment satisfies the limit, up to rounding.
    pub fn is_satisfied(&self, choice: &[usize]) -> bool {
        self.usage_of(choice) <= self.capacity * (1.0 + 1e-12)
    }
}

/// Variables with options, costs and limits.
#[derive(Clone, Default, Debug)]
pub struct Problem {
    pub(crate) tables: Tables,
    /// Number of options of each variable.
    pub(crate) options: Vec<usize>,
    /// Cost terms in the order of their insertion.
    pub(crate) terms: Vec<Term>,
    pub(crate) limits: Vec<Limit>,
}

impl Problem {
    /// Adds a variable with the cost of each option, at least one, and returns its index. An infinite cost forbids the
    /// option.
    pub fn add_variable(&mut self, costs: &[f64]) -> usize {
        let variable = self.options.len();
        self.options.push(costs.len());
        self.terms.push(Term { scope: vec![variable], table: self.tables.id(costs) });
        variable
    }

    /// Adds pairwise costs of two variables: `costs[i * n + j]` for option `i` of the first variable and `j` of the
    /// second one, which has `n` options.
    pub fn add_pair(&mut self, first: usize, second: usize, costs: &[f64]) {
        assert!(first != second && costs.len() == self.options[first] * self.options[second]);
        if costs.iter().all(|&cost| cost == 0.0) {
            return;
        }
        let term = if first < second {
            Term { scope: vec![first, second], table: self.tables.id(costs) }
        } else {
            let (rows, columns) = (self.options[first], self.options[second]);
            let transposed: Vec<f64> =
                (0..columns).flat_map(|j| (0..rows).map(move |i| costs[i * columns + j])).collect();
            Term { scope: vec![second, first], table: self.tables.id(&transposed) }
        };
        self.terms.push(term);
    }

    /// Adds a resource limit.
    pub fn add_limit(&mut self, limit: Limit) {
        self.limits.push(limit);
    }

    /// Returns the number of options of each variable.
    pub fn options(&self) -> &[usize] {
        &self.options
    }

    /// Returns the resource limits.
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// Returns the number of variables.
    pub fn variable_count(&self) -> usize {
        self.options.len()
    }

    /// Returns the cost of an assignment.
    pub fn cost(&self, choice: &[usize]) -> f64 {
        self.terms.iter().map(|term| self.term_cost(term, choice)).sum()
    }

    /// Returns true if an assignment satisfies all limits.
    pub fn satisfies_limits(&self, choice: &[usize]) -> bool {
        self.limits.iter().all(|limit| limit.is_satisfied(choice))
    }

    pub(crate) fn term_cost(&self, term: &Term, choice: &[usize]) -> f64 {
        self.tables.get(term.table)[self.table_index(&term.scope, choice)]
    }

    /// Returns the index of an assignment in a table over the given variables.
    pub(crate) fn table_index(&self, scope: &[usize], choice: &[usize]) -> usize {
        scope.iter().fold(0, |place, &variable| place * self.options[variable] + choice[variable])
    }
}
