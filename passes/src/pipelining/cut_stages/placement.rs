//! Placement: the chunk of every op. The cuts determine it for the forward pass, and operands determine it for the
//! backward pass.
//!
//! Gradients flow from the last chunk to the first. An op of the backward pass is placed on the last chunk that has all
//! of its operands: gradients, and values of the forward pass that are computed or read there. This is one chunk too
//! late if the gradient of a value does not depend on the chunk that computed the value (the sum that is the gradient
//! of a bias). A second traversal, from users to operands, therefore moves an op to its users if this does not increase
//! the number of bytes sent.

use super::step_analysis::StepAnalysis;
use partita_ir::arena::{OpId, ParamId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Op, Values};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Largest number of traversals of the backward pass.
const MAX_SINK_ROUNDS: usize = 4;

/// A list of chunks without duplicates.
pub(super) type ChunkList = SmallVec<[usize; 2]>;

/// The chunk of every op, parameter and accumulator.
pub(super) struct Placement {
    /// Number of chunks of a replica.
    pub(super) count: usize,
    /// Number of replicas. All other fields describe the first replica.
    pub(super) replicas: usize,
    /// The chunk of each op that runs on one chunk.
    pub(super) ops: FxHashMap<OpId, usize>,
    /// The chunk that stores each parameter.
    pub(super) owners: FxHashMap<ParamId, usize>,
    /// The summands of each accumulator of the loop, with the chunks that compute them.
    pub(super) sums: Vec<Vec<(usize, ValueId)>>,
    /// The chunk that has the total of each accumulator after the loop.
    pub(super) total_chunks: Vec<Option<usize>>,
    /// Positions of carried values that are accumulated. Other values are those of the last iteration.
    pub(super) accumulated: FxHashSet<usize>,
    /// Positions of results to which each iteration writes a slice.
    pub(super) stacks: FxHashSet<usize>,
}

impl Placement {
    /// Returns the chunk of an op that runs on one chunk.
    pub(super) fn chunk(&self, op: OpId) -> Option<usize> {
        self.ops.get(&op).copied()
    }

    /// Returns the chunks of all replicas that have summands of an accumulator, without duplicates.
    pub(super) fn summand_chunks(&self, position: usize) -> Vec<usize> {
        let mut first: Vec<usize> = self.sums[position].iter().map(|(chunk, _)| *chunk).collect();
        first.dedup();
        let replicas =
            if self.accumulated.contains(&position) || self.stacks.contains(&position) { self.replicas } else { 1 };
        (0..replicas).flat_map(|replica| first.iter().map(move |chunk| replica * self.count + chunk)).collect()
    }

    /// Returns the chunk that computes a value, if it is one chunk.
    pub(super) fn chunk_of_value(&self, step: &StepAnalysis<'_>, value: ValueId) -> Option<usize> {
        self.chunk(step.producer(value)?)
    }
}

/// Places all ops and parameters, given the chunk of each op of the forward pass that runs on one chunk.
pub(super) fn place_ops(
    step: &StepAnalysis<'_>,
    forward: FxHashMap<OpId, usize>,
    count: usize,
    replicas: usize,
) -> Placement {
    let placement = Placement {
        count,
        replicas,
        ops: forward,
        owners: FxHashMap::default(),
        sums: Vec::new(),
        total_chunks: Vec::new(),
        accumulated: FxHashSet::default(),
        stacks: FxHashSet::default(),
    };
    let (readers, readers_of_params, owners_of_accumulators) = Default::default();
    let reads = reads(step);
    let mut builder = PlacementBuilder { step, placement, reads, readers, readers_of_params, owners_of_accumulators };
    builder.find_owners();
    builder.find_owners_of_accumulators();
    builder.place_backward();
    builder.split_sums();
    // Ops that have moved may allow others to move.
    (0..MAX_SINK_ROUNDS).any(|_| !builder.sink_backward());
    builder.place_sums();
    builder.place_after_loop();
    builder.placement
}

/// Returns the number of operands of the body that each value is.
fn reads(step: &StepAnalysis<'_>) -> FxHashMap<ValueId, usize> {
    let mut reads = FxHashMap::default();
    for &arg in step.body().ops().iter().flat_map(|&op| &step.op(op).args) {
        *reads.entry(arg).or_default() += 1;
    }
    reads
}

