//! Work of a step: the kinds of work of each chunk, and the data dependencies between chunks.

use super::{Slot, Work};
use std::ops::Range;

/// Kinds of work of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChunkWork {
    /// True if the chunk has a forward pass. False if its results are cached from an earlier epoch.
    pub forward: bool,
    /// True if gradients flow through the chunk to its operands.
    pub backward_input: bool,
    /// True if the chunk has trained parameters.
    pub backward_weight: bool,
}

impl ChunkWork {
    /// Forward pass only: a frozen prefix, or inference.
    pub const FORWARD: ChunkWork = ChunkWork { forward: true, backward_input: false, backward_weight: false };
    /// Forward pass and both gradients.
    pub const TRAINED: ChunkWork = ChunkWork { forward: true, backward_input: true, backward_weight: true };
    /// Frozen chunk after a trained one: gradients flow through it, but it has no gradients of parameters.
    pub const PASS_THROUGH: ChunkWork = ChunkWork { forward: true, backward_input: true, backward_weight: false };

    /// Returns true if the chunk has a backward pass.
    pub const fn has_backward(self) -> bool {
        self.backward_input || self.backward_weight
    }

    /// Returns true if the chunk has this work. A full backward pass requires both gradients.
    pub const fn has(self, work: Work) -> bool {
        match work {
            Work::Forward => self.forward,
            Work::Backward => self.backward_input && self.backward_weight,
            Work::BackwardInput => self.backward_input,
            Work::BackwardWeight => self.backward_weight,
        }
    }

    /// Returns the work of the backward pass: one slot if the gradients are not split or there is only one of them.
    pub fn backward(self, splits: bool) -> impl Iterator<Item = Work> {
        let both = self.backward_input && self.backward_weight;
        let works: &[Work] = match self {
            _ if both && !splits => &[Work::Backward],
            _ if both => &[Work::BackwardInput, Work::BackwardWeight],
            _ if self.backward_input => &[Work::BackwardInput],
            _ if self.backward_weight => &[Work::BackwardWeight],
            _ => &[],
        };
        works.iter().copied()
    }
}

/// Work of one step and the dependencies between chunks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepWork {
    /// Kinds of work of each chunk.
    pub chunks: Vec<ChunkWork>,
    /// Data dependencies (from, to): a later chunk `to` reads results of `from`.
    pub edges: Vec<(usize, usize)>,
    /// Micro-batches that each chunk processes, if replicas share them. Chunks beyond the end of the list process all
    /// micro-batches.
    pub shares: Vec<Range<u32>>,
}

impl StepWork {
    /// Creates a linear chain of chunks.
    pub fn chain(chunks: Vec<ChunkWork>) -> StepWork {
        let edges = (1..chunks.len()).map(|chunk| (chunk - 1, chunk)).collect();
        StepWork { chunks, edges, shares: Vec::new() }
    }

    /// Creates a chain of trained chunks.
    pub fn trained(chunks: usize) -> StepWork {
        StepWork::chain(vec![ChunkWork::TRAINED; chunks])
    }

    /// Creates a chain of chunks for inference.
    pub fn forward_only(chunks: usize) -> StepWork {
        StepWork::chain(vec![ChunkWork::FORWARD; chunks])
    }

    /// Creates a chain of chunks some of which are frozen. Chunks before the first trained one have no backward pass,
    /// and frozen chunks after it only pass gradients through.
    pub fn frozen(frozen: &[bool]) -> StepWork {
        let first = frozen.iter().position(|&is| !is).unwrap_or(frozen.len());
        let part = |(chunk, &is_frozen): (usize, &bool)| match is_frozen {
            false => ChunkWork::TRAINED,
            true if chunk < first => ChunkWork::FORWARD,
            true => ChunkWork::PASS_THROUGH,
        };
        StepWork::chain(frozen.iter().enumerate().map(part).collect())
    }

    /// Adds a skip connection: chunk `to` also reads results of chunk `from`.
    #[must_use]
    pub fn with_skip(mut self, from: usize, to: usize) -> StepWork {
        self.edges.push((from, to));
        self
    }

    /// Returns true if a chunk processes a micro-batch.
    pub fn goes_through(&self, micro_batch: u32, chunk: usize) -> bool {
        self.shares.get(chunk).is_none_or(|share| share.contains(&micro_batch))
    }

    /// Returns the micro-batches, out of `micro_batches`, that a chunk processes.
    pub fn share(&self, chunk: usize, micro_batches: u32) -> Range<u32> {
        self.shares.get(chunk).cloned().unwrap_or(0..micro_batches)
    }

    /// Returns true if any chunk has a backward pass.
    pub fn has_backward(&self) -> bool {
        self.chunks.iter().any(|part| part.has_backward())
    }

    /// Returns true if a gradient is passed back along an edge: both chunks have a backward pass, and the later one
    /// computes gradients of its operands.
    pub fn carries_gradient(&self, (from, to): (usize, usize)) -> bool {
        let part = |chunk: usize| self.chunks.get(chunk).copied().unwrap_or(ChunkWork::FORWARD);
        part(from).has_backward() && part(to).backward_input
    }

    /// Returns all slots of one micro-batch: forward passes in chunk order, then backward passes in reverse order.
    /// `splits` separates the gradients of operands from those of parameters.
    pub fn slots(&self, micro_batch: u32, splits: bool) -> impl Iterator<Item = Slot> + '_ {
        let goes = move |chunk: u32| self.goes_through(micro_batch, chunk as usize);
        let numbered = move || (0u32..).zip(&self.chunks).filter(move |(chunk, _)| goes(*chunk));
        let forward =
            numbered().filter(|(_, part)| part.forward).map(move |(c, _)| Slot::new(Work::Forward, micro_batch, c));
        let last = self.chunks.len() as u32;
        let behind = self.chunks.iter().rev().zip(1u32..).map(move |(part, behind)| (last - behind, part));
        let backward = behind
            .filter(move |(chunk, _)| goes(*chunk))
            .flat_map(move |(chunk, part)| part.backward(splits).map(move |work| Slot::new(work, micro_batch, chunk)));
        forward.chain(backward)
    }
}
