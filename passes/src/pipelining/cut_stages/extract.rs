//! One chunk as a separate program: its ops, its parameters, and inputs and outputs for values that chunks exchange.
//!
//! The program contains a loop over micro-batches with the chunk's work for each of them. The loop carries values of
//! other chunks unchanged, and values for other chunks as new results in each iteration.

use super::chunk_contents::ChunkContents;
use super::placement::Placement;
use super::seams::Seams;
use super::step_analysis::StepAnalysis;
use crate::training::micro_batches::MICRO_BATCH;
use partita_ir::arena::{Arena, Id, OpId, ParamId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::ops::{Binary, BinaryOp, Constrain, Loop};
use partita_ir::pipeline::TransferPhase;
use partita_ir::program::{Func, Name, Output, Param, ParamKind, Phase, Program, ProgramCopy, Value};
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// The program of a chunk.
pub struct ChunkProgram {
    /// The program.
    pub program: Program,
    /// For each value of the program, the value of the complete step that it represents, or `None` for a value that the
    /// cut adds.
    pub originals: Vec<Option<ValueId>>,
}

/// Returns the program of a chunk for its share of the micro-batches, with the layouts of `planned`. `names` contains
/// the names of all values of the complete step, which new values do not have.
pub(super) fn extract(
    (step, names): (&StepAnalysis<'_>, &Arc<FxHashSet<Name>>),
    placement: &Placement,
    contents: &ChunkContents,
    seams: &Seams,
    (chunk, share): (usize, Range<u32>),
    planned: &Program,
) -> ChunkProgram {
    let mut copy = ProgramCopy::new(planned);
    let mut program = copy.empty_program();
    program.source = format!("{} (chunk {chunk})", step.program.source).into();
    let mut copies = |ops: &[OpId]| ops.iter().map(|&op| copy.op(&mut program, op)).collect::<Vec<OpId>>();
    let [before, body, after] = [&contents.before, &contents.body, &contents.after].map(|ops| copies(ops));
    let mut names = Namer::avoiding(names.clone());
    let mut writer = ProgramWriter {
        step,
        placement,
        contents,
        seams,
        chunk,
        share,
        copy,
        b: Builder::new(&mut program, &mut names),
        incoming: Vec::new(),
        outgoing: Vec::new(),
    };
    let is_forward = step.body().ops().iter().all(|&op| step.is_forward(op));
    writer.b.phase = if is_forward { Phase::Forward } else { Phase::BackwardWeight };
    writer.write_main(before, body, after);
    let mut inputs: Vec<ValueId> = contents.inputs.iter().map(|&input| writer.local(input)).collect();
    let main = &planned.funcs[planned.entry()];
    let mut outputs: Vec<Output> = (contents.outputs.iter().map(|&position| &main.outputs[position]))
        .map(|output| Output { value: writer.local(output.value), ..output.clone() })
        .collect();
    let ProgramWriter { copy, b, incoming, outgoing, .. } = writer;
    let body = b.body;
    inputs.extend(incoming);
    outputs.extend(outgoing);
    program.push_entry(Func::new(main.name.clone(), inputs, outputs, body));
    retain_params(&mut program, &copy, placement, (contents, chunk), planned);
    let mut originals = vec![None; program.values.len()];
    for (original, value) in copy.copied_values() {
        originals[value.index()] = Some(original);
    }
    ChunkProgram { program, originals }
}

/// Adds the parameters of a chunk. Those that other chunks train are marked as frozen.
fn retain_params(
    program: &mut Program,
    copy: &ProgramCopy<'_>,
    placement: &Placement,
    (contents, chunk): (&ChunkContents, usize),
    planned: &Program,
) {
    let mut ids: FxHashMap<ParamId, ParamId> = FxHashMap::default();
    let mut values: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let mut params: Arena<ParamId, Param> = Arena::default();
    let inputs: FxHashSet<ValueId> = contents.inputs.iter().copied().collect();
    for (id, param) in planned.params.iter().filter(|(_, param)| inputs.contains(&param.value)) {
        let belongs_here = placement.owners.get(&id) == Some(&chunk);
        let kind = match param.kind {
            ParamKind::Trainable if !belongs_here => ParamKind::Frozen,
            kind => kind,
        };
        let value = copy.copied(param.value).unwrap_or(param.value);
        values.insert(param.value, value);
        ids.insert(id, params.push(Param { kind, value, ..param.clone() }));
    }
    for param in params.values_mut() {
        param.parent = param.parent.and_then(|of| ids.get(&of).copied());
    }
    program.params = params;
    for output in program.outputs_mut() {
        output.replaces = output.replaces.and_then(|input| values.get(&input).copied());
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
    /// The parts of the complete step that the chunk's program contains.
    copy: ProgramCopy<'w>,
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
    /// Writes the main function from copies of the ops before, in and after the loop.
    fn write_main(&mut self, before: Vec<OpId>, body: Vec<OpId>, after: Vec<OpId>) {
        self.b.body = before;
        for (value, name) in self.seams.sent(TransferPhase::Before, self.chunk) {
            let value = self.local(value);
            self.outgoing.push(Output { value, name, replaces: None });
        }
        let sums = self.append_loop(body);
        self.add_totals(&sums);
        for received in &self.contents.received_after {
            let value = self.local(received.value);
            self.clear_partial(value);
            self.b.program.values[value].name = self.seams.name(received.value, TransferPhase::After, received.from);
            self.incoming.push(value);
        }
        self.b.body.extend(after);
        for (value, name) in self.seams.sent(TransferPhase::After, self.chunk) {
            let position = self.step.loop_op().outs.iter().position(|&out| out == value);
            let is_home = |position: &usize| self.placement.total_chunks[*position] == Some(self.chunk);
            let own = position.filter(|position| !is_home(position)).and_then(|position| sums.get(&position));
            let value = own.copied().unwrap_or_else(|| self.local(value));
            self.outgoing.push(Output { value, name, replaces: None });
        }
    }

    /// Returns the value of the chunk's program that represents a value of the complete step.
    fn local(&mut self, value: ValueId) -> ValueId {
        self.copy.value(self.b.program, value)
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

    /// Returns a value that the loop carries: the initial operand and the body's parameter.
    fn carried_value(&mut self, position: usize) -> (ValueId, ValueId) {
        let (arg, input) = (self.step.loop_op().args[position], self.step.body().inputs[position]);
        (self.local(arg), self.local(input))
    }

    /// Appends the loop, with copies of the ops in its body. Returns the totals of this chunk after the loop, by
    /// position.
    fn append_loop(&mut self, ops: Vec<OpId>) -> FxHashMap<usize, ValueId> {
        let (mut arg, body_input) = self.carried_value(0);
        if self.share.start > 0 {
            let ty = self.b.ty(arg);
            let first = self.b.splat(ty, Scalar::Int(i64::from(self.share.start)));
            arg = self.copy_layout(first, arg);
        }
        let body_output = self.local(self.step.body().outputs[0].value);
        let mut carried = vec![Carried { arg, body_input, body_output, out: self.fresh(arg) }];
        let outside = std::mem::take(&mut self.b.body);
        let mut sums = FxHashMap::default();
        for &position in &self.contents.sums {
            let (arg, body_input) = self.carried_value(position);
            let body_output = self.accumulate(position);
            let is_joined = self.contents.joins.contains(&position);
            let is_total = self.placement.total_chunks[position] == Some(self.chunk) && !is_joined;
            let out = if is_total { self.local(self.step.loop_op().outs[position]) } else { self.fresh(arg) };
            sums.insert(position, out);
            carried.push(Carried { arg, body_input, body_output, out });
        }
        let sent: Vec<(ValueId, Name)> = self.seams.sent(TransferPhase::EachMicroBatch, self.chunk);
        let reduced = |(value, name)| {
            let value = self.local(value);
            (self.reduced(value), name)
        };
        let sent: Vec<(ValueId, Name)> = sent.into_iter().map(reduced).collect();
        let added = std::mem::replace(&mut self.b.body, outside);
        let written = self.interleave(ops, added);
        for &position in &self.contents.unchanged {
            let (arg, body_input) = self.carried_value(position);
            carried.push(Carried { arg, body_input, body_output: body_input, out: self.fresh(arg) });
        }
        for received in &self.contents.received_each {
            let name = self.seams.name(received.value, TransferPhase::EachMicroBatch, received.from);
            let value = self.local(received.value);
            let arg = self.seam(value, name);
            carried.push(Carried { arg, body_input: value, body_output: value, out: self.fresh(value) });
        }
        for (value, name) in sent {
            let ty = self.b.ty(value);
            let zero = if ty.dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) };
            let zero = self.b.splat(ty, zero);
            let arg = self.copy_layout(zero, value);
            let (body_input, out) = (self.fresh(value), self.fresh(value));
            carried.push(Carried { arg, body_input, body_output: value, out });
            self.outgoing.push(Output { value: out, name, replaces: None });
        }
        self.push_loop(written, &carried);
        sums
    }

    /// Appends the additions of this chunk's summands to an accumulator in one iteration, and returns the result.
    fn accumulate(&mut self, position: usize) -> ValueId {
        let accumulator = self.step.body().inputs[position];
        let own = self.chunk % self.placement.count;
        let parts = self.placement.sums[position].iter().filter(|(chunk, _)| *chunk == own);
        let mut parts = parts.map(|(_, part)| *part);
        let sum = match self.placement.accumulated.contains(&position) {
            true => accumulator,
            false => parts.next().unwrap_or(accumulator),
        };
        let sum = self.local(sum);
        let parts: Vec<ValueId> = parts.map(|part| self.local(part)).collect();
        parts.into_iter().fold(sum, |sum, part| {
            let added = self.b.binary(BinaryOp::Add, sum, part);
            self.copy_layout(added, sum)
        })
    }

    /// Returns the ops of the body with `added` inserted, each immediately after its operands are available, so that
    /// summands need not be stored for long.
    fn interleave(&self, ops: Vec<OpId>, added: Vec<OpId>) -> Vec<OpId> {
        let program = &*self.b.program;
        let available_at =
            |(at, &op): (usize, &OpId)| program.ops[op].outs.iter().map(|&out| (out, at + 1)).collect::<Vec<_>>();
        let mut available_at: FxHashMap<ValueId, usize> = ops.iter().enumerate().flat_map(available_at).collect();
        let mut additions: Vec<(usize, OpId)> = Vec::with_capacity(added.len());
        for op in added {
            let op_ref = &program.ops[op];
            let at = op_ref.args.iter().filter_map(|arg| available_at.get(arg)).copied().max().unwrap_or(0);
            available_at.insert(op_ref.outs[0], at);
            additions.push((at, op));
        }
        additions.sort_by_key(|&(at, _)| at);
        let mut body = Vec::with_capacity(ops.len() + additions.len());
        let mut additions = additions.into_iter().peekable();
        for at in 0..=ops.len() {
            body.extend(std::iter::from_fn(|| additions.next_if(|&(when, _)| when == at)).map(|(_, op)| op));
            body.extend(ops.get(at));
        }
        body
    }

    fn push_loop(&mut self, body: Vec<OpId>, carried: &[Carried]) {
        let output = |(i, carried): (usize, &Carried)| Output {
            value: carried.body_output,
            name: format!("o{i}").into(),
            replaces: None,
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
            let of_step = self.step.loop_op().outs[position];
            let total = self.local(of_step);
            let mut parts: Vec<ValueId> = sums.get(&position).copied().into_iter().collect();
            let mut others = self.placement.summand_chunks(position);
            others.retain(|&from| from != self.chunk);
            for from in others {
                parts.push(self.seam(total, self.seams.name(of_step, TransferPhase::After, from)));
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
