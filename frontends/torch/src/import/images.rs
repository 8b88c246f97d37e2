//! Lowering of images that are resized, padded with their own elements, rearranged, or divided into windows.

use super::lowering::{Lowering, LoweringError, LoweringResult, dim, first_operand, malformed, single, size};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::build::{ChannelOrder, EdgePadding, Interpolation, Kernel, Outside, Sampler, Taps};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Pad};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::{Scalar, Tensor};

/// Maximum number of elements along a dimension of a resized tensor, or in all windows.
const MAX_POSITIONS: usize = 1 << 20;

/// Selection or interpolation of the elements of a resized dimension.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Resize {
    /// The element at or before the position.
    Nearest,
    /// The element whose centre is nearest.
    NearestExact,
    /// The mean of elements with weights.
    Interpolated(Kernel),
    /// The mean of as many elements as the result has fewer.
    Antialiased(Kernel),
}

/// Lowers a resize of the last `spatial` dimensions. Positions follow from the scale factors if they are given, and
/// from both sizes otherwise.
pub fn resize(cx: &mut Lowering<'_>, node: &Node<'_>, spatial: usize, resize: Resize) -> LoweringResult {
    let mut x = first_operand(node)?;
    let (from, to) = (cx.shape(x), node.result_shape()?.clone());
    let lead = from.rank().saturating_sub(spatial);
    if from.rank() != to.rank() || lead == 0 || from[..lead] != to[..lead] || from.count() == 0 {
        return malformed(format!("resizes {from} to {to}"));
    }
    let aligns_corners = node.flag("align_corners", false)?;
    for axis in 0..spatial {
        let (old, new) = (from[lead + axis], to[lead + axis]);
        if new > MAX_POSITIONS {
            return Err(LoweringError::TooLarge(to.to_string()));
        }
        let factor = scale_factor(node, axis, spatial)?;
        let step = match factor.filter(|factor| *factor > 0.0) {
            _ if aligns_corners => (old - 1) as f64 / (new.max(2) - 1) as f64,
            Some(factor) => factor.recip(),
            None => old as f64 / new.max(1) as f64,
        };
        x = cx.b.resample(x, lead + axis, &taps(resize, [old, new], step, aligns_corners)?);
    }
    single(x)
}

/// Returns the taps of a dimension that is resized from `old` to `new` elements, at positions `step` apart.
fn taps(resize: Resize, [old, new]: [usize; 2], step: f64, aligns_corners: bool) -> Result<Taps, LoweringError> {
    let last = old as i64 - 1;
    let antialiased = matches!(resize, Resize::Antialiased(_));
    let centre = |at: usize| match aligns_corners && !antialiased {
        true => at as f64 * step,
        false => (at as f64 + 0.5) * step - 0.5,
    };
    // In `f32`, as in PyTorch: rounding decides which element is the nearest one.
    let nearest = |offset: f32| {
        let index = |at: usize| ((at as f32 + offset) * step as f32).floor() as i64;
        Ok(Taps::single((0..new).map(|at| index(at).min(last)).collect()))
    };
    let (kernel, shrink) = match resize {
        Resize::Nearest => return nearest(0.0),
        Resize::NearestExact => return nearest(0.5),
        Resize::Interpolated(kernel) => (kernel, 1.0),
        Resize::Antialiased(kernel) => (kernel, step.recip().min(1.0)),
    };
    let positions: Vec<f64> = (0..new).map(centre).collect();
    let interpolation = Interpolation { kernel, shrink, excludes_outside: antialiased };
    interpolation.taps(&positions, old).map_err(LoweringError::TooLarge)
}

/// Returns the scale factor of a spatial dimension, if the node states one.
fn scale_factor(node: &Node<'_>, axis: usize, spatial: usize) -> Result<Option<f64>, LoweringError> {
    if let Some(factors) = node.floats("scale_factors")? {
        return Ok(factors.get(axis).copied());
    }
    let names = ["scales_d", "scales_h", "scales_w"];
    let name = if spatial == 1 { "scales" } else { names[3 - spatial + axis] };
    Ok(node.number(name)?.map(|factor| factor.to_f64()))
}

