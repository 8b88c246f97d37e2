//! The ops of one chunk and the values that it reads, before it is written as a program.

use super::placement::Placement;
use super::step_analysis::StepAnalysis;
use partita_ir::arena::{Id, OpId, ParamId, ValueId};
use partita_ir::program::Program;
use rustc_hash::{FxHashMap, FxHashSet};

/// A value that another chunk sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReceivedValue {
    pub(super) value: ValueId,
    pub(super) from: usize,
}

/// The ops, inputs and outputs of one chunk.
#[derive(Default)]
pub(super) struct ChunkContents {
    /// Ops before the loop, in its body and after it, in order.
    pub(super) before: Vec<OpId>,
    pub(super) body: Vec<OpId>,
    pub(super) after: Vec<OpId>,
    /// Positions of carried values that the loop passes on unchanged, and of accumulators of this chunk.
    pub(super) unchanged: Vec<usize>,
    pub(super) sums: Vec<usize>,
    /// Values that other chunks send for each micro-batch, and after the loop. An accumulator is identified by the
    /// loop's result.
    pub(super) received_each: Vec<ReceivedValue>,
    pub(super) received_after: Vec<ReceivedValue>,
    /// Accumulators for which this chunk adds up the totals of several chunks.
    pub(super) joins: Vec<usize>,
    /// Inputs of the main function, in order.
    pub(super) inputs: Vec<ValueId>,
    /// Positions of outputs of the main function.
    pub(super) outputs: Vec<usize>,
}

impl ChunkContents {
    /// Returns the ops, inputs and outputs of a chunk.
    pub(super) fn new(step: &StepAnalysis<'_>, placement: &Placement, chunk: usize) -> ChunkContents {
        let mut builder = ContentsBuilder {
            step,
            placement,
            chunk: chunk % placement.count,
            replica: chunk / placement.count,
            contents: ChunkContents::default(),
            needed: vec![false; step.program.values.len()],
            sums: step.loop_op().outs.iter().copied().zip(0..).collect(),
        };
        // The first replica runs the ops after the loop for all replicas.
        if builder.replica == 0 {
            builder.read_outputs();
            builder.read_after_loop();
        }
        builder.read_body();
        builder.read_before_loop();
        builder.contents
    }

    /// Adds the accumulators that a chunk must add up because another chunk reads the total.
    pub(super) fn add_joins_for_readers(
        step: &StepAnalysis<'_>,
        placement: &Placement,
        contents: &mut [ChunkContents],
    ) {
        let sums: FxHashMap<ValueId, usize> = step.loop_op().outs.iter().copied().zip(0..).collect();
        let requested = contents.iter().flat_map(|chunk| &chunk.received_after);
        let requested: Vec<(usize, usize)> =
            requested.filter_map(|received| Some((received.from, *sums.get(&received.value)?))).collect();
        for (from, position) in requested {
            let is_alone = placement.summand_chunks(position).into_iter().all(|chunk| chunk == from);
            if !is_alone && !contents[from].joins.contains(&position) {
                contents[from].joins.push(position);
            }
        }
    }

    /// Adds inputs that the chunk stores for other chunks, whether it reads them or not.
    pub(super) fn add_stored_inputs(&mut self, step: &StepAnalysis<'_>, stored: impl Iterator<Item = ValueId>) {
        let mut inputs: FxHashSet<ValueId> = self.inputs.iter().copied().collect();
        inputs.extend(stored);
        self.inputs = step.program.inputs().iter().copied().filter(|input| inputs.contains(input)).collect();
    }
}

struct ContentsBuilder<'w, 'p> {
    step: &'w StepAnalysis<'p>,
    placement: &'w Placement,
    /// Index of the chunk within its replica, and the replica.
    chunk: usize,
    replica: usize,
    contents: ChunkContents,
    /// True for each value that the chunk reads.
    needed: Vec<bool>,
    /// The position of each result of the loop.
    sums: FxHashMap<ValueId, usize>,
}

impl ContentsBuilder<'_, '_> {
    fn program(&self) -> &Program {
        self.step.program
    }

    fn need(&mut self, value: ValueId) {
        self.needed[value.index()] = true;
    }

    fn is_needed(&self, op: OpId) -> bool {
        self.step.op(op).outs.iter().any(|out| self.needed[out.index()])
    }

    /// Finds the outputs of this chunk. An output that replaces a parameter belongs to the chunk that stores the
    /// parameter, and any other output to the chunk that computes it. Outputs that every chunk can compute belong to
    /// all chunks that store the parameter, or to the first chunk.
    fn read_outputs(&mut self) {
        for position in 0..self.program().outputs().len() {
            let output = &self.program().outputs()[position];
            let (value, replaced) = (output.value, output.replaces.and_then(|input| self.program().param_of(input)));
            let belongs_here = match (replaced, self.source_chunk(value)) {
                (Some(param), Some(_)) => self.placement.owners.get(&param) == Some(&self.chunk),
                (Some(param), None) => self.chunk == 0 || self.reads_shared_state(param),
                (None, source) => source.unwrap_or(0) == self.chunk,
            };
            if belongs_here {
                self.contents.outputs.push(position);
                self.need_in_main(value);
            }
        }
    }

