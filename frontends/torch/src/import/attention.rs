//! Lowering of scaled dot-product attention.
//!
//! Without an additive mask, attention is one op, which can be sharded along the sequence; otherwise it is lowered to
//! its steps.

use super::lowering::{Lowering, LoweringError, LoweringResult, first_of, malformed, unsupported};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::build::broadcast_shape;
use partita_ir::dtype::{DType, Shape};
use partita_ir::ops::{Attention, BinaryOp, Direction};

/// Lowers attention on queries, keys and values `[batch.., heads, sequence, size]`, whose batches and heads broadcast;
/// `mask` is the name of the operand
/// with a boolean mask or an addend of the scores. The further results of native forms are not computed.
pub fn attention(cx: &mut Lowering<'_>, node: &Node<'_>, mask: &str) -> LoweringResult {
    let (mut query, mut key, mut value) = (node.tensor("query")?, node.tensor("key")?, node.tensor("value")?);
    if node.float("dropout_p", 0.0)? != 0.0 {
        return unsupported("dropout: export the model in evaluation mode, `model.eval()`");
    }
    let ranks = [query, key, value].map(|v| cx.rank(v));
    let shape = cx.shape(query);
    if ranks[0] < 2 || ranks.iter().any(|&rank| rank != ranks[0]) {
        return malformed(format!("needs [.., sequence, size] for queries, keys and values, not {shape}"));
    }
    let rank = ranks[0];
    if node.flag("enable_gqa", false)? && rank == 4 {
        key = cx.b.repeat_heads(key, shape[1])?;
        value = cx.b.repeat_heads(value, shape[1])?;
    }
    let leading = [query, key, value].map(|v| Shape::from(&cx.shape(v)[..rank - 2]));
    let leading = broadcast_shape(&leading)?;
    for operand in [&mut query, &mut key, &mut value] {
        let last = Shape::from(&cx.shape(*operand)[rank - 2..]);
        *operand = cx.expand(*operand, &leading.iter().chain(last.iter()).copied().collect())?;
    }
    let scale = node.float("scale", (shape[rank - 1] as f64).sqrt().recip())?;
    let (queries, keys) = (shape[rank - 2], cx.shape(key)[rank - 2]);
    let mut allowed = None;
    let mut bias = None;
    let causal = node.flag("is_causal", false)?;
    if let Some(mask) = node.optional(mask)? {
        if causal {
            return malformed("has a mask and is causal");
        }
        match cx.dtype(mask) == DType::Bool {
            true => allowed = Some(mask),
            false => bias = Some(mask),
        }
    }
    // The op aligns the last query with the last key, PyTorch the first with the first.
    if causal && queries != keys {
        let [row, column] = [0, 1].map(|dim| cx.b.iota(DType::I64, [queries, keys], dim));
        allowed = Some(cx.b.compare(column, Direction::Le, row));
    }
    let out = match bias {
        None => {
            let is_causal = causal && allowed.is_none();
            let args: Vec<ValueId> = [query, key, value].into_iter().chain(allowed).collect();
            cx.op("attention", Attention::new(is_causal, scale), &args)?
        }
        Some(bias) => biased(cx, [query, key, value], scale, bias)?,
    };
    first_of(out, 9)
}

/// Appends attention with an addend of the scores, which broadcasts to them.
fn biased(
    cx: &mut Lowering<'_>,
    [query, key, value]: [ValueId; 3],
    scale: f64,
    bias: ValueId,
) -> Result<ValueId, LoweringError> {
    let rank = cx.rank(query);
    let keys_last = cx.b.swap_dims(key, rank - 2, rank - 1);
    let scores = cx.b.checked_matmul(query, keys_last)?;
    let scores = cx.b.binary_scalar(BinaryOp::Mul, scores, scale);
    let ty = cx.b.ty(scores);
    let bias = cx.converted(bias, ty.dtype);
    let bias = cx.expand(bias, &ty.shape)?;
    let scores = cx.b.binary(BinaryOp::Add, scores, bias);
    let probabilities = cx.b.masked_softmax(scores);
    Ok(cx.b.checked_matmul(probabilities, value)?)
}
