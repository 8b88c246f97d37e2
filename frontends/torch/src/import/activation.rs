//! Lowering of activation functions and dropout.

use super::lowering::{
    Lowering, LoweringError, LoweringResult, all, dim, first_of, first_operand, malformed, single, unsupported,
};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, Direction, Gelu, UnaryOp};
use partita_ir::tensor::Scalar;

/// Lowers an activation function of floats whose parameters are numbers.
pub fn activation(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    if !cx.dtype(x).is_float() {
        return malformed(format!("needs floats, not {}", cx.b.ty(x)));
    }
    single(match node.op {
        "gelu" => {
            let tanh = match node.text("approximate")? {
                None | Some("none") => false,
                Some("tanh") => true,
                Some(other) => return unsupported(format!("the approximation `{other}`")),
            };
            cx.op("gelu", Gelu { tanh, ..Gelu::default() }, &[x])?
        }
        "silu" => cx.b.swish(x, 1.0),
        "leaky_relu" => {
            let slope = node.float("negative_slope", 0.01)?;
            let slope = cx.b.splat_like(x, Scalar::Float(slope));
            cx.b.leaky_relu(x, slope)
        }
        "elu" => {
            let (alpha, scale) = (node.float("alpha", 1.0)?, node.float("scale", 1.0)?);
            exponential(cx, x, [alpha * scale, scale, node.float("input_scale", 1.0)?])
        }
        "celu" => {
            let alpha = node.float("alpha", 1.0)?;
            if alpha == 0.0 {
                return malformed("has the alpha 0");
            }
            exponential(cx, x, [alpha, 1.0, alpha.recip()])
        }
        "selu" => {
            let (alpha, scale) = (1.673_263_242_354_377_2, 1.050_700_987_355_480_5);
            exponential(cx, x, [alpha * scale, scale, 1.0])
        }
        "hardsigmoid" => cx.b.hard_sigmoid(x, 1.0 / 6.0, 0.5),
        "hardswish" => {
            let gate = cx.b.hard_sigmoid(x, 1.0 / 6.0, 0.5);
            cx.b.binary(BinaryOp::Mul, x, gate)
        }
        "hardtanh" | "relu6" => {
            let (low, high) = if node.op == "relu6" { (0.0, 6.0) } else { (-1.0, 1.0) };
            let bounds = [node.float("min_val", low)?, node.float("max_val", high)?];
            cx.b.clamp(x, Scalar::Float(bounds[0]), Scalar::Float(bounds[1]))
        }
        "softplus" => {
            let beta = node.float("beta", 1.0)?;
            let scaled = if beta == 1.0 { x } else { cx.b.binary_scalar(BinaryOp::Mul, x, beta) };
            let plus = cx.b.softplus(scaled);
            if beta == 1.0 { plus } else { cx.b.binary_scalar(BinaryOp::Div, plus, beta) }
        }
        "mish" => {
            let plus = cx.b.softplus(x);
            let gate = cx.b.unary(UnaryOp::Tanh, plus);
            cx.b.binary(BinaryOp::Mul, x, gate)
        }
        "log_sigmoid" => cx.b.log_sigmoid(x),
        _ => return Err(LoweringError::Unsupported),
    })
}

/// Appends `x > 0 ? scale x : low (exp(input_scale x) - 1)`.
fn exponential(cx: &mut Lowering<'_>, x: ValueId, [low, scale, input_scale]: [f64; 3]) -> ValueId {
    let mut scaled = |x, factor: f64| if factor == 1.0 { x } else { cx.b.binary_scalar(BinaryOp::Mul, x, factor) };
    let (above, inner) = (scaled(x, scale), scaled(x, input_scale));
    let inner = cx.b.binary_scalar(BinaryOp::Min, inner, 0.0);
    let below = cx.b.unary(UnaryOp::Expm1, inner);
    let below = if low == 1.0 { below } else { cx.b.binary_scalar(BinaryOp::Mul, below, low) };
    let positive = cx.compare_scalar(x, Direction::Gt, Scalar::Float(0.0));
    cx.b.select(positive, above, below)
}

/// Lowers a leaky ReLU with a learned slope, one number or one for each channel.
pub fn prelu(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, slope) = (node.tensor("self")?, node.tensor("weight")?);
    let shape = cx.shape(x);
    let slope = match cx.shape(slope)[..] {
        [n] if n > 1 && shape.rank() > 1 => {
            let mut channels = vec![1; shape.rank()];
            channels[1] = n;
            cx.b.checked_reshape(slope, &channels[..])?
        }
        _ => slope,
    };
    let slope = cx.expand(slope, &shape)?;
    single(cx.b.leaky_relu(x, slope))
}

/// Lowers the product of one half of a tensor and the sigmoid of the other half.
pub fn gated_linear(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let dim = dim(node.int("dim", -1)?, shape.rank())?;
    let Some(&n) = shape.get(dim).filter(|&&n| n % 2 == 0) else {
        return malformed(format!("splits dimension {dim} of {shape} into halves"));
    };
    let (left, right) = (cx.b.slice_dim(x, dim, 0, n / 2), cx.b.slice_dim(x, dim, n / 2, n));
    let gate = cx.b.unary(UnaryOp::Sigmoid, right);
    single(cx.b.binary(BinaryOp::Mul, left, gate))
}

/// Lowers dropout: the identity in evaluation mode, and in training mode a random mask and a scale. The second result
/// of `native_dropout` is the mask.
pub fn dropout(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    let (p, training) = (node.float("p", 0.5)?, node.flag("train", true)?);
    if !training || p == 0.0 {
        return first_of(x, 2);
    }
    let (out, kept) = dropped(cx, x, p)?;
    all([out, cx.converted(kept, DType::Bool)])
}

/// Lowers dropout of channels, or with other moments: the identity in evaluation mode.
pub fn other_dropout(node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    if node.flag("train", true)? && node.float("p", 0.5)? != 0.0 {
        return unsupported("training mode: export the model in evaluation mode, `model.eval()`");
    }
    single(x)
}

/// Lowers a leaky ReLU whose slope is random in training mode, and the mean of its bounds otherwise. The second result
/// of native forms is the noise.
pub fn randomised_leaky_relu(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    if node.flag("training", false)? {
        return unsupported("training mode: export the model in evaluation mode, `model.eval()`");
    }
    let slope = (node.float("lower", 0.125)? + node.float("upper", 1.0 / 3.0)?) / 2.0;
    let slope = cx.b.splat_like(x, Scalar::Float(slope));
    first_of(cx.b.leaky_relu(x, slope), node.result_count().max(1))
}

/// Appends `x` with random elements dropped with probability `p` and the others scaled, and ones for the latter.
pub fn dropped(cx: &mut Lowering<'_>, x: ValueId, p: f64) -> Result<(ValueId, ValueId), LoweringError> {
    let ty = cx.b.ty(x);
    if !(0.0..=1.0).contains(&p) || !ty.dtype.is_float() {
        return malformed(format!("drops elements of {ty} with the probability {p}"));
    }
    let kept = cx.b.bernoulli(&mut cx.draws, 1.0 - p, ty);
    let product = cx.b.binary(BinaryOp::Mul, x, kept);
    let scale = if p == 1.0 { 0.0 } else { (1.0 - p).recip() };
    Ok((cx.b.binary_scalar(BinaryOp::Mul, product, scale), kept))
}
