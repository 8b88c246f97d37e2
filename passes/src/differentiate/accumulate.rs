//! Accumulation over micro-batches: the batch goes through the model in parts, one after the other, and gradients are added up.
//!
//! A part of the batch is to the whole what a device's piece is: the step is partitioned over an axis of its own, `micro`, that
//! stands for time instead of devices. What is then pending a sum over that axis - the loss and the gradients - is added up
//! by a loop, and nothing else may need other parts: a model that normalises over the batch couples them and is refused. Means stay those
//! of the whole batch, since their divisors do. The parts take turns along the batch (part `i` has every `m`-th example), so that each
//! is split over devices like the whole.
//!
//! Before: `%loss`, `%w.grad` of `%x : f32[8, 4]`. After, with `accumulate=2`: `%parts = reshape %x : f32[4, 2, 4]`,
//! `%i, %loss, %w.grad, ... = loop 2 of @micro_batch %zero, %zero, %zero, ..., %parts`.

use super::update::Step;
use crate::pass::Cx;
use crate::pipelines;
use crate::plan::name_dims::Classes;
use crate::plan::presets::model::Model;
use indexmap::IndexMap;
use partita_ir::arena::{Arena, AxisId, FuncId, Id, OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{DimLayout, Layout, Monoid};
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, DynamicSlice, Loop};
use partita_ir::plan::Written;
use partita_ir::plan::train::Train;
use partita_ir::program::{Func, Op, Output, Phase, Program, Values};
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the function is called that runs once for each micro-batch.
pub(crate) const MICRO_BATCH: &str = "micro_batch";

/// The loss and the gradients of a batch, in that order.
pub(super) struct Sums {
    pub(super) loss: ValueId,
    pub(super) gradients: Vec<ValueId>,
}

/// Replaces the forward and backward pass of the main function by a loop over parts of the batch.
///
/// # Errors
/// `D007` when the batch is not found, does not divide, or its parts depend on each other.
pub(super) fn in_parts(
    step: &mut Step<'_>,
    train: &Train,
    written: &Written,
    sums: &Sums,
) -> Result<Sums, Vec<Diagnostic>> {
    let part = Part::of(step.b.program, train, written, sums)?;
    Ok(part.repeat(&mut step.b, train.accumulate))
}

/// The program of one part.
struct Part {
    /// In form local, on the axis `micro`.
    program: Program,
    /// By input of the main function: the dimension that is the batch.
    batch: Vec<Option<usize>>,
    /// For each result: the value of one part, and whether it is to be added up.
    results: Vec<(ValueId, bool)>,
}

impl Part {
    fn of(whole: &Program, train: &Train, written: &Written, sums: &Sums) -> Result<Part, Vec<Diagnostic>> {
        let place = written.part(train.accumulate_at.clone());
        let refuse =
            |title: String| Diagnostic::new(Code::D007, title).at(place.clone(), "asks for parts of the batch");
        if !whole.meshes.is_empty() {
            let error = refuse("the model came with shardings, which name whole batches".into());
            return Err(vec![error.help("take the model without annotations, and lay it out by the plan")]);
        }
        let mut program = whole.clone();
        let results = [sums.loss].into_iter().chain(sums.gradients.iter().copied());
        program.main_mut().outputs = results
            .enumerate()
            .map(|(i, value)| Output { value, name: format!("sum{i}").into(), alias: None })
            .collect();
        let batch = {
            let classes = Classes::of(&program);
            let model = Model::of(&program, &classes);
            let Some(stem) = model.batch else {
                return Err(vec![refuse("no dimension of the inputs is a batch".into())]);
            };
            let dim = |&v: &ValueId| model.data.contains(&v).then(|| model.dim(v, stem)).flatten();
            program.main().inputs.iter().map(dim).collect::<Vec<_>>()
        };
        for (&input, dim) in program.main().inputs.iter().zip(&batch) {
            let Some(dim) = dim else { continue };
            let size = program.ty(input).shape[*dim] as u64;
            if !size.is_multiple_of(train.accumulate) {
                return Err(vec![uneven(&program, input, size, train.accumulate, refuse)]);
            }
        }
        lay_out(&mut program, &batch, train.accumulate);
        pipelines::split_batch().map_err(|e| vec![e])?.run(&mut program, &mut Cx::default(), &mut |_| Ok(()))?;
        let results = added(&program, refuse)?;
        Ok(Part { program, batch, results })
    }

