//! `infer-phases` (traced -> traced): assigns phases to the ops of an imported training step, or of an imported
//! function that returns gradients.
//!
//! The update consists of the elementwise ops that compute an output from the input that it replaces. The
//! forward pass consists of the ops that the other outputs (the loss) depend on. If these outputs depend on gradients,
//! or if there are none, the forward pass consists of the first product with each parameter and the ops before it. The
//! ops before an update, or before a returned gradient, compute the gradient: back to the product or sum with the shape
//! of the parameter they are the backward pass to weights, and all remaining ops are the backward pass to inputs. If a
//! loop accumulates the gradients of micro-batches, this holds for its body.
//! Programs whose ops already have phases, and forward models, stay as they are.
//!
//! Before:
//!
//! ```text
//! %loss = reduce sum [0, 1] %x : f32[]
//! %two = constant 2.0 : f32[6, 4]
//! %twice = mul %x, %two : f32[6, 4]
//! %w.grad = reduce sum [0] %twice : f32[4]
//! %new = sub %w, %w.grad : f32[4]
//! output %loss
//! output %new -> "w"
//! ```
//!
//! After:
//!
//! ```text
//! %loss = reduce sum [0, 1] %x : f32[]
//! %two = constant 2.0 : f32[6, 4] phase backward_input
//! %twice = mul %x, %two : f32[6, 4] phase backward_input
//! %w.grad = reduce sum [0] %twice : f32[4] phase backward_weight
//! %new = sub %w, %w.grad : f32[4] phase update
//! output %loss
//! output %new -> "w"
//! ```

mod gradient_loop;

