//! A rooted tree of ranks: operands go up to the root, what it has goes down.

use crate::collective::{Algorithm, Place, Ranks};
use std::collections::VecDeque;

/// A tree of all ranks.
pub(super) struct Tree {
    root: usize,
    /// By rank; the root has none.
    parent: Vec<Option<usize>>,
    /// By rank: how far it is from the farthest leaf below it.
    height: Vec<usize>,
}

impl Tree {
    /// The tree in which every rank but the root has a parent.
    pub(super) fn new(root: usize, parent: Vec<Option<usize>>) -> Tree {
        let mut height = vec![0; parent.len()];
        for rank in 0..parent.len() {
            let above = std::iter::successors(parent[rank], |&up| parent[up]);
            above.zip(1..).for_each(|(up, far)| height[up] = height[up].max(far));
        }
        Tree { root, parent, height }
    }

    /// The tree of these edges that has that root, or else the one that makes it lowest.
    pub(super) fn of(ranks: usize, edges: &[(usize, usize)], root: Option<usize>) -> Tree {
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
            Tree::new(root, parent)
        };
        let lowest = (0..ranks).map(rooted).min_by_key(|tree| tree.height[tree.root]);
        root.map(rooted).or(lowest).unwrap_or_else(|| Tree::new(0, Vec::new()))
    }

    /// How many ranks it has.
    pub(super) fn ranks(&self) -> usize {
        self.parent.len()
    }

    /// The operands of all come to the root, from that step on; returns the next step.
    pub(super) fn reduce(&self, algorithm: &mut Algorithm, chunk: usize, begin: usize) -> usize {
        for rank in 0..self.parent.len() {
            if self.height[rank] > 0 {
                let held = |r: usize| if self.height[r] == 0 { Place::input(r) } else { algorithm.room(r, chunk) };
                let children = (0..self.parent.len()).filter(|&r| self.parent[r] == Some(rank)).map(held);
                let from: Vec<Place> = [Place::input(rank)].into_iter().chain(children).collect();
                algorithm.put(begin + self.height[rank] - 1, chunk, from, algorithm.room(rank, chunk));
            }
        }
        begin + self.height[self.root]
    }

    /// What the root has comes to all, from that step on.
    pub(super) fn spread(&self, algorithm: &mut Algorithm, chunk: usize, begin: usize) {
        let mut origin = Place::output(self.root);
        if algorithm.sources(chunk) == Ranks::One(self.root) {
            origin = Place::input(self.root);
            algorithm.put(begin, chunk, [origin], Place::output(self.root));
        }
        for rank in 0..self.parent.len() {
            if let Some(parent) = self.parent[rank] {
                let depth = std::iter::successors(self.parent[rank], |&up| self.parent[up]).count();
                let from = if parent == self.root { origin } else { Place::output(parent) };
                algorithm.put(begin + depth - 1, chunk, [from], Place::output(rank));
            }
        }
    }
}
