//! Lowering of `Attention` of ONNX Runtime, whose queries, keys and values are one product, and of the masks of padded
//! keys.

use super::attention::{Frontier, Heads, Offset, join_heads, scale_of, split_heads};
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, malformed, size, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Direction};
use partita_ir::tensor::Scalar;
use std::ops::Range;

/// Lowers `Attention` of ONNX Runtime. The second result are the keys and values, which include those of the past.
pub fn attention(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let heads = size(node.int("num_heads", 0), "number of heads")?;
    if node.optional(6).is_some() || node.flag("do_rotary", false) || node.flag("past_present_share_buffer", false) {
        return unsupported("a shared cache or rotated positions");
    }
    let product = cx.matmul(node.arg(0)?, node.arg(1)?)?;
    let product = match node.optional(2) {
        Some(bias) => cx.add(product, bias)?,
        None => product,
    };
    let &[_, queries, hidden] = &cx.shape(product)[..] else {
        return malformed(format!("has queries, keys and values {}", cx.b.ty(product)));
    };
    let sizes = match node.ints("qkv_hidden_sizes") {
        Some(sizes) => sizes.iter().map(|&n| size(n, "hidden size")).collect::<Result<Vec<_>, _>>()?,
        None => vec![hidden / 3; 3],
    };
    if sizes.len() != 3 || sizes.iter().sum::<usize>() != hidden {
        return malformed(format!("divides {hidden} hidden features into {sizes:?}"));
    }
    let mut start = 0;
    let mut parts = Vec::new();
    for n in sizes {
        let part = cx.b.slice_dim(product, 2, start, start + n);
        parts.push(split_heads(cx, part, heads)?);
        start += n;
    }
    let (query, mut key, mut value) = (parts[0], parts[1], parts[2]);
    if let Some(past) = node.optional(4) {
        if cx.rank(past) != 5 || cx.shape(past)[0] != 2 {
            return malformed(format!("has the past keys and values {}", cx.b.ty(past)));
        }
        for (i, operand) in [&mut key, &mut value].into_iter().enumerate() {
            let half = cx.b.slice_dim(past, 0, i, i + 1);
            let shape = cx.shape(half);
            let half = cx.reshape(half, &shape[1..])?;
            *operand = cx.concat(&[half, *operand], 2)?;
        }
    }
    let keys = cx.shape(key)[2];
    let right = node.flag("unidirectional", false).then_some(0);
    let offset = Offset::Same(keys as i64 - queries as i64);
    let allowed = Frontier { offset, left: None, right }.mask(cx, queries, keys)?;
    let mut bias = node.optional(5);
    if let Some(mask) = node.optional(3) {
        let padding = padding(cx, node, mask, query, keys)?;
        bias = Some(match bias {
            Some(bias) => cx.add(bias, padding)?,
            None => padding,
        });
    }
    let scale = scale_of(cx, node, query);
    let attention =
        Heads { query, key, value, scale, softcap: 0.0, allowed, bias, sink: None, precision: None, scores: None };
    let (out, _) = attention.lower(cx)?;
    let out = join_heads(cx, out);
    let mut outs = vec![out];
    if node.has_result(1) {
        let [key, value] = [key, value].map(|x| cx.b.unsqueeze(x, 0));
        if cx.b.ty(key) != cx.b.ty(value) {
            return malformed("returns keys and values of different sizes as one tensor");
        }
        outs.push(cx.concat(&[key, value], 0)?);
    }
    Ok(outs.into_iter().map(Out::Value).collect())
}

/// Appends the addend of the scores for a mask of padded keys. It is a large negative number for these keys, so that a
/// row without keys is their mean. The mask is nonzero for the other keys, `[batch, keys]` or `[batch, queries, keys]`,
/// or has the number of keys of each element of the batch, and perhaps the first one after all of them.
pub(super) fn padding(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    mask: ValueId,
    query: ValueId,
    keys: usize,
) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(query);
    let (batch, queries) = (shape[0], shape[2]);
    let kept = match cx.shape(mask)[..] {
        [b, k] if (b, k) == (batch, keys) => nonzero(cx, mask, [batch, 1, 1, keys]),
        [b, q, k] if (b, q, k) == (batch, queries, keys) => nonzero(cx, mask, [batch, 1, queries, keys]),
        [n] if n == batch || n == 2 * batch => {
            let end = columns(cx, mask, Direction::Lt, 0..batch, keys)?;
            match n == batch {
                true => end,
                false => {
                    let start = columns(cx, mask, Direction::Ge, batch..n, keys)?;
                    cx.b.binary(BinaryOp::And, end, start)
                }
            }
        }
        _ => return unsupported(format!("the padding mask {}", cx.b.ty(mask))),
    };
    let zeros = Type { dtype: cx.dtype(query), shape: cx.shape(kept) };
    let zeros = cx.b.splat(zeros, Scalar::Float(0.0));
    cx.select_or(kept, zeros, Scalar::Float(node.float("mask_filter_value", -10000.0)))
}

/// Appends a comparison of a mask with zero.
fn nonzero(cx: &mut Lowering<'_>, mask: ValueId, shape: [usize; 4]) -> ValueId {
    let mask = cx.b.reshape(mask, shape);
    cx.compare_scalar(mask, Direction::Ne, Scalar::Int(0))
}

/// Appends a comparison of the positions of keys with a bound for each element of the batch.
fn columns(
    cx: &mut Lowering<'_>,
    bounds: ValueId,
    direction: Direction,
    part: Range<usize>,
    keys: usize,
) -> Result<ValueId, LoweringError> {
    let batch = part.len();
    let bound = cx.b.slice_dim(bounds, 0, part.start, part.end);
    let bound = cx.b.convert(bound, DType::I64);
    let bound = cx.b.reshape(bound, [batch, 1, 1, 1]);
    let column = cx.b.iota(DType::I64, [batch, 1, 1, keys], 3);
    cx.compare(column, direction, bound)
}
