//! Where values of a stage lie: what replaces another value takes its place where nobody reads that any more, outputs have buffers of
//! their own, and all others share one block by their lives.

use super::events::{Event, Instance, Sent};
use super::stage::{Entry, Ready};
use crate::assemble::offsets::{Block, offsets};
use crate::code::{Address, Base, Output};
use crate::memory::ALIGN;
use partita_ir::pipeline::{Pipeline, Scope};
use rustc_hash::FxHashMap;

/// One thing that is done, with what it reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Do {
    Clear(Instance),
    Copy(Instance, Instance),
    Call { chunk: usize, task: usize, reads: Vec<Instance>, writes: Vec<Instance>, event: Event },
    Start { message: Sent, reads: Option<Instance>, writes: Option<Instance> },
    Wait(Sent),
}

/// What a stage does, and where everything lies.
pub(super) struct Memory {
    pub(super) steps: Vec<Do>,
    /// By step that calls, where the frame of the callee begins.
    pub(super) frames: Vec<usize>,
    pub(super) frame_bytes: usize,
    /// By output of the stage.
    pub(super) outputs: Vec<Output>,
    homes: FxHashMap<Instance, Address>,
}

impl Memory {
    /// Where a value lies.
    pub(super) fn address(&self, instance: Instance) -> Address {
        self.homes.get(&instance).copied().unwrap_or(Address { base: Base::Frame, offset: 0 })
    }
}

/// Decides where everything of a stage lies. `numbers` is the position of the first constant that is a number of a micro-batch.
pub(super) fn lay_out(
    pipeline: &Pipeline,
    ready: &[Vec<Ready>],
    events: &[Event],
    (inputs, outputs): (&[Entry], &[Entry]),
    numbers: usize,
) -> Memory {
    let mut layout = Layout {
        pipeline,
        ready,
        inputs,
        outputs,
        steps: Vec::new(),
        fixed: FxHashMap::default(),
        over: FxHashMap::default(),
        made: 0,
    };
    layout.fix(events, numbers);
    layout.expand(events);
    let given = layout.give();
    layout.finish(given)
}

