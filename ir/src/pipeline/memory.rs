//! Static memory plan of one device of a pipeline stage, for one training or inference step.
//!
//! A result that overwrites an operand reuses the memory of that operand if the operand is not read later. Outputs of
//! the stage have separate buffers. All other values and the workspaces of tasks are assigned offsets in one shared
//! buffer, the *block*, according to their lifetimes.
//!
//! Both the execution and the memory prediction of a stage use this plan. If a stage has many values, those with equal
//! lifetimes are placed contiguously as one range, which bounds the planning time for large numbers of micro-batches.

use super::events::{Event, Instance, TransferId};
use super::{CellScope, Pipeline, StagePort};
use crate::offsets::{Block, Storage, assign_offsets};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Memory requirements of a task besides its inputs and outputs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TaskMemory {
    /// Size in bytes of the task's workspace, which is in use while the task runs.
    pub frame: usize,
    /// For each output, the index of the input that it overwrites, or `None` if it is written to separate memory.
    pub overwrites: Vec<Option<usize>>,
}

/// Action in the execution of a stage, with the values that it reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Sets a value to zero.
    Clear(Instance),
    /// Copies the first value to the second.
    Copy(Instance, Instance),
    /// Runs a task.
    Call {
        /// Chunk of the task.
        chunk: usize,
        /// Task index within the chunk.
        task: usize,
        /// Micro-batch index; `None` for tasks that run once per step.
        micro_batch: Option<u32>,
        /// Value of each input.
        reads: Vec<Instance>,
        /// Value of each output.
        writes: Vec<Instance>,
        /// Offset of the workspace from the start of the block, in bytes.
        frame: usize,
    },
    /// Starts a send or a receive.
    Start {
        /// Identity of the transfer.
        message: TransferId,
        /// Value that this device sends.
        reads: Option<Instance>,
        /// Value that this device receives.
        writes: Option<Instance>,
    },
    /// Waits for the completion of a transfer.
    Wait(TransferId),
}

/// Memory location of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueLocation {
    /// Memory of the stage's input with this index.
    Input(usize),
    /// Buffer of the stage's output with this index.
    Output(usize),
    /// Constant that contains this micro-batch index.
    Number(u32),
    /// Offset from the start of the block, in bytes.
    Block(usize),
}

/// User of a range of the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockUser {
    /// A value, together with the values that overwrite it.
    Value(Instance),
    /// Workspace of a task.
    Task {
        /// Chunk of the task.
        chunk: usize,
        /// Task index within the chunk.
        task: usize,
    },
}

/// Range of the block, with the steps during which it is in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveBlock {
    /// User of the range.
    pub holder: BlockUser,
    /// Size in bytes.
    pub bytes: usize,
    /// Index in [`MemoryPlan::steps`] of the first step that uses the range.
    pub first: usize,
    /// Index in [`MemoryPlan::steps`] of the last step that uses the range, inclusive.
    pub last: usize,
}

/// Steps of one device of a stage in execution order, and the memory locations of its values.
#[derive(Clone, Debug)]
pub struct MemoryPlan {
    /// Steps in execution order.
    pub steps: Vec<Step>,
    /// Ranges of the block with their lifetimes.
    pub blocks: Vec<LiveBlock>,
    /// Size of the block in bytes.
    pub block: usize,
    /// For each output of the stage, the index of the input whose memory it overwrites, or `None` if it has a separate
    /// buffer.
    pub outputs: Vec<Option<usize>>,
    locations: FxHashMap<Instance, ValueLocation>,
}

impl MemoryPlan {
    /// Plans the memory of all values of a stage that executes `events`. `needs` are the requirements of each task,
    /// indexed by chunk and task. `storage` specifies element sizes and alignment.
    pub fn new(
        pipeline: &Pipeline,
        stage: usize,
        needs: &[Vec<TaskMemory>],
        events: &[Event],
        storage: Storage,
    ) -> MemoryPlan {
        let mut planner = MemoryPlanner {
            pipeline,
            needs,
            storage,
            inputs: pipeline.inputs_of(stage),
            outputs: pipeline.outputs_of(stage),
            steps: Vec::new(),
            fixed: FxHashMap::default(),
            overwrites: FxHashMap::default(),
            temporary_count: 0,
        };
        planner.assign_fixed(events);
        planner.expand_events(events);
        let overwritten = planner.assign_outputs();
        planner.finish(overwritten)
    }

