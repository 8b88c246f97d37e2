//! Lowering of activation functions.

use super::legacy;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, malformed, single, unsupported};
use partita_ir::ops::{BinaryOp, Direction, Gelu, UnaryOp};
use partita_ir::tensor::Scalar;

/// Lowers an activation function whose parameters are attributes.
pub fn activation(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let zero = |cx: &mut Lowering<'_>| cx.b.splat_like(x, Scalar::Float(0.0));
    // Computes `x > 0 ? x : scale * (exp(x / by) - 1)`.
    let exponential = |cx: &mut Lowering<'_>, scale: f64, by: f64| {
        let small = cx.b.binary_scalar(BinaryOp::Min, x, 0.0);
        let small = if by == 1.0 { small } else { cx.b.binary_scalar(BinaryOp::Div, small, by) };
        let below = cx.b.unary(UnaryOp::Expm1, small);
        let below = if scale == 1.0 { below } else { cx.b.binary_scalar(BinaryOp::Mul, below, scale) };
        let zero = cx.b.splat_like(x, Scalar::Float(0.0));
        let positive = cx.b.compare(x, Direction::Gt, zero);
        cx.b.select(positive, x, below)
    };
    let y = match node.op() {
        "LeakyRelu" => {
            let slope = cx.b.splat_like(x, Scalar::Float(node.float("alpha", 0.01)));
            cx.b.leaky_relu(x, slope)
        }
        "Elu" => exponential(cx, node.float("alpha", 1.0), 1.0),
        "Celu" => {
            let alpha = node.float("alpha", 1.0);
            exponential(cx, alpha, alpha)
        }
        "Selu" => {
            let alpha = node.float("alpha", 1.673_263_2);
            let elu = exponential(cx, alpha, 1.0);
            cx.b.binary_scalar(BinaryOp::Mul, elu, node.float("gamma", 1.050_701))
        }
        "ThresholdedRelu" => {
            let bound = cx.b.splat_like(x, Scalar::Float(node.float("alpha", 1.0)));
            let above = cx.b.compare(x, Direction::Gt, bound);
            let zero = zero(cx);
            cx.b.select(above, x, zero)
        }
        "HardSigmoid" => cx.b.hard_sigmoid(x, node.float("alpha", 0.2), node.float("beta", 0.5)),
        "HardSwish" => {
            let gate = cx.b.hard_sigmoid(x, 1.0 / 6.0, 0.5);
            cx.b.binary(BinaryOp::Mul, x, gate)
        }
        "Softplus" => cx.b.softplus(x),
        "Mish" => {
            let plus = cx.b.softplus(x);
            let gate = cx.b.unary(UnaryOp::Tanh, plus);
            cx.b.binary(BinaryOp::Mul, x, gate)
        }
        "Softsign" => {
            let size = cx.b.unary(UnaryOp::Abs, x);
            let below = cx.b.binary_scalar(BinaryOp::Add, size, 1.0);
            cx.b.binary(BinaryOp::Div, x, below)
        }
        "Swish" => cx.b.swish(x, node.float("alpha", 1.0)),
        "QuickGelu" => cx.b.swish(x, node.float("alpha", 1.702)),
        "Gelu" => {
            let tanh = match node.text("approximate", "none") {
                "none" => false,
                "tanh" => true,
                other => return unsupported(format!("the approximation `{other}`")),
            };
            cx.op("gelu", Gelu { tanh, ..Gelu::default() }, &[x])?
        }
        _ => return Err(LoweringError::Unsupported),
    };
    single(y)
}

/// Lowers a leaky ReLU with a learned slope, which broadcasts to `x`.
pub fn prelu(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, slope) = (node.arg(0)?, node.arg(1)?);
    let shape = cx.shape(x);
    let slope = legacy::slope(cx, node, x, slope)?;
    let slope = cx.expand(slope, &shape)?;
    single(cx.b.leaky_relu(x, slope))
}

/// Lowers the GELU of the sum of `x` and an optional bias, by its approximation with `tanh` or exact.
pub fn bias_gelu(cx: &mut Lowering<'_>, node: &Node<'_>, tanh: bool) -> LoweringResult {
    let mut x = node.arg(0)?;
    cx.require_float(x)?;
    if let Some(bias) = node.optional(1) {
        x = cx.add(x, bias)?;
    }
    single(cx.op("gelu", Gelu { tanh, ..Gelu::default() }, &[x])?)
}

/// Lowers `gate sigmoid(alpha gate) x`.
pub fn swiglu(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (gate, x) = (node.arg(0)?, node.arg(1)?);
    cx.require_float(gate)?;
    if cx.b.ty(gate) != cx.b.ty(x) {
        return malformed(format!("has a gate of {} for {}", cx.b.ty(gate), cx.b.ty(x)));
    }
    let gate = cx.b.swish(gate, node.float("alpha", 1.0));
    single(cx.b.binary(BinaryOp::Mul, gate, x))
}

/// Lowers the shrinkage by `bias` of elements beyond `lambd`; others become 0.
pub fn shrink(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let (bias, bound) = (node.float("bias", 0.0), node.float("lambd", 0.5));
    let [below, above] = [(Direction::Lt, -bound), (Direction::Gt, bound)].map(|(direction, bound)| {
        let wide = if cx.dtype(x).is_float() { x } else { cx.b.convert(x, partita_ir::dtype::DType::F32) };
        cx.compare_scalar(wide, direction, Scalar::Float(bound))
    });
    let raised = cx.b.binary_scalar(BinaryOp::Add, x, bias);
    let lowered = cx.b.binary_scalar(BinaryOp::Sub, x, bias);
    let rest = cx.select_or(above, lowered, Scalar::Int(0))?;
    single(cx.b.select(below, raised, rest))
}
