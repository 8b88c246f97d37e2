//! `zero1`, `zero2`, `zero3`: what is the same on every device of the axis `data` is kept in pieces ([Rajbhandari et
//! al. 2020](https://arxiv.org/abs/1910.02054)).
//!
//! The first stage splits the state of the optimizer, the second one gradients too, the third one parameters too: these
//! are gathered in front of their first use, once for the forward part and once for the backward part, and given up
//! behind the last. A gradient stays pending the sum over the batch until somebody needs it, and is reduced to pieces
//! then; from the second stage on this is done right where it is made. Of gradients that a loop adds up the first stage
//! reduces what all turns came to, and the others reduce in each turn, so that what is carried is a piece.
//!
//! Of each parameter one dimension is split, on top of what splits it already: the largest one that divides and that
//! nothing else splits, if there is one. What has fewer elements than there are devices stays whole.
//!
//! In mixed precision the parameters are master weights, which only the update reads; they belong to the optimizer's
//! state, and what is said of parameters above is meant of their narrow copies.

use super::Cx;
use super::model::{Model, Role, Stem};
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

/// Splits the state of the optimizer.
pub fn expand_state(cx: &mut Cx<'_>) -> Result<(), Diagnostic> {
    expand(cx, 1)
}

/// Splits gradients, too.
pub fn expand_gradients(cx: &mut Cx<'_>) -> Result<(), Diagnostic> {
    expand(cx, 2)
}

/// Splits parameters, too.
pub fn expand_parameters(cx: &mut Cx<'_>) -> Result<(), Diagnostic> {
    expand(cx, 3)
}

fn expand(cx: &mut Cx<'_>, stage: u8) -> Result<(), Diagnostic> {
    let program = cx.model.program;
    if cx.model.updates.is_empty() {
        let error = cx.nothing("a training step: results that take the place of parameters");
        return Err(error.help("make the model into one: `--train adamw`"));
    }
    let Some(axis) = cx.axis("data") else { return Ok(()) };
    let mut pieces: FxHashMap<Vec<Stem>, (Layout, Layout)> = FxHashMap::default();
    let (params, states) = entries(&cx.model);
    let readers = readers(&cx.model);
    for &param in &params {
        let Some((whole, piece)) = cx.pieces(param, axis) else { continue };
        let copies = narrow_copies(&cx.model, &readers, param);
        if copies.is_empty() && !cx.own.contains_key(&param) {
            cx.wishes.lay(param, whole.clone(), cx.now);
        }
        let used = if copies.is_empty() { vec![param] } else { copies };
        for used in used {
            // Of master weights only the update reads more than a piece's narrow copy.
            if used != param {
                cx.wishes.lay(param, piece.clone(), cx.now);
                cx.wishes.lay(used, whole.clone(), cx.now);
            }
            if stage == 3 || used != param {
                cx.wishes.keep(used, piece.clone(), cx.now);
            }
            if stage < 3 && used != param {
                cx.wishes.held.push(used);
            }
        }
        pieces.insert(stems(&cx.model, param), (whole, piece));
    }
    for state in cx.model.params.clone().into_iter().filter(|v| states.contains(v)) {
        if let Some((_, piece)) = pieces.get(&stems(&cx.model, state)) {
            cx.wishes.lay(state, piece.clone(), cx.now);
        }
    }
    // What replaces a declared parameter lies as it does; where none is declared, that must be said.
    for (value, next) in cx.model.updates.clone().into_iter().filter(|_| program.params.is_empty()) {
        if let Some((whole, piece)) = pieces.get(&stems(&cx.model, value)) {
            let at = if stage == 3 || states.contains(&value) { piece } else { whole };
            cx.wishes.lay(next, at.clone(), cx.now);
        }
    }
    lay_gradients(cx, stage, axis, &pieces);
    Ok(())
}