struct PlacementBuilder<'w, 'p> {
    step: &'w StepAnalysis<'p>,
    placement: Placement,
    reads: FxHashMap<ValueId, usize>,
    /// The chunks whose forward pass reads each value.
    readers: FxHashMap<ValueId, ChunkList>,
    /// The chunks whose forward pass reads each parameter.
    readers_of_params: FxHashMap<ParamId, ChunkList>,
    /// The chunk that stores the parameter whose gradient an accumulator is.
    owners_of_accumulators: FxHashMap<usize, usize>,
}

impl PlacementBuilder<'_, '_> {
    /// Assigns each parameter to the first chunk whose forward pass reads it.
    fn find_owners(&mut self) {
        let step = self.step;
        for &id in step.body().ops() {
            let Some(chunk) = self.placement.chunk(id) else { continue };
            for &arg in &step.op(id).args {
                push_unique(self.readers.entry(arg).or_default(), chunk);
                for &param in step.roots_of(arg) {
                    push_unique(self.readers_of_params.entry(param).or_default(), chunk);
                    let owner = self.placement.owners.entry(param).or_insert(chunk);
                    *owner = chunk.min(*owner);
                }
            }
        }
        for (id, param) in step.program.params.iter() {
            let of = param.parent.and_then(|of| self.placement.owners.get(&of)).copied();
            self.placement.owners.entry(id).or_insert(of.unwrap_or(0));
        }
    }

    /// Places ops of the backward pass, in program order.
    fn place_backward(&mut self) {
        let step = self.step;
        for &id in step.body().ops() {
            if !step.is_op_placed(id) || self.placement.chunk(id).is_some() || step.accumulates(id) {
                continue;
            }
            let op = step.op(id);
            let gradients = op.args.iter().filter(|&&v| step.producer(v).is_some_and(|op| !step.is_forward(op)));
            let latest = gradients.filter_map(|&v| self.placement.chunk_of_value(step, v)).min();
            let latest = latest.unwrap_or(self.placement.count - 1);
            let has_all = |chunk: &usize| op.args.iter().all(|&v| self.is_available(v, *chunk));
            let chunk = (0..=latest).rev().find(has_all).unwrap_or(latest);
            self.placement.ops.insert(id, chunk);
        }
    }

    /// Returns true if a value need not be sent to a chunk: the chunk has this value of the forward pass, or the value
    /// is not one of the forward pass.
    fn is_available(&self, value: ValueId, chunk: usize) -> bool {
        let step = self.step;
        let Some(producer) = step.producer(value) else { return self.has_params(value, chunk) };
        if !step.is_op_placed(producer) {
            return self.has_params(value, chunk);
        }
        !step.is_forward(producer)
            || self.placement.chunk(producer) == Some(chunk)
            || self.readers.get(&value).is_some_and(|readers| readers.contains(&chunk))
    }

    /// Returns true if a chunk has the parameters that a value depends on.
    fn has_params(&self, value: ValueId, chunk: usize) -> bool {
        self.step
            .roots_of(value)
            .iter()
            .all(|param| self.readers_of_params.get(param).is_none_or(|readers| readers.contains(&chunk)))
    }

    /// Moves ops of the backward pass to their users, in reverse order, if this does not increase the number of bytes
    /// sent. Returns true if any op moved.
    fn sink_backward(&mut self) -> bool {
        let step = self.step;
        let mut moved = false;
        let mut users: FxHashMap<ValueId, ChunkList> = FxHashMap::default();
        // An accumulator is sent once, which does not justify to send its summands for each micro-batch.
        let mut owners: FxHashMap<ValueId, usize> = FxHashMap::default();
        for (position, parts) in self.placement.sums.iter().enumerate() {
            let Some(&owner) = self.owners_of_accumulators.get(&position) else { continue };
            owners.extend(parts.iter().map(|&(_, part)| (part, owner)));
        }
        // The chunks that read each value in the current placement. A value that is sent to a chunk anyway costs
        // nothing more.
        let mut received: FxHashMap<ValueId, ChunkList> = FxHashMap::default();
        for &id in step.body().ops() {
            if let Some(chunk) = self.placement.chunk(id) {
                step.op(id).args.iter().for_each(|&arg| push_unique(received.entry(arg).or_default(), chunk));
            }
        }
        for &id in step.body().ops().iter().rev() {
            if step.accumulates(id) {
                continue;
            }
            let Some(chunk) = self.placement.chunk(id) else { continue };
            let op = step.op(id);
            if !step.is_forward(id) {
                let readers: ChunkList = op.outs.iter().filter_map(|v| users.get(v)).flatten().copied().collect();
                let owner = op.outs.iter().filter_map(|v| owners.get(v)).max().copied();
                let (target, max_bytes) = match readers.iter().copied().max() {
                    Some(reader) => (reader, self.bytes(&op.outs)),
                    None => (owner.unwrap_or(chunk), 0),
                };
                if target < chunk && self.received_bytes(&op.args, target, &received) <= max_bytes {
                    self.placement.ops.insert(id, target);
                    moved = true;
                }
            }
            let chunk = self.placement.chunk(id).unwrap_or(chunk);
            op.args.iter().for_each(|&arg| push_unique(users.entry(arg).or_default(), chunk));
        }
        moved
    }

