//! What there is to do: which works each chunk has, and which chunks feed which.

use super::{Slot, Work};
use std::ops::Range;

/// Which works a chunk has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// Whether it is computed at all; not where its results are known from an earlier epoch.
    pub forward: bool,
    /// Whether gradients flow through it.
    pub backward_input: bool,
    /// Whether parameters in it are trained.
    pub backward_weight: bool,
}

impl Part {
    /// A forward pass and nothing else: of a frozen front, or where nothing is trained.
    pub const FORWARD: Part = Part { forward: true, backward_input: false, backward_weight: false };
    /// All three works.
    pub const TRAINED: Part = Part { forward: true, backward_input: true, backward_weight: true };
    /// Frozen behind something that is trained: gradients only flow through it.
    pub const PASSED: Part = Part { forward: true, backward_input: true, backward_weight: false };

    /// Whether it has a backward pass.
    pub const fn has_backward(self) -> bool {
        self.backward_input || self.backward_weight
    }

    /// Whether it has that work; both gradients at once only if it has both.
    pub const fn has(self, work: Work) -> bool {
        match work {
            Work::Forward => self.forward,
            Work::Backward => self.backward_input && self.backward_weight,
            Work::BackwardInput => self.backward_input,
            Work::BackwardWeight => self.backward_weight,
        }
    }

    /// What its backward pass is made of: one work if both gradients are computed at once or there is only one.
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

/// What there is to do for each micro-batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// By chunk, which works it has.
    pub chunks: Vec<Part>,
    /// Which chunk's results which later chunk reads.
    pub edges: Vec<(usize, usize)>,
    /// By chunk, the micro-batches that go through it, where replicas share them; all of them for chunks that it does
    /// not reach.
    pub shares: Vec<Range<u32>>,
}

impl Parts {
    /// A chain of chunks.
    pub fn chain(chunks: Vec<Part>) -> Parts {
        let edges = (1..chunks.len()).map(|chunk| (chunk - 1, chunk)).collect();
        Parts { chunks, edges, shares: Vec::new() }
    }

    /// A chain that is trained as a whole.
    pub fn trained(chunks: usize) -> Parts {
        Parts::chain(vec![Part::TRAINED; chunks])
    }

    /// A chain that only predicts.
    pub fn forward_only(chunks: usize) -> Parts {
        Parts::chain(vec![Part::FORWARD; chunks])
    }

    /// A chain of chunks of which some are frozen. Those before the first one that is trained have no backward pass,
    /// and those behind it only pass gradients through.
    pub fn frozen(frozen: &[bool]) -> Parts {
        let first = frozen.iter().position(|&is| !is).unwrap_or(frozen.len());
        let part = |(chunk, &is_frozen): (usize, &bool)| match is_frozen {
            false => Part::TRAINED,
            true if chunk < first => Part::FORWARD,
            true => Part::PASSED,
        };
        Parts::chain(frozen.iter().enumerate().map(part).collect())
    }

    /// The same, and what one chunk computes another one reads, too.
    #[must_use]
    pub fn with_skip(mut self, from: usize, to: usize) -> Parts {
        self.edges.push((from, to));
        self
    }

    /// Whether a micro-batch goes through a chunk.
    pub fn goes_through(&self, micro_batch: u32, chunk: usize) -> bool {
        self.shares.get(chunk).is_none_or(|share| share.contains(&micro_batch))
    }

    /// Which of so many micro-batches go through a chunk.
    pub fn share(&self, chunk: usize, micro_batches: u32) -> Range<u32> {
        self.shares.get(chunk).cloned().unwrap_or(0..micro_batches)
    }

    /// Whether there is a backward pass anywhere.
    pub fn has_backward(&self) -> bool {
        self.chunks.iter().any(|part| part.has_backward())
    }

    /// Whether gradients flow back along an edge: there is a backward pass on both ends, and the later chunk's computes
    /// more than gradients of its own parameters.
    pub fn carries_gradient(&self, (from, to): (usize, usize)) -> bool {
        let part = |chunk: usize| self.chunks.get(chunk).copied().unwrap_or(Part::FORWARD);
        part(from).has_backward() && part(to).backward_input
    }

    /// Every slot of one micro-batch, where gradients are two works if `splits`: forward in order of chunks, then
    /// backward from behind.
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
