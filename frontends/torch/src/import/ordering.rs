//! Lowering of sorting and the largest elements.

use super::lowering::{Lowering, LoweringError, LoweringResult, dim, malformed, size};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{TopK, UnaryOp};
use smallvec::smallvec;

/// Lowers the `k` largest or smallest elements along a dimension, in order, and their indices.
pub fn top_k(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let k = size(node.required_int("k")?, "number of elements")?;
    let [values, indices] = ordered(cx, node, Some(k), node.flag("largest", true)?)?;
    Ok(smallvec![Some(values), Some(indices)])
}

/// Lowers a sort along a dimension, and the indices of the sorted elements. Equal elements retain their order.
pub fn sort(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [values, indices] = ordered(cx, node, None, node.flag("descending", false)?)?;
    Ok(smallvec![Some(values), Some(indices)])
}

/// Lowers the indices of the sorted elements.
pub fn arg_sort(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [_, indices] = ordered(cx, node, None, node.flag("descending", false)?)?;
    Ok(smallvec![Some(indices)])
}

/// Appends the first `k` elements (`None` for all) along a dimension in descending or ascending order, and their
/// indices. The smallest elements are the largest of the negated floats, or of the complements of integers.
fn ordered(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    k: Option<usize>,
    descending: bool,
) -> Result<[ValueId; 2], LoweringError> {
    let x = node.tensor("self")?;
    let ty = cx.b.ty(x);
    let rank = ty.shape.rank();
    if rank == 0 {
        return malformed("needs a dimension");
    }
    let dim = dim(node.int("dim", -1)?, rank)?;
    let k = k.unwrap_or(ty.shape[dim]);
    let opposite = if ty.dtype.is_float() { UnaryOp::Neg } else { UnaryOp::Not };
    let mut rows = cx.b.swap_dims(x, dim, rank - 1);
    if !descending {
        rows = cx.b.unary(opposite, rows);
    }
    let mut shape = cx.shape(rows);
    if k > shape[rank - 1] {
        return malformed(format!("selects {k} of {} elements", shape[rank - 1]));
    }
    shape[rank - 1] = k;
    let types = [Type { shape: shape.clone(), dtype: ty.dtype }, Type { shape, dtype: DType::I32 }];
    let outs = cx.b.op_many("top_k", TopK { k }, &[rows], &types);
    let (mut values, indices) = (outs[0], outs[1]);
    if !descending {
        values = cx.b.unary(opposite, values);
    }
    let indices = cx.b.convert(indices, DType::I64);
    Ok([values, indices].map(|v| cx.b.swap_dims(v, dim, rank - 1)))
}
