//! Pipeline schedules: for each stage, the order of the work on each micro-batch.
//!
//! A model is divided into chunks, in model order. A stage is a group of devices that executes one chunk or several
//! chunks. A [`Schedule`] contains the sequence of [`Slot`]s of each stage for one training step. Parameters are
//! updated after all slots of a stage, so every forward pass of a step uses the parameters from the start of the step.
//!
//! [`StepWork`] determines the slots of a step and their dependencies. [`check::check`] verifies that a schedule
//! contains each slot once and is free of deadlocks. Executing a schedule requires the result of that check.

pub mod check;
#[cfg(test)]
mod tests;
mod text;
mod work;

pub use text::SCHEDULE_KINDS;
pub use work::{ChunkWork, StepWork};

use smol_str::SmolStr;
use std::fmt;

/// Kind of work on a micro-batch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Work {
    /// Forward pass: results of the chunk from its operands.
    Forward,
    /// Full backward pass: gradients of operands and of parameters.
    Backward,
    /// Gradients of operands, which earlier chunks wait for.
    BackwardInput,
    /// Gradients of parameters, which only the update waits for.
    BackwardWeight,
}

impl Work {
    /// All kinds of work.
    pub const ALL: [Work; 4] = [Work::Forward, Work::Backward, Work::BackwardInput, Work::BackwardWeight];

    /// Returns the name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Work::Forward => "forward",
            Work::Backward => "backward",
            Work::BackwardInput => "backward_input",
            Work::BackwardWeight => "backward_weight",
        }
    }

    /// Returns the letter in diagrams.
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

/// Durations of the work of a chunk on one micro-batch, in seconds.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Durations {
    /// Forward pass.
    pub forward: f64,
    /// Full backward pass.
    pub backward: f64,
    /// Gradients of operands only.
    pub backward_input: f64,
    /// Gradients of parameters only.
    pub backward_weight: f64,
}

impl Durations {
    /// Creates durations in which the full backward pass takes the sum of its two parts.
    pub fn new(forward: f64, backward_input: f64, backward_weight: f64) -> Durations {
        Durations { forward, backward: backward_input + backward_weight, backward_input, backward_weight }
    }

    /// Returns the duration of `work` in seconds.
    pub fn seconds(&self, work: Work) -> f64 {
        match work {
            Work::Forward => self.forward,
            Work::Backward => self.backward,
            Work::BackwardInput => self.backward_input,
            Work::BackwardWeight => self.backward_weight,
        }
    }
}

/// Work of one chunk on one micro-batch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    /// Micro-batch index.
    pub micro_batch: u32,
    /// Chunk index.
    pub chunk: u32,
    /// Kind of work.
    pub work: Work,
}

impl Slot {
    /// Creates a slot.
    pub const fn new(work: Work, micro_batch: u32, chunk: u32) -> Slot {
        Slot { micro_batch, chunk, work }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of micro-batch {} in chunk {}", self.work, self.micro_batch, self.chunk)
    }
}

/// Pipeline schedule algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScheduleKind {
    /// One micro-batch after the other, without overlap.
    Vanilla,
    /// All forward passes, then all backward passes (Huang et al. 2019).
    Gpipe,
    /// One forward, one backward pass in turn, as soon as the first backward pass can start (Narayanan et al. 2019).
    OneFOneB,
    /// 1F1B with several chunks per stage (Narayanan et al. 2021).
    Interleaved {
        /// Chunks per stage, at least 1.
        chunks: usize,
    },
    /// Zero-bubble schedule with the peak memory of 1F1B: gradients of parameters fill idle time (Qi et al. 2024).
    ZbH1,
    /// Zero-bubble schedule with about twice the activation memory of 1F1B and without idle time in between (Qi et al.
    /// 2024).
    ZbH2,
}

impl ScheduleKind {
    /// Returns the number of chunks per stage.
    pub const fn chunks_per_stage(self) -> usize {
        match self {
            ScheduleKind::Interleaved { chunks } => chunks,
            ScheduleKind::Vanilla
            | ScheduleKind::Gpipe
            | ScheduleKind::OneFOneB
            | ScheduleKind::ZbH1
            | ScheduleKind::ZbH2 => 1,
        }
    }

    /// Returns true if gradients of operands and of parameters are separate slots.
    pub const fn splits_backward(self) -> bool {
        matches!(self, ScheduleKind::ZbH1 | ScheduleKind::ZbH2)
    }
}

/// Work of all stages in one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// Name in messages.
    pub name: SmolStr,
    /// Algorithm that determined the order. In a vanilla schedule, each slot also waits for the previous one, even
    /// across stages.
    pub kind: ScheduleKind,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of stages.
    pub stages: usize,
    /// Stage of each chunk.
    pub stage_of_chunk: Vec<usize>,
    /// Number of micro-batches.
    pub micro_batches: u32,
    /// Slots of each stage, in execution order.
    pub orders: Vec<Vec<Slot>>,
}

impl Schedule {
    /// Combines this schedule with that of another replica, which processes the micro-batches after its own.
    #[must_use]
    pub fn with_replica(mut self, other: &Schedule) -> Schedule {
        let (chunks, stages, micro_batches) = (self.chunks as u32, self.stages, self.micro_batches);
        let moved = |slot: &Slot| Slot::new(slot.work, slot.micro_batch + micro_batches, slot.chunk + chunks);
        self.stage_of_chunk.extend(other.stage_of_chunk.iter().map(|stage| stage + stages));
        self.orders.extend(other.orders.iter().map(|order| order.iter().map(moved).collect()));
        self.chunks += other.chunks;
        self.stages += other.stages;
        self.micro_batches += other.micro_batches;
        self
    }
}

impl fmt::Display for Schedule {
    /// Formats one line per stage, for goldens and error reports: `stage 0: F0 F1 B0 B1`, and `F0.2` for chunk 2 if
    /// stages have several chunks.
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
