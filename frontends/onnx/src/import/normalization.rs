//! Lowering of normalisation: layer, root mean square, batch, instance, group, response and vector norms.

use super::elementwise::converted;
use super::legacy;
use super::lowering::{
    Lowering, LoweringError, LoweringResult, Node, Out, dim, dims, malformed, single, size, unsupported,
};
use super::movement::reshaped;
use crate::tensors::dtype_of;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BatchNorm, BinaryOp, Direction, LayerNorm, ReduceWindow, RmsNorm, UnaryOp};
use partita_ir::rule::Window;
use partita_ir::tensor::Scalar;
use smallvec::smallvec;

/// Operands and parameters of a normalisation of the dimensions from an axis on.
pub(super) struct Normalized {
    x: ValueId,
    scale: ValueId,
    bias: Option<ValueId>,
    axis: usize,
    eps: f64,
    /// Element type of the statistics.
    stash: DType,
    /// True for the norm by mean and variance, false for the norm by the root mean square.
    centred: bool,
}

impl Normalized {
    /// Reads the attributes `axis`, `epsilon` and `stash_type`.
    fn from_node(cx: &Lowering<'_>, node: &Node<'_>, [x, scale]: [ValueId; 2]) -> Result<Normalized, LoweringError> {
        cx.require_float(x)?;
        let axis = dim(node.int("axis", -1), cx.rank(x))?;
        let stash = i32::try_from(node.int("stash_type", 1)).unwrap_or(0);
        let stash = dtype_of(stash).map_err(LoweringError::DType)?;
        if !stash.is_float() {
            return malformed(format!("computes its statistics in {stash}"));
        }
        Ok(Normalized { x, scale, bias: None, axis, eps: node.float("epsilon", 1e-5), stash, centred: true })
    }

    /// Creates the norm of the last dimension by mean and variance.
    pub(super) fn new(x: ValueId, scale: ValueId, bias: ValueId, axis: usize, eps: f64) -> Normalized {
        Normalized { x, scale, bias: Some(bias), axis, eps, stash: DType::F32, centred: true }
    }

    /// Appends the normalisation as one op over the flattened dimensions.
    pub(super) fn fused(&self, cx: &mut Lowering<'_>) -> Result<ValueId, LoweringError> {
        let shape = cx.shape(self.x);
        let joined = shape[self.axis..].iter().copied().fold(1, usize::saturating_mul);
        let flat: Shape = shape[..self.axis].iter().copied().chain([joined]).collect();
        let mut args = vec![reshaped(cx, self.x, flat)];
        for weight in [Some(self.scale), self.bias].into_iter().flatten() {
            let normalized_shape: Shape = shape[self.axis..].into();
            let weight = cx.expand(weight, &normalized_shape)?;
            args.push(reshaped(cx, weight, [joined].into()));
        }
        let out = match self.centred {
            true => cx.op("layer_norm", LayerNorm { eps: self.eps }, &args)?,
            false => cx.op("rms_norm", RmsNorm { eps: self.eps }, &args)?,
        };
        Ok(reshaped(cx, out, shape))
    }

    /// Appends the normalisation in single steps. Returns the result, the mean, and the inverse deviation.
    fn with_statistics(&self, cx: &mut Lowering<'_>) -> Result<[ValueId; 3], LoweringError> {
        let dtype = cx.dtype(self.x);
        let over: Vec<usize> = (self.axis..cx.rank(self.x)).collect();
        let x = converted(cx, self.x, self.stash);
        let mean = cx.b.mean_keep(x, &over);
        let centred = if self.centred { cx.sub(x, mean)? } else { x };
        let squares = cx.b.binary(BinaryOp::Mul, centred, centred);
        let variance = cx.b.mean_keep(squares, &over);
        let variance = cx.b.binary_scalar(BinaryOp::Add, variance, self.eps);
        let inverse = cx.b.unary(UnaryOp::Rsqrt, variance);
        let normal = cx.mul(centred, inverse)?;
        let normal = converted(cx, normal, dtype);
        let mut out = cx.mul(normal, self.scale)?;
        if let Some(bias) = self.bias {
            out = cx.add(out, bias)?;
        }
        Ok([out, mean, inverse])
    }
}

/// Lowers layer normalisation over all dimensions from an axis on. The optional results are the mean and the inverse
/// deviation.
pub fn layer_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let norm = Normalized::from_node(cx, node, [node.arg(0)?, node.arg(1)?])?;
    let norm = Normalized { bias: node.optional(2), ..norm };
    if !node.has_result(1) && !node.has_result(2) {
        return single(norm.fused(cx)?);
    }
    Ok(norm.with_statistics(cx)?.into_iter().map(Out::Value).collect())
}

