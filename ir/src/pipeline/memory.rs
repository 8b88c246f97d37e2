//! What a device of a stage does with its memory in a step, and where everything lies: what replaces another value
//! takes its place where nobody reads that any more, outputs have buffers of their own, and all others share one block
//! by their lives.
//!
//! Who runs a stage goes by this, and so does who predicts what it will need. Of many micro-batches what comes and goes
//! at the same time is placed as one, so that a thousand of them are a few thousand places to find.

use super::events::{Event, Instance, Sent};
use super::{Entry, Pipeline, Scope};
use crate::offsets::{Block, Storage, offsets};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// What a task needs of memory, beside what it takes and gives.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Needs {
    /// Bytes of its own while it runs.
    pub frame: usize,
    /// By output, the input that it is written over; else it is written where it shall be.
    pub over: Vec<Option<usize>>,
}

/// One thing that is done, with what it reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Sets to zero.
    Clear(Instance),
    /// Copies the one to the other.
    Copy(Instance, Instance),
    /// Runs a task.
    Call {
        /// Of that chunk.
        chunk: usize,
        /// Which of its tasks.
        task: usize,
        /// For which micro-batch.
        micro_batch: Option<u32>,
        /// By input, the value.
        reads: Vec<Instance>,
        /// By output, the value.
        writes: Vec<Instance>,
        /// Where in the block its own bytes begin.
        frame: usize,
    },
    /// Begins to send or to receive.
    Start {
        /// What goes.
        message: Sent,
        /// The value that is sent from here.
        reads: Option<Instance>,
        /// The value that is received here.
        writes: Option<Instance>,
    },
    /// Waits until a transfer is complete.
    Wait(Sent),
}

/// Where a value lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// In the input of that number.
    Input(usize),
    /// In the buffer of the output of that number.
    Output(usize),
    /// Where the number of that micro-batch is kept.
    Number(u32),
    /// In the block, so many bytes from its beginning.
    Block(usize),
}

/// What holds a part of the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holder {
    /// A value, and what is written over it.
    Value(Instance),
    /// A task, while it runs.
    Task {
        /// Of that chunk.
        chunk: usize,
        /// Which of its tasks.
        task: usize,
    },
}

/// A part of the block, from one step to another, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Life {
    /// What lies there.
    pub holder: Holder,
    /// Its size.
    pub bytes: usize,
    /// The first step that needs it.
    pub first: usize,
    /// The last one.
    pub last: usize,
}

/// What a device of a stage does, and where everything lies.
#[derive(Clone, Debug)]
pub struct Memory {
    /// What it does, one after the other.
    pub steps: Vec<Step>,
    /// What lies in the block.
    pub lives: Vec<Life>,
    /// How large the block is.
    pub block: usize,
    /// By output, the input that it lies in; else it has a buffer of its own.
    pub outputs: Vec<Option<usize>>,
    homes: FxHashMap<Instance, Home>,
}

impl Memory {
    /// Assigns memory to all values of a stage that carries out these events. `needs` is by chunk and task.
    pub fn of(pipeline: &Pipeline, stage: usize, needs: &[Vec<Needs>], events: &[Event], storage: Storage) -> Memory {
        let mut layout = Layout {
            pipeline,
            needs,
            storage,
            inputs: pipeline.inputs_of(stage),
            outputs: pipeline.outputs_of(stage),
            steps: Vec::new(),
            fixed: FxHashMap::default(),
            over: FxHashMap::default(),
            made: 0,
        };
        layout.fix(events);
        layout.expand(events);
        let given = layout.give();
        layout.finish(given)
    }

    /// Where a value lies.
    pub fn home(&self, instance: Instance) -> Home {
        self.homes.get(&instance).copied().unwrap_or(Home::Block(0))
    }
}

struct Layout<'p> {
    pipeline: &'p Pipeline,
    needs: &'p [Vec<Needs>],
    storage: Storage,
    inputs: Vec<Entry>,
    outputs: Vec<Entry>,
    steps: Vec<Step>,
    /// Values that lie outside of the block.
    fixed: FxHashMap<Instance, Home>,
    /// By value, the one that it is written over.
    over: FxHashMap<Instance, Instance>,
    /// How many values there are that belong to no cell.
    made: usize,
}

