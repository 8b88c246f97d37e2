//! Analysis of a chunk's local program: which ops run before the micro-batches, for each of them, and after them.
//!
//! The loop over micro-batches contains the ops of each micro-batch. By their phases, these belong to the forward pass,
//! to the gradients of operands or to the gradients of parameters. Ops that are cheaper to recompute than to store
//! (constants, positions, pure data movement) are duplicated into every task that reads them.

use crate::training::micro_batches::MicroBatchLoop;
use partita_ir::arena::{Id, OpId, ParamId, ValueId};
use partita_ir::class::Class;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::pipeline::{BoundaryValue, TaskTime, TransferPhase};
use partita_ir::program::{Func, Name, Op, Output, Phase, Program};
use partita_ir::schedule::Work;
use rustc_hash::{FxHashMap, FxHashSet};

/// The level after which each seam is sent, for seams that are sent after the micro-batches.
pub(super) type Levels = FxHashMap<Name, usize>;

/// Largest size in bytes of an elementwise result that is recomputed if all operands are recomputed.
const MAX_RECOMPUTED_BYTES: u64 = 64;

/// Analysis of the local program of a chunk.
pub(super) struct ChunkAnalysis<'p> {
    pub(super) program: &'p Program,
    chunk: usize,
    seams: &'p [BoundaryValue],
    /// Ops of the main function before the loop, and after it.
    pub(super) before: &'p [OpId],
    pub(super) after: &'p [OpId],
    /// The function that runs for each micro-batch.
    pub(super) body: &'p Func,
    /// Operands and results of the loop, by position.
    pub(super) args: &'p [ValueId],
    pub(super) outs: &'p [ValueId],
    producers: FxHashMap<ValueId, OpId>,
    /// The parameter of each value that is one.
    params: FxHashMap<ValueId, ParamId>,
    /// Values of the main function that are sent for each micro-batch.
    sent_each: FxHashSet<ValueId>,
    /// The work to which each op of the body belongs.
    works: FxHashMap<OpId, Work>,
    /// The value of the main function for each value that the body receives unchanged.
    unchanged: FxHashMap<ValueId, ValueId>,
    /// The position of the accumulator for each value that is an accumulated sum.
    sums: FxHashMap<ValueId, usize>,
    /// Values that every task recomputes if it reads them.
    cheap: FxHashSet<ValueId>,
    /// Values of the body that are equal for all micro-batches: functions of parameters alone, such as narrow copies.
    invariant: FxHashSet<ValueId>,
    /// True for each value that an output depends on.
    live: Vec<bool>,
}

