//! What one device of each stage holds over a step: inputs and outputs, which are there all the time, and what shares a
//! block by lives.
//!
//! Where everything lies is decided as for a run ([`Memory`]); only what a task needs for itself while it runs is
//! predicted ([`needs`]).

use super::pipeline::Kept;
use super::roofline::frame::frame;
use partita_ir::offsets::Storage;
use partita_ir::pipeline::events::events;
use partita_ir::pipeline::memory::{Holder, Life, Memory, Needs, Step};
use partita_ir::pipeline::{Moment, Pipeline, Scope, Task};
use partita_ir::schedule::Work;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What a device of a stage holds.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Held {
    /// Parameters, state and data.
    pub inputs: u64,
    /// Outputs that do not replace an input.
    pub outputs: u64,
    /// What is held from the first to the last micro-batch, beside inputs: sums, and what is made before.
    pub sums: u64,
    /// The most bytes that one task needs for itself.
    pub largest_frame: u64,
    /// By chunk of the stage, what is kept of a micro-batch from its forward part on.
    pub kept: Vec<(usize, Kept)>,
    /// The most bytes at one time, inputs and outputs included: what is allocated for a run.
    pub peak: u64,
    /// By output of the stage, whether it has a buffer of its own.
    pub own: Vec<bool>,
    /// What the block holds when it holds most, the largest first.
    pub fullest: Vec<Living>,
}

/// Values of a cell, or what a task needs for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Living {
    /// The cell, as the value of one of its micro-batches, or the task.
    pub holder: Holder,
    /// Of how many micro-batches there is one.
    pub count: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

impl Held {
    /// What is there all the time.
    pub fn always(&self) -> u64 {
        self.inputs.saturating_add(self.outputs).saturating_add(self.sums)
    }
}

/// By stage. `needs` says what the task of a chunk needs for itself: [`needs`].
pub fn held(pipeline: &Pipeline, needs: &[Vec<Needs>]) -> Vec<Held> {
    let events = events(pipeline);
    let memory = |(stage, events): (usize, &Vec<_>)| {
        of_stage(pipeline, stage, &Memory::of(pipeline, stage, needs, events, Storage::HOST))
    };
    events.iter().enumerate().map(memory).collect()
}

/// By chunk and task, what it needs for itself.
pub fn needs(pipeline: &Pipeline) -> Vec<Vec<Needs>> {
    let of_task = |task: &Task| Needs { frame: frame(&task.program) as usize, over: over(task) };
    pipeline.chunks.iter().map(|chunk| chunk.tasks.iter().map(of_task).collect()).collect()
}

/// By output of a task, the input that it replaces.
fn over(task: &Task) -> Vec<Option<usize>> {
    let main = &task.program.funcs[task.program.entry()];
    let replaced = main.outputs.iter().map(|output| output.alias.map(|param| task.program.params[param].value));
    replaced.map(|value| main.inputs.iter().position(|&input| Some(input) == value)).collect()
}

fn of_stage(pipeline: &Pipeline, stage: usize, memory: &Memory) -> Held {
    let cell =
        |entry: &partita_ir::pipeline::Entry| pipeline.chunks[entry.chunk].cells[entry.cell].local_type().bytes();
    let inputs = pipeline.inputs_of(stage).iter().map(cell).sum();
    let outputs = pipeline.outputs_of(stage);
    let own = outputs.iter().zip(&memory.outputs).filter(|(_, over)| over.is_none());
    let outputs = own.map(|(entry, _)| cell(entry)).sum();
    let is_slot = |step: &Step| matches!(step, Step::Call { micro_batch: Some(_), .. });
    let slots = memory.steps.iter().position(is_slot).zip(memory.steps.iter().rposition(is_slot));
    let bytes = |lives: &mut dyn Iterator<Item = &Life>| lives.map(|life| life.bytes as u64).sum::<u64>();
    let lasts = |life: &&Life| slots.is_some_and(|(first, last)| life.first <= first && life.last >= last);
    let is_task = |life: &&Life| matches!(life.holder, Holder::Task { .. });
    Held {
        inputs,
        outputs,
        sums: bytes(&mut memory.lives.iter().filter(lasts)),
        largest_frame: memory.lives.iter().filter(is_task).map(|life| life.bytes as u64).max().unwrap_or(0),
        kept: pipeline.chunks_of(stage).map(|chunk| (chunk, kept(pipeline, chunk))).collect(),
        peak: inputs + outputs + memory.block as u64,
        own: memory.outputs.iter().map(Option::is_none).collect(),
        fullest: fullest(memory),
    }
}

/// What a chunk keeps of a micro-batch: what its forward part gives, or was sent, and gradients read.
fn kept(pipeline: &Pipeline, chunk: usize) -> Kept {
    let of = &pipeline.chunks[chunk];
    let mut kept = Kept::default();
    for (number, cell) in of.cells.iter().enumerate().filter(|(_, cell)| cell.scope == Scope::MicroBatch) {
        let given = of.tasks.iter().find(|task| task.gives.contains(&number)).map(|task| task.moment);
        let is_read = |work: Work| of.task(Moment::Slot(work)).is_some_and(|task| task.takes.contains(&number));
        let is_later = given.is_some_and(|moment| moment != Moment::Slot(Work::Forward));
        if is_later || of.number == Some(number) {
            continue;
        }
        let bytes = cell.local_type().bytes() as i64;
        if is_read(Work::BackwardWeight) {
            kept.weight += bytes;
        } else if is_read(Work::Backward) || is_read(Work::BackwardInput) {
            kept.input += bytes;
        }
    }
    kept
}

/// What the block holds when it holds most: values of a cell together.
fn fullest(memory: &Memory) -> Vec<Living> {
    let mut changes = vec![0i64; memory.steps.len() + 1];
    for life in &memory.lives {
        changes[life.first] += life.bytes as i64;
        changes[life.last + 1] -= life.bytes as i64;
    }
    let (mut now, mut most) = (0, (0, 0));
    for (at, change) in changes.iter().enumerate() {
        now += change;
        if now > most.0 {
            most = (now, at);
        }
    }
    let mut found: BTreeMap<(usize, usize, bool), Living> = BTreeMap::new();
    for life in memory.lives.iter().filter(|life| life.bytes > 0 && (life.first..=life.last).contains(&most.1)) {
        let key = match life.holder {
            Holder::Value(instance) => (instance.chunk, instance.cell, true),
            Holder::Task { chunk, task } => (chunk, task, false),
        };
        let living = found.entry(key).or_insert(Living { holder: life.holder, count: 0, bytes: 0 });
        living.count += 1;
        living.bytes += life.bytes as u64;
    }
    let mut fullest: Vec<Living> = found.into_values().collect();
    fullest.sort_by_key(|living| Reverse(living.bytes));
    fullest
}
