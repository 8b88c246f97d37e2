//! `micro-batches` (traced -> traced): splits the batch into micro-batches, which the model processes one after the
//! other.
//!
//! A micro-batch corresponds to the shard of one device: the step is partitioned over a separate mesh axis, `micro`,
//! that represents time instead of devices. Values that are then partial over that axis (the loss and the gradients)
//! are accumulated by a loop, and results of a model that is not trained are concatenated. No other op may need several
//! micro-batches at once: a model that normalises over the batch is an error. Means are those of the full batch,
//! because their divisors do not change. Micro-batches are interleaved along the batch (micro-batch `i` of `m` has
//! every `m`-th example, beginning with `i`; `positions.rs`), so that each is sharded over devices like the full batch.
//! Narrow copies of parameters are the same for all micro-batches, and are computed once, before the loop, and so are
//! functions of data that no micro-batch can compute by itself, such as the number of tokens that a mask selects.
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

mod after_loop;
mod before_loop;
mod body;
mod division;
mod positions;

use crate::driver::{Findings, Input, Pass, PassInfo};
use crate::optimising::dce::remove_dead_ops;
use crate::planning;
use crate::planning::name_dims::DimClasses;
use crate::planning::presets::DATA_AXES;
use crate::planning::presets::model::ModelStructure;
use crate::training::phases::declare_step;
use after_loop::AfterLoop;
use before_loop::BeforeLoop;
use body::{LoopOperand, copy_value, write_body};
use division::BatchDivision;
pub use division::{batch_size, max_micro_batches};
use partita_ir::arena::{Arena, AxisId, FuncId, Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::{Collective, Control};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{DimLayout, Layout, Monoid};
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::ops::{Constrain, Loop};
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Form, Op, Output, Phase, Program};
use partita_ir::tensor::Scalar;
use positions::{Interleaving, PositionOps};
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of the function that runs once for each micro-batch.
pub(crate) const MICRO_BATCH: &str = "micro_batch";

/// The loop over the micro-batches of a program.
#[derive(Clone, Copy)]
pub(crate) struct MicroBatchLoop<'p> {
    /// The position of the loop in the main function.
    pub(crate) position: usize,
    /// The loop op.
    pub(crate) op: &'p Op,
    /// The function that runs for each micro-batch.
    pub(crate) body: FuncId,
    /// Number of micro-batches.
    pub(crate) trip: u64,
}

impl<'p> MicroBatchLoop<'p> {
    /// Returns the loop over micro-batches in the main function of a program.
    pub(crate) fn find(program: &'p Program) -> Option<MicroBatchLoop<'p>> {
        // entry only: the loop over micro-batches is in the main function
        program.entry_ops().enumerate().find_map(|(position, at)| {
            let Control::Loop(l) = at.op.kind.control()?;
            let is_over_micro_batches = program.funcs[l.body].name == MICRO_BATCH && !l.is_while();
            is_over_micro_batches.then_some(MicroBatchLoop { position, op: at.op, body: l.body, trip: l.trip })
        })
    }
}

/// A request to split the batch, and its origin for diagnostics.
pub(crate) struct SplitRequest {
    /// Number of micro-batches.
    pub(crate) count: u64,
    /// Location of the request.
    pub(crate) place: Span,
    /// Text before a valid number of micro-batches, in a help message.
    pub(crate) help: &'static str,
    /// True for a training step, whose float results are sums over the batch. With a single micro-batch this cannot be
    /// derived from the program.
    pub(crate) sums: bool,
    /// True if the plan does not state the number. The batch is then a single micro-batch if it cannot be split.
    pub(crate) is_default: bool,
}

impl SplitRequest {
    /// Returns an error about the request.
    fn refuse(&self, title: String) -> Diagnostic {
        Diagnostic::new(Code::D007, title).label(self.place.clone(), "requests micro-batches")
    }

    /// Returns the warning for a batch that is a single micro-batch.
    fn is_not_split(&self, why: &Diagnostic) -> Diagnostic {
        Diagnostic::warning(Code::D007, "the pipeline has one micro-batch, so that one stage computes at a time")
            .label(self.place.clone(), "would have more")
            .note(why.title.clone())
    }

