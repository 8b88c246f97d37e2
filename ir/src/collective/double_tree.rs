//! Two binary trees, each for one half of the tensor: operands go up to the root, the result comes down.
//!
//! In a single tree leaves only send up and half of the links lie idle. Here every rank but one is a leaf in one tree
//! at least, and no rank has two children in both, so that nobody sends more than twice the tensor, in `2 log2 n` steps
//! (Sanders, Speck and Träff 2009, <https://doi.org/10.1016/j.parco.2009.09.001>). The trees are NCCL's: in the first
//! one a rank's level is the number of zeros at its end; the second is the first one mirrored, or shifted by one for an
//! odd number of ranks.

use crate::collective::{Algorithm, Place};

/// All of it for one chunk: chunks alternate between the trees, and those of one tree follow each other by one step.
pub(super) fn all_reduce(algorithm: &mut Algorithm, chunk: usize) {
    let tree = Tree::new(algorithm.ranks, chunk % 2 == 1);
    let begin = chunk / 2;
    for rank in 0..algorithm.ranks {
        if tree.height[rank] > 0 {
            let place = |r: usize| if tree.height[r] == 0 { Place::input(r) } else { Place::output(r) };
            let children = tree.children(rank).map(place);
            let from: Vec<Place> = [Place::input(rank)].into_iter().chain(children).collect();
            algorithm.put(begin + tree.height[rank] - 1, chunk, from, Place::output(rank));
        }
        if let Some(parent) = tree.parent[rank] {
            let step = begin + tree.height[tree.root] + tree.depth(rank) - 1;
            algorithm.put(step, chunk, [Place::output(parent)], Place::output(rank));
        }
    }
}

/// A tree of all ranks.
struct Tree {
    root: usize,
    /// By rank; the root has none.
    parent: Vec<Option<usize>>,
    /// By rank: how far it is from the farthest leaf below it.
    height: Vec<usize>,
}

impl Tree {
    fn new(n: usize, second: bool) -> Tree {
        // The rank at a node of the first tree.
        let at = |node: usize| match (second, n.is_multiple_of(2)) {
            (false, _) => node,
            (true, true) => n - 1 - node,
            (true, false) => (node + 1) % n,
        };
        let mut tree = Tree { root: at(0), parent: vec![None; n], height: vec![0; n] };
        for node in 1..n {
            let level = node & node.wrapping_neg();
            let up = (node ^ level) | (level << 1);
            tree.parent[at(node)] = Some(at(if up < n { up } else { node ^ level }));
        }
        for rank in 0..n {
            let (mut below, mut height) = (rank, 0);
            while let Some(parent) = tree.parent[below] {
                height += 1;
                tree.height[parent] = tree.height[parent].max(height);
                below = parent;
            }
        }
        tree
    }

    fn children(&self, rank: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.parent.len()).filter(move |&r| self.parent[r] == Some(rank))
    }

    fn depth(&self, rank: usize) -> usize {
        std::iter::successors(self.parent[rank], |&r| self.parent[r]).count()
    }
}
