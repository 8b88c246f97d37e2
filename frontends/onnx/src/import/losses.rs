//! Lowering of the losses of classification.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, malformed, single};
use partita_ir::arena::ValueId;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, CrossEntropy, Direction, LogSoftmax, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;
use smallvec::smallvec;

/// Lowers the cross-entropy of scores and labels (`SoftmaxCrossEntropyLoss`), or the negative log-likelihood
/// (`NegativeLogLikelihoodLoss`). If the operand of the latter is a log-softmax, the result is the cross-entropy of its
/// logits.
pub fn cross_entropy(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (scores, labels) = (node.arg(0)?, node.arg(1)?);
    cx.require_float(scores)?;
    let (shape, positions) = (cx.shape(scores), cx.shape(labels));
    let rank = shape.rank();
    if rank < 2 || positions.rank() + 1 != rank || positions[0] != shape[0] || positions[1..] != shape[2..] {
        return malformed(format!("compares {shape} with {positions}"));
    }
    let has_weights = node.optional(2).is_some() || node.has_attribute("ignore_index");
    let from_scores = node.op() == "SoftmaxCrossEntropyLoss";
    let logits = if from_scores { Some(scores) } else { log_softmax_operand(cx, scores) };
    if let Some(logits) = logits
        && !has_weights
        && !node.has_result(1)
    {
        let classes_last: Dims = [0].into_iter().chain(2..rank).chain([1]).collect();
        let logits = cx.b.transpose(logits, classes_last);
        let losses = cx.op("cross_entropy", CrossEntropy {}, &[logits, labels])?;
        return single(reduced(cx, node, losses, None)?);
    }
    let log_probabilities = if from_scores { cx.op("log_softmax", LogSoftmax { dim: 1 }, &[scores])? } else { scores };
    let (losses, weights) = weighted_losses(cx, node, log_probabilities, labels)?;
    let loss = reduced(cx, node, losses, weights)?;
    Ok(smallvec![Out::Value(loss), Out::Value(log_probabilities)])
}

/// Returns the logits if a value is their log-softmax over classes.
fn log_softmax_operand(cx: &Lowering<'_>, value: ValueId) -> Option<ValueId> {
    let ops = &cx.b.program.ops;
    let maker = cx.b.body.iter().rev().map(|&op| &ops[op]).find(|op| op.outs.contains(&value))?;
    matches!(&maker.kind, OpKind::LogSoftmax(l) if l.dim == 1).then(|| maker.args[0])
}

/// Returns the loss of each label times the weight of its class, and the weights. Ignored labels have the weight 0.
fn weighted_losses(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    log_probabilities: ValueId,
    labels: ValueId,
) -> Result<(ValueId, Option<ValueId>), LoweringError> {
    let (positions, mut one_class) = (cx.shape(labels), cx.shape(log_probabilities));
    let counted = node.has_attribute("ignore_index").then(|| {
        let ignored = Scalar::Int(node.int("ignore_index", 0));
        cx.compare_scalar(labels, Direction::Ne, ignored)
    });
    // An ignored label need not be a class.
    let labels = match counted {
        Some(counted) => cx.select_or(counted, labels, Scalar::Int(0))?,
        None => labels,
    };
    one_class[1] = 1;
    let index = cx.b.reshape(labels, one_class);
    let picked = cx.b.take_along(log_probabilities, index, 1);
    let picked = cx.b.reshape(picked, positions.clone());
    let mut losses = cx.b.unary(UnaryOp::Neg, picked);
    let mut weights = match node.optional(2) {
        Some(weights) if cx.rank(weights) == 1 => {
            let weights = cx.b.take(weights, labels, 0);
            losses = cx.mul(losses, weights)?;
            Some(weights)
        }
        Some(weights) => return malformed(format!("has the class weights {}", cx.b.ty(weights))),
        None => None,
    };
    if let Some(counted) = counted {
        losses = cx.select_or(counted, losses, Scalar::Float(0.0))?;
        let all = match weights {
            Some(weights) => weights,
            None => cx.b.splat_like(losses, Scalar::Float(1.0)),
        };
        weights = Some(cx.select_or(counted, all, Scalar::Float(0.0))?);
    }
    Ok((losses, weights))
}

/// Applies the attribute `reduction` to the losses; the mean is weighted.
fn reduced(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    losses: ValueId,
    weights: Option<ValueId>,
) -> Result<ValueId, LoweringError> {
    let all: Dims = (0..cx.rank(losses)).collect();
    Ok(match (node.text("reduction", "mean"), weights) {
        ("none", _) => losses,
        ("sum", _) => cx.b.reduce_dims(Monoid::Sum, losses, all),
        ("mean", None) => cx.b.mean_dims(losses, all),
        ("mean", Some(weights)) => {
            let sum = cx.b.reduce_dims(Monoid::Sum, losses, all.clone());
            let total = cx.b.reduce_dims(Monoid::Sum, weights, all);
            cx.b.binary(BinaryOp::Div, sum, total)
        }
        (other, _) => return malformed(format!("has the reduction `{other}`")),
    })
}