    /// Returns the bytes that would have to be sent to a chunk if an op with these operands moved there.
    fn received_bytes(&self, values: &Values, chunk: usize, users: &FxHashMap<ValueId, ChunkList>) -> u64 {
        let is_available_anyway = |v: &ValueId| {
            self.placement.chunk_of_value(self.step, *v).map_or(self.has_params(*v, chunk), |source| source == chunk)
                || users.get(v).is_some_and(|users| users.contains(&chunk))
                || self.readers.get(v).is_some_and(|readers| readers.contains(&chunk))
        };
        values.iter().filter(|v| !is_available_anyway(v)).map(|&v| self.step.program.ty(v).bytes()).sum()
    }

    fn bytes(&self, values: &Values) -> u64 {
        values.iter().map(|&v| self.step.program.ty(v).bytes()).sum()
    }

    /// Returns the value that the body adds to an accumulator, or that replaces it.
    fn summand(&self, position: usize) -> Option<ValueId> {
        let body = self.step.body();
        let value = body.outputs[position].value;
        if value == body.inputs[position] {
            return None;
        }
        let producer = self.step.producer(value)?;
        Some(if self.step.accumulates(producer) { self.step.op(producer).args[1] } else { value })
    }

    /// Finds the parameter whose gradient an accumulator is: the update reads the accumulator, or a multiple of it,
    /// together with the parameter.
    fn find_owners_of_accumulators(&mut self) {
        let step = self.step;
        let sums = &step.loop_op().outs;
        let shape = |value: ValueId| &step.program.ty(value).shape;
        // The accumulators on which a value of the same shape depends.
        let mut accumulators_of: FxHashMap<ValueId, SmallVec<[usize; 1]>> = FxHashMap::default();
        sums.iter().enumerate().for_each(|(position, &sum)| accumulators_of.entry(sum).or_default().push(position));
        let mut is_assigned = vec![false; sums.len()];
        for op in step.ops_after_loop().iter().map(|&op| step.op(op)) {
            let mut of: SmallVec<[usize; 1]> =
                op.args.iter().filter_map(|v| accumulators_of.get(v)).flatten().copied().collect();
            of.retain(|position| !is_assigned[*position]);
            of.sort_unstable();
            of.dedup();
            if let Some(param) = op.args.iter().find_map(|&v| step.param(v)) {
                for position in of {
                    is_assigned[position] = true;
                    self.owners_of_accumulators
                        .extend(self.placement.owners.get(&param).map(|&owner| (position, owner)));
                }
                continue;
            }
            for &out in &op.outs {
                let of_same_shape = of.iter().copied().filter(|&position| shape(out) == shape(sums[position]));
                accumulators_of.entry(out).or_default().extend(of_same_shape);
            }
        }
    }

    /// Accumulates the summands of a gradient on the chunks that compute them, to be added up after the loop.
    ///
    /// Recogniser: the loop over micro-batches stacks in this form only. Other carried values belong to one chunk.
    fn split_sums(&mut self) {
        let step = self.step;
        let mut sums = vec![Vec::new(); step.body().outputs.len()];
        for (position, parts) in sums.iter_mut().enumerate().skip(1) {
            let Some(summand) = self.summand(position) else { continue };
            let producer = step.producer(step.body().outputs[position].value);
            let is_accumulated = producer.is_some_and(|op| step.accumulates(op));
            if is_accumulated {
                self.placement.accumulated.insert(position);
            }
            let writes = |op: &Op| {
                matches!(op.kind, OpKind::DynamicUpdateSlice(_)) && op.args[0] == step.body().inputs[position]
            };
            if producer.is_some_and(|op| writes(step.op(op))) {
                self.placement.stacks.insert(position);
            }
            let mut todo = vec![summand];
            while let Some(value) = todo.pop() {
                let Some(producer) = step.producer(value) else { continue };
                let op = step.op(producer);
                let is_sum = matches!(&op.kind, OpKind::Binary(binary) if binary.op == BinaryOp::Add);
                let chunks: ChunkList =
                    op.args.iter().filter_map(|&v| self.placement.chunk_of_value(step, v)).collect();
                let is_split = is_accumulated && is_sum && chunks.len() == 2 && chunks[0] != chunks[1];
                if is_split && self.is_read_once(value) {
                    todo.extend(op.args.iter().rev());
                    self.placement.ops.remove(&producer);
                } else {
                    parts.push((0, value));
                }
            }
        }
        self.placement.sums = sums;
    }