/// Lowers padding with elements of the tensor itself. The list has the padding before and after each dimension, from
/// the last one on; negative numbers remove elements.
pub fn pad_with_elements(cx: &mut Lowering<'_>, node: &Node<'_>, padding: EdgePadding) -> LoweringResult {
    let mut x = node.tensor("self")?;
    let shape = cx.shape(x);
    let pads = node.ints(if node.has("pad") { "pad" } else { "padding" })?.unwrap_or_default().into_owned();
    if pads.len() % 2 != 0 || pads.len() / 2 > shape.rank() {
        return malformed(format!("pads {shape} by {pads:?}"));
    }
    for (i, pair) in pads.chunks_exact(2).enumerate() {
        let dim = shape.rank() - 1 - i;
        let [before, after] = [size(pair[0].max(0), "padding")?, size(pair[1].max(0), "padding")?];
        let [start, end] = [pair[0], pair[1]].map(|pad| pad.min(0).unsigned_abs() as usize);
        x = cx.b.pad_with_elements(x, dim, [before, after], padding)?;
        let size = cx.shape(x)[dim];
        if start.saturating_add(end) > size {
            return malformed(format!("pads {shape} by {pads:?}"));
        }
        if start > 0 || end > 0 {
            x = cx.b.slice_dim(x, dim, start, size - end);
        }
    }
    single(x)
}

/// Lowers the rearrangement of groups of channels to blocks of elements, or back.
pub fn shuffle(cx: &mut Lowering<'_>, node: &Node<'_>, to_blocks: bool) -> LoweringResult {
    let x = node.tensor("self")?;
    let name = if to_blocks { "upscale_factor" } else { "downscale_factor" };
    let factor = size(node.required_int(name)?, name)?;
    single(match to_blocks {
        true => cx.b.depth_to_space(x, factor, ChannelOrder::ChannelFirst)?,
        false => cx.b.space_to_depth(x, factor, ChannelOrder::ChannelFirst)?,
    })
}

/// Lowers overlapping slices of a dimension, which become a new last dimension.
pub fn windows(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let dim = dim(node.required_int("dimension")?, shape.rank())?;
    let (length, step) = (size(node.required_int("size")?, "size")?, size(node.required_int("step")?, "step")?);
    let n = shape.get(dim).copied().unwrap_or(0);
    if shape.rank() == 0 || length > n || step == 0 {
        return malformed(format!("takes slices of {length} elements of {shape}"));
    }
    let count = (n - length) / step + 1;
    if count.saturating_mul(length) > MAX_POSITIONS {
        return Err(LoweringError::TooLarge(format!("{count} slices of {length} elements")));
    }
    let slices = cx.b.overlapping_slices(x, dim, [count, length], step);
    let rank = shape.rank() + 1;
    single(cx.b.transpose(slices, (0..rank).filter(|&d| d != dim + 1).chain([dim + 1]).collect()))
}

/// Lowers samples at a grid of positions.
pub fn grid_sample(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, grid) = (node.tensor("input")?, node.tensor("grid")?);
    let sampler = Sampler {
        kernel: match node.int("interpolation_mode", 0)? {
            0 => Some(Kernel::Linear),
            1 => None,
            2 => Some(Kernel::Cubic(-0.75)),
            other => return malformed(format!("has the interpolation {other}")),
        },
        outside: match node.int("padding_mode", 0)? {
            0 => Outside::Zeros,
            1 => Outside::Border,
            2 => Outside::Reflection,
            other => return malformed(format!("has the padding {other}")),
        },
        align_corners: node.flag("align_corners", false)?,
    };
    single(cx.b.checked_grid_sample(x, grid, &sampler)?)
}

/// Lowers a grid of positions that matrices transform.
pub fn affine_grid(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let theta = node.tensor("theta")?;
    let sizes = node.ints("size")?.unwrap_or_default();
    let space = sizes.iter().skip(2).map(|&n| size(n, "size")).collect::<Result<Vec<_>, _>>()?;
    single(cx.b.checked_affine_grid(theta, &space, node.flag("align_corners", false)?)?)
}

/// Blocks of an image of two spatial dimensions, such as those that a convolution reads.
struct Blocks {
    kernel: Vec<usize>,
    dilation: Vec<usize>,
    padding: Vec<usize>,
    stride: Vec<usize>,
    /// Number of blocks along each dimension.
    counts: [usize; 2],
}

impl Blocks {
    /// Reads the operands of a node for an image of the given height and width.
    fn read(node: &Node<'_>, image: [usize; 2]) -> Result<Blocks, LoweringError> {
        let pair = |name, default| Ok::<_, LoweringError>(node.sizes(name, 2)?.unwrap_or(vec![default; 2]));
        let (kernel, dilation) = (pair("kernel_size", 1)?, pair("dilation", 1)?);
        let (padding, stride) = (pair("padding", 0)?, pair("stride", 1)?);
        let mut counts = [0; 2];
        for d in 0..2 {
            let reach = dilation[d].saturating_mul(kernel[d].saturating_sub(1)).saturating_add(1);
            let padded = image[d].saturating_add(2 * padding[d]);
            if kernel[d] == 0 || stride[d] == 0 || reach > padded {
                return malformed(format!("divides an image of {image:?} into blocks of {kernel:?}"));
            }
            counts[d] = (padded - reach) / stride[d] + 1;
            if counts[d].saturating_mul(kernel[d]) > MAX_POSITIONS {
                return Err(LoweringError::TooLarge(format!("{counts:?} blocks of {kernel:?}")));
            }
        }
        Ok(Blocks { kernel, dilation, padding, stride, counts })
    }

