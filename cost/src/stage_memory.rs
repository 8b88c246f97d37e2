//! Memory of one device of each stage over a step: inputs and outputs, which are permanently allocated, and a block
//! that is shared by values with disjoint live ranges.
//!
//! Values that are live between tasks are stored in cells ([`Cell`](partita_ir::pipeline::Cell)). Buffer offsets are
//! assigned as for an execution ([`MemoryPlan`]). Only the temporary memory of tasks is predicted ([`task_needs`]).

use super::memory::{local_bytes, peak};
use super::pipeline::SavedActivations;
use super::roofline::efficiencies::Fusion;
use super::roofline::frame::frame;
use partita_ir::offsets::Storage;
use partita_ir::pipeline::events::events;
use partita_ir::pipeline::memory::{BlockUser, LiveBlock, MemoryPlan, Step, TaskMemory};
use partita_ir::pipeline::{CellScope, Pipeline, Task, TaskTime};
use partita_ir::program::{self, Program};
use partita_ir::schedule::Work;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Memory of one device of a stage.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct StageMemory {
    /// Bytes of parameters, optimizer state and input data.
    pub inputs: u64,
    /// Bytes of outputs that do not replace an input.
    pub outputs: u64,
    /// Bytes that are live from the first to the last micro-batch, excluding inputs: gradient sums and values computed
    /// before the micro-batches.
    pub sums: u64,
    /// Maximum temporary bytes of a task ([`frame`]).
    pub largest_frame: u64,
    /// Activation memory saved per micro-batch, for each chunk of the stage: chunk index and bytes.
    pub saved: Vec<(usize, SavedActivations)>,
    /// Peak bytes including inputs and outputs, as allocated for an execution.
    pub peak: u64,
    /// For each output of the stage, true if it has a separate buffer.
    pub has_own_buffer: Vec<bool>,
    /// Contents of the shared block at the peak, in descending order of size.
    pub at_peak: Vec<LiveGroup>,
}

/// Live instances of a cell, or the temporary memory of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveGroup {
    /// The cell, represented by the instance of one of its micro-batches, or the task.
    pub holder: BlockUser,
    /// Number of micro-batches with a live instance.
    pub count: u64,
    /// Bytes of all instances.
    pub bytes: u64,
}

impl StageMemory {
    /// Returns the bytes that are allocated for the entire step, or for all its micro-batches.
    pub fn resident_bytes(&self) -> u64 {
        self.inputs.saturating_add(self.outputs).saturating_add(self.sums)
    }
}

/// Returns the memory of each stage. `needs` contains the result of [`task_needs`].
pub fn predict_stage_memory(pipeline: &Pipeline, needs: &[Vec<TaskMemory>]) -> Vec<StageMemory> {
    let events = events(pipeline);
    let memory = |(stage, events): (usize, &Vec<_>)| {
        stage_memory(pipeline, stage, &MemoryPlan::new(pipeline, stage, needs, events, Storage::HOST))
    };
    events.iter().enumerate().map(memory).collect()
}

/// Returns the predicted memory requirements of each task of each chunk. Without fusion into products, every value is
/// stored.
pub fn task_needs(pipeline: &Pipeline, fusion: Fusion) -> Vec<Vec<TaskMemory>> {
    let frame_bytes = |program: &Program| match fusion {
        Fusion::Products => frame(program, fusion).bytes,
        Fusion::Loops | Fusion::Chains | Fusion::None => unfused_frame_bytes(program),
    };
    let of_task =
        |task: &Task| TaskMemory { frame: frame_bytes(&task.program) as usize, overwrites: replaced_inputs(task) };
    pipeline.chunks.iter().map(|chunk| chunk.tasks.iter().map(of_task).collect()).collect()
}

/// Returns the peak bytes of the values of a program, except for its inputs.
fn unfused_frame_bytes(program: &Program) -> u64 {
    let inputs = program.inputs().iter().map(|&input| local_bytes(program, input));
    peak(program).bytes.saturating_sub(inputs.fold(0, u64::saturating_add))
}

/// Returns, for each output of a task, the index of the input that it replaces.
fn replaced_inputs(task: &Task) -> Vec<Option<usize>> {
    let main = &task.program.funcs[task.program.entry()];
    let position = |output: &program::Output| main.inputs.iter().position(|&input| Some(input) == output.replaces);
    main.outputs.iter().map(position).collect()
}