impl Layout<'_> {
    fn instance(&self, chunk: usize, cell: usize, micro_batch: Option<u32>) -> Instance {
        let is_each = self.pipeline.chunks[chunk].cells[cell].scope == Scope::MicroBatch;
        Instance { chunk, cell, micro_batch: micro_batch.filter(|_| is_each) }
    }

    /// What an event reads and writes.
    fn touched(&self, event: &Event) -> (Vec<Instance>, Vec<Instance>) {
        match event {
            Event::Clear(instance) => (Vec::new(), vec![*instance]),
            Event::Call { chunk, task, micro_batch } => {
                let task = &self.pipeline.chunks[*chunk].tasks[*task];
                let all = |cells: &[usize]| cells.iter().map(|&c| self.instance(*chunk, c, *micro_batch)).collect();
                (all(&task.takes), all(&task.gives))
            }
            Event::Start { message, sends, receives } => {
                let transfer = &self.pipeline.transfers[message.transfer];
                let end = |(chunk, cell): (usize, usize)| self.instance(chunk, cell, message.micro_batch);
                let ends = (sends.then(|| end(transfer.from)), receives.then(|| end(transfer.to)));
                (ends.0.into_iter().collect(), ends.1.into_iter().collect())
            }
            Event::Wait(_) => Default::default(),
        }
    }

    /// Puts inputs, and numbers of micro-batches, where they are.
    fn fix(&mut self, events: &[Event]) {
        for (i, input) in self.inputs.iter().enumerate() {
            self.fixed.insert(self.instance(input.chunk, input.cell, None), Home::Input(i));
        }
        for event in events {
            let Event::Call { chunk, micro_batch: Some(micro_batch), .. } = event else { continue };
            if let Some(cell) = self.pipeline.chunks[*chunk].number {
                let instance = self.instance(*chunk, cell, Some(*micro_batch));
                self.fixed.insert(instance, Home::Number(*micro_batch));
            }
        }
    }

    /// By value, the last event that touches it.
    fn last_touched(&self, events: &[Event]) -> FxHashMap<Instance, usize> {
        let mut last = FxHashMap::default();
        let mut open: FxHashMap<Sent, Vec<Instance>> = FxHashMap::default();
        for (at, event) in events.iter().enumerate() {
            let (reads, writes) = self.touched(event);
            let all: Vec<Instance> = reads.into_iter().chain(writes).collect();
            last.extend(all.iter().map(|&instance| (instance, at)));
            match event {
                Event::Start { message, .. } => drop(open.insert(*message, all)),
                Event::Wait(message) => {
                    last.extend(open.remove(message).into_iter().flatten().map(|instance| (instance, at)));
                }
                _ => {}
            }
        }
        last
    }

    /// Makes steps of events: what a task writes over an operand is put there first, or taken from there.
    fn expand(&mut self, events: &[Event]) {
        let last = self.last_touched(events);
        let is_given = |instance: &Instance, outputs: &[Entry]| {
            instance.micro_batch.is_none()
                && outputs.iter().any(|o| (o.chunk, o.cell) == (instance.chunk, instance.cell))
        };
        for (at, event) in events.iter().enumerate() {
            let (mut reads, mut writes) = self.touched(event);
            match event {
                Event::Clear(instance) => self.steps.push(Step::Clear(*instance)),
                Event::Start { message, .. } => {
                    let step = Step::Start { message: *message, reads: reads.pop(), writes: writes.pop() };
                    self.steps.push(step);
                }
                Event::Wait(message) => self.steps.push(Step::Wait(*message)),
                Event::Call { chunk, task, micro_batch } => {
                    let mut behind = Vec::new();
                    for (output, over) in self.needs[*chunk][*task].over.iter().enumerate() {
                        let new = writes[output];
                        match *over {
                            Some(input) if reads[input] == new => {}
                            Some(input) => {
                                let old = reads[input];
                                let is_input = matches!(self.fixed.get(&old), Some(Home::Input(_)));
                                let is_free = last.get(&old) == Some(&at) && !is_given(&old, &self.outputs);
                                let may = if is_input {
                                    is_given(&new, &self.outputs)
                                } else {
                                    !self.fixed.contains_key(&old)
                                };
                                if is_free && may {
                                    self.over.insert(new, old);
                                } else {
                                    self.steps.push(Step::Copy(old, new));
                                    reads[input] = new;
                                }
                            }
                            None if reads.contains(&new) => {
                                self.made += 1;
                                writes[output] = another(self.pipeline, new, self.made);
                                behind.push(Step::Copy(writes[output], new));
                            }
                            None => {}
                        }
                    }
                    let (chunk, task, micro_batch) = (*chunk, *task, *micro_batch);
                    self.steps.push(Step::Call { chunk, task, micro_batch, reads, writes, frame: 0 });
                    self.steps.extend(behind);
                }
            }
        }
    }

    /// The value in whose place one lies.
    fn root(&self, mut instance: Instance) -> Instance {
        while let Some(&older) = self.over.get(&instance) {
            instance = older;
        }
        instance
    }

    /// Where outputs lie: over an input, or in a buffer of their own, into which they are copied if they lie elsewhere.
    fn give(&mut self) -> Vec<Option<usize>> {
        let mut given = Vec::with_capacity(self.outputs.len());
        for (number, output) in self.outputs.iter().enumerate() {
            let instance = self.instance(output.chunk, output.cell, None);
            let root = self.root(instance);
            let own = Home::Output(number);
            given.push(match self.fixed.get(&root) {
                Some(Home::Input(input)) if root != instance => Some(*input),
                Some(_) => {
                    self.made += 1;
                    let copy = another(self.pipeline, instance, self.made);
                    self.steps.push(Step::Copy(instance, copy));
                    self.fixed.insert(copy, own);
                    None
                }
                None => {
                    self.fixed.insert(root, own);
                    None
                }
            });
        }
        given
    }

    /// From when to when everything else is needed; by step that calls, the number of what the task needs for itself.
    fn lives(&self) -> (Vec<Life>, FxHashMap<Instance, usize>, Vec<usize>) {
        let mut lives: Vec<Life> = Vec::new();
        let mut life_of: FxHashMap<Instance, usize> = FxHashMap::default();
        let mut frame_of: Vec<usize> = vec![usize::MAX; self.steps.len()];
        let mut open: FxHashMap<Sent, Vec<Instance>> = FxHashMap::default();
        let mut touch = |instance: Instance, at: usize, lives: &mut Vec<Life>| {
            let root = self.root(instance);
            if !self.fixed.contains_key(&root) {
                let life = *life_of.entry(root).or_insert_with(|| {
                    let bytes = self.storage.bytes(&self.pipeline.local_type(root));
                    lives.push(Life { holder: Holder::Value(root), bytes, first: at, last: at });
                    lives.len() - 1
                });
                lives[life].last = at;
            }
        };
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::Clear(instance) => touch(*instance, at, &mut lives),
                Step::Copy(from, to) => [from, to].into_iter().for_each(|&v| touch(v, at, &mut lives)),
                Step::Call { chunk, task, reads, writes, .. } => {
                    reads.iter().chain(writes).for_each(|&v| touch(v, at, &mut lives));
                    let (holder, bytes) =
                        (Holder::Task { chunk: *chunk, task: *task }, self.needs[*chunk][*task].frame);
                    frame_of[at] = lives.len();
                    lives.push(Life { holder, bytes, first: at, last: at });
                }
                Step::Start { message, reads, writes } => {
                    let touched: Vec<Instance> = reads.iter().chain(writes).copied().collect();
                    touched.iter().for_each(|&v| touch(v, at, &mut lives));
                    open.insert(*message, touched);
                }
                Step::Wait(message) => {
                    open.remove(message).into_iter().flatten().for_each(|v| touch(v, at, &mut lives));
                }
            }
        }
        (lives, life_of, frame_of)
    }

    /// Lays everything else out by its life.
    fn finish(mut self, outputs: Vec<Option<usize>>) -> Memory {
        let (lives, life_of, frame_of) = self.lives();
        let (places, block) = places(&lives, self.storage.align);
        let mut homes: FxHashMap<Instance, Home> = FxHashMap::default();
        for &instance in life_of.keys().chain(self.fixed.keys()).chain(self.over.keys()) {
            let root = self.root(instance);
            let in_block = || life_of.get(&root).map(|&life| Home::Block(places[life]));
            homes.extend(self.fixed.get(&root).copied().or_else(in_block).map(|home| (instance, home)));
        }
        for (step, life) in self.steps.iter_mut().zip(frame_of) {
            if let Step::Call { frame, .. } = step {
                *frame = places[life];
            }
        }
        Memory { steps: self.steps, lives, block, outputs, homes }
    }
}

