//! Preset `context`: context parallelism over the axis `context` or `cp`. Every device has a range of positions of each
//! sequence, in all layers.
//!
//! The dimensions of inputs along which attention has its rows and columns are sharded; propagation does the rest.
//! Gradients are reduced in buckets. Only attention needs other positions. Three implementations:
//! - `ring`: keys and values circulate among the devices ([Ring Attention, Liu et al.
//!   2023](https://arxiv.org/abs/2310.01889)).
//! - `gather`: each device gathers all keys and values ([Llama 3, Dubey et al.
//!   2024](https://arxiv.org/abs/2407.21783)).
//! - `ulysses`: an `all_to_all` before attention exchanges sharded positions for sharded heads, and one after it
//!   exchanges them back ([DeepSpeed-Ulysses, Jacobs et al. 2023](https://arxiv.org/abs/2309.14509)).

use super::PresetContext;
use super::model::{ModelStructure, Stem, ValueRole};
use partita_ir::arena::{Id, ValueId};
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::model::ModelOp;
use partita_ir::ops::ContextMethod;
use partita_ir::program::Phase;
use partita_ir::rule::FactorKind;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Values of the option `attention`.
pub const METHODS: [&str; 3] = ["ring", "gather", "ulysses"];

/// Value of the option `attention` if none is written.
const DEFAULT_METHOD: &str = "ring";

/// Expands `context`: shards the sequences, and selects how attention exchanges keys and values.
///
/// # Errors
/// `L014` if the model has no attention on a dimension of its inputs, or fewer positions than the axis has devices.
pub fn expand(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    let Some(axis) = cx.axis("context").or_else(|| cx.axis("cp")) else { return Ok(()) };
    let sequences = sequences(cx);
    if sequences.is_empty() {
        return Err(cx.pattern_not_found("attention along a dimension of inputs"));
    }
    let option = cx.requested[cx.current].option;
    let is_one_op = cx.model.program.model_ops().iter().any(|at| at.op.kind.class().attention().is_some());
    if !option.is_empty() && !is_one_op {
        let pattern = "attention that is one operation, for a choice of its exchange of keys and values; here it \
                       consists of single operations, because others read its weights";
        return Err(cx.pattern_not_found(pattern).help("write `context`, without an option"));
    }
    for &sequence in &sequences {
        let size = cx.model.min_size(sequence);
        if size < axis.size as usize {
            let pattern = format!("a sequence of at least {} positions; the model has {size}", axis.size);
            return Err(cx.pattern_not_found(&pattern));
        }
    }
    for value in cx.model.data.clone() {
        let found = cx.model.dims(value).find(|(_, stem)| sequences.contains(stem));
        if let Some((dim, _)) = found {
            cx.shard(value, dim, axis);
        }
    }
    // Devices gather the keys and values of attention that consists of single ops.
    if is_one_op {
        let name = if option.is_empty() { DEFAULT_METHOD } else { option };
        match ContextMethod::ALL.into_iter().find(|method| method.name() == name) {
            Some(method) => cx.expansion.attention = Some(method),
            None => shard_heads(cx, &sequences, axis),
        }
    }
    cx.reduce_in_buckets();
    Ok(())
}

/// Returns the dimensions of inputs along which attention has rows or columns.
fn sequences(cx: &PresetContext<'_>) -> FxHashSet<Stem> {
    let model = &cx.model;
    let of_inputs: FxHashSet<Stem> = model.data.iter().flat_map(|&v| model.dims(v)).map(|d| d.1).collect();
    let mut sequences = decomposed_attention(model);
    for op in model.program.model_ops().iter().map(|at| at.op).filter(|op| op.kind.class().attention().is_some()) {
        for &value in op.args.iter().take(2) {
            let Some(dim) = model.program.ty(value).shape.rank().checked_sub(2) else { continue };
            sequences.insert(model.stem(value, dim));
        }
    }
    sequences.retain(|stem| of_inputs.contains(stem));
    sequences
}

