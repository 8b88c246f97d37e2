//! Collective algorithms that do not depend on the topology, and the builder that their generators share.

use crate::collective::{Algorithm, Buffer, CollectiveKind, Place, Ranks};
use crate::collective::{
    bidirectional, direct, double_tree, halving_doubling, hierarchical, pairwise, parameter_server, ring,
};
use std::fmt;

/// Topology-independent algorithm for a collective. [`Method::build`] generates its transfers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Every rank reduces its own chunk by reading all ranks, then every rank copies the reduced chunks.
    Direct,
    /// One rank reduces the full tensor, and all others copy the result: [`Method::Direct`] with one chunk.
    Star,
    /// Parameter servers reduce one chunk each, and all workers copy the reduced chunks.
    ParameterServer {
        /// Number of server ranks. The servers are workers as well, except for [`CollectiveKind::ParameterServer`].
        servers: usize,
    },
    /// Unidirectional ring.
    Ring,
    /// Bidirectional ring: both directions at the same time.
    Bidirectional,
    /// Recursive halving for the reduction, recursive doubling for the broadcast.
    HalvingDoubling,
    /// Two binary trees, each for one half of the tensor. Each half is divided into pipelined chunks.
    DoubleTree {
        /// Number of chunks per half.
        pipeline: usize,
    },
    /// Three phases: within groups of consecutive ranks, across groups, within groups.
    Hierarchical {
        /// Ranks per group; the last group may be smaller.
        group: usize,
        /// Method across groups. All except [`InterGroup::Direct`] support only `all_reduce` over several groups of
        /// equal size with at least two ranks.
        inter_group: InterGroup,
    },
    /// Pairwise exchange, for `all_to_all` only: in step `s`, every rank sends to the rank at distance `s`.
    Pairwise,
}

/// Method of the inter-group phase of [`Method::Hierarchical`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InterGroup {
    /// See [`Method::Direct`].
    Direct,
    /// See [`Method::Ring`].
    Ring,
    /// See [`Method::HalvingDoubling`].
    HalvingDoubling,
    /// See [`Method::DoubleTree`].
    DoubleTree {
        /// Number of chunks per half.
        pipeline: usize,
    },
}

impl InterGroup {
    /// Returns the method executed across the groups.
    pub fn method(self) -> Method {
        match self {
            InterGroup::Direct => Method::Direct,
            InterGroup::Ring => Method::Ring,
            InterGroup::HalvingDoubling => Method::HalvingDoubling,
            InterGroup::DoubleTree { pipeline } => Method::DoubleTree { pipeline },
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Direct => f.write_str("direct"),
            Method::Star => f.write_str("star"),
            Method::ParameterServer { servers } => write!(f, "parameter_server({servers})"),
            Method::Ring => f.write_str("ring"),
            Method::Bidirectional => f.write_str("bidirectional"),
            Method::HalvingDoubling => f.write_str("halving_doubling"),
            Method::DoubleTree { pipeline } => write!(f, "double_tree({pipeline})"),
            Method::Hierarchical { group, inter_group: InterGroup::Direct } => write!(f, "hierarchical({group})"),
            Method::Hierarchical { group, inter_group } => write!(f, "hierarchical({group}, {})", inter_group.method()),
            Method::Pairwise => f.write_str("pairwise"),
        }
    }
}

impl Method {
    /// Builds the algorithm, or returns `None` if the method does not support the collective or there are no ranks.
    pub fn build(self, kind: &CollectiveKind, ranks: usize) -> Option<Algorithm> {
        if ranks == 0 || !self.supports(kind, ranks) {
            return None;
        }
        if let Method::Hierarchical { group, inter_group } = self
            && inter_group != InterGroup::Direct
        {
            let inter = inter_group.method().build(kind, ranks / group)?;
            return Some(hierarchical::all_reduce(self.to_string(), group, &inter));
        }
        let shares = match self {
            Method::Star => 1,
            Method::ParameterServer { servers } => servers,
            Method::DoubleTree { pipeline } => 2 * pipeline,
            Method::Direct
            | Method::Ring
            | Method::Bidirectional
            | Method::HalvingDoubling
            | Method::Hierarchical { .. }
            | Method::Pairwise => match kind {
                CollectiveKind::AllReduce if self == Method::HalvingDoubling => halving_doubling::core(ranks),
                CollectiveKind::AllReduce => ranks,
                CollectiveKind::ReduceScatter
                | CollectiveKind::AllGather
                | CollectiveKind::AllToAll
                | CollectiveKind::Permute(_)
                | CollectiveKind::Broadcast(_)
                | CollectiveKind::Reduce(_)
                | CollectiveKind::ParameterServer(_) => kind.block_count(ranks),
            },
        };
        let mut algorithm = Algorithm::new(self.to_string(), kind.clone(), ranks, shares);
        for chunk in 0..shares {
            if ranks == 1 {
                algorithm.push_transfer(0, chunk, [Place::input(0)], Place::output(0));
            } else {
                self.append_chunk(&mut algorithm, chunk);
            }
        }
        Some(algorithm)
    }

