//! The program that is cut: a loop over micro-batches, what stands before it and behind it, and what each value is made
//! from.

use crate::training::micro_batches::Over;
use partita_ir::arena::{Id, OpId, ParamId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Func, Op, ParamKind, Phase, Program};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// What a value is made from, which says where it can be.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Made {
    /// Of data.
    data: bool,
    /// Of parameters.
    params: bool,
    /// Of what a chunk adds up.
    sums: bool,
}

impl Made {
    /// Whether it is made on one chunk. Everything else is cheap, and whoever reads it makes it again: what is made of
    /// data alone (the part of a batch), of parameters alone (a narrow copy), and of what all chunks know.
    pub(super) fn is_placed(self) -> bool {
        self.sums || (self.data && self.params)
    }

    fn and(self, other: Made) -> Made {
        Made { data: self.data | other.data, params: self.params | other.params, sums: self.sums | other.sums }
    }
}

/// A program with a loop over micro-batches, seen from the outside.
pub(super) struct Whole<'p> {
    pub(super) program: &'p Program,
    over: Over<'p>,
    /// By value.
    made: Vec<Made>,
    /// By value, the op that makes it.
    makers: FxHashMap<ValueId, OpId>,
    /// By value that the loop hands on, its position.
    positions: FxHashMap<ValueId, usize>,
    params: FxHashMap<ValueId, ParamId>,
    /// By value that is made of parameters alone, these.
    roots: FxHashMap<ValueId, SmallVec<[ParamId; 1]>>,
}

impl<'p> Whole<'p> {
    /// A look at a program over micro-batches.
    ///
    /// # Errors
    /// `G001` when there is no such loop.
    pub(super) fn of(program: &'p Program) -> Result<Whole<'p>, Diagnostic> {
        let Some(over) = Over::of(program) else {
            return Err(Diagnostic::new(Code::G001, "the program has no loop over micro-batches to cut into stages"));
        };
        let mut whole = Whole {
            program,
            over,
            made: vec![Made::default(); program.values.len()],
            makers: FxHashMap::default(),
            positions: FxHashMap::default(),
            params: program.params.iter().map(|(id, param)| (param.value, id)).collect(),
            roots: program.params.iter().map(|(id, param)| (param.value, smallvec![id])).collect(),
        };
        let outputs = whole.body().outputs.iter().enumerate();
        whole.positions = outputs.rev().map(|(position, output)| (output.value, position)).collect();
        whole.find_makers();
        whole.find_roots();
        Ok(whole)
    }

    fn find_makers(&mut self) {
        let program = self.program;
        for &input in program.inputs() {
            let is_param = self.param(input).is_some();
            let params = is_param && !self.is_shared(input);
            self.made[input.index()] = Made { data: !is_param, params, sums: false };
        }
        // entry only: what stands before and behind the loop over micro-batches
        let (before, behind) = program.funcs[program.entry()].ops().split_at(self.over.position);
        self.follow(before);
        let body = self.body();
        for (position, (&inner, arg)) in body.inputs.iter().zip(&self.looped().args).enumerate() {
            let is_given = body.outputs.get(position).is_some_and(|o| o.value == inner);
            self.made[inner.index()] = match position {
                // The number of the micro-batch.
                0 => Made { data: true, ..Made::default() },
                _ if is_given => self.made[arg.index()],
                _ => Made { sums: true, ..Made::default() },
            };
        }
        self.follow(body.ops());
        for &out in self.looped().outs.iter().skip(1) {
            self.made[out.index()] = Made { sums: true, ..Made::default() };
        }
        self.follow(&behind[1..]);
    }

    fn find_roots(&mut self) {
        self.follow_roots(self.before());
        let body = self.body();
        for (inner, arg) in body.inputs.iter().zip(&self.looped().args) {
            let roots = self.roots_of(*arg).iter().copied().collect();
            self.roots.insert(*inner, roots);
        }
        self.follow_roots(body.ops());
    }

    fn follow_roots(&mut self, ops: &[OpId]) {
        for &id in ops {
            if self.is_op_placed(id) {
                continue;
            }
            let op = self.op(id);
            let roots: SmallVec<[ParamId; 1]> = op.args.iter().flat_map(|&v| self.roots_of(v)).copied().collect();
            op.outs.iter().for_each(|&out| drop(self.roots.insert(out, roots.clone())));
        }
    }

    /// The parameters that a value is, or is made of if it is made of parameters alone.
    pub(super) fn roots_of(&self, value: ValueId) -> &[ParamId] {
        self.roots.get(&value).map_or(&[], |roots| roots)
    }

    fn follow(&mut self, ops: &[OpId]) {
        for &id in ops {
            let op = &self.program.ops[id];
            let made = op.args.iter().fold(Made::default(), |made, v| made.and(self.made[v.index()]));
            for &out in &op.outs {
                self.made[out.index()] = made;
                self.makers.insert(out, id);
            }
        }
    }

    /// The loop over them.
    pub(super) fn looped(&self) -> &'p Op {
        self.over.looped
    }

