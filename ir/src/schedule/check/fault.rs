//! What may be wrong with a schedule, in words.

use crate::schedule::Slot;
use std::fmt;

/// A slot that cannot begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The slot.
    pub slot: Slot,
    /// Its stage.
    pub stage: usize,
    /// What it waits for.
    pub needs: Slot,
    /// The stage of that.
    pub of: usize,
}

/// What is wrong with a schedule, or with what it should do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A list by chunk or by stage has the wrong length.
    Sizes,
    /// A chunk is on a stage that does not exist.
    Home {
        /// The chunk.
        chunk: usize,
        /// The stage.
        stage: usize,
    },
    /// A chunk has a backward pass but no forward pass.
    Unkept {
        /// The chunk.
        chunk: usize,
    },
    /// An edge does not lead from a chunk to a later one.
    Edge {
        /// Whose results are read.
        from: usize,
        /// Who reads them.
        to: usize,
    },
    /// A slot names a chunk or a micro-batch that does not exist.
    Unknown {
        /// The slot.
        slot: Slot,
        /// Its stage.
        stage: usize,
    },
    /// A slot stands on another stage than its chunk.
    Elsewhere {
        /// The slot.
        slot: Slot,
        /// The stage where it stands.
        stage: usize,
        /// The stage of its chunk.
        home: usize,
    },
    /// The chunk has no such work.
    Absent {
        /// The slot.
        slot: Slot,
        /// Its stage.
        stage: usize,
    },
    /// What a slot does has been done.
    Twice {
        /// The slot.
        slot: Slot,
        /// The one that did it.
        first: Slot,
        /// The stage of both.
        stage: usize,
    },
    /// A work is left out.
    Missing {
        /// The work.
        slot: Slot,
        /// Its stage.
        stage: usize,
        /// A chunk that reads what it gives, and that chunk's stage.
        reader: Option<(usize, usize)>,
    },
    /// Each waits for the next one's stage, and the last for the first.
    Cycle(Vec<Wait>),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Sizes => f.write_str("has not one home for each chunk and one order for each stage"),
            Fault::Home { chunk, stage } => write!(f, "chunk {chunk} is on stage {stage}, which does not exist"),
            Fault::Unkept { chunk } => write!(f, "chunk {chunk} has a backward pass but no forward pass"),
            Fault::Edge { from, to } => write!(f, "chunk {to} cannot read what chunk {from} computes"),
            Fault::Unknown { slot, stage } => write!(f, "stage {stage}: {slot}, which does not exist"),
            Fault::Elsewhere { slot, stage, home } => {
                write!(f, "stage {stage}: {slot}, which is on stage {home}")
            }
            Fault::Absent { slot, stage } => write!(f, "stage {stage}: {slot}, which has no such work"),
            Fault::Twice { slot, first, stage } if slot == first => {
                write!(f, "stage {stage}: {slot} stands there twice")
            }
            Fault::Twice { slot, first, stage } => write!(f, "stage {stage}: {slot} is done by {first}"),
            Fault::Missing { slot, stage, reader } => {
                write!(f, "stage {stage}: {slot} is missing")?;
                match reader {
                    Some((chunk, of)) => write!(f, ", which chunk {chunk} on stage {of} waits for"),
                    None => Ok(()),
                }
            }
            Fault::Cycle(waits) => {
                for (n, Wait { slot, stage, needs, of }) in waits.iter().enumerate() {
                    let between = if n == 0 { "" } else { "; " };
                    match stage == of {
                        true => write!(f, "{between}stage {stage}: {slot} stands before {needs}, which it needs")?,
                        false => write!(f, "{between}stage {stage} waits before {slot} for stage {of}: {needs}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Fault {}
