//! Violations of schedules and their messages.

use crate::schedule::Slot;
use std::fmt;

/// Slot that is blocked in a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockedSlot {
    /// Blocked slot.
    pub slot: Slot,
    /// Stage of the blocked slot.
    pub stage: usize,
    /// Slot that it waits for.
    pub needs: Slot,
    /// Stage of that slot.
    pub needs_stage: usize,
}

/// Violation found in a schedule, or in the description of its work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScheduleError {
    /// A list per chunk or per stage has the wrong length.
    WrongLength,
    /// A chunk is assigned to a stage that does not exist.
    UnknownStage {
        /// Chunk index.
        chunk: usize,
        /// Stage index.
        stage: usize,
    },
    /// A chunk has a backward pass but no forward pass.
    BackwardWithoutForward {
        /// Chunk index.
        chunk: usize,
    },
    /// An edge does not lead from a chunk to a later one.
    InvalidEdge {
        /// Chunk whose results are read.
        from: usize,
        /// Chunk that reads them.
        to: usize,
    },
    /// A slot refers to a chunk or a micro-batch that does not exist.
    UnknownIndex {
        /// Slot.
        slot: Slot,
        /// Stage that executes the slot.
        stage: usize,
    },
    /// A slot is scheduled on a stage other than that of its chunk.
    WrongStage {
        /// Slot.
        slot: Slot,
        /// Stage that executes the slot.
        stage: usize,
        /// Stage of its chunk.
        home: usize,
    },
    /// The chunk does not have this work.
    NoSuchWork {
        /// Slot.
        slot: Slot,
        /// Stage that executes the slot.
        stage: usize,
    },
    /// The result of a slot is already computed by another slot.
    Duplicate {
        /// Second slot.
        slot: Slot,
        /// First slot that computes the result.
        first: Slot,
        /// Stage of both slots.
        stage: usize,
    },
    /// Work that is not scheduled.
    Missing {
        /// Missing slot.
        slot: Slot,
        /// Stage of its chunk.
        stage: usize,
        /// Chunk that reads its result, and the stage of that chunk.
        reader: Option<(usize, usize)>,
    },
    /// Deadlock: each stage waits for the next one, and the last for the first.
    Deadlock(Vec<BlockedSlot>),
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::WrongLength => {
                f.write_str("the schedule needs one stage for each chunk and one order for each stage")
            }
            ScheduleError::UnknownStage { chunk, stage } => {
                write!(f, "chunk {chunk} is on stage {stage}, which does not exist")
            }
            ScheduleError::BackwardWithoutForward { chunk } => {
                write!(f, "chunk {chunk} has a backward pass but no forward pass")
            }
            ScheduleError::InvalidEdge { from, to } => write!(
                f,
                "chunk {to} cannot read the results of chunk {from}, because edges lead from a chunk to a later one"
            ),
            ScheduleError::UnknownIndex { slot, stage } => write!(f, "stage {stage}: {slot}, which does not exist"),
            ScheduleError::WrongStage { slot, stage, home } => {
                write!(f, "stage {stage}: {slot}, which is on stage {home}")
            }
            ScheduleError::NoSuchWork { slot, stage } => write!(f, "stage {stage}: {slot}, which has no such work"),
            ScheduleError::Duplicate { slot, first, stage } if slot == first => {
                write!(f, "stage {stage}: {slot} is scheduled twice")
            }
            ScheduleError::Duplicate { slot, first, stage } => {
                write!(f, "stage {stage}: {slot} is already done by {first}")
            }
            ScheduleError::Missing { slot, stage, reader } => {
                write!(f, "stage {stage}: {slot} is missing")?;
                match reader {
                    Some((chunk, of)) => write!(f, ", which chunk {chunk} on stage {of} waits for"),
                    None => Ok(()),
                }
            }
            ScheduleError::Deadlock(waits) => {
                for (n, BlockedSlot { slot, stage, needs, needs_stage }) in waits.iter().enumerate() {
                    let between = if n == 0 { "" } else { "; " };
                    match stage == needs_stage {
                        true => write!(
                            f,
                            "{between}stage {stage}: {slot} is scheduled before {needs}, which it depends on"
                        )?,
                        false => {
                            write!(f, "{between}stage {stage} waits before {slot} for stage {needs_stage}: {needs}")?
                        }
                    }
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for ScheduleError {}
