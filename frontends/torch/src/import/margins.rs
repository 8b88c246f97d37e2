//! Lowering of losses that are zero beyond a margin.

use super::distance::norm;
use super::losses::Reduction;
use super::lowering::{Lowering, LoweringError, LoweringResult, malformed, single};
use super::node::Node;
use super::promotion::operands;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, Iota, UnaryOp};
use partita_ir::tensor::Scalar;

/// Lowers `max(0, margin - target * (x - y))`.
pub fn ranking(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, y, target] = operands(cx, node, ["input1", "input2", "target"], node.result(0)?.dtype)?;
    let difference = cx.binary(BinaryOp::Sub, x, y)?;
    let ahead = cx.binary(BinaryOp::Mul, target, difference)?;
    let losses = below_margin(cx, ahead, node.float("margin", 0.0)?);
    single(Reduction::from_node(node)?.apply(cx, losses))
}

/// Lowers the distance for the target 1, and by how much the distance is below the margin for the target -1.
pub fn hinge_embedding(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let pair = operands(cx, node, ["self", "target"], node.result(0)?.dtype)?;
    let [x, target] = cx.broadcast_all(pair)?;
    let missing = below_margin(cx, x, node.float("margin", 1.0)?);
    let [is_unlike, is_like] = [1.0, -1.0].map(|t| cx.compare_scalar(target, Direction::Ne, Scalar::Float(t)));
    let of_unlike = cx.select_or(is_unlike, missing, Scalar::Float(0.0))?;
    let of_like = cx.select_or(is_like, x, Scalar::Float(0.0))?;
    let losses = cx.b.binary(BinaryOp::Add, of_unlike, of_like);
    single(Reduction::from_node(node)?.apply(cx, losses))
}

/// Lowers `1 - cosine` of two vectors for the target 1, and by how much the cosine exceeds the margin for the
/// target -1.
pub fn cosine_embedding(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let pair = operands(cx, node, ["input1", "input2"], dtype)?;
    let [x, y] = cx.broadcast_all(pair)?;
    let Some(last) = cx.rank(x).checked_sub(1) else { return malformed("compares scalars") };
    let mut product = |x: ValueId, y: ValueId| {
        let products = cx.b.binary(BinaryOp::Mul, x, y);
        cx.b.reduce(Monoid::Sum, products, last)
    };
    let [dot, xx, yy] = [product(x, y), product(x, x), product(y, y)];
    let [xx, yy] = [xx, yy].map(|square| cx.b.binary_scalar(BinaryOp::Add, square, 1e-12));
    let norms = cx.b.binary(BinaryOp::Mul, xx, yy);
    let norms = cx.b.unary(UnaryOp::Sqrt, norms);
    let cosine = cx.b.binary(BinaryOp::Div, dot, norms);

    let one = cx.b.splat_like(cosine, Scalar::Float(1.0));
    let of_like = cx.b.binary(BinaryOp::Sub, one, cosine);
    let above = cx.b.binary_scalar(BinaryOp::Sub, cosine, node.float("margin", 0.0)?);
    let of_unlike = cx.b.unary(UnaryOp::Relu, above);
    let target = node.tensor("target")?;
    let target = cx.converted(target, dtype);
    let [is_like, is_unlike] = [1.0, -1.0].map(|t| cx.compare_scalar(target, Direction::Eq, Scalar::Float(t)));
    let of_like = cx.select_or(is_like, of_like, Scalar::Float(0.0))?;
    let of_unlike = cx.select_or(is_unlike, of_unlike, Scalar::Float(0.0))?;
    let losses = cx.binary(BinaryOp::Add, of_like, of_unlike)?;
    single(Reduction::from_node(node)?.apply(cx, losses))
}

/// Lowers by how much less than the margin a vector is closer to a positive than to a negative example.
pub fn triplet(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let vectors = operands(cx, node, ["anchor", "positive", "negative"], node.result(0)?.dtype)?;
    let [anchor, positive, negative] = vectors;
    let (order, eps) = (node.float("p", 2.0)?, node.float("eps", 1e-6)?);
    let mut distance = |x: ValueId, y: ValueId| -> Result<ValueId, LoweringError> {
        let difference = cx.binary(BinaryOp::Sub, x, y)?;
        let difference = cx.b.binary_scalar(BinaryOp::Add, difference, eps);
        match cx.rank(difference) {
            0 => malformed("compares scalars"),
            _ => Ok(norm(cx, difference, order)),
        }
    };
    let near = distance(anchor, positive)?;
    let mut far = distance(anchor, negative)?;
    if node.flag("swap", false)? {
        let between = distance(positive, negative)?;
        far = cx.binary(BinaryOp::Min, far, between)?;
    }
    let ahead = cx.binary(BinaryOp::Sub, far, near)?;
    let losses = below_margin(cx, ahead, node.float("margin", 1.0)?);
    single(Reduction::from_node(node)?.apply(cx, losses))
}

/// Lowers the mean over the classes of by how much less than the margin the logit of the label exceeds the others, to
/// the power 1 or 2.
pub fn of_classes(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (logits, labels) = (node.tensor("self")?, node.tensor("target")?);
    let (ty, label_type) = (cx.b.ty(logits), cx.b.ty(labels));
    let Some(last) = ty.shape.rank().checked_sub(1) else { return malformed("has no classes") };
    let batch = Shape::from(&ty.shape[..last]);
    if label_type.shape.count() != batch.count() || !label_type.dtype.is_int() {
        return malformed(format!("has the labels {label_type} for {ty}"));
    }
    let column = cx.b.reshape(labels, batch.iter().copied().chain([1]).collect::<Shape>());
    let own = cx.b.take_along(logits, column, last);
    let ahead = cx.binary(BinaryOp::Sub, own, logits)?;
    let mut losses = below_margin(cx, ahead, node.float("margin", 1.0)?);
    if node.float("p", 1.0)? == 2.0 {
        losses = cx.b.binary(BinaryOp::Mul, losses, losses);
    }
    if let Some(weights) = node.optional("weight")? {
        let weights = cx.b.take(weights, column, 0);
        losses = cx.binary(BinaryOp::Mul, losses, weights)?;
    }
    let class = cx.b.op("class", Iota { dim: last }, &[], Type { dtype: label_type.dtype, shape: ty.shape.clone() });
    let labels = cx.expand(column, &ty.shape)?;
    let is_other = cx.b.compare(class, Direction::Ne, labels);
    let losses = cx.select_or(is_other, losses, Scalar::Float(0.0))?;
    let losses = cx.b.mean_dims(losses, [last].into_iter().collect());
    single(Reduction::from_node(node)?.apply(cx, losses))
}

/// Appends `max(0, margin - x)`.
fn below_margin(cx: &mut Lowering<'_>, x: ValueId, margin: f64) -> ValueId {
    let margin = cx.b.splat_like(x, Scalar::Float(margin));
    let missing = cx.b.binary(BinaryOp::Sub, margin, x);
    cx.b.unary(UnaryOp::Relu, missing)
}
