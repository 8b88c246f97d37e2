//! Lowering of distances between vectors.

use super::lowering::{Lowering, LoweringError, LoweringResult, malformed, single};
use super::node::Node;
use super::reduction::norm_over;
use partita_ir::arena::ValueId;
use partita_ir::ops::BinaryOp;
use partita_ir::syntax::attr::Dims;

/// Maximum number of distances between the vectors of one tensor.
const MAX_PAIRS: usize = 1 << 24;

/// Lowers the distances between all vectors of two tensors, `[.., rows, width]` and `[.., columns, width]`.
pub fn between(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y) = (node.tensor("x1")?, node.tensor("x2")?);
    let order = node.float("p", 2.0)?;
    single(distances(cx, x, y, order)?)
}

/// Lowers the distances between the vectors `[rows, width]` of a tensor: those of each vector to later ones.
pub fn within(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let &[rows, _] = &cx.shape(x)[..] else { return malformed(format!("needs a matrix, not {}", cx.shape(x))) };
    if rows.saturating_mul(rows) > MAX_PAIRS {
        return Err(LoweringError::TooLarge(format!("distances between {rows} vectors")));
    }
    let all = distances(cx, x, x, node.float("p", 2.0)?)?;
    let flat = cx.b.checked_reshape(all, [rows * rows])?;
    let later = (0..rows).flat_map(|row| (row + 1..rows).map(move |column| (row * rows + column) as i64));
    let indices: Vec<i64> = later.collect();
    single(cx.b.pick(flat, 0, &indices))
}

/// Lowers the distances between corresponding vectors, to whose differences `eps` is added.
pub fn pairwise(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let difference = cx.binary(BinaryOp::Sub, node.tensor("x1")?, node.tensor("x2")?)?;
    let difference = cx.b.binary_scalar(BinaryOp::Add, difference, node.float("eps", 1e-6)?);
    let out = norm(cx, difference, node.float("p", 2.0)?);
    single(cx.b.checked_reshape(out, node.result_shape()?.clone())?)
}

/// Appends the distances between all vectors of two tensors.
fn distances(cx: &mut Lowering<'_>, x: ValueId, y: ValueId, order: f64) -> Result<ValueId, LoweringError> {
    let (xs, ys) = (cx.shape(x), cx.shape(y));
    let (Some(lead), Some(lead_y)) = (xs.rank().checked_sub(2), ys.rank().checked_sub(2)) else {
        return malformed(format!("needs matrices, not {xs} and {ys}"));
    };
    if xs[lead + 1] != ys[lead_y + 1] || cx.dtype(x) != cx.dtype(y) {
        return malformed(format!("compares {} with {}", cx.b.ty(x), cx.b.ty(y)));
    }
    let (x, y) = (cx.b.unsqueeze(x, lead + 1), cx.b.unsqueeze(y, lead_y));
    let difference = cx.binary(BinaryOp::Sub, x, y)?;
    Ok(norm(cx, difference, order))
}

/// Appends the norm of the last dimension.
pub fn norm(cx: &mut Lowering<'_>, x: ValueId, order: f64) -> ValueId {
    let last = cx.rank(x).saturating_sub(1);
    norm_over(cx, x, Dims::from_elem(last, 1), order)
}
