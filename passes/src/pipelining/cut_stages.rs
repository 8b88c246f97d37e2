//! Cuts a training step into stages of a pipeline, each a program of its own for a mesh of its own.
//!
//! What is cut is a loop over micro-batches ([`crate::training::micro_batches`]), forward and backward pass at once: an
//! op of the model is on the stage that the cuts say, its gradients are where they have what they read (`place`), and
//! each parameter with its update where it is read first. Every stage becomes a program like any other (`extract`),
//! which is laid out and partitioned by itself; what goes from one to another are its inputs and outputs, the
//! [`Seam`]s. A weight that two stages share lives on one and is sent to the other; its gradient is added up on both.
//!
//! What is made of data alone, or of parameters alone, is made again by whoever reads it.
//!
//! A pipeline may be there several times, each replica for its share of the micro-batches. To a chunk of a replica all
//! weights are ones that it shares with the same chunk of the first one, which has them, adds up what all replicas have
//! added up, and updates.

mod balance;
mod by_hand;
mod extract;
mod memory;
mod part;
mod place;
mod release;
mod whole;

use balance::{Costs, by_count};
use by_hand::by_hand;
use extract::{Seams, extract};
use part::Part;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::pipeline::{Seam, When};
use partita_ir::plan::pipeline::Cuts;
use partita_ir::program::Program;
use partita_ir::schedule::Kind;
use partita_machine::Kind as DeviceKind;
use place::{Placed, place};
use release::release;
use rustc_hash::FxHashSet;
use std::ops::Range;
use whole::Whole;

/// How a program is cut.
#[derive(Clone, Copy, Debug)]
pub struct Cutting<'a> {
    /// Where.
    pub cuts: &'a Cuts,
    /// In which order stages work, and of how many chunks each.
    pub schedule: Kind,
    /// By stage, what computes it.
    pub stages: &'a [OnStage<'a>],
    /// By replica of the pipeline, the micro-batches that go through it.
    pub shares: &'a [Range<u32>],
    /// Whether gradients compute again what they read, instead of keeping it.
    pub recomputes: bool,
}

/// What computes a stage.
#[derive(Clone, Copy, Debug)]
pub struct OnStage<'m> {
    /// How many devices.
    pub devices: usize,
    /// Of which kind, if that is known.
    pub kind: Option<&'m DeviceKind>,
    /// Bytes that each of them may hold.
    pub memory: u64,
}

impl Cutting<'_> {
    /// How many chunks a replica has.
    fn chunks(&self) -> usize {
        self.stages.len() * self.schedule.chunks_per_stage()
    }
}

/// Seconds of a stage for a micro-batch, if the model could be cut so that all of them took equally long.
///
/// # Errors
/// `G001` when there is no loop over micro-batches.
pub fn balanced_seconds(program: &Program, stages: &[OnStage<'_>]) -> Result<f64, Diagnostic> {
    Ok(Costs::of(&Whole::of(program)?, stages).ideal())
}

/// A program in chunks: those of the first replica, then those of the next.
pub struct Cut<'p> {
    whole: Whole<'p>,
    placed: Placed,
    kept: Vec<usize>,
    shares: Vec<Range<u32>>,
    parts: Vec<Part>,
    seams: Seams,
}

impl Cut<'_> {
    /// How many chunks there are, of all replicas together.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// The program of a chunk, in the form of the whole. `planned` is the program that was cut, perhaps with other
    /// layouts; ids mean what they mean there.
    pub fn program(&self, chunk: usize, planned: &Program) -> Program {
        extract(&self.whole, &self.placed, &self.parts[chunk], &self.seams, (chunk, self.share(chunk)), planned)
    }

    /// The stages that are left, by the numbers that they were asked for by: without those that are frozen as a whole.
    pub fn stages(&self) -> &[usize] {
        &self.kept
    }

    /// What chunks hand each other.
    pub fn seams(&self) -> &[Seam] {
        &self.seams.all
    }

    /// What others send a chunk for each micro-batch, as inputs of its program.
    pub fn activations(&self, chunk: usize, program: &Program) -> FxHashSet<ValueId> {
        let sent = self.seams.all.iter().filter(|seam| seam.to == chunk && seam.when == When::Each);
        let sent: FxHashSet<&str> = sent.map(|seam| seam.name.as_str()).collect();
        let inputs = program.inputs().iter().copied();
        inputs.filter(|&input| sent.contains(program.values[input].name.as_str())).collect()
    }

    /// The micro-batches that go through a chunk.
    pub fn share(&self, chunk: usize) -> Range<u32> {
        self.shares[chunk / self.placed.count].clone()
    }
}

/// Cuts what is to be computed over micro-batches.
///
/// # Errors
/// `G001` when there is no loop over micro-batches, `G002` when there are more chunks than ops, or stages by hand do
/// not fit the model.
pub fn cut<'p>(program: &'p Program, how: Cutting<'_>) -> Result<Cut<'p>, Vec<Diagnostic>> {
    let whole = Whole::of(program).map_err(|e| vec![e])?;
    let (forward, kept) = match how.cuts {
        Cuts::Count(count) => (by_count(&whole, &how).map_err(|e| vec![e])?, (0..*count).collect()),
        Cuts::ByHand(stages) => release(&whole, &how, by_hand(&whole, stages, how.schedule.chunks_per_stage())?),
    };
    let (count, replicas) = (kept.len() * how.schedule.chunks_per_stage(), how.shares.len());
    let placed = place(&whole, forward, count, replicas);
    let mut parts: Vec<Part> = (0..count * replicas).map(|chunk| Part::of(&whole, &placed, chunk)).collect();
    Part::join_for_others(&whole, &placed, &mut parts);
    let seams = Seams::of(&whole, &placed, &parts);
    for (chunk, part) in parts.iter_mut().enumerate() {
        part.take_in(&whole, seams.kept_for_others(chunk));
    }
    Ok(Cut { whole, placed, kept, shares: how.shares.to_vec(), parts, seams })
}
