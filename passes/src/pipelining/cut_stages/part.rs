//! What one chunk does and reads, before it is written as a program.

use super::place::Placed;
use super::whole::Whole;
use partita_ir::arena::{Id, OpId, ParamId, ValueId};
use partita_ir::program::Program;
use rustc_hash::{FxHashMap, FxHashSet};

/// A value that another chunk makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Comes {
    pub(super) value: ValueId,
    pub(super) from: usize,
}

/// The share of one chunk.
#[derive(Default)]
pub(super) struct Part {
    /// Ops in front of the loop, in it and behind it, in order.
    pub(super) before: Vec<OpId>,
    pub(super) body: Vec<OpId>,
    pub(super) behind: Vec<OpId>,
    /// Positions of what the loop hands on unchanged, and of what this chunk adds up.
    pub(super) given: Vec<usize>,
    pub(super) sums: Vec<usize>,
    /// What other chunks make for each micro-batch, and behind the loop; sums of theirs are told by what the loop
    /// gives.
    pub(super) each: Vec<Comes>,
    pub(super) later: Vec<Comes>,
    /// Sums whose parts of several chunks this one joins.
    pub(super) joins: Vec<usize>,
    /// Inputs of the main function, in order.
    pub(super) inputs: Vec<ValueId>,
    /// Outputs of the main function, by position.
    pub(super) outputs: Vec<usize>,
}

impl Part {
    /// The share of a chunk.
    pub(super) fn of(whole: &Whole<'_>, placed: &Placed, chunk: usize) -> Part {
        let mut reading = Reading {
            whole,
            placed,
            chunk: chunk % placed.count,
            replica: chunk / placed.count,
            part: Part::default(),
            needed: vec![false; whole.program.values.len()],
            sums: whole.looped().outs.iter().copied().zip(0..).collect(),
        };
        // What stands behind the loop the first replica does for all.
        if reading.replica == 0 {
            reading.read_outputs();
            reading.read_behind();
        }
        reading.read_body();
        reading.read_before();
        reading.part
    }

    /// Joins sums that only others ask for.
    pub(super) fn join_for_others(whole: &Whole<'_>, placed: &Placed, parts: &mut [Part]) {
        let sums: FxHashMap<ValueId, usize> = whole.looped().outs.iter().copied().zip(0..).collect();
        let asked = parts.iter().flat_map(|part| &part.later);
        let asked: Vec<(usize, usize)> =
            asked.filter_map(|comes| Some((comes.from, *sums.get(&comes.value)?))).collect();
        for (from, position) in asked {
            let is_alone = placed.adders(position).into_iter().all(|chunk| chunk == from);
            if !is_alone && !parts[from].joins.contains(&position) {
                parts[from].joins.push(position);
            }
        }
    }

    /// Takes in what it keeps for others, if it reads that or not.
    pub(super) fn take_in(&mut self, whole: &Whole<'_>, kept: impl Iterator<Item = ValueId>) {
        let mut inputs: FxHashSet<ValueId> = self.inputs.iter().copied().collect();
        inputs.extend(kept);
        self.inputs = whole.program.inputs().iter().copied().filter(|input| inputs.contains(input)).collect();
    }
}

struct Reading<'w, 'p> {
    whole: &'w Whole<'p>,
    placed: &'w Placed,
    /// The chunk of which replica.
    chunk: usize,
    replica: usize,
    part: Part,
    /// Values that the chunk reads.
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

    /// An output is given by the chunk that keeps the parameter that it replaces, or else by the one that makes it;
    /// what all could make, by all that keep the parameter, or by the first chunk.
    fn read_outputs(&mut self) {
        for position in 0..self.program().outputs().len() {
            let output = &self.program().outputs()[position];
            let (value, alias) = (output.value, output.alias);
            let is_ours = match (alias, self.at(value)) {
                (Some(param), Some(_)) => self.placed.owners.get(&param) == Some(&self.chunk),
                (Some(param), None) => self.chunk == 0 || self.keeps(param),
                (None, made) => made.unwrap_or(0) == self.chunk,
            };
            if is_ours {
                self.part.outputs.push(position);
                self.ask(value);
            }
        }
    }

