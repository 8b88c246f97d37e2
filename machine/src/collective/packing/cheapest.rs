//! Cheapest tree or ring for given prices of lanes.

use crate::collective::packing::{PackedStructure, PackedTree};
use crate::topology::{Arc, ShortestPaths, Topology, Weight};

/// Additional cost of each lane of a route, which breaks ties in favour of short routes.
const LANE_TIE_BREAK_COST: f64 = 1e-9;

/// Tree or ring as arcs of the topology, without a rate.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Candidate {
    /// Edges: both ranks, and the arcs of the route between them.
    edges: Vec<(usize, usize, Vec<usize>)>,
    /// Lanes with the number of edges that use each of them.
    pub(super) uses: Vec<(usize, f64)>,
}

impl Candidate {
    /// Returns the total price of the lanes.
    pub(super) fn price(&self, prices: &[f64]) -> f64 {
        self.uses.iter().map(|&(lane, uses)| prices[lane] * uses).sum()
    }

    /// Returns the tree with the given rate.
    pub(super) fn tree(&self, topology: &Topology, rate: f64) -> PackedTree {
        let edge = |(from, to, arcs): &(usize, usize, Vec<usize>)| (*from, *to, topology.route(arcs));
        PackedTree { rate, edges: self.edges.iter().map(edge).collect() }
    }
}

/// Returns the cheapest structure for the given prices of lanes, or `None` if the ranks are not connected.
pub(super) fn cheapest(topology: &Topology, structure: PackedStructure, prices: &[f64]) -> Option<Candidate> {
    let n = topology.ranks;
    // Routes do not pass through ranks, because such a rank can be a vertex of the tree instead.
    let relay = |vertex: usize| vertex >= n;
    let price = |arc: &Arc| arc.lanes.iter().map(|&lane| prices[lane].max(0.0) + LANE_TIE_BREAK_COST).sum();
    let weights: Vec<Weight> = topology.arcs.iter().map(|arc| Weight { sum: price(arc), width: 0.0 }).collect();
    let out = topology.outgoing_arcs();
    let paths: Vec<ShortestPaths> = (0..n).map(|from| topology.shortest_paths(from, relay, &weights, &out)).collect();
    let costs: Vec<Vec<f64>> = paths.iter().map(|paths| (0..n).map(|to| paths.sum(to)).collect()).collect();
    let pairs: Vec<(usize, usize)> = match structure {
        PackedStructure::OutTree(root) => arborescence(root, &costs)?,
        PackedStructure::InTree(root) => {
            let transposed: Vec<Vec<f64>> = (0..n).map(|a| (0..n).map(|b| costs[b][a]).collect()).collect();
            arborescence(root, &transposed)?.into_iter().map(|(from, to)| (to, from)).collect()
        }
        PackedStructure::SpanningTree => {
            spanning_tree(&costs)?.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect()
        }
        PackedStructure::Ring => cheapest_ring(&costs)?,
    };
    let mut counts = vec![0.0; topology.lanes.len()];
    let mut edges = Vec::with_capacity(pairs.len());
    for (from, to) in pairs {
        let arcs = paths[from].arcs(topology, to)?;
        arcs.iter().flat_map(|&arc| &topology.arcs[arc].lanes).for_each(|&lane| counts[lane] += 1.0);
        edges.push((from, to, arcs));
    }
    Some(Candidate { edges, uses: counts.into_iter().enumerate().filter(|(_, count)| *count > 0.0).collect() })
}

/// Returns the cheapest out-arborescence of a root (Chu and Liu 1965, Edmonds 1967).
fn arborescence(root: usize, costs: &[Vec<f64>]) -> Option<Vec<(usize, usize)>> {
    let n = costs.len();
    let all = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
    let edges: Vec<(usize, usize, f64)> = all
        .filter(|&(from, to)| from != to && to != root && costs[from][to].is_finite())
        .map(|(from, to)| (from, to, costs[from][to]))
        .collect();
    let chosen = branching(n, root, &edges)?;
    Some(chosen.into_iter().map(|edge| (edges[edge].0, edges[edge].1)).collect())
}

