//! Lowering of the optimizers of the domain `ai.onnx.preview.training`: each has the learning rate, the number of the
//! step, parameters, their gradients and states as operands, and returns the new parameters and states.

use super::elementwise::converted;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, Outs, malformed};
use partita_ir::arena::ValueId;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::Scalar;

/// Operands of an optimizer.
struct Operands {
    rate: ValueId,
    step: ValueId,
    /// Parameter, gradient and states, of each parameter.
    groups: Vec<Vec<ValueId>>,
}

impl Operands {
    /// Returns the operands of a node with the given number of states of each parameter.
    fn from_node(node: &Node<'_>, states: usize) -> Result<Operands, LoweringError> {
        let args = node.all_args()?;
        let [rate, step, tensors @ ..] = &args[..] else { return malformed("lacks its rate and step") };
        let count = tensors.len() / (states + 2);
        if count == 0 || !tensors.len().is_multiple_of(states + 2) {
            return malformed(format!("has {} tensors, not {} for each parameter", tensors.len(), states + 2));
        }
        let group = |i: usize| (0..states + 2).map(|part| tensors[part * count + i]).collect();
        Ok(Operands { rate: *rate, step: *step, groups: (0..count).map(group).collect() })
    }
}

/// Returns the results of an optimizer: the new parameters, then each state of all parameters.
fn results(updated: &[Vec<ValueId>]) -> LoweringResult {
    let parts = updated.first().map_or(0, Vec::len);
    Ok((0..parts).flat_map(|part| updated.iter().map(move |group| Out::Value(group[part]))).collect::<Outs>())
}

impl Lowering<'_> {
    fn times(&mut self, x: ValueId, factor: f64) -> ValueId {
        self.b.binary_scalar(BinaryOp::Mul, x, factor)
    }

    /// Appends `a x + b y`.
    fn blend(&mut self, (a, x): (f64, ValueId), (b, y): (f64, ValueId)) -> Result<ValueId, LoweringError> {
        let (x, y) = (self.times(x, a), self.times(y, b));
        self.add(x, y)
    }

    /// Appends the gradient with the gradient of an L2 penalty of `x`.
    fn regularized(&mut self, node: &Node<'_>, x: ValueId, gradient: ValueId) -> Result<ValueId, LoweringError> {
        match node.float("norm_coefficient", 0.0) {
            0.0 => Ok(gradient),
            factor => self.blend((factor, x), (1.0, gradient)),
        }
    }
}

/// Lowers a step of Adagrad (Duchi et al. 2011), whose state is the sum of squared gradients.
pub fn adagrad(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let operands = Operands::from_node(node, 1)?;
    let mut updated = Vec::new();
    for group in &operands.groups {
        let [x, gradient, sum] = group[..] else { return malformed("lacks a state") };
        let dtype = cx.dtype(x);
        let (rate, step) = (converted(cx, operands.rate, dtype), converted(cx, operands.step, dtype));
        let decay = cx.times(step, node.float("decay_factor", 0.0));
        let decay = cx.b.binary_scalar(BinaryOp::Add, decay, 1.0);
        let rate = cx.div(rate, decay)?;
        let gradient = cx.regularized(node, x, gradient)?;
        let square = cx.mul(gradient, gradient)?;
        let sum = cx.add(sum, square)?;
        let root = cx.b.unary(UnaryOp::Sqrt, sum);
        let root = cx.b.binary_scalar(BinaryOp::Add, root, node.float("epsilon", 1e-6));
        let scaled = cx.mul(rate, gradient)?;
        let change = cx.div(scaled, root)?;
        updated.push(vec![cx.sub(x, change)?, sum]);
    }
    results(&updated)
}

/// Lowers a step of gradient descent with momentum (Sutskever et al. 2013), whose state is the momentum.
pub fn momentum(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let operands = Operands::from_node(node, 1)?;
    let alpha = node.float("alpha", 0.0);
    let first = cx.compare_scalar(operands.step, Direction::Le, Scalar::Int(0));
    let mut updated = Vec::new();
    for group in &operands.groups {
        let [x, gradient, momentum] = group[..] else { return malformed("lacks a state") };
        let gradient = cx.regularized(node, x, gradient)?;
        // The first step has the full gradient.
        let later = cx.times(gradient, node.float("beta", 0.0));
        let weighted = cx.select(first, gradient, later)?;
        let kept = cx.times(momentum, alpha);
        let momentum = cx.add(kept, weighted)?;
        let direction = match node.text("mode", "") {
            "standard" => momentum,
            "nesterov" => cx.blend((1.0, gradient), (alpha, momentum))?,
            other => return malformed(format!("has the mode `{other}`")),
        };
        let dtype = cx.dtype(x);
        let rate = converted(cx, operands.rate, dtype);
        let change = cx.mul(rate, direction)?;
        updated.push(vec![cx.sub(x, change)?, momentum]);
    }
    results(&updated)
}

/// Lowers a step of Adam (Kingma and Ba 2015), whose states are averages of gradients and of their squares.
pub fn adam(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let operands = Operands::from_node(node, 2)?;
    let (alpha, beta) = (node.float("alpha", 0.9), node.float("beta", 0.999));
    let first = cx.compare_scalar(operands.step, Direction::Le, Scalar::Int(0));
    let mut updated = Vec::new();
    for group in &operands.groups {
        let [x, gradient, average, squares] = group[..] else { return malformed("lacks a state") };
        let gradient = cx.regularized(node, x, gradient)?;
        let average = cx.blend((alpha, average), (1.0 - alpha, gradient))?;
        let square = cx.mul(gradient, gradient)?;
        let squares = cx.blend((beta, squares), (1.0 - beta, square))?;
        let root = cx.b.unary(UnaryOp::Sqrt, squares);
        let root = cx.b.binary_scalar(BinaryOp::Add, root, node.float("epsilon", 1e-6));
        let dtype = cx.dtype(x);
        let (rate, step) = (converted(cx, operands.rate, dtype), converted(cx, operands.step, dtype));
        // `1 - decay^step`, the part of an average that the gradients so far determine.
        let part = |cx: &mut Lowering<'_>, decay: f64| {
            let decay = cx.b.splat_like(step, Scalar::Float(decay));
            let power = cx.b.binary(BinaryOp::Pow, decay, step);
            let negative = cx.b.unary(UnaryOp::Neg, power);
            cx.b.binary_scalar(BinaryOp::Add, negative, 1.0)
        };
        let squares_part = part(cx, beta);
        let squares_part = cx.b.unary(UnaryOp::Sqrt, squares_part);
        let average_part = part(cx, alpha);
        let correction = cx.div(squares_part, average_part)?;
        let corrected = cx.mul(rate, correction)?;
        let rate = cx.select(first, rate, corrected)?;
        let scaled = cx.mul(rate, average)?;
        let change = cx.div(scaled, root)?;
        let new = cx.sub(x, change)?;
        let new = cx.times(new, 1.0 - node.float("norm_coefficient_post", 0.0));
        updated.push(vec![new, average, squares]);
    }
    results(&updated)
}
