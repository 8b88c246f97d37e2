//! Lowering of convolutions and transposed convolutions of any number of spatial dimensions, and of `unfold` (im2col).

use super::lowering::{Lowering, LoweringError, LoweringResult, shape_of, type_of};
use burn_ir::{
    Conv1dOpIr, Conv1dOptionsIr, Conv2dOpIr, Conv2dOptionsIr, Conv3dOpIr, Conv3dOptionsIr, ConvTranspose1dOpIr,
    ConvTranspose1dOptionsIr, ConvTranspose2dOpIr, ConvTranspose2dOptionsIr, ConvTranspose3dOpIr,
    ConvTranspose3dOptionsIr, TensorIr, Unfold4dOpIr,
};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::{BinaryOp, ConvDims, Convolution, GroupCount, Pad, Slice};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Operands and options of a convolution or transposed convolution of any number of spatial dimensions.
pub(super) struct ConvOp<'a> {
    x: &'a TensorIr,
    weight: &'a TensorIr,
    bias: Option<&'a TensorIr>,
    out: &'a TensorIr,
    groups: usize,
    spatial: Vec<SpatialOptions>,
}

/// Window options of a convolution along one spatial dimension.
struct SpatialOptions {
    stride: usize,
    /// Padding before and after the operand. For a transposed convolution: the number of elements removed from both
    /// ends of the result, and the output padding at its end.
    padding: (usize, usize),
    dilation: usize,
}

/// Implements `From<&$op> for ConvOp` for one of Burn's convolutions. `$padding` maps its options and a spatial
/// dimension to the padding on both sides.
macro_rules! conv {
    ($op:ty, $padding:expr) => {
        impl<'a> From<&'a $op> for ConvOp<'a> {
            fn from(op: &'a $op) -> Self {
                let o = &op.options;
                let spatial =
                    |i: usize| SpatialOptions { stride: o.stride[i], padding: $padding(o, i), dilation: o.dilation[i] };
                ConvOp {
                    x: &op.x,
                    weight: &op.weight,
                    bias: op.bias.as_ref(),
                    out: &op.out,
                    groups: o.groups,
                    spatial: (0..o.stride.len()).map(spatial).collect(),
                }
            }
        }
    };
}

conv!(Conv1dOpIr, |o: &Conv1dOptionsIr, i: usize| o.padding[i]);
conv!(Conv2dOpIr, |o: &Conv2dOptionsIr, i: usize| o.padding[i]);
conv!(Conv3dOpIr, |o: &Conv3dOptionsIr, i: usize| (o.padding[i], o.padding[i]));
conv!(ConvTranspose1dOpIr, |o: &ConvTranspose1dOptionsIr, i: usize| (o.padding[i], o.padding_out[i]));
conv!(ConvTranspose2dOpIr, |o: &ConvTranspose2dOptionsIr, i: usize| (o.padding[i], o.padding_out[i]));
conv!(ConvTranspose3dOpIr, |o: &ConvTranspose3dOptionsIr, i: usize| (o.padding[i], o.padding_out[i]));

/// Lowers a convolution. Weights are `[out, in / groups, kernel ..]`, the operand is `[batch, in, space ..]`.
pub(super) fn convolution(cx: &mut Lowering<'_>, op: ConvOp<'_>) -> LoweringResult {
    let (x, weight) = (cx.read(op.x)?, cx.read(op.weight)?);
    let kernel = cx.shape(weight);
    let window = |(i, t): (usize, &SpatialOptions)| Window {
        size: kernel[2 + i],
        stride: t.stride,
        low: t.padding.0 as i64,
        high: t.padding.1 as i64,
        dilation: t.dilation,
        base: 1,
    };
    let convolution = Convolution {
        dims: conv_dims(kernel.rank()),
        windows: op.spatial.iter().enumerate().map(window).collect(),
        reverse: Dims::new(),
        feature_groups: GroupCount(op.groups),
        batch_groups: GroupCount(1),
    };
    let out = cx.b.op("conv", convolution, &[x, weight], type_of(op.out)?);
    let out = with_bias(cx, out, op.bias)?;
    cx.write(op.out, out)
}

