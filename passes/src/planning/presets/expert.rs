//! Preset `expert`: expert parallelism over the axis `expert`, or `data` if the mesh has no such axis ([GShard,
//! Lepikhin et al. 2020](https://arxiv.org/abs/2006.16668)).
//!
//! The expert dimension is the batch dimension of products of stacked parameters and activations. Expert parameters are
//! sharded along it. Elsewhere the batch is sharded over the same axis, so that one `all_to_all` dispatches tokens to
//! their experts and another one returns them: the operands of the first product with experts and the results of the
//! last one are resharded.
//!
//! In products that sum over masked copies of the rows for all experts (`ragged_dot`), every device of the axis has all
//! rows of the others, multiplies them by the matrices of its experts, and receives its part of the sums.

mod masked;

use super::PresetContext;
use super::model::{Contraction, Stem, ValueRole, is_dense};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::model::ModelOp;
use rustc_hash::FxHashSet;

/// Expands `expert`: shards the experts, and the batch of all other layers.
///
/// # Errors
/// `L014` if the model has no expert layers.
pub fn expand(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    let name = if cx.grid.mesh.axis("expert").is_some() { "expert" } else { "data" };
    let Some(axis) = cx.axis(name) else { return Ok(()) };
    // Products of several batch dimensions, such as modes of a Fourier transform, have one of experts.
    let experts: FxHashSet<Stem> = expert_products(cx).filter_map(|c| c.batch.iter().min().copied()).collect();
    let masked = masked::products(&cx.model);
    if experts.is_empty() && masked.is_empty() {
        let pattern = "expert layers: weights stacked along an expert dimension, `[experts, in, out]`, and multiplied \
                       with activations that have the same dimension, or with masked copies for each expert";
        let help = "remove `expert` for a model without experts; shard the batch with `data`, or weights with \
                    `megatron`";
        return Err(cx.pattern_not_found(pattern).help(help));
    }
    for param in cx.model.params.clone() {
        let found = cx.model.dims(param).find(|d| experts.contains(&d.1));
        // Only the weights of experts are sharded, not gates or biases of scores, which also have an expert dimension.
        if let Some((dim, _)) = found.filter(|_| expert_products(cx).any(|c| c.param == param)) {
            cx.shard(param, dim, axis);
        }
    }
    for product in &masked {
        if let Some(dim) = cx.model.dim(product.param, product.experts) {
            cx.shard(product.param, dim, axis);
        }
    }
    let Some(batch) = cx.model.batch else { return Ok(()) };
    for value in cx.model.data.clone() {
        if let Some(dim) = cx.model.examples_dim(value) {
            cx.shard(value, dim, axis);
        }
    }
    if !experts.is_empty() {
        reshard(cx, run_boundaries(cx, batch), &experts, batch, axis);
    }
    if !masked.is_empty() {
        reshard(cx, masked::boundaries(&cx.model, &masked), &FxHashSet::default(), batch, axis);
    }
    Ok(())
}

/// Returns the products with expert weights.
fn expert_products<'c>(cx: &'c PresetContext<'_>) -> impl Iterator<Item = &'c Contraction> {
    let contractions = cx.model.contractions.iter().filter(|c| !c.batch.is_empty());
    contractions.filter(|c| is_dense(&cx.model.program.ops[c.op].kind))
}

/// Sets the layouts of values that enter and leave a sequence of products with experts, in the forward and backward
/// pass.
fn reshard(
    cx: &mut PresetContext<'_>,
    boundaries: RunBoundaries,
    experts: &FxHashSet<Stem>,
    batch: Stem,
    axis: AxisRef,
) {
    let RunBoundaries { mut first, mut last } = boundaries;
    // Other axes of the batch remain.
    let batch_axes: Axes = cx
        .model
        .data
        .iter()
        .find_map(|&v| Some(cx.layout(v)?.dims[cx.model.examples_dim(v)?].axes.clone()))
        .unwrap_or_default();
    let layout_of = |cx: &PresetContext<'_>, value: ValueId, by_expert: bool| {
        let mut layout = Layout::open(cx.grid.id, cx.model.program.ty(value).shape.rank());
        let mut has_experts = false;
        for (dim, stem) in cx.model.dims(value).filter(|d| d.1 == batch || experts.contains(&d.1)) {
            let at = &mut layout.dims[dim];
            at.open = false;
            match (stem == batch, by_expert) {
                (true, _) => at.axes.extend(batch_axes.iter().copied().filter(|a| !by_expert || !a.overlaps(axis))),
                (false, true) if !has_experts => {
                    at.axes.push(axis);
                    has_experts = true;
                }
                (false, _) => {}
            }
        }
        layout
    };
    for values in [&mut first, &mut last] {
        values.sort_unstable();
        values.dedup();
    }
    for (value, enters) in first.into_iter().map(|v| (v, true)).chain(last.into_iter().map(|v| (v, false))) {
        let (by_expert, by_batch) = (layout_of(cx, value, true), layout_of(cx, value, false));
        let (stored, used) = if enters { (by_batch, by_expert) } else { (by_expert, by_batch) };
        cx.expansion.request_layout(value, used, cx.current);
        cx.expansion.request_storage(value, stored, cx.current);
    }
}

/// Values at the boundaries of sequences of products with experts.
#[derive(Default)]
struct RunBoundaries {
    /// Operands of the first product of a sequence.
    first: Vec<ValueId>,
    /// Results of the last product of a sequence.
    last: Vec<ValueId>,
}

fn run_boundaries(cx: &PresetContext<'_>, batch: Stem) -> RunBoundaries {
    let (model, program) = (&cx.model, cx.model.program);
    let products: FxHashSet<OpId> = expert_products(cx).map(|c| c.op).collect();
    let ops = program.model_ops();
    // Values that a product with experts reads, directly or through elementwise ops.
    let mut feeds_experts = vec![false; program.values.len()];
    for ModelOp { id, op, .. } in ops.iter().rev() {
        let leads = op.kind.class() == Class::Elementwise && op.outs.iter().any(|v| feeds_experts[v.index()]);
        if leads || products.contains(id) {
            op.args.iter().for_each(|v| feeds_experts[v.index()] = true);
        }
    }
    let mut run_boundaries = RunBoundaries::default();
    let mut is_inside = vec![false; program.values.len()];
    for ModelOp { id, op, .. } in ops {
        let has_batch = op.outs.iter().any(|&v| model.has_stem(v, batch));
        if products.contains(&id) {
            let outside = op.args.iter().filter(|v| !is_inside[v.index()] && model.role(**v) == ValueRole::Data);
            run_boundaries.first.extend(outside.filter(|v| model.has_stem(**v, batch)));
            op.outs.iter().for_each(|v| is_inside[v.index()] = true);
        } else if has_batch && op.args.iter().any(|v| is_inside[v.index()]) {
            let stays = op.kind.class() == Class::Elementwise && op.outs.iter().any(|v| feeds_experts[v.index()]);
            op.outs.iter().for_each(|v| is_inside[v.index()] = stays);
            if !stays {
                run_boundaries
                    .last
                    .extend(op.args.iter().filter(|v| is_inside[v.index()] && !feeds_experts[v.index()]));
            }
        }
    }
    run_boundaries
}
