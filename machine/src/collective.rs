//! Collectives as data: which rank combines what into which place, chunk by chunk and step by step.
//!
//! An [`Algorithm`] is a list of steps, a step a list of [`Transfer`]s. The tensor is cut into chunks, and a transfer
//! names one chunk only: what happens to a chunk never depends on another one, so that chunks may be carried out one by
//! one, in any order or at the same time, each through all of its steps.
//!
//! A rank has three buffers. `in` holds its operand and is never written, `out` becomes its result, and `tmp` has a
//! place for every chunk that is under way. A transfer reads places of any ranks and combines them, from left to right,
//! into a place of its own rank; with one place to read it is a copy. What comes from another rank is a message, the
//! rest is local and costs no bytes.
//!
//! The transfers of a step may be carried out in any order: what one of them writes, no other of the step reads or
//! writes. What a step reads was there before it, so that no cycle of ranks that wait for each other can arise.
//! [`check::check`] proves both, and that every rank ends with what the [`CollectiveKind`] promises.
//!
//! Each generator is one file. The form is that of MSCCL's programs (Cowan et al. 2023,
//! <https://doi.org/10.1145/3575693.3575724>), where NCCL's primitives (`recvReduceCopySend`) work on chunks of such
//! buffers.

mod beside;
mod bidirectional;
pub mod book;
pub mod check;
pub mod choice;
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
mod tree;
pub mod way;

pub use method::{Across, Method};

use smallvec::SmallVec;
use std::fmt;

/// What a collective promises.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CollectiveKind {
    /// Everyone gets the combination of all values.
    AllReduce,
    /// Of the combination of all values, each gets its piece.
    ReduceScatter,
    /// Everyone gets the pieces of all.
    AllGather,
    /// Everyone cuts its value and gives each its piece.
    AllToAll,
    /// For each pair, the second gets the value of the first. Nobody is second twice.
    Permute(Vec<(usize, usize)>),
    /// Everyone gets the value of that rank.
    Broadcast(usize),
    /// That rank gets the combination of all values.
    Reduce(usize),
    /// The first so many ranks get the combination of their values; the others are servers, which have none.
    Served(usize),
}

/// Some of the ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ranks {
    /// All of them.
    All,
    /// That one.
    One(usize),
    /// So many, from the first one.
    First(usize),
}

impl Ranks {
    /// Whether it is one of them.
    pub fn contains(self, rank: usize) -> bool {
        match self {
            Ranks::All => true,
            Ranks::One(one) => one == rank,
            Ranks::First(count) => rank < count,
        }
    }
}

impl CollectiveKind {
    /// The name of the operation.
    pub const fn name(&self) -> &'static str {
        match self {
            CollectiveKind::AllReduce | CollectiveKind::Served(_) => "all_reduce",
            CollectiveKind::ReduceScatter => "reduce_scatter",
            CollectiveKind::AllGather => "all_gather",
            CollectiveKind::AllToAll => "all_to_all",
            CollectiveKind::Permute(_) => "permute",
            CollectiveKind::Broadcast(_) => "broadcast",
            CollectiveKind::Reduce(_) => "reduce",
        }
    }

    /// How many chunks it has at least; others are a multiple. A piece of the tensor is one chunk or several in a row.
    pub fn pieces(&self, ranks: usize) -> usize {
        match self {
            CollectiveKind::AllReduce
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_)
            | CollectiveKind::Served(_) => 1,
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => ranks,
            CollectiveKind::AllToAll => ranks * ranks,
            CollectiveKind::Permute(pairs) => pairs.len(),
        }
    }

    /// How often a tensor goes around a ring of all ranks; `None` for kinds that do not go around one.
    pub(crate) fn rounds(&self) -> Option<u32> {
        match self {
            CollectiveKind::AllReduce => Some(2),
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => Some(1),
            CollectiveKind::AllToAll
            | CollectiveKind::Permute(_)
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_)
            | CollectiveKind::Served(_) => None,
        }
    }

    /// Whether so many ranks are those that it names, and nobody gets from two.
    pub fn suits(&self, ranks: usize) -> bool {
        match self {
            CollectiveKind::AllReduce
            | CollectiveKind::ReduceScatter
            | CollectiveKind::AllGather
            | CollectiveKind::AllToAll => ranks > 0,
            CollectiveKind::Broadcast(root) | CollectiveKind::Reduce(root) => *root < ranks,
            CollectiveKind::Served(workers) => (1..=ranks).contains(workers),
            CollectiveKind::Permute(pairs) => {
                let mut got = vec![false; ranks];
                pairs.iter().all(|&(from, to)| from.max(to) < ranks && !std::mem::replace(&mut got[to], true))
            }
        }
    }

    /// Whose operands hold a piece.
    pub fn sources(&self, ranks: usize, piece: usize) -> Ranks {
        match self {
            CollectiveKind::AllReduce | CollectiveKind::ReduceScatter | CollectiveKind::Reduce(_) => Ranks::All,
            CollectiveKind::AllGather => Ranks::One(piece),
            CollectiveKind::Broadcast(root) => Ranks::One(*root),
            CollectiveKind::Served(workers) => Ranks::First(*workers),
            CollectiveKind::AllToAll => Ranks::One(piece / ranks),
            CollectiveKind::Permute(pairs) => Ranks::One(pairs[piece].0),
        }
    }

    /// Whose results hold a piece: the combination of what the sources have.
    pub fn targets(&self, ranks: usize, piece: usize) -> Ranks {
        match self {
            CollectiveKind::AllReduce | CollectiveKind::AllGather | CollectiveKind::Broadcast(_) => Ranks::All,
            CollectiveKind::ReduceScatter => Ranks::One(piece),
            CollectiveKind::Reduce(root) => Ranks::One(*root),
            CollectiveKind::Served(workers) => Ranks::First(*workers),
            CollectiveKind::AllToAll => Ranks::One(piece % ranks),
            CollectiveKind::Permute(pairs) => Ranks::One(pairs[piece].1),
        }
    }
}