    /// Appends the loop to the main function of the whole program; the sums that it gives.
    fn repeat(self, b: &mut Builder<'_>, parts: u64) -> Sums {
        let Part { program: part, batch, results } = self;
        let count = Type::new(DType::I32, []);
        let start = b.splat(count.clone(), Scalar::Int(0));
        let sums: Vec<ValueId> =
            results.iter().map(|&(value, _)| b.splat(part.values[value].local_type(), Scalar::Float(0.0))).collect();
        let inputs: Vec<ValueId> = part.main().inputs.clone();
        let given: Vec<ValueId> = inputs.iter().zip(&batch).map(|(&v, dim)| in_turns(b, v, *dim, parts)).collect();
        let carried: Vec<ValueId> = [start].into_iter().chain(sums).chain(given).collect();
        let types: Vec<Type> = carried.iter().map(|&v| b.ty(v)).collect();
        let body = write_body(b, &part, &batch, &results, &types);
        let outs = b.op_many("sum", Loop { trip: parts, body }, &carried, &types);
        Sums { loss: outs[1], gradients: outs[2..1 + results.len()].to_vec() }
    }
}

fn uneven(
    program: &Program,
    input: ValueId,
    size: u64,
    parts: u64,
    refuse: impl Fn(String) -> Diagnostic,
) -> Diagnostic {
    let fits: Vec<String> = (1..=size).filter(|n| size.is_multiple_of(*n)).map(|n| n.to_string()).collect();
    let near = (1..=size).filter(|n| size.is_multiple_of(*n)).min_by_key(|n| (n.abs_diff(parts), *n)).unwrap_or(1);
    refuse(format!("a batch of {size} does not divide into {parts} parts"))
        .note(format!("`{}`: {size} = {parts} x {} + {}", program.path_of(input), size / parts, size % parts))
        .note(format!("it divides into {}", fits.join(", ")))
        .help(format!("write `accumulate={near}`"))
}

/// Splits the batch of every input over an axis of so many parts; all else is whole where it enters and leaves.
fn lay_out(program: &mut Program, batch: &[Option<usize>], parts: u64) {
    let mesh = Mesh::new("micro", [("micro", u32::try_from(parts).unwrap_or(u32::MAX))]);
    let axis = AxisRef::whole(&mesh, AxisId::from_index(0));
    program.meshes = Arena::default();
    let mesh = program.meshes.push(mesh);
    let whole = |program: &Program, v: ValueId| Layout::replicated(mesh, program.ty(v).shape.rank());
    for (input, dim) in program.main().inputs.clone().into_iter().zip(batch) {
        let mut layout = whole(program, input);
        if let Some(dim) = dim {
            layout.dims[*dim] = DimLayout { axes: [axis].into_iter().collect(), ..DimLayout::default() };
        }
        program.values[input].layout = Some(layout.into());
    }
    for output in program.main().outputs.clone() {
        program.values[output.value].layout = Some(whole(program, output.value).into());
    }
}