use crate::driver::{Findings, Input, Pass, PassInfo};
use crate::import::updates::{DefiningOps, Replacement, is_elementwise, is_model_state, replacements};
use crate::planning::name_dims::DimClasses;
use crate::planning::presets::model::{ModelStructure, param_inputs};
use gradient_loop::GradientLoop;
use partita_ir::arena::{FuncId, Id, OpId, ParamId, ValueId};
use partita_ir::class::{Class, Control};
use partita_ir::diag::Diagnostic;
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::program::{Form, Op, Output, Param, ParamKind, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub struct InferPhases;

impl Pass for InferPhases {
    fn info(&self) -> PassInfo {
        PassInfo { name: "infer-phases", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        let is_input_type =
            |output: &Output| program.inputs().iter().any(|v| program.ty(*v) == program.ty(output.value));
        program.outputs().iter().any(is_input_type) && program.model_ops().iter().all(|o| o.op.phase == Phase::Forward)
    }

    fn run(&self, program: &mut Program, _: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let classes = DimClasses::new(program);
        let model = ModelStructure::new(program, &classes);
        if model.updates.iter().all(|(input, _)| is_model_state(program, *input)) && model.gradients.is_empty() {
            return Ok(());
        }
        findings.inferred_phases = true;
        let phases = phases(&model);
        for (id, phase) in phases {
            program.ops[id].phase = phase;
        }
        Ok(())
    }
}

/// Results of a function with a forward and a backward pass.
struct StepResults {
    func: FuncId,
    /// Results of the forward pass, such as the loss.
    losses: Vec<ValueId>,
    /// New values of parameters.
    updates: Vec<ValueId>,
    gradients: Vec<ValueId>,
}

impl StepResults {
    /// Returns the results of the main function.
    fn of_main(model: &ModelStructure<'_>, graph: &DefiningOps) -> StepResults {
        let program = model.program;
        let new = |pairs: &[(ValueId, ValueId)]| pairs.iter().map(|(_, new)| *new).collect::<Vec<ValueId>>();
        let (updates, gradients) = (new(&model.updates), new(&model.gradients));
        let depends = depends_on_gradients(model, graph);
        let is_loss = |v: &ValueId| !updates.contains(v) && !gradients.contains(v) && !depends[v.index()];
        let losses = program.outputs().iter().map(|o| o.value).filter(is_loss).collect();
        StepResults { func: program.entry(), losses, updates, gradients }
    }

    /// Assigns phases to the ops that the results depend on.
    fn assign(self, model: &ModelStructure<'_>, graph: &DefiningOps, phase: &mut [Option<Phase>]) {
        let program = model.program;
        graph.walk(program, self.losses, |op| {
            let slot = &mut phase[op.index()];
            slot.replace(Phase::Forward).is_none()
        });
        let is_forward_product =
            |id: &OpId| phase[id.index()] == Some(Phase::Forward) && contains_product(program, &program.ops[*id]);
        if !program.funcs[self.func].ops().iter().any(is_forward_product) {
            mark_first_products(model, phase);
        }
        let mut gradients = self.gradients;
        gradients.extend(assign_update(program, graph, self.updates, phase));
        graph.walk(program, gradients, |id| {
            if phase[id.index()].is_some() {
                return false;
            }
            phase[id.index()] = Some(Phase::BackwardWeight);
            !may_sum_over_batch(&program.ops[id].kind)
        });
    }
}

/// Assigns phases to the ops that belong to an update. Returns the other values that it reads: gradients.
fn assign_update(
    program: &Program,
    graph: &DefiningOps,
    updates: Vec<ValueId>,
    phase: &mut [Option<Phase>],
) -> Vec<ValueId> {
    let mut gradients = Vec::new();
    graph.walk(program, updates, |id| {
        let op = &program.ops[id];
        let is_unassigned = phase[id.index()].is_none();
        if is_unassigned && may_belong_to_update(op, program) {
            phase[id.index()] = Some(Phase::Update);
            return true;
        }
        if is_unassigned {
            gradients.extend(op.outs.iter().copied());
        }
        false
    });
    gradients
}

/// Returns the phase of each op of a training step or of a function that returns gradients.
fn phases(model: &ModelStructure<'_>) -> Vec<(OpId, Phase)> {
    let program = model.program;
    let graph = DefiningOps::new(program);
    let mut phase: Vec<Option<Phase>> = vec![None; program.ops.len()];
    match GradientLoop::find(model) {
        Some(accumulation) => accumulation.assign_phases(model, &graph, &mut phase),
        None => StepResults::of_main(model, &graph).assign(model, &graph, &mut phase),
    }
    // Other ops in the body of a loop have the phase of the loop.
    let mut body_phases: FxHashMap<FuncId, Phase> = FxHashMap::default();
    let mut found: Vec<(OpId, Phase)> = Vec::new();
    for ModelOp { id, op, func, .. } in program.model_ops() {
        let of_func = body_phases.get(&func).copied().unwrap_or(Phase::BackwardInput);
        let of_op = phase[id.index()].unwrap_or(of_func);
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            body_phases.insert(l.body, of_op);
        }
        found.push((id, of_op));
    }
    found
}

/// Returns, for each value of the entry function, true if it depends on a gradient: a returned one, or a value of the
/// shape of a parameter that the update reads.
fn depends_on_gradients(model: &ModelStructure<'_>, graph: &DefiningOps) -> Vec<bool> {
    let program = model.program;
    let mut depends = vec![false; program.values.len()];
    model.gradients.iter().for_each(|(_, gradient)| depends[gradient.index()] = true);
    for &(input, new) in &model.updates {
        let shape = &program.ty(input).shape;
        graph.walk(program, vec![new], |id| {
            let op = &program.ops[id];
            let is_update = may_belong_to_update(op, program);
            if !is_update && shape.rank() > 0 {
                op.outs.iter().filter(|v| program.ty(**v).shape == *shape).for_each(|v| depends[v.index()] = true);
            }
            is_update
        });
    }
    // entry only: results of a loop depend on all its operands
    for ModelOp { op, .. } in program.entry_ops() {
        if op.args.iter().any(|arg| depends[arg.index()]) {
            op.outs.iter().for_each(|out| depends[out.index()] = true);
        }
    }
    depends
}

fn contains_product(program: &Program, op: &Op) -> bool {
    program.any_op_within(op, &|op| op.kind.class() == Class::Product)
}

/// Assigns the forward phase to the first product with each parameter, and to all ops that it depends on.
fn mark_first_products(model: &ModelStructure<'_>, phase: &mut [Option<Phase>]) {
    let program = model.program;
    let mut definition: Vec<Option<OpId>> = vec![None; program.values.len()];
    // Operands of loops, for the inputs of their bodies.
    let mut operand: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for ModelOp { id, op, .. } in program.model_ops() {
        op.outs.iter().for_each(|out| definition[out.index()] = Some(id));
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            operand.extend(program.funcs[l.body].inputs.iter().copied().zip(op.args.iter().copied()));
        }
    }
    let products: FxHashMap<OpId, ValueId> = model.contractions.iter().map(|c| (c.op, c.param)).collect();
    let mut seen: FxHashSet<ValueId> = FxHashSet::default();
    let ops = program.model_ops();
    let firsts = ops.iter().filter(|at| products.get(&at.id).is_some_and(|param| seen.insert(*param)));
    let mut todo: Vec<ValueId> = firsts.flat_map(|at| at.op.outs.iter().copied()).collect();
    let mut visited: FxHashSet<ValueId> = todo.iter().copied().collect();
    while let Some(value) = todo.pop() {
        let mut before: Vec<ValueId> = operand.get(&value).copied().into_iter().collect();
        if let Some(id) = definition[value.index()] {
            let op = &program.ops[id];
            phase[id.index()] = Some(Phase::Forward);
            before.extend(&op.args);
        }
        todo.extend(before.into_iter().filter(|v| visited.insert(*v)));
    }
}

/// Declares the parameters of a program without any, such as an imported function. Float inputs without a batch
/// dimension count as parameters.
pub fn declare_params(program: &mut Program) {
    if program.declares_params() {
        return;
    }
    for value in param_inputs(program) {
        let path = program.values[value].name.to_string();
        let kind = if program.ty(value).dtype.is_float() { ParamKind::Trainable } else { ParamKind::Frozen };
        program.params.push(Param { path, kind, value, parent: None, init: None });
    }
}

