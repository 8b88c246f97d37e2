//! Lowering of rotary position embeddings (Su et al. 2021).

use super::elementwise::converted;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, malformed, single, size, unsupported};
use super::opsets::Domain;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape};
use partita_ir::ops::{BinaryOp, Slice};
use partita_ir::syntax::attr::Dims;

/// Lowers a rotary embedding. The operand is `[batch, sequence, heads size]` or `[batch, heads, sequence, size]`.
///
/// In ONNX the positions are the optional fourth operand, without which the caches have the rows of the sequence; in
/// `com.microsoft` they are the second operand, for all elements or the first one only.
pub fn rotary_embedding(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, [positions, cos, sin]) = match node.domain {
        Domain::Onnx | Domain::Preview | Domain::Training => {
            (node.arg(0)?, [node.optional(3), Some(node.arg(1)?), Some(node.arg(2)?)])
        }
        Domain::Microsoft => (node.arg(0)?, [Some(node.arg(1)?), Some(node.arg(2)?), Some(node.arg(3)?)]),
    };
    if node.flag("is_packed_batching", false) || node.float("scale", 1.0) != 1.0 {
        return unsupported("packed batches or a scale");
    }
    let (Some(cos), Some(sin)) = (cos, sin) else { return malformed("lacks its caches") };
    let shape = cx.shape(x);
    let rotated_size = size(node.int("rotary_embedding_dim", 0), "size")?;
    let layout = match shape[..] {
        [batch, sequence, hidden] => {
            // Without a number of heads, the caches state the size of a head.
            let from_cache = cx.shape(cos).last().map_or(0, |n| n.saturating_mul(2));
            let heads = match size(node.int("num_heads", 0), "number of heads")? {
                0 => hidden.checked_div(if rotated_size > 0 { 0 } else { from_cache }).unwrap_or(0),
                heads => heads,
            };
            if hidden.checked_rem(heads) != Some(0) {
                return malformed(format!("divides {shape} into {heads} heads"));
            }
            Shape::from([batch, sequence, heads, hidden / heads])
        }
        [batch, heads, sequence, head_size] => Shape::from([batch, sequence, heads, head_size]),
        _ => return malformed(format!("needs 3 or 4 dimensions, not {shape}")),
    };
    let is_heads_first = shape.rank() == 4;
    let x = if is_heads_first { cx.b.swap_dims(x, 1, 2) } else { cx.b.reshape(x, layout.clone()) };
    let positions = match positions {
        Some(positions) => Some(all_positions(cx, positions, &layout)?),
        None => None,
    };
    let out =
        rotate(cx, x, Caches { cos, sin, positions, interleaved: node.flag("interleaved", false), rotated_size })?;
    single(if is_heads_first { cx.b.swap_dims(out, 1, 2) } else { cx.b.reshape(out, shape) })
}

/// Returns the positions `[batch, sequence]`. One number is the position of the first element of each sequence.
fn all_positions(cx: &mut Lowering<'_>, positions: ValueId, layout: &Shape) -> Result<ValueId, LoweringError> {
    let all = Shape::from([layout[0], layout[1]]);
    if cx.shape(positions)[..] != [1] || all.count() == 1 {
        return cx.reshape(positions, all);
    }
    let dtype = cx.dtype(positions);
    let count = cx.b.iota(dtype, all, 1);
    cx.add(count, positions)
}

/// Cosines and sines of a rotary embedding, and how they are applied.
pub struct Caches {
    /// Cosines: a row of half the rotated size for each position, or for each batch and element if there are no
    /// positions.
    pub cos: ValueId,
    /// Sines, as the cosines.
    pub sin: ValueId,
    /// Positions `[batch, sequence]`.
    pub positions: Option<ValueId>,
    /// True if neighbouring elements are rotated together, instead of elements of the two halves.
    pub interleaved: bool,
    /// Number of elements that are rotated, from the first one on; 0 for all.
    pub rotated_size: usize,
}

/// Appends the rotation of `x`, `[batch, sequence, heads, size]`.
pub fn rotate(cx: &mut Lowering<'_>, x: ValueId, caches: Caches) -> Result<ValueId, LoweringError> {
    cx.require_float(x)?;
    let (shape, dtype) = (cx.shape(x), cx.dtype(x));
    let n = if caches.rotated_size == 0 { shape[3] } else { caches.rotated_size };
    if n > shape[3] || n % 2 != 0 {
        return malformed(format!("rotates {n} of {} elements", shape[3]));
    }
    let angles = Shape::from([shape[0], shape[1], 1, n / 2]);
    let [cos, sin] = [caches.cos, caches.sin].map(|cache| -> Result<ValueId, LoweringError> {
        let rows = match caches.positions {
            Some(positions) if cx.rank(cache) == 2 => cx.b.take(cache, positions, 0),
            Some(_) => return malformed(format!("has the cache {}", cx.b.ty(cache))),
            None => cache,
        };
        let rows = cx.reshape(rows, angles.clone())?;
        Ok(converted(cx, rows, dtype))
    });
    let (cos, sin) = (cos?, sin?);
    let rotated = cx.b.slice_dim(x, 3, 0, n);
    let [first, second] = [0, 1].map(|part| match caches.interleaved {
        true => every_second(cx, rotated, part),
        false => Ok(cx.b.slice_dim(rotated, 3, part * n / 2, (part + 1) * n / 2)),
    });
    let (first, second) = (first?, second?);
    let mut turned = |op, a, b| -> Result<ValueId, LoweringError> {
        let (a, b) = (cx.mul(a, first)?, cx.mul(b, second)?);
        Ok(cx.b.binary(op, a, b))
    };
    let (real, imaginary) = (turned(BinaryOp::Sub, cos, sin)?, turned(BinaryOp::Add, sin, cos)?);
    let turned = match caches.interleaved {
        true => {
            let parts = [real, imaginary].map(|part| cx.b.unsqueeze(part, 4));
            let pairs = cx.b.concatenate(&parts, 4);
            cx.b.reshape(pairs, [shape[0], shape[1], shape[2], n])
        }
        false => cx.b.concatenate(&[real, imaginary], 3),
    };
    if n == shape[3] {
        return Ok(turned);
    }
    let rest = cx.b.slice_dim(x, 3, n, shape[3]);
    Ok(cx.b.concatenate(&[turned, rest], 3))
}

/// Returns every second element of the last dimension.
fn every_second(cx: &mut Lowering<'_>, x: ValueId, first: usize) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(x);
    let last = shape.rank() - 1;
    let (mut start, mut stride) = (Dims::from_elem(0, shape.rank()), Dims::from_elem(1, shape.rank()));
    (start[last], stride[last]) = (first, 2);
    cx.op("slice", Slice { start, limit: Dims::from_slice(&shape), stride }, &[x])
}

/// Returns the positions `offset + 0, 1, ..` of a sequence, `[batch, sequence]`, from the offset of each batch.
pub fn positions_from(cx: &mut Lowering<'_>, offset: ValueId, sequence: usize) -> Result<ValueId, LoweringError> {
    let batch = cx.shape(offset)[0];
    let offset = cx.b.convert(offset, DType::I64);
    let offset = cx.b.reshape(offset, [batch, 1]);
    let count = cx.b.iota(DType::I64, [batch, sequence], 1);
    cx.add(count, offset)
}
