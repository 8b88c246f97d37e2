//! What one stage does and reads, before it is written as a program.

use super::place::Placed;
use super::whole::Whole;
use partita_ir::arena::{Id, OpId, ParamId, ValueId};
use partita_ir::program::Program;
use rustc_hash::FxHashMap;

/// A value that another stage makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Comes {
    pub(super) value: ValueId,
    pub(super) from: usize,
}

/// The share of one stage.
#[derive(Default)]
pub(super) struct Part {
    /// Ops in front of the loop, in it and behind it, in order.
    pub(super) before: Vec<OpId>,
    pub(super) body: Vec<OpId>,
    pub(super) behind: Vec<OpId>,
    /// Positions of what the loop hands on unchanged, and of what this stage adds up.
    pub(super) given: Vec<usize>,
    pub(super) sums: Vec<usize>,
    /// What other stages make for each micro-batch, and behind the loop; sums of theirs are told by what the loop gives.
    pub(super) each: Vec<Comes>,
    pub(super) later: Vec<Comes>,
    /// Sums whose parts of several stages this one joins.
    pub(super) joins: Vec<usize>,
    /// Inputs of the main function, in order.
    pub(super) inputs: Vec<ValueId>,
    /// Outputs of the main function, by position.
    pub(super) outputs: Vec<usize>,
}

impl Part {
    /// The share of a stage.
    pub(super) fn of(whole: &Whole<'_>, placed: &Placed, stage: usize) -> Part {
        let mut reading = Reading {
            whole,
            placed,
            stage,
            part: Part::default(),
            needed: vec![false; whole.program.values.len()],
            sums: whole.looped.outs.iter().copied().zip(0..).collect(),
        };
        reading.read_outputs();
        reading.read_behind();
        reading.read_body();
        reading.read_before();
        reading.part
    }
}

struct Reading<'w, 'p> {
    whole: &'w Whole<'p>,
    placed: &'w Placed,
    stage: usize,
    part: Part,
    /// Values that the stage reads.
    needed: Vec<bool>,
    /// By what the loop gives, the position.
    sums: FxHashMap<ValueId, usize>,
}

impl Reading<'_, '_> {
    fn program(&self) -> &Program {
        self.whole.program
    }

    fn need(&mut self, value: ValueId) {
        self.needed[value.index()] = true;
    }

    fn is_needed(&self, op: OpId) -> bool {
        self.whole.op(op).outs.iter().any(|out| self.needed[out.index()])
    }

    /// An output is given by the stage that keeps the parameter that it replaces, or else by the one that makes it; what all could make,
    /// by all that keep the parameter, or by the first stage.
    fn read_outputs(&mut self) {
        for position in 0..self.program().main().outputs.len() {
            let output = &self.program().main().outputs[position];
            let (value, alias) = (output.value, output.alias);
            let is_ours = match (alias, self.at(value)) {
                (Some(param), Some(_)) => self.placed.owners.get(&param) == Some(&self.stage),
                (Some(param), None) => self.stage == 0 || self.keeps(param),
                (None, made) => made.unwrap_or(0) == self.stage,
            };
            if is_ours {
                self.part.outputs.push(position);
                self.ask(value);
            }
        }
    }

    /// Whether this stage reads state that all stages keep.
    fn keeps(&self, param: ParamId) -> bool {
        let value = self.program().params[param].value;
        let ops = self.whole.behind().iter().filter(|&&id| self.placed.stage(id) == Some(self.stage));
        // Ops that read it on the way to what is done here are followed back.
        let mut read: Vec<ValueId> = ops.flat_map(|&id| self.whole.op(id).args.iter().copied()).collect();
        let mut seen = vec![false; self.program().values.len()];
        while let Some(next) = read.pop() {
            if next == value {
                return true;
            }
            let is_new = !std::mem::replace(&mut seen[next.index()], true);
            if is_new && !self.whole.is_staged(next) {
                let maker = self.whole.maker(next);
                read.extend(maker.into_iter().flat_map(|id| self.whole.op(id).args.iter().copied()));
            }
        }
        false
    }

    /// The stage that makes a value of the main function; nothing for what all can make.
    fn at(&self, value: ValueId) -> Option<usize> {
        match self.sums.get(&value) {
            Some(&position) if position > 0 => self.placed.homes.get(position).copied().flatten(),
            _ => self.placed.of_value(self.whole, value),
        }
    }

    /// Notes that the stage reads a value of the main function.
    fn ask(&mut self, value: ValueId) {
        if std::mem::replace(&mut self.needed[value.index()], true) {
            return;
        }
        match self.at(value) {
            Some(from) if from != self.stage => self.part.later.push(Comes { value, from }),
            Some(_) => {
                if let Some(&position) = self.sums.get(&value)
                    && self.placed.sums[position].iter().any(|(stage, _)| *stage != self.stage)
                {
                    self.part.joins.push(position);
                }
            }
            None => {}
        }
    }

    fn read_behind(&mut self) {
        for &id in self.whole.behind().iter().rev() {
            let is_ours = match self.whole.is_op_staged(id) {
                true => self.placed.stage(id) == Some(self.stage),
                false => self.is_needed(id),
            };
            if is_ours {
                self.part.behind.push(id);
                self.whole.op(id).args.iter().for_each(|&arg| self.ask(arg));
            }
        }
        self.part.behind.reverse();
        self.part.later.sort_by_key(|comes| comes.value);
    }

    fn read_body(&mut self) {
        let body = self.whole.body();
        self.need(body.outputs[0].value);
        for (position, parts) in self.placed.sums.iter().enumerate() {
            let ours: Vec<ValueId> = parts.iter().filter(|(s, _)| *s == self.stage).map(|(_, value)| *value).collect();
            if !ours.is_empty() {
                self.part.sums.push(position);
                self.need(self.whole.looped.args[position]);
                ours.into_iter().for_each(|value| self.need(value));
            }
        }
        for &id in body.body.iter().rev() {
            let is_ours = match self.whole.is_op_staged(id) {
                true => self.placed.stage(id) == Some(self.stage),
                false => self.is_needed(id),
            };
            if is_ours {
                self.part.body.push(id);
                self.whole.op(id).args.iter().for_each(|&arg| self.need(arg));
            }
        }
        self.part.body.reverse();
        for &id in &body.body {
            let Some(from) = self.placed.stage(id).filter(|&from| from != self.stage) else { continue };
            for &value in self.whole.op(id).outs.iter().filter(|out| self.needed[out.index()]) {
                self.part.each.push(Comes { value, from });
            }
        }
        for (position, &inner) in body.inputs.iter().enumerate().skip(1) {
            let is_given = body.outputs[position].value == inner;
            if is_given && self.needed[inner.index()] {
                self.part.given.push(position);
            }
        }
    }

    fn read_before(&mut self) {
        self.need(self.whole.looped.args[0]);
        for position in self.part.given.clone() {
            self.need(self.whole.looped.args[position]);
        }
        for &id in self.whole.before().iter().rev() {
            if self.is_needed(id) {
                self.part.before.push(id);
                self.whole.op(id).args.iter().for_each(|&arg| self.need(arg));
            }
        }
        self.part.before.reverse();
        let inputs = self.program().main().inputs.iter().copied();
        self.part.inputs = inputs.filter(|v| self.needed[v.index()]).collect();
    }
}
