//! Certificates: the laws that prove an output of one program equal to an output of another.

use super::normal_form::NORMAL_FORM;
use super::term::{ClassData, Head, Term, Terms};
use egg::{Id, TreeExplanation, TreeTerm};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Application of a law.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// Name of the law.
    pub law: &'static str,
    /// Term on the left side of the law.
    pub from: String,
    /// Term on the right side of the law.
    pub to: String,
}

/// Name of the value that a term computes, by the id of the term.
pub type Names = FxHashMap<Id, String>;

/// Returns the laws that prove two terms equal, those of operands first, without repetitions.
pub fn steps(terms: &mut Terms, left: Id, right: Id, names: &Names) -> Vec<Step> {
    let mut explanation = terms.explain_id_equivalence(left, right);
    let trees = std::mem::take(&mut explanation.explanation_trees);
    let mut collector = Collector { terms, names, seen: FxHashSet::default(), steps: IndexMap::new() };
    collector.chain(&trees);
    collector.steps.into_keys().map(|(law, from, to)| Step { law, from, to }).collect()
}

/// Returns the number of applications of each law, in order of first use.
pub fn counts(steps: &[Step]) -> IndexMap<&'static str, usize> {
    let mut counts = IndexMap::new();
    for step in steps {
        *counts.entry(step.law).or_insert(0) += 1;
    }
    counts
}

/// Collector of the steps of an explanation, whose subproofs are shared.
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

    /// Formats a term with the names of its operands.
    fn describe(&self, term: &Term) -> String {
        let name = |arg: &Id| self.names.get(arg).or_else(|| self.names.get(&self.terms.find(*arg)));
        let args: Vec<&str> = term.args.iter().map(|arg| name(arg).map_or("_", String::as_str)).collect();
        let args = args.join(", ");
        match term.head {
            Head::Input(_) => "an input".to_string(),
            Head::Op { call, placement, .. } => {
                let name = self.terms.analysis.call_at(call).kind.name();
                let on = if placement.is_some() { " on shards" } else { "" };
                format!("{name}({args}){on}")
            }
            Head::Shards(placement) => {
                let data = ClassData { placement: Some(placement), ..self.terms[term.args[0]].data };
                format!("{args} as {}", self.terms.analysis.describe(&data))
            }
        }
    }
}

/// Returns the law name as a static string.
fn named(name: &str) -> Option<&'static str> {
    let names = super::laws::all_laws().map(|law| law.name);
    names.chain([NORMAL_FORM]).find(|law| *law == name)
}