    /// Whether this chunk reads state that all chunks keep.
    fn keeps(&self, param: ParamId) -> bool {
        let value = self.program().params[param].value;
        let ops = self.whole.behind().iter().filter(|&&id| self.placed.chunk(id) == Some(self.chunk));
        // Ops that read it on the way to what is done here are followed back.
        let mut read: Vec<ValueId> = ops.flat_map(|&id| self.whole.op(id).args.iter().copied()).collect();
        let mut seen = vec![false; self.program().values.len()];
        while let Some(next) = read.pop() {
            if next == value {
                return true;
            }
            let is_new = !std::mem::replace(&mut seen[next.index()], true);
            if is_new && !self.whole.is_placed(next) {
                let maker = self.whole.maker(next);
                read.extend(maker.into_iter().flat_map(|id| self.whole.op(id).args.iter().copied()));
            }
        }
        false
    }

    /// The chunk that makes a value of the main function; nothing for what all can make.
    fn at(&self, value: ValueId) -> Option<usize> {
        match self.sums.get(&value) {
            Some(&position) if position > 0 => self.placed.homes.get(position).copied().flatten(),
            _ => self.placed.of_value(self.whole, value),
        }
    }

    /// Notes that the chunk reads a value of the main function.
    fn ask(&mut self, value: ValueId) {
        if std::mem::replace(&mut self.needed[value.index()], true) {
            return;
        }
        match self.at(value) {
            Some(from) if from != self.chunk => self.part.later.push(Comes { value, from }),
            Some(_) => {
                if let Some(&position) = self.sums.get(&value)
                    && self.placed.adders(position).into_iter().any(|chunk| chunk != self.chunk)
                {
                    self.part.joins.push(position);
                }
            }
            None => {}
        }
    }

    fn read_behind(&mut self) {
        for &id in self.whole.behind().iter().rev() {
            let is_ours = match self.whole.is_op_placed(id) {
                true => self.placed.chunk(id) == Some(self.chunk),
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
            let ours: Vec<ValueId> = parts.iter().filter(|(s, _)| *s == self.chunk).map(|(_, value)| *value).collect();
            let number = self.replica * self.placed.count + self.chunk;
            if !ours.is_empty() && self.placed.adders(position).contains(&number) {
                self.part.sums.push(position);
                self.need(self.whole.looped().args[position]);
                ours.into_iter().for_each(|value| self.need(value));
            }
        }
        for &id in body.ops().iter().rev() {
            let is_ours = match self.whole.is_op_placed(id) {
                true => self.placed.chunk(id) == Some(self.chunk),
                false => self.is_needed(id),
            };
            if is_ours {
                self.part.body.push(id);
                self.whole.op(id).args.iter().for_each(|&arg| self.need(arg));
            }
        }
        self.part.body.reverse();
        for &id in body.ops() {
            let Some(from) = self.placed.chunk(id).filter(|&from| from != self.chunk) else { continue };
            for &value in self.whole.op(id).outs.iter().filter(|out| self.needed[out.index()]) {
                self.part.each.push(Comes { value, from: self.replica * self.placed.count + from });
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
        self.need(self.whole.looped().args[0]);
        for position in self.part.given.clone() {
            self.need(self.whole.looped().args[position]);
        }
        for &id in self.whole.before().iter().rev() {
            if self.is_needed(id) {
                self.part.before.push(id);
                self.whole.op(id).args.iter().for_each(|&arg| self.need(arg));
            }
        }
        self.part.before.reverse();
        let inputs = self.program().inputs().iter().copied();
        self.part.inputs = inputs.filter(|v| self.needed[v.index()]).collect();
    }
}
