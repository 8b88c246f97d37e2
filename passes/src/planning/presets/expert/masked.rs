//! Products of masked copies of rows for each expert with the matrices of all experts, summed over the experts. At most
//! one of the copies of a row is not zero.
//!
//! ```text
//! %copies = broadcast [1, 2] %rows : f32[experts, rows, in]
//! %masked = select %mask, %copies, %zeros : f32[experts, rows, in]
//! %y = dot_general contract [2, 0]x[1, 0] %masked, %weight : f32[rows, out]
//! ```

use super::super::model::{ModelStructure, Stem, ValueRole, is_dense};
use super::RunBoundaries;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::program::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// Product of masked copies with the matrices of all experts.
pub(super) struct MaskedProduct {
    /// The op.
    op: OpId,
    /// The parameter with the matrices.
    pub(super) param: ValueId,
    /// The expert dimension.
    pub(super) experts: Stem,
    /// The rows of which there are copies.
    rows: ValueId,
}

/// Returns the products of masked copies, in the forward and the backward pass.
///
/// Recogniser: weights of experts in other products are not sharded.
pub(super) fn products(model: &ModelStructure<'_>) -> Vec<MaskedProduct> {
    let ops = model.ops.iter().map(|&id| &model.program.ops[id]);
    let definitions: FxHashMap<ValueId, &Op> = ops.flat_map(|op| op.outs.iter().map(move |&out| (out, op))).collect();
    let mut found = Vec::new();
    for product in &model.contractions {
        let op = &model.program.ops[product.op];
        if !is_dense(&op.kind) || product.contracted.len() < 2 {
            continue;
        }
        let masked = op.args.iter().copied().filter(|&arg| model.role(arg) == ValueRole::Data);
        for value in masked {
            let Some((rows, dim)) = copies_of_rows(&definitions, value) else { continue };
            let experts = model.stem(value, dim);
            if product.contracted.contains(&experts) {
                found.push(MaskedProduct { op: product.op, param: product.param, experts, rows });
            }
        }
    }
    found
}

/// Returns the rows of which a value has masked copies, and the dimension of the copies.
///
/// Recogniser: products of copies in another form are not those of experts.
fn copies_of_rows(definitions: &FxHashMap<ValueId, &Op>, value: ValueId) -> Option<(ValueId, usize)> {
    let select = definitions.get(&value)?;
    let (OpKind::Select(_), &[_, copies, _]) = (&select.kind, &select.args[..]) else { return None };
    let broadcast = definitions.get(&copies)?;
    let (OpKind::Broadcast(to), &[rows]) = (&broadcast.kind, &broadcast.args[..]) else { return None };
    let dim = (0..=to.dims.len()).find(|dim| !to.dims.contains(dim))?;
    Some((rows, dim))
}

/// Returns the rows that enter a sequence of products of masked copies, and the results of its last product.
pub(super) fn boundaries(model: &ModelStructure<'_>, products: &[MaskedProduct]) -> RunBoundaries {
    let product_ops: FxHashSet<OpId> = products.iter().map(|product| product.op).collect();
    let ops = model.program.model_ops();
    // Values that are rows of a product, or from which they are computed within each row.
    let mut feeds_experts = vec![false; model.program.values.len()];
    products.iter().for_each(|product| feeds_experts[product.rows.index()] = true);
    for ModelOp { op, .. } in ops.iter().rev() {
        if is_within_rows(&op.kind) && op.outs.iter().any(|v| feeds_experts[v.index()]) {
            op.args.iter().for_each(|v| feeds_experts[v.index()] = true);
        }
    }
    let mut is_inside = vec![false; model.program.values.len()];
    for ModelOp { id, op, .. } in ops {
        let stays = is_within_rows(&op.kind) && op.args.iter().any(|v| is_inside[v.index()]);
        if product_ops.contains(&id) || stays {
            op.outs.iter().for_each(|v| is_inside[v.index()] = feeds_experts[v.index()]);
        }
    }
    let rows = products.iter().map(|product| product.rows);
    let results = products.iter().flat_map(|product| model.program.ops[product.op].outs.iter().copied());
    RunBoundaries {
        first: rows.filter(|rows| !is_inside[rows.index()]).collect(),
        last: results.filter(|result| !feeds_experts[result.index()]).collect(),
    }
}

/// Returns true for an op that computes elements from those of the same row, as between the products of an expert, the
/// first of which may have the results of two.
///
/// Recogniser: other ops end a sequence of products, so that rows are exchanged more often.
fn is_within_rows(kind: &OpKind) -> bool {
    kind.class() == Class::Elementwise || matches!(kind, OpKind::Slice(_) | OpKind::Concatenate(_) | OpKind::Pad(_))
}