    /// Records the final chunks of summands.
    fn place_sums(&mut self) {
        let mut sums = std::mem::take(&mut self.placement.sums);
        for parts in &mut sums {
            for (chunk, value) in parts.iter_mut() {
                *chunk = self.placement.chunk_of_value(self.step, *value).unwrap_or(self.placement.count - 1);
            }
            parts.sort_by_key(|(chunk, _)| *chunk);
        }
        self.placement.sums = sums;
    }

    /// Returns true if at most one operand of the body is this value.
    fn is_read_once(&self, value: ValueId) -> bool {
        self.reads.get(&value).is_none_or(|&times| times <= 1)
    }

    /// Places ops after the loop on the chunk with most bytes of their operands.
    fn place_after_loop(&mut self) {
        let step = self.step;
        let mut at: FxHashMap<ValueId, usize> = FxHashMap::default();
        let total_chunk = |(position, parts): (usize, &Vec<(usize, ValueId)>)| {
            let (first, last) = (parts.first()?.0, parts.last()?.0);
            Some(if first == last {
                first
            } else {
                self.owners_of_accumulators.get(&position).copied().unwrap_or(first)
            })
        };
        self.placement.total_chunks = self.placement.sums.iter().enumerate().map(total_chunk).collect();
        for (&out, total_chunk) in step.loop_op().outs.iter().zip(&self.placement.total_chunks) {
            total_chunk.iter().for_each(|&chunk| {
                at.insert(out, chunk);
            });
        }
        let sums: FxHashMap<ValueId, usize> = step.loop_op().outs.iter().copied().zip(0..).collect();
        for &id in step.ops_after_loop() {
            if !step.is_op_placed(id) {
                continue;
            }
            let op = step.op(id);
            let mut bytes = vec![0; self.placement.count];
            for &arg in &op.args {
                let stored_on = step.param(arg).and_then(|p| self.placement.owners.get(&p).copied());
                if let Some(chunk) = at.get(&arg).copied().or(stored_on) {
                    // An update runs on the chunk that stores the parameter.
                    let weight = if stored_on.is_some() { 2 } else { 1 };
                    bytes[chunk] += weight * step.program.ty(self.before_broadcast(arg)).bytes();
                }
            }
            // Ties go to the chunk that stores the parameter.
            let owner = op.args.iter().find_map(|arg| self.owners_of_accumulators.get(sums.get(arg)?));
            let chunk =
                (0..self.placement.count).max_by_key(|chunk| (bytes[*chunk], Some(chunk) == owner)).unwrap_or(0);
            op.outs.iter().for_each(|&out| {
                at.insert(out, chunk);
            });
            self.placement.ops.insert(id, chunk);
        }
        self.sink_broadcasts();
    }

    /// Returns the value before it is broadcast.
    ///
    /// Recogniser: a value that is repeated in any other way counts with its full size.
    fn before_broadcast(&self, value: ValueId) -> ValueId {
        let producer = self.step.producer(value).map(|op| self.step.op(op));
        let repeated = producer.filter(|op| matches!(op.kind, OpKind::Broadcast(_)));
        repeated.map_or(value, |op| self.before_broadcast(op.args[0]))
    }

    /// Moves broadcasts after the loop to their user, so that the smaller operand is sent.
    ///
    /// Recogniser: results of other ops are sent as they are.
    fn sink_broadcasts(&mut self) {
        let step = self.step;
        let mut users: FxHashMap<ValueId, ChunkList> = FxHashMap::default();
        for &id in step.ops_after_loop().iter().rev() {
            let Some(chunk) = self.placement.chunk(id) else { continue };
            let op = step.op(id);
            let mut chunk = chunk;
            if matches!(op.kind, OpKind::Broadcast(_))
                && let Some(&[only]) = users.get(&op.outs[0]).map(|users| &users[..])
            {
                chunk = only;
                self.placement.ops.insert(id, chunk);
            }
            op.args.iter().for_each(|&arg| push_unique(users.entry(arg).or_default(), chunk));
        }
    }
}

/// Adds a chunk to a list without duplicates.
fn push_unique(chunks: &mut ChunkList, chunk: usize) {
    if !chunks.contains(&chunk) {
        chunks.push(chunk);
    }
}