/// Returns the rows and columns of attention that consists of single ops, such as attention whose weights a backward
/// pass reads: a product of activations contracts a dimension of scores, which are another product of activations, and
/// which are normalised along this dimension in between.
fn decomposed_attention(model: &ModelStructure<'_>) -> FxHashSet<Stem> {
    let program = model.program;
    let mut found = FxHashSet::default();
    // For each value, the rows and columns of the product that it is computed from without another product.
    let mut scores: Vec<SmallVec<[Stem; 2]>> = vec![SmallVec::new(); program.values.len()];
    for ModelOp { id, op, .. } in program.model_ops() {
        if !model.is_forward(id) || op.kind.control().is_some() {
            continue;
        }
        if op.kind.class() != Class::Product {
            let before = op.args.iter().map(|v| scores[v.index()].clone()).find(|stems| !stems.is_empty());
            op.outs.iter().for_each(|out| scores[out.index()] = before.clone().unwrap_or_default());
            continue;
        }
        let &[a, b] = &op.args[..] else { continue };
        if [a, b].iter().any(|v| model.role(*v) != ValueRole::Data) {
            continue;
        }
        let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
        let contracted = model.stems_of(op, &rule, 0, |f| matches!(rule.kind(f), FactorKind::Reduce(_)));
        let is_summed = |stem: &Stem| contracted.contains(stem) && model.costly_stems.contains(stem);
        for stems in [a, b].iter().map(|v| &scores[v.index()]).filter(|stems| stems.iter().any(is_summed)) {
            found.extend(stems);
        }
        let own = |arg: usize| model.stems_of(op, &rule, arg, |f| rule.in_results(f) && !rule.in_arg(1 - arg, f));
        let stems: SmallVec<[Stem; 2]> = own(0).into_iter().chain(own(1)).collect();
        op.outs.iter().for_each(|out| scores[out.index()] = stems.clone());
    }
    found
}

/// Requests layouts that shard the heads instead of the sequence during attention: of the operands on entry, and of the
/// results on exit.
fn shard_heads(cx: &mut PresetContext<'_>, sequences: &FxHashSet<Stem>, axis: AxisRef) {
    let program = cx.model.program;
    let attentions: Vec<_> =
        program.model_ops().into_iter().map(|at| at.op).filter(|op| op.kind.class().attention().is_some()).collect();
    let results: FxHashSet<ValueId> = attentions.iter().flat_map(|op| op.outs.iter().copied()).collect();
    for op in attentions {
        for (&value, enters) in op.args.iter().map(|v| (v, true)).chain(op.outs.iter().map(|v| (v, false))) {
            let rank = program.ty(value).shape.rank();
            let is_activation = cx.model.role(value) == ValueRole::Data && rank > 2;
            // The result of an attention is an operand of its gradient, in the layout in which it is computed.
            if !is_activation || enters && results.contains(&value) && op.phase != Phase::Forward {
                continue;
            }
            let Some((dim, _)) = cx.model.dims(value).find(|(_, stem)| sequences.contains(stem)) else { continue };
            if dim == rank - 3 {
                continue;
            }
            let by_sequence = layout(cx, value, dim, rank - 3, axis, false);
            let by_heads = layout(cx, value, dim, rank - 3, axis, true);
            let (stored, used) = if enters { (by_sequence, by_heads) } else { (by_heads, by_sequence) };
            cx.expansion.request_layout(value, used, cx.current);
            cx.expansion.request_storage(value, stored, cx.current);
        }
    }
}

/// Returns a layout that shards the sequence or the heads over the axis, after the axes of other presets.
fn layout(
    cx: &PresetContext<'_>,
    value: ValueId,
    sequence: usize,
    heads: usize,
    axis: AxisRef,
    by_heads: bool,
) -> Layout {
    let mut layout = Layout::open(cx.grid.id, cx.model.program.ty(value).shape.rank());
    for (dim, is_sharded) in [(sequence, !by_heads), (heads, by_heads)] {
        let at = &mut layout.dims[dim];
        at.open = false;
        at.axes = if dim == heads { head_axes(cx, cx.model.stem(value, heads)) } else { Axes::new() };
        at.axes.extend(is_sharded.then_some(axis));
    }
    layout
}

/// Returns the axes by which other presets shard the heads.
fn head_axes(cx: &PresetContext<'_>, heads: Stem) -> Axes {
    match cx.axis("model").filter(|_| cx.megatron_dims.contains(&heads)) {
        Some(axis) => [axis].into_iter().collect(),
        None => Axes::new(),
    }
}
