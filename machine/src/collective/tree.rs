//! Rooted tree of ranks: operands are reduced towards the root, and the root's value is broadcast towards the leaves.

use crate::collective::{Algorithm, Place, Ranks};
use std::collections::VecDeque;

/// Rooted tree that spans all ranks.
pub(super) struct RankTree {
    root: usize,
    /// Parent of each rank; `None` for the root.
    parent: Vec<Option<usize>>,
    /// Height of each rank: the distance to the farthest leaf below.
    height: Vec<usize>,
}

impl RankTree {
    /// Returns the tree with the given parent of each rank except the root.
    pub(super) fn new(root: usize, parent: Vec<Option<usize>>) -> RankTree {
        let mut height = vec![0; parent.len()];
        for rank in 0..parent.len() {
            let above = std::iter::successors(parent[rank], |&up| parent[up]);
            above.zip(1..).for_each(|(up, far)| height[up] = height[up].max(far));
        }
        RankTree { root, parent, height }
    }

    /// Returns the tree with these undirected edges and the given root, or, without a root, the tree of least height.
    pub(super) fn from_edges(ranks: usize, edges: &[(usize, usize)], root: Option<usize>) -> RankTree {
        let rooted = |root: usize| {
            let mut parent = vec![None; ranks];
            let mut next = VecDeque::from([root]);
            while let Some(rank) = next.pop_front() {
                for &(a, b) in edges {
                    let other = if a == rank { b } else { a };
                    if (a == rank || b == rank) && other != root && parent[other].is_none() {
                        parent[other] = Some(rank);
                        next.push_back(other);
                    }
                }
            }
            RankTree::new(root, parent)
        };
        let lowest = (0..ranks).map(rooted).min_by_key(|tree| tree.height[tree.root]);
        root.map(rooted).or(lowest).unwrap_or_else(|| RankTree::new(0, Vec::new()))
    }

    /// Returns the number of ranks.
    pub(super) fn ranks(&self) -> usize {
        self.parent.len()
    }

    /// Appends the reduction to the root, starting at step `begin`, and returns the next step.
    pub(super) fn reduce(&self, algorithm: &mut Algorithm, chunk: usize, begin: usize) -> usize {
        for rank in 0..self.parent.len() {
            if self.height[rank] > 0 {
                let reduced_place =
                    |r: usize| if self.height[r] == 0 { Place::input(r) } else { algorithm.working_place(r, chunk) };
                let children = (0..self.parent.len()).filter(|&r| self.parent[r] == Some(rank)).map(reduced_place);
                let from: Vec<Place> = [Place::input(rank)].into_iter().chain(children).collect();
                algorithm.push_transfer(
                    begin + self.height[rank] - 1,
                    chunk,
                    from,
                    algorithm.working_place(rank, chunk),
                );
            }
        }
        begin + self.height[self.root]
    }

    /// Appends the broadcast from the root, starting at step `begin`.
    pub(super) fn broadcast(&self, algorithm: &mut Algorithm, chunk: usize, begin: usize) {
        let mut source = Place::output(self.root);
        if algorithm.sources(chunk) == Ranks::One(self.root) {
            source = Place::input(self.root);
            algorithm.push_transfer(begin, chunk, [source], Place::output(self.root));
        }
        for rank in 0..self.parent.len() {
            if let Some(parent) = self.parent[rank] {
                let depth = std::iter::successors(self.parent[rank], |&up| self.parent[up]).count();
                let from = if parent == self.root { source } else { Place::output(parent) };
                algorithm.push_transfer(begin + depth - 1, chunk, [from], Place::output(rank));
            }
        }
    }
}
