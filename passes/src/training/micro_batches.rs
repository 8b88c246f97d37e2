//! `micro-batches` (traced -> traced): takes the batch through the model in parts, one after the other.
//!
//! A part of the batch is to the whole what a device's piece is: the step is partitioned over an axis of its own,
//! `micro`, that stands for time instead of devices. What is then pending a sum over that axis - the loss and the
//! gradients - is added up by a loop, results of a model that is not trained are put side by side, and nothing else may
//! need other parts: a model that normalises over the batch couples them and is refused. Means stay those of the whole
//! batch, since their divisors do. The parts take turns along the batch (part `i` has every `m`-th example), so that
//! each is split over devices like the whole. Narrow copies of parameters are the same for all parts, and are made
//! once, in front of the loop.
//!
//! Before, with `--pipeline 2 --microbatches 2`:
//!
//! ```text
//! input %x : f32[8, 4]
//! %y = matmul %x, %w : f32[8, 3]
//! ```
//!
//! After:
//!
//! ```text
//! %parts.turn = dynamic_slice [4, 1, 4] %parts.carried.3, ..., %parts.carried, ... : f32[4, 1, 4]
//! %parts.reshape.1 = reshape %parts.turn : f32[4, 4]
//! %y = matmul %parts.reshape.1, %parts.carried.2 : f32[4, 3]
//! ...
//! %parts.reshape = reshape %x : f32[4, 2, 4]
//! ... = loop 2 of @micro_batch %parts.c, %parts.c.1, %w, %parts.reshape : ...
//! %parts.reshape.3 = reshape %parts.sum.1 : f32[8, 3]
//! ```

mod behind;
mod body;

