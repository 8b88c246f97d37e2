//! Replacement of an optimal packing by fewer trees: trees of equal rate, of which each lane carries an integer number,
//! or the largest trees of the optimum.
//!
//! Trees of equal rate divide the tensor into equal parts. They are found by negotiated congestion routing: each tree
//! in turn is replaced by the cheapest one, and the prices of overused lanes rise until no lane is overused
//! (PathFinder, McMurchie and Ebeling 1995, <https://doi.org/10.1145/201310.201328>).

use crate::collective::packing::cheapest::{Candidate, cheapest};
use crate::collective::packing::{PackedStructure, PackedTree};
use crate::topology::Topology;

/// Fraction of the optimal rate that a smaller packing must reach.
const MIN_OPTIMUM_FRACTION: f64 = 0.96;

/// Maximum number of trees of equal rate. Packings with more trees are rejected.
const MAX_TREES: usize = 24;

/// Maximum number of trees that share the slowest lane. The rate of a tree is that lane's bandwidth divided by the
/// number of trees that share the lane.
const MAX_LANE_SHARES: usize = 16;

/// Maximum number of rounds in which all trees are rerouted.
const MAX_ROUNDS: usize = 60;

/// Returns the fewest trees of equal rate whose total rate reaches the required fraction of `optimum`, which is in
/// bytes per second. Returns `None` if no packing within the limits is found.
pub(super) fn equal_rate_trees(
    topology: &Topology,
    structure: PackedStructure,
    optimum: f64,
) -> Option<Vec<PackedTree>> {
    let used = topology.arcs.iter().flat_map(|arc| &arc.lanes);
    let slowest = used.map(|&lane| topology.lanes[lane].bandwidth).fold(f64::INFINITY, f64::min);
    (1..=MAX_LANE_SHARES).find_map(|shares| {
        let rate = slowest / shares as f64;
        let count = (optimum / rate * (1.0 + 1e-6)).floor() as usize;
        let enough = (1..=MAX_TREES).contains(&count) && count as f64 * rate >= MIN_OPTIMUM_FRACTION * optimum;
        let trees = if enough { negotiate_trees(topology, structure, count, rate)? } else { return None };
        Some(trees.iter().map(|tree| tree.tree(topology, rate)).collect())
    })
}

/// Returns `count` trees of rate `rate` in bytes per second, or `None` if the negotiation does not converge.
fn negotiate_trees(topology: &Topology, structure: PackedStructure, count: usize, rate: f64) -> Option<Vec<Candidate>> {
    let capacity: Vec<f64> = topology.lanes.iter().map(|lane| (lane.bandwidth / rate * (1.0 + 1e-6)).floor()).collect();
    let mut used = vec![0.0; capacity.len()];
    let mut congestion = vec![0.0; capacity.len()];
    let mut trees: Vec<Option<Candidate>> = vec![None; count];
    for round in 0..MAX_ROUNDS {
        for tree in &mut trees {
            let old = tree.take();
            old.iter().flat_map(|old| &old.uses).for_each(|&(lane, uses)| used[lane] -= uses);
            let price = |lane: usize| {
                let over: f64 = (used[lane] + 1.0 - capacity[lane]).max(0.0);
                (1.0 + congestion[lane]) * (used[lane] + 1.0) / capacity[lane].max(0.1)
                    * (1.0 + over * (1 + round) as f64)
            };
            let prices: Vec<f64> = (0..capacity.len()).map(price).collect();
            let new = cheapest(topology, structure, &prices)?;
            new.uses.iter().for_each(|&(lane, uses)| used[lane] += uses);
            *tree = Some(new);
        }
        let over: Vec<f64> = used.iter().zip(&capacity).map(|(used, capacity)| (used - capacity).max(0.0)).collect();
        if over.iter().all(|&over| over == 0.0) {
            return trees.into_iter().collect();
        }
        congestion.iter_mut().zip(&over).for_each(|(congestion, over)| *congestion += over);
    }
    None
}

/// Returns the largest trees, as many as are needed to reach the required fraction of the total rate.
pub(super) fn largest_trees(mut trees: Vec<PackedTree>) -> Vec<PackedTree> {
    trees.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    let mut left = MIN_OPTIMUM_FRACTION * trees.iter().map(|tree| tree.rate).sum::<f64>();
    trees.retain(|tree| {
        let needed = left > 0.0;
        left -= tree.rate;
        needed
    });
    trees
}
