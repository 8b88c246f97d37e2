//! `sequence`: `megatron`'s axis also splits the sequence, where `megatron` leaves activations whole ([Korthikanti et
//! al. 2022](https://arxiv.org/abs/2205.05198)).
//!
//! Between the sum of one pair of layers and the first layer of the next (residual additions, norms, dropout) every
//! device has its share of the positions. So each `all_reduce` becomes a `reduce_scatter` behind the pair and an
//! `all_gather` in front of the next one: the same bytes, and activations that are kept for the backward part are
//! split. What a layer with split columns reads is kept split and gathered for its use, in the backward part once more.

use super::Cx;
use super::model::{Contraction, Role, Stem, is_dense};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::AxisRef;
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::Phase;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a value of the residual stream stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Not in it.
    Outside,
    /// Each device has a part of the sum.
    Pending,
    /// Each device has its positions.
    Split,
}

/// The dimensions that matter.
struct Stream {
    sequence: Stem,
    /// What `megatron` splits.
    cuts: FxHashSet<Stem>,
}

/// Lays out the residual stream.
pub fn expand(cx: &mut Cx<'_>) -> Result<(), Diagnostic> {
    let Some(axis) = cx.axis("model") else { return Ok(()) };
    let cuts = std::mem::take(&mut cx.pairs);
    let Some(sequence) = sequence(cx, &cuts) else {
        return Err(
            cx.nothing("a second dimension of inputs, next to the batch, in what the layers with split rows give")
        );
    };
    if cx.model.least(sequence) < axis.size as usize {
        let size = cx.model.least(sequence);
        return Err(cx.nothing(&format!("a sequence of at least {} positions, and found {size}", axis.size)));
    }
    let stream = Stream { sequence, cuts };
    let places = places(cx, &stream);
    let whole = gathered(cx, &stream, &places);
    let read = read_final(cx, &places);
    for value in cx.model.program.values.ids() {
        let dim = cx.model.dim(value, sequence);
        let (Some(dim), place) = (dim, places[value.index()]) else { continue };
        match place {
            Place::Outside => {}
            Place::Pending => {
                let mut layout = open(cx, value, dim, None);
                layout.pending.push((axis, Monoid::Sum));
                cx.wishes.lay(value, layout, cx.now);
                if read[value.index()] {
                    cx.wishes.keep(value, open(cx, value, dim, Some(axis)), cx.now);
                }
            }
            Place::Split if whole.contains(&value) => {
                cx.wishes.lay(value, open(cx, value, dim, None), cx.now);
                cx.wishes.keep(value, open(cx, value, dim, Some(axis)), cx.now);
            }
            Place::Split => cx.wishes.lay(value, open(cx, value, dim, Some(axis)), cx.now),
        }
    }
    Ok(())
}

/// A layout that is open in every other dimension.
fn open(cx: &Cx<'_>, value: ValueId, dim: usize, axis: Option<AxisRef>) -> Layout {
    let mut layout = Layout::open(cx.grid.id, cx.model.program.ty(value).shape.rank());
    layout.dims[dim].open = false;
    layout.dims[dim].axes.extend(axis);
    layout
}

/// The dimension of inputs, next to the batch, that most layers with split rows have in their results. Where one
/// example is computed at a time, presets take the sequence for the batch, since no other dimension is that of all
/// inputs; but examples come first in some input.
fn sequence(cx: &Cx<'_>, cuts: &FxHashSet<Stem>) -> Option<Stem> {
    let model = &cx.model;
    let of_inputs: FxHashSet<Stem> = model.data.iter().flat_map(|&v| model.dims(v)).map(|d| d.1).collect();
    let mut votes: Vec<(Stem, usize)> = Vec::new();
    for c in model.contractions.iter().filter(|c| model.is_forward(c.op) && is_row(c, cuts)) {
        let Some(&out) = model.program.ops[c.op].outs.first() else { continue };
        let is_position = |stem: &Stem| {
            let is_batch = Some(*stem) == model.batch && model.data.iter().any(|&v| model.dim(v, *stem) == Some(0));
            of_inputs.contains(stem) && !is_batch && !c.gives.contains(stem) && !c.each.contains(stem)
        };
        let Some(stem) = model.dims(out).map(|d| d.1).find(is_position) else { continue };
        match votes.iter_mut().find(|v| v.0 == stem) {
            Some(vote) => vote.1 += 1,
            None => votes.push((stem, 1)),
        }
    }
    votes.into_iter().rev().max_by_key(|v| v.1).map(|v| v.0)
}