    /// Returns the error for an op that needs examples of several micro-batches.
    fn mixes(&self, program: &Program, op: &Op) -> Diagnostic {
        let cause = op.origin.cause.as_deref();
        let what = cause.map_or_else(|| op.kind.name().to_owned(), |cause| cause.op.to_string());
        let error = self.refuse(format!("`{what}` mixes examples, and the batch is split into micro-batches"));
        let scope = &op.origin.scope;
        let error = match op.origin.line {
            0 if scope.is_empty() => error,
            0 => error.note(format!("it is part of `{scope}`")),
            _ => program.with_source_line(op, error),
        };
        error
            .note("norms over the batch and products of batch means mix examples")
            .help(format!("write `{}1`, and split the batch over more devices", self.help))
    }
}

/// The combination of a result of each micro-batch into the result of the batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ResultJoin {
    /// The results are added up.
    Sum,
    /// The results are concatenated along this dimension, which is the batch.
    Stack(usize),
    /// The results are equal.
    Same,
}

/// The pass, for models that are not trained and for imported training steps. The pass `train` inserts the loop of
/// other training steps.
pub struct SplitMicroBatches;

impl Pass for SplitMicroBatches {
    fn info(&self) -> PassInfo {
        PassInfo { name: "micro-batches", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, _: &Program, input: &Input, _: &Findings) -> bool {
        input.plan.pipeline.is_some() && input.plan.train.is_none()
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some(pipeline) = input.plan.pipeline_config().map_err(|e| vec![e])? else { return Ok(()) };
        let is_one = pipeline.micro_batches.is_none_or(|count| count == 1);
        if pipeline.is_single() && is_one && input.plan.schedule.is_none() {
            return Ok(());
        }
        if let Some(error) = own_micro_batches(program, &pipeline) {
            return Err(vec![error]);
        }
        declare_step(program);
        // Gradients of frozen parameters need not be divided.
        remove_dead_ops(program);
        let count = match pipeline.micro_batches {
            Some(count) => count,
            None => default_micro_batches(program, &pipeline, &input.plan),
        };
        // entry only: the update reads the results of loops
        let is_step = program.entry_ops().any(|at| at.op.phase == Phase::Update);
        let is_default = pipeline.micro_batches.is_none();
        let mut request =
            SplitRequest { count, place: pipeline.place, help: "--microbatches ", sums: is_step, is_default };
        let mut names = Namer::from_program(program);
        let body = split_micro_batches(&mut Builder::new(program, &mut names), &mut request, findings)?;
        *program.entry_ops_mut() = body;
        Ok(())
    }
}

/// Returns the error for a program that divides its batch into micro-batches itself.
fn own_micro_batches(program: &Program, pipeline: &PipelineConfig) -> Option<Diagnostic> {
    let classes = DimClasses::new(program);
    let model = ModelStructure::new(program, &classes);
    let &(value, dim) = model.micro_batches().first()?;
    let (size, ty) = (program.ty(value).shape[dim], program.ty(value));
    let title = format!("the program itself divides its batch into micro-batches of {size} examples");
    let error = Diagnostic::new(Code::D007, title).label(pipeline.place.clone(), "requests micro-batches");
    let error = error.note(format!("it reads them from `%{}`: {ty}, in a loop", program.path_of(value)));
    Some(error.help("compute the gradients of the whole batch in the program: `--microbatches` inserts such a loop"))
}

/// Returns the default number of micro-batches in a pipeline: the smallest number that is at least four times the
/// number of stages and divides the batch so that each micro-batch can be split over the axes [`DATA_AXES`]. If no such
/// number exists, it is the largest that divides the batch in this way. A single stage has one micro-batch.
pub(crate) fn default_micro_batches(program: &Program, how: &PipelineConfig, plan: &Plan) -> u64 {
    if how.cuts.count() * how.replicas == 1 {
        return 1;
    }
    let count = |mesh: &Mesh| -> u64 {
        let axes = mesh.axes.iter().filter(|axis| DATA_AXES.contains(&axis.name.as_str()));
        axes.map(|axis| u64::from(axis.size)).product()
    };
    let shard_count = plan.stage_meshes.iter().chain(&plan.mesh).map(count).max().unwrap_or(1);
    let enough = 4 * (how.cuts.count() * how.replicas) as u64;
    let Some(batch) = max_micro_batches(program) else { return 1 };
    let fits = |n: &u64| batch.is_multiple_of(*n) && (batch / n).is_multiple_of(shard_count);
    let fitting = || (1..=batch).filter(fits);
    fitting().find(|&n| n >= enough).or_else(|| fitting().next_back()).unwrap_or(batch).max(1)
}

/// Returns true if a step has a loop over micro-batches, even over a single one.
pub fn has_micro_batches(step: &Program) -> bool {
    MicroBatchLoop::find(step).is_some()
}

/// Returns the number of micro-batches of a step.
pub fn micro_batch_count(step: &Program) -> u64 {
    MicroBatchLoop::find(step).map_or(1, |over| over.trip)
}

/// Makes the outputs of the main function those of a loop over micro-batches and of the ops after it. Returns these ops
/// and those of the loop.
///
/// # Errors
/// `D007` when no batch dimension is found, when the number of micro-batches does not divide it, or when micro-batches
/// depend on each other.
pub(crate) fn split_micro_batches(
    b: &mut Builder<'_>,
    request: &mut SplitRequest,
    findings: &mut Findings,
) -> Result<Vec<OpId>, Vec<Diagnostic>> {
    let AfterLoop { ops, reads, batch } = AfterLoop::from_program(b.program, request.sums);
    let part = match MicroBatch::new(b.program, request, batch, &reads) {
        Err(errors) if request.is_default && request.count > 1 => {
            request.count = 1;
            findings.warnings.extend(errors.first().map(|why| request.is_not_split(why)));
            MicroBatch::new(b.program, request, batch, &reads)?
        }
        result => result?,
    };
    b.phase = if request.sums { Phase::BackwardWeight } else { Phase::Forward };
    // Other names stay as they are without micro-batches.
    b.prefix = "parts.";
    let values = part.append_loop(b, request.count);
    b.prefix = "";
    let mut body = std::mem::take(&mut b.body);
    body.extend(&ops);
    let program = &mut *b.program;
    let mut after: FxHashSet<ValueId> = values.iter().copied().collect();
    let replacement: FxHashMap<ValueId, ValueId> = reads.into_iter().zip(values).collect();
    for id in ops {
        let op = &mut program.ops[id];
        op.args.iter_mut().for_each(|arg| *arg = replacement.get(arg).copied().unwrap_or(*arg));
        if op.args.iter().any(|arg| after.contains(arg)) {
            after.extend(&op.outs);
            // Part of the forward pass of the batch, but not of that of a micro-batch.
            op.phase = if op.phase == Phase::Forward { Phase::Update } else { op.phase };
        }
    }
    for output in program.outputs_mut() {
        output.value = replacement.get(&output.value).copied().unwrap_or(output.value);
    }
    Ok(body)
}

/// The program of one micro-batch.
struct MicroBatch {
    /// The program, in local form on the axis `micro`.
    program: Program,
    /// The batch dimension of each input of the main function.
    batch: Vec<Option<usize>>,
    /// For each result, its value for one micro-batch and how values are combined.
    results: Vec<(ValueId, ResultJoin)>,
    /// The batch dimension of each result.
    result_batch: Vec<Option<usize>>,
    how: Interleaving,
    before: BeforeLoop,
}

impl MicroBatch {
    /// Creates the micro-batch that computes these results. `divided` is an input with the dimension to split, if it is
    /// known.
    fn new(
        global: &Program,
        request: &SplitRequest,
        divided: Option<(ValueId, usize)>,
        results: &[ValueId],
    ) -> Result<MicroBatch, Vec<Diagnostic>> {
        let mut program = global.clone();
        *program.outputs_mut() = results
            .iter()
            .enumerate()
            .map(|(i, &value)| Output { value, name: format!("sum{i}").into(), replaces: None })
            .collect();
        remove_dead_ops(&mut program);
        let (mut batch, result_batch, positions, how, before) = {
            let classes = DimClasses::new(&program);
            let model = ModelStructure::new(&program, &classes);
            let stem = divided.map(|(input, dim)| model.stem(input, dim)).or(model.batch);
            let Some(stem) = stem else {
                return Err(vec![request.refuse("no dimension of the inputs is a batch".into())]);
            };
            let dim = |&v: &ValueId| model.dim(v, stem);
            let batch: Vec<Option<usize>> = program.inputs().iter().map(dim).collect();
            let result_batch: Vec<Option<usize>> =
                program.outputs().iter().map(|output| model.dim(output.value, stem)).collect();
            let before = if request.count > 1 { BeforeLoop::new(&model, stem) } else { BeforeLoop::default() };
            let division = BatchDivision::new(&model, stem, &before);
            division.check(&model, request).map_err(|error| vec![error])?;
            let count = usize::try_from(request.count).unwrap_or(usize::MAX);
            let how = Interleaving { groups: usize::try_from(division.groups).unwrap_or(usize::MAX), count };
            let positions = PositionOps::new(&model, stem);
            (batch, result_batch, positions, how, before)
        };
        batch.extend(std::iter::repeat_n(None, before.make_inputs(&mut program)));
        copy_batched_results(&mut program, &result_batch);
        if request.count > 1 {
            positions.reorder(&mut program, how);
        }
        shard_batch(&mut program, &batch, request.count);
        planning::micro_batch_pipeline().map_err(|e| vec![e])?.run(
            &mut program,
            &Input::default(),
            &mut Findings::default(),
            &mut |_| Ok(()),
        )?;
        let mut results = result_joins(&program, request)?;
        if request.count == 1 && request.sums {
            let floats = results.iter_mut().filter(|(value, _)| program.ty(*value).dtype.is_float());
            floats.for_each(|(_, join)| *join = ResultJoin::Sum);
        }
        Ok(MicroBatch { program, batch, results, result_batch, how, before })
    }

