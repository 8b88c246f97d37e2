//! Packing of trees and rings: structures that share the lanes of a topology at maximum total rate, after Blink (Wang
//! et al. 2020, <https://arxiv.org/abs/1910.04940>). Blink approximates the optimum by multiplicative weights; this
//! module solves the linear program exactly, which is equally fast at this size.
//!
//! Each tree spans all ranks and has a rate. The rates of the trees that use a lane add up to at most its bandwidth.
//! The rate of the packing is the sum of the rates of its trees. The module `linear_program` maximises this rate by
//! column generation. The module `equal_rate` then searches for a small set of trees of equal rate whose total is close
//! to the optimum.
//!
//! An edge of a tree is a route between two ranks through vertices that are not ranks. From a root over directed lanes
//! the optimum is the minimum over all ranks of the maximum flow from the root (Edmonds 1973). An `all_reduce` uses
//! both directions of each edge, and its optimum is the fractional spanning-tree packing number (Nash-Williams 1961,
//! Tutte 1961). Rings are packed by the same method.

mod cheapest;
mod equal_rate;
mod linear_program;
#[cfg(test)]
mod tests;

use crate::topology::{Route, Topology};
use std::fmt;

/// Maximum number of ranks for packing. Larger groups are symmetric in practice, and closed forms predict their cost.
pub const MAX_PACKED_RANKS: usize = 16;

/// Maximum number of ranks for packing rings. The cheapest ring is found by dynamic programming over all subsets of
/// ranks.
pub const MAX_RING_RANKS: usize = 10;

/// Structure of the packed edges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PackedStructure {
    /// Out-arborescence: a directed spanning tree from a root to all ranks.
    OutTree(usize),
    /// In-arborescence: a directed spanning tree from all ranks to a root.
    InTree(usize),
    /// Undirected spanning tree, whose edges are used in both directions.
    SpanningTree,
    /// Directed Hamiltonian cycle.
    Ring,
}

/// Tree or ring of a packing.
#[derive(Clone, PartialEq, Debug)]
pub struct PackedTree {
    /// Rate in bytes per second.
    pub rate: f64,
    /// Edges as pairs of ranks with their routes, in the direction of the messages. A spanning tree contains each edge
    /// in both directions.
    pub edges: Vec<(usize, usize, Route)>,
}

/// Set of trees that can be used concurrently.
#[derive(Clone, PartialEq, Debug)]
pub struct Packing {
    /// Structure of each tree.
    pub structure: PackedStructure,
    /// Trees of the packing.
    pub trees: Vec<PackedTree>,
    /// Upper bound on the rate of any packing, in bytes per second.
    pub bound: f64,
}

impl Packing {
    /// Packs a topology. Returns `None` if the topology has one rank, too many ranks, no rank with the root's number,
    /// or unconnected ranks.
    pub fn compute(topology: &Topology, structure: PackedStructure) -> Option<Packing> {
        let most = if structure == PackedStructure::Ring { MAX_RING_RANKS } else { MAX_PACKED_RANKS };
        let named = match structure {
            PackedStructure::OutTree(root) | PackedStructure::InTree(root) => root < topology.ranks,
            PackedStructure::SpanningTree | PackedStructure::Ring => true,
        };
        if !named || !(2..=most).contains(&topology.ranks) {
            return None;
        }
        let optimum = linear_program::optimum(topology, structure)?;
        let trees = equal_rate::equal_rate_trees(topology, structure, optimum.rate())
            .unwrap_or_else(|| equal_rate::largest_trees(optimum.trees));
        Some(Packing { structure, trees, bound: optimum.bound })
    }

    /// Returns the total rate of all trees, in bytes per second.
    pub fn rate(&self) -> f64 {
        self.trees.iter().map(|tree| tree.rate).sum()
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if self.structure == PackedStructure::SpanningTree { '-' } else { '>' };
        for tree in &self.trees {
            write!(f, "{:.1} GB/s:", tree.rate / 1e9)?;
            tree.pairs(self.structure).iter().try_for_each(|(from, to)| write!(f, " {from}{between}{to}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl PackedTree {
    /// Returns the edges as pairs of ranks, each undirected edge once.
    pub fn pairs(&self, structure: PackedStructure) -> Vec<(usize, usize)> {
        let pairs = self.edges.iter().map(|&(from, to, _)| (from, to));
        pairs.filter(|(from, to)| structure != PackedStructure::SpanningTree || from < to).collect()
    }
}