/// Lowers normalisation by the root mean square over all dimensions from an axis on. The second result of
/// `SimplifiedLayerNormalization` is the inverse root.
pub fn rms_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let norm = Normalized::from_node(cx, node, [node.arg(0)?, node.arg(1)?])?;
    let norm = Normalized { centred: false, ..norm };
    if !node.has_result(1) {
        return single(norm.fused(cx)?);
    }
    let [out, _, inverse] = norm.with_statistics(cx)?;
    Ok(smallvec![Out::Value(out), Out::Value(inverse)])
}

/// Lowers the normalisation of the sum of an operand, a residual and an optional bias: by mean and variance
/// (`SkipLayerNormalization`) or by the root mean square (`SkipSimplifiedLayerNormalization`). The fourth result is the
/// sum.
pub fn skip_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let centred = node.op() == "SkipLayerNormalization";
    let [x, skip, scale] = [node.arg(0)?, node.arg(1)?, node.arg(2)?];
    let (shift, bias) = if centred { (node.optional(3), node.optional(4)) } else { (None, node.optional(3)) };
    let mut sum = cx.add(x, skip)?;
    if let Some(bias) = bias {
        sum = cx.add(sum, bias)?;
    }
    let norm = Normalized::from_node(cx, node, [sum, scale])?;
    let norm = Normalized { bias: shift, centred, eps: node.float("epsilon", 1e-12), ..norm };
    let [out, mean, inverse] = match node.has_result(1) || node.has_result(2) {
        true => norm.with_statistics(cx)?,
        false => [norm.fused(cx)?, sum, sum],
    };
    Ok([out, mean, inverse, sum].into_iter().map(Out::Value).collect())
}

/// Lowers batch normalisation of channels (dimension 1): with given statistics, or in training mode with those of the
/// batch, where the further results are the running statistics.
pub fn batch_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let args = node.all_args()?;
    let training = node.flag("training_mode", false);
    if legacy::is_legacy(node) && !node.flag("is_test", false) && node.has_result(1) {
        return unsupported("`is_test` 0: export the model in inference mode");
    }
    if !training && (1..5).any(|i| node.has_result(i)) {
        return unsupported("running statistics, but not in training mode: export the model in inference mode");
    }
    if !node.flag("spatial", true) {
        return unsupported("`spatial` 0, one mean for each element");
    }
    // A vector is a batch of one channel.
    let shape = cx.shape(args[0]);
    if shape.rank() == 0 {
        return malformed(format!("needs batch and channel, not {}", cx.b.ty(args[0])));
    }
    let x = if shape.rank() == 1 { cx.b.reshape(args[0], [shape[0], 1]) } else { args[0] };
    let eps = node.float("epsilon", 1e-5);
    // Since opset 15 statistics may have a wider element type than the data.
    let dtype = cx.dtype(x);
    let weights: Vec<ValueId> = args[1..].iter().map(|&v| converted(cx, v, dtype)).collect();
    let [scale, bias, mean, variance] = weights[..] else { return malformed("needs scale, bias, mean and variance") };
    if !training {
        let out = cx.op("batch_norm", BatchNorm { dim: 1, eps }, &[x, scale, bias, mean, variance])?;
        return single(reshaped(cx, out, shape));
    }
    let (batch_mean, batch_variance) = cx.b.batch_statistics(x);
    let out = cx.op("batch_norm", BatchNorm { dim: 1, eps }, &[x, scale, bias, batch_mean, batch_variance])?;
    let momentum = node.float("momentum", 0.9);
    let mut outs = single(reshaped(cx, out, shape))?;
    for (running, batch, like) in [(mean, batch_mean, args[3]), (variance, batch_variance, args[4])] {
        let kept = cx.b.binary_scalar(BinaryOp::Mul, running, momentum);
        let new = cx.b.binary_scalar(BinaryOp::Mul, batch, 1.0 - momentum);
        let sum = cx.add(kept, new)?;
        let dtype = cx.dtype(like);
        outs.push(Out::Value(converted(cx, sum, dtype)));
    }
    Ok(outs)
}