    /// Appends the loop to the main function of the global program, and returns its results.
    fn append_loop(self, b: &mut Builder<'_>, count: u64) -> Vec<ValueId> {
        let MicroBatch { program: part, batch, results, result_batch, how, before } = self;
        b.phase = if b.phase == Phase::Forward { Phase::Forward } else { Phase::BackwardWeight };
        let before = before.append(b);
        let counter = Type::new(DType::I32, []);
        let start = b.splat(counter, Scalar::Int(0));
        let begin = |&(value, join): &(ValueId, ResultJoin)| {
            let mut ty = part.values[value].local_type();
            if let ResultJoin::Stack(dim) = join {
                ty.shape = how.stacked(&ty.shape, dim);
            }
            let zero = if ty.dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) };
            b.splat(ty, zero)
        };
        // The loop does not compute inputs that are the same for all micro-batches.
        let same = part.inputs().iter().zip(&batch).filter(|(_, batch)| batch.is_none());
        let same: FxHashMap<ValueId, ValueId> =
            same.map(|(&of, _)| (of, before.get(&of).copied().unwrap_or(of))).collect();
        let computed: Vec<(ValueId, ResultJoin)> =
            results.iter().copied().filter(|(value, _)| !same.contains_key(value)).collect();
        let begins: Vec<ValueId> = computed.iter().map(begin).collect();
        let mut operands: Vec<LoopOperand> = Vec::with_capacity(batch.len());
        for (&of, &batch) in part.inputs().iter().zip(&batch) {
            let outside = before.get(&of).copied().unwrap_or_else(|| interleave_batch(b, of, batch, how));
            operands.push(LoopOperand { value: of, outside, batch });
        }
        let copies = narrow_copies(&part, &batch);
        for &id in &copies {
            let op = &part.ops[id];
            let outside = copy_value(b, &part, op.outs[0]);
            let of_loop = (b.phase, b.origin.clone());
            (b.phase, b.origin) = (op.phase, op.origin.clone());
            b.push(op.kind.clone(), &op.args, [outside].into_iter().collect());
            (b.phase, b.origin) = of_loop;
            operands.push(LoopOperand { value: op.outs[0], outside, batch: None });
        }
        // entry only: the operands of a loop in the micro-batch include everything that its body reads
        let ops = part.entry_ops().filter(|at| !copies.contains(&at.id));
        let mut read: FxHashSet<ValueId> = ops.flat_map(|at| at.op.args.iter().copied()).collect();
        read.extend(computed.iter().map(|(value, _)| *value));
        operands.retain(|operand| read.contains(&operand.value));
        let outside = operands.iter().map(|operand| operand.outside);
        let carried: Vec<ValueId> = [start].into_iter().chain(begins).chain(outside).collect();
        let types: Vec<Type> = carried.iter().map(|&v| b.ty(v)).collect();
        let body = write_body(b, &part, &operands, &computed, &types);
        let outs = b.op_many("sum", Loop::counted(count, body), &carried, &types);
        let mut sums = outs[1..1 + computed.len()].iter().copied();
        let mut merge = |value: ValueId, (of, join): &(ValueId, ResultJoin), batch: Option<usize>| match join {
            ResultJoin::Stack(dim) => {
                let mut shape = b.ty(value).shape;
                while shape.rank() > part.ty(*of).shape.rank() {
                    shape[*dim] *= shape[dim + 1];
                    shape.0.remove(dim + 1);
                }
                b.reshape(value, shape)
            }
            ResultJoin::Same => batch.map_or(value, |dim| how.restored(b, value, dim)),
            ResultJoin::Sum => value,
        };
        let merged = |(result, batch): (&(ValueId, ResultJoin), Option<usize>)| match same.get(&result.0) {
            Some(&value) => value,
            None => sums.next().map_or(result.0, |sum| merge(sum, result, batch)),
        };
        results.iter().zip(result_batch).map(merged).collect()
    }
}