/// Another value of the size of one, the `made`-th: what belongs to no cell counts on behind them.
fn another(pipeline: &Pipeline, like: Instance, made: usize) -> Instance {
    let cells = pipeline.chunks[like.chunk].cells.len();
    Instance { cell: like.cell % cells + made * cells, ..like }
}

/// So many lives are placed one by one.
const FEW: usize = 2000;

/// The place of each life in a block, a multiple of `align`, and how large the block is. Where there are many, what
/// comes and goes at the same time lies side by side.
fn places(lives: &[Life], align: usize) -> (Vec<usize>, usize) {
    let mut together: IndexMap<(usize, usize, usize), Block> = IndexMap::new();
    let mut place = |(number, life): (usize, &Life)| {
        let alone = if lives.len() <= FEW { number } else { 0 };
        let none = Block { bytes: 0, first: life.first, last: life.last };
        let entry = together.entry((life.first, life.last, alone));
        let block = entry.index();
        let of = entry.or_insert(none);
        let within = of.bytes;
        of.bytes += life.bytes.next_multiple_of(align);
        (block, within)
    };
    let parts: Vec<(usize, usize)> = lives.iter().enumerate().map(&mut place).collect();
    let blocks: Vec<Block> = together.into_values().collect();
    let (starts, end) = offsets(&blocks, align);
    (parts.into_iter().map(|(block, within)| starts[block] + within).collect(), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lives_overlap_nowhere_either() {
        let holder = Holder::Task { chunk: 0, task: 0 };
        let life = |i: usize| Life { holder, bytes: 1 + i * 37 % 500, first: i / 3, last: i / 3 + i / 3 % 7 };
        for (count, align) in [(FEW, 64), (FEW + 1, 256)] {
            let lives: Vec<Life> = (0..count).map(life).collect();
            let (places, end) = places(&lives, align);
            for (i, a) in lives.iter().enumerate() {
                assert!(places[i].is_multiple_of(align) && places[i] + a.bytes <= end);
                for (j, b) in lives.iter().enumerate().skip(i + 1) {
                    let apart = places[i] + a.bytes <= places[j] || places[j] + b.bytes <= places[i];
                    assert!(apart || a.last < b.first || b.last < a.first, "{i} and {j}");
                }
            }
        }
    }
}
