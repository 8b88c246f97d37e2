//! Lowering of losses.

use super::lowering::{Lowering, LoweringError, LoweringResult, all, dim, malformed, single, unsupported};
use super::node::Node;
use super::promotion::operands;
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, CrossEntropy, Direction, LogSoftmax, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Reduction of the losses of all positions, by its number in PyTorch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reduction {
    None,
    Mean,
    Sum,
}

impl Reduction {
    fn from_node(node: &Node<'_>) -> Result<Reduction, LoweringError> {
        match node.int("reduction", 1)? {
            0 => Ok(Reduction::None),
            1 => Ok(Reduction::Mean),
            2 => Ok(Reduction::Sum),
            other => malformed(format!("has the reduction {other}")),
        }
    }

    fn apply(self, cx: &mut Lowering<'_>, losses: ValueId) -> ValueId {
        let all: Dims = (0..cx.rank(losses)).collect();
        match self {
            Reduction::None => losses,
            Reduction::Mean => cx.b.mean_dims(losses, all),
            Reduction::Sum => cx.b.reduce_dims(Monoid::Sum, losses, all),
        }
    }
}

/// Lowers the cross-entropy of logits along dimension 1, or of a vector, and labels.
pub fn cross_entropy(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let logits = node.tensor("self")?;
    let (outs, _) = classification(cx, node, logits, usize::from(cx.rank(logits) > 1))?;
    single(outs)
}

/// Lowers the negative log-likelihood of log-probabilities along dimension 1, or of a vector, and labels. The second
/// result of the native form is the number of labels.
pub fn negative_log_likelihood(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let log_probabilities = node.tensor("self")?;
    let dim = usize::from(cx.rank(log_probabilities) > 1);
    let Some(&(logits, _)) = cx.logits.get(&log_probabilities).filter(|(_, of)| *of == dim) else {
        // The log-softmax of log-probabilities is the identity.
        let (out, count) = classification(cx, node, log_probabilities, dim)?;
        return all([out, count]);
    };
    let (out, count) = classification(cx, node, logits, dim)?;
    all([out, count])
}

/// Appends the cross-entropy of logits along a dimension, in which ignored labels do not count, and the number of
/// labels that count.
fn classification(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    logits: ValueId,
    dim: usize,
) -> Result<(ValueId, ValueId), LoweringError> {
    let labels = node.tensor("target")?;
    let (ty, label_type) = (cx.b.ty(logits), cx.b.ty(labels));
    if node.has("weight") {
        return unsupported("class weights");
    }
    if !label_type.dtype.is_int() || label_type.shape.rank() + 1 != ty.shape.rank() {
        return unsupported(format!("labels of {label_type} for {ty}"));
    }
    let rank = ty.shape.rank();
    let classes_last: Dims = (0..rank).filter(|&d| d != dim).chain([dim]).collect();
    let logits = cx.b.transpose(logits, classes_last);
    let counted = cx.compare_scalar(labels, Direction::Ne, Scalar::Int(node.int("ignore_index", -100)?));
    // An ignored label need not be a class.
    let labels = cx.select_or(counted, labels, Scalar::Int(0))?;
    let mut losses = cx.op("cross_entropy", CrossEntropy {}, &[logits, labels])?;
    let smoothing = node.float("label_smoothing", 0.0)?;
    if smoothing != 0.0 {
        // The labels are mixed with a uniform distribution of the classes.
        let logs = cx.op("log_softmax", LogSoftmax { dim: rank - 1 }, &[logits])?;
        let mean = cx.b.mean_dims(logs, Dims::from_elem(rank - 1, 1));
        let of_uniform = cx.b.binary_scalar(BinaryOp::Mul, mean, -smoothing);
        let of_label = cx.b.binary_scalar(BinaryOp::Mul, losses, 1.0 - smoothing);
        losses = cx.b.binary(BinaryOp::Add, of_label, of_uniform);
    }
    let losses = cx.select_or(counted, losses, Scalar::Float(0.0))?;
    let weights = cx.converted(counted, ty.dtype);
    let count = Reduction::Sum.apply(cx, weights);
    let loss = match Reduction::from_node(node)? {
        Reduction::Mean => {
            let sum = Reduction::Sum.apply(cx, losses);
            cx.b.binary(BinaryOp::Div, sum, count)
        }
        other => other.apply(cx, losses),
    };
    Ok((loss, count))
}

/// Lowers the loss of each pair of a prediction and a target, and its reduction.
pub fn pairwise(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    loss: impl FnOnce(&mut Lowering<'_>, ValueId, ValueId) -> ValueId,
) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    if dtype == DType::Bool || node.has("weight") || node.has("pos_weight") {
        return unsupported("weights");
    }
    let pair = operands(cx, node, ["self", "target"], dtype)?;
    let [x, y] = cx.broadcast_all(pair)?;
    let losses = loss(cx, x, y);
    let reduction = Reduction::from_node(node)?;
    single(reduction.apply(cx, losses))
}

