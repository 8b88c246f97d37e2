//! Trees that fill the lanes of a topology together, after Blink (Wang et al. 2020,
//! <https://arxiv.org/abs/1910.04940>), which comes near the optimum by multiplicative weights; so small a linear
//! program is solved exactly as fast.
//!
//! Each tree spans all ranks and has a rate; the rates of those that use a lane add up to its bandwidth at most. What
//! all rates add up to is the packing's rate, which is as large as possible: a linear program over all trees, of which
//! only those are looked at that are cheapest by the prices of the optimum so far (`program`). Then few trees of equal
//! rates are searched for that come near it (`few`).
//!
//! An edge of a tree is a route between two ranks through what is no rank. From a root over directed lanes the optimum
//! is the smallest of the largest flows from it to a rank (Edmonds 1973); for an `all_reduce`, which goes up and down a
//! tree at once and so uses both directions of its edges, it is the fractional spanning-tree packing number
//! (Nash-Williams 1961, Tutte 1961). Rings are packed in the same way.

mod cheapest;
mod few;
mod program;
#[cfg(test)]
mod tests;

use crate::topology::{Route, Topology};
use std::fmt;

/// Most ranks that are packed; beyond, groups are symmetric in practice, and closed forms say what they take.
pub const MOST_RANKS: usize = 16;

/// Most ranks whose rings are packed: the cheapest ring is found by going through all sets of ranks.
pub const MOST_RING_RANKS: usize = 10;

/// What a structure of edges does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Span {
    /// Leads from a rank to all others.
    From(usize),
    /// Leads from all others to a rank.
    To(usize),
    /// Connects all, both ways.
    Both,
    /// Leads from each rank to the next one, around.
    Ring,
}

/// A tree, or a ring.
#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    /// Bytes a second that it carries.
    pub rate: f64,
    /// Its edges as pairs of ranks, in the direction of the messages; those of a tree in both directions there and
    /// back.
    pub edges: Vec<(usize, usize, Route)>,
}

/// Trees that can be used at the same time.
#[derive(Clone, PartialEq, Debug)]
pub struct Packing {
    /// What they do.
    pub span: Span,
    /// The trees.
    pub trees: Vec<Tree>,
    /// What no packing exceeds, in bytes a second.
    pub bound: f64,
}

impl Packing {
    /// The packing of a topology; `None` if it has one rank, too many, or not the root, or its ranks are not
    /// connected.
    pub fn of(topology: &Topology, span: Span) -> Option<Packing> {
        let most = if span == Span::Ring { MOST_RING_RANKS } else { MOST_RANKS };
        let named = match span {
            Span::From(root) | Span::To(root) => root < topology.ranks,
            Span::Both | Span::Ring => true,
        };
        if !named || !(2..=most).contains(&topology.ranks) {
            return None;
        }
        let optimum = program::optimum(topology, span)?;
        let trees = few::equal(topology, span, optimum.rate()).unwrap_or_else(|| few::largest(optimum.trees));
        Some(Packing { span, trees, bound: optimum.bound })
    }

    /// Bytes a second of all trees.
    pub fn rate(&self) -> f64 {
        self.trees.iter().map(|tree| tree.rate).sum()
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if self.span == Span::Both { '-' } else { '>' };
        for tree in &self.trees {
            write!(f, "{:.1} GB/s:", tree.rate / 1e9)?;
            tree.pairs(self.span).iter().try_for_each(|(from, to)| write!(f, " {from}{between}{to}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Tree {
    /// Its edges once each, as pairs of ranks.
    pub fn pairs(&self, span: Span) -> Vec<(usize, usize)> {
        let pairs = self.edges.iter().map(|&(from, to, _)| (from, to));
        pairs.filter(|(from, to)| span != Span::Both || from < to).collect()
    }
}
