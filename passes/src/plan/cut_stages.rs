//! Cuts a training step into stages of a pipeline, each a program of its own for a mesh of its own.
//!
//! What is cut is a loop over micro-batches ([`crate::micro_batches`]), forward and backward pass at once: an op of the model is on the
//! stage that the cuts say, its gradients are where they have what they read ([`place`]), and each parameter with its update where it
//! is read first. Every stage becomes a program like any other ([`extract`]), which is laid out and partitioned by itself; what goes
//! from one to another are its inputs and outputs, the [`Seam`]s. A weight that two stages share lives on one and is sent to the
//! other; its gradient is added up on both.
//!
//! What is made of data alone, or of parameters alone, is made again by whoever reads it.

mod balance;
mod by_hand;
mod extract;
mod part;
mod place;
mod whole;

use balance::{Costs, by_count};
use by_hand::by_hand;
use extract::{Seams, extract};
use part::Part;
use partita_ir::diag::Diagnostic;
use partita_ir::pipeline::Seam;
use partita_ir::plan::pipeline::Cuts;
use partita_ir::program::Program;
use place::{Placed, place};
use whole::Whole;

/// A program in stages.
pub struct Stages<'p> {
    whole: Whole<'p>,
    placed: Placed,
    parts: Vec<Part>,
    seams: Seams,
}

impl Stages<'_> {
    /// How many chunks there are.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// The program of a chunk, in form traced. Ids mean what they mean in the program that was cut.
    pub fn program(&self, chunk: usize) -> Program {
        extract(&self.whole, &self.placed, &self.parts[chunk], &self.seams, chunk)
    }

    /// What chunks hand each other.
    pub fn seams(&self) -> &[Seam] {
        &self.seams.all
    }

    /// In how many parts the batch goes through them.
    pub fn micro_batches(&self) -> u32 {
        self.whole.micro_batches()
    }
}

/// Cuts what is to be computed over micro-batches into stages of so many chunks each.
///
/// # Errors
/// `G001` when there is no loop over micro-batches, `G002` when there are more chunks than ops, or stages by hand do not fit the model.
pub fn cut<'p>(program: &'p Program, cuts: &Cuts, chunks_per_stage: usize) -> Result<Stages<'p>, Vec<Diagnostic>> {
    let whole = Whole::of(program).map_err(|e| vec![e])?;
    let costs = Costs::of(&whole);
    let count = cuts.count() * chunks_per_stage;
    let forward = match cuts {
        Cuts::Count(_) => by_count(&whole, &costs, count).map_err(|e| vec![e])?,
        Cuts::ByHand(stages) => by_hand(&whole, stages, chunks_per_stage)?,
    };
    let placed = place(&whole, forward, count);
    let parts: Vec<Part> = (0..count).map(|chunk| Part::of(&whole, &placed, chunk)).collect();
    let seams = Seams::of(&whole, &placed, &parts);
    Ok(Stages { whole, placed, parts, seams })
}