fn stage_memory(pipeline: &Pipeline, stage: usize, memory: &MemoryPlan) -> StageMemory {
    let cell =
        |entry: &partita_ir::pipeline::StagePort| pipeline.chunks[entry.chunk].cells[entry.cell].local_type().bytes();
    let inputs = pipeline.inputs_of(stage).iter().map(cell).sum();
    let outputs = pipeline.outputs_of(stage);
    let own = outputs.iter().zip(&memory.outputs).filter(|(_, over)| over.is_none());
    let outputs = own.map(|(entry, _)| cell(entry)).sum();
    let is_slot = |step: &Step| matches!(step, Step::Call { micro_batch: Some(_), .. });
    let slots = memory.steps.iter().position(is_slot).zip(memory.steps.iter().rposition(is_slot));
    let bytes = |blocks: &mut dyn Iterator<Item = &LiveBlock>| blocks.map(|block| block.bytes as u64).sum::<u64>();
    let lasts = |block: &&LiveBlock| slots.is_some_and(|(first, last)| block.first <= first && block.last >= last);
    let is_task = |block: &&LiveBlock| matches!(block.holder, BlockUser::Task { .. });
    StageMemory {
        inputs,
        outputs,
        sums: bytes(&mut memory.blocks.iter().filter(lasts)),
        largest_frame: memory.blocks.iter().filter(is_task).map(|block| block.bytes as u64).max().unwrap_or(0),
        saved: pipeline.chunks_of(stage).map(|chunk| (chunk, saved_activations(pipeline, chunk))).collect(),
        peak: inputs + outputs + memory.block as u64,
        has_own_buffer: memory.outputs.iter().map(Option::is_none).collect(),
        at_peak: contents_at_peak(memory),
    }
}

/// Returns the activation memory that a chunk saves per micro-batch: results of the forward task and received values
/// that a backward task reads, and gradients that the task for operands leaves to that for parameters. The data of the
/// micro-batch itself is excluded.
fn saved_activations(pipeline: &Pipeline, chunk: usize) -> SavedActivations {
    let owner = &pipeline.chunks[chunk];
    let mut saved = SavedActivations::default();
    for (number, cell) in owner.cells.iter().enumerate().filter(|(_, cell)| cell.scope == CellScope::MicroBatch) {
        if owner.micro_batch_cell == Some(number) {
            continue;
        }
        let own = owner.tasks.iter().find(|task| task.output_cells.contains(&number)).map(|task| task.moment);
        let received = pipeline.transfers.iter().find(|transfer| transfer.to == (chunk, number));
        let produced = own.or(received.map(|transfer| transfer.after));
        let is_read =
            |work: Work| owner.task(TaskTime::Slot(work)).is_some_and(|task| task.input_cells.contains(&number));
        let bytes = cell.local_type().bytes() as i64;
        match produced {
            Some(TaskTime::Slot(Work::Backward | Work::BackwardInput)) if is_read(Work::BackwardWeight) => {
                saved.gradient += bytes;
            }
            Some(TaskTime::Slot(Work::Forward)) | None if is_read(Work::BackwardWeight) => saved.weight += bytes,
            Some(TaskTime::Slot(Work::Forward)) | None if is_read(Work::Backward) || is_read(Work::BackwardInput) => {
                saved.input += bytes;
            }
            Some(TaskTime::Slot(_) | TaskTime::Before | TaskTime::After(_)) | None => {}
        }
    }
    saved
}

/// Returns the contents of the shared block at its peak, grouped by cell or task, in descending order of size.
fn contents_at_peak(memory: &MemoryPlan) -> Vec<LiveGroup> {
    let mut changes = vec![0i64; memory.steps.len() + 1];
    for block in &memory.blocks {
        changes[block.first] += block.bytes as i64;
        changes[block.last + 1] -= block.bytes as i64;
    }
    let (mut current, mut peak) = (0, (0, 0));
    for (at, change) in changes.iter().enumerate() {
        current += change;
        if current > peak.0 {
            peak = (current, at);
        }
    }
    let mut found: BTreeMap<(usize, usize, bool), LiveGroup> = BTreeMap::new();
    for block in memory.blocks.iter().filter(|block| block.bytes > 0 && (block.first..=block.last).contains(&peak.1)) {
        let key = match block.holder {
            BlockUser::Value(instance) => (instance.chunk, instance.cell, true),
            BlockUser::Task { chunk, task } => (chunk, task, false),
        };
        let group = found.entry(key).or_insert(LiveGroup { holder: block.holder, count: 0, bytes: 0 });
        group.count += 1;
        group.bytes += block.bytes as u64;
    }
    let mut contents: Vec<LiveGroup> = found.into_values().collect();
    contents.sort_by_key(|group| Reverse(group.bytes));
    contents
}
