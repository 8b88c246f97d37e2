//! One chunk as a separate program: its ops, its parameters, and inputs and outputs for values that chunks exchange.
//!
//! The program contains a loop over micro-batches with the chunk's work for each of them. The loop carries values of
//! other chunks unchanged, and values for other chunks as new results in each iteration.

use super::chunk_contents::ChunkContents;
use super::placement::Placement;
use super::step_analysis::StepAnalysis;
use crate::training::micro_batches::MICRO_BATCH;
use partita_ir::arena::{Arena, OpId, ParamId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::ops::{Binary, BinaryOp, Constrain, Loop};
use partita_ir::pipeline::{BOUNDARY_PREFIX, BoundaryValue, TransferPhase};
use partita_ir::program::{Func, Name, Output, Param, ParamKind, Phase, Program, Value};
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The values that chunks exchange.
#[derive(Default)]
pub(super) struct Seams {
    /// The name of each seam, by value, time and source chunk.
    names: BTreeMap<(ValueId, TransferPhase, usize), Name>,
    /// Names that are in use.
    used_names: FxHashSet<Name>,
    /// All seams, in order of creation.
    pub(super) all: Vec<BoundaryValue>,
}

impl Seams {
    /// Returns the seams of all chunks.
    pub(super) fn new(step: &StepAnalysis<'_>, placement: &Placement, contents: &[ChunkContents]) -> Seams {
        let mut seams = Seams::default();
        for (to, contents) in contents.iter().enumerate() {
            for &input in &contents.inputs {
                let owner = step.param(input).and_then(|param| placement.owners.get(&param));
                let is_shared = step.is_shared(input);
                if let Some(&from) = owner.filter(|&&owner| owner != to && !is_shared) {
                    seams.add(step, input, TransferPhase::Before, from, to);
                }
            }
            contents
                .received_each
                .iter()
                .for_each(|received| seams.add(step, received.value, TransferPhase::EachMicroBatch, received.from, to));
            contents
                .received_after
                .iter()
                .for_each(|received| seams.add(step, received.value, TransferPhase::After, received.from, to));
            for &position in &contents.joins {
                let others = placement.summand_chunks(position).into_iter().filter(|&chunk| chunk != to);
                others.for_each(|from| seams.add(step, step.loop_op().outs[position], TransferPhase::After, from, to));
            }
        }
        seams
    }

    fn add(&mut self, step: &StepAnalysis<'_>, value: ValueId, when: TransferPhase, from: usize, to: usize) {
        let name = match self.names.get(&(value, when, from)) {
            Some(name) => name.clone(),
            None => self.new_name(&step.program.values[value].name, (value, when, from)),
        };
        let seam = BoundaryValue { name, from, to, when };
        if !self.all.contains(&seam) {
            self.all.push(seam);
        }
    }

    /// Returns a new name for a seam. The name contains the source chunk if several chunks send parts of a value.
    fn new_name(&mut self, of: &str, seam: (ValueId, TransferPhase, usize)) -> Name {
        let alone = [format!("{BOUNDARY_PREFIX}{of}"), format!("{BOUNDARY_PREFIX}{of}.of.{}", seam.2)];
        let others = (0..).map(|next| format!("{BOUNDARY_PREFIX}{of}.of.{}.{next}", seam.2));
        let mut names = alone.into_iter().chain(others).map(Name::from);
        let name = names.find(|name| !self.used_names.contains(name)).unwrap_or_default();
        self.used_names.insert(name.clone());
        self.names.insert(seam, name.clone());
        name
    }

    /// Returns the name of a seam.
    fn name(&self, value: ValueId, when: TransferPhase, from: usize) -> Name {
        self.names.get(&(value, when, from)).cloned().unwrap_or_default()
    }

    /// Returns the values that a chunk stores and sends to others before the micro-batches.
    pub(super) fn sent_before(&self, from: usize) -> impl Iterator<Item = ValueId> + '_ {
        self.names
            .keys()
            .filter(move |(_, when, f)| (*when, *f) == (TransferPhase::Before, from))
            .map(|(value, ..)| *value)
    }

    /// Returns the values that a chunk sends at this time, with their names, in the order of ids.
    fn sent(&self, when: TransferPhase, from: usize) -> Vec<(ValueId, Name)> {
        let sent_here = self.names.iter().filter(|((_, w, f), _)| (*w, *f) == (when, from));
        sent_here.map(|((value, ..), name)| (*value, name.clone())).collect()
    }
}

