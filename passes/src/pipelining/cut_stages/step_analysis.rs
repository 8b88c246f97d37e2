//! Analysis of the program before it is cut: the loop over micro-batches, the ops before and after it, and the inputs
//! on which each value depends.

use crate::training::micro_batches::MicroBatchLoop;
use partita_ir::arena::{Id, OpId, ParamId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Func, Op, ParamKind, Phase, Program};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// The inputs on which a value depends. They determine where it can be computed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct InputKinds {
    /// True if the value depends on data.
    data: bool,
    /// True if the value depends on parameters.
    params: bool,
    /// True if the value depends on accumulators.
    sums: bool,
}

impl InputKinds {
    /// Returns true if the value is computed on one chunk. All other values are cheap, and every chunk that reads them
    /// recomputes them: functions of data alone (the slice of a batch), of parameters alone (a narrow copy), and of
    /// state that all chunks have.
    pub(super) fn is_placed(self) -> bool {
        self.sums || (self.data && self.params)
    }

    fn union(self, other: InputKinds) -> InputKinds {
        InputKinds { data: self.data | other.data, params: self.params | other.params, sums: self.sums | other.sums }
    }
}

/// A program with a loop over micro-batches, before it is cut.
pub(super) struct StepAnalysis<'p> {
    pub(super) program: &'p Program,
    micro_batch_loop: MicroBatchLoop<'p>,
    /// The dependencies of each value.
    dependencies: Vec<InputKinds>,
    /// The op that defines each value.
    producers: FxHashMap<ValueId, OpId>,
    /// The position of each value that the loop carries to the next iteration.
    positions: FxHashMap<ValueId, usize>,
    params: FxHashMap<ValueId, ParamId>,
    /// The parameters that each value depends on, for values that depend on parameters alone.
    roots: FxHashMap<ValueId, SmallVec<[ParamId; 1]>>,
}

impl<'p> StepAnalysis<'p> {
    /// Analyses a program with a loop over micro-batches.
    ///
    /// # Errors
    /// `G001` when the program has no such loop.
    pub(super) fn new(program: &'p Program) -> Result<StepAnalysis<'p>, Diagnostic> {
        let Some(micro_batch_loop) = MicroBatchLoop::find(program) else {
            return Err(Diagnostic::new(Code::G001, "the program has no loop over micro-batches to cut into stages"));
        };
        let mut step = StepAnalysis {
            program,
            micro_batch_loop,
            dependencies: vec![InputKinds::default(); program.values.len()],
            producers: FxHashMap::default(),
            positions: FxHashMap::default(),
            params: program.params.iter().map(|(id, param)| (param.value, id)).collect(),
            roots: program.params.iter().map(|(id, param)| (param.value, smallvec![id])).collect(),
        };
        let outputs = step.body().outputs.iter().enumerate();
        step.positions = outputs.rev().map(|(position, output)| (output.value, position)).collect();
        step.find_dependencies();
        step.find_roots();
        Ok(step)
    }

    fn find_dependencies(&mut self) {
        let program = self.program;
        for &input in program.inputs() {
            let is_param = self.param(input).is_some();
            let params = is_param && !self.is_shared(input);
            self.dependencies[input.index()] = InputKinds { data: !is_param, params, sums: false };
        }
        // entry only: ops before and after the loop over micro-batches are in the main function
        let (before, after) = program.funcs[program.entry()].ops().split_at(self.micro_batch_loop.position);
        self.analyse_ops(before);
        let body = self.body();
        for (position, (&inner, arg)) in body.inputs.iter().zip(&self.loop_op().args).enumerate() {
            let is_unchanged = body.outputs.get(position).is_some_and(|o| o.value == inner);
            self.dependencies[inner.index()] = match position {
                // The index of the micro-batch.
                0 => InputKinds { data: true, ..InputKinds::default() },
                _ if is_unchanged => self.dependencies[arg.index()],
                _ => InputKinds { sums: true, ..InputKinds::default() },
            };
        }
        self.analyse_ops(body.ops());
        for &out in self.loop_op().outs.iter().skip(1) {
            self.dependencies[out.index()] = InputKinds { sums: true, ..InputKinds::default() };
        }
        self.analyse_ops(&after[1..]);
    }

    fn find_roots(&mut self) {
        self.find_roots_of(self.ops_before_loop());
        let body = self.body();
        for (inner, arg) in body.inputs.iter().zip(&self.loop_op().args) {
            let roots = self.roots_of(*arg).iter().copied().collect();
            self.roots.insert(*inner, roots);
        }
        self.find_roots_of(body.ops());
    }

    fn find_roots_of(&mut self, ops: &[OpId]) {
        for &id in ops {
            if self.is_op_placed(id) {
                continue;
            }
            let op = self.op(id);
            let mut roots: SmallVec<[ParamId; 1]> = op.args.iter().flat_map(|&v| self.roots_of(v)).copied().collect();
            // Otherwise a chain of ops that read a value twice has exponentially many.
            roots.sort_unstable();
            roots.dedup();
            op.outs.iter().for_each(|&out| drop(self.roots.insert(out, roots.clone())));
        }
    }

    /// Returns the parameter that a value is, or the parameters that it depends on if it depends on parameters alone.
    pub(super) fn roots_of(&self, value: ValueId) -> &[ParamId] {
        self.roots.get(&value).map_or(&[], |roots| roots)
    }

    fn analyse_ops(&mut self, ops: &[OpId]) {
        for &id in ops {
            let op = &self.program.ops[id];
            let dependencies = op
                .args
                .iter()
                .fold(InputKinds::default(), |dependencies, v| dependencies.union(self.dependencies[v.index()]));
            for &out in &op.outs {
                self.dependencies[out.index()] = dependencies;
                self.producers.insert(out, id);
            }
        }
    }

    /// Returns the loop over micro-batches.
    pub(super) fn loop_op(&self) -> &'p Op {
        self.micro_batch_loop.op
    }