/// Makes results with a batch dimension copies, so that the batch is joined after the ops that compute and read them.
fn copy_batched_results(program: &mut Program, batch: &[Option<usize>]) {
    // entry only: its outputs are the results
    let phases = program.entry_ops().flat_map(|at| at.op.outs.iter().map(|&out| (out, at.op.phase)));
    let phases: FxHashMap<ValueId, Phase> = phases.collect();
    let mut names = Namer::from_program(program);
    let mut b = Builder::new(program, &mut names);
    b.body = std::mem::take(b.program.entry_ops_mut());
    for (i, _) in batch.iter().enumerate().filter(|(_, dim)| dim.is_some()) {
        let value = b.program.outputs()[i].value;
        b.phase = phases.get(&value).copied().unwrap_or_default();
        let ty = b.ty(value);
        b.program.outputs_mut()[i].value = b.op("result", Constrain::default(), &[value], ty);
    }
    *b.program.entry_ops_mut() = b.body;
}

/// Shards the batch dimension of every input over an axis of `count` positions; other inputs and all outputs are
/// replicated. Shardings of the model on devices are removed here and restored on the copies of its values.
fn shard_batch(program: &mut Program, batch: &[Option<usize>], count: u64) {
    let mesh = DeviceMesh::new("micro", [("micro", u32::try_from(count).unwrap_or(u32::MAX))]);
    let axis = AxisRef::full(&mesh, AxisId::from_index(0));
    program.meshes = Arena::default();
    program.values.values_mut().for_each(|value| value.layout = None);
    let mesh = program.meshes.push(mesh);
    let replicated = |program: &Program, v: ValueId| Layout::replicated(mesh, program.ty(v).shape.rank());
    for (input, dim) in program.inputs().to_vec().into_iter().zip(batch) {
        let mut layout = replicated(program, input);
        if let Some(dim) = dim {
            layout.dims[*dim] = DimLayout { axes: [axis].into_iter().collect(), ..DimLayout::default() };
        }
        program.values[input].layout = Some(layout.into());
    }
    for output in program.outputs().to_vec() {
        program.values[output.value].layout = Some(replicated(program, output.value).into());
    }
}

