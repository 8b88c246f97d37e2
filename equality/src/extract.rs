//! Extraction of the cheapest terms of an e-graph, where the cost of shared terms counts once.
//!
//! With sharing, optimal extraction is NP-hard. The greedy initial choice selects, for each e-class, the term that is
//! cheapest including all its dependencies, bottom-up. Local search then changes the choice of one e-class at a time
//! while the total cost decreases. Both steps iterate in the order of e-classes and terms, so that the result is
//! deterministic.

use super::term::{Term, Terms};
use egg::Id;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Cost of a term without its operands; `None` if the term cannot be chosen.
pub type TermCost<'a> = dyn Fn(&Term) -> Option<f64> + 'a;

/// Chosen term of each e-class.
pub type Extraction = FxHashMap<Id, Term>;

/// Returns the cheapest terms of the given e-classes and their dependencies, with their total cost. Returns `None` if
/// an e-class has no permitted term.
pub fn extract(terms: &Terms, roots: &[Id], cost: &TermCost<'_>) -> Option<(Extraction, f64)> {
    let roots: Vec<Id> = roots.iter().map(|&root| terms.find(root)).collect();
    let mut ids: Vec<Id> = terms.classes().map(|class| class.id).collect();
    ids.sort_unstable();
    let options: IndexMap<Id, Vec<(Term, f64)>> = ids
        .into_iter()
        .map(|id| {
            let mut nodes: Vec<Term> = terms[id].nodes.clone();
            nodes.sort_unstable();
            let priced = nodes.into_iter().filter_map(|node| Some((node.clone(), cost(&node)?)));
            (id, priced.collect())
        })
        .collect();
    let mut choice = initial_choice(terms, &options);
    let mut total = total_cost(terms, &roots, &options, &choice)?;
    let mut improved = true;
    while improved {
        improved = false;
        for (&class, nodes) in &options {
            for (node, _) in nodes {
                let before = choice.insert(class, node.clone());
                match total_cost(terms, &roots, &options, &choice) {
                    Some(less) if less < total => (total, improved) = (less, true),
                    _ => {
                        choice.remove(&class);
                        choice.extend(before.map(|before| (class, before)));
                    }
                }
            }
        }
    }
    Some((choice, total))
}

/// Returns, for each e-class, the term that is cheapest including its dependencies.
fn initial_choice(terms: &Terms, options: &IndexMap<Id, Vec<(Term, f64)>>) -> Extraction {
    let mut best: IndexMap<Id, (f64, BTreeSet<Id>, Term)> = IndexMap::new();
    let own: FxHashMap<&Term, f64> = options.values().flatten().map(|(term, cost)| (term, *cost)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (&class, nodes) in options {
            for (node, _) in nodes {
                let mut needs = BTreeSet::from([class]);
                let known = node.args.iter().all(|arg| {
                    let arg = best.get(&terms.find(*arg));
                    arg.is_some_and(|(_, more, _)| {
                        needs.extend(more.iter().copied());
                        !more.contains(&class)
                    })
                });
                if !known {
                    continue;
                }
                let cost_of =
                    |id: &Id| if *id == class { own[node] } else { best.get(id).map_or(0.0, |(_, _, t)| own[t]) };
                let total: f64 = needs.iter().map(cost_of).sum();
                if best.get(&class).is_none_or(|(least, _, _)| total < *least) {
                    best.insert(class, (total, needs, node.clone()));
                    changed = true;
                }
            }
        }
    }
    best.into_iter().map(|(class, (_, _, node))| (class, node)).collect()
}

/// Returns the total cost of a choice for the given e-classes, or `None` if a term is missing or depends on itself.
fn total_cost(
    terms: &Terms,
    roots: &[Id],
    options: &IndexMap<Id, Vec<(Term, f64)>>,
    choice: &Extraction,
) -> Option<f64> {
    let mut state: FxHashMap<Id, bool> = FxHashMap::default();
    let mut todo: Vec<(Id, bool)> = roots.iter().map(|&root| (root, false)).collect();
    let mut total = 0.0;
    while let Some((class, done)) = todo.pop() {
        if done {
            state.insert(class, true);
            continue;
        }
        match state.get(&class) {
            Some(true) => continue,
            Some(false) => return None,
            None => {}
        }
        let term = choice.get(&class)?;
        total += options.get(&class)?.iter().find(|(node, _)| node == term)?.1;
        state.insert(class, false);
        todo.push((class, true));
        for &arg in &term.args {
            let arg = terms.find(arg);
            match state.get(&arg) {
                Some(true) => {}
                Some(false) => return None,
                None => todo.push((arg, false)),
            }
        }
    }
    Some(total)
}