    /// Returns true if the method supports the collective among that many ranks.
    pub(super) fn supports(self, kind: &CollectiveKind, ranks: usize) -> bool {
        match *kind {
            CollectiveKind::AllReduce => match self {
                Method::Direct | Method::Star | Method::Ring | Method::Bidirectional | Method::HalvingDoubling => true,
                Method::ParameterServer { servers } => (1..=ranks).contains(&servers),
                Method::DoubleTree { pipeline } => pipeline > 0,
                Method::Hierarchical { group, inter_group: InterGroup::Direct } => group > 0,
                Method::Hierarchical { group, .. } => group > 1 && ranks > group && ranks.is_multiple_of(group),
                Method::Pairwise => false,
            },
            CollectiveKind::ReduceScatter
            | CollectiveKind::AllGather
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_) => match self {
                Method::Direct | Method::Ring | Method::Bidirectional | Method::HalvingDoubling => true,
                Method::Hierarchical { group, inter_group } => group > 0 && inter_group == InterGroup::Direct,
                Method::Star | Method::ParameterServer { .. } | Method::DoubleTree { .. } | Method::Pairwise => false,
            },
            CollectiveKind::AllToAll => match self {
                Method::Direct | Method::Pairwise => true,
                Method::Hierarchical { group, inter_group } => group > 0 && inter_group == InterGroup::Direct,
                Method::Star
                | Method::ParameterServer { .. }
                | Method::Ring
                | Method::Bidirectional
                | Method::HalvingDoubling
                | Method::DoubleTree { .. } => false,
            },
            CollectiveKind::Permute(_) => self == Method::Direct,
            CollectiveKind::ParameterServer(workers) => match self {
                Method::ParameterServer { servers } => servers > 0 && workers > 0 && workers + servers == ranks,
                Method::Direct | Method::Star | Method::Ring | Method::Bidirectional => false,
                Method::HalvingDoubling | Method::DoubleTree { .. } | Method::Pairwise => false,
                Method::Hierarchical { .. } => false,
            },
        }
    }

    /// Appends the transfers of one chunk. Requires at least two ranks.
    fn append_chunk(self, algorithm: &mut Algorithm, chunk: usize) {
        match self {
            Method::DoubleTree { .. } => return double_tree::all_reduce(algorithm, chunk),
            Method::Pairwise => return pairwise::all_to_all(algorithm, chunk),
            Method::ParameterServer { servers } => return parameter_server::all_reduce(algorithm, chunk, servers),
            _ => {}
        }
        let (sources, targets) = (algorithm.sources(chunk), algorithm.targets(chunk));
        let mut builder = match (sources, targets) {
            (Ranks::One(from), Ranks::One(to)) => {
                return match self {
                    Method::Hierarchical { group, .. } => hierarchical::send(algorithm, chunk, from, to, group),
                    _ => algorithm.push_transfer(0, chunk, [Place::input(from)], Place::output(to)),
                };
            }
            (Ranks::One(owner), _) | (_, Ranks::One(owner)) => ChunkBuilder { algorithm, chunk, owner, step: 0 },
            _ => ChunkBuilder { algorithm, chunk, owner: chunk, step: 0 },
        };
        if sources == Ranks::All {
            self.reduce(&mut builder);
        }
        if targets == Ranks::All {
            self.broadcast(&mut builder);
        }
    }

    /// Appends the reduction of all operands. The owner of the chunk ends with the reduced value.
    fn reduce(self, builder: &mut ChunkBuilder<'_>) {
        match self {
            Method::Ring => ring::reduce(builder),
            Method::Bidirectional => bidirectional::reduce(builder),
            Method::HalvingDoubling => halving_doubling::reduce(builder),
            Method::Hierarchical { group, .. } => hierarchical::reduce(builder, group),
            Method::Direct | Method::Star | Method::ParameterServer { .. } => direct::reduce(builder),
            Method::DoubleTree { .. } | Method::Pairwise => direct::reduce(builder),
        }
    }

    /// Appends the broadcast from the chunk's owner to the results of all ranks.
    fn broadcast(self, builder: &mut ChunkBuilder<'_>) {
        if builder.source().buffer == Buffer::Input {
            builder.push_transfer(0, [builder.source()], Place::output(builder.owner));
        }
        match self {
            Method::Ring => ring::broadcast(builder),
            Method::Bidirectional => bidirectional::broadcast(builder),
            Method::HalvingDoubling => halving_doubling::broadcast(builder),
            Method::Hierarchical { group, .. } => hierarchical::broadcast(builder, group),
            Method::Direct | Method::Star | Method::ParameterServer { .. } => direct::broadcast(builder),
            Method::DoubleTree { .. } | Method::Pairwise => direct::broadcast(builder),
        }
    }
}

/// Builder of the transfers of one chunk. The owner of a chunk is the rank that reduces or broadcasts the chunk.
pub(super) struct ChunkBuilder<'a> {
    algorithm: &'a mut Algorithm,
    chunk: usize,
    /// Rank that reduces or broadcasts the chunk.
    pub(super) owner: usize,
    /// Index of the next step.
    step: usize,
}

impl ChunkBuilder<'_> {
    /// Returns the number of ranks.
    pub(super) fn ranks(&self) -> usize {
        self.algorithm.ranks
    }

    /// Returns the place of a rank's partial reduction.
    pub(super) fn working_place(&self, rank: usize) -> Place {
        self.algorithm.working_place(rank, self.chunk)
    }

    /// Returns the place from which the owner broadcasts the chunk.
    pub(super) fn source(&self) -> Place {
        match self.algorithm.sources(self.chunk) {
            Ranks::All | Ranks::First(_) => Place::output(self.owner),
            Ranks::One(owner) => Place::input(owner),
        }
    }

    /// Returns the place of a rank's copy of the broadcast chunk.
    pub(super) fn copy_place(&self, rank: usize) -> Place {
        if rank == self.owner { self.source() } else { Place::output(rank) }
    }

    /// Returns the index of the chunk.
    pub(super) fn chunk(&self) -> usize {
        self.chunk
    }

    /// Appends a transfer `later` steps after the current one.
    pub(super) fn push_transfer(&mut self, later: usize, from: impl IntoIterator<Item = Place>, to: Place) {
        self.algorithm.push_transfer(self.step + later, self.chunk, from, to);
    }

    /// Advances the current step.
    pub(super) fn advance(&mut self, steps: usize) {
        self.step += steps;
    }
}