/// Returns the program of a chunk for its share of the micro-batches, with the layouts of `planned`.
pub(super) fn extract(
    step: &StepAnalysis<'_>,
    placement: &Placement,
    contents: &ChunkContents,
    seams: &Seams,
    (chunk, share): (usize, Range<u32>),
    planned: &Program,
) -> Program {
    let mut program = planned.clone();
    program.source = format!("{} (chunk {chunk})", step.program.source).into();
    let mut names = Namer::from_program(&program);
    let mut writer = ProgramWriter {
        step,
        placement,
        contents,
        seams,
        chunk,
        share,
        b: Builder::new(&mut program, &mut names),
        incoming: Vec::new(),
        outgoing: Vec::new(),
    };
    writer.b.phase = Phase::BackwardWeight;
    writer.write_main();
    let (body, incoming, outgoing) = (writer.b.body, writer.incoming, writer.outgoing);
    let entry = program.entry();
    let main = &mut program.funcs[entry];
    *main.ops_mut() = body;
    main.inputs = contents.inputs.iter().copied().chain(incoming).collect();
    let outputs = contents.outputs.iter().map(|&position| main.outputs[position].clone());
    main.outputs = outputs.chain(outgoing).collect();
    retain_params(&mut program, placement, contents, chunk);
    program
}

/// Retains the parameters of a chunk. Parameters of other chunks are marked as frozen.
fn retain_params(program: &mut Program, placement: &Placement, contents: &ChunkContents, chunk: usize) {
    let old = std::mem::take(&mut program.params);
    let mut ids: FxHashMap<ParamId, ParamId> = FxHashMap::default();
    let mut params: Arena<ParamId, Param> = Arena::default();
    let inputs: FxHashSet<ValueId> = contents.inputs.iter().copied().collect();
    for (id, param) in old.iter().filter(|(_, param)| inputs.contains(&param.value)) {
        let belongs_here = param.kind == ParamKind::State || placement.owners.get(&id) == Some(&chunk);
        let kind = if belongs_here { param.kind } else { ParamKind::Frozen };
        ids.insert(id, params.push(Param { kind, ..param.clone() }));
    }
    for param in params.values_mut() {
        param.parent = param.parent.and_then(|of| ids.get(&of).copied());
    }
    program.params = params;
    for output in program.outputs_mut() {
        output.alias = output.alias.and_then(|alias| ids.get(&alias).copied());
    }
}

struct ProgramWriter<'w, 'p, 'b> {
    step: &'w StepAnalysis<'p>,
    placement: &'w Placement,
    contents: &'w ChunkContents,
    seams: &'w Seams,
    /// Index of the chunk among those of all replicas.
    chunk: usize,
    /// The micro-batches of the chunk.
    share: Range<u32>,
    b: Builder<'b>,
    /// Inputs of the main function that other chunks compute.
    incoming: Vec<ValueId>,
    /// Outputs of the main function that other chunks read.
    outgoing: Vec<Output>,
}

/// A value that the loop carries: the initial operand, the body's parameter and result, and the result of the loop.
struct Carried {
    arg: ValueId,
    body_input: ValueId,
    body_output: ValueId,
    out: ValueId,
}

