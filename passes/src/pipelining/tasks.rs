//! From the programs of stages to tasks: what each chunk does once and for each micro-batch, and what they hand each
//! other.
//!
//! `apart` sees one device's program of a chunk as what is done when, and `take` writes that as small programs.

mod apart;
mod take;

use apart::{Apart, Levels};
use partita_ir::diag::Diagnostic;
use partita_ir::pipeline::{Chunk, Seam, Transfer, When};
use partita_ir::program::Program;
use take::{Taken, take};

/// The chunks of a pipeline, and what they hand each other, before anything is ordered.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// Pieces of the model, in its order.
    pub chunks: Vec<Chunk>,
    /// What they hand each other.
    pub transfers: Vec<Transfer>,
}

/// Takes the programs of stages apart, which are in form local by now. `splits` says whether gradients of operands and
/// of parameters are works of their own. Nothing where chunks wait for each other in a circle behind the micro-batches:
/// gradients that are reduced together may be of several levels.
///
/// # Errors
/// `G001` when one has no loop over micro-batches.
pub fn chunks(programs: &[Program], seams: &[Seam], splits: bool) -> Result<Option<Chunks>, Diagnostic> {
    let apart = programs.iter().enumerate().map(|(number, program)| Apart::of(program, number, seams, splits));
    let apart: Vec<Apart<'_>> = apart.collect::<Result<_, _>>()?;
    let Some(levels) = levels(&apart, seams.len()) else { return Ok(None) };
    let taken: Vec<Taken> = apart.iter().map(|apart| take(apart, &levels)).collect();
    let transfers = seams.iter().filter_map(|seam| transfer(&taken, seam)).collect();
    Ok(Some(Chunks { chunks: taken.into_iter().map(|taken| taken.chunk).collect(), transfers }))
}

/// The level of each seam behind the micro-batches. What is sent depends on what was received, over all chunks, so that
/// levels are raised until none rises any more; nothing if they never stop.
fn levels(apart: &[Apart<'_>], seams: usize) -> Option<Levels> {
    let mut levels = Levels::default();
    for _ in 0..seams + 2 {
        let found = apart.iter().flat_map(|apart| apart.sent(&apart.levels(&levels)));
        let next: Levels = found.collect();
        if next == levels {
            return Some(levels);
        }
        levels = next;
    }
    None
}

fn transfer(taken: &[Taken], seam: &Seam) -> Option<Transfer> {
    let &(from, behind) = taken[seam.from].leaves.get(&seam.name)?;
    let to = match seam.when {
        // A parameter enters by its path.
        When::Before => {
            let path = &taken[seam.from].chunk.cells[from].name;
            taken[seam.to].chunk.inputs.iter().find(|port| port.name == *path)?.cell
        }
        When::Each | When::After => *taken[seam.to].enters.get(&seam.name)?,
    };
    Some(Transfer { name: seam.name.clone(), from: (seam.from, from), to: (seam.to, to), behind })
}
