//! Kinds of algorithms for a collective on a topology: a generic method along shortest routes, or trees and rings
//! packed for the topology.

use crate::collective::check::check;
use crate::collective::packed::PackedTrees;
use crate::collective::routed::RoutedAlgorithm;
use crate::collective::{CollectiveKind, Method};
use crate::topology::Topology;
use std::fmt;

/// Kind of algorithm for a collective on a topology.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AlgorithmKind {
    /// Generic method whose messages follow shortest routes.
    Method(Method),
    /// Rings packed for the topology.
    Rings,
    /// Trees packed for the topology, each with pipelined chunks.
    Trees {
        /// Number of pipelined chunks per tree.
        pipeline: usize,
    },
    /// Two packings used concurrently: trees of device-to-device links, and trees of links through switches.
    Split {
        /// Average number of pipelined chunks per tree; faster trees get more.
        pipeline: usize,
    },
}

impl AlgorithmKind {
    /// Returns the candidates for a kind among that many ranks of one node, with pipelines of several lengths.
    pub(super) fn candidates(kind: &CollectiveKind, ranks: usize) -> Vec<AlgorithmKind> {
        const PIPELINES: [usize; 4] = [1, 4, 16, 64];
        let mut kinds = Vec::new();
        let trees = PIPELINES.map(|pipeline| AlgorithmKind::Trees { pipeline }).into_iter();
        let trees = trees.chain(PIPELINES.map(|pipeline| AlgorithmKind::Split { pipeline }));
        match kind {
            CollectiveKind::AllReduce => {
                let methods =
                    [Method::Star, Method::Direct, Method::HalvingDoubling, Method::Ring, Method::Bidirectional];
                kinds.extend(methods.map(AlgorithmKind::Method));
                kinds.push(AlgorithmKind::Rings);
                kinds.extend(trees);
                if ranks > 2 {
                    kinds.push(AlgorithmKind::Method(Method::ParameterServer { servers: 2 }));
                }
            }
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => {
                let methods = [Method::Direct, Method::HalvingDoubling, Method::Ring, Method::Bidirectional];
                kinds.extend(methods.map(AlgorithmKind::Method));
                kinds.push(AlgorithmKind::Rings);
            }
            CollectiveKind::Broadcast(_) | CollectiveKind::Reduce(_) => {
                kinds.extend([Method::Direct, Method::HalvingDoubling].map(AlgorithmKind::Method));
                kinds.extend(trees);
            }
            CollectiveKind::AllToAll => kinds.extend([Method::Direct, Method::Pairwise].map(AlgorithmKind::Method)),
            CollectiveKind::Permute(_) => kinds.push(AlgorithmKind::Method(Method::Direct)),
            CollectiveKind::ParameterServer(workers) => {
                kinds.push(AlgorithmKind::Method(Method::ParameterServer { servers: ranks.saturating_sub(*workers) }));
            }
        }
        kinds
    }

    /// Returns the packed trees or rings of the kind, or `None` for generic methods and where packing fails.
    pub fn packed(self, kind: &CollectiveKind, topology: &Topology) -> Option<PackedTrees> {
        match self {
            AlgorithmKind::Method(_) => None,
            AlgorithmKind::Rings => PackedTrees::rings(kind, topology),
            AlgorithmKind::Trees { .. } => PackedTrees::trees(kind, topology),
            AlgorithmKind::Split { .. } => PackedTrees::split(kind, topology),
        }
    }

    /// Returns the verified algorithm with its routes, or `None` if the topology or the collective does not support the
    /// kind.
    pub fn routed(self, kind: &CollectiveKind, topology: &Topology) -> Option<RoutedAlgorithm> {
        match self {
            AlgorithmKind::Method(method) => {
                RoutedAlgorithm::new(check(method.build(kind, topology.ranks)?).ok()?, topology)
            }
            AlgorithmKind::Rings => self.packed(kind, topology)?.build(kind, topology, 1),
            AlgorithmKind::Trees { pipeline } | AlgorithmKind::Split { pipeline } => {
                self.packed(kind, topology)?.build(kind, topology, pipeline)
            }
        }
    }
}

impl fmt::Display for AlgorithmKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AlgorithmKind::Method(method) => method.fmt(f),
            AlgorithmKind::Rings => f.write_str("rings"),
            AlgorithmKind::Trees { .. } => f.write_str("trees"),
            AlgorithmKind::Split { .. } => f.write_str("split"),
        }
    }
}
