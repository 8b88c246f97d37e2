//! Presets `zero1`, `zero2`, `zero3`: values that are replicated over the mesh axis `data` are stored sharded
//! ([Rajbhandari et al. 2020](https://arxiv.org/abs/1910.02054)).
//!
//! If the mesh also has the axis `shard`, values are sharded over `shard` and replicated over `data` (MiCS, [Zhang et
//! al. 2022](https://arxiv.org/abs/2205.00119); hybrid sharding in PyTorch). Gradients are reduce-scattered over
//! `shard`, and their shards are all-reduced over `data`, once per step. The option `axis` selects the axis explicitly.
//!
//! Stage 1 shards the optimizer state, stage 2 also gradients, stage 3 also parameters. In stage 3, parameters are
//! gathered before their first use, separately for the forward and backward pass, and freed after the last one. A
//! gradient stays partial until its first reader and is then reduce-scattered; from stage 2 on, it is reduce-scattered
//! directly after the op that computes it. Gradients that a loop accumulates are reduced once after the loop in stage
//! 1, and in each iteration in later stages, so that the carried value is sharded.
//!
//! Each parameter is sharded along one more dimension: preferably one that divides evenly, then an unsharded one, then
//! the largest. A parameter stays replicated over `data` if its shard has fewer elements than the axis has devices.
//!
//! In mixed precision the parameters are master weights, which only the update and the conversions to low precision
//! read. They count as optimizer state, and the rules of parameters apply to their low-precision copies.