/// Lowers a transposed convolution, the gradient of a convolution with respect to its operand: a convolution of the
/// operand, dilated by the stride, with the mirrored kernel. Weights are `[in, out / groups, kernel ..]`.
pub(super) fn transposed(cx: &mut Lowering<'_>, op: ConvOp<'_>) -> LoweringResult {
    let (x, weight) = (cx.read(op.x)?, cx.read(op.weight)?);
    let kernel_shape = cx.shape(weight);
    let weight = cx.b.regroup_conv_weight(weight, op.groups);
    let window = |(i, t): (usize, &SpatialOptions)| {
        let reach = (t.dilation * (kernel_shape[2 + i] - 1)) as i64;
        Window {
            size: kernel_shape[2 + i],
            stride: 1,
            low: reach - t.padding.0 as i64,
            high: reach - t.padding.0 as i64 + t.padding.1 as i64,
            dilation: t.dilation,
            base: t.stride,
        }
    };
    let convolution = Convolution {
        dims: conv_dims(kernel_shape.rank()),
        windows: op.spatial.iter().enumerate().map(window).collect(),
        reverse: (0..op.spatial.len()).collect(),
        feature_groups: GroupCount(op.groups),
        batch_groups: GroupCount(1),
    };
    let out = cx.b.op("conv", convolution, &[x, weight], type_of(op.out)?);
    let out = with_bias(cx, out, op.bias)?;
    cx.write(op.out, out)
}

/// Returns dimension numbers for kernels `[out, in / groups, space ..]`. The operand and the result are laid out as
/// `[batch, feature, space ..]`.
fn conv_dims(rank: usize) -> ConvDims {
    let natural: Dims = (0..rank).collect();
    let mut kernel = natural.clone();
    kernel.swap(0, 1);
    ConvDims { input: natural.clone(), kernel, output: natural }
}

fn with_bias(cx: &mut Lowering<'_>, x: ValueId, bias: Option<&TensorIr>) -> Result<ValueId, LoweringError> {
    let Some(bias) = bias else { return Ok(x) };
    let bias = cx.read(bias)?;
    let shape = cx.shape(x);
    let bias = cx.b.broadcast(bias, &[1], shape);
    Ok(cx.b.binary(BinaryOp::Add, x, bias))
}

/// Extracts the convolution windows (im2col): `[batch, channels, height, width]` becomes `[batch, columns, windows]`
/// with one column for each channel and kernel element.
pub(super) fn unfold4d(cx: &mut Lowering<'_>, op: &Unfold4dOpIr) -> LoweringResult {
    let x = cx.read(&op.x)?;
    let ty = cx.b.ty(x);
    let zero = cx.b.scalar(ty.dtype, Scalar::Int(0));
    let around: Vec<i64> = [0, 0].into_iter().chain(op.options.padding.map(|p| p as i64)).collect();
    let padded: Shape = ty.shape.iter().zip(&around).map(|(&n, &p)| n + 2 * p as usize).collect();
    let pad = Pad { low: around.clone(), high: around, interior: Dims::new() };
    let x = cx.b.op("pad", pad, &[x, zero], Type::new(ty.dtype, padded.clone()));

    let ([rows, columns], [stride, dilation]) = (op.kernel_size, [op.options.stride, op.options.dilation]);
    let steps = |i: usize, spatial: usize| (padded[2 + i] - (spatial - 1) * dilation[i] - 1) / stride[i] + 1;
    let (high, wide) = (steps(0, rows), steps(1, columns));
    let mut parts = Vec::with_capacity(rows * columns);
    for tap in 0..rows * columns {
        let (top, left) = (tap / columns * dilation[0], tap % columns * dilation[1]);
        let slice = Slice {
            start: [0, 0, top, left].into_iter().collect(),
            limit: [padded[0], padded[1], top + (high - 1) * stride[0] + 1, left + (wide - 1) * stride[1] + 1]
                .into_iter()
                .collect(),
            stride: [1, 1, stride[0], stride[1]].into_iter().collect(),
        };
        let part = cx.b.op("tap", slice, &[x], Type::new(ty.dtype, [padded[0], padded[1], high, wide]));
        parts.push(cx.b.reshape(part, [padded[0], padded[1], 1, high * wide]));
    }
    let out = cx.b.concatenate(&parts, 2);
    let out = cx.b.reshape(out, shape_of(&op.out));
    cx.write(&op.out, out)
}
