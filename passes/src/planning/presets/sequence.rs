//! Preset `sequence`: sequence parallelism. The axis of `megatron` also shards the sequence dimension where `megatron`
//! leaves activations replicated ([Korthikanti et al. 2022](https://arxiv.org/abs/2205.05198)).
//!
//! Between the row-parallel layer of one pair and the column-parallel layer of the next (residual additions, norms,
//! dropout) every device has a shard of the positions. Each `all_reduce` becomes a `reduce_scatter` after the pair and
//! an `all_gather` before the next one: the same number of bytes, and activations stored for the backward pass are
//! sharded. The operand of a column-parallel layer is stored sharded and gathered for use, once more in the backward
//! pass.

use super::PresetContext;
use super::model::{Contraction, Stem, ValueRole, is_dense};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::Phase;
use rustc_hash::{FxHashMap, FxHashSet};

/// State of a value with respect to the residual stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamState {
    /// Not in the residual stream.
    Outside,
    /// Partial: each device has a summand.
    Partial,
    /// Sharded: each device has a range of positions.
    Sharded,
}

/// Dimensions of the residual stream.
struct ResidualStream {
    sequence: Stem,
    /// Stems that `megatron` shards.
    sharded_dims: FxHashSet<Stem>,
    /// Axes by which other presets shard the sequence everywhere.
    outer: Axes,
}

/// Expands `sequence`: requests layouts that shard the residual stream along the sequence.
///
/// # Errors
/// `L014` if the model has no sequence dimension, or fewer positions than the axis has devices.
pub fn expand(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    let Some(axis) = cx.axis("model") else { return Ok(()) };
    let sharded_dims = std::mem::take(&mut cx.megatron_dims);
    let Some(sequence) = sequence(cx, &sharded_dims) else {
        return Err(
            cx.pattern_not_found("a dimension of inputs, other than the batch, in the results of row-parallel layers")
        );
    };
    if cx.model.min_size(sequence) < axis.size as usize {
        let size = cx.model.min_size(sequence);
        return Err(
            cx.pattern_not_found(&format!("a sequence of at least {} positions; the model has {size}", axis.size))
        );
    }
    let outer = cx.model.data.iter().find_map(|&value| {
        let dim = cx.model.dim(value, sequence)?;
        Some(cx.layout(value)?.dims[dim].axes.clone())
    });
    let residual = ResidualStream { sequence, sharded_dims, outer: outer.unwrap_or_default() };
    let states = states(cx, &residual);
    let gathered_values = gathered(cx, &residual, &states);
    let read = read_reduced(cx, &states);
    for value in cx.model.program.values.ids() {
        let dim = cx.model.dim(value, sequence);
        let (Some(dim), state) = (dim, states[value.index()]) else { continue };
        match state {
            StreamState::Outside => {}
            StreamState::Partial => {
                let mut layout = residual.layout(cx, value, dim, None);
                layout.partial.push((axis, Monoid::Sum));
                cx.expansion.request_layout(value, layout, cx.current);
                if read[value.index()] {
                    cx.expansion.request_storage(value, residual.layout(cx, value, dim, Some(axis)), cx.current);
                }
            }
            StreamState::Sharded if gathered_values.contains(&value) => {
                cx.expansion.request_layout(value, residual.layout(cx, value, dim, None), cx.current);
                cx.expansion.request_storage(value, residual.layout(cx, value, dim, Some(axis)), cx.current);
            }
            StreamState::Sharded => {
                cx.expansion.request_layout(value, residual.layout(cx, value, dim, Some(axis)), cx.current)
            }
        }
    }
    cx.reduce_in_buckets();
    Ok(())
}

impl ResidualStream {
    /// Returns a layout that is open in every dimension but `dim`, the sequence.
    fn layout(&self, cx: &PresetContext<'_>, value: ValueId, dim: usize, axis: Option<AxisRef>) -> Layout {
        let mut layout = Layout::open(cx.grid.id, cx.model.program.ty(value).shape.rank());
        layout.dims[dim].open = false;
        layout.dims[dim].axes.extend(self.outer.iter().copied().filter(|a| axis.is_none_or(|b| !a.overlaps(b))));
        layout.dims[dim].axes.extend(axis);
        layout
    }
}

/// Returns the dimension of inputs, other than the batch, that most row-parallel layers have in their results. If
/// examples are processed one at a time, the inferred batch is the sequence, since no other dimension is in all inputs;
/// a true batch is the leading dimension of some input.
fn sequence(cx: &PresetContext<'_>, sharded_dims: &FxHashSet<Stem>) -> Option<Stem> {
    let model = &cx.model;
    let of_inputs: FxHashSet<Stem> = model.data.iter().flat_map(|&v| model.dims(v)).map(|d| d.1).collect();
    let mut votes: Vec<(Stem, usize)> = Vec::new();
    for c in model.contractions.iter().filter(|c| model.is_forward(c.op) && is_row_parallel(c, sharded_dims)) {
        let Some(&out) = model.program.ops[c.op].outs.first() else { continue };
        let is_position = |stem: &Stem| {
            let is_batch = Some(*stem) == model.batch && model.data.iter().any(|&v| model.dim(v, *stem) == Some(0));
            of_inputs.contains(stem) && !is_batch && !c.produced.contains(stem) && !c.batch.contains(stem)
        };
        let Some(stem) = model.dims(out).map(|d| d.1).find(is_position) else { continue };
        match votes.iter_mut().find(|v| v.0 == stem) {
            Some(vote) => vote.1 += 1,
            None => votes.push((stem, 1)),
        }
    }
    votes.into_iter().rev().max_by_key(|v| v.1).map(|v| v.0)
}