/// Declares the parameters of an imported training step without any. The step determines which inputs its outputs
/// replace: parameters, optimizer state and counters. Parameters that it does not replace are frozen.
pub fn declare_step(program: &mut Program) {
    if program.declares_params() {
        return;
    }
    let (mut params, updated): (FxHashSet<ValueId>, FxHashSet<ValueId>) = {
        let classes = DimClasses::new(program);
        let model = ModelStructure::new(program, &classes);
        (model.params.iter().copied().collect(), model.updates.iter().map(|(input, _)| *input).collect())
    };
    let mut replaced = replacements(program);
    replaced.retain(|one| updated.contains(&one.input));
    if replaced.is_empty() {
        return declare_params(program);
    }
    params.extend(updated);
    declare_with_state(program, &replaced, ParamKind::Frozen, |_, value| params.contains(&value));
}

/// Declares the inputs for whose names `is_param` returns true as parameters, and the inputs that a training step
/// replaces with values that these are computed from as their state.
pub fn declare_inputs(program: &mut Program, is_param: impl Fn(&str) -> bool) {
    let replaced = replacements(program);
    let is_param = |program: &Program, value: ValueId| is_param(&program.values[value].name);
    declare_with_state(program, &replaced, ParamKind::Trainable, is_param);
}

/// Declares the inputs for which `is_param` returns true, and the state of those that are replaced, with the outputs
/// that replace them. `kind` is the kind of parameters that are not replaced.
fn declare_with_state(
    program: &mut Program,
    replaced: &[Replacement],
    kind: ParamKind,
    is_param: impl Fn(&Program, ValueId) -> bool,
) {
    let state_of: FxHashMap<ValueId, ValueId> =
        replaced.iter().flat_map(|one| one.state.iter().map(|&state| (state, one.input))).collect();
    let outputs: FxHashMap<ValueId, usize> = replaced.iter().map(|one| (one.input, one.output)).collect();
    let mut declared: FxHashMap<ValueId, ParamId> =
        program.params.iter().map(|(id, param)| (param.value, id)).collect();
    // Parameters have the order of inputs.
    for value in program.inputs().to_vec() {
        let output = outputs.get(&value).copied();
        // State follows its parameter in the order of inputs, and has no state itself.
        let of = state_of.get(&value).filter(|_| output.is_some()).and_then(|of| declared.get(of)).copied();
        let parent = of.filter(|&of| program.params[of].kind == ParamKind::Trainable);
        if program.param_of(value).is_some() || (parent.is_none() && !is_param(program, value)) {
            continue;
        }
        let kind = match output {
            Some(_) if of.is_some() || program.ty(value).shape.rank() == 0 => ParamKind::State,
            Some(_) => ParamKind::Trainable,
            None => kind,
        };
        let path = program.values[value].name.to_string();
        let id = program.params.push(Param { path, kind, value, parent, init: None });
        declared.insert(value, id);
        if let Some(output) = output {
            program.outputs_mut()[output].replaces = Some(value);
        }
    }
}

/// Returns true if an op may belong to an update: an elementwise op, a scalar op, or the broadcast of a scalar.
///
/// Recogniser: any other op counts as part of the backward pass, and phases do not affect results.
fn may_belong_to_update(op: &Op, program: &Program) -> bool {
    let is_scalar = |v: &ValueId| program.ty(*v).shape.rank() == 0;
    is_elementwise(&op.kind)
        || op.args.is_empty()
        || op.outs.iter().all(is_scalar) && op.args.iter().all(is_scalar)
        || matches!(op.kind, OpKind::Broadcast(_)) && op.args.iter().all(is_scalar)
}

/// Returns true if the op may reduce a gradient to the shape of its parameter, by summing over the batch.
fn may_sum_over_batch(kind: &OpKind) -> bool {
    match kind {
        OpKind::Reduce(op) => !op.dims.is_empty(),
        OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) => true,
        OpKind::Gather(_) | OpKind::Scatter(_) | OpKind::Loop(_) => true,
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => false,
        OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) => false,
        OpKind::Convert(_) | OpKind::Bitcast(_) | OpKind::Broadcast(_) | OpKind::Reshape(_) => false,
        OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => false,
        OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) | OpKind::ReduceFunc(_) => false,
        OpKind::Sort(_) | OpKind::TopK(_) | OpKind::Softmax(_) | OpKind::LogSoftmax(_) => false,
        OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => false,
        OpKind::HouseholderProduct(_)
        | OpKind::Svd(_)
        | OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_) => false,
        OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::BatchNorm(_) | OpKind::Gelu(_) => false,
        OpKind::CrossEntropy(_) | OpKind::Attention(_) | OpKind::AttentionGrad(_) => false,
        OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Constrain(_) | OpKind::Reshard(_) => false,
        OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => false,
        OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => false,
    }
}
