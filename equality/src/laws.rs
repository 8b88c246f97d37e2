//! Laws: named rewrite rules that add equal terms to an e-graph.
//!
//! A law is applied to one term and adds terms that are equal to it. Each law has an example program, and a test
//! executes both sides on random data.

pub mod algebra;
pub mod collectives;
pub mod identities;
pub mod layouts;
pub mod rearrange;

use super::term::{Term, TermAnalysis, Terms};
use egg::{Applier, Id, PatternAst, Rewrite, SearchMatches, Searcher, Subst, Symbol, Var};

/// Subject of a law.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Global values.
    Algebra,
    /// Ops on shards.
    Layout,
    /// Collectives and other ops that change placements.
    Collective,
    /// Exchange of collectives with ops.
    Rearrangement,
}

/// Instance of a law. The left side is the term that the law was applied to, with operands that match the law.
pub struct Equation {
    /// Term that the law was applied to.
    pub left: Id,
    /// Equal term.
    pub right: Id,
}

/// Function that returns the instances of a law for a term.
pub type FindInstances = fn(&mut Terms, &Term) -> Vec<Equation>;

/// Law of equality.
pub struct Law {
    /// Name in certificates.
    pub name: &'static str,
    /// Subject of the law.
    pub family: Family,
    /// Statement in one line. `part[P] x`, or `part x` for any placement, denotes the shards of the global value `x`.
    pub statement: &'static str,
    /// True if both sides are bitwise equal. Otherwise they are equal in exact arithmetic, such as a sum in another
    /// order.
    pub exact: bool,
    /// Function that returns the instances for a term.
    pub find: FindInstances,
    /// Program to which the law applies: in traced form for laws of global values, otherwise in explicit or local form.
    /// The example of the loop law concerns two programs and is in planned form.
    pub example: &'static str,
}

impl Law {
    /// Adds the right sides of all instances for a term. Returns true if the e-graph changed.
    pub fn apply(&self, terms: &mut Terms, term: Id) -> bool {
        let node = terms.id_to_node(term).clone();
        let found = (self.find)(terms, &node);
        let new = found.into_iter().filter(|sides| terms.union_trusted(sides.left, sides.right, self.name));
        new.count() > 0
    }

    /// Returns the law as a rewrite rule of the e-graph.
    pub fn rewrite(&'static self) -> Rewrite<Term, TermAnalysis> {
        match Rewrite::new(self.name, EveryClass, LawApplier(self)) {
            Ok(rewrite) => rewrite,
            Err(_) => unreachable!("a law has no variables"),
        }
    }
}

/// Returns all laws.
pub fn all_laws() -> impl Iterator<Item = &'static Law> {
    algebra::LAWS.iter().chain(identities::LAWS).chain(layouts::LAWS).chain(collectives::LAWS).chain(rearrange::LAWS)
}

/// Searcher that matches every e-class. The functions of the laws select the terms.
struct EveryClass;

impl Searcher<Term, TermAnalysis> for EveryClass {
    fn search_eclass_with_limit(&self, _: &Terms, eclass: Id, _: usize) -> Option<SearchMatches<'_, Term>> {
        Some(SearchMatches { eclass, substs: vec![Subst::default()], ast: None })
    }

    fn vars(&self) -> Vec<Var> {
        Vec::new()
    }
}

/// Applier of a law to each term of an e-class.
struct LawApplier(&'static Law);

impl Applier<Term, TermAnalysis> for LawApplier {
    fn apply_one(&self, terms: &mut Terms, class: Id, _: &Subst, _: Option<&PatternAst<Term>>, _: Symbol) -> Vec<Id> {
        let nodes = terms[class].nodes.clone();
        let changed = nodes.into_iter().filter(|node| {
            let term = terms.add_uncanonical(node.clone());
            self.0.apply(terms, term)
        });
        if changed.count() > 0 { vec![class] } else { Vec::new() }
    }
}