impl ProgramWriter<'_, '_, '_> {
    fn write_main(&mut self) {
        self.b.body.extend(&self.contents.before);
        for (value, name) in self.seams.sent(TransferPhase::Before, self.chunk) {
            self.outgoing.push(Output { value, name, alias: None });
        }
        let sums = self.append_loop();
        self.add_totals(&sums);
        for received in &self.contents.received_after {
            self.clear_partial(received.value);
            self.b.program.values[received.value].name =
                self.seams.name(received.value, TransferPhase::After, received.from);
            self.incoming.push(received.value);
        }
        self.b.body.extend(&self.contents.after);
        for (value, name) in self.seams.sent(TransferPhase::After, self.chunk) {
            let position = self.step.loop_op().outs.iter().position(|&out| out == value);
            let is_home = |position: &usize| self.placement.total_chunks[*position] == Some(self.chunk);
            let own = position.filter(|position| !is_home(position)).and_then(|position| sums.get(&position));
            self.outgoing.push(Output { value: own.copied().unwrap_or(value), name, alias: None });
        }
    }

    fn fresh(&mut self, like: ValueId) -> ValueId {
        let value = self.b.program.values[like].clone();
        let name = self.b.names.fresh(&value.name);
        self.b.program.values.push(Value { name, ..value })
    }

    /// Copies the layout of `like` to `value`, and returns `value`.
    fn copy_layout(&mut self, value: ValueId, like: ValueId) -> ValueId {
        self.b.program.values[value].layout = self.b.program.values[like].layout.clone();
        value
    }

    fn seam(&mut self, like: ValueId, name: Name) -> ValueId {
        self.clear_partial(like);
        let value = Value { name, ..self.b.program.values[like].clone() };
        let value = self.b.program.values.push(value);
        self.incoming.push(value);
        value
    }

    /// Removes partial sums from the layout of a value that another chunk sends: that chunk has reduced it.
    fn clear_partial(&mut self, value: ValueId) {
        if let Some(layout) = &mut self.b.program.values[value].layout
            && !layout.partial.is_empty()
        {
            Arc::make_mut(layout).partial.clear();
        }
    }

    /// Returns a value in the form in which it is sent: reduced if it is partial.
    fn reduced(&mut self, value: ValueId) -> ValueId {
        let is_partial = self.b.program.values[value].layout.as_deref().is_some_and(|l| !l.partial.is_empty());
        if !is_partial {
            return value;
        }
        let summed = self.fresh(value);
        self.clear_partial(summed);
        self.b.push(Constrain::default().into(), &[value], [summed].into_iter().collect());
        summed
    }

    /// Appends the loop. Returns the totals of this chunk after the loop, by position.
    fn append_loop(&mut self) -> FxHashMap<usize, ValueId> {
        let (step, body) = (self.step, self.step.body());
        let carried_value = |position: usize| (step.loop_op().args[position], body.inputs[position]);
        let (mut arg, body_input) = carried_value(0);
        if self.share.start > 0 {
            let ty = self.b.ty(arg);
            let first = self.b.splat(ty, Scalar::Int(i64::from(self.share.start)));
            arg = self.copy_layout(first, arg);
        }
        let mut carried = vec![Carried { arg, body_input, body_output: body.outputs[0].value, out: self.fresh(arg) }];
        let outside = std::mem::take(&mut self.b.body);
        let mut sums = FxHashMap::default();
        for &position in &self.contents.sums {
            let (arg, body_input) = carried_value(position);
            let body_output = self.accumulate(position);
            let is_joined = self.contents.joins.contains(&position);
            let is_total = self.placement.total_chunks[position] == Some(self.chunk) && !is_joined;
            let out = if is_total { step.loop_op().outs[position] } else { self.fresh(arg) };
            sums.insert(position, out);
            carried.push(Carried { arg, body_input, body_output, out });
        }
        let sent: Vec<(ValueId, Name)> = self.seams.sent(TransferPhase::EachMicroBatch, self.chunk);
        let sent: Vec<(ValueId, Name)> = sent.into_iter().map(|(value, name)| (self.reduced(value), name)).collect();
        let added = std::mem::replace(&mut self.b.body, outside);
        let written = self.interleave(added);
        for &position in &self.contents.unchanged {
            let (arg, body_input) = carried_value(position);
            carried.push(Carried { arg, body_input, body_output: body_input, out: self.fresh(arg) });
        }
        for received in &self.contents.received_each {
            let arg = self
                .seam(received.value, self.seams.name(received.value, TransferPhase::EachMicroBatch, received.from));
            carried.push(Carried {
                arg,
                body_input: received.value,
                body_output: received.value,
                out: self.fresh(received.value),
            });
        }
        for (value, name) in sent {
            let ty = self.b.ty(value);
            let zero = if ty.dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) };
            let zero = self.b.splat(ty, zero);
            let arg = self.copy_layout(zero, value);
            let (body_input, out) = (self.fresh(value), self.fresh(value));
            carried.push(Carried { arg, body_input, body_output: value, out });
            self.outgoing.push(Output { value: out, name, alias: None });
        }
        self.push_loop(written, &carried);
        sums
    }

    /// Appends the additions of this chunk's summands to an accumulator in one iteration, and returns the result.
    fn accumulate(&mut self, position: usize) -> ValueId {
        let body = self.step.body();
        let own = self.chunk % self.placement.count;
        let parts = self.placement.sums[position].iter().filter(|(chunk, _)| *chunk == own);
        let mut parts = parts.map(|(_, part)| *part);
        let sum = match self.placement.accumulated.contains(&position) {
            true => Some(body.inputs[position]),
            false => parts.next(),
        };
        let sum = sum.unwrap_or(body.inputs[position]);
        let parts: Vec<ValueId> = parts.collect();
        parts.into_iter().fold(sum, |sum, part| {
            let added = self.b.binary(BinaryOp::Add, sum, part);
            self.copy_layout(added, sum)
        })
    }

    /// Returns the ops of the body with `added` inserted, each immediately after its operands are available, so that
    /// summands need not be stored for long.
    fn interleave(&self, added: Vec<OpId>) -> Vec<OpId> {
        let program = &*self.b.program;
        let available_at =
            |(at, &op): (usize, &OpId)| program.ops[op].outs.iter().map(|&out| (out, at + 1)).collect::<Vec<_>>();
        let mut available_at: FxHashMap<ValueId, usize> =
            self.contents.body.iter().enumerate().flat_map(available_at).collect();
        let mut additions: Vec<(usize, OpId)> = Vec::with_capacity(added.len());
        for op in added {
            let op_ref = &program.ops[op];
            let at = op_ref.args.iter().filter_map(|arg| available_at.get(arg)).copied().max().unwrap_or(0);
            available_at.insert(op_ref.outs[0], at);
            additions.push((at, op));
        }
        additions.sort_by_key(|&(at, _)| at);
        let mut body = Vec::with_capacity(self.contents.body.len() + additions.len());
        let mut additions = additions.into_iter().peekable();
        for at in 0..=self.contents.body.len() {
            body.extend(std::iter::from_fn(|| additions.next_if(|&(when, _)| when == at)).map(|(_, op)| op));
            body.extend(self.contents.body.get(at));
        }
        body
    }

    fn push_loop(&mut self, body: Vec<OpId>, carried: &[Carried]) {
        let output = |(i, carried): (usize, &Carried)| Output {
            value: carried.body_output,
            name: format!("o{i}").into(),
            alias: None,
        };
        let inputs = carried.iter().map(|c| c.body_input).collect();
        let func = Func::new(MICRO_BATCH, inputs, carried.iter().enumerate().map(output).collect(), body);
        let trip = self.share.len() as u64;
        let body = self.b.program.funcs.push(func);
        let args: Vec<ValueId> = carried.iter().map(|c| c.arg).collect();
        self.b.push(Loop::counted(trip, body).into(), &args, carried.iter().map(|c| c.out).collect());
    }

    /// Adds up the totals of several chunks.
    fn add_totals(&mut self, sums: &FxHashMap<usize, ValueId>) {
        for &position in &self.contents.joins {
            let total = self.step.loop_op().outs[position];
            let mut parts: Vec<ValueId> = sums.get(&position).copied().into_iter().collect();
            let mut others = self.placement.summand_chunks(position);
            others.retain(|&from| from != self.chunk);
            for from in others {
                parts.push(self.seam(total, self.seams.name(total, TransferPhase::After, from)));
            }
            let Some(last) = parts.pop() else { continue };
            let rest = parts.into_iter().reduce(|sum, part| {
                let added = self.b.binary(BinaryOp::Add, sum, part);
                self.copy_layout(added, total)
            });
            match rest {
                Some(rest) => {
                    self.b.push(Binary { op: BinaryOp::Add }.into(), &[rest, last], [total].into_iter().collect());
                }
                None => {
                    self.b.push(Constrain::default().into(), &[last], [total].into_iter().collect());
                }
            }
        }
    }
}
