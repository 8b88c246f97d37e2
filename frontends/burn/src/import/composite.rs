//! Lowering of composite operations that programs represent as one op: normalisation, softmax, attention.

use super::lowering::{Lowering, LoweringError, LoweringResult, number, type_of};
use burn_ir::{AttentionOpIr, BatchNormOpIr, DimOpIr, LayerNormOpIr};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Attention, BatchNorm, BinaryOp, Direction, Gelu, Iota, LayerNorm, LogSoftmax, Softmax, UnaryOp};
use partita_ir::tensor::Scalar;

/// Lowers a softmax along a dimension.
pub(super) fn softmax(cx: &mut Lowering<'_>, op: &DimOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let ty = cx.b.ty(x);
    let out = cx.b.op("softmax", Softmax { dim: op.axis }, &[x], ty);
    cx.write(&op.out, out)
}

/// Lowers a softmin: the softmax of the negated operand.
pub(super) fn softmin(cx: &mut Lowering<'_>, op: &DimOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let x = cx.b.unary(UnaryOp::Neg, x);
    let ty = cx.b.ty(x);
    let out = cx.b.op("softmax", Softmax { dim: op.axis }, &[x], ty);
    cx.write(&op.out, out)
}

/// Lowers the logarithm of a softmax.
pub(super) fn log_softmax(cx: &mut Lowering<'_>, op: &DimOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let ty = cx.b.ty(x);
    let last = op.axis + 1 == ty.shape.rank();
    let out = cx.b.op("log_softmax", LogSoftmax { dim: op.axis }, &[x], ty);
    if last {
        cx.logits.insert(out, x);
    }
    cx.write(&op.out, out)
}

/// Builds the Gaussian error linear unit in its exact form (error function).
pub(super) fn gelu(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let ty = cx.b.ty(x);
    cx.b.op("gelu", Gelu::default(), &[x], ty)
}

/// Lowers layer normalisation over the last dimension.
pub(super) fn layer_norm(cx: &mut Lowering<'_>, op: &LayerNormOpIr) -> LoweringResult {
    let mut args = vec![cx.read(&op.input)?, cx.read(&op.gamma)?];
    if let Some(beta) = &op.beta {
        args.push(cx.read(beta)?);
    }
    let eps = number(op.epsilon).to_f64();
    let out = cx.b.op("layer_norm", LayerNorm { eps }, &args, type_of(&op.out)?);
    cx.write(&op.out, out)
}

/// Lowers batch normalisation of channels (dimension 1) with given statistics, that is, in inference mode.
pub(super) fn batch_norm(cx: &mut Lowering<'_>, op: &BatchNormOpIr) -> LoweringResult {
    let [x, gamma, beta, mean, var] = [&op.x, &op.gamma, &op.beta, &op.mean, &op.variance].map(|t| cx.read(t));
    let eps = number(op.epsilon).to_f64();
    let out = cx.b.op("batch_norm", BatchNorm { dim: 1, eps }, &[x?, gamma?, beta?, mean?, var?], type_of(&op.out)?);
    cx.write(&op.out, out)
}

/// Lowers scaled dot-product attention. Attention with a bias or a soft cap is expanded, because the `attention` op
/// supports neither.
pub(super) fn attention(cx: &mut Lowering<'_>, op: &AttentionOpIr) -> LoweringResult {
    let (query, key, value) = (cx.read(&op.query)?, cx.read(&op.key)?, cx.read(&op.value)?);
    let shape = cx.shape(query);
    let last = shape.rank() - 1;
    let scale = op.options.scale.map_or_else(|| 1.0 / (shape[last] as f64).sqrt(), |s| number(s).to_f64());
    let causal = op.options.is_causal;
    let out = if op.attn_bias.is_none() && op.options.softcap.is_none() {
        let mut args = vec![query, key, value];
        if let Some(mask) = &op.mask {
            // In Burn a true mask element hides a key; in programs it makes the key visible.
            let mask = cx.read(mask)?;
            args.push(cx.b.unary(UnaryOp::Not, mask));
        }
        cx.b.op("attention", Attention::new(causal, scale), &args, type_of(&op.out)?)
    } else {
        let scores = scores(cx, op, query, key, scale)?;
        let ty = cx.b.ty(scores);
        let weights = cx.b.op("softmax", Softmax { dim: last }, &[scores], ty.clone());
        cx.b.matmul(weights, value, ty.dtype)
    };
    cx.write(&op.out, out)
}

/// Computes the attention scores before the softmax: scaled products, soft cap, mask, causal mask and bias, in Burn's
/// order.
fn scores(
    cx: &mut Lowering<'_>,
    op: &AttentionOpIr,
    query: ValueId,
    key: ValueId,
    scale: f64,
) -> Result<ValueId, LoweringError> {
    let last = cx.shape(key).rank() - 1;
    let key = cx.b.swap_dims(key, last - 1, last);
    let dtype = cx.b.ty(query).dtype;
    let scores = cx.b.matmul(query, key, dtype);
    let mut scores = cx.b.binary_scalar(BinaryOp::Mul, scores, scale);
    let shape = cx.shape(scores);
    if let Some(cap) = op.options.softcap {
        let cap = number(cap).to_f64();
        let small = cx.b.binary_scalar(BinaryOp::Div, scores, cap);
        let bent = cx.b.unary(UnaryOp::Tanh, small);
        scores = cx.b.binary_scalar(BinaryOp::Mul, bent, cap);
    }
    if let Some(mask) = &op.mask {
        let mask = cx.read(mask)?;
        let mask = cx.b.expand(mask, &shape);
        scores = mask_scores(cx, mask, scores);
    }
    if op.options.is_causal {
        let index_ty = Type::new(DType::I32, shape.clone());
        let row = cx.b.op("row", Iota { dim: last - 1 }, &[], index_ty.clone());
        // The last query attends to all keys, also if there are more keys than queries.
        let row = cx.b.binary_scalar(BinaryOp::Add, row, shape[last] as f64 - shape[last - 1] as f64);
        let column = cx.b.op("column", Iota { dim: last }, &[], index_ty);
        let future = cx.b.compare(column, Direction::Gt, row);
        scores = mask_scores(cx, future, scores);
    }
    if let Some(bias) = &op.attn_bias {
        let bias = cx.read(bias)?;
        let bias = cx.b.expand(bias, &shape);
        scores = cx.b.binary(BinaryOp::Add, scores, bias);
    }
    Ok(scores)
}

fn mask_scores(cx: &mut Lowering<'_>, hidden: ValueId, scores: ValueId) -> ValueId {
    let neg_infinity = cx.b.splat_like(scores, Scalar::Float(f64::NEG_INFINITY));
    cx.b.select(hidden, neg_infinity, scores)
}