use crate::driver::{Findings, Info, Input, Pass};
use crate::planning;
use crate::planning::name_dims::Classes;
use crate::planning::presets::model::Model;
use crate::training::phases::declare_step;
use behind::Behind;
use body::{Given, copy_of, write_body};
use partita_ir::arena::{Arena, AxisId, FuncId, Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::{Collective, Control};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{DimLayout, Layout, Monoid};
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::ops::Loop;
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::Pipelined;
use partita_ir::program::{Form, Op, Output, Phase, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the function is called that runs once for each micro-batch.
pub(crate) const MICRO_BATCH: &str = "micro_batch";

/// The loop over micro-batches of a program.
#[derive(Clone, Copy)]
pub(crate) struct Over<'p> {
    /// Where it stands in the main function.
    pub(crate) position: usize,
    /// The op.
    pub(crate) looped: &'p Op,
    /// What runs for each micro-batch.
    pub(crate) body: FuncId,
    /// How many there are.
    pub(crate) trip: u64,
}

impl<'p> Over<'p> {
    /// The loop of a program that goes through micro-batches.
    pub(crate) fn of(program: &'p Program) -> Option<Over<'p>> {
        // entry only: the loop over micro-batches stands in it
        program.entry_ops().enumerate().find_map(|(position, at)| {
            let Control::Loop(l) = at.op.kind.control()?;
            let is_over_parts = program.funcs[l.body].name == MICRO_BATCH;
            is_over_parts.then_some(Over { position, looped: at.op, body: l.body, trip: l.trip })
        })
    }
}

/// What is asked for, and where.
pub(crate) struct Asked {
    /// How many parts there are.
    pub(crate) parts: u64,
    /// Where that is said.
    pub(crate) place: Span,
    /// What to write in front of a number that fits.
    pub(crate) help: &'static str,
    /// Whether results are sums over the batch: of a single part nothing tells.
    pub(crate) sums: bool,
}

/// How the results of parts become the result of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Join {
    /// They are added up.
    Sum,
    /// They are put side by side along the batch, which is that dimension.
    Stack(usize),
    /// All are alike.
    Same,
}

/// The pass, for models that are not trained and for imported training steps; `train` makes the loop of the others.
pub struct InParts;

impl Pass for InParts {
    fn info(&self) -> Info {
        Info { name: "micro-batches", needs: Form::Traced, gives: Form::Traced, reads: &[] }
    }

    fn applies(&self, _: &Program, input: &Input, _: &Findings) -> bool {
        input.plan.pipeline.is_some() && input.plan.train.is_none()
    }

    fn run(&self, program: &mut Program, input: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some(pipeline) = input.plan.pipelined().map_err(|e| vec![e])? else { return Ok(()) };
        let is_one = pipeline.micro_batches.is_none_or(|parts| parts == 1);
        if pipeline.is_single() && is_one && input.plan.schedule.is_none() {
            return Ok(());
        }
        declare_step(program);
        let parts = match pipeline.micro_batches {
            Some(parts) => parts,
            None => usual_parts(program, &pipeline, &input.plan),
        };
        let Behind { ops, given } = Behind::of(program);
        let sums = !ops.is_empty();
        let asked = Asked { parts, place: pipeline.place, help: "--microbatches ", sums };
        let mut names = Namer::of(program);
        let mut builder = Builder::new(program, &mut names);
        builder.phase = if sums { Phase::BackwardWeight } else { Phase::Forward };
        let mut joined = in_parts(&mut builder, &asked, &given)?;
        joined.body.extend(&ops);
        let known: FxHashMap<ValueId, ValueId> = given.into_iter().zip(joined.values).collect();
        for op in ops {
            program.ops[op].args.iter_mut().for_each(|arg| *arg = known.get(arg).copied().unwrap_or(*arg));
        }
        for output in program.outputs_mut() {
            output.value = known.get(&output.value).copied().unwrap_or(output.value);
        }
        *program.entry_ops_mut() = joined.body;
        Ok(())
    }
}

/// What a loop over parts gives, and the ops that make it.
pub(crate) struct Joined {
    pub(crate) values: Vec<ValueId>,
    pub(crate) body: Vec<OpId>,
}

/// How many parts a batch goes through a pipeline in where nothing is said: four times as many as there are stages, or
/// as many as the batch has examples to give to all positions of the axis `data`. A single stage takes all at once.
pub(crate) fn usual_parts(program: &Program, how: &Pipelined, plan: &Plan) -> u64 {
    if how.cuts.count() * how.replicas == 1 {
        return 1;
    }
    let axes = plan.stage_meshes.iter().chain(&plan.mesh).flat_map(|mesh| &mesh.axes);
    let ways = axes.filter(|axis| axis.name == "data").map(|axis| u64::from(axis.size)).max().unwrap_or(1);
    let enough = 4 * (how.cuts.count() * how.replicas) as u64;
    let Some(batch) = batch(program) else { return 1 };
    let fits = |n: &u64| batch.is_multiple_of(*n) && (batch / n).is_multiple_of(ways);
    let fitting = || (1..=batch).filter(fits);
    fitting().find(|&n| n >= enough).or_else(|| fitting().next_back()).unwrap_or(batch).max(1)
}

/// How many micro-batches a step goes through in.
pub fn count(step: &Program) -> u64 {
    Over::of(step).map_or(1, |over| over.trip)
}

/// How many examples a program is given at once, if its inputs have a batch.
pub fn batch(program: &Program) -> Option<u64> {
    let classes = Classes::of(program);
    let model = Model::of(program, &classes);
    let stem = model.batch?;
    let size = |&v: &ValueId| model.dim(v, stem).map(|dim| program.ty(v).shape[dim] as u64);
    model.data.iter().filter_map(size).reduce(gcd)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Replaces what computes these results of the main function by a loop over parts of the batch: the results of all, and
/// the ops of the loop.
///
/// # Errors
/// `D007` when the batch is not found, does not divide, or its parts depend on each other.
pub(crate) fn in_parts(b: &mut Builder<'_>, asked: &Asked, results: &[ValueId]) -> Result<Joined, Vec<Diagnostic>> {
    let part = Part::of(b.program, asked, results)?;
    // All else is called as if there were no parts.
    b.prefix = "parts.";
    let values = part.repeat(b, asked.parts);
    b.prefix = "";
    Ok(Joined { values, body: std::mem::take(&mut b.body) })
}

/// The program of one part.
struct Part {
    /// In form local, on the axis `micro`.
    program: Program,
    /// By input of the main function: the dimension that is the batch.
    batch: Vec<Option<usize>>,
    /// For each result: the value of one part, and how it becomes that of all.
    results: Vec<(ValueId, Join)>,
}

impl Part {
    fn of(whole: &Program, asked: &Asked, results: &[ValueId]) -> Result<Part, Vec<Diagnostic>> {
        let place = asked.place.clone();
        let refuse =
            |title: String| Diagnostic::new(Code::D007, title).at(place.clone(), "asks for parts of the batch");
        let mut program = whole.clone();
        *program.outputs_mut() = results
            .iter()
            .enumerate()
            .map(|(i, &value)| Output { value, name: format!("sum{i}").into(), alias: None })
            .collect();
        let batch = {
            let classes = Classes::of(&program);
            let model = Model::of(&program, &classes);
            let Some(stem) = model.batch else {
                return Err(vec![refuse("no dimension of the inputs is a batch".into())]);
            };
            let dim = |&v: &ValueId| model.data.contains(&v).then(|| model.dim(v, stem)).flatten();
            program.inputs().iter().map(dim).collect::<Vec<_>>()
        };
        for (&input, dim) in program.inputs().iter().zip(&batch) {
            let Some(dim) = dim else { continue };
            let size = program.ty(input).shape[*dim] as u64;
            if !size.is_multiple_of(asked.parts) {
                return Err(vec![uneven(&program, input, size, asked, refuse)]);
            }
        }
        lay_out(&mut program, &batch, asked.parts);
        planning::split_batch().map_err(|e| vec![e])?.run(
            &mut program,
            &Input::default(),
            &mut Findings::default(),
            &mut |_| Ok(()),
        )?;
        let mut results = joins(&program, asked, refuse)?;
        if asked.parts == 1 && asked.sums {
            let floats = results.iter_mut().filter(|(value, _)| program.ty(*value).dtype.is_float());
            floats.for_each(|(_, join)| *join = Join::Sum);
        }
        Ok(Part { program, batch, results })
    }

    /// Appends the loop to the main function of the whole program; the results that it gives.
    fn repeat(self, b: &mut Builder<'_>, parts: u64) -> Vec<ValueId> {
        let Part { program: part, batch, results } = self;
        b.phase = if b.phase == Phase::Forward { Phase::Forward } else { Phase::BackwardWeight };
        let count = Type::new(DType::I32, []);
        let start = b.splat(count, Scalar::Int(0));
        let begin = |&(value, join): &(ValueId, Join)| {
            let mut ty = part.values[value].local_type();
            if let Join::Stack(dim) = join {
                ty.shape.0.insert(dim + 1, usize::try_from(parts).unwrap_or(usize::MAX));
            }
            let zero = if ty.dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) };
            b.splat(ty, zero)
        };
        let begins: Vec<ValueId> = results.iter().map(begin).collect();
        let mut given: Vec<Given> = Vec::with_capacity(batch.len());
        for (&of, &batch) in part.inputs().iter().zip(&batch) {
            given.push(Given { of, outside: in_turns(b, of, batch, parts), batch });
        }
        let copies = narrow_copies(&part);
        for &id in &copies {
            let op = &part.ops[id];
            let outside = copy_of(b, &part, op.outs[0]);
            let of_loop = (b.phase, b.origin.clone());
            (b.phase, b.origin) = (op.phase, op.origin.clone());
            b.push(op.kind.clone(), &op.args, [outside].into_iter().collect());
            (b.phase, b.origin) = of_loop;
            given.push(Given { of: op.outs[0], outside, batch: None });
        }
        // entry only: what a loop of the part reads it is given
        let ops = part.entry_ops().filter(|at| !copies.contains(&at.id));
        let mut read: FxHashSet<ValueId> = ops.flat_map(|at| at.op.args.iter().copied()).collect();
        read.extend(results.iter().map(|(value, _)| *value));
        given.retain(|given| read.contains(&given.of));
        let outside = given.iter().map(|given| given.outside);
        let carried: Vec<ValueId> = [start].into_iter().chain(begins).chain(outside).collect();
        let types: Vec<Type> = carried.iter().map(|&v| b.ty(v)).collect();
        let body = write_body(b, &part, &given, &results, &types);
        let outs = b.op_many("sum", Loop { trip: parts, body }, &carried, &types);
        let given = outs[1..1 + results.len()].to_vec();
        let whole = |(value, (_, join)): (ValueId, &(ValueId, Join))| match join {
            Join::Stack(dim) => {
                let mut shape = b.ty(value).shape;
                shape[*dim] *= shape[dim + 1];
                shape.0.remove(dim + 1);
                b.reshape(value, shape)
            }
            Join::Sum | Join::Same => value,
        };
        given.into_iter().zip(&results).map(whole).collect()
    }
}