/// One of the buffers of a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Buffer {
    /// The operand, which is never written.
    Input,
    /// The result.
    Output,
    /// What is under way.
    Scratch,
}

/// Where a rank has a chunk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The rank.
    pub rank: usize,
    /// Which of its buffers.
    pub buffer: Buffer,
}

impl Place {
    /// In the operand of a rank.
    pub const fn input(rank: usize) -> Place {
        Place { rank, buffer: Buffer::Input }
    }

    /// In the result of a rank.
    pub const fn output(rank: usize) -> Place {
        Place { rank, buffer: Buffer::Output }
    }

    /// In the scratch memory of a rank.
    pub const fn scratch(rank: usize) -> Place {
        Place { rank, buffer: Buffer::Scratch }
    }
}

/// A chunk at some places, combined from left to right into one place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transfer {
    /// Which chunk.
    pub chunk: usize,
    /// What is read.
    pub from: SmallVec<[Place; 2]>,
    /// What is written.
    pub to: Place,
}

impl Transfer {
    /// The ranks that send a message for it.
    pub fn senders(&self) -> impl Iterator<Item = usize> + '_ {
        self.from.iter().map(|p| p.rank).filter(|&rank| rank != self.to.rank)
    }
}

/// Transfers that may be carried out in any order, or at once.
pub type Step = Vec<Transfer>;

/// How ranks carry out a collective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Algorithm {
    /// What it is called.
    pub name: String,
    /// What it promises.
    pub kind: CollectiveKind,
    /// How many take part.
    pub ranks: usize,
    /// Into how many chunks the tensor is cut: a multiple of [`CollectiveKind::pieces`].
    pub chunks: usize,
    /// What they do, in this order.
    pub steps: Vec<Step>,
}

impl Algorithm {
    /// One that does nothing yet.
    pub(crate) fn new(name: impl Into<String>, kind: CollectiveKind, ranks: usize, chunks: usize) -> Algorithm {
        Algorithm { name: name.into(), kind, ranks, chunks, steps: Vec::new() }
    }

    /// Adds a transfer to a step, counted from 0.
    pub(crate) fn put(&mut self, step: usize, chunk: usize, from: impl IntoIterator<Item = Place>, to: Place) {
        if self.steps.len() <= step {
            self.steps.resize(step + 1, Step::new());
        }
        self.steps[step].push(Transfer { chunk, from: from.into_iter().collect(), to });
    }

    /// The piece that a chunk is part of.
    pub fn piece(&self, chunk: usize) -> usize {
        chunk / (self.chunks / self.kind.pieces(self.ranks).max(1)).max(1)
    }

    /// Whose operands hold a chunk.
    pub fn sources(&self, chunk: usize) -> Ranks {
        self.kind.sources(self.ranks, self.piece(chunk))
    }

    /// Whose results hold a chunk.
    pub fn targets(&self, chunk: usize) -> Ranks {
        self.kind.targets(self.ranks, self.piece(chunk))
    }

    /// Where a rank puts a chunk that is under way: into its result if that has a place for it.
    pub(crate) fn room(&self, rank: usize, chunk: usize) -> Place {
        if self.targets(chunk).contains(rank) { Place::output(rank) } else { Place::scratch(rank) }
    }

    /// By rank, how many chunks it sends.
    pub fn sent(&self) -> Vec<usize> {
        let mut sent = vec![0; self.ranks];
        let senders = self.steps.iter().flatten().flat_map(Transfer::senders);
        senders.for_each(|rank| sent[rank] += 1);
        sent
    }

    /// The most bytes that one rank sends when the whole tensor has `bytes`. Of an `all_to_all` the whole tensor is
    /// that of all ranks together.
    pub fn sent_bytes(&self, bytes: u64) -> u64 {
        let most = self.sent().into_iter().max().unwrap_or(0) as u128;
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