struct Layout<'p> {
    pipeline: &'p Pipeline,
    ready: &'p [Vec<Ready>],
    inputs: &'p [Entry],
    outputs: &'p [Entry],
    steps: Vec<Do>,
    /// Values that lie outside of the frame.
    fixed: FxHashMap<Instance, Address>,
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

    fn bytes(&self, instance: Instance) -> usize {
        let cells = &self.pipeline.chunks[instance.chunk].cells;
        // What belongs to no cell counts on behind them, and is as large as the cell that it stands for.
        cells[instance.cell % cells.len()].local_type().bytes() as usize
    }

    /// Another value of the size of one.
    fn another(&mut self, like: Instance) -> Instance {
        self.made += 1;
        let cells = self.pipeline.chunks[like.chunk].cells.len();
        Instance { cell: like.cell % cells + self.made * cells, ..like }
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
    fn fix(&mut self, events: &[Event], numbers: usize) {
        for (i, input) in self.inputs.iter().enumerate() {
            let instance = self.instance(input.chunk, input.cell, None);
            self.fixed.insert(instance, Address { base: Base::Input(i as u32), offset: 0 });
        }
        for event in events {
            let Event::Call { chunk, micro_batch: Some(micro_batch), .. } = event else { continue };
            if let Some(cell) = self.pipeline.chunks[*chunk].number {
                let base = Base::Constant((numbers + *micro_batch as usize) as u32);
                let instance = self.instance(*chunk, cell, Some(*micro_batch));
                self.fixed.insert(instance, Address { base, offset: 0 });
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
                Event::Clear(instance) => self.steps.push(Do::Clear(*instance)),
                Event::Start { message, .. } => {
                    let step = Do::Start { message: *message, reads: reads.pop(), writes: writes.pop() };
                    self.steps.push(step);
                }
                Event::Wait(message) => self.steps.push(Do::Wait(*message)),
                Event::Call { chunk, task, .. } => {
                    let mut behind = Vec::new();
                    for (output, of) in self.ready[*chunk][*task].code.outputs.iter().enumerate() {
                        let new = writes[output];
                        match *of {
                            Output::Over(input) if reads[input] == new => {}
                            Output::Over(input) => {
                                let old = reads[input];
                                let is_input =
                                    matches!(self.fixed.get(&old), Some(at) if matches!(at.base, Base::Input(_)));
                                let is_free = last.get(&old) == Some(&at) && !is_given(&old, self.outputs);
                                let may = if is_input {
                                    is_given(&new, self.outputs)
                                } else {
                                    !self.fixed.contains_key(&old)
                                };
                                if is_free && may {
                                    self.over.insert(new, old);
                                } else {
                                    self.steps.push(Do::Copy(old, new));
                                    reads[input] = new;
                                }
                            }
                            Output::Own(..) if reads.contains(&new) => {
                                writes[output] = self.another(new);
                                behind.push(Do::Copy(writes[output], new));
                            }
                            Output::Own(..) => {}
                        }
                    }
                    let (chunk, task) = (*chunk, *task);
                    self.steps.push(Do::Call { chunk, task, reads, writes, event: event.clone() });
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
    fn give(&mut self) -> Vec<Output> {
        let mut given = Vec::with_capacity(self.outputs.len());
        for (i, output) in self.outputs.iter().enumerate() {
            let instance = self.instance(output.chunk, output.cell, None);
            let root = self.root(instance);
            let own = Output::Own(self.bytes(instance), Default::default());
            let here = Address { base: Base::Output(i as u32), offset: 0 };
            given.push(match self.fixed.get(&root).map(|at| at.base) {
                Some(Base::Input(input)) if root != instance => Output::Over(input as usize),
                Some(_) => {
                    let copy = self.another(instance);
                    self.steps.push(Do::Copy(instance, copy));
                    self.fixed.insert(copy, here);
                    own
                }
                None => {
                    self.fixed.insert(root, here);
                    own
                }
            });
        }
        given
    }

    /// Lays everything else out by its life.
    fn finish(self, outputs: Vec<Output>) -> Memory {
        let mut blocks: Vec<Block> = Vec::new();
        let mut block_of: FxHashMap<Instance, usize> = FxHashMap::default();
        let mut frame_of: Vec<Option<usize>> = vec![None; self.steps.len()];
        let mut open: FxHashMap<Sent, Vec<Instance>> = FxHashMap::default();
        let mut touch = |instance: Instance, at: usize, blocks: &mut Vec<Block>| {
            let root = self.root(instance);
            if !self.fixed.contains_key(&root) {
                let block = *block_of.entry(root).or_insert_with(|| {
                    blocks.push(Block { bytes: self.bytes(root), first: at, last: at });
                    blocks.len() - 1
                });
                blocks[block].last = at;
            }
        };
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Do::Clear(instance) => touch(*instance, at, &mut blocks),
                Do::Copy(from, to) => [from, to].into_iter().for_each(|&v| touch(v, at, &mut blocks)),
                Do::Call { chunk, task, reads, writes, .. } => {
                    reads.iter().chain(writes).for_each(|&v| touch(v, at, &mut blocks));
                    let bytes = self.ready[*chunk][*task].code.frame_bytes();
                    frame_of[at] = Some(blocks.len());
                    blocks.push(Block { bytes, first: at, last: at });
                }
                Do::Start { message, reads, writes } => {
                    let touched: Vec<Instance> = reads.iter().chain(writes).copied().collect();
                    touched.iter().for_each(|&v| touch(v, at, &mut blocks));
                    open.insert(*message, touched);
                }
                Do::Wait(message) => {
                    open.remove(message).into_iter().flatten().for_each(|v| touch(v, at, &mut blocks));
                }
            }
        }
        let (places, frame_bytes) = offsets(&blocks, ALIGN);
        let mut homes: FxHashMap<Instance, Address> = FxHashMap::default();
        for &instance in block_of.keys().chain(self.fixed.keys()).chain(self.over.keys()) {
            let root = self.root(instance);
            let frame = || block_of.get(&root).map(|&block| Address { base: Base::Frame, offset: places[block] });
            if let Some(at) = self.fixed.get(&root).copied().or_else(frame) {
                homes.insert(instance, at);
            }
        }
        let frames = frame_of.into_iter().map(|block| block.map_or(0, |block| places[block])).collect();
        Memory { steps: self.steps, frames, frame_bytes, outputs, homes }
    }
}
