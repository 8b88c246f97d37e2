//! Algorithms of collectives as data: transfers between buffers of ranks, chunk by chunk and step by step.
//!
//! An [`Algorithm`] is a list of steps, and a step is a list of [`Transfer`]s. The tensor is divided into chunks, and
//! every transfer concerns one chunk. Chunks are independent: they may be executed one by one, in any order or
//! concurrently, each through all of its steps.
//!
//! A rank has three buffers. `in` contains its operand and is read-only, `out` becomes its result, and `tmp` is scratch
//! memory with a slot for every chunk in flight. A [`Place`] is a buffer of a rank. A transfer reads one or more places
//! of any ranks, combines them from left to right, and writes one place. A transfer with one source is a copy. A source
//! on a rank other than the target's is a message; a source on the target's rank is local and sends no bytes.
//!
//! The transfers of a step may be executed in any order: no transfer reads or writes the target of another one. A step
//! reads only operands and places that earlier steps wrote, so that ranks cannot wait for each other in a cycle.
//! [`check::check`] verifies both properties, and that every rank ends with the result of the [`CollectiveKind`].
//!
//! Each generator is one file. The representation follows MSCCL's programs (Cowan et al. 2023,
//! <https://doi.org/10.1145/3575693.3575724>), where NCCL's primitives (`recvReduceCopySend`) operate on chunks of such
//! buffers.

pub mod algorithm_kind;
mod bidirectional;
pub mod check;
pub mod choice;
mod combine;
mod cost;
mod direct;
mod double_tree;
mod halving_doubling;
mod hierarchical;
mod method;
pub mod packed;
pub mod packing;
mod pairwise;
mod parameter_server;
mod ring;
pub mod routed;
#[cfg(test)]
mod tests;
pub mod textbook;
mod tree;

pub use method::{InterGroup, Method};

use smallvec::SmallVec;
use std::fmt;

/// Semantics of a collective.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CollectiveKind {
    /// Every rank gets the reduction of all operands.
    AllReduce,
    /// Each rank gets its block of the reduction of all operands.
    ReduceScatter,
    /// Every rank gets the concatenation of the operands of all ranks.
    AllGather,
    /// Every rank splits its operand into one block per rank and sends each rank its block.
    AllToAll,
    /// For each pair `(source, target)`, the target gets the operand of the source. A rank is the target of at most one
    /// pair.
    Permute(Vec<(usize, usize)>),
    /// Every rank gets the operand of the root, which is given by its rank.
    Broadcast(usize),
    /// The root, given by its rank, gets the reduction of all operands.
    Reduce(usize),
    /// The field is the number of workers. The first ranks are workers and get the reduction of their operands. The
    /// other ranks are parameter servers without operands and results.
    ParameterServer(usize),
}

/// Set of ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ranks {
    /// All ranks.
    All,
    /// One rank.
    One(usize),
    /// The first ranks; the field is their number.
    First(usize),
}

impl Ranks {
    /// Returns true if the set contains the rank.
    pub fn contains(self, rank: usize) -> bool {
        match self {
            Ranks::All => true,
            Ranks::One(one) => one == rank,
            Ranks::First(count) => rank < count,
        }
    }
}