/// For each result of the part: the value that is to be added up, or one that every part computes alike.
fn added(part: &Program, refuse: impl Fn(String) -> Diagnostic) -> Result<Vec<(ValueId, bool)>, Vec<Diagnostic>> {
    let mut summed: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let results: FxHashSet<ValueId> = part.main().outputs.iter().map(|o| o.value).collect();
    let read: FxHashSet<ValueId> = part.main().body.iter().flat_map(|&op| part.ops[op].args.iter().copied()).collect();
    for func in part.laid_out_funcs() {
        for op in part.funcs[func].body.iter().map(|&op| &part.ops[op]).filter(|op| op.kind.is_collective()) {
            let out = op.outs[0];
            let is_sum = matches!(&op.kind, OpKind::AllReduce(all) if all.monoid == Monoid::Sum);
            if is_sum && results.contains(&out) && !read.contains(&out) {
                summed.insert(out, op.args[0]);
                continue;
            }
            let cause = op.origin.cause.as_deref();
            let what = cause.map_or_else(|| op.kind.name().to_owned(), |cause| cause.op.to_string());
            let error = refuse(format!("`{what}` needs all of the batch at once, which goes through in parts"));
            let scope = &op.origin.scope;
            let error = match op.origin.line {
                0 if scope.is_empty() => error,
                0 => error.note(format!("it is part of `{scope}`")),
                line => error.on_line(part.source.as_str(), line),
            };
            return Err(vec![
                error
                    .note("a norm over the batch and a product of means over it are such")
                    .help("leave `accumulate` out, and split the batch over more devices"),
            ]);
        }
    }
    let outputs = part.main().outputs.iter().map(|o| o.value);
    Ok(outputs.map(|v| summed.get(&v).map_or((v, false), |&source| (source, true))).collect())
}

/// An input whose batch is told apart into parts that take turns: `[.., b, ..]` to `[.., b / parts, parts, ..]`.
fn in_turns(b: &mut Builder<'_>, value: ValueId, dim: Option<usize>, parts: u64) -> ValueId {
    let Some(dim) = dim else { return value };
    let mut shape = b.ty(value).shape;
    let parts = usize::try_from(parts).unwrap_or(usize::MAX);
    shape[dim] /= parts;
    shape.0.insert(dim + 1, parts);
    b.reshape(value, shape)
}

/// The function that runs once for each part. It carries the number of the part, the sums so far, and what the program is given.
fn write_body(
    b: &mut Builder<'_>,
    part: &Program,
    batch: &[Option<usize>],
    results: &[(ValueId, bool)],
    types: &[Type],
) -> FuncId {
    let outside = std::mem::take(&mut b.body);
    let phase = b.phase;
    b.phase = Phase::Forward;
    let carried: Vec<ValueId> = types
        .iter()
        .map(|ty| {
            let name = b.names.fresh("carried");
            b.program.value(name, ty.clone())
        })
        .collect();
    let (number, sums, given) = (carried[0], &carried[1..=results.len()], &carried[1 + results.len()..]);
    let mut copies = Copies { b, part, number, known: IndexMap::new() };
    for ((&input, &value), dim) in part.main().inputs.iter().zip(given).zip(batch) {
        let value = copies.turn(value, *dim);
        copies.known.insert(input, value);
    }
    // A sum takes up what is to be added as soon as it is there, so that it is not kept.
    let mut new = vec![None; results.len()];
    for &op in &part.main().body {
        copies.copy(op);
        for (i, (value, adds)) in results.iter().enumerate() {
            if *adds && part.ops[op].outs.contains(value) {
                copies.b.phase = Phase::BackwardWeight;
                new[i] = Some(copies.b.binary(BinaryOp::Add, sums[i], copies.known(*value)));
            }
        }
    }
    let made: Vec<ValueId> =
        results.iter().zip(&new).map(|((value, _), new)| new.unwrap_or_else(|| copies.known(*value))).collect();
    b.phase = Phase::BackwardWeight;
    let mut outputs = vec![b.binary_scalar(BinaryOp::Add, number, 1.0)];
    outputs.extend(made);
    outputs.extend(given);
    let outputs = outputs
        .into_iter()
        .enumerate()
        .map(|(i, value)| Output { value, name: format!("o{i}").into(), alias: None })
        .collect();
    let body = std::mem::replace(&mut b.body, outside);
    b.phase = phase;
    b.program.funcs.push(Func { name: MICRO_BATCH.into(), inputs: carried, outputs, body })
}

/// Copies the ops of one part into a function of the whole program.
struct Copies<'c, 'p> {
    b: &'c mut Builder<'p>,
    part: &'c Program,
    /// The number of the part.
    number: ValueId,
    /// What stands for values of the part.
    known: IndexMap<ValueId, ValueId>,
}