/// Appends `(x - y)^2`.
pub fn squared_error(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    let difference = cx.b.binary(BinaryOp::Sub, x, y);
    cx.b.binary(BinaryOp::Mul, difference, difference)
}

/// Appends `|x - y|`.
pub fn absolute_error(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    let difference = cx.b.binary(BinaryOp::Sub, x, y);
    cx.b.unary(UnaryOp::Abs, difference)
}

/// Appends the loss of Huber: `(x - y)^2 / 2` up to `|x - y| = delta`, and `delta (|x - y| - delta / 2)` above.
pub fn huber(cx: &mut Lowering<'_>, (x, y): (ValueId, ValueId), delta: f64) -> ValueId {
    let error = absolute_error(cx, x, y);
    let square = cx.b.binary(BinaryOp::Mul, error, error);
    let square = cx.b.binary_scalar(BinaryOp::Mul, square, 0.5);
    let linear = cx.b.binary_scalar(BinaryOp::Sub, error, delta / 2.0);
    let linear = cx.b.binary_scalar(BinaryOp::Mul, linear, delta);
    let is_small = cx.compare_scalar(error, Direction::Lt, Scalar::Float(delta));
    cx.b.select(is_small, square, linear)
}

/// Appends the L1 loss that is smooth below `beta`: the loss of Huber divided by `beta`.
pub fn smooth_absolute_error(cx: &mut Lowering<'_>, pair: (ValueId, ValueId), beta: f64) -> ValueId {
    if beta == 0.0 {
        return absolute_error(cx, pair.0, pair.1);
    }
    let loss = huber(cx, pair, beta);
    cx.b.binary_scalar(BinaryOp::Mul, loss, beta.recip())
}

/// Appends the Kullback-Leibler divergence of the log-probability `x` from the probability `y`, or from its logarithm.
pub fn divergence(cx: &mut Lowering<'_>, x: ValueId, y: ValueId, is_log: bool) -> ValueId {
    if is_log {
        let difference = cx.b.binary(BinaryOp::Sub, y, x);
        let probability = cx.b.unary(UnaryOp::Exp, y);
        return cx.b.binary(BinaryOp::Mul, probability, difference);
    }
    // The term of the probability 0 is 0.
    let is_positive = cx.compare_scalar(y, Direction::Gt, Scalar::Float(0.0));
    let one = cx.b.splat_like(y, Scalar::Float(1.0));
    let positive = cx.b.select(is_positive, y, one);
    let log = cx.b.unary(UnaryOp::Log, positive);
    let difference = cx.b.binary(BinaryOp::Sub, log, x);
    cx.b.binary(BinaryOp::Mul, y, difference)
}

/// Appends the binary cross-entropy of the probabilities `x` and `y`, with logarithms of at least -100.
pub fn binary_cross_entropy_of_probabilities(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    let one = cx.b.splat_like(x, Scalar::Float(1.0));
    let [rest_x, rest_y] = [x, y].map(|of| cx.b.binary(BinaryOp::Sub, one, of));
    let least = cx.b.splat_like(x, Scalar::Float(-100.0));
    let [of_x, of_rest] = [(x, y), (rest_x, rest_y)].map(|(probability, weight)| {
        let log = cx.b.unary(UnaryOp::Log, probability);
        let log = cx.b.binary(BinaryOp::Max, log, least);
        cx.b.binary(BinaryOp::Mul, weight, log)
    });
    let sum = cx.b.binary(BinaryOp::Add, of_x, of_rest);
    cx.b.unary(UnaryOp::Neg, sum)
}

/// Lowers the cosine of the angle between vectors along a dimension. Norms are at least `eps`.
pub fn cosine_similarity(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let pair = operands(cx, node, ["x1", "x2"], dtype)?;
    let [x, y] = cx.broadcast_all(pair)?;
    let dim = Dims::from_elem(dim(node.int("dim", 1)?, cx.rank(x))?, 1);
    let product = |cx: &mut Lowering<'_>, x: ValueId, y: ValueId| {
        let products = cx.b.binary(BinaryOp::Mul, x, y);
        cx.b.reduce_dims(Monoid::Sum, products, dim.clone())
    };
    let mut cosine = product(cx, x, y);
    let eps = node.float("eps", 1e-8)?;
    for vector in [x, y] {
        let square = product(cx, vector, vector);
        let norm = cx.b.unary(UnaryOp::Sqrt, square);
        let least = cx.b.splat_like(norm, Scalar::Float(eps));
        let norm = cx.b.binary(BinaryOp::Max, norm, least);
        cosine = cx.b.binary(BinaryOp::Div, cosine, norm);
    }
    single(cosine)
}

/// Appends the binary cross-entropy of the logit `x` and the probability `y`: `(1 - y) x - log_sigmoid(x)`.
pub fn binary_cross_entropy(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    let one = cx.b.splat_like(y, Scalar::Float(1.0));
    let rest = cx.b.binary(BinaryOp::Sub, one, y);
    let product = cx.b.binary(BinaryOp::Mul, rest, x);
    let log = cx.b.log_sigmoid(x);
    cx.b.binary(BinaryOp::Sub, product, log)
}
