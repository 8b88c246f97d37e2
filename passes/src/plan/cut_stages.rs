//! Cuts a training step into stages of a pipeline, each a program of its own for a mesh of its own.
//!
//! What is cut is the loop over micro-batches that `accumulate` made, forward and backward pass at once: an op of the model is on the
//! stage that the cuts say, its gradients are where they have what they read ([`place`]), and each parameter with its update where it
//! is read first. Every stage becomes a program like any other ([`extract`]), which is laid out and partitioned by itself; what goes
//! from one to another are its inputs and outputs, the [`Seam`]s. A weight that two stages share lives on one and is sent to the
//! other; its gradient is added up on both.
//!
//! What is made of data alone, or of parameters alone, is made again by whoever reads it.

mod balance;
mod extract;
mod part;
mod place;
mod whole;

use balance::{Costs, by_count};
use extract::{Seams, extract};
use part::Part;
use partita_ir::diag::Diagnostic;
use partita_ir::pipeline::Seam;
use partita_ir::program::Program;
use place::place;
use whole::Whole;

/// A program in stages.
#[derive(Clone, Debug)]
pub struct Stages {
    /// The program of each stage, in form traced, without a mesh.
    pub programs: Vec<Program>,
    /// What they hand each other.
    pub seams: Vec<Seam>,
}

/// Cuts a training step over micro-batches into so many stages.
///
/// # Errors
/// `G001` when there is no loop over micro-batches, `G002` when there are more stages than ops.
pub fn cut(program: &Program, stages: usize) -> Result<Stages, Diagnostic> {
    let whole = Whole::of(program)?;
    let placed = place(&whole, by_count(&whole, &Costs::of(&whole), stages)?, stages);
    let parts: Vec<Part> = (0..stages).map(|stage| Part::of(&whole, &placed, stage)).collect();
    let seams = Seams::of(&whole, &placed, &parts);
    let programs =
        parts.iter().enumerate().map(|(stage, part)| extract(&whole, &placed, part, &seams, stage)).collect();
    Ok(Stages { programs, seams: seams.all })
}
