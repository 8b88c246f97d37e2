//! Double binary tree: each tree reduces and broadcasts one half of the tensor.
//!
//! In a single tree, leaves only send upwards, so that half of the links are idle. Here at most one rank has children
//! in both trees, and no rank has two children in both, so that each rank sends at most twice the tensor. A chunk takes
//! `2 ceil(log2 n)` steps (Sanders, Speck and Träff 2009, <https://doi.org/10.1016/j.parco.2009.09.001>). The trees are
//! NCCL's: in the first tree the level of a rank is its number of trailing zero bits. The second tree is the mirrored
//! first tree for an even number of ranks, and the first tree shifted by one rank for an odd number.

use crate::collective::Algorithm;
use crate::collective::tree::RankTree;

/// Appends the reduction and broadcast of one chunk. Chunks alternate between the trees, and consecutive chunks of a
/// tree are one step apart.
pub(super) fn all_reduce(algorithm: &mut Algorithm, chunk: usize) {
    let tree = tree(algorithm.ranks, chunk % 2 == 1);
    let begin = chunk / 2;
    let top = tree.reduce(algorithm, chunk, begin);
    tree.broadcast(algorithm, chunk, top);
}

/// Returns the first or the second tree over `n` ranks.
fn tree(n: usize, second: bool) -> RankTree {
    // Rank at a node of the selected tree; nodes are numbered as in the first tree.
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
    RankTree::new(at(0), parent)
}