impl Copies<'_, '_> {
    /// The piece of an input that is this part's turn.
    fn turn(&mut self, value: ValueId, dim: Option<usize>) -> ValueId {
        let Some(dim) = dim else { return value };
        let mut ty = self.b.ty(value);
        ty.shape[dim + 1] = 1;
        let index = self.b.ty(self.number);
        let zero = self.b.splat(index, Scalar::Int(0));
        let mut args = vec![value];
        args.extend((0..ty.shape.rank()).map(|d| if d == dim + 1 { self.number } else { zero }));
        let sizes = ty.shape.iter().copied().collect();
        let piece = self.b.op("turn", DynamicSlice { sizes }, &args, ty.clone());
        ty.shape.0.remove(dim + 1);
        self.b.reshape(piece, ty.shape)
    }

    fn copy(&mut self, id: OpId) {
        let op = &self.part.ops[id];
        (self.b.phase, self.b.origin) = (op.phase, op.origin.clone());
        let out = |op: &Op| op.outs[0];
        match &op.kind {
            // What it gives is added up instead.
            OpKind::AllReduce(_) => {}
            OpKind::PieceStart(start) => {
                let ty = self.part.values[out(op)].local_type();
                let size = start.axes.iter().fold(start.size, |n, a| n.div_ceil(a.size as usize));
                let number = self.b.convert(self.number, ty.dtype);
                let at = self.b.binary_scalar(BinaryOp::Mul, number, size as f64);
                self.known.insert(out(op), at);
            }
            OpKind::Shard(shard) => {
                let ty = self.part.values[out(op)].local_type();
                let index = self.b.ty(self.number);
                let (zero, at) = (
                    self.b.splat(index, Scalar::Int(0)),
                    self.b.binary_scalar(BinaryOp::Mul, self.number, ty.shape[shard.dim] as f64),
                );
                let mut args = vec![self.known(op.args[0])];
                args.extend((0..ty.shape.rank()).map(|d| if d == shard.dim { at } else { zero }));
                let sizes = ty.shape.iter().copied().collect();
                let piece = self.b.op("turn", DynamicSlice { sizes }, &args, ty);
                self.known.insert(out(op), piece);
            }
            kind => {
                let args: Values = op.args.iter().map(|&v| self.known(v)).collect();
                let types: Vec<Type> = op.outs.iter().map(|&v| self.part.values[v].local_type()).collect();
                let mut kind = kind.clone();
                if let Some(func) = kind.func_mut() {
                    *func = self.function(*func);
                }
                let outs: Values = op
                    .outs
                    .iter()
                    .zip(types)
                    .map(|(&old, ty)| {
                        let name = self.b.names.fresh(&self.part.values[old].name);
                        self.b.program.value(name, ty)
                    })
                    .collect();
                self.known.extend(op.outs.iter().copied().zip(outs.iter().copied()));
                self.b.push(kind, &args, outs);
            }
        }
    }

    fn known(&self, value: ValueId) -> ValueId {
        self.known.get(&value).copied().unwrap_or(value)
    }

    /// A copy of a function that an op of the part calls.
    fn function(&mut self, id: FuncId) -> FuncId {
        let func = self.part.funcs[id].clone();
        let outside = std::mem::take(&mut self.b.body);
        let mut inputs = Vec::with_capacity(func.inputs.len());
        for &input in &func.inputs {
            let name = self.b.names.fresh(&self.part.values[input].name);
            let new = self.b.program.value(name, self.part.values[input].local_type());
            self.known.insert(input, new);
            inputs.push(new);
        }
        func.body.iter().for_each(|&op| self.copy(op));
        let outputs = func.outputs.iter().map(|o| Output { value: self.known(o.value), ..o.clone() }).collect();
        let body = std::mem::replace(&mut self.b.body, outside);
        let name = format!("{}.{}", func.name, self.b.program.funcs.len()).into();
        self.b.program.funcs.push(Func { name, inputs, outputs, body })
    }
}
