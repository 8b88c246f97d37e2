//! Laws: which terms are equal, as data with names.
//!
//! A law looks at one term and adds the terms that are equal to it. Each has an example on which it holds, and a test
//! runs both sides of it on random data.

pub mod algebra;
pub mod collectives;
pub mod identities;
pub mod layouts;
pub mod rearrange;

use super::term::{Meaning, Term, Terms};
use egg::{Applier, Id, PatternAst, Rewrite, SearchMatches, Searcher, Subst, Symbol, Var};

/// What a law is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Whole values, on one device or on each.
    Algebra,
    /// Ops on parts.
    Layout,
    /// What takes parts from place to place.
    Collective,
    /// Collectives on the other side of an op.
    Rearrangement,
}

/// Two sides of a law: on the left the term that it was asked about, with operands as the law has them.
pub struct Equation {
    /// The term itself.
    pub left: Id,
    /// What is equal to it.
    pub right: Id,
}

/// Finds what a law says of a term.
pub type Find = fn(&mut Terms, &Term) -> Vec<Equation>;

/// A law.
pub struct Law {
    /// Its name in certificates.
    pub name: &'static str,
    /// What it is about.
    pub family: Family,
    /// What it says, in one line.
    pub says: &'static str,
    /// Whether both sides are equal bit for bit. Others are equal in exact arithmetic, as a sum in another order is.
    pub exact: bool,
    /// What the law says of a term.
    pub find: Find,
    /// A program in form explicit in which the law finds something; that of loops, which speaks of two programs, is in
    /// form planned.
    pub example: &'static str,
}

impl Law {
    /// Makes a term equal to all that the law says; whether anything was new.
    pub fn apply(&self, terms: &mut Terms, term: Id) -> bool {
        let node = terms.id_to_node(term).clone();
        let found = (self.find)(terms, &node);
        let new = found.into_iter().filter(|sides| terms.union_trusted(sides.left, sides.right, self.name));
        new.count() > 0
    }

    /// The law as a rewrite of the e-graph.
    pub fn rewrite(&'static self) -> Rewrite<Term, Meaning> {
        match Rewrite::new(self.name, Everywhere, Here(self)) {
            Ok(rewrite) => rewrite,
            Err(_) => unreachable!("a law has no variables"),
        }
    }
}

/// Every law.
pub fn all() -> impl Iterator<Item = &'static Law> {
    algebra::LAWS.iter().chain(identities::LAWS).chain(layouts::LAWS).chain(collectives::LAWS).chain(rearrange::LAWS)
}

/// Finds every e-class: a law looks at the terms itself.
struct Everywhere;

impl Searcher<Term, Meaning> for Everywhere {
    fn search_eclass_with_limit(&self, _: &Terms, eclass: Id, _: usize) -> Option<SearchMatches<'_, Term>> {
        Some(SearchMatches { eclass, substs: vec![Subst::default()], ast: None })
    }

    fn vars(&self) -> Vec<Var> {
        Vec::new()
    }
}

/// Applies a law to each term of an e-class.
struct Here(&'static Law);

impl Applier<Term, Meaning> for Here {
    fn apply_one(&self, terms: &mut Terms, class: Id, _: &Subst, _: Option<&PatternAst<Term>>, _: Symbol) -> Vec<Id> {
        let nodes = terms[class].nodes.clone();
        let changed = nodes.into_iter().filter(|node| {
            let term = terms.add_uncanonical(node.clone());
            self.0.apply(terms, term)
        });
        if changed.count() > 0 { vec![class] } else { Vec::new() }
    }
}