use super::model::{ModelStructure, Stem, ValueRole};
use super::{DATA_AXES, PresetContext, default_bucket_size};
use crate::partitioning::running_sums::RunningSums;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::{Layout, Monoid, local_size};
use partita_ir::mesh::AxisRef;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_ir::program::{Op, ParamKind, Phase};
use partita_ir::rule::{FactorKind, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

/// Expands `zero1`: shards the optimizer state.
///
/// # Errors
/// `L014` if the program is not a training step.
pub fn expand_state(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    expand(cx, 1)
}

/// Expands `zero2`: shards the optimizer state and the gradients.
///
/// # Errors
/// `L014` if the program is neither a training step nor a function that returns gradients.
pub fn expand_gradients(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    expand(cx, 2)
}

/// Expands `zero3`: shards the optimizer state, the gradients and the parameters.
///
/// # Errors
/// `L014` if the program has no parameters.
pub fn expand_parameters(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    expand(cx, 3)
}

fn expand(cx: &mut PresetContext<'_>, stage: u8) -> Result<(), Diagnostic> {
    let program = cx.model.program;
    let (has_updates, has_gradients) = (!cx.model.updates.is_empty(), !cx.model.gradients.is_empty());
    let applies = match stage {
        1 => has_updates,
        2 => has_updates || has_gradients,
        _ => has_updates || has_gradients || !cx.model.params.is_empty(),
    };
    if !applies {
        let pattern = match stage {
            1 => "a training step: outputs that replace parameters",
            2 => "a training step, or a function that returns the gradients of its parameters",
            _ => return Err(cx.pattern_not_found("parameters")),
        };
        return Err(cx.pattern_not_found(pattern).help("generate a training step: `--train adamw`"));
    }
    let Some(axis) = shard_axis(cx) else { return Ok(()) };
    let mut sharded_layouts: FxHashMap<Vec<Stem>, (Layout, Layout)> = FxHashMap::default();
    let (params, states) = params_and_state(&cx.model);
    let readers = readers(&cx.model);
    for &param in &params {
        let Some((replicated, sharded)) = cx.sharded_layouts(param, axis) else { continue };
        let copies = low_precision_copies(&cx.model, &readers, param);
        if copies.is_empty() && !cx.explicit.contains_key(&param) {
            cx.expansion.request_layout(param, replicated.clone(), cx.current);
        }
        let used = if copies.is_empty() { vec![param] } else { copies };
        for used in used {
            // Only the update reads the full precision of master weights.
            if used != param {
                cx.expansion.request_layout(param, sharded.clone(), cx.current);
                cx.expansion.request_layout(used, replicated.clone(), cx.current);
            }
            if stage == 3 || used != param {
                cx.expansion.request_storage(used, sharded.clone(), cx.current);
            }
            if stage < 3 && used != param {
                cx.expansion.held.push(used);
            }
        }
        sharded_layouts.insert(stems(&cx.model, param), (replicated, sharded));
    }
    for state in cx.model.params.clone().into_iter().filter(|v| states.contains(v)) {
        if let Some((_, sharded)) = sharded_layouts.get(&stems(&cx.model, state)) {
            cx.expansion.request_layout(state, sharded.clone(), cx.current);
        }
    }
    // The updated value of a declared parameter has the layout of the parameter. In a program without declared
    // parameters, the layout of the updated value is requested here. Returned gradients are sharded from stage 2 on.
    let is_declared =
        |v: ValueId| program.outputs().iter().any(|output| output.value == v && output.replaces.is_some());
    for (value, next) in cx.model.updates.clone().into_iter().filter(|(_, next)| !is_declared(*next)) {
        if let Some((replicated, sharded)) = sharded_layouts.get(&stems(&cx.model, value)) {
            let at = if stage == 3 || states.contains(&value) { sharded } else { replicated };
            cx.expansion.request_layout(next, at.clone(), cx.current);
        }
    }
    for (value, gradient) in cx.model.gradients.clone().into_iter().filter(|_| stage >= 2) {
        if let Some((_, sharded)) = sharded_layouts.get(&stems(&cx.model, value)) {
            cx.expansion.request_layout(gradient, sharded.clone(), cx.current);
        }
    }
    request_gradient_layouts(cx, stage, axis, &sharded_layouts);
    Ok(())
}

/// Returns the axis that shards stored values: that of the option, or `shard` if the mesh has it, or `data`. `None` if
/// it has one device.
fn shard_axis(cx: &PresetContext<'_>) -> Option<AxisRef> {
    match cx.requested[cx.current].option {
        "" => cx.axis(DATA_AXES.into_iter().rev().find(|name| cx.grid.mesh.axis(name).is_some())?),
        written => cx.axis(written),
    }
}

/// Returns the parameters and their optimizer state. In a program without declared parameters, an inferred parameter
/// that only the update reads counts as optimizer state.
fn params_and_state(model: &ModelStructure<'_>) -> (Vec<ValueId>, FxHashSet<ValueId>) {
    let program = model.program;
    if !program.declares_params() {
        let (states, params): (Vec<_>, Vec<_>) =
            model.params.iter().partition(|param| model.is_read_by_update_only(**param));
        return (params, states.into_iter().collect());
    }
    let is_state = |kind: ParamKind| matches!(kind, ParamKind::State | ParamKind::Const);
    let params = program.params.values().filter(|p| !is_state(p.kind)).map(|p| p.value).collect();
    let has_same_shape = |parent: ValueId, value: ValueId| program.ty(parent).shape == program.ty(value).shape;
    let states = program
        .params
        .values()
        .filter(|p| p.parent.is_some_and(|parent| has_same_shape(program.params[parent].value, p.value)));
    (params, states.map(|p| p.value).collect())
}

/// Returns, for each parameter, the ops outside the update that read it, in the entry function and in the loops that it
/// is passed to.
fn readers(model: &ModelStructure<'_>) -> FxHashMap<ValueId, Vec<OpId>> {
    let mut readers: FxHashMap<ValueId, Vec<OpId>> = model.params.iter().map(|&v| (v, Vec::new())).collect();
    let inputs = model.program.input_values();
    let reads = |op: &Op| op.phase != Phase::Update && op.kind.control().is_none();
    for &id in model.ops.iter().filter(|&&id| reads(&model.program.ops[id])) {
        for param in model.program.ops[id].args.iter().filter_map(|arg| inputs[arg.index()]) {
            readers.entry(param).and_modify(|all| all.push(id));
        }
    }
    readers
}

/// Returns the low-precision copies of a parameter; none if an op outside the update reads the parameter itself. A
/// parameter with copies is a master weight, which counts as optimizer state.
fn low_precision_copies(
    model: &ModelStructure<'_>,
    readers: &FxHashMap<ValueId, Vec<OpId>>,
    param: ValueId,
) -> Vec<ValueId> {
    let program = model.program;
    let used: Vec<&Op> = readers.get(&param).into_iter().flatten().map(|&id| &program.ops[id]).collect();
    if used.iter().all(|op| program.narrows(op)) { used.iter().map(|op| op.outs[0]).collect() } else { Vec::new() }
}

/// Returns the stems of all dimensions of a value. A gradient has the same stems as its parameter.
fn stems(model: &ModelStructure<'_>, value: ValueId) -> Vec<Stem> {
    (0..model.program.ty(value).shape.rank()).map(|dim| model.stem(value, dim)).collect()
}

impl PresetContext<'_> {
    /// Returns the use layout and the sharded layout of a parameter; `None` if its shard has too few elements or
    /// already uses the axis, and for keys of random numbers.
    fn sharded_layouts(&self, value: ValueId, axis: AxisRef) -> Option<(Layout, Layout)> {
        let shape = &self.model.program.ty(value).shape;
        if shape.rank().checked_sub(1).is_some_and(|last| self.model.is_random_key(value, last)) {
            return None;
        }
        let replicated = self.layout(value).cloned().unwrap_or_else(|| Layout::replicated(self.grid.id, shape.rank()));
        let n = axis.size as usize;
        let local: Vec<usize> =
            shape.iter().zip(&replicated.dims).map(|(&size, at)| local_size(size, &at.axes)).collect();
        if local.iter().product::<usize>() < n || replicated.used_axes().any(|a| a.overlaps(axis)) {
            return None;
        }
        let rank = |&dim: &usize| {
            let size = local[dim];
            (size.is_multiple_of(n), replicated.dims[dim].axes.is_empty(), size, std::cmp::Reverse(dim))
        };
        let dim = (0..local.len()).max_by_key(rank)?;
        let mut closed = replicated.clone();
        closed.dims.iter_mut().for_each(|at| at.open = false);
        let mut sharded = closed.clone();
        sharded.dims[dim].axes.push(axis);
        Some((closed, sharded))
    }
}

