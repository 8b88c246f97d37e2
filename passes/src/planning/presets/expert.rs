//! `expert`: the experts of a mixture over the axis `expert`, or `data` where the mesh has no such axis ([GShard,
//! Lepikhin et al. 2020](https://arxiv.org/abs/2006.16668)).
//!
//! Experts are the dimension along which stacked parameters and activations are multiplied one by one. Their parameters
//! are split in it. Everywhere else the batch is split over the same axis, so that tokens go to their experts in one
//! `all_to_all` and come back in another: what the first product with experts reads, and what the last one gives, is
//! brought from the one layout to the other there.

use super::Cx;
use super::model::{Contraction, Role, Stem, is_dense};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::model::ModelOp;
use rustc_hash::FxHashSet;

/// Splits experts, and the batch around them.
pub fn expand(cx: &mut Cx<'_>) -> Result<(), Diagnostic> {
    let name = if cx.grid.mesh.axis("expert").is_some() { "expert" } else { "data" };
    let Some(axis) = cx.axis(name) else { return Ok(()) };
    let experts: FxHashSet<Stem> = of_experts(cx).flat_map(|c| c.each.iter().copied()).collect();
    if experts.is_empty() {
        let pattern = "layers of experts: weights stacked along a dimension of experts, `[experts, in, out]`, and \
                       multiplied with activations that have that dimension, too";
        let help = "leave `expert` out for a model without experts, and split the batch with `data` or weights with \
                    `megatron`";
        return Err(cx.nothing(pattern).help(help));
    }
    for param in cx.model.params.clone() {
        let found = cx.model.dims(param).find(|d| experts.contains(&d.1));
        // A gate scores experts and a bias may be added to scores; only what experts compute with is theirs.
        if let Some((dim, _)) = found.filter(|_| of_experts(cx).any(|c| c.param == param)) {
            cx.split(param, dim, axis);
        }
    }
    let Some(batch) = cx.model.batch else { return Ok(()) };
    for value in cx.model.data.clone() {
        if let Some(dim) = cx.model.dim(value, batch) {
            cx.split(value, dim, axis);
        }
    }
    exchange(cx, &experts, batch, axis);
    Ok(())
}

/// Products with experts.
fn of_experts<'c>(cx: &'c Cx<'_>) -> impl Iterator<Item = &'c Contraction> {
    let contractions = cx.model.contractions.iter().filter(|c| !c.each.is_empty());
    contractions.filter(|c| is_dense(&cx.model.program.ops[c.op].kind))
}

/// Lays out what goes into a run of products with experts and what comes out, in the forward part and in the backward
/// part.
fn exchange(cx: &mut Cx<'_>, experts: &FxHashSet<Stem>, batch: Stem, axis: AxisRef) {
    let Ends { mut first, mut last } = ends(cx, batch);
    // What else splits the batch stays on it.
    let of_batch: Axes = cx
        .model
        .data
        .iter()
        .find_map(|&v| Some(cx.laid_out(v)?.dims[cx.model.dim(v, batch)?].axes.clone()))
        .unwrap_or_default();
    let lay = |cx: &Cx<'_>, value: ValueId, by_expert: bool| {
        let mut layout = Layout::open(cx.grid.id, cx.model.program.ty(value).shape.rank());
        for (dim, stem) in cx.model.dims(value).filter(|d| d.1 == batch || experts.contains(&d.1)) {
            let at = &mut layout.dims[dim];
            at.open = false;
            match (stem == batch, by_expert) {
                (true, _) => at.axes.extend(of_batch.iter().copied().filter(|a| !by_expert || !a.overlaps(axis))),
                (false, true) => at.axes.push(axis),
                (false, false) => {}
            }
        }
        layout
    };
    for values in [&mut first, &mut last] {
        values.sort_unstable();
        values.dedup();
    }
    for (value, goes_in) in first.into_iter().map(|v| (v, true)).chain(last.into_iter().map(|v| (v, false))) {
        let (by_expert, by_batch) = (lay(cx, value, true), lay(cx, value, false));
        let (kept, used) = if goes_in { (by_batch, by_expert) } else { (by_expert, by_batch) };
        cx.wishes.lay(value, used, cx.now);
        cx.wishes.keep(value, kept, cx.now);
    }
}

/// Where runs of products with experts begin and end.
#[derive(Default)]
struct Ends {
    /// What the first product of a run reads.
    first: Vec<ValueId>,
    /// What the last one gives.
    last: Vec<ValueId>,
}

fn ends(cx: &Cx<'_>, batch: Stem) -> Ends {
    let (model, program) = (&cx.model, cx.model.program);
    let products: FxHashSet<OpId> = of_experts(cx).map(|c| c.op).collect();
    let ops = program.model_ops();
    // What a product with experts reads, straight or element by element.
    let mut feeds = vec![false; program.values.len()];
    for ModelOp { id, op, .. } in ops.iter().rev() {
        let leads = op.kind.class() == Class::Elementwise && op.outs.iter().any(|v| feeds[v.index()]);
        if leads || products.contains(id) {
            op.args.iter().for_each(|v| feeds[v.index()] = true);
        }
    }
    let mut ends = Ends::default();
    let mut inside = vec![false; program.values.len()];
    for ModelOp { id, op, .. } in ops {
        let has_batch = op.outs.iter().any(|&v| model.has(v, batch));
        if products.contains(&id) {
            let outside = op.args.iter().filter(|v| !inside[v.index()] && model.role(**v) == Role::Data);
            ends.first.extend(outside.filter(|v| model.has(**v, batch)));
            op.outs.iter().for_each(|v| inside[v.index()] = true);
        } else if has_batch && op.args.iter().any(|v| inside[v.index()]) {
            let stays = op.kind.class() == Class::Elementwise && op.outs.iter().any(|v| feeds[v.index()]);
            op.outs.iter().for_each(|v| inside[v.index()] = stays);
            if !stays {
                ends.last.extend(op.args.iter().filter(|v| inside[v.index()] && !feeds[v.index()]));
            }
        }
    }
    ends
}