/// The parameters, and the state that an optimizer keeps for them. Where nobody declared them, state is what only the
/// update reads.
fn entries(model: &Model<'_>) -> (Vec<ValueId>, FxHashSet<ValueId>) {
    let program = model.program;
    if program.params.is_empty() {
        let used = model.ops.iter().filter(|&&op| program.ops[op].phase != Phase::Update);
        let used: FxHashSet<ValueId> = used.flat_map(|&op| program.ops[op].args.iter().copied()).collect();
        let (params, states): (Vec<_>, Vec<_>) = model.params.iter().partition(|v| used.contains(*v));
        return (params, states.into_iter().collect());
    }
    let is_state = |kind: ParamKind| matches!(kind, ParamKind::State | ParamKind::Const);
    let params = program.params.values().filter(|p| !is_state(p.kind)).map(|p| p.value).collect();
    let alike = |of: ValueId, value: ValueId| program.ty(of).shape == program.ty(value).shape;
    let states = program.params.values().filter(|p| p.of.is_some_and(|of| alike(program.params[of].value, p.value)));
    (params, states.map(|p| p.value).collect())
}

/// Who reads each parameter outside of the update, in the entry function or in loops that it is handed to.
fn readers(model: &Model<'_>) -> FxHashMap<ValueId, Vec<OpId>> {
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

/// The narrow copies of a parameter, if they are all that is read of it outside of the update: then it is a master
/// weight, which belongs to the optimizer's state.
fn narrow_copies(model: &Model<'_>, readers: &FxHashMap<ValueId, Vec<OpId>>, param: ValueId) -> Vec<ValueId> {
    let program = model.program;
    let used: Vec<&Op> = readers.get(&param).into_iter().flatten().map(|&id| &program.ops[id]).collect();
    if used.iter().all(|op| program.narrows(op)) { used.iter().map(|op| op.outs[0]).collect() } else { Vec::new() }
}

/// The stems of all dimensions of a value: a gradient has those of its parameter.
fn stems(model: &Model<'_>, value: ValueId) -> Vec<Stem> {
    (0..model.program.ty(value).shape.rank()).map(|dim| model.stem(value, dim)).collect()
}

impl Cx<'_> {
    /// How a parameter is used, and how its pieces lie; `None` when it is not to be split.
    fn pieces(&self, value: ValueId, axis: AxisRef) -> Option<(Layout, Layout)> {
        let shape = &self.model.program.ty(value).shape;
        let whole = self.laid_out(value).cloned().unwrap_or_else(|| Layout::replicated(self.grid.id, shape.rank()));
        let n = axis.size as usize;
        let local: Vec<usize> = shape.iter().zip(&whole.dims).map(|(&size, at)| local_size(size, &at.axes)).collect();
        if local.iter().product::<usize>() < n || whole.used_axes().any(|a| a.overlaps(axis)) {
            return None;
        }
        let rank = |&dim: &usize| {
            let size = local[dim];
            (size.is_multiple_of(n), whole.dims[dim].axes.is_empty(), size, std::cmp::Reverse(dim))
        };
        let dim = (0..local.len()).max_by_key(rank)?;
        let mut closed = whole.clone();
        closed.dims.iter_mut().for_each(|at| at.open = false);
        let mut piece = closed.clone();
        piece.dims[dim].axes.push(axis);
        Some((closed, piece))
    }
}

/// Lays out what the backward part makes and the update reads.
fn lay_gradients(cx: &mut Cx<'_>, stage: u8, axis: AxisRef, pieces: &FxHashMap<Vec<Stem>, (Layout, Layout)>) {
    let program = cx.model.program;
    let sums = RunningSums::of(program);
    let partial = partial(cx, axis, &sums);
    let mut made_by: Vec<Option<OpId>> = vec![None; program.values.len()];
    for &id in &cx.model.ops {
        program.ops[id].outs.iter().for_each(|v| made_by[v.index()] = Some(id));
    }
    let maker = |value: ValueId| made_by[value.index()].map(|id| &program.ops[id]);
    let mut done = vec![false; program.values.len()];
    let is_partial = |v: &ValueId| partial[v.index()];
    let ops = program.model_ops();
    let reads = ops.iter().map(|o| o.op).filter(|op| op.phase == Phase::Update);
    // What adds partial sums up gives a partial sum: that one is the gradient.
    for &gradient in reads.filter(|op| !op.outs.iter().any(is_partial)).flat_map(|op| &op.args) {
        let is_backward = |op: &Op| matches!(op.phase, Phase::BackwardInput | Phase::BackwardWeight);
        let is_made = is_partial(&gradient) || maker(gradient).is_some_and(is_backward);
        if !is_made || std::mem::replace(&mut done[gradient.index()], true) {
            continue;
        }
        let Some((whole, piece)) = pieces.get(&stems(&cx.model, gradient)) else { continue };
        // A sum is reduced before it is converted.
        let mut at = gradient;
        while !partial[at.index()] {
            cx.wishes.lay(at, piece.clone(), cx.now);
            let Some(before) = maker(at).and_then(converted) else { break };
            at = before;
        }
        // What goes into a running sum.
        let added = |value: ValueId| {
            let op = maker(value)?;
            let Control::Loop(l) = op.kind.control()?;
            let position = op.outs.iter().position(|&out| out == value)?;
            sums.within(l.body).iter().find(|sum| sum.position == position).map(|sum| sum.part)
        };
        // It is a sum of pieces from the second stage on.
        while let Some(part) = added(at).filter(|_| stage >= 2 && partial[at.index()]) {
            cx.wishes.lay(at, piece.clone(), cx.now);
            at = part;
        }
        if partial[at.index()] && stage >= 2 {
            cx.wishes.keep(at, piece.clone(), cx.now);
        }
        let mut next = Some(at).filter(|at| partial[at.index()]);
        while let Some(at) = next {
            let mut sum = whole.clone();
            sum.pending.push((axis, Monoid::Sum));
            cx.wishes.lay(at, sum, cx.now);
            next = added(at);
        }
    }
}