/// Requests partial and sharded layouts for the gradients that the update reads.
fn request_gradient_layouts(
    cx: &mut PresetContext<'_>,
    stage: u8,
    axis: AxisRef,
    sharded_layouts: &FxHashMap<Vec<Stem>, (Layout, Layout)>,
) {
    let program = cx.model.program;
    let sums = RunningSums::new(program);
    let partial = if splits_batch(cx, axis) { partial_values(cx, &sums) } else { vec![false; program.values.len()] };
    // Other axes of the batch. The accumulator of a loop stays partial over them, so that it is reduced once.
    let other_axes: Vec<AxisRef> =
        cx.data_axes().filter(|&other| !other.overlaps(axis) && splits_batch(cx, other)).collect();
    if !other_axes.is_empty() {
        cx.expansion.bucket = Some(default_bucket_size(axis.size));
    }
    let with_sums = |layout: &Layout, axes: &[AxisRef]| {
        let mut layout = layout.clone();
        let unused = axes.iter().filter(|axis| !layout.used_axes().any(|used| used.overlaps(**axis)));
        let sums = unused.map(|&axis| (axis, Monoid::Sum)).collect::<Vec<_>>();
        layout.partial.extend(sums);
        layout.partial.sort();
        layout
    };
    let mut defined_by: Vec<Option<OpId>> = vec![None; program.values.len()];
    for &id in &cx.model.ops {
        program.ops[id].outs.iter().for_each(|v| defined_by[v.index()] = Some(id));
    }
    let definition = |value: ValueId| defined_by[value.index()].map(|id| &program.ops[id]);
    let mut done = vec![false; program.values.len()];
    let is_partial = |v: &ValueId| partial[v.index()];
    let ops = program.model_ops();
    let reads = ops.iter().map(|o| o.op).filter(|op| op.phase == Phase::Update);
    // An update op with a partial result only combines partial sums, so its operands are not the gradient.
    for &gradient in reads.filter(|op| !op.outs.iter().any(is_partial)).flat_map(|op| &op.args) {
        let is_backward = |op: &Op| matches!(op.phase, Phase::BackwardInput | Phase::BackwardWeight);
        let is_gradient = is_partial(&gradient) || definition(gradient).is_some_and(is_backward);
        if !is_gradient || std::mem::replace(&mut done[gradient.index()], true) {
            continue;
        }
        let Some((replicated, sharded)) = sharded_layouts.get(&stems(&cx.model, gradient)) else { continue };
        // The sharded layout is also requested for conversions of a sum, so that the sum is reduced before it is
        // converted.
        let mut at = gradient;
        while !partial[at.index()] {
            cx.expansion.request_layout(at, sharded.clone(), cx.current);
            let Some(before) = definition(at).and_then(conversion_operand) else { break };
            at = before;
        }
        // Returns the value that a loop adds to an accumulator in each iteration.
        let summand_of = |value: ValueId| {
            let op = definition(value)?;
            let Control::Loop(l) = op.kind.control()?;
            let position = op.outs.iter().position(|&out| out == value)?;
            sums.within(l.body).iter().find(|sum| sum.position == position)?.only_summand()
        };
        // The accumulator is sharded from stage 2 on.
        let mut is_accumulated = false;
        while let Some(summand) = summand_of(at).filter(|_| stage >= 2 && partial[at.index()]) {
            cx.expansion.request_layout(at, with_sums(sharded, &other_axes), cx.current);
            at = summand;
            is_accumulated = true;
        }
        if partial[at.index()] && stage >= 2 {
            let sums = if is_accumulated { &other_axes[..] } else { &[] };
            cx.expansion.request_storage(at, with_sums(sharded, sums), cx.current);
        }
        let mut next = Some(at).filter(|at| partial[at.index()]);
        while let Some(at) = next {
            let axes: Vec<AxisRef> = other_axes.iter().copied().chain([axis]).collect();
            cx.expansion.request_layout(at, with_sums(replicated, &axes), cx.current);
            next = summand_of(at);
        }
    }
}

