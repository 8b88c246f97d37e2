//! The known ways to carry out a collective, and what their generators share.

use crate::collective::{Algorithm, Buffer, CollectiveKind, Place, Ranks};
use crate::collective::{
    bidirectional, direct, double_tree, halving_doubling, hierarchical, pairwise, parameter_server, ring,
};
use std::fmt;

/// A way to carry out a collective.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Everyone reduces its share from everybody, then everybody copies the shares.
    Direct,
    /// One rank reduces everything, and everybody copies it: as direct, without cutting the tensor.
    Star,
    /// So many servers reduce a share each, and everybody copies the shares.
    ParameterServer {
        /// Ranks that are servers: some of the workers, but for [`CollectiveKind::Served`].
        servers: usize,
    },
    /// Around a ring.
    Ring,
    /// Around a ring, both ways at once.
    Bidirectional,
    /// Recursive halving, then recursive doubling.
    HalvingDoubling,
    /// Two trees, each for one half; every half cut into that many chunks, which follow each other.
    DoubleTree {
        /// Chunks of a half.
        pipeline: usize,
    },
    /// Within groups of that many neighbours, across groups, within groups.
    Hierarchical {
        /// Ranks of a group; the last group may have fewer.
        group: usize,
        /// What is done across groups; but for direct only of an `all_reduce` of groups of one size.
        across: Across,
    },
    /// Everyone sends to the next but one, two, three ... ranks in turn.
    Pairwise,
}

/// What a hierarchical method does across groups.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Across {
    /// [`Method::Direct`]
    Direct,
    /// [`Method::Ring`]
    Ring,
    /// [`Method::HalvingDoubling`]
    HalvingDoubling,
    /// [`Method::DoubleTree`]
    DoubleTree {
        /// Chunks of a half.
        pipeline: usize,
    },
}

impl Across {
    /// The method among the groups.
    pub fn method(self) -> Method {
        match self {
            Across::Direct => Method::Direct,
            Across::Ring => Method::Ring,
            Across::HalvingDoubling => Method::HalvingDoubling,
            Across::DoubleTree { pipeline } => Method::DoubleTree { pipeline },
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
            Method::Hierarchical { group, across: Across::Direct } => write!(f, "hierarchical({group})"),
            Method::Hierarchical { group, across } => write!(f, "hierarchical({group}, {})", across.method()),
            Method::Pairwise => f.write_str("pairwise"),
        }
    }
}

