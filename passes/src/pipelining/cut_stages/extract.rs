//! One chunk as a program of its own: its ops, its parameters, and inputs and outputs for what other chunks make and
//! need.
//!
//! The loop over micro-batches stays, as the frame of what the chunk does for each of them: what comes from other
//! chunks it takes unchanged from turn to turn, and what goes to others it gives anew in each.

use super::part::Part;
use super::place::Placed;
use super::whole::Whole;
use crate::training::micro_batches::MICRO_BATCH;
use partita_ir::arena::{Arena, OpId, ParamId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::ops::{Binary, BinaryOp, Constrain, Loop};
use partita_ir::pipeline::{SEAM, Seam, When};
use partita_ir::program::{Func, Name, Output, Param, ParamKind, Phase, Program, Value};
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What the chunks hand each other.
#[derive(Default)]
pub(super) struct Seams {
    /// By value, when, and from where: the name.
    names: BTreeMap<(ValueId, When, usize), Name>,
    /// Names that are taken.
    taken: FxHashSet<Name>,
    /// In the order of names.
    pub(super) all: Vec<Seam>,
}

impl Seams {
    /// Those of all parts.
    pub(super) fn of(whole: &Whole<'_>, placed: &Placed, parts: &[Part]) -> Seams {
        let mut seams = Seams::default();
        for (to, part) in parts.iter().enumerate() {
            for &input in &part.inputs {
                let owner = whole.param(input).and_then(|param| placed.owners.get(&param));
                let is_shared = whole.is_shared(input);
                if let Some(&from) = owner.filter(|&&owner| owner != to && !is_shared) {
                    seams.add(whole, input, When::Before, from, to);
                }
            }
            part.each.iter().for_each(|comes| seams.add(whole, comes.value, When::Each, comes.from, to));
            part.later.iter().for_each(|comes| seams.add(whole, comes.value, When::After, comes.from, to));
            for &position in &part.joins {
                let others = placed.adders(position).into_iter().filter(|&chunk| chunk != to);
                others.for_each(|from| seams.add(whole, whole.looped().outs[position], When::After, from, to));
            }
        }
        seams
    }

    fn add(&mut self, whole: &Whole<'_>, value: ValueId, when: When, from: usize, to: usize) {
        let name = match self.names.get(&(value, when, from)) {
            Some(name) => name.clone(),
            None => self.name_anew(&whole.program.values[value].name, (value, when, from)),
        };
        let seam = Seam { name, from, to, when };
        if !self.all.contains(&seam) {
            self.all.push(seam);
        }
    }

    /// A name that no other seam has: with the chunk that gives it, where several give parts of a value.
    fn name_anew(&mut self, of: &str, seam: (ValueId, When, usize)) -> Name {
        let alone = [format!("{SEAM}{of}"), format!("{SEAM}{of}.of.{}", seam.2)];
        let others = (0..).map(|next| format!("{SEAM}{of}.of.{}.{next}", seam.2));
        let mut names = alone.into_iter().chain(others).map(Name::from);
        let name = names.find(|name| !self.taken.contains(name)).unwrap_or_default();
        self.taken.insert(name.clone());
        self.names.insert(seam, name.clone());
        name
    }

    /// What a value is called between chunks.
    fn name(&self, value: ValueId, when: When, from: usize) -> Name {
        self.names.get(&(value, when, from)).cloned().unwrap_or_default()
    }

    /// What a chunk keeps that others ask for.
    pub(super) fn kept_for_others(&self, from: usize) -> impl Iterator<Item = ValueId> + '_ {
        self.names.keys().filter(move |(_, when, f)| (*when, *f) == (When::Before, from)).map(|(value, ..)| *value)
    }

    /// What a chunk gives others at that time: values and names, in the order of ids.
    fn given(&self, when: When, from: usize) -> Vec<(ValueId, Name)> {
        let ours = self.names.iter().filter(|((_, w, f), _)| (*w, *f) == (when, from));
        ours.map(|((value, ..), name)| (*value, name.clone())).collect()
    }
}