    /// Returns the position in the padded image of an element of a block.
    fn position(&self, d: usize, element: usize, block: usize) -> usize {
        element * self.dilation[d] + block * self.stride[d]
    }
}

/// Lowers the blocks of an image `[batch, channels, height, width]` to columns, `[batch, channels block, blocks]`.
pub fn image_to_columns(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let Some(lead) = shape.rank().checked_sub(2) else { return malformed(format!("has an image {shape}")) };
    let blocks = Blocks::read(node, [shape[lead], shape[lead + 1]])?;
    let zero = zero_of(cx, x);
    let (mut low, mut high) = (vec![0; shape.rank()], vec![0; shape.rank()]);
    for d in 0..2 {
        (low[lead + d], high[lead + d]) = (blocks.padding[d] as i64, blocks.padding[d] as i64);
    }
    let mut out = cx.op("pad", Pad { low, high, interior: Dims::new() }, &[x, zero])?;
    // The last dimension first, so that the other one remains in place: [.., height, kernel, blocks].
    for d in [1, 0] {
        let positions = (0..blocks.kernel[d])
            .flat_map(|element| (0..blocks.counts[d]).map(move |block| (element, block)))
            .map(|(element, block)| blocks.position(d, element, block) as i64);
        let ty = Type::new(DType::I64, [blocks.kernel[d], blocks.counts[d]]);
        let indices = cx.b.constant(&Tensor::from_ints(ty, positions.collect()));
        out = cx.b.take(out, indices, lead + d);
    }
    // [.., kernel height, rows, kernel width, columns]
    let perm = (0..lead).chain([lead, lead + 2, lead + 1, lead + 3]).collect();
    let out = cx.b.transpose(out, perm);
    single(cx.b.checked_reshape(out, node.result_shape()?.clone())?)
}

/// Lowers the sums of overlapping blocks: the transpose of [`image_to_columns`].
pub fn columns_to_image(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let (shape, to) = (cx.shape(x), node.result_shape()?.clone());
    let (Some(lead), Some(batch)) = (to.rank().checked_sub(2), shape.rank().checked_sub(2)) else {
        return malformed(format!("adds blocks {shape}"));
    };
    let blocks = Blocks::read(node, [to[lead], to[lead + 1]])?;
    let ([kh, kw], [rows, columns]) = ([blocks.kernel[0], blocks.kernel[1]], blocks.counts);
    let split: Shape = to[..lead].iter().chain(&[kh, kw, rows, columns]).copied().collect();
    if to[..batch] != shape[..batch] {
        return malformed(format!("adds blocks {shape} to {to}"));
    }
    let mut out = cx.b.checked_reshape(x, split)?;
    let zero = zero_of(cx, x);
    // The blocks along each dimension: [.., kernel height, kernel width, rows, columns], then [.., kernel height, rows,
    // width].
    for d in [1, 0] {
        let (kernel_dim, block_dim) = (lead + d, cx.rank(out) - if d == 1 { 1 } else { 2 });
        let mut sum: Option<ValueId> = None;
        for element in 0..blocks.kernel[d] {
            let part = cx.b.slice_dim(out, kernel_dim, element, element + 1);
            let size = cx.shape(part)[block_dim];
            let rank = cx.rank(part);
            let padded = to[lead + d] + 2 * blocks.padding[d];
            let end = blocks.position(d, element, size - 1) + 1;
            let (mut low, mut high, mut interior) = (vec![0; rank], vec![0; rank], Dims::from_elem(0, rank));
            // Padding is removed from the image.
            low[block_dim] = (element * blocks.dilation[d]) as i64 - blocks.padding[d] as i64;
            high[block_dim] = (padded - end) as i64 - blocks.padding[d] as i64;
            interior[block_dim] = blocks.stride[d] - 1;
            let part = cx.op("pad", Pad { low, high, interior }, &[part, zero])?;
            sum = Some(sum.map_or(part, |sum| cx.b.binary(BinaryOp::Add, sum, part)));
        }
        let Some(sum) = sum else { return malformed("has no blocks") };
        let mut without = cx.shape(sum);
        without.0.remove(kernel_dim);
        out = cx.b.checked_reshape(sum, without)?;
    }
    single(cx.b.checked_reshape(out, to)?)
}

/// Appends a scalar zero of the element type of `x`.
fn zero_of(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let dtype = cx.dtype(x);
    cx.b.scalar(dtype, Scalar::Int(0))
}