fn uneven(
    program: &Program,
    input: ValueId,
    size: u64,
    asked: &Asked,
    refuse: impl Fn(String) -> Diagnostic,
) -> Diagnostic {
    let parts = asked.parts;
    let fits: Vec<String> = (1..=size).filter(|n| size.is_multiple_of(*n)).map(|n| n.to_string()).collect();
    let near = (1..=size).filter(|n| size.is_multiple_of(*n)).min_by_key(|n| (n.abs_diff(parts), *n)).unwrap_or(1);
    refuse(format!("a batch of {size} does not divide into {parts} parts"))
        .note(format!("`{}`: {size} = {parts} x {} + {}", program.path_of(input), size / parts, size % parts))
        .note(format!("it divides into {}", fits.join(", ")))
        .help(format!("write `{}{near}`", asked.help))
}

/// Splits the batch of every input over an axis of so many parts; all else is whole where it enters and leaves. How the
/// model's own shardings lie on devices is another matter: copies of values have them again.
fn lay_out(program: &mut Program, batch: &[Option<usize>], parts: u64) {
    let mesh = Mesh::new("micro", [("micro", u32::try_from(parts).unwrap_or(u32::MAX))]);
    let axis = AxisRef::whole(&mesh, AxisId::from_index(0));
    program.meshes = Arena::default();
    program.values.values_mut().for_each(|value| value.layout = None);
    let mesh = program.meshes.push(mesh);
    let whole = |program: &Program, v: ValueId| Layout::replicated(mesh, program.ty(v).shape.rank());
    for (input, dim) in program.inputs().to_vec().into_iter().zip(batch) {
        let mut layout = whole(program, input);
        if let Some(dim) = dim {
            layout.dims[*dim] = DimLayout { axes: [axis].into_iter().collect(), ..DimLayout::default() };
        }
        program.values[input].layout = Some(layout.into());
    }
    for output in program.outputs().to_vec() {
        program.values[output.value].layout = Some(whole(program, output.value).into());
    }
}