fn is_row(c: &Contraction, cuts: &FxHashSet<Stem>) -> bool {
    c.over.iter().any(|stem| cuts.contains(stem))
}

/// Where each value stands, by id.
fn places(cx: &Cx<'_>, stream: &Stream) -> Vec<Place> {
    let (model, program) = (&cx.model, cx.model.program);
    let products: FxHashMap<OpId, &Contraction> = model.contractions.iter().map(|c| (c.op, c)).collect();
    let lookups: FxHashSet<OpId> =
        model.lookups.iter().filter(|l| stream.cuts.contains(&l.rows)).map(|l| l.op).collect();
    // What others than sums read is reduced for them, and no longer pending for the sums.
    let mut reduced = vec![false; program.values.len()];
    for ModelOp { op, .. } in program.model_ops().iter().filter(|o| !is_sum(&o.op.kind)) {
        op.args.iter().for_each(|v| reduced[v.index()] = true);
    }
    let mut places = vec![Place::Outside; program.values.len()];
    for ModelOp { id, op, .. } in program.model_ops() {
        if matches!(op.phase, Phase::BackwardWeight | Phase::Update) {
            continue;
        }
        let of_args = || {
            op.args.iter().map(|v| match places[v.index()] {
                Place::Pending if reduced[v.index()] => Place::Split,
                place => place,
            })
        };
        let next = match products.get(&id) {
            Some(c) if is_row(c, &stream.cuts) && is_dense(&op.kind) => Place::Pending,
            Some(_) if of_args().all(|p| p == Place::Outside) => Place::Outside,
            Some(_) => Place::Split,
            None if lookups.contains(&id) => Place::Pending,
            None if op.kind.class() == Class::Product || op.kind.control().is_some() => Place::Outside,
            None if of_args().all(|p| p == Place::Outside) => Place::Outside,
            None if is_sum(&op.kind) && of_args().all(|p| p == Place::Pending) => Place::Pending,
            None => Place::Split,
        };
        for &out in &op.outs {
            let stands = next != Place::Outside && model.has(out, stream.sequence) && model.role(out) == Role::Data;
            if stands && model.dims(out).all(|d| !stream.cuts.contains(&d.1)) {
                places[out.index()] = next;
            }
        }
    }
    places
}

/// Returns whether an op adds its operands up.
///
/// Recogniser: what another op reads is reduced for it.
fn is_sum(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Binary(b) if matches!(b.op, BinaryOp::Add | BinaryOp::Sub))
}

/// Whether each value is read by somebody who needs the sum itself, by id.
fn read_final(cx: &Cx<'_>, places: &[Place]) -> Vec<bool> {
    let program = cx.model.program;
    let mut read = vec![false; program.values.len()];
    for ModelOp { op, .. } in program.model_ops() {
        if op.outs.iter().any(|v| places[v.index()] != Place::Pending) {
            op.args.iter().for_each(|v| read[v.index()] = true);
        }
    }
    for func in program.laid_out_funcs() {
        program.funcs[func].outputs.iter().for_each(|o| read[o.value.index()] = true);
    }
    read
}

/// What products with a split dimension read: it is gathered for them.
///
/// Recogniser: a layout that a preset does not wish for is found by propagation.
fn gathered(cx: &Cx<'_>, stream: &Stream, places: &[Place]) -> FxHashSet<ValueId> {
    let (model, program) = (&cx.model, cx.model.program);
    let is_cut = |value: ValueId| model.dims(value).any(|d| stream.cuts.contains(&d.1));
    let mut whole = FxHashSet::default();
    for ModelOp { op, .. } in program.model_ops() {
        // The gradient of an embedding is like a product: its rows are split.
        let is_product = is_dense(&op.kind) || matches!(op.kind, OpKind::Scatter(_));
        if !is_product || !op.args.iter().chain(&op.outs).any(|&v| is_cut(v)) {
            continue;
        }
        whole.extend(op.args.iter().copied().filter(|v| places[v.index()] == Place::Split));
    }
    whole
}
