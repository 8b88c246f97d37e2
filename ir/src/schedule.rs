//! Pipeline schedules as data: which stage does what for which micro-batch, in which order.
//!
//! A model is cut into chunks, pieces in the order of the model. A stage is a group of devices that runs one chunk, or
//! several in turn, and a [`Schedule`] says by stage in which order it carries out [`Slot`]s. A schedule is one
//! training step: parameters change when all of a stage's slots are done, so that every forward pass of a step sees the
//! parameters that the step began with.
//!
//! [`Parts`] says which slots there are and which wait for which. [`check::check`] proves that a schedule has each of
//! them once and that nobody waits for ever; whoever runs one asks for that proof.

pub mod check;
mod parts;
#[cfg(test)]
mod tests;
mod text;

pub use parts::{Part, Parts};
pub use text::KINDS;

use smol_str::SmolStr;
use std::fmt;

/// What is done with a micro-batch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Work {
    /// The chunk's results from its operands.
    Forward,
    /// Both gradients at once: of operands and of parameters.
    Backward,
    /// Gradients of operands, which the chunks before it wait for.
    BackwardInput,
    /// Gradients of parameters, which nobody waits for before the update.
    BackwardWeight,
}

impl Work {
    /// Every one of them.
    pub const ALL: [Work; 4] = [Work::Forward, Work::Backward, Work::BackwardInput, Work::BackwardWeight];

    /// What messages call it.
    pub const fn name(self) -> &'static str {
        match self {
            Work::Forward => "forward",
            Work::Backward => "backward",
            Work::BackwardInput => "backward_input",
            Work::BackwardWeight => "backward_weight",
        }
    }

    /// A letter for drawings.
    pub const fn letter(self) -> char {
        match self {
            Work::Forward => 'F',
            Work::Backward => 'B',
            Work::BackwardInput => 'I',
            Work::BackwardWeight => 'W',
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Seconds that a chunk takes for a micro-batch, by work.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Durations {
    /// The forward pass.
    pub forward: f64,
    /// Both gradients at once.
    pub backward: f64,
    /// Gradients of operands alone.
    pub backward_input: f64,
    /// Gradients of parameters alone.
    pub backward_weight: f64,
}

impl Durations {
    /// Those where both gradients at once take as long as one after the other.
    pub fn new(forward: f64, backward_input: f64, backward_weight: f64) -> Durations {
        Durations { forward, backward: backward_input + backward_weight, backward_input, backward_weight }
    }

    /// Seconds of a work.
    pub fn of(&self, work: Work) -> f64 {
        match work {
            Work::Forward => self.forward,
            Work::Backward => self.backward,
            Work::BackwardInput => self.backward_input,
            Work::BackwardWeight => self.backward_weight,
        }
    }
}

/// One work of one chunk for one micro-batch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    /// Which micro-batch.
    pub micro_batch: u32,
    /// Which chunk.
    pub chunk: u32,
    /// What is done.
    pub work: Work,
}

impl Slot {
    /// That work of that chunk for that micro-batch.
    pub const fn new(work: Work, micro_batch: u32, chunk: u32) -> Slot {
        Slot { micro_batch, chunk, work }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of micro-batch {} in chunk {}", self.work, self.micro_batch, self.chunk)
    }
}

/// The known ways to order slots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// One micro-batch after the other, and nothing beside it.
    Vanilla,
    /// All forward passes, then all backward passes.
    Gpipe,
    /// One forward, one backward pass in turn, as soon as the first backward pass may begin.
    OneFOneB,
    /// The same with several chunks a stage.
    Interleaved {
        /// Chunks of a stage, at least 1.
        chunks: usize,
    },
    /// Gradients of parameters where there is nothing else to do, with the memory of `1f1b`.
    ZbH1,
    /// The same with about twice the memory, without idle time in between.
    ZbH2,
}

impl Kind {
    /// Chunks of a stage.
    pub const fn chunks_per_stage(self) -> usize {
        match self {
            Kind::Interleaved { chunks } => chunks,
            Kind::Vanilla | Kind::Gpipe | Kind::OneFOneB | Kind::ZbH1 | Kind::ZbH2 => 1,
        }
    }

    /// Whether gradients of operands and of parameters are works of their own.
    pub const fn splits_backward(self) -> bool {
        matches!(self, Kind::ZbH1 | Kind::ZbH2)
    }
}

/// What every stage does in one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// What it is called.
    pub name: SmolStr,
    /// How it was ordered. In a vanilla one each slot also waits for the one before it, wherever that is.
    pub kind: Kind,
    /// Pieces of the model, in its order.
    pub chunks: usize,
    /// Groups of devices.
    pub stages: usize,
    /// By chunk, the stage that runs it.
    pub home: Vec<usize>,
    /// Parts of the batch.
    pub micro_batches: u32,
    /// By stage, what it does in order.
    pub orders: Vec<Vec<Slot>>,
}

impl Schedule {
    /// This schedule and one beside it, for the micro-batches behind its own.
    #[must_use]
    pub fn beside(mut self, other: &Schedule) -> Schedule {
        let (chunks, stages, micro_batches) = (self.chunks as u32, self.stages, self.micro_batches);
        let moved = |slot: &Slot| Slot::new(slot.work, slot.micro_batch + micro_batches, slot.chunk + chunks);
        self.home.extend(other.home.iter().map(|stage| stage + stages));
        self.orders.extend(other.orders.iter().map(|order| order.iter().map(moved).collect()));
        self.chunks += other.chunks;
        self.stages += other.stages;
        self.micro_batches += other.micro_batches;
        self
    }
}

impl fmt::Display for Schedule {
    /// One line a stage, for goldens and error reports: `stage 0: F0 F1 B0 B1`, and `F0.2` for chunk 2 where stages
    /// have several.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = self.chunks == self.stages;
        for (stage, order) in self.orders.iter().enumerate() {
            write!(f, "stage {stage}:")?;
            for slot in order {
                write!(f, " {}{}", slot.work.letter(), slot.micro_batch)?;
                if !is_plain {
                    write!(f, ".{}", slot.chunk)?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