/// Returns the indices of the edges of the cheapest arborescence.
fn branching(n: usize, root: usize, edges: &[(usize, usize, f64)]) -> Option<Vec<usize>> {
    let mut best: Vec<Option<usize>> = vec![None; n];
    for (number, &(from, to, cost)) in edges.iter().enumerate() {
        if from != to && to != root && best[to].is_none_or(|b| cost < edges[b].2) {
            best[to] = Some(number);
        }
    }
    if (0..n).any(|v| v != root && best[v].is_none()) {
        return None;
    }
    // Contracts each cycle to one vertex.
    const UNASSIGNED: usize = usize::MAX;
    let (mut group, mut groups) = (vec![UNASSIGNED; n], 0);
    let mut seen_from = vec![UNASSIGNED; n];
    let mut in_cycle = vec![false; n];
    for start in 0..n {
        let mut at = start;
        while seen_from[at] == UNASSIGNED && at != root {
            seen_from[at] = start;
            at = best[at].map_or(root, |edge| edges[edge].0);
        }
        if at != root && seen_from[at] == start && group[at] == UNASSIGNED {
            let mut on = at;
            while group[on] == UNASSIGNED {
                (group[on], in_cycle[on]) = (groups, true);
                on = best[on].map_or(root, |edge| edges[edge].0);
            }
            groups += 1;
        }
    }
    if groups == 0 {
        return Some(best.into_iter().flatten().collect());
    }
    for place in group.iter_mut().filter(|place| **place == UNASSIGNED) {
        *place = groups;
        groups += 1;
    }
    let (mut inner, mut outer_edges) = (Vec::new(), Vec::new());
    for (number, &(from, to, cost)) in edges.iter().enumerate() {
        if group[from] != group[to] {
            let saved = if in_cycle[to] { best[to].map_or(0.0, |b| edges[b].2) } else { 0.0 };
            inner.push((group[from], group[to], cost - saved));
            outer_edges.push(number);
        }
    }
    let mut chosen: Vec<usize> =
        branching(groups, group[root], &inner)?.into_iter().map(|edge| outer_edges[edge]).collect();
    let entered: Vec<usize> = chosen.iter().map(|&edge| edges[edge].1).collect();
    let cycle_edges = (0..n).filter(|&v| in_cycle[v] && !entered.contains(&v));
    chosen.extend(cycle_edges.filter_map(|v| best[v]));
    Some(chosen)
}

/// Returns the cheapest spanning tree for edges paid in both directions (Prim 1957).
fn spanning_tree(costs: &[Vec<f64>]) -> Option<Vec<(usize, usize)>> {
    let n = costs.len();
    let both = |a: usize, b: usize| costs[a][b] + costs[b][a];
    let mut nearest: Vec<usize> = vec![0; n];
    let mut joined = vec![false; n];
    joined[0] = true;
    let mut edges = Vec::with_capacity(n - 1);
    for _ in 1..n {
        let outside = (0..n).filter(|&v| !joined[v]);
        let next = outside.min_by(|&a, &b| both(nearest[a], a).total_cmp(&both(nearest[b], b)))?;
        if !both(nearest[next], next).is_finite() {
            return None;
        }
        joined[next] = true;
        edges.push((nearest[next], next));
        for v in (0..n).filter(|&v| !joined[v]) {
            if both(next, v) < both(nearest[v], v) {
                nearest[v] = next;
            }
        }
    }
    Some(edges)
}

/// Returns the cheapest Hamiltonian cycle by dynamic programming over subsets of ranks (Held and Karp 1962).
fn cheapest_ring(costs: &[Vec<f64>]) -> Option<Vec<(usize, usize)>> {
    let n = costs.len();
    let sets = 1usize << (n - 1);
    // Cost and second-to-last rank of the cheapest path from rank 0 through a set of other ranks to each last rank.
    let mut best = vec![vec![(f64::INFINITY, 0usize); n]; sets];
    for last in 1..n {
        best[1 << (last - 1)][last] = (costs[0][last], 0);
    }
    for set in 1..sets {
        for last in (1..n).filter(|last| set & (1 << (last - 1)) != 0) {
            let before = set & !(1 << (last - 1));
            for from in (1..n).filter(|from| before & (1 << (from - 1)) != 0) {
                let cost = best[before][from].0 + costs[from][last];
                if cost < best[set][last].0 {
                    best[set][last] = (cost, from);
                }
            }
        }
    }
    let all = sets - 1;
    let total = |last: usize| best[all][last].0 + costs[last][0];
    let mut last = (1..n).min_by(|&a, &b| total(a).total_cmp(&total(b)))?;
    if !total(last).is_finite() {
        return None;
    }
    let (mut edges, mut set) = (vec![(last, 0)], all);
    while last != 0 {
        let before = best[set][last].1;
        edges.push((before, last));
        set &= !(1 << (last - 1));
        last = before;
    }
    edges.reverse();
    Some(edges)
}