/// The value that an op converts.
///
/// Recogniser: what another op makes of a gradient is no sum that waits to be reduced.
fn converted(op: &Op) -> Option<ValueId> {
    matches!(op.kind, OpKind::Convert(_)).then(|| op.args[0])
}

/// The values that are a sum over the batch of which each device of the axis has a part, by id.
fn partial(cx: &Cx<'_>, axis: AxisRef, sums: &RunningSums) -> Vec<bool> {
    let (model, program) = (&cx.model, cx.model.program);
    let mut partial = vec![false; program.values.len()];
    let Some(batch) = model.batch else { return partial };
    let is_split = |&v: &ValueId| {
        let dim = model.dim(v, batch)?;
        Some(cx.laid_out(v)?.dims[dim].axes.iter().any(|a| a.overlaps(axis)))
    };
    if !model.data.iter().filter_map(is_split).all(|split| split) {
        return partial;
    }
    let funcs = program.laid_out_funcs();
    for op in funcs.iter().flat_map(|&func| program.funcs[func].ops()).map(|&op| &program.ops[op]) {
        if op.phase == Phase::Forward {
            continue;
        }
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            for sum in sums.within(l.body) {
                partial[op.outs[sum.position].index()] = partial[sum.part.index()];
            }
            continue;
        }
        let Some(&out) = op.outs.first() else { continue };
        partial[out.index()] = gives_partial(model, op, batch, &partial);
    }
    partial
}

/// Returns whether an op sums over the batch, or gives such a sum if it is given one.
///
/// Recogniser: a sum that is made in another way gets the layout that the update needs, and is reduced as ever.
fn gives_partial(model: &Model<'_>, op: &Op, batch: Stem, partial: &[bool]) -> bool {
    let program = model.program;
    let is_partial = |i: usize| op.args.get(i).is_some_and(|v| partial[v.index()]);
    match &op.kind {
        OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Reduce(_) => {
            let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
            sums_over(model, &op.args, &rule, batch)
        }
        OpKind::Scatter(_) => {
            op.args.len() == 3 && model.role(op.args[0]) == Role::Constant && model.has(op.args[2], batch)
        }
        OpKind::Transpose(_) | OpKind::Reshape(_) => is_partial(0),
        OpKind::Unary(u) => u.op == UnaryOp::Neg && is_partial(0),
        OpKind::Binary(b) if matches!(b.op, BinaryOp::Add | BinaryOp::Sub) => is_partial(0) && is_partial(1),
        _ => false,
    }
}

/// Whether an op sums over the batch.
fn sums_over(model: &Model<'_>, args: &[ValueId], rule: &Rule, batch: Stem) -> bool {
    rule.args.iter().zip(args).any(|(map, &arg)| {
        let summed = |f: &partita_ir::rule::FactorId| rule.kind(*f) == FactorKind::Reduce(Monoid::Sum);
        map.iter().enumerate().any(|(dim, f)| model.stem(arg, dim) == batch && f.iter().any(summed))
    })
}
