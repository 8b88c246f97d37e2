//! Cuts a training step into the stages of a pipeline, each a separate program for a separate mesh.
//!
//! The input is a loop over micro-batches ([`crate::training::micro_batches`]) that contains the forward and the
//! backward pass. The cuts assign a stage to each op of the forward pass. An op of the backward pass is placed on the
//! stage that has its operands (`place`), and a parameter and its update on the first stage that reads the parameter.
//! Every stage becomes a separate program (`extract`), to which layouts are assigned and which is partitioned. Values
//! that stages exchange are inputs and outputs of these programs, the [`BoundaryValue`]s. A weight with readers on two
//! stages is stored on one and sent to the other, and its gradient is accumulated on both.
//!
//! Functions of data alone, or of parameters alone, are recomputed on every stage that reads them.
//!
//! A pipeline may have several replicas, each for its share of the micro-batches. A chunk of another replica shares all
//! weights with the same chunk of the first replica, which stores them, sums the gradients of all replicas, and runs
//! the update.

mod balance;
mod chunk_contents;
mod explicit;
mod extract;
mod memory;
mod placement;
mod release;
mod seams;
mod step_analysis;

use balance::{OpCosts, balanced_chunks};
use chunk_contents::ChunkContents;
use explicit::explicit_chunks;
pub use extract::ChunkProgram;
use extract::extract;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::pipeline::{BoundaryValue, TransferPhase};
use partita_ir::plan::pipeline::StageSplit;
use partita_ir::program::{Name, Program};
use partita_ir::schedule::ScheduleKind;
use partita_machine::DeviceKind;
use placement::{Placement, place_ops};
use release::merge_frozen_stages;
use rustc_hash::FxHashSet;
use seams::Seams;
use std::ops::Range;
use std::sync::Arc;
use step_analysis::StepAnalysis;

/// Options of a cut.
#[derive(Clone, Copy, Debug)]
pub struct CutOptions<'a> {
    /// The cuts.
    pub cuts: &'a StageSplit,
    /// The schedule, which determines the number of chunks of each stage.
    pub schedule: ScheduleKind,
    /// The devices of each stage.
    pub stages: &'a [StageDevices<'a>],
    /// The micro-batches of each replica of the pipeline.
    pub shares: &'a [Range<u32>],
    /// True if the backward pass recomputes activations instead of storing them.
    pub recomputes: bool,
}

/// The devices of a stage.
#[derive(Clone, Copy, Debug)]
pub struct StageDevices<'m> {
    /// Number of devices.
    pub devices: usize,
    /// The kind of the devices, if known.
    pub kind: Option<&'m DeviceKind>,
    /// Link from each device to the next stage, if known.
    pub link: Option<StageLink>,
    /// Memory of each device, in bytes.
    pub memory: u64,
}

/// Link from a device to the next stage.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StageLink {
    /// Bytes per second.
    pub bandwidth: f64,
    /// Seconds of each transfer, in addition to those of its bytes.
    pub latency: f64,
}

impl CutOptions<'_> {
    /// Returns the least number of micro-batches of a replica.
    fn micro_batches(&self) -> usize {
        self.shares.iter().map(ExactSizeIterator::len).min().unwrap_or(1).max(1)
    }

    /// Returns the number of chunks of a replica.
    fn chunks(&self) -> usize {
        self.stages.len() * self.schedule.chunks_per_stage()
    }
}

/// Returns the seconds of a stage for a micro-batch, if the model could be cut into stages of equal duration.
///
/// # Errors
/// `G001` when the program has no loop over micro-batches.
pub fn balanced_seconds(program: &Program, stages: &[StageDevices<'_>]) -> Result<f64, Diagnostic> {
    Ok(OpCosts::new(&StepAnalysis::new(program)?, stages).ideal_stage_seconds())
}

/// A program cut into chunks, in order of replicas.
pub struct StageCut<'p> {
    step: StepAnalysis<'p>,
    /// Names of all values of the step.
    names: Arc<FxHashSet<Name>>,
    placement: Placement,
    stages: Vec<usize>,
    shares: Vec<Range<u32>>,
    contents: Vec<ChunkContents>,
    seams: Seams,
}

impl StageCut<'_> {
    /// Returns the number of chunks in all replicas.
    pub fn count(&self) -> usize {
        self.contents.len()
    }

    /// Returns the program of a chunk, in the form of `planned`, which is the program that was cut, possibly with other
    /// layouts.
    pub fn program(&self, chunk: usize, planned: &Program) -> ChunkProgram {
        let step = (&self.step, &self.names);
        extract(step, &self.placement, &self.contents[chunk], &self.seams, (chunk, self.share(chunk)), planned)
    }

    /// Returns the requested numbers of the stages that remain after frozen stages are merged into others.
    pub fn stages(&self) -> &[usize] {
        &self.stages
    }

    /// Returns the values that chunks exchange.
    pub fn seams(&self) -> &[BoundaryValue] {
        &self.seams.all
    }

    /// Returns the inputs of a chunk's program that other chunks send for each micro-batch.
    pub fn activations(&self, chunk: usize, program: &Program) -> FxHashSet<ValueId> {
        let sent = self.seams.all.iter().filter(|seam| seam.to == chunk && seam.when == TransferPhase::EachMicroBatch);
        let sent: FxHashSet<&str> = sent.map(|seam| seam.name.as_str()).collect();
        let inputs = program.inputs().iter().copied();
        inputs.filter(|&input| sent.contains(program.values[input].name.as_str())).collect()
    }

    /// Returns the micro-batches of a chunk.
    pub fn share(&self, chunk: usize) -> Range<u32> {
        self.shares[chunk / self.placement.count].clone()
    }
}

/// Cuts a program with a loop over micro-batches.
///
/// # Errors
/// `G001` when the program has no loop over micro-batches; `G002` when there are more chunks than ops, or when explicit
/// stages do not fit the model.
pub fn cut<'p>(program: &'p Program, options: CutOptions<'_>) -> Result<StageCut<'p>, Vec<Diagnostic>> {
    let step = StepAnalysis::new(program).map_err(|e| vec![e])?;
    let (forward, stages) = match options.cuts {
        StageSplit::Count(count) => (balanced_chunks(&step, &options).map_err(|e| vec![e])?, (0..*count).collect()),
        StageSplit::Explicit { stages, chunks } if chunks.len() > *stages => {
            (explicit_chunks(&step, chunks)?, (0..*stages).collect())
        }
        StageSplit::Explicit { chunks, .. } => merge_frozen_stages(&step, &options, explicit_chunks(&step, chunks)?),
    };
    let (count, replicas) = (stages.len() * options.schedule.chunks_per_stage(), options.shares.len());
    let placement = place_ops(&step, forward, count, replicas);
    let mut contents: Vec<ChunkContents> =
        (0..count * replicas).map(|chunk| ChunkContents::new(&step, &placement, chunk)).collect();
    ChunkContents::add_joins_for_readers(&step, &placement, &mut contents);
    let seams = Seams::new(&step, &placement, &contents);
    for (chunk, chunk_contents) in contents.iter_mut().enumerate() {
        chunk_contents.add_stored_inputs(&step, seams.sent_before(chunk));
    }
    let names = Arc::new(program.values.values().map(|value| value.name.clone()).collect());
    Ok(StageCut { step, names, placement, stages, shares: options.shares.to_vec(), contents, seams })
}