/// Returns the operand of a conversion.
///
/// Recogniser: the search for the partial sum that a gradient is computed from stops at any other op.
fn conversion_operand(op: &Op) -> Option<ValueId> {
    matches!(op.kind, OpKind::Convert(_)).then(|| op.args[0])
}

/// Returns true if the axis shards the batch dimension of every input that has one.
fn splits_batch(cx: &PresetContext<'_>, axis: AxisRef) -> bool {
    if cx.model.batch.is_none() {
        return false;
    }
    let is_split = |&v: &ValueId| {
        let dim = cx.model.examples_dim(v)?;
        Some(cx.layout(v)?.dims[dim].axes.iter().any(|a| a.overlaps(axis)))
    };
    cx.model.data.iter().filter_map(is_split).all(|split| split)
}

/// Returns, for each value, true if it is a sum over the batch, which is partial over the axes that shard the batch.
fn partial_values(cx: &PresetContext<'_>, sums: &RunningSums) -> Vec<bool> {
    let (model, program) = (&cx.model, cx.model.program);
    let mut partial = vec![false; program.values.len()];
    let Some(batch) = model.batch else { return partial };
    let funcs = program.funcs_with_layouts();
    for op in funcs.iter().flat_map(|&func| program.funcs[func].ops()).map(|&op| &program.ops[op]) {
        if op.phase == Phase::Forward {
            continue;
        }
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            for sum in sums.within(l.body) {
                let is_partial = sum.steps.iter().all(|(_, summand)| partial[summand.index()]);
                partial[op.outs[sum.position].index()] = is_partial;
            }
            continue;
        }
        let Some(&out) = op.outs.first() else { continue };
        partial[out.index()] = is_partial_sum(model, op, batch, &partial);
    }
    partial
}

/// Returns true if an op sums over the batch, or passes on a partial sum.
///
/// Recogniser: any other sum over the batch gets the layout that the update needs, and is reduced as without the
/// preset.
fn is_partial_sum(model: &ModelStructure<'_>, op: &Op, batch: Stem, partial: &[bool]) -> bool {
    let program = model.program;
    let is_partial = |i: usize| op.args.get(i).is_some_and(|v| partial[v.index()]);
    match &op.kind {
        OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Reduce(_) => {
            let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
            sums_over(model, &op.args, &rule, batch)
        }
        OpKind::Scatter(_) => {
            op.args.len() == 3 && model.role(op.args[0]) == ValueRole::Constant && model.has_stem(op.args[2], batch)
        }
        OpKind::Transpose(_) | OpKind::Reshape(_) => is_partial(0),
        OpKind::Unary(u) => u.op == UnaryOp::Neg && is_partial(0),
        OpKind::Binary(b) => matches!(b.op, BinaryOp::Add | BinaryOp::Sub) && is_partial(0) && is_partial(1),
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => false,
        OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) => false,
        OpKind::Broadcast(_) | OpKind::Reverse(_) | OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => false,
        OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) | OpKind::Gather(_) | OpKind::Loop(_) => false,
        OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) => false,
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

/// Returns true if an op sums over the batch.
fn sums_over(model: &ModelStructure<'_>, args: &[ValueId], rule: &Rule, batch: Stem) -> bool {
    rule.args.iter().zip(args).any(|(map, &arg)| {
        let summed = |f: &partita_ir::rule::FactorId| rule.kind(*f) == FactorKind::Reduce(Monoid::Sum);
        map.iter().enumerate().any(|(dim, f)| model.stem(arg, dim) == batch && f.iter().any(summed))
    })
}