impl Method {
    /// The algorithm; `None` if the method is not one for this kind of collective, or nobody takes part.
    pub fn build(self, kind: &CollectiveKind, ranks: usize) -> Option<Algorithm> {
        if ranks == 0 || !self.suits(kind, ranks) {
            return None;
        }
        if let Method::Hierarchical { group, across } = self
            && across != Across::Direct
        {
            let across = across.method().build(kind, ranks / group)?;
            return Some(hierarchical::all_reduce(self.to_string(), group, &across));
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
                | CollectiveKind::Served(_) => kind.pieces(ranks),
            },
        };
        let mut algorithm = Algorithm::new(self.to_string(), kind.clone(), ranks, shares);
        for chunk in 0..shares {
            if ranks == 1 {
                algorithm.put(0, chunk, [Place::input(0)], Place::output(0));
            } else {
                self.flow(&mut algorithm, chunk);
            }
        }
        Some(algorithm)
    }

    /// Returns whether it is a method for this kind of collective among that many ranks.
    pub(super) fn suits(self, kind: &CollectiveKind, ranks: usize) -> bool {
        match *kind {
            CollectiveKind::AllReduce => match self {
                Method::Direct | Method::Star | Method::Ring | Method::Bidirectional | Method::HalvingDoubling => true,
                Method::ParameterServer { servers } => (1..=ranks).contains(&servers),
                Method::DoubleTree { pipeline } => pipeline > 0,
                Method::Hierarchical { group, across: Across::Direct } => group > 0,
                Method::Hierarchical { group, .. } => group > 1 && ranks > group && ranks.is_multiple_of(group),
                Method::Pairwise => false,
            },
            CollectiveKind::ReduceScatter
            | CollectiveKind::AllGather
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_) => match self {
                Method::Direct | Method::Ring | Method::Bidirectional | Method::HalvingDoubling => true,
                Method::Hierarchical { group, across } => group > 0 && across == Across::Direct,
                Method::Star | Method::ParameterServer { .. } | Method::DoubleTree { .. } | Method::Pairwise => false,
            },
            CollectiveKind::AllToAll => match self {
                Method::Direct | Method::Pairwise => true,
                Method::Hierarchical { group, across } => group > 0 && across == Across::Direct,
                Method::Star
                | Method::ParameterServer { .. }
                | Method::Ring
                | Method::Bidirectional
                | Method::HalvingDoubling
                | Method::DoubleTree { .. } => false,
            },
            CollectiveKind::Permute(_) => self == Method::Direct,
            CollectiveKind::Served(workers) => match self {
                Method::ParameterServer { servers } => servers > 0 && workers > 0 && workers + servers == ranks,
                Method::Direct | Method::Star | Method::Ring | Method::Bidirectional => false,
                Method::HalvingDoubling | Method::DoubleTree { .. } | Method::Pairwise => false,
                Method::Hierarchical { .. } => false,
            },
        }
    }

    /// Adds the transfers of one chunk. With no one else there is nothing to do for the generators.
    fn flow(self, algorithm: &mut Algorithm, chunk: usize) {
        match self {
            Method::DoubleTree { .. } => return double_tree::all_reduce(algorithm, chunk),
            Method::Pairwise => return pairwise::all_to_all(algorithm, chunk),
            Method::ParameterServer { servers } => return parameter_server::all_reduce(algorithm, chunk, servers),
            _ => {}
        }
        let (sources, targets) = (algorithm.sources(chunk), algorithm.targets(chunk));
        let mut flow = match (sources, targets) {
            (Ranks::One(from), Ranks::One(to)) => {
                return match self {
                    Method::Hierarchical { group, .. } => hierarchical::send(algorithm, chunk, from, to, group),
                    _ => algorithm.put(0, chunk, [Place::input(from)], Place::output(to)),
                };
            }
            (Ranks::One(home), _) | (_, Ranks::One(home)) => Flow { algorithm, chunk, home, step: 0 },
            _ => Flow { algorithm, chunk, home: chunk, step: 0 },
        };
        if sources == Ranks::All {
            self.reduce(&mut flow);
        }
        if targets == Ranks::All {
            self.spread(&mut flow);
        }
    }

    /// The combination of all operands comes to the result of the flow's home.
    fn reduce(self, flow: &mut Flow<'_>) {
        match self {
            Method::Ring => ring::reduce(flow),
            Method::Bidirectional => bidirectional::reduce(flow),
            Method::HalvingDoubling => halving_doubling::reduce(flow),
            Method::Hierarchical { group, .. } => hierarchical::reduce(flow, group),
            Method::Direct | Method::Star | Method::ParameterServer { .. } => direct::reduce(flow),
            Method::DoubleTree { .. } | Method::Pairwise => direct::reduce(flow),
        }
    }

    /// What the flow's home has comes to the results of all.
    fn spread(self, flow: &mut Flow<'_>) {
        if flow.origin().buffer == Buffer::Input {
            flow.put(0, [flow.origin()], Place::output(flow.home));
        }
        match self {
            Method::Ring => ring::spread(flow),
            Method::Bidirectional => bidirectional::spread(flow),
            Method::HalvingDoubling => halving_doubling::spread(flow),
            Method::Hierarchical { group, .. } => hierarchical::spread(flow, group),
            Method::Direct | Method::Star | Method::ParameterServer { .. } => direct::spread(flow),
            Method::DoubleTree { .. } | Method::Pairwise => direct::spread(flow),
        }
    }
}

/// One chunk on its way to the rank that reduces it, or from the rank that has it: its home.
pub(super) struct Flow<'a> {
    algorithm: &'a mut Algorithm,
    chunk: usize,
    /// The rank.
    pub(super) home: usize,
    /// The next step.
    step: usize,
}

impl Flow<'_> {
    /// How many take part.
    pub(super) fn ranks(&self) -> usize {
        self.algorithm.ranks
    }

    /// Where a rank has what it has combined so far.
    pub(super) fn room(&self, rank: usize) -> Place {
        self.algorithm.room(rank, self.chunk)
    }

    /// Where the home has what it spreads.
    pub(super) fn origin(&self) -> Place {
        match self.algorithm.sources(self.chunk) {
            Ranks::All | Ranks::First(_) => Place::output(self.home),
            Ranks::One(home) => Place::input(home),
        }
    }

    /// Where a rank has what is spread, once it got it.
    pub(super) fn copy_at(&self, rank: usize) -> Place {
        if rank == self.home { self.origin() } else { Place::output(rank) }
    }

    /// Which of the chunks it is.
    pub(super) fn chunk(&self) -> usize {
        self.chunk
    }

    /// Adds a transfer, so many steps from now.
    pub(super) fn put(&mut self, later: usize, from: impl IntoIterator<Item = Place>, to: Place) {
        self.algorithm.put(self.step + later, self.chunk, from, to);
    }

    /// Goes on by so many steps.
    pub(super) fn advance(&mut self, steps: usize) {
        self.step += steps;
    }
}