/// Lowers instance or group normalisation, followed by a scale and a shift for each channel. Mean and variance are over
/// the spatial dimensions of a channel, or over the channels and spatial dimensions of a group.
pub fn group_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, scale, bias) = (node.arg(0)?, node.arg(1)?, node.arg(2)?);
    cx.require_float(x)?;
    let shape = cx.shape(x);
    if shape.rank() < 2 {
        return malformed(format!("needs batch and channel, not {shape}"));
    }
    let channels = shape[1];
    let groups = match node.op() {
        "InstanceNormalization" => channels,
        _ => super::lowering::size(node.int("num_groups", 0), "number of groups")?,
    };
    if channels.checked_rem(groups) != Some(0) {
        return malformed(format!("has {groups} groups of {channels} channels"));
    }
    let mut out = cx.b.normalise_groups(x, groups, node.float("epsilon", 1e-5));
    // Up to opset 20, `GroupNormalization` has one weight for each group.
    let weights = if node.opset < 21 { groups } else { channels };
    for (weight, op) in [(scale, BinaryOp::Mul), (bias, BinaryOp::Add)] {
        let weight = per_channel(cx, weight, channels, weights)?;
        let weight = cx.b.broadcast(weight, &[1], shape.clone());
        out = cx.b.binary(op, out, weight);
    }
    single(out)
}

/// Returns a weight for each channel from `weights` weights, each for a group of channels.
fn per_channel(
    cx: &mut Lowering<'_>,
    weight: ValueId,
    channels: usize,
    weights: usize,
) -> Result<ValueId, LoweringError> {
    match cx.shape(weight)[..] {
        [n] if n == weights && n == channels => Ok(weight),
        [n] if n == weights => {
            let spread = cx.b.broadcast(weight, &[0], [weights, channels / weights]);
            Ok(cx.b.reshape(spread, [channels]))
        }
        _ => malformed(format!("has a weight of {} for {channels} channels", cx.shape(weight))),
    }
}

/// Lowers a division by the L1 or L2 norm along a dimension. Vectors of zeros remain zero.
pub fn lp_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let axis = dim(node.int("axis", -1), cx.rank(x))?;
    let norm = match node.int("p", 2) {
        1 => {
            let size = cx.b.unary(UnaryOp::Abs, x);
            cx.b.reduce_keep(Monoid::Sum, size, &[axis])
        }
        2 => {
            let squares = cx.b.binary(BinaryOp::Mul, x, x);
            let sum = cx.b.reduce_keep(Monoid::Sum, squares, &[axis]);
            cx.b.unary(UnaryOp::Sqrt, sum)
        }
        p => return malformed(format!("has the norm {p}")),
    };
    let nonzero = cx.compare_scalar(norm, Direction::Ne, Scalar::Float(0.0));
    let divisor = cx.select_or(nonzero, norm, Scalar::Float(1.0))?;
    single(cx.div(x, divisor)?)
}

/// Lowers `(x - mean) / (deviation + 1e-9)`, with mean and deviation over the given axes.
pub fn mean_variance_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let over = dims(node.ints("axes").unwrap_or(&[0, 2, 3]), cx.rank(x))?;
    let mean = cx.b.mean_keep(x, &over);
    let centred = cx.sub(x, mean)?;
    let squares = cx.b.binary(BinaryOp::Mul, centred, centred);
    let variance = cx.b.mean_keep(squares, &over);
    let deviation = cx.b.unary(UnaryOp::Sqrt, variance);
    let deviation = cx.b.binary_scalar(BinaryOp::Add, deviation, 1e-9);
    single(cx.div(centred, deviation)?)
}

/// Lowers local response normalisation: `x / (bias + alpha / size * sum)^beta`, with the sum of squares over `size`
/// neighbouring channels.
pub fn local_response_norm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let rank = cx.rank(x);
    let channels = size(node.int("size", 0), "size")?;
    if rank < 2 || channels == 0 {
        return malformed(format!("sums {channels} channels of {}", cx.b.ty(x)));
    }
    let squares = cx.b.binary(BinaryOp::Mul, x, x);
    let mut windows = vec![Window::default(); rank];
    let below = (channels as i64 - 1) / 2;
    windows[1] = Window { size: channels, low: below, high: channels as i64 - 1 - below, ..Window::default() };
    let sum = cx.op("sum_pool", ReduceWindow { monoid: Monoid::Sum, windows }, &[squares])?;
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, sum, node.float("alpha", 0.0001) / channels as f64);
    let shifted = cx.b.binary_scalar(BinaryOp::Add, scaled, node.float("bias", 1.0));
    let divisor = cx.b.binary_scalar(BinaryOp::Pow, shifted, node.float("beta", 0.75));
    single(cx.b.binary(BinaryOp::Div, x, divisor))
}