impl CollectiveKind {
    /// Returns the name of the operation.
    pub const fn name(&self) -> &'static str {
        match self {
            CollectiveKind::AllReduce | CollectiveKind::ParameterServer(_) => "all_reduce",
            CollectiveKind::ReduceScatter => "reduce_scatter",
            CollectiveKind::AllGather => "all_gather",
            CollectiveKind::AllToAll => "all_to_all",
            CollectiveKind::Permute(_) => "permute",
            CollectiveKind::Broadcast(_) => "broadcast",
            CollectiveKind::Reduce(_) => "reduce",
        }
    }

    /// Returns the number of blocks of the tensor: the smallest units that differ in their source or target ranks. A
    /// block is one or more consecutive chunks.
    pub fn block_count(&self, ranks: usize) -> usize {
        match self {
            CollectiveKind::AllReduce
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_)
            | CollectiveKind::ParameterServer(_) => 1,
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => ranks,
            CollectiveKind::AllToAll => ranks * ranks,
            CollectiveKind::Permute(pairs) => pairs.len(),
        }
    }

    /// Returns the number of passes of the tensor around a ring of all ranks, or `None` for kinds without a ring
    /// algorithm.
    pub(crate) fn ring_passes(&self) -> Option<u32> {
        match self {
            CollectiveKind::AllReduce => Some(2),
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => Some(1),
            CollectiveKind::AllToAll
            | CollectiveKind::Permute(_)
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_)
            | CollectiveKind::ParameterServer(_) => None,
        }
    }

    /// Returns true if the kind is well formed for this number of ranks: it names only existing ranks, and each rank is
    /// the target of at most one pair.
    pub fn is_valid_for(&self, ranks: usize) -> bool {
        match self {
            CollectiveKind::AllReduce
            | CollectiveKind::ReduceScatter
            | CollectiveKind::AllGather
            | CollectiveKind::AllToAll => ranks > 0,
            CollectiveKind::Broadcast(root) | CollectiveKind::Reduce(root) => *root < ranks,
            CollectiveKind::ParameterServer(workers) => (1..=ranks).contains(workers),
            CollectiveKind::Permute(pairs) => {
                let mut got = vec![false; ranks];
                pairs.iter().all(|&(from, to)| from.max(to) < ranks && !std::mem::replace(&mut got[to], true))
            }
        }
    }

    /// Returns the ranks whose operands contain a block.
    pub fn sources(&self, ranks: usize, block: usize) -> Ranks {
        match self {
            CollectiveKind::AllReduce | CollectiveKind::ReduceScatter | CollectiveKind::Reduce(_) => Ranks::All,
            CollectiveKind::AllGather => Ranks::One(block),
            CollectiveKind::Broadcast(root) => Ranks::One(*root),
            CollectiveKind::ParameterServer(workers) => Ranks::First(*workers),
            CollectiveKind::AllToAll => Ranks::One(block / ranks),
            CollectiveKind::Permute(pairs) => Ranks::One(pairs[block].0),
        }
    }

    /// Returns the ranks whose results contain a block: the reduction of the block over all source ranks.
    pub fn targets(&self, ranks: usize, block: usize) -> Ranks {
        match self {
            CollectiveKind::AllReduce | CollectiveKind::AllGather | CollectiveKind::Broadcast(_) => Ranks::All,
            CollectiveKind::ReduceScatter => Ranks::One(block),
            CollectiveKind::Reduce(root) => Ranks::One(*root),
            CollectiveKind::ParameterServer(workers) => Ranks::First(*workers),
            CollectiveKind::AllToAll => Ranks::One(block % ranks),
            CollectiveKind::Permute(pairs) => Ranks::One(pairs[block].1),
        }
    }
}

/// Buffer of a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Buffer {
    /// Operand, which is read-only.
    Input,
    /// Result.
    Output,
    /// Scratch memory for chunks in flight.
    Scratch,
}

/// Storage of a chunk: a buffer of a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// Rank that owns the buffer.
    pub rank: usize,
    /// Buffer of the rank.
    pub buffer: Buffer,
}

impl Place {
    /// Returns the operand buffer of a rank.
    pub const fn input(rank: usize) -> Place {
        Place { rank, buffer: Buffer::Input }
    }

    /// Returns the result buffer of a rank.
    pub const fn output(rank: usize) -> Place {
        Place { rank, buffer: Buffer::Output }
    }

    /// Returns the scratch buffer of a rank.
    pub const fn scratch(rank: usize) -> Place {
        Place { rank, buffer: Buffer::Scratch }
    }
}

/// Copy or reduction of one chunk: reads several places, combines them from left to right and writes one place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transfer {
    /// Index of the chunk.
    pub chunk: usize,
    /// Places read, in the order of combination.
    pub from: SmallVec<[Place; 2]>,
    /// Place written.
    pub to: Place,
}