    /// What runs for each of them.
    pub(super) fn body(&self) -> &'p Func {
        &self.program.funcs[self.over.body]
    }

    /// Ops of the main function in front of the loop.
    pub(super) fn before(&self) -> &'p [OpId] {
        // entry only: what stands before the loop
        &self.program.funcs[self.program.entry()].ops()[..self.over.position]
    }

    /// Ops of the main function behind the loop.
    pub(super) fn behind(&self) -> &'p [OpId] {
        // entry only: what stands behind the loop
        &self.program.funcs[self.program.entry()].ops()[self.over.position + 1..]
    }

    /// An op.
    pub(super) fn op(&self, id: OpId) -> &'p Op {
        &self.program.ops[id]
    }

    /// Whether a value is made on one chunk.
    pub(super) fn is_placed(&self, value: ValueId) -> bool {
        self.made[value.index()].is_placed()
    }

    /// Whether an op is done on one chunk.
    pub(super) fn is_op_placed(&self, id: OpId) -> bool {
        self.op(id).outs.iter().any(|&out| self.is_placed(out))
    }

    /// Whether an op is of the model, not of its gradients.
    pub(super) fn is_forward(&self, id: OpId) -> bool {
        self.op(id).phase == Phase::Forward
    }

    /// Returns whether a stage is chosen for an op: for one of the model that a single chunk runs. An op that sums over
    /// micro-batches runs where its summands are.
    pub(super) fn is_of_stage(&self, id: OpId) -> bool {
        self.is_op_placed(id) && self.is_forward(id) && !self.adds_up(id)
    }

    /// Returns whether an op of the body only adds to a sum that the loop carries.
    ///
    /// Recogniser: the loop over micro-batches adds up in this form alone; of other values the last turn counts.
    pub(super) fn adds_up(&self, id: OpId) -> bool {
        let op = self.op(id);
        let OpKind::Binary(binary) = &op.kind else { return false };
        let position = self.positions.get(&op.outs[0]).copied().unwrap_or(0);
        binary.op == BinaryOp::Add && position > 0 && op.args[0] == self.body().inputs[position]
    }

    /// The op that makes a value; nothing for what enters.
    pub(super) fn maker(&self, value: ValueId) -> Option<OpId> {
        self.makers.get(&value).copied()
    }

    /// The parameter that a value is.
    pub(super) fn param(&self, value: ValueId) -> Option<ParamId> {
        self.params.get(&value).copied()
    }

    /// Whether a value is state that belongs to no parameter, which every chunk keeps that reads it.
    pub(super) fn is_shared(&self, value: ValueId) -> bool {
        let param = self.param(value).map(|id| &self.program.params[id]);
        param.is_some_and(|param| param.kind == ParamKind::State && param.of.is_none())
    }
}