impl<'p> ChunkAnalysis<'p> {
    /// Analyses the local program of a chunk. `splits` is true if gradients of operands and of parameters are separate
    /// works.
    ///
    /// # Errors
    /// `G001` when the program has no loop over micro-batches.
    pub(super) fn new(
        program: &'p Program,
        chunk: usize,
        seams: &'p [BoundaryValue],
        splits: bool,
    ) -> Result<ChunkAnalysis<'p>, Diagnostic> {
        let Some(MicroBatchLoop { position, op, body, .. }) = MicroBatchLoop::find(program) else {
            return Err(Diagnostic::new(Code::G001, "the program of a chunk has no loop over micro-batches"));
        };
        // entry only: ops before and after the loop over micro-batches are in the main function
        let main = program.funcs[program.entry()].ops();
        let (before, after) = (&main[..position], &main[position + 1..]);
        let body = &program.funcs[body];
        let all_ops = before.iter().chain(body.ops()).chain(after);
        let producers = all_ops.flat_map(|&id| program.ops[id].outs.iter().map(move |&out| (out, id))).collect();
        let mut analysis = ChunkAnalysis {
            program,
            chunk,
            seams,
            before,
            after,
            body,
            args: &op.args,
            outs: &op.outs,
            producers,
            params: program.params.iter().map(|(id, param)| (param.value, id)).collect(),
            sent_each: FxHashSet::default(),
            works: FxHashMap::default(),
            unchanged: FxHashMap::default(),
            sums: FxHashMap::default(),
            cheap: FxHashSet::default(),
            invariant: FxHashSet::default(),
            live: vec![false; program.values.len()],
        };
        analysis.find_sent_each();
        analysis.find_carried();
        analysis.find_live();
        analysis.find_cheap();
        analysis.find_invariant();
        analysis.find_works(splits);
        Ok(analysis)
    }

    /// Returns every op in order: before the loop, in its body, and after it.
    pub(super) fn in_order(&self) -> impl Iterator<Item = OpId> + use<'p> {
        self.before.iter().chain(self.body.ops()).chain(self.after).copied()
    }

    /// Returns an op.
    pub(super) fn op(&self, id: OpId) -> &'p Op {
        &self.program.ops[id]
    }

    /// Returns the value of the main function that a value of the body equals, or the value itself.
    pub(super) fn outer_value(&self, value: ValueId) -> ValueId {
        self.unchanged.get(&value).copied().unwrap_or(value)
    }

    /// Returns the op that defines a value, or `None` for an input.
    pub(super) fn producer(&self, value: ValueId) -> Option<OpId> {
        self.producers.get(&value).copied()
    }

    /// Returns the position of the accumulator that a value is a partial or final sum of.
    pub(super) fn accumulator(&self, value: ValueId) -> Option<usize> {
        self.sums.get(&value).copied()
    }

    /// Returns the parameter whose value is `value`.
    pub(super) fn param(&self, value: ValueId) -> Option<ParamId> {
        self.params.get(&value).copied()
    }

    /// Returns the path of a parameter, or the name of another input.
    pub(super) fn input_path(&self, input: ValueId) -> Name {
        let path = self.param(input).map(|id| self.program.params[id].path.as_str());
        path.map_or_else(|| self.program.values[input].name.clone(), Name::new)
    }

    /// Returns true if tasks recompute a value that they read.
    pub(super) fn is_cheap(&self, value: ValueId) -> bool {
        self.cheap.contains(&value)
    }

    /// Returns true if each micro-batch has its own instance of a value.
    pub(super) fn is_of_micro_batch(&self, value: ValueId) -> bool {
        self.producer(value).is_some_and(|id| self.works.contains_key(&id)) && !self.invariant.contains(&value)
    }

    /// Returns true if an op runs in one task, and is not recomputed by its readers.
    pub(super) fn is_executed(&self, id: OpId) -> bool {
        self.op(id).outs.iter().any(|out| self.live[out.index()] && !self.cheap.contains(out))
    }

    /// Returns the seam through which an input of the main function arrives.
    pub(super) fn incoming_seam(&self, input: ValueId, when: TransferPhase) -> Option<&'p BoundaryValue> {
        let name = &self.program.values[input].name;
        let is_input = !self.producers.contains_key(&input);
        self.seams.iter().find(|s| is_input && s.to == self.chunk && s.when == when && s.name == *name)
    }

    /// Returns the seam through which an output of the main function is sent.
    pub(super) fn outgoing_seam(&self, name: &Name) -> Option<&'p BoundaryValue> {
        self.seams.iter().find(|s| s.from == self.chunk && s.name == *name)
    }

    /// Returns true if the result at a position is sent for each micro-batch.
    pub(super) fn is_sent_each(&self, position: usize) -> bool {
        self.sent_each.contains(&self.outs[position])
    }

    /// Returns the moment at which an op runs.
    pub(super) fn moment(&self, id: OpId, levels: &FxHashMap<OpId, usize>) -> TaskTime {
        let is_invariant = self.op(id).outs.iter().all(|out| self.invariant.contains(out));
        match (self.works.get(&id), levels.get(&id)) {
            _ if is_invariant => TaskTime::Before,
            (Some(&work), _) => TaskTime::Slot(work),
            (None, Some(&level)) => TaskTime::After(level),
            (None, None) => TaskTime::Before,
        }
    }

    /// Returns the level of each op after the loop: one more than the level of the received values that it depends on.
    pub(super) fn levels(&self, of_seams: &Levels) -> FxHashMap<OpId, usize> {
        let mut levels: FxHashMap<OpId, usize> = FxHashMap::default();
        for &id in self.after {
            let of_arg = |&arg: &ValueId| match self.producer(arg) {
                Some(producer) => levels.get(&producer).copied().unwrap_or(0),
                None => self
                    .incoming_seam(arg, TransferPhase::After)
                    .map_or(0, |s| of_seams.get(&s.name).copied().unwrap_or(0) + 1),
            };
            let level = self.op(id).args.iter().map(of_arg).max().unwrap_or(0).max(1);
            levels.insert(id, level);
        }
        levels
    }

    /// Returns the seams that are sent after the loop, each with the level of the op that computes it.
    pub(super) fn sent(&self, levels: &FxHashMap<OpId, usize>) -> Vec<(Name, usize)> {
        let outputs = self.program.outputs().iter();
        let after =
            outputs.filter(|o| self.outgoing_seam(&o.name).is_some_and(|seam| seam.when == TransferPhase::After));
        after
            .map(|o| (o.name.clone(), self.producer(o.value).and_then(|id| levels.get(&id)).copied().unwrap_or(0)))
            .collect()
    }

    fn find_sent_each(&mut self) {
        let is_sent =
            |o: &&Output| self.outgoing_seam(&o.name).is_some_and(|seam| seam.when == TransferPhase::EachMicroBatch);
        self.sent_each = self.program.outputs().iter().filter(is_sent).map(|o| o.value).collect();
    }

    /// Finds the values that the loop passes on unchanged, and those that it accumulates.
    ///
    /// Recogniser: the loop over micro-batches accumulates in this form only. Other carried values have the value of
    /// the last iteration.
    fn find_carried(&mut self) {
        for (position, (&inner, output)) in self.body.inputs.iter().zip(&self.body.outputs).enumerate().skip(1) {
            let (arg, out) = (self.args[position], self.outs[position]);
            if inner == output.value {
                let outer = if self.incoming_seam(arg, TransferPhase::EachMicroBatch).is_some() { inner } else { arg };
                self.unchanged.extend([(inner, outer), (out, outer)]);
            } else if !self.is_sent_each(position) {
                let mut partial_sums = vec![output.value];
                let mut value = output.value;
                while let Some(op) = self.producer(value).map(|id| self.op(id))
                    && matches!(&op.kind, OpKind::Binary(b) if b.op == BinaryOp::Add)
                    && value != inner
                {
                    value = op.args[0];
                    partial_sums.push(value);
                }
                let adds = value == inner;
                partial_sums.truncate(if adds { partial_sums.len() } else { 1 });
                self.sums.extend(partial_sums.into_iter().chain([inner, out]).map(|value| (value, position)));
            }
        }
    }

    fn find_live(&mut self) {
        let outputs: Vec<ValueId> = self.program.outputs().iter().map(|o| o.value).collect();
        outputs.into_iter().for_each(|v| self.live[v.index()] = true);
        self.mark_operands(self.after);
        for position in 1..self.outs.len() {
            if self.live[self.outs[position].index()] {
                self.live[self.body.outputs[position].value.index()] = true;
            }
        }
        self.mark_operands(self.body.ops());
        for (&inner, &arg) in self.body.inputs.iter().zip(self.args).skip(1) {
            self.live[arg.index()] |= self.live[inner.index()] && self.unchanged.contains_key(&inner);
        }
        self.mark_operands(self.before);
    }

    fn mark_operands(&mut self, ops: &[OpId]) {
        for &id in ops.iter().rev() {
            let op = self.op(id);
            if op.outs.iter().any(|out| self.live[out.index()]) {
                op.args.iter().for_each(|arg| self.live[arg.index()] = true);
            }
        }
    }

    fn find_cheap(&mut self) {
        let outputs = self.program.outputs().iter().chain(&self.body.outputs);
        let outputs_of_both: FxHashSet<ValueId> = outputs.map(|o| o.value).collect();
        for id in self.in_order() {
            let op = self.op(id);
            if self.is_cheap_op(op) && !op.outs.iter().any(|out| outputs_of_both.contains(out)) {
                self.cheap.extend(&op.outs);
            }
        }
    }

    /// Finds values of the body that are equal for all micro-batches. Results of collectives are excluded, because they
    /// are gathered for each micro-batch in order to save memory.
    fn find_invariant(&mut self) {
        for &id in self.body.ops() {
            let op = self.op(id);
            let is_invariant = |v: &ValueId| {
                let v = self.outer_value(*v);
                self.invariant.contains(&v) || self.is_constant(v) || self.is_param(v)
            };
            let depends_on_params = op.args.iter().any(|v| {
                let v = self.outer_value(*v);
                self.invariant.contains(&v) || self.is_param(v)
            });
            let draws = op.kind.class() == Class::Random || op.kind.control().is_some();
            if depends_on_params && !draws && !op.kind.is_collective() && op.args.iter().all(is_invariant) {
                let stored: Vec<ValueId> = op.outs.iter().copied().filter(|out| !self.cheap.contains(out)).collect();
                self.invariant.extend(stored);
            }
        }
    }

    fn is_param(&self, value: ValueId) -> bool {
        self.params.contains_key(&value)
    }

    fn is_constant(&self, value: ValueId) -> bool {
        self.producer(value).is_some_and(|id| self.op(id).kind.source().is_some())
    }

    /// Returns true if the results of an op are cheaper to recompute than to store.
    ///
    /// Recogniser: results of other ops are computed once and stored.
    fn is_cheap_op(&self, op: &Op) -> bool {
        let bytes = |v: ValueId| self.program.values[v].local_type().bytes();
        let is_cheap = |v: &ValueId| self.cheap.contains(&self.outer_value(*v));
        match &op.kind {
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::ShardStart(_) => true,
            OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Broadcast(_) => {
                is_cheap(&op.args[0]) || bytes(self.outer_value(op.args[0])) <= bytes(op.outs[0])
            }
            // The slice of the batch for the current micro-batch.
            OpKind::DynamicSlice(_) => op.args.iter().all(|v| {
                let is_data = !self.producers.contains_key(&self.outer_value(*v)) && self.unchanged.contains_key(v);
                is_cheap(v) || is_data || self.body.inputs.first() == Some(v)
            }),
            OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Convert(_) => {
                op.args.iter().all(|v| is_cheap(v) || self.body.inputs.first() == Some(v))
                    && bytes(op.outs[0]) <= MAX_RECOMPUTED_BYTES
            }
            _ => false,
        }
    }

    /// Assigns works by phase. An op runs no later than its readers.
    fn find_works(&mut self, splits: bool) {
        for &id in self.body.ops() {
            let work = match self.op(id).phase {
                Phase::Forward => Work::Forward,
                Phase::Recompute | Phase::BackwardInput => Work::BackwardInput,
                Phase::BackwardWeight | Phase::Update => Work::BackwardWeight,
            };
            self.works.insert(id, work);
        }
        // Values that are sent to other chunks are not delayed.
        for position in 1..self.outs.len() {
            let producer = self.producer(self.body.outputs[position].value).filter(|_| self.is_sent_each(position));
            if let Some(work) = producer.and_then(|id| self.works.get_mut(&id)) {
                *work = Work::BackwardInput.min(*work);
            }
        }
        for &id in self.body.ops().iter().rev() {
            let work = self.works[&id];
            let producers = self.op(id).args.iter().filter_map(|arg| self.producers.get(arg));
            for producer in producers {
                if let Some(of_arg) = self.works.get_mut(producer) {
                    *of_arg = work.min(*of_arg);
                }
            }
        }
        let has = |work: Work| self.works.iter().any(|(&id, &of)| of == work && self.is_executed(id));
        if !splits && has(Work::BackwardInput) && has(Work::BackwardWeight) {
            self.works.values_mut().filter(|work| **work != Work::Forward).for_each(|work| *work = Work::Backward);
        }
    }
}
