//! Algorithms along packed trees and rings: each structure carries a part of the tensor proportional to its rate, in
//! pipelined chunks.

use crate::collective::check::check;
use crate::collective::combine::concurrent;
use crate::collective::packing::{PackedStructure, Packing};
use crate::collective::routed::RoutedAlgorithm;
use crate::collective::tree::RankTree;
use crate::collective::{Algorithm, CollectiveKind, Method};
use crate::topology::Topology;

/// Packed trees or rings of a topology with their rates.
#[derive(Clone, Debug)]
pub struct PackedTrees {
    /// Name, such as `trees(3)`.
    pub name: String,
    /// Packings with the same structure, one per class of links.
    packings: Vec<Packing>,
}

impl PackedTrees {
    /// Packs trees for `all_reduce`, `broadcast` or `reduce`. Returns `None` for other kinds, and where packing fails.
    pub fn trees(kind: &CollectiveKind, topology: &Topology) -> Option<PackedTrees> {
        let packing = Packing::compute(topology, structure(kind)?)?;
        Some(PackedTrees { name: format!("trees({})", packing.trees.len()), packings: vec![packing] })
    }

    /// Packs rings for a kind with a ring algorithm. Returns `None` for other kinds, and where packing fails.
    pub fn rings(kind: &CollectiveKind, topology: &Topology) -> Option<PackedTrees> {
        kind.ring_passes()?;
        let packing = Packing::compute(topology, PackedStructure::Ring)?;
        let name = if packing.trees.len() == 1 { "ring".into() } else { format!("rings({})", packing.trees.len()) };
        Some(PackedTrees { name, packings: vec![packing] })
    }

    /// Packs trees of device-to-device links and trees of links through switches for concurrent use. For a rate ratio
    /// of R the former carry R/(1+R) of the tensor and the latter 1/(1+R). Returns `None` if either class does not
    /// connect all ranks.
    pub fn split(kind: &CollectiveKind, topology: &Topology) -> Option<PackedTrees> {
        let structure = structure(kind)?;
        let direct = Packing::compute(&topology.restricted_to(true)?, structure)?;
        let switched = Packing::compute(&topology.restricted_to(false)?, structure)?;
        let name = format!("split({} + {})", direct.trees.len(), switched.trees.len());
        Some(PackedTrees { name, packings: vec![direct, switched] })
    }

    /// Returns the total rate in bytes per second.
    pub fn rate(&self) -> f64 {
        self.packings.iter().map(Packing::rate).sum()
    }

    /// Returns the packings: one, or those of device-to-device links and of links through switches.
    pub fn packings(&self) -> &[Packing] {
        &self.packings
    }

    /// Builds the routed algorithm with on average `pipeline` chunks per tree, and more chunks on faster trees. Rings
    /// need only one. Returns `None` if the packing is for another kind.
    pub fn build(&self, kind: &CollectiveKind, topology: &Topology, pipeline: usize) -> Option<RoutedAlgorithm> {
        let ranks = topology.ranks;
        let trees: Vec<_> =
            self.packings.iter().flat_map(|p| p.trees.iter().map(move |tree| (p.structure, tree))).collect();
        let rates: Vec<f64> = trees.iter().map(|(_, tree)| tree.rate).collect();
        let times = apportion(&rates, pipeline.max(1) * trees.len());
        let mut parts = Vec::with_capacity(trees.len());
        for ((structure, tree), times) in trees.iter().zip(times) {
            let pairs = tree.pairs(*structure);
            let part = match *structure {
                PackedStructure::Ring => Method::Ring.build(kind, ranks)?.with_rank_order(&ring_order(&pairs)),
                PackedStructure::SpanningTree => tree_algorithm(kind, &RankTree::from_edges(ranks, &pairs, None))?,
                PackedStructure::OutTree(root) | PackedStructure::InTree(root) => {
                    tree_algorithm(kind, &RankTree::from_edges(ranks, &pairs, Some(root)))?
                }
            };
            parts.push((part, times));
        }
        let algorithm = concurrent(self.name.clone(), kind, ranks, &parts);
        let blocks = kind.block_count(ranks);
        let widths = parts.iter().enumerate().flat_map(|(n, (part, times))| vec![n; part.chunks / blocks * times]);
        let channels: Vec<usize> = widths.collect();
        let edge = |channel: usize, from: usize, to: usize| {
            let (_, tree) = trees.get(channel)?;
            let edge = tree.edges.iter().find(|edge| (edge.0, edge.1) == (from, to));
            edge.map(|(_, _, route)| route.clone())
        };
        RoutedAlgorithm::with_channels(check(algorithm).ok()?, topology, |chunk| channels[chunk % channels.len()], edge)
    }
}

/// Returns the structure of the trees for a kind.
fn structure(kind: &CollectiveKind) -> Option<PackedStructure> {
    match *kind {
        CollectiveKind::AllReduce => Some(PackedStructure::SpanningTree),
        CollectiveKind::Broadcast(root) => Some(PackedStructure::OutTree(root)),
        CollectiveKind::Reduce(root) => Some(PackedStructure::InTree(root)),
        CollectiveKind::ReduceScatter
        | CollectiveKind::AllGather
        | CollectiveKind::AllToAll
        | CollectiveKind::Permute(_)
        | CollectiveKind::ParameterServer(_) => None,
    }
}

/// Returns the algorithm of one chunk: a reduction, a broadcast or both along the tree.
fn tree_algorithm(kind: &CollectiveKind, tree: &RankTree) -> Option<Algorithm> {
    let mut algorithm = Algorithm::new("tree", kind.clone(), tree.ranks(), 1);
    match kind {
        CollectiveKind::AllReduce => {
            let top = tree.reduce(&mut algorithm, 0, 0);
            tree.broadcast(&mut algorithm, 0, top);
        }
        CollectiveKind::Broadcast(_) => tree.broadcast(&mut algorithm, 0, 0),
        CollectiveKind::Reduce(_) => {
            tree.reduce(&mut algorithm, 0, 0);
        }
        CollectiveKind::ReduceScatter
        | CollectiveKind::AllGather
        | CollectiveKind::AllToAll
        | CollectiveKind::Permute(_)
        | CollectiveKind::ParameterServer(_) => return None,
    }
    Some(algorithm)
}

/// Returns the ranks in ring order.
fn ring_order(pairs: &[(usize, usize)]) -> Vec<usize> {
    let next = |at: usize| pairs.iter().find(|(from, _)| *from == at).map(|(_, to)| *to);
    std::iter::successors(Some(0), |&at| next(at)).take(pairs.len()).collect()
}

/// Distributes about `chunks` chunks in proportion to the rates, with at least one each, by the largest-remainder
/// method.
fn apportion(rates: &[f64], chunks: usize) -> Vec<usize> {
    let all: f64 = rates.iter().sum();
    let wanted: Vec<f64> = rates.iter().map(|rate| rate / all * chunks as f64 * (1.0 + 1e-9)).collect();
    let mut times: Vec<usize> = wanted.iter().map(|wanted| wanted.floor() as usize).collect();
    while times.iter().sum::<usize>() < chunks {
        let lacks = |tree: &usize| wanted[*tree] - times[*tree] as f64;
        let Some(most) = (0..times.len()).max_by(|a, b| lacks(a).total_cmp(&lacks(b))) else { break };
        times[most] += 1;
    }
    times.into_iter().map(|times| times.max(1)).collect()
}
