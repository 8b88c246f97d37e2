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
pub(super) enum Reduction {
    None,
    Mean,
    Sum,
}

impl Reduction {
    pub fn from_node(node: &Node<'_>) -> Result<Reduction, LoweringError> {
        match node.int("reduction", 1)? {
            0 => Ok(Reduction::None),
            1 => Ok(Reduction::Mean),
            2 => Ok(Reduction::Sum),
            other => malformed(format!("has the reduction {other}")),
        }
    }

    pub fn apply(self, cx: &mut Lowering<'_>, losses: ValueId) -> ValueId {
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

/// Appends the cross-entropy of logits along a dimension, in which ignored labels do not count, and the sum of the
/// weights of the labels that count. Targets may be probabilities of all classes instead of labels.
fn classification(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    logits: ValueId,
    dim: usize,
) -> Result<(ValueId, ValueId), LoweringError> {
    let labels = node.tensor("target")?;
    let (ty, label_type) = (cx.b.ty(logits), cx.b.ty(labels));
    let weights = node.optional("weight")?;
    if let Some(weights) = weights
        && cx.shape(weights)[..] != ty.shape[dim..=dim]
    {
        return malformed(format!("has class weights {} for {ty}", cx.b.ty(weights)));
    }
    if label_type.dtype.is_float() && label_type.shape == ty.shape {
        return of_probabilities(cx, node, (logits, labels, weights), dim);
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
    let own_weights = weights.map(|weights| cx.b.take(weights, labels, 0));
    let mut losses = cx.op("cross_entropy", CrossEntropy {}, &[logits, labels])?;
    if let Some(own) = own_weights {
        losses = cx.b.binary(BinaryOp::Mul, losses, own);
    }
    let smoothing = node.float("label_smoothing", 0.0)?;
    if smoothing != 0.0 {
        // The labels are mixed with a uniform distribution of the classes.
        let mut logs = cx.op("log_softmax", LogSoftmax { dim: rank - 1 }, &[logits])?;
        if let Some(weights) = weights {
            logs = weighted(cx, logs, weights, rank - 1);
        }
        let mean = cx.b.mean_dims(logs, Dims::from_elem(rank - 1, 1));
        let of_uniform = cx.b.binary_scalar(BinaryOp::Mul, mean, -smoothing);
        let of_label = cx.b.binary_scalar(BinaryOp::Mul, losses, 1.0 - smoothing);
        losses = cx.b.binary(BinaryOp::Add, of_label, of_uniform);
    }
    let losses = cx.select_or(counted, losses, Scalar::Float(0.0))?;
    let mut counts = cx.converted(counted, ty.dtype);
    if let Some(own) = own_weights {
        counts = cx.b.binary(BinaryOp::Mul, counts, own);
    }
    let count = Reduction::Sum.apply(cx, counts);
    let loss = match Reduction::from_node(node)? {
        Reduction::Mean => {
            let sum = Reduction::Sum.apply(cx, losses);
            cx.b.binary(BinaryOp::Div, sum, count)
        }
        other => other.apply(cx, losses),
    };
    Ok((loss, count))
}

/// Appends `x` times a weight for each index of a dimension.
fn weighted(cx: &mut Lowering<'_>, x: ValueId, weights: ValueId, dim: usize) -> ValueId {
    let shape = cx.shape(x);
    let weights = cx.b.broadcast(weights, &[dim], shape);
    cx.b.binary(BinaryOp::Mul, x, weights)
}

/// Appends the cross-entropy of logits and probabilities of the classes along a dimension, and the number of positions,
/// by which a mean divides.
fn of_probabilities(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    (logits, targets, weights): (ValueId, ValueId, Option<ValueId>),
    dim: usize,
) -> Result<(ValueId, ValueId), LoweringError> {
    let ty = cx.b.ty(logits);
    let mut targets = cx.converted(targets, ty.dtype);
    let smoothing = node.float("label_smoothing", 0.0)?;
    if smoothing != 0.0 {
        targets = cx.b.binary_scalar(BinaryOp::Mul, targets, 1.0 - smoothing);
        targets = cx.b.binary_scalar(BinaryOp::Add, targets, smoothing / ty.shape[dim].max(1) as f64);
    }
    let mut logs = cx.op("log_softmax", LogSoftmax { dim }, &[logits])?;
    if let Some(weights) = weights {
        logs = weighted(cx, logs, weights, dim);
    }
    let products = cx.b.binary(BinaryOp::Mul, targets, logs);
    let sums = cx.b.reduce(Monoid::Sum, products, dim);
    let losses = cx.b.unary(UnaryOp::Neg, sums);
    let count = cx.b.scalar(ty.dtype, Scalar::Float(cx.shape(losses).count() as f64));
    Ok((Reduction::from_node(node)?.apply(cx, losses), count))
}

/// Lowers the loss of each pair of a prediction and a target, and its reduction. Losses may have weights.
pub fn pairwise(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    loss: impl FnOnce(&mut Lowering<'_>, ValueId, ValueId) -> ValueId,
) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    if dtype == DType::Bool {
        return malformed("has boolean losses");
    }
    let pair = operands(cx, node, ["self", "target"], dtype)?;
    let [x, y] = cx.broadcast_all(pair)?;
    let mut losses = loss(cx, x, y);
    if let Some(weight) = node.optional("weight")? {
        losses = cx.binary(BinaryOp::Mul, losses, weight)?;
    }
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

/// Appends `log(1 + exp(-x * y))`.
pub fn soft_margin(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    let product = cx.b.binary(BinaryOp::Mul, x, y);
    let opposite = cx.b.unary(UnaryOp::Neg, product);
    let exp = cx.b.unary(UnaryOp::Exp, opposite);
    cx.b.unary(UnaryOp::Log1p, exp)
}

/// Lowers the negative log-likelihood of counts, of which `input` is the mean or its logarithm.
pub fn poisson(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let pair = operands(cx, node, ["input", "target"], node.result(0)?.dtype)?;
    let [x, count] = cx.broadcast_all(pair)?;
    let (mean, log) = match node.flag("log_input", true)? {
        true => (cx.b.unary(UnaryOp::Exp, x), x),
        false => {
            let positive = cx.b.binary_scalar(BinaryOp::Add, x, node.float("eps", 1e-8)?);
            (x, cx.b.unary(UnaryOp::Log, positive))
        }
    };
    let product = cx.b.binary(BinaryOp::Mul, count, log);
    let mut losses = cx.b.binary(BinaryOp::Sub, mean, product);
    if node.flag("full", false)? {
        // The approximation of Stirling: `c log c - c + log(2 pi c) / 2` for counts above 1.
        let is_large = cx.compare_scalar(count, Direction::Gt, Scalar::Float(1.0));
        let large = cx.select_or(is_large, count, Scalar::Float(1.0))?;
        let log = cx.b.unary(UnaryOp::Log, large);
        let product = cx.b.binary(BinaryOp::Mul, large, log);
        let difference = cx.b.binary(BinaryOp::Sub, product, large);
        let circle = cx.b.binary_scalar(BinaryOp::Mul, large, std::f64::consts::TAU);
        let log = cx.b.unary(UnaryOp::Log, circle);
        let half = cx.b.binary_scalar(BinaryOp::Mul, log, 0.5);
        let log_factorial = cx.b.binary(BinaryOp::Add, difference, half);
        let log_factorial = cx.select_or(is_large, log_factorial, Scalar::Float(0.0))?;
        losses = cx.b.binary(BinaryOp::Add, losses, log_factorial);
    }
    single(Reduction::from_node(node)?.apply(cx, losses))
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

/// Lowers the binary cross-entropy of logits and probabilities.
pub fn binary_cross_entropy_of_logits(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let shape = cx.shape(node.tensor("self")?);
    let factor = match node.optional("pos_weight")? {
        Some(weight) => Some(cx.expand(weight, &shape)?),
        None => None,
    };
    pairwise(cx, node, |cx, x, y| binary_cross_entropy(cx, (x, y), factor))
}

/// Appends the binary cross-entropy of the logit `x` and the probability `y`: `(1 - y) x - f log_sigmoid(x)`, where `f`
/// is `1 + (factor - 1) y` for a factor of the positive class.
fn binary_cross_entropy(cx: &mut Lowering<'_>, (x, y): (ValueId, ValueId), factor: Option<ValueId>) -> ValueId {
    let one = cx.b.splat_like(y, Scalar::Float(1.0));
    let rest = cx.b.binary(BinaryOp::Sub, one, y);
    let product = cx.b.binary(BinaryOp::Mul, rest, x);
    let mut log = cx.b.log_sigmoid(x);
    if let Some(factor) = factor {
        let more = cx.b.binary(BinaryOp::Sub, factor, one);
        let more = cx.b.binary(BinaryOp::Mul, more, y);
        let factor = cx.b.binary(BinaryOp::Add, more, one);
        log = cx.b.binary(BinaryOp::Mul, log, factor);
    }
    cx.b.binary(BinaryOp::Sub, product, log)
}
