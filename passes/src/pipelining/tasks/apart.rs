//! One device's program of a chunk, seen as what is done before the micro-batches, for each of them, and behind them.
//!
//! The loop over micro-batches stands for them: ops of its body belong to the forward part, to the gradients of
//! operands or to those of parameters by their phase. What is cheaper to make again than to keep (constants, positions,
//! what only moves elements) belongs to whoever reads it.

use crate::training::micro_batches::Over;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::pipeline::{Moment, Seam, When};
use partita_ir::program::{Func, Name, Op, Phase, Program};
use partita_ir::schedule::Work;
use rustc_hash::{FxHashMap, FxHashSet};

/// By seam that is sent behind the micro-batches, the level behind which it is.
pub(super) type Levels = FxHashMap<Name, usize>;

/// Results of so few bytes are made again if all that they are made of is.
const CHEAP_BYTES: u64 = 64;

/// The program of a chunk.
pub(super) struct Apart<'p> {
    pub(super) program: &'p Program,
    chunk: usize,
    seams: &'p [Seam],
    /// Ops in front of the loop, and behind it.
    pub(super) before: &'p [OpId],
    pub(super) behind: &'p [OpId],
    /// What is done for each micro-batch.
    pub(super) body: &'p Func,
    /// By position, what the loop is given and gives.
    pub(super) args: &'p [ValueId],
    pub(super) outs: &'p [ValueId],
    makers: FxHashMap<ValueId, OpId>,
    /// By op of the body, in which work it is done.
    works: FxHashMap<OpId, Work>,
    /// By value that the body takes unchanged, what it is in the main function.
    same: FxHashMap<ValueId, ValueId>,
    /// By value that is a sum under way, the position of the sum.
    sums: FxHashMap<ValueId, usize>,
    /// Values that are made again by whoever reads them.
    cheap: FxHashSet<ValueId>,
    /// Values of the body that every micro-batch would make alike: what is made of parameters alone, such as narrow
    /// copies.
    alike: FxHashSet<ValueId>,
    /// Values that somebody reads in the end.
    live: Vec<bool>,
}

