//! Lowering of operations that ONNX Runtime fuses with an activation function, and of embeddings fused with their
//! normalisation.

use super::contraction;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, malformed, unsupported};
use super::normalization::Normalized;
use super::window::{convolve, with_bias};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{Direction, UnaryOp};
use partita_ir::tensor::Scalar;
use smallvec::smallvec;

/// Lowers `FusedGemm`: an activation function of `alpha * x' y' + beta * c`.
pub fn gemm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let sum = contraction::general_product(cx, node)?;
    let parameters: Vec<f64> = ["activation_alpha", "activation_beta", "activation_gamma"]
        .into_iter()
        .map_while(|name| node.has_attribute(name).then(|| node.float(name, 0.0)))
        .collect();
    activated(cx, node, sum, &parameters)
}

/// Lowers `FusedConv`: an activation function of the sum of a convolution, an optional bias and an optional residual.
pub fn convolution(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let out = convolve(cx, node, node.arg(0)?, node.arg(1)?)?;
    let mut out = with_bias(cx, out, node.optional(2))?;
    if let Some(residual) = node.optional(3) {
        out = cx.add(out, residual)?;
    }
    let parameters: Vec<f64> = node.floats("activation_params").unwrap_or_default().iter().map(|&x| x.into()).collect();
    activated(cx, node, out, &parameters)
}

/// Lowers the activation function that an attribute names.
fn activated(cx: &mut Lowering<'_>, node: &Node<'_>, x: ValueId, parameters: &[f64]) -> LoweringResult {
    let out = match (node.text("activation", ""), parameters) {
        ("", _) => x,
        ("Relu", _) => cx.b.unary(UnaryOp::Relu, x),
        ("Sigmoid", _) => cx.b.unary(UnaryOp::Sigmoid, x),
        ("Tanh", _) => cx.b.unary(UnaryOp::Tanh, x),
        ("LeakyRelu", &[alpha, ..]) => {
            let slope = cx.b.splat_like(x, Scalar::Float(alpha));
            cx.b.leaky_relu(x, slope)
        }
        ("HardSigmoid", &[alpha, beta, ..]) => cx.b.hard_sigmoid(x, alpha, beta),
        ("Clip", &[low, high, ..]) => cx.b.clamp(x, Scalar::Float(low), Scalar::Float(high)),
        ("LeakyRelu" | "HardSigmoid" | "Clip", _) => return malformed("lacks parameters of its activation"),
        (other, _) => return unsupported(format!("the activation `{other}`")),
    };
    Ok(smallvec![Out::Value(out)])
}

/// Lowers `EmbedLayerNormalization`: the layer normalisation of the sum of the embeddings of words, positions and
/// segments. The further results are the number of ones of each row of the mask, and the sum.
pub fn embed_layer_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ids = node.arg(0)?;
    let &[batch, sequence] = &cx.shape(ids)[..] else {
        return malformed(format!("embeds {}", cx.b.ty(ids)));
    };
    let words = rows(cx, node.arg(2)?, ids)?;
    let positions = match node.optional(8) {
        Some(positions) => rows(cx, node.arg(3)?, positions)?,
        None => {
            let table = node.arg(3)?;
            match cx.shape(table)[..] {
                [n, _] if n >= sequence => cx.b.slice_dim(table, 0, 0, sequence),
                _ => return malformed(format!("has {} for {sequence} positions", cx.b.ty(table))),
            }
        }
    };
    let mut sum = cx.add(words, positions)?;
    if let (Some(segments), Some(table)) = (node.optional(1), node.optional(4)) {
        let segments = rows(cx, table, segments)?;
        sum = cx.add(sum, segments)?;
    }
    let norm = Normalized::new(sum, node.arg(5)?, node.arg(6)?, 2, node.float("epsilon", 1e-12));
    let out = norm.fused(cx)?;
    let count = match node.optional(7) {
        Some(mask) => {
            if cx.shape(mask)[..] != [batch, sequence] || !cx.dtype(mask).is_int() {
                return malformed(format!("has the mask {}", cx.b.ty(mask)));
            }
            let is_one = cx.compare_scalar(mask, Direction::Eq, Scalar::Int(1));
            let ones = cx.b.convert(is_one, DType::I32);
            cx.b.reduce_dims(Monoid::Sum, ones, [1].into_iter().collect())
        }
        None => cx.b.splat(Type::new(DType::I32, [batch]), Scalar::Int(0)),
    };
    Ok([out, count, sum].into_iter().map(Out::Value).collect())
}

/// Returns the rows of a table that integers select.
fn rows(cx: &mut Lowering<'_>, table: ValueId, ids: ValueId) -> Result<ValueId, LoweringError> {
    match cx.rank(table) == 2 && cx.dtype(ids).is_int() {
        true => Ok(cx.b.take(table, ids, 0)),
        false => malformed(format!("selects rows of {} by {}", cx.b.ty(table), cx.b.ty(ids))),
    }
}