/// Writes the program of a chunk for its share of the micro-batches, with the layouts of `planned`.
pub(super) fn extract(
    whole: &Whole<'_>,
    placed: &Placed,
    part: &Part,
    seams: &Seams,
    (chunk, share): (usize, Range<u32>),
    planned: &Program,
) -> Program {
    let mut program = planned.clone();
    program.source = format!("{} (chunk {chunk})", whole.program.source).into();
    let mut names = Namer::of(&program);
    let mut writing = Writing {
        whole,
        placed,
        part,
        seams,
        chunk,
        share,
        b: Builder::new(&mut program, &mut names),
        incoming: Vec::new(),
        outgoing: Vec::new(),
    };
    writing.b.phase = Phase::BackwardWeight;
    writing.main();
    let (body, incoming, outgoing) = (writing.b.body, writing.incoming, writing.outgoing);
    let entry = program.entry();
    let main = &mut program.funcs[entry];
    *main.ops_mut() = body;
    main.inputs = part.inputs.iter().copied().chain(incoming).collect();
    let outputs = part.outputs.iter().map(|&position| main.outputs[position].clone());
    main.outputs = outputs.chain(outgoing).collect();
    keep_params(&mut program, placed, part, chunk);
    program
}

/// Leaves the parameters of a chunk: those of others, which it is given, are none that it trains.
fn keep_params(program: &mut Program, placed: &Placed, part: &Part, chunk: usize) {
    let old = std::mem::take(&mut program.params);
    let mut ids: FxHashMap<ParamId, ParamId> = FxHashMap::default();
    let mut params: Arena<ParamId, Param> = Arena::default();
    let inputs: FxHashSet<ValueId> = part.inputs.iter().copied().collect();
    for (id, param) in old.iter().filter(|(_, param)| inputs.contains(&param.value)) {
        let is_ours = param.kind == ParamKind::State || placed.owners.get(&id) == Some(&chunk);
        let kind = if is_ours { param.kind } else { ParamKind::Frozen };
        ids.insert(id, params.push(Param { kind, ..param.clone() }));
    }
    for param in params.values_mut() {
        param.of = param.of.and_then(|of| ids.get(&of).copied());
    }
    program.params = params;
    for output in program.outputs_mut() {
        output.alias = output.alias.and_then(|alias| ids.get(&alias).copied());
    }
}

struct Writing<'w, 'p, 'b> {
    whole: &'w Whole<'p>,
    placed: &'w Placed,
    part: &'w Part,
    seams: &'w Seams,
    /// The chunk, among those of all replicas.
    chunk: usize,
    /// The micro-batches that go through it.
    share: Range<u32>,
    b: Builder<'b>,
    /// Inputs of the main function for what others make.
    incoming: Vec<ValueId>,
    /// Its outputs for others.
    outgoing: Vec<Output>,
}

/// A value that the loop carries: what it is given, what its body takes and gives, and what comes of it.
struct Carried {
    arg: ValueId,
    takes: ValueId,
    gives: ValueId,
    out: ValueId,
}

