//! Certificates: by which laws an output of one program is an output of another.

use super::term::{Head, Sort, Term, Terms};
use egg::{Id, TreeExplanation, TreeTerm};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// One use of a law.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The law's name.
    pub law: &'static str,
    /// The term on one side of it.
    pub from: String,
    /// The term on the other side.
    pub to: String,
}

/// Names of terms, as the programs call them.
pub type Names = FxHashMap<Id, String>;

/// The laws that make two terms equal, operands before what is made of them, each use once.
pub fn steps(terms: &mut Terms, left: Id, right: Id, names: &Names) -> Vec<Step> {
    let mut explanation = terms.explain_id_equivalence(left, right);
    let trees = std::mem::take(&mut explanation.explanation_trees);
    let mut collector = Collector { terms, names, seen: FxHashSet::default(), steps: IndexMap::new() };
    collector.chain(&trees);
    collector.steps.into_keys().map(|(law, from, to)| Step { law, from, to }).collect()
}

/// How often each law is used, by first use.
pub fn counts(steps: &[Step]) -> IndexMap<&'static str, usize> {
    let mut counts = IndexMap::new();
    for step in steps {
        *counts.entry(step.law).or_insert(0) += 1;
    }
    counts
}

/// Collects the steps of an explanation, whose parts are shared.
struct Collector<'a> {
    terms: &'a Terms,
    names: &'a Names,
    seen: FxHashSet<*const TreeTerm<Term>>,
    steps: IndexMap<(&'static str, String, String), ()>,
}

impl Collector<'_> {
    fn chain(&mut self, chain: &TreeExplanation<Term>) {
        for (i, tree) in chain.iter().enumerate() {
            if self.seen.insert(Rc::as_ptr(tree)) {
                tree.child_proofs.iter().for_each(|proof| self.chain(proof));
            }
            let Some(before) = i.checked_sub(1).map(|i| &chain[i]) else { continue };
            let (before, after) = (self.describe(&before.node), self.describe(&tree.node));
            if let Some(law) = tree.forward_rule.and_then(|rule| named(rule.as_str())) {
                self.steps.insert((law, before, after), ());
            } else if let Some(law) = tree.backward_rule.and_then(|rule| named(rule.as_str())) {
                self.steps.insert((law, after, before), ());
            }
        }
    }

    /// A term with the names of its operands.
    fn describe(&self, term: &Term) -> String {
        let name = |arg: &Id| self.names.get(arg).or_else(|| self.names.get(&self.terms.find(*arg)));
        let args: Vec<&str> = term.args.iter().map(|arg| name(arg).map_or("_", String::as_str)).collect();
        let args = args.join(", ");
        match term.head {
            Head::Entry(_) => "an input".to_string(),
            Head::Op { call, place, .. } => {
                let name = self.terms.analysis.call_at(call).kind.name();
                let on = if place.is_some() { " on parts" } else { "" };
                format!("{name}({args}){on}")
            }
            Head::Part(place) => {
                let sort = Sort { place: Some(place), ..self.terms[term.args[0]].data };
                format!("{args} as {}", self.terms.analysis.describe(&sort))
            }
        }
    }
}

/// The law of that name.
fn named(name: &str) -> Option<&'static str> {
    super::laws::all().map(|law| law.name).find(|law| *law == name)
}