    /// Returns true if this chunk reads state that every reading chunk stores.
    fn reads_shared_state(&self, param: ParamId) -> bool {
        let value = self.program().params[param].value;
        let ops = self.step.ops_after_loop().iter().filter(|&&id| self.placement.chunk(id) == Some(self.chunk));
        // Dependencies are followed through ops that every chunk recomputes.
        let mut read: Vec<ValueId> = ops.flat_map(|&id| self.step.op(id).args.iter().copied()).collect();
        let mut seen = vec![false; self.program().values.len()];
        while let Some(next) = read.pop() {
            if next == value {
                return true;
            }
            let is_new = !std::mem::replace(&mut seen[next.index()], true);
            if is_new && !self.step.is_placed(next) {
                let producer = self.step.producer(next);
                read.extend(producer.into_iter().flat_map(|id| self.step.op(id).args.iter().copied()));
            }
        }
        false
    }

    /// Returns the chunk that computes a value of the main function, or `None` if every chunk can compute it.
    fn source_chunk(&self, value: ValueId) -> Option<usize> {
        match self.sums.get(&value) {
            Some(&position) if position > 0 => self.placement.total_chunks.get(position).copied().flatten(),
            _ => self.placement.chunk_of_value(self.step, value),
        }
    }

    /// Records that the chunk reads a value of the main function.
    fn need_in_main(&mut self, value: ValueId) {
        if std::mem::replace(&mut self.needed[value.index()], true) {
            return;
        }
        match self.source_chunk(value) {
            Some(from) if from != self.chunk => self.contents.received_after.push(ReceivedValue { value, from }),
            Some(_) => {
                if let Some(&position) = self.sums.get(&value)
                    && self.placement.summand_chunks(position).into_iter().any(|chunk| chunk != self.chunk)
                {
                    self.contents.joins.push(position);
                }
            }
            None => {}
        }
    }

    fn read_after_loop(&mut self) {
        for &id in self.step.ops_after_loop().iter().rev() {
            let belongs_here = match self.step.is_op_placed(id) {
                true => self.placement.chunk(id) == Some(self.chunk),
                false => self.is_needed(id),
            };
            if belongs_here {
                self.contents.after.push(id);
                self.step.op(id).args.iter().for_each(|&arg| self.need_in_main(arg));
            }
        }
        self.contents.after.reverse();
        self.contents.received_after.sort_by_key(|received| received.value);
    }

    fn read_body(&mut self) {
        let body = self.step.body();
        self.need(body.outputs[0].value);
        for (position, parts) in self.placement.sums.iter().enumerate() {
            let summands: Vec<ValueId> =
                parts.iter().filter(|(s, _)| *s == self.chunk).map(|(_, value)| *value).collect();
            let number = self.replica * self.placement.count + self.chunk;
            if !summands.is_empty() && self.placement.summand_chunks(position).contains(&number) {
                self.contents.sums.push(position);
                self.need(self.step.loop_op().args[position]);
                summands.into_iter().for_each(|value| self.need(value));
            }
        }
        for &id in body.ops().iter().rev() {
            let belongs_here = match self.step.is_op_placed(id) {
                true => self.placement.chunk(id) == Some(self.chunk),
                false => self.is_needed(id),
            };
            if belongs_here {
                self.contents.body.push(id);
                self.step.op(id).args.iter().for_each(|&arg| self.need(arg));
            }
        }
        self.contents.body.reverse();
        for &id in body.ops() {
            let Some(from) = self.placement.chunk(id).filter(|&from| from != self.chunk) else { continue };
            for &value in self.step.op(id).outs.iter().filter(|out| self.needed[out.index()]) {
                self.contents
                    .received_each
                    .push(ReceivedValue { value, from: self.replica * self.placement.count + from });
            }
        }
        for (position, &inner) in body.inputs.iter().enumerate().skip(1) {
            let is_unchanged = body.outputs[position].value == inner;
            if is_unchanged && self.needed[inner.index()] {
                self.contents.unchanged.push(position);
            }
        }
    }

    fn read_before_loop(&mut self) {
        self.need(self.step.loop_op().args[0]);
        for position in self.contents.unchanged.clone() {
            self.need(self.step.loop_op().args[position]);
        }
        for &id in self.step.ops_before_loop().iter().rev() {
            if self.is_needed(id) {
                self.contents.before.push(id);
                self.step.op(id).args.iter().for_each(|&arg| self.need(arg));
            }
        }
        self.contents.before.reverse();
        let inputs = self.program().inputs().iter().copied();
        self.contents.inputs = inputs.filter(|v| self.needed[v.index()]).collect();
    }
}