    /// Returns the memory location of a value. A value that the plan does not contain is at offset 0 of the block.
    pub fn location(&self, instance: Instance) -> ValueLocation {
        self.locations.get(&instance).copied().unwrap_or(ValueLocation::Block(0))
    }
}

struct MemoryPlanner<'p> {
    pipeline: &'p Pipeline,
    needs: &'p [Vec<TaskMemory>],
    storage: Storage,
    inputs: Vec<StagePort>,
    outputs: Vec<StagePort>,
    steps: Vec<Step>,
    /// Locations of values outside the block: inputs, outputs and micro-batch indices.
    fixed: FxHashMap<Instance, ValueLocation>,
    /// For each value that overwrites another one in place, the overwritten value.
    overwrites: FxHashMap<Instance, Instance>,
    /// Number of temporary values created so far. They do not belong to a cell of the pipeline.
    temporary_count: usize,
}

impl MemoryPlanner<'_> {
    fn instance(&self, chunk: usize, cell: usize, micro_batch: Option<u32>) -> Instance {
        let is_per_micro_batch = self.pipeline.chunks[chunk].cells[cell].scope == CellScope::MicroBatch;
        Instance { chunk, cell, micro_batch: micro_batch.filter(|_| is_per_micro_batch) }
    }

    /// Returns the values that an event reads and writes.
    fn accessed(&self, event: &Event) -> (Vec<Instance>, Vec<Instance>) {
        match event {
            Event::Clear(instance) => (Vec::new(), vec![*instance]),
            Event::Call { chunk, task, micro_batch } => {
                let task = &self.pipeline.chunks[*chunk].tasks[*task];
                let all = |cells: &[usize]| cells.iter().map(|&c| self.instance(*chunk, c, *micro_batch)).collect();
                (all(&task.input_cells), all(&task.output_cells))
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

    /// Assigns the locations of inputs and of micro-batch indices.
    fn assign_fixed(&mut self, events: &[Event]) {
        for (i, input) in self.inputs.iter().enumerate() {
            self.fixed.insert(self.instance(input.chunk, input.cell, None), ValueLocation::Input(i));
        }
        for event in events {
            let Event::Call { chunk, micro_batch: Some(micro_batch), .. } = event else { continue };
            if let Some(cell) = self.pipeline.chunks[*chunk].micro_batch_cell {
                let instance = self.instance(*chunk, cell, Some(*micro_batch));
                self.fixed.insert(instance, ValueLocation::Number(*micro_batch));
            }
        }
    }

    /// Returns, for each value, the index of the last event that uses it. A transferred value is in use until the wait.
    fn last_access(&self, events: &[Event]) -> FxHashMap<Instance, usize> {
        let mut last = FxHashMap::default();
        let mut open: FxHashMap<TransferId, Vec<Instance>> = FxHashMap::default();
        for (at, event) in events.iter().enumerate() {
            let (reads, writes) = self.accessed(event);
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

    /// Translates events to steps, and inserts copies in two cases: the input that an output must overwrite is still
    /// needed afterwards, or an output that must not overwrite an input has the same cell as an input.
    fn expand_events(&mut self, events: &[Event]) {
        let last = self.last_access(events);
        let outputs: FxHashSet<(usize, usize)> = self.outputs.iter().map(|o| (o.chunk, o.cell)).collect();
        let is_output =
            |instance: &Instance| instance.micro_batch.is_none() && outputs.contains(&(instance.chunk, instance.cell));
        for (at, event) in events.iter().enumerate() {
            let (mut reads, mut writes) = self.accessed(event);
            match event {
                Event::Clear(instance) => self.steps.push(Step::Clear(*instance)),
                Event::Start { message, .. } => {
                    let step = Step::Start { message: *message, reads: reads.pop(), writes: writes.pop() };
                    self.steps.push(step);
                }
                Event::Wait(message) => self.steps.push(Step::Wait(*message)),
                Event::Call { chunk, task, micro_batch } => {
                    let mut copies_after = Vec::new();
                    for (output, over) in self.needs[*chunk][*task].overwrites.iter().enumerate() {
                        let new = writes[output];
                        match *over {
                            Some(input) if reads[input] == new => {}
                            Some(input) => {
                                let old = reads[input];
                                let is_input = matches!(self.fixed.get(&old), Some(ValueLocation::Input(_)));
                                let is_free = last.get(&old) == Some(&at) && !is_output(&old);
                                let can_overwrite =
                                    if is_input { is_output(&new) } else { !self.fixed.contains_key(&old) };
                                if is_free && can_overwrite {
                                    self.overwrites.insert(new, old);
                                } else {
                                    self.steps.push(Step::Copy(old, new));
                                    reads[input] = new;
                                }
                            }
                            None if reads.contains(&new) => {
                                self.temporary_count += 1;
                                writes[output] = temporary(self.pipeline, new, self.temporary_count);
                                copies_after.push(Step::Copy(writes[output], new));
                            }
                            None => {}
                        }
                    }
                    let (chunk, task, micro_batch) = (*chunk, *task, *micro_batch);
                    self.steps.push(Step::Call { chunk, task, micro_batch, reads, writes, frame: 0 });
                    self.steps.extend(copies_after);
                }
            }
        }
    }

    /// Returns the value whose memory `instance` reuses, transitively.
    fn root(&self, mut instance: Instance) -> Instance {
        while let Some(&older) = self.overwrites.get(&instance) {
            instance = older;
        }
        instance
    }

    /// Assigns the locations of outputs, and returns for each output the input that it overwrites. An output reuses the
    /// memory of an input if it overwrites that input, otherwise it has a separate buffer, into which it is copied if
    /// necessary.
    fn assign_outputs(&mut self) -> Vec<Option<usize>> {
        let mut overwritten = Vec::with_capacity(self.outputs.len());
        for (number, output) in self.outputs.iter().enumerate() {
            let instance = self.instance(output.chunk, output.cell, None);
            let root = self.root(instance);
            let own = ValueLocation::Output(number);
            overwritten.push(match self.fixed.get(&root) {
                Some(ValueLocation::Input(input)) if root != instance => Some(*input),
                Some(_) => {
                    self.temporary_count += 1;
                    let copy = temporary(self.pipeline, instance, self.temporary_count);
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
        overwritten
    }

    /// Computes the lifetimes of the values and workspaces in the block. Returns the ranges, the index of the range of
    /// each value, and the index of the workspace's range for each `Call` step.
    fn block_ranges(&self) -> (Vec<LiveBlock>, FxHashMap<Instance, usize>, Vec<usize>) {
        let mut ranges: Vec<LiveBlock> = Vec::new();
        let mut range_of: FxHashMap<Instance, usize> = FxHashMap::default();
        let mut frame_range_of: Vec<usize> = vec![usize::MAX; self.steps.len()];
        let mut open: FxHashMap<TransferId, Vec<Instance>> = FxHashMap::default();
        let mut touch = |instance: Instance, at: usize, ranges: &mut Vec<LiveBlock>| {
            let root = self.root(instance);
            if !self.fixed.contains_key(&root) {
                let range = *range_of.entry(root).or_insert_with(|| {
                    let bytes = self.storage.bytes(&self.pipeline.local_type(root));
                    ranges.push(LiveBlock { holder: BlockUser::Value(root), bytes, first: at, last: at });
                    ranges.len() - 1
                });
                ranges[range].last = at;
            }
        };
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::Clear(instance) => touch(*instance, at, &mut ranges),
                Step::Copy(from, to) => [from, to].into_iter().for_each(|&v| touch(v, at, &mut ranges)),
                Step::Call { chunk, task, reads, writes, .. } => {
                    reads.iter().chain(writes).for_each(|&v| touch(v, at, &mut ranges));
                    let (holder, bytes) =
                        (BlockUser::Task { chunk: *chunk, task: *task }, self.needs[*chunk][*task].frame);
                    frame_range_of[at] = ranges.len();
                    ranges.push(LiveBlock { holder, bytes, first: at, last: at });
                }
                Step::Start { message, reads, writes } => {
                    let accessed: Vec<Instance> = reads.iter().chain(writes).copied().collect();
                    accessed.iter().for_each(|&v| touch(v, at, &mut ranges));
                    open.insert(*message, accessed);
                }
                Step::Wait(message) => {
                    open.remove(message).into_iter().flatten().for_each(|v| touch(v, at, &mut ranges));
                }
            }
        }
        (ranges, range_of, frame_range_of)
    }

    /// Assigns the offsets of all ranges in the block and returns the plan.
    fn finish(mut self, outputs: Vec<Option<usize>>) -> MemoryPlan {
        let (ranges, range_of, frame_range_of) = self.block_ranges();
        let (range_offsets, block) = assign_block_offsets(&ranges, self.storage.align);
        let mut locations: FxHashMap<Instance, ValueLocation> = FxHashMap::default();
        for &instance in range_of.keys().chain(self.fixed.keys()).chain(self.overwrites.keys()) {
            let root = self.root(instance);
            let in_block = || range_of.get(&root).map(|&range| ValueLocation::Block(range_offsets[range]));
            locations.extend(self.fixed.get(&root).copied().or_else(in_block).map(|location| (instance, location)));
        }
        for (step, range) in self.steps.iter_mut().zip(frame_range_of) {
            if let Step::Call { frame, .. } = step {
                *frame = range_offsets[range];
            }
        }
        MemoryPlan { steps: self.steps, blocks: ranges, block, outputs, locations }
    }
}

/// Returns the `temporary_count`-th temporary value, with the type of `like`. Its cell index exceeds those of the
/// chunk's cells and is congruent to that of `like` modulo their number.
fn temporary(pipeline: &Pipeline, like: Instance, temporary_count: usize) -> Instance {
    let cells = pipeline.chunks[like.chunk].cells.len();
    Instance { cell: like.cell % cells + temporary_count * cells, ..like }
}

/// Maximum number of ranges whose offsets are assigned individually.
const MAX_SEPARATE_BLOCKS: usize = 2000;

/// Returns the offset of each range within the block, a multiple of `align` bytes, and the size of the block. Above
/// [`MAX_SEPARATE_BLOCKS`] ranges, those with equal lifetimes are placed contiguously.
fn assign_block_offsets(ranges: &[LiveBlock], align: usize) -> (Vec<usize>, usize) {
    let mut groups: IndexMap<(usize, usize, usize), Block> = IndexMap::new();
    let mut assign_group = |(number, range): (usize, &LiveBlock)| {
        let separate = if ranges.len() <= MAX_SEPARATE_BLOCKS { number } else { 0 };
        let empty = Block { bytes: 0, first: range.first, last: range.last };
        let entry = groups.entry((range.first, range.last, separate));
        let index = entry.index();
        let group = entry.or_insert(empty);
        let within = group.bytes;
        group.bytes += range.bytes.next_multiple_of(align);
        (index, within)
    };
    let positions: Vec<(usize, usize)> = ranges.iter().enumerate().map(&mut assign_group).collect();
    let blocks: Vec<Block> = groups.into_values().collect();
    let (starts, end) = assign_offsets(&blocks, align);
    (positions.into_iter().map(|(index, within)| starts[index] + within).collect(), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_with_equal_lifetimes_do_not_overlap_others() {
        let holder = BlockUser::Task { chunk: 0, task: 0 };
        let life = |i: usize| LiveBlock { holder, bytes: 1 + i * 37 % 500, first: i / 3, last: i / 3 + i / 3 % 7 };
        for (count, align) in [(MAX_SEPARATE_BLOCKS, 64), (MAX_SEPARATE_BLOCKS + 1, 256)] {
            let lives: Vec<LiveBlock> = (0..count).map(life).collect();
            let (range_offsets, end) = assign_block_offsets(&lives, align);
            for (i, a) in lives.iter().enumerate() {
                assert!(range_offsets[i].is_multiple_of(align) && range_offsets[i] + a.bytes <= end);
                for (j, b) in lives.iter().enumerate().skip(i + 1) {
                    let apart = range_offsets[i] + a.bytes <= range_offsets[j]
                        || range_offsets[j] + b.bytes <= range_offsets[i];
                    assert!(apart || a.last < b.first || b.last < a.first, "{i} and {j}");
                }
            }
        }
    }
}
