//! Few trees out of many: equal ones that share lanes in whole numbers, or the largest of the optimum.
//!
//! Trees of equal rates cut the tensor into equal parts. They are found as wires are on a chip: each in turn takes the
//! cheapest way, and lanes that too many want become dearer until all have room (PathFinder, McMurchie and Ebeling
//! 1995, <https://doi.org/10.1145/201310.201328>).

use crate::collective::packing::cheapest::{Candidate, cheapest};
use crate::collective::packing::{Span, Tree};
use crate::topology::Topology;

/// The part of the optimum that fewer trees have to reach.
const ENOUGH: f64 = 0.96;

/// Most equal trees.
const MOST_TREES: usize = 24;

/// The slowest lane is shared by so many trees at most.
const MOST_SHARES: usize = 16;

/// How often all trees are laid anew.
const ROUNDS: usize = 60;

/// The fewest equal trees that reach nearly the optimum.
pub(super) fn equal(topology: &Topology, span: Span, optimum: f64) -> Option<Vec<Tree>> {
    let used = topology.arcs.iter().flat_map(|arc| &arc.lanes);
    let slowest = used.map(|&lane| topology.lanes[lane].bandwidth).fold(f64::INFINITY, f64::min);
    (1..=MOST_SHARES).find_map(|shares| {
        let rate = slowest / shares as f64;
        let count = (optimum / rate * (1.0 + 1e-6)).floor() as usize;
        let enough = (1..=MOST_TREES).contains(&count) && count as f64 * rate >= ENOUGH * optimum;
        let trees = if enough { negotiated(topology, span, count, rate)? } else { return None };
        Some(trees.iter().map(|tree| tree.tree(topology, rate)).collect())
    })
}

/// So many trees of that rate.
fn negotiated(topology: &Topology, span: Span, count: usize, rate: f64) -> Option<Vec<Candidate>> {
    let slots: Vec<f64> = topology.lanes.iter().map(|lane| (lane.bandwidth / rate * (1.0 + 1e-6)).floor()).collect();
    let mut used = vec![0.0; slots.len()];
    let mut disputed = vec![0.0; slots.len()];
    let mut trees: Vec<Option<Candidate>> = vec![None; count];
    for round in 0..ROUNDS {
        for tree in &mut trees {
            let old = tree.take();
            old.iter().flat_map(|old| &old.uses).for_each(|&(lane, uses)| used[lane] -= uses);
            let price = |lane: usize| {
                let over: f64 = (used[lane] + 1.0 - slots[lane]).max(0.0);
                (1.0 + disputed[lane]) * (used[lane] + 1.0) / slots[lane].max(0.1) * (1.0 + over * (1 + round) as f64)
            };
            let prices: Vec<f64> = (0..slots.len()).map(price).collect();
            let new = cheapest(topology, span, &prices)?;
            new.uses.iter().for_each(|&(lane, uses)| used[lane] += uses);
            *tree = Some(new);
        }
        let over: Vec<f64> = used.iter().zip(&slots).map(|(used, slots)| (used - slots).max(0.0)).collect();
        if over.iter().all(|&over| over == 0.0) {
            return trees.into_iter().collect();
        }
        disputed.iter_mut().zip(&over).for_each(|(disputed, over)| *disputed += over);
    }
    None
}

/// The largest trees, until they reach nearly all.
pub(super) fn largest(mut trees: Vec<Tree>) -> Vec<Tree> {
    trees.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    let mut left = ENOUGH * trees.iter().map(|tree| tree.rate).sum::<f64>();
    trees.retain(|tree| {
        let needed = left > 0.0;
        left -= tree.rate;
        needed
    });
    trees
}