impl Writing<'_, '_, '_> {
    fn main(&mut self) {
        self.b.body.extend(&self.part.before);
        for (value, name) in self.seams.given(When::Before, self.chunk) {
            self.outgoing.push(Output { value, name, alias: None });
        }
        let sums = self.micro_batches();
        self.join(&sums);
        for comes in &self.part.later {
            self.whole_again(comes.value);
            self.b.program.values[comes.value].name = self.seams.name(comes.value, When::After, comes.from);
            self.incoming.push(comes.value);
        }
        self.b.body.extend(&self.part.behind);
        for (value, name) in self.seams.given(When::After, self.chunk) {
            let position = self.whole.looped().outs.iter().position(|&out| out == value);
            let is_home = |position: &usize| self.placed.homes[*position] == Some(self.chunk);
            let own = position.filter(|position| !is_home(position)).and_then(|position| sums.get(&position));
            self.outgoing.push(Output { value: own.copied().unwrap_or(value), name, alias: None });
        }
    }

    fn fresh(&mut self, like: ValueId) -> ValueId {
        let value = self.b.program.values[like].clone();
        let name = self.b.names.fresh(&value.name);
        self.b.program.values.push(Value { name, ..value })
    }

    /// Lets a value lie as another one does.
    fn lies_as(&mut self, value: ValueId, like: ValueId) -> ValueId {
        self.b.program.values[value].layout = self.b.program.values[like].layout.clone();
        value
    }

    fn seam(&mut self, like: ValueId, name: Name) -> ValueId {
        self.whole_again(like);
        let value = Value { name, ..self.b.program.values[like].clone() };
        let value = self.b.program.values.push(value);
        self.incoming.push(value);
        value
    }

    /// What comes from another chunk is not partial: that chunk has summed it up.
    fn whole_again(&mut self, value: ValueId) {
        if let Some(layout) = &mut self.b.program.values[value].layout
            && !layout.pending.is_empty()
        {
            Arc::make_mut(layout).pending.clear();
        }
    }

    /// A value as it is sent: not partial.
    fn summed_up(&mut self, value: ValueId) -> ValueId {
        let is_partial = self.b.program.values[value].layout.as_deref().is_some_and(|l| !l.pending.is_empty());
        if !is_partial {
            return value;
        }
        let summed = self.fresh(value);
        self.whole_again(summed);
        self.b.push(Constrain { fresh: false }.into(), &[value], [summed].into_iter().collect());
        summed
    }

    /// Appends the loop; by position what this chunk has added up behind it.
    fn micro_batches(&mut self) -> FxHashMap<usize, ValueId> {
        let (whole, body) = (self.whole, self.whole.body());
        let handed_on = |position: usize| (whole.looped().args[position], body.inputs[position]);
        let (mut arg, takes) = handed_on(0);
        if self.share.start > 0 {
            let ty = self.b.ty(arg);
            let first = self.b.splat(ty, Scalar::Int(i64::from(self.share.start)));
            arg = self.lies_as(first, arg);
        }
        let mut carried = vec![Carried { arg, takes, gives: body.outputs[0].value, out: self.fresh(arg) }];
        let outside = std::mem::take(&mut self.b.body);
        let mut sums = FxHashMap::default();
        for &position in &self.part.sums {
            let (arg, takes) = handed_on(position);
            let gives = self.add_up(position);
            let is_joined = self.part.joins.contains(&position);
            let is_whole = self.placed.homes[position] == Some(self.chunk) && !is_joined;
            let out = if is_whole { whole.looped().outs[position] } else { self.fresh(arg) };
            sums.insert(position, out);
            carried.push(Carried { arg, takes, gives, out });
        }
        let sent: Vec<(ValueId, Name)> = self.seams.given(When::Each, self.chunk);
        let sent: Vec<(ValueId, Name)> = sent.into_iter().map(|(value, name)| (self.summed_up(value), name)).collect();
        let added = std::mem::replace(&mut self.b.body, outside);
        let written = self.interleave(added);
        for &position in &self.part.given {
            let (arg, takes) = handed_on(position);
            carried.push(Carried { arg, takes, gives: takes, out: self.fresh(arg) });
        }
        for comes in &self.part.each {
            let arg = self.seam(comes.value, self.seams.name(comes.value, When::Each, comes.from));
            carried.push(Carried { arg, takes: comes.value, gives: comes.value, out: self.fresh(comes.value) });
        }
        for (value, name) in sent {
            let ty = self.b.ty(value);
            let nothing = if ty.dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) };
            let nothing = self.b.splat(ty, nothing);
            let arg = self.lies_as(nothing, value);
            let (takes, out) = (self.fresh(value), self.fresh(value));
            carried.push(Carried { arg, takes, gives: value, out });
            self.outgoing.push(Output { value: out, name, alias: None });
        }
        self.push_loop(written, &carried);
        sums
    }

    /// A sum with what this chunk adds in one turn.
    fn add_up(&mut self, position: usize) -> ValueId {
        let body = self.whole.body();
        let own = self.chunk % self.placed.count;
        let parts = self.placed.sums[position].iter().filter(|(chunk, _)| *chunk == own);
        let mut parts = parts.map(|(_, part)| *part);
        let sum = match self.placed.adds.contains(&position) {
            true => Some(body.inputs[position]),
            false => parts.next(),
        };
        let sum = sum.unwrap_or(body.inputs[position]);
        let parts: Vec<ValueId> = parts.collect();
        parts.into_iter().fold(sum, |sum, part| {
            let added = self.b.binary(BinaryOp::Add, sum, part);
            self.lies_as(added, sum)
        })
    }

    /// The ops of the body, with those that add up each as soon as there is what it adds, so that nothing is kept for
    /// long.
    fn interleave(&self, added: Vec<OpId>) -> Vec<OpId> {
        let program = &*self.b.program;
        let made_at =
            |(at, &op): (usize, &OpId)| program.ops[op].outs.iter().map(|&out| (out, at + 1)).collect::<Vec<_>>();
        let mut made_at: FxHashMap<ValueId, usize> = self.part.body.iter().enumerate().flat_map(made_at).collect();
        let mut due: Vec<(usize, OpId)> = Vec::with_capacity(added.len());
        for op in added {
            let op_ref = &program.ops[op];
            let at = op_ref.args.iter().filter_map(|arg| made_at.get(arg)).copied().max().unwrap_or(0);
            made_at.insert(op_ref.outs[0], at);
            due.push((at, op));
        }
        due.sort_by_key(|&(at, _)| at);
        let mut body = Vec::with_capacity(self.part.body.len() + due.len());
        let mut due = due.into_iter().peekable();
        for at in 0..=self.part.body.len() {
            body.extend(std::iter::from_fn(|| due.next_if(|&(when, _)| when == at)).map(|(_, op)| op));
            body.extend(self.part.body.get(at));
        }
        body
    }

    fn push_loop(&mut self, body: Vec<OpId>, carried: &[Carried]) {
        let output = |(i, carried): (usize, &Carried)| Output {
            value: carried.gives,
            name: format!("o{i}").into(),
            alias: None,
        };
        let inputs = carried.iter().map(|c| c.takes).collect();
        let func = Func::new(MICRO_BATCH, inputs, carried.iter().enumerate().map(output).collect(), body);
        let trip = self.share.len() as u64;
        let body = self.b.program.funcs.push(func);
        let args: Vec<ValueId> = carried.iter().map(|c| c.arg).collect();
        self.b.push(Loop { trip, body }.into(), &args, carried.iter().map(|c| c.out).collect());
    }

    /// Adds up what several chunks have added up.
    fn join(&mut self, sums: &FxHashMap<usize, ValueId>) {
        for &position in &self.part.joins {
            let whole = self.whole.looped().outs[position];
            let mut parts: Vec<ValueId> = sums.get(&position).copied().into_iter().collect();
            let mut others = self.placed.adders(position);
            others.retain(|&from| from != self.chunk);
            for from in others {
                parts.push(self.seam(whole, self.seams.name(whole, When::After, from)));
            }
            let Some(last) = parts.pop() else { continue };
            let rest = parts.into_iter().reduce(|sum, part| {
                let added = self.b.binary(BinaryOp::Add, sum, part);
                self.lies_as(added, whole)
            });
            match rest {
                Some(rest) => {
                    self.b.push(Binary { op: BinaryOp::Add }.into(), &[rest, last], [whole].into_iter().collect());
                }
                None => {
                    self.b.push(Constrain { fresh: false }.into(), &[last], [whole].into_iter().collect());
                }
            }
        }
    }
}
