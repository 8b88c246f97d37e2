//! The program that is cut: a loop over micro-batches, what stands before it and behind it, and what each value is made from.

use partita_ir::arena::{FuncId, Id, OpId, ParamId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::op::OpKind;
use partita_ir::program::{Func, Op, ParamKind, Phase, Program};
use rustc_hash::FxHashMap;

/// What a value is made from, which says where it can be.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Made {
    /// Of data.
    data: bool,
    /// Of parameters.
    params: bool,
    /// Of what a stage adds up.
    sums: bool,
}

impl Made {
    /// Whether it is made on one stage. Everything else is cheap, and whoever reads it makes it again: what is made of data
    /// alone (the part of a batch), of parameters alone (a narrow copy), and of what all stages know.
    pub(super) fn is_staged(self) -> bool {
        self.sums || (self.data && self.params)
    }

    fn and(self, other: Made) -> Made {
        Made { data: self.data | other.data, params: self.params | other.params, sums: self.sums | other.sums }
    }
}

/// A program with a loop over micro-batches, seen from the outside.
pub(super) struct Whole<'p> {
    pub(super) program: &'p Program,
    /// The loop, and where it stands in the main function.
    pub(super) looped: &'p Op,
    pub(super) position: usize,
    /// What runs for each micro-batch.
    pub(super) body: FuncId,
    /// By value.
    pub(super) made: Vec<Made>,
    /// By value, the op that makes it.
    makers: FxHashMap<ValueId, OpId>,
    params: FxHashMap<ValueId, ParamId>,
}

impl<'p> Whole<'p> {
    /// A look at a program over micro-batches.
    ///
    /// # Errors
    /// `G001` when there is no such loop.
    pub(super) fn of(program: &'p Program) -> Result<Whole<'p>, Diagnostic> {
        let ops = program.main().body.iter().map(|&op| &program.ops[op]).enumerate();
        let mut loops = ops.filter_map(|(position, op)| match &op.kind {
            OpKind::Loop(l) if program.funcs[l.body].name == crate::micro_batches::MICRO_BATCH => {
                Some((position, op, l.body))
            }
            _ => None,
        });
        let Some((position, looped, body)) = loops.next() else {
            return Err(Diagnostic::new(Code::G001, "the program has no loop over micro-batches to cut into stages"));
        };
        let mut whole = Whole {
            program,
            looped,
            position,
            body,
            made: vec![Made::default(); program.values.len()],
            makers: FxHashMap::default(),
            params: program.params.iter().map(|(id, param)| (param.value, id)).collect(),
        };
        whole.find_makers();
        Ok(whole)
    }

    fn find_makers(&mut self) {
        let program = self.program;
        for &input in &program.main().inputs {
            let is_param = self.param(input).is_some();
            let params = is_param && !self.is_shared(input);
            self.made[input.index()] = Made { data: !is_param, params, sums: false };
        }
        let (before, behind) = program.main().body.split_at(self.position);
        self.follow(before);
        let body = self.body();
        for (position, (&inner, arg)) in body.inputs.iter().zip(&self.looped.args).enumerate() {
            let is_given = body.outputs.get(position).is_some_and(|o| o.value == inner);
            self.made[inner.index()] = match position {
                // The number of the micro-batch.
                0 => Made { data: true, ..Made::default() },
                _ if is_given => self.made[arg.index()],
                _ => Made { sums: true, ..Made::default() },
            };
        }
        self.follow(&body.body);
        for &out in self.looped.outs.iter().skip(1) {
            self.made[out.index()] = Made { sums: true, ..Made::default() };
        }
        self.follow(&behind[1..]);
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

    /// In how many parts the batch goes through.
    pub(super) fn micro_batches(&self) -> u32 {
        if let OpKind::Loop(l) = &self.looped.kind { u32::try_from(l.trip).unwrap_or(u32::MAX) } else { 1 }
    }

    /// What runs for each micro-batch.
    pub(super) fn body(&self) -> &'p Func {
        &self.program.funcs[self.body]
    }

    /// Ops of the main function in front of the loop.
    pub(super) fn before(&self) -> &'p [OpId] {
        &self.program.main().body[..self.position]
    }

    /// Ops of the main function behind the loop.
    pub(super) fn behind(&self) -> &'p [OpId] {
        &self.program.main().body[self.position + 1..]
    }

    /// An op.
    pub(super) fn op(&self, id: OpId) -> &'p Op {
        &self.program.ops[id]
    }

    /// Whether a value is made on one stage.
    pub(super) fn is_staged(&self, value: ValueId) -> bool {
        self.made[value.index()].is_staged()
    }

    /// Whether an op is done on one stage.
    pub(super) fn is_op_staged(&self, id: OpId) -> bool {
        self.op(id).outs.iter().any(|&out| self.is_staged(out))
    }

    /// Whether an op is of the model, not of its gradients.
    pub(super) fn is_forward(&self, id: OpId) -> bool {
        self.op(id).phase == Phase::Forward
    }

    /// The op that makes a value; nothing for what enters.
    pub(super) fn maker(&self, value: ValueId) -> Option<OpId> {
        self.makers.get(&value).copied()
    }

    /// The parameter that a value is.
    pub(super) fn param(&self, value: ValueId) -> Option<ParamId> {
        self.params.get(&value).copied()
    }

    /// Whether a value is state that belongs to no parameter, which every stage keeps that reads it.
    pub(super) fn is_shared(&self, value: ValueId) -> bool {
        let param = self.param(value).map(|id| &self.program.params[id]);
        param.is_some_and(|param| param.kind == ParamKind::State && param.of.is_none())
    }
}