/// For each result of the part: its value, and how it becomes that of all parts.
fn joins(
    part: &Program,
    asked: &Asked,
    refuse: impl Fn(String) -> Diagnostic,
) -> Result<Vec<(ValueId, Join)>, Vec<Diagnostic>> {
    let mut joined: FxHashMap<ValueId, (ValueId, Join)> = FxHashMap::default();
    let results: FxHashSet<ValueId> = part.outputs().iter().map(|o| o.value).collect();
    // entry only: results of the part are its outputs
    let read: FxHashSet<ValueId> = part.entry_ops().flat_map(|at| at.op.args.iter().copied()).collect();
    for func in part.laid_out_funcs() {
        for op in part.funcs[func].ops().iter().map(|&op| &part.ops[op]) {
            let Some(collective) = op.kind.collective() else { continue };
            let out = op.outs[0];
            let join = match collective {
                Collective::AllReduce(all) => (all.monoid == Monoid::Sum).then_some(Join::Sum),
                Collective::AllGather(gather) => Some(Join::Stack(gather.dim)),
                Collective::ReduceScatter(_) | Collective::AllToAll(_) | Collective::Permute(_) => None,
            };
            if let Some(join) = join.filter(|_| results.contains(&out) && !read.contains(&out)) {
                joined.insert(out, (op.args[0], join));
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
                    .help(format!("write `{}1`, and split the batch over more devices", asked.help)),
            ]);
        }
    }
    let outputs = part.outputs().iter().map(|o| o.value);
    Ok(outputs.map(|v| joined.get(&v).copied().unwrap_or((v, Join::Same))).collect())
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

/// The ops of a part that make narrow copies of parameters.
fn narrow_copies(part: &Program) -> Vec<OpId> {
    let params: FxHashSet<ValueId> = part.params.values().map(|param| param.value).collect();
    let is_copy = |op: &Op| part.narrows(op) && params.contains(&op.args[0]);
    part.entry_ops().filter(|o| is_copy(o.op)).map(|o| o.id).collect() // entry only: a parameter is narrowed once
}
