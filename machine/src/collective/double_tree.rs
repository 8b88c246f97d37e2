//! Two binary trees, each for one half of the tensor: operands go up to the root, the result comes down.
//!
//! In a single tree leaves only send up and half of the links lie idle. Here every rank but one is a leaf in one tree
//! at least, and no rank has two children in both, so that nobody sends more than twice the tensor, in `2 log2 n` steps
//! (Sanders, Speck and Träff 2009, <https://doi.org/10.1016/j.parco.2009.09.001>). The trees are NCCL's: in the first
//! one a rank's level is the number of zeros at its end; the second is the first one mirrored, or shifted by one for an
//! odd number of ranks.

use crate::collective::Algorithm;
use crate::collective::tree::Tree;

/// All of it for one chunk: chunks alternate between the trees, and those of one tree follow each other by one step.
pub(super) fn all_reduce(algorithm: &mut Algorithm, chunk: usize) {
    let tree = tree(algorithm.ranks, chunk % 2 == 1);
    let begin = chunk / 2;
    let top = tree.reduce(algorithm, chunk, begin);
    tree.spread(algorithm, chunk, top);
}

/// The first or the second of the trees.
fn tree(n: usize, second: bool) -> Tree {
    // The rank at a node of the first tree.
    let at = |node: usize| match (second, n.is_multiple_of(2)) {
        (false, _) => node,
        (true, true) => n - 1 - node,
        (true, false) => (node + 1) % n,
    };
    let mut parent = vec![None; n];
    for node in 1..n {
        let level = node & node.wrapping_neg();
        let up = (node ^ level) | (level << 1);
        parent[at(node)] = Some(at(if up < n { up } else { node ^ level }));
    }
    Tree::new(at(0), parent)
}
