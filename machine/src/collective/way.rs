//! Ways to carry out a collective on a topology: a method, whose messages take the shortest routes, or what is packed
//! for the topology.

use crate::collective::check::check;
use crate::collective::packed::Packed;
use crate::collective::routed::Routed;
use crate::collective::{CollectiveKind, Method};
use crate::topology::Topology;
use std::fmt;

/// A way to carry out a collective on a topology.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// As on any ranks.
    Method(Method),
    /// Around packed rings.
    Rings,
    /// Along packed trees; about so many chunks follow each other on each of them.
    Trees {
        /// Chunks on a tree.
        pipeline: usize,
    },
    /// Along trees of links from device to device beside trees of links of switches.
    Split {
        /// Chunks on a tree, more on faster ones.
        pipeline: usize,
    },
}

impl Way {
    /// Those that are worth a try for a kind and so many ranks on one node. Pipelines are as long as they may have to
    /// be.
    pub(super) fn all(kind: &CollectiveKind, ranks: usize) -> Vec<Way> {
        const PIPELINES: [usize; 4] = [1, 4, 16, 64];
        let mut ways = Vec::new();
        let trees = PIPELINES.map(|pipeline| Way::Trees { pipeline }).into_iter();
        let trees = trees.chain(PIPELINES.map(|pipeline| Way::Split { pipeline }));
        match kind {
            CollectiveKind::AllReduce => {
                let methods =
                    [Method::Star, Method::Direct, Method::HalvingDoubling, Method::Ring, Method::Bidirectional];
                ways.extend(methods.map(Way::Method));
                ways.push(Way::Rings);
                ways.extend(trees);
                if ranks > 2 {
                    ways.push(Way::Method(Method::ParameterServer { servers: 2 }));
                }
            }
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => {
                let methods = [Method::Direct, Method::HalvingDoubling, Method::Ring, Method::Bidirectional];
                ways.extend(methods.map(Way::Method));
                ways.push(Way::Rings);
            }
            CollectiveKind::Broadcast(_) | CollectiveKind::Reduce(_) => {
                ways.extend([Method::Direct, Method::HalvingDoubling].map(Way::Method));
                ways.extend(trees);
            }
            CollectiveKind::AllToAll => ways.extend([Method::Direct, Method::Pairwise].map(Way::Method)),
            CollectiveKind::Permute(_) => ways.push(Way::Method(Method::Direct)),
            CollectiveKind::Served(workers) => {
                ways.push(Way::Method(Method::ParameterServer { servers: ranks.saturating_sub(*workers) }));
            }
        }
        ways
    }

    /// The trees or rings that it goes along; a method has none.
    pub fn packed(self, kind: &CollectiveKind, topology: &Topology) -> Option<Packed> {
        match self {
            Way::Method(_) => None,
            Way::Rings => Packed::rings(kind, topology),
            Way::Trees { .. } => Packed::trees(kind, topology),
            Way::Split { .. } => Packed::split(kind, topology),
        }
    }

    /// The proven algorithm with its routes. `None` if there is no such way for the kind on the topology.
    pub fn routed(self, kind: &CollectiveKind, topology: &Topology) -> Option<Routed> {
        match self {
            Way::Method(method) => Routed::new(check(method.build(kind, topology.ranks)?).ok()?, topology),
            Way::Rings => self.packed(kind, topology)?.algorithm(kind, topology, 1),
            Way::Trees { pipeline } | Way::Split { pipeline } => {
                self.packed(kind, topology)?.algorithm(kind, topology, pipeline)
            }
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Method(method) => method.fmt(f),
            Way::Rings => f.write_str("rings"),
            Way::Trees { .. } => f.write_str("trees"),
            Way::Split { .. } => f.write_str("split"),
        }
    }
}