impl Transfer {
    /// Returns the ranks that send a message for the transfer.
    pub fn senders(&self) -> impl Iterator<Item = usize> + '_ {
        self.from.iter().map(|p| p.rank).filter(|&rank| rank != self.to.rank)
    }
}

/// Transfers that may be executed in any order or concurrently.
pub type Step = Vec<Transfer>;

/// Algorithm of a collective: transfers of all ranks, by step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Algorithm {
    /// Name, such as `ring`.
    pub name: String,
    /// Semantics that the algorithm implements.
    pub kind: CollectiveKind,
    /// Number of ranks.
    pub ranks: usize,
    /// Number of chunks of the tensor: a multiple of [`CollectiveKind::block_count`].
    pub chunks: usize,
    /// Steps in their order of execution.
    pub steps: Vec<Step>,
}

impl Algorithm {
    /// Returns an algorithm without steps.
    pub(crate) fn new(name: impl Into<String>, kind: CollectiveKind, ranks: usize, chunks: usize) -> Algorithm {
        Algorithm { name: name.into(), kind, ranks, chunks, steps: Vec::new() }
    }

    /// Appends a transfer to a step, counted from 0.
    pub(crate) fn push_transfer(
        &mut self,
        step: usize,
        chunk: usize,
        from: impl IntoIterator<Item = Place>,
        to: Place,
    ) {
        if self.steps.len() <= step {
            self.steps.resize(step + 1, Step::new());
        }
        self.steps[step].push(Transfer { chunk, from: from.into_iter().collect(), to });
    }

    /// Returns the block that contains a chunk.
    pub fn block(&self, chunk: usize) -> usize {
        chunk / (self.chunks / self.kind.block_count(self.ranks).max(1)).max(1)
    }

    /// Returns the ranks whose operands contain a chunk.
    pub fn sources(&self, chunk: usize) -> Ranks {
        self.kind.sources(self.ranks, self.block(chunk))
    }

    /// Returns the ranks whose results contain a chunk.
    pub fn targets(&self, chunk: usize) -> Ranks {
        self.kind.targets(self.ranks, self.block(chunk))
    }

    /// Returns the place in which a rank accumulates a chunk: the result buffer if the rank's result contains the
    /// chunk, else the scratch buffer.
    pub(crate) fn working_place(&self, rank: usize, chunk: usize) -> Place {
        if self.targets(chunk).contains(rank) { Place::output(rank) } else { Place::scratch(rank) }
    }

    /// Returns the number of chunks that each rank sends.
    pub fn sent_chunks(&self) -> Vec<usize> {
        let mut sent = vec![0; self.ranks];
        let senders = self.steps.iter().flatten().flat_map(Transfer::senders);
        senders.for_each(|rank| sent[rank] += 1);
        sent
    }

    /// Returns the largest number of bytes that a rank sends, for a global tensor of `bytes`. For `all_to_all` the
    /// global tensor is the concatenation of the operands of all ranks, and for `permute` the concatenation of the
    /// operands of all sources.
    pub fn max_sent_bytes(&self, bytes: u64) -> u64 {
        let most = self.sent_chunks().into_iter().max().unwrap_or(0) as u128;
        (most * u128::from(bytes)).div_ceil(self.chunks.max(1) as u128) as u64
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let buffer = match self.buffer {
            Buffer::Input => "in",
            Buffer::Output => "out",
            Buffer::Scratch => "tmp",
        };
        write!(f, "{}.{buffer}", self.rank)
    }
}

impl fmt::Display for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}: ", self.chunk)?;
        for (i, place) in self.from.iter().enumerate() {
            write!(f, "{}{place}", if i == 0 { "" } else { " + " })?;
        }
        write!(f, " -> {}", self.to)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}: {} ranks, {} chunks", self.name, self.kind.name(), self.ranks, self.chunks)?;
        for (n, step) in (1..).zip(&self.steps) {
            writeln!(f, "step {n}")?;
            step.iter().try_for_each(|transfer| writeln!(f, "  {transfer}"))?;
        }
        Ok(())
    }
}
