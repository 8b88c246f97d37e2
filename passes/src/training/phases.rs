//! `infer-phases` (traced -> traced): assigns phases to the ops of an imported training step.
//!
//! The update consists of the elementwise ops that compute an output from the input that it replaces. The
//! forward pass consists of the ops that the other outputs (the loss) depend on. The ops before an update compute the
//! gradient: back to the product or sum with the shape of the parameter they are the backward pass to weights, and all
//! remaining ops are the backward pass to inputs. Programs whose ops already have phases, and forward models, stay as
//! they are.
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

use crate::driver::{Findings, Input, Pass, PassInfo};
use crate::import::updates::{DefiningOps, is_elementwise, is_model_state, replacements};
use crate::planning::name_dims::DimClasses;
use crate::planning::presets::model::ModelStructure;
use partita_ir::arena::{FuncId, Id, OpId, ParamId, ValueId};
use partita_ir::class::Control;
use partita_ir::diag::Diagnostic;
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::program::{Form, Op, Param, ParamKind, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub struct InferPhases;

impl Pass for InferPhases {
    fn info(&self) -> PassInfo {
        PassInfo { name: "infer-phases", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        program.model_ops().iter().all(|o| o.op.phase == Phase::Forward) && program.outputs().len() > 1
    }

    fn run(&self, program: &mut Program, _: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let replaced = replacements(program);
        if replaced.iter().all(|r| is_model_state(program, r.input)) {
            return Ok(());
        }
        findings.inferred_phases = true;
        let graph = DefiningOps::new(program);
        let mut phase: Vec<Option<Phase>> = vec![None; program.ops.len()];
        let new: FxHashSet<usize> = replaced.iter().map(|r| r.output).collect();
        let outputs = program.outputs();
        let others = (0..outputs.len()).filter(|i| !new.contains(i)).map(|i| outputs[i].value).collect();
        graph.walk(program, others, |op| {
            let slot = &mut phase[op.index()];
            slot.replace(Phase::Forward).is_none()
        });
        let mut gradients = Vec::new();
        let news = replaced.iter().map(|r| outputs[r.output].value).collect();
        graph.walk(program, news, |id| {
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
        graph.walk(program, gradients, |id| {
            if phase[id.index()].is_some() {
                return false;
            }
            phase[id.index()] = Some(Phase::BackwardWeight);
            !may_sum_over_batch(&program.ops[id].kind)
        });
        // Ops in the body of a loop have the phase of the loop.
        let mut body_phases: FxHashMap<FuncId, Phase> = FxHashMap::default();
        let mut found: Vec<(OpId, Phase)> = Vec::new();
        for ModelOp { id, op, func, .. } in program.model_ops() {
            let own = || phase[id.index()].unwrap_or(Phase::BackwardInput);
            let of_op = body_phases.get(&func).copied().unwrap_or_else(own);
            if let Some(control) = op.kind.control() {
                let Control::Loop(l) = control;
                body_phases.insert(l.body, of_op);
            }
            found.push((id, of_op));
        }
        for (id, phase) in found {
            program.ops[id].phase = phase;
        }
        Ok(())
    }
}

/// Declares the parameters of a program without any, such as an imported function. Float inputs without a batch
/// dimension count as parameters.
pub fn declare_params(program: &mut Program) {
    if !program.params.is_empty() {
        return;
    }
    let found = ModelStructure::new(program, &DimClasses::new(program)).params;
    for value in program.inputs().to_vec().into_iter().filter(|v| found.contains(v)) {
        let path = program.values[value].name.to_string();
        program.params.push(Param { path, kind: ParamKind::Trainable, value, parent: None, init: None });
    }
}

/// Declares the parameters of an imported training step without any. The step determines which inputs its outputs
/// replace: parameters, optimizer state and counters.
pub fn declare_step(program: &mut Program) {
    if !program.params.is_empty() {
        return;
    }
    let replaced = replacements(program);
    if replaced.is_empty() {
        return declare_params(program);
    }
    let state_of: FxHashMap<ValueId, ValueId> =
        replaced.iter().flat_map(|one| one.state.iter().map(|&state| (state, one.input))).collect();
    let outputs: FxHashMap<ValueId, usize> = replaced.iter().map(|one| (one.input, one.output)).collect();
    let mut declared: FxHashMap<ValueId, ParamId> = FxHashMap::default();
    for value in program.inputs().to_vec() {
        let Some(&output) = outputs.get(&value) else { continue };
        // State follows its parameter in the order of inputs.
        let of = state_of.get(&value).and_then(|param| declared.get(param)).copied();
        let is_state = of.is_some() || program.ty(value).shape.rank() == 0;
        let kind = if is_state { ParamKind::State } else { ParamKind::Trainable };
        let path = program.values[value].name.to_string();
        let id = program.params.push(Param { path, kind, value, parent: of, init: None });
        declared.insert(value, id);
        program.outputs_mut()[output].alias = Some(id);
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
        OpKind::HouseholderProduct(_) | OpKind::Svd(_) | OpKind::Eigh(_) | OpKind::Eig(_) => false,
        OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::BatchNorm(_) | OpKind::Gelu(_) => false,
        OpKind::CrossEntropy(_) | OpKind::Attention(_) | OpKind::AttentionGrad(_) => false,
        OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Constrain(_) | OpKind::Reshard(_) => false,
        OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => false,
        OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => false,
    }
}
