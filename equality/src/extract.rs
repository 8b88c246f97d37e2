//! The cheapest terms of an e-graph, where what several of them share is counted once.
//!
//! The cheapest choice of one term for each e-class is a hard problem once sharing counts. Here each e-class is first
//! given the term that is cheapest with all that it needs, from its operands up, and then the choice is changed one
//! e-class at a time as long as the whole becomes cheaper. Both go in the order of e-classes and terms, so that the
//! same e-graph gives the same terms everywhere.

use super::term::{Term, Terms};
use egg::Id;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a term costs by itself; `None` if it cannot be chosen.
pub type Cost<'a> = dyn Fn(&Term) -> Option<f64> + 'a;

/// The terms chosen, by e-class.
pub type Choice = FxHashMap<Id, Term>;

/// The cheapest terms of those e-classes and of all that they need, and what they cost together. `None` where one has
/// none.
pub fn cheapest(terms: &Terms, roots: &[Id], cost: &Cost<'_>) -> Option<(Choice, f64)> {
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
    let mut choice = from_operands_up(terms, &options);
    let mut total = price(terms, &roots, &options, &choice)?;
    let mut improved = true;
    while improved {
        improved = false;
        for (&class, nodes) in &options {
            for (node, _) in nodes {
                let before = choice.insert(class, node.clone());
                match price(terms, &roots, &options, &choice) {
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

/// For each e-class the term that is cheapest with all that it needs.
fn from_operands_up(terms: &Terms, options: &IndexMap<Id, Vec<(Term, f64)>>) -> Choice {
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
                let of = |id: &Id| if *id == class { own[node] } else { best.get(id).map_or(0.0, |(_, _, t)| own[t]) };
                let total: f64 = needs.iter().map(of).sum();
                if best.get(&class).is_none_or(|(least, _, _)| total < *least) {
                    best.insert(class, (total, needs, node.clone()));
                    changed = true;
                }
            }
        }
    }
    best.into_iter().map(|(class, (_, _, node))| (class, node)).collect()
}

/// What a choice costs for those e-classes; `None` where a term is missing or is made of itself.
fn price(terms: &Terms, roots: &[Id], options: &IndexMap<Id, Vec<(Term, f64)>>, choice: &Choice) -> Option<f64> {
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
