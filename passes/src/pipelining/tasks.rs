//! Decomposition of the local programs of chunks into tasks: the work of each chunk once and for each micro-batch, and
//! the transfers between chunks.
//!
//! `analysis` determines when each op of a chunk's local program runs, and `decompose` writes the tasks.

mod analysis;
mod decompose;

use analysis::{ChunkAnalysis, Levels};
use decompose::{DecomposedChunk, decompose};
use partita_ir::diag::Diagnostic;
use partita_ir::pipeline::{BoundaryValue, Chunk, Transfer, TransferPhase};
use partita_ir::program::Program;

/// The chunks of a pipeline and the transfers between them, before they are scheduled.
#[derive(Clone, Debug)]
pub struct UnscheduledPipeline {
    /// Parts of the model, in order.
    pub chunks: Vec<Chunk>,
    /// Transfers between chunks.
    pub transfers: Vec<Transfer>,
}

/// Decomposes the local programs of chunks into tasks. `splits` is true if gradients of operands and of parameters are
/// separate works. Returns `None` if chunks depend on each other in a cycle after the micro-batches, since gradients in
/// one bucket may have several levels.
///
/// # Errors
/// `G001` when a program has no loop over micro-batches.
pub fn decompose_chunks(
    programs: &[Program],
    seams: &[BoundaryValue],
    splits: bool,
) -> Result<Option<UnscheduledPipeline>, Diagnostic> {
    let analyses =
        programs.iter().enumerate().map(|(number, program)| ChunkAnalysis::new(program, number, seams, splits));
    let analyses: Vec<ChunkAnalysis<'_>> = analyses.collect::<Result<_, _>>()?;
    let Some(levels) = levels(&analyses, seams.len()) else { return Ok(None) };
    let decomposed: Vec<DecomposedChunk> = analyses.iter().map(|analysis| decompose(analysis, &levels)).collect();
    let transfers = seams.iter().filter_map(|seam| transfer(&decomposed, seam)).collect();
    Ok(Some(UnscheduledPipeline {
        chunks: decomposed.into_iter().map(|decomposed| decomposed.chunk).collect(),
        transfers,
    }))
}

/// Returns the level of each seam that is sent after the micro-batches. Sent values depend on received ones, so that
/// the levels are iterated to a fixed point over all chunks. Returns `None` if there is none.
fn levels(analyses: &[ChunkAnalysis<'_>], seams: usize) -> Option<Levels> {
    let mut levels = Levels::default();
    for _ in 0..seams + 2 {
        let found = analyses.iter().flat_map(|analysis| analysis.sent(&analysis.levels(&levels)));
        let next: Levels = found.collect();
        if next == levels {
            return Some(levels);
        }
        levels = next;
    }
    None
}

fn transfer(decomposed: &[DecomposedChunk], seam: &BoundaryValue) -> Option<Transfer> {
    let &(from, after) = decomposed[seam.from].sent.get(&seam.name)?;
    let to = match seam.when {
        // A parameter is received under its path.
        TransferPhase::Before => {
            let path = &decomposed[seam.from].chunk.cells[from].name;
            decomposed[seam.to].chunk.inputs.iter().find(|port| port.name == *path)?.cell
        }
        TransferPhase::EachMicroBatch | TransferPhase::After => *decomposed[seam.to].received.get(&seam.name)?,
    };
    Some(Transfer { name: seam.name.clone(), from: (seam.from, from), to: (seam.to, to), after })
}