fn is_row_parallel(c: &Contraction, sharded_dims: &FxHashSet<Stem>) -> bool {
    c.contracted.iter().any(|stem| sharded_dims.contains(stem))
}

/// Returns the state of each value, by id.
fn states(cx: &PresetContext<'_>, residual: &ResidualStream) -> Vec<StreamState> {
    let (model, program) = (&cx.model, cx.model.program);
    let products: FxHashMap<OpId, &Contraction> = model.contractions.iter().map(|c| (c.op, c)).collect();
    let lookups: FxHashSet<OpId> =
        model.lookups.iter().filter(|l| residual.sharded_dims.contains(&l.rows)).map(|l| l.op).collect();
    // A value with a reader other than an addition is reduced for that reader, so additions do not read it as partial.
    let mut reduced = vec![false; program.values.len()];
    for ModelOp { op, .. } in program.model_ops().iter().filter(|o| !is_sum(&o.op.kind)) {
        op.args.iter().for_each(|v| reduced[v.index()] = true);
    }
    let mut states = vec![StreamState::Outside; program.values.len()];
    for ModelOp { id, op, .. } in program.model_ops() {
        if matches!(op.phase, Phase::BackwardWeight | Phase::Update) {
            continue;
        }
        let of_args = || {
            op.args.iter().map(|v| match states[v.index()] {
                StreamState::Partial if reduced[v.index()] => StreamState::Sharded,
                state => state,
            })
        };
        let next = match products.get(&id) {
            Some(c) if is_row_parallel(c, &residual.sharded_dims) && is_dense(&op.kind) => StreamState::Partial,
            Some(_) if of_args().all(|p| p == StreamState::Outside) => StreamState::Outside,
            Some(_) => StreamState::Sharded,
            None if lookups.contains(&id) => StreamState::Partial,
            None if op.kind.class() == Class::Product || op.kind.control().is_some() => StreamState::Outside,
            None if of_args().all(|p| p == StreamState::Outside) => StreamState::Outside,
            None if is_sum(&op.kind) && of_args().all(|p| p == StreamState::Partial) => StreamState::Partial,
            None => StreamState::Sharded,
        };
        for &out in &op.outs {
            let is_in_stream = next != StreamState::Outside
                && model.has_stem(out, residual.sequence)
                && model.role(out) == ValueRole::Data;
            if is_in_stream && model.dims(out).all(|d| !residual.sharded_dims.contains(&d.1)) {
                states[out.index()] = next;
            }
        }
    }
    states
}

/// Returns true if an op adds or subtracts its operands.
///
/// Recogniser: the operands of another op are reduced before it.
fn is_sum(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Binary(b) if matches!(b.op, BinaryOp::Add | BinaryOp::Sub))
}

/// Returns, for each value, true if a reader needs the reduced sum.
fn read_reduced(cx: &PresetContext<'_>, states: &[StreamState]) -> Vec<bool> {
    let program = cx.model.program;
    let mut read = vec![false; program.values.len()];
    for ModelOp { op, .. } in program.model_ops() {
        if op.outs.iter().any(|v| states[v.index()] != StreamState::Partial) {
            op.args.iter().for_each(|v| read[v.index()] = true);
        }
    }
    for func in program.funcs_with_layouts() {
        program.funcs[func].outputs.iter().for_each(|o| read[o.value.index()] = true);
    }
    read
}

/// Returns the operands of products with a sharded dimension, which are gathered before them.
///
/// Recogniser: propagation finds a layout of other values.
fn gathered(cx: &PresetContext<'_>, residual: &ResidualStream, states: &[StreamState]) -> FxHashSet<ValueId> {
    let (model, program) = (&cx.model, cx.model.program);
    let is_cut = |value: ValueId| model.dims(value).any(|d| residual.sharded_dims.contains(&d.1));
    let mut gathered_values = FxHashSet::default();
    for ModelOp { op, .. } in program.model_ops() {
        // The gradient of an embedding is like a product: its rows are sharded.
        let is_product = is_dense(&op.kind) || matches!(op.kind, OpKind::Scatter(_));
        if !is_product || !op.args.iter().chain(&op.outs).any(|&v| is_cut(v)) {
            continue;
        }
        gathered_values.extend(op.args.iter().copied().filter(|v| states[v.index()] == StreamState::Sharded));
    }
    gathered_values
}