impl<'p> Apart<'p> {
    /// A look at the program of a chunk. `splits` says whether gradients of operands and of parameters are works of
    /// their own.
    ///
    /// # Errors
    /// `G001` when it has no loop over micro-batches.
    pub(super) fn of(
        program: &'p Program,
        chunk: usize,
        seams: &'p [Seam],
        splits: bool,
    ) -> Result<Apart<'p>, Diagnostic> {
        let Some(Over { position, looped, body, .. }) = Over::of(program) else {
            return Err(Diagnostic::new(Code::G001, "the program of a chunk has no loop over micro-batches"));
        };
        // entry only: what stands before and behind the loop over micro-batches
        let main = program.funcs[program.entry()].ops();
        let (before, behind) = (&main[..position], &main[position + 1..]);
        let body = &program.funcs[body];
        let made = before.iter().chain(body.ops()).chain(behind);
        let makers = made.flat_map(|&id| program.ops[id].outs.iter().map(move |&out| (out, id))).collect();
        let mut apart = Apart {
            program,
            chunk,
            seams,
            before,
            behind,
            body,
            args: &looped.args,
            outs: &looped.outs,
            makers,
            works: FxHashMap::default(),
            same: FxHashMap::default(),
            sums: FxHashMap::default(),
            cheap: FxHashSet::default(),
            alike: FxHashSet::default(),
            live: vec![false; program.values.len()],
        };
        apart.find_carried();
        apart.find_live();
        apart.find_cheap();
        apart.find_alike();
        apart.find_works(splits);
        Ok(apart)
    }

    /// Every op: in front of the loop, of its body, and behind it.
    pub(super) fn in_order(&self) -> impl Iterator<Item = OpId> + use<'p> {
        self.before.iter().chain(self.body.ops()).chain(self.behind).copied()
    }

    /// An op.
    pub(super) fn op(&self, id: OpId) -> &'p Op {
        &self.program.ops[id]
    }

    /// What a value is in the main function, if the body only takes it from there.
    pub(super) fn known(&self, value: ValueId) -> ValueId {
        self.same.get(&value).copied().unwrap_or(value)
    }

    /// The op that makes a value; nothing for what enters.
    pub(super) fn maker(&self, value: ValueId) -> Option<OpId> {
        self.makers.get(&value).copied()
    }

    /// The sum that a value is, on the way or in the end.
    pub(super) fn sum(&self, value: ValueId) -> Option<usize> {
        self.sums.get(&value).copied()
    }

    /// Whether a value is made again by whoever reads it.
    pub(super) fn is_cheap(&self, value: ValueId) -> bool {
        self.cheap.contains(&value)
    }

    /// Whether there is a value once for each micro-batch.
    pub(super) fn is_of_micro_batch(&self, value: ValueId) -> bool {
        self.maker(value).is_some_and(|id| self.works.contains_key(&id)) && !self.alike.contains(&value)
    }

    /// Whether an op is done once, and not by whoever reads it.
    pub(super) fn is_done(&self, id: OpId) -> bool {
        self.op(id).outs.iter().any(|out| self.live[out.index()] && !self.cheap.contains(out))
    }

    /// The seam by which an input of the main function enters.
    pub(super) fn entering(&self, input: ValueId, when: When) -> Option<&'p Seam> {
        let name = &self.program.values[input].name;
        let is_input = !self.makers.contains_key(&input);
        self.seams.iter().find(|s| is_input && s.to == self.chunk && s.when == when && s.name == *name)
    }

    /// The seam by which an output of the main function leaves.
    pub(super) fn leaving(&self, name: &Name) -> Option<&'p Seam> {
        self.seams.iter().find(|s| s.from == self.chunk && s.name == *name)
    }

    /// The position by which a value leaves for each micro-batch.
    pub(super) fn leaves_each(&self, position: usize) -> bool {
        let mut outputs = self.program.outputs().iter().filter(|o| o.value == self.outs[position]);
        outputs.any(|o| self.leaving(&o.name).is_some_and(|seam| seam.when == When::Each))
    }

    /// When an op is done.
    pub(super) fn moment(&self, id: OpId, levels: &FxHashMap<OpId, usize>) -> Moment {
        let is_alike = self.op(id).outs.iter().all(|out| self.alike.contains(out));
        match (self.works.get(&id), levels.get(&id)) {
            _ if is_alike => Moment::Before,
            (Some(&work), _) => Moment::Slot(work),
            (None, Some(&level)) => Moment::After(level),
            (None, None) => Moment::Before,
        }
    }

    /// The level of each op behind the loop: one more than that of what it waits for from others.
    pub(super) fn levels(&self, of_seams: &Levels) -> FxHashMap<OpId, usize> {
        let mut levels: FxHashMap<OpId, usize> = FxHashMap::default();
        for &id in self.behind {
            let of_arg = |&arg: &ValueId| match self.maker(arg) {
                Some(maker) => levels.get(&maker).copied().unwrap_or(0),
                None => self.entering(arg, When::After).map_or(0, |s| of_seams.get(&s.name).copied().unwrap_or(0) + 1),
            };
            let level = self.op(id).args.iter().map(of_arg).max().unwrap_or(0).max(1);
            levels.insert(id, level);
        }
        levels
    }

    /// The seams that leave behind the loop, each with the level of what makes it.
    pub(super) fn sent(&self, levels: &FxHashMap<OpId, usize>) -> Vec<(Name, usize)> {
        let outputs = self.program.outputs().iter();
        let after = outputs.filter(|o| self.leaving(&o.name).is_some_and(|seam| seam.when == When::After));
        after
            .map(|o| (o.name.clone(), self.maker(o.value).and_then(|id| levels.get(&id)).copied().unwrap_or(0)))
            .collect()
    }

    /// What the loop carries: what it takes unchanged, and what it adds up.
    ///
    /// Recogniser: the loop over micro-batches adds up in this form alone; of other values the last turn counts.
    fn find_carried(&mut self) {
        for (position, (&inner, output)) in self.body.inputs.iter().zip(&self.body.outputs).enumerate().skip(1) {
            let (arg, out) = (self.args[position], self.outs[position]);
            if inner == output.value {
                let given = if self.entering(arg, When::Each).is_some() { inner } else { arg };
                self.same.extend([(inner, given), (out, given)]);
            } else if !self.leaves_each(position) {
                let mut chain = vec![output.value];
                let mut value = output.value;
                while let Some(op) = self.maker(value).map(|id| self.op(id))
                    && matches!(&op.kind, OpKind::Binary(b) if b.op == BinaryOp::Add)
                    && value != inner
                {
                    value = op.args[0];
                    chain.push(value);
                }
                let adds = value == inner;
                chain.truncate(if adds { chain.len() } else { 1 });
                self.sums.extend(chain.into_iter().chain([inner, out]).map(|value| (value, position)));
            }
        }
    }

    fn find_live(&mut self) {
        let outputs: Vec<ValueId> = self.program.outputs().iter().map(|o| o.value).collect();
        outputs.into_iter().for_each(|v| self.live[v.index()] = true);
        self.reach(self.behind);
        for position in 1..self.outs.len() {
            if self.live[self.outs[position].index()] {
                self.live[self.body.outputs[position].value.index()] = true;
            }
        }
        self.reach(self.body.ops());
        for (&inner, &arg) in self.body.inputs.iter().zip(self.args).skip(1) {
            self.live[arg.index()] |= self.live[inner.index()] && self.same.contains_key(&inner);
        }
        self.reach(self.before);
    }

    fn reach(&mut self, ops: &[OpId]) {
        for &id in ops.iter().rev() {
            let op = self.op(id);
            if op.outs.iter().any(|out| self.live[out.index()]) {
                op.args.iter().for_each(|arg| self.live[arg.index()] = true);
            }
        }
    }

    fn find_cheap(&mut self) {
        let outputs = self.program.outputs().iter().chain(&self.body.outputs);
        let given: FxHashSet<ValueId> = outputs.map(|o| o.value).collect();
        for id in self.in_order() {
            let op = self.op(id);
            if self.costs_little(op) && !op.outs.iter().any(|out| given.contains(out)) {
                self.cheap.extend(&op.outs);
            }
        }
    }

    /// What is done once for all micro-batches. What devices send each other for it is not: it is gathered because
    /// there is no room for all of it at once.
    fn find_alike(&mut self) {
        for &id in self.body.ops() {
            let op = self.op(id);
            let is_alike = |v: &ValueId| {
                let v = self.known(*v);
                self.alike.contains(&v) || self.cheap_constant(v) || self.is_param(v)
            };
            let made_of_params = op.args.iter().any(|v| {
                let v = self.known(*v);
                self.alike.contains(&v) || self.is_param(v)
            });
            let draws = op.kind.class() == Class::Random || op.kind.control().is_some();
            if made_of_params && !draws && !op.kind.is_collective() && op.args.iter().all(is_alike) {
                let kept: Vec<ValueId> = op.outs.iter().copied().filter(|out| !self.cheap.contains(out)).collect();
                self.alike.extend(kept);
            }
        }
    }

    fn is_param(&self, value: ValueId) -> bool {
        self.program.params.values().any(|param| param.value == value)
    }

    fn cheap_constant(&self, value: ValueId) -> bool {
        self.maker(value).is_some_and(|id| self.op(id).kind.source().is_some())
    }

    /// Returns whether what an op makes is cheaper to make again than to keep.
    ///
    /// Recogniser: what another op makes is made once and kept.
    fn costs_little(&self, op: &Op) -> bool {
        let bytes = |v: ValueId| self.program.values[v].local_type().bytes();
        let is_cheap = |v: &ValueId| self.cheap.contains(&self.known(*v));
        match &op.kind {
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::PieceStart(_) => true,
            OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Broadcast(_) => {
                is_cheap(&op.args[0]) || bytes(self.known(op.args[0])) <= bytes(op.outs[0])
            }
            // The part of the batch whose turn it is.
            OpKind::DynamicSlice(_) => op.args.iter().all(|v| {
                let is_data = !self.makers.contains_key(&self.known(*v)) && self.same.contains_key(v);
                is_cheap(v) || is_data || self.body.inputs.first() == Some(v)
            }),
            OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Convert(_) => {
                op.args.iter().all(|v| is_cheap(v) || self.body.inputs.first() == Some(v))
                    && bytes(op.outs[0]) <= CHEAP_BYTES
            }
            _ => false,
        }
    }

    /// By phase; but what an op reads is done no later than the op.
    fn find_works(&mut self, splits: bool) {
        for &id in self.body.ops() {
            let work = match self.op(id).phase {
                Phase::Forward => Work::Forward,
                Phase::Recompute | Phase::BackwardInput => Work::BackwardInput,
                Phase::BackwardWeight | Phase::Update => Work::BackwardWeight,
            };
            self.works.insert(id, work);
        }
        // What others wait for is not put off.
        for position in 1..self.outs.len() {
            let maker = self.maker(self.body.outputs[position].value).filter(|_| self.leaves_each(position));
            if let Some(work) = maker.and_then(|id| self.works.get_mut(&id)) {
                *work = Work::BackwardInput.min(*work);
            }
        }
        for &id in self.body.ops().iter().rev() {
            let work = self.works[&id];
            let makers = self.op(id).args.iter().filter_map(|arg| self.makers.get(arg));
            for maker in makers {
                if let Some(of_arg) = self.works.get_mut(maker) {
                    *of_arg = work.min(*of_arg);
                }
            }
        }
        let has = |work: Work| self.works.iter().any(|(&id, &of)| of == work && self.is_done(id));
        if !splits && has(Work::BackwardInput) && has(Work::BackwardWeight) {
            self.works.values_mut().filter(|work| **work != Work::Forward).for_each(|work| *work = Work::Backward);
        }
    }
}