    /// Returns the function that runs for each micro-batch.
    pub(super) fn body(&self) -> &'p Func {
        &self.program.funcs[self.micro_batch_loop.body]
    }

    /// Returns the ops of the main function before the loop.
    pub(super) fn ops_before_loop(&self) -> &'p [OpId] {
        // entry only: ops before the loop are in the main function
        &self.program.funcs[self.program.entry()].ops()[..self.micro_batch_loop.position]
    }

    /// Returns the ops of the main function after the loop.
    pub(super) fn ops_after_loop(&self) -> &'p [OpId] {
        // entry only: ops after the loop are in the main function
        &self.program.funcs[self.program.entry()].ops()[self.micro_batch_loop.position + 1..]
    }

    /// Returns an op.
    pub(super) fn op(&self, id: OpId) -> &'p Op {
        &self.program.ops[id]
    }

    /// Returns true if a value is computed on one chunk.
    pub(super) fn is_placed(&self, value: ValueId) -> bool {
        self.dependencies[value.index()].is_placed()
    }

    /// Returns true if an op runs on one chunk.
    pub(super) fn is_op_placed(&self, id: OpId) -> bool {
        self.op(id).outs.iter().any(|&out| self.is_placed(out))
    }

    /// Returns true if an op belongs to the forward pass.
    pub(super) fn is_forward(&self, id: OpId) -> bool {
        self.op(id).phase == Phase::Forward
    }

    /// Returns true if the cuts choose the stage of an op: it belongs to the forward pass and runs on one chunk. An op
    /// that accumulates over micro-batches runs on the chunk of its summand instead.
    pub(super) fn is_of_stage(&self, id: OpId) -> bool {
        self.is_op_placed(id) && self.is_forward(id) && !self.accumulates(id)
    }

    /// Returns true if an op of the body only adds to an accumulator that the loop carries.
    ///
    /// Recogniser: the loop over micro-batches accumulates in this form only. Other carried values have the value of
    /// the last iteration.
    pub(super) fn accumulates(&self, id: OpId) -> bool {
        let op = self.op(id);
        let OpKind::Binary(binary) = &op.kind else { return false };
        let position = self.positions.get(&op.outs[0]).copied().unwrap_or(0);
        binary.op == BinaryOp::Add && position > 0 && op.args[0] == self.body().inputs[position]
    }

    /// Returns the op that defines a value, or `None` for an input.
    pub(super) fn producer(&self, value: ValueId) -> Option<OpId> {
        self.producers.get(&value).copied()
    }

    /// Returns the parameter that a value is.
    pub(super) fn param(&self, value: ValueId) -> Option<ParamId> {
        self.params.get(&value).copied()
    }

    /// Returns true if a value is state that belongs to no parameter. Every chunk that reads it stores it.
    pub(super) fn is_shared(&self, value: ValueId) -> bool {
        let param = self.param(value).map(|id| &self.program.params[id]);
        param.is_some_and(|param| param.kind == ParamKind::State && param.parent.is_none())
    }
}
