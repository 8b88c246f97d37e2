//! Lowering of convolutions over any number of spatial dimensions, which follow batch and channel.

use super::lowering::{Lowering, LoweringError, LoweringResult, malformed, single, size};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::dtype::Shape;
use partita_ir::ops::{BinaryOp, ConvDims, Convolution, GroupCount};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;

/// Lowers a convolution of `spatial` dimensions, or of any number.
pub fn convolution(cx: &mut Lowering<'_>, node: &Node<'_>, spatial: Option<usize>) -> LoweringResult {
    let (x, weight) = (node.tensor("input")?, node.tensor("weight")?);
    let (mut shape, kernel) = (cx.shape(x), cx.shape(weight));
    let n = spatial.unwrap_or(kernel.rank().saturating_sub(2));
    if n == 0 || kernel.rank() != n + 2 || ![n + 1, n + 2].contains(&shape.rank()) {
        return malformed(format!("applies the kernel {kernel} to {shape}"));
    }
    // Without a batch, the operand is a batch of one.
    let is_batch = shape.rank() == n + 2;
    let mut input = x;
    if !is_batch {
        shape.0.insert(0, 1);
        input = cx.b.reshape(x, shape.clone());
    }
    let transposed = node.op.starts_with("conv_transpose") || node.flag("transposed", false)?;
    let out = match transposed {
        true => transposed_convolution(cx, node, input, weight)?,
        false => plain_convolution(cx, node, input, weight)?,
    };
    let out = with_bias(cx, out, node.optional("bias")?)?;
    if is_batch {
        return single(out);
    }
    let unbatched = Shape::from(&cx.shape(out)[1..]);
    single(cx.b.reshape(out, unbatched))
}

/// Strides, paddings and dilations of the spatial dimensions of a convolution.
struct Spatial {
    strides: Vec<usize>,
    pads: Vec<(usize, usize)>,
    dilations: Vec<usize>,
}

impl Spatial {
    /// Reads the options. Padding may be a text: `valid` for none, `same` for results as large as the operand.
    fn from_node(node: &Node<'_>, kernel: &[usize]) -> Result<Spatial, LoweringError> {
        let n = kernel.len();
        let strides = node.sizes("stride", n)?.unwrap_or_else(|| vec![1; n]);
        let dilations = node.sizes("dilation", n)?.unwrap_or_else(|| vec![1; n]);
        if strides.contains(&0) || dilations.contains(&0) || kernel.contains(&0) {
            return malformed("has a kernel, stride or dilation of 0");
        }
        let pads = match node.text("padding") {
            Ok(Some("valid")) => vec![(0, 0); n],
            Ok(Some("same")) => {
                let total = |d: usize| dilations[d].saturating_mul(kernel[d] - 1);
                (0..n).map(|d| (total(d) / 2, total(d) - total(d) / 2)).collect()
            }
            Ok(Some(other)) => return malformed(format!("has the padding `{other}`")),
            Ok(None) | Err(_) => {
                let pads = node.sizes("padding", n)?.unwrap_or_else(|| vec![0; n]);
                pads.into_iter().map(|pad| (pad, pad)).collect()
            }
        };
        Ok(Spatial { strides, pads, dilations })
    }
}

/// Appends a convolution. Weights are `[out, in / groups, kernel ..]`.
fn plain_convolution(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    x: ValueId,
    weight: ValueId,
) -> Result<ValueId, LoweringError> {
    let kernel = cx.shape(weight);
    let Spatial { strides, pads, dilations } = Spatial::from_node(node, &kernel[2..])?;
    let window = |d: usize| Window {
        size: kernel[d + 2],
        stride: strides[d],
        low: pads[d].0 as i64,
        high: pads[d].1 as i64,
        dilation: dilations[d],
        base: 1,
    };
    let convolution = Convolution {
        dims: ConvDims::channels_first(kernel.rank()),
        windows: (0..kernel.rank() - 2).map(window).collect(),
        reverse: Dims::new(),
        feature_groups: GroupCount(size(node.int("groups", 1)?, "number of groups")?),
        batch_groups: GroupCount(1),
    };
    cx.op("conv", convolution, &[x, weight])
}

/// Appends a transposed convolution, the gradient of a convolution with respect to its operand: a convolution of the
/// operand, dilated by the stride, with the mirrored kernel. Weights are `[in, out / groups, kernel ..]`.
fn transposed_convolution(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    x: ValueId,
    weight: ValueId,
) -> Result<ValueId, LoweringError> {
    let kernel = cx.shape(weight);
    let n = kernel.rank() - 2;
    let groups = size(node.int("groups", 1)?, "number of groups")?;
    if kernel[0].checked_rem(groups) != Some(0) {
        return malformed(format!("has {groups} groups of {} features", kernel[0]));
    }
    let Spatial { strides, pads, dilations } = Spatial::from_node(node, &kernel[2..])?;
    let extra = node.sizes("output_padding", n)?.unwrap_or_else(|| vec![0; n]);
    let window = |d: usize| {
        let reach = dilations[d].saturating_mul(kernel[d + 2] - 1).min(1 << 60) as i64;
        Window {
            size: kernel[d + 2],
            stride: 1,
            low: reach - pads[d].0 as i64,
            high: reach - pads[d].1 as i64 + extra[d] as i64,
            dilation: dilations[d],
            base: strides[d],
        }
    };
    let convolution = Convolution {
        dims: ConvDims::channels_first(kernel.rank()),
        windows: (0..n).map(window).collect(),
        reverse: (0..n).collect(),
        feature_groups: GroupCount(groups),
        batch_groups: GroupCount(1),
    };
    let weight = cx.b.regroup_conv_weight(weight, groups);
    cx.op("conv", convolution, &[x, weight])
}

/// Adds an optional bias `[feature]` to the result of a convolution.
fn with_bias(cx: &mut Lowering<'_>, x: ValueId, bias: Option<ValueId>) -> Result<ValueId, LoweringError> {
    let Some(bias) = bias else { return Ok(x) };
    let shape = cx.shape(x);
    if cx.shape(bias)[..] != [shape[1]] {
        return malformed(format!("has a bias of {} for {shape}", cx.shape(bias)));
    }
    let bias = cx.b.broadcast(bias, &[1], shape);
    Ok(cx.b.binary(BinaryOp::Add, x, bias))
}