/// Returns, for each result of the micro-batch, its value and how values are combined.
fn result_joins(part: &Program, request: &SplitRequest) -> Result<Vec<(ValueId, ResultJoin)>, Vec<Diagnostic>> {
    let mut joined: FxHashMap<ValueId, (ValueId, ResultJoin)> = FxHashMap::default();
    let results: FxHashSet<ValueId> = part.outputs().iter().map(|o| o.value).collect();
    // entry only: results of the micro-batch are outputs of the main function
    let read: FxHashSet<ValueId> = part.entry_ops().flat_map(|at| at.op.args.iter().copied()).collect();
    for func in part.funcs_with_layouts() {
        for op in part.funcs[func].ops().iter().map(|&op| &part.ops[op]) {
            let Some(collective) = op.kind.collective() else { continue };
            let out = op.outs[0];
            let join = match collective {
                Collective::AllReduce(all) => (all.monoid == Monoid::Sum).then_some(ResultJoin::Sum),
                Collective::AllGather(gather) => Some(ResultJoin::Stack(gather.dim)),
                Collective::ReduceScatter(_) | Collective::AllToAll(_) | Collective::Permute(_) => None,
            };
            if let Some(join) = join.filter(|_| results.contains(&out) && !read.contains(&out)) {
                joined.insert(out, (op.args[0], join));
                continue;
            }
            return Err(vec![request.mixes(part, op)]);
        }
    }
    let outputs = part.outputs().iter().map(|o| o.value);
    Ok(outputs.map(|v| joined.get(&v).copied().unwrap_or((v, ResultJoin::Same))).collect())
}

/// Divides the batch dimension of an input into interleaved micro-batches.
fn interleave_batch(b: &mut Builder<'_>, value: ValueId, dim: Option<usize>, how: Interleaving) -> ValueId {
    let shape = b.ty(value).shape;
    let Some(divided) = dim.and_then(|dim| how.divided(&shape, dim)) else { return value };
    // The forward pass reads it.
    let phase = std::mem::replace(&mut b.phase, Phase::Forward);
    let interleaved = b.reshape(value, divided);
    b.phase = phase;
    interleaved
}

/// Returns the ops of the micro-batch that compute narrow copies of parameters without examples.
fn narrow_copies(part: &Program, batch: &[Option<usize>]) -> Vec<OpId> {
    let inputs = part.inputs().iter().zip(batch).filter(|(_, batch)| batch.is_none());
    let params: FxHashSet<ValueId> = inputs.map(|(&input, _)| input).filter(|&v| part.param_of(v).is_some()).collect();
    let is_copy = |op: &Op| part.narrows(op) && params.contains(&op.args[0]);
    part.entry_ops().filter(|o| is_copy(o.op)).map(|o| o.id).collect() // entry only: a parameter is narrowed once
}
