//! Lowering of images that are resized, padded with their own elements, rearranged, or divided into windows.

use super::lowering::{Lowering, LoweringError, LoweringResult, dim, malformed, single, size};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::BinaryOp;
use partita_ir::tensor::Tensor;

/// Maximum number of positions along a dimension of a resized or padded tensor.
const MAX_POSITIONS: usize = 1 << 20;

/// Interpolation of positions between elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The element at or before the position.
    Nearest,
    /// The element whose centre is nearest.
    NearestExact,
    /// The weighted mean of both adjacent elements.
    Linear,
}

/// Lowers a resize of the last `spatial` dimensions. Positions follow from the scale factors if they are given, and
/// from both sizes otherwise.
pub fn resize(cx: &mut Lowering<'_>, node: &Node<'_>, spatial: usize, interpolation: Interpolation) -> LoweringResult {
    let mut x = match node.optional("self")? {
        Some(x) => x,
        None => node.tensor("input")?,
    };
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
        let position = |at: usize| match interpolation {
            // In `f32`, as in PyTorch: rounding decides which element is the nearest one.
            Interpolation::Nearest => f64::from((at as f32 * step as f32).floor()),
            Interpolation::NearestExact => f64::from(((at as f32 + 0.5) * step as f32).floor()),
            Interpolation::Linear if aligns_corners => at as f64 * step,
            Interpolation::Linear => ((at as f64 + 0.5) * step - 0.5).max(0.0),
        };
        let positions: Vec<f64> = (0..new).map(|at| position(at).min((old - 1) as f64)).collect();
        x = interpolated(cx, x, lead + axis, &positions);
    }
    single(x)
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

/// Appends the elements at positions along a dimension: the weighted means of both adjacent elements.
fn interpolated(cx: &mut Lowering<'_>, x: ValueId, dim: usize, positions: &[f64]) -> ValueId {
    let last = cx.shape(x)[dim] - 1;
    let before: Vec<i64> = positions.iter().map(|at| at.floor() as i64).collect();
    let low = taken(cx, x, dim, &before);
    if positions.iter().all(|at| at.fract() == 0.0) {
        return low;
    }
    let high = taken(cx, x, dim, &before.iter().map(|&at| (at + 1).min(last as i64)).collect::<Vec<_>>());
    let ty = cx.b.ty(low);
    let weights = Type::new(ty.dtype, [positions.len()]);
    let weights = cx.b.constant(&Tensor::from_floats(weights, positions.iter().map(|at| at.fract()).collect()));
    let weights = cx.b.broadcast(weights, &[dim], ty.shape);
    let difference = cx.b.binary(BinaryOp::Sub, high, low);
    let part = cx.b.binary(BinaryOp::Mul, difference, weights);
    cx.b.binary(BinaryOp::Add, low, part)
}

/// Appends the elements with known indices along a dimension.
fn taken(cx: &mut Lowering<'_>, x: ValueId, dim: usize, indices: &[i64]) -> ValueId {
    let indices = Tensor::from_ints(Type::new(DType::I64, [indices.len()]), indices.to_vec());
    let indices = cx.b.constant(&indices);
    cx.b.take(x, indices, dim)
}

/// Lowers padding with elements of the tensor itself. The list has the padding before and after each dimension, from
/// the last one on; negative numbers remove elements.
pub fn pad_with_elements(cx: &mut Lowering<'_>, node: &Node<'_>, mode: &str) -> LoweringResult {
    let mut x = node.tensor("self")?;
    let shape = cx.shape(x);
    let pads = node.ints(if node.has("pad") { "pad" } else { "padding" })?.unwrap_or_default().into_owned();
    if pads.len() % 2 != 0 || pads.len() / 2 > shape.rank() {
        return malformed(format!("pads {shape} by {pads:?}"));
    }
    for (i, pair) in pads.chunks_exact(2).enumerate() {
        let dim = shape.rank() - 1 - i;
        let n = i64::try_from(shape[dim]).unwrap_or(i64::MAX);
        if pair.iter().any(|pad| pad.unsigned_abs() as usize > MAX_POSITIONS) {
            return Err(LoweringError::TooLarge(format!("{shape} padded by {pads:?}")));
        }
        let reaches_beyond = |limit: i64| pair.iter().any(|&pad| pad > limit);
        let element: Box<dyn Fn(i64) -> i64> = match mode {
            "reflect" if !reaches_beyond(n - 1) => Box::new(move |at| (n - 1) - ((n - 1) - at.abs()).abs()),
            "circular" if !reaches_beyond(n) => Box::new(move |at| at.rem_euclid(n)),
            "replicate" if n > 0 => Box::new(move |at| at.clamp(0, n - 1)),
            _ => return malformed(format!("pads {shape} by {pads:?} in the mode `{mode}`")),
        };
        let positions = -pair[0]..n.saturating_add(pair[1]);
        x = taken(cx, x, dim, &positions.map(element).collect::<Vec<_>>());
    }
    single(x)
}

/// Lowers the rearrangement of groups of channels to blocks of elements, or back.
pub fn shuffle(cx: &mut Lowering<'_>, node: &Node<'_>, to_blocks: bool) -> LoweringResult {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let name = if to_blocks { "upscale_factor" } else { "downscale_factor" };
    let r = size(node.required_int(name)?, name)?;
    let Some(lead) = shape.rank().checked_sub(3).filter(|_| r > 0) else {
        return malformed(format!("rearranges {shape}"));
    };
    let (c, h, w) = (shape[lead], shape[lead + 1], shape[lead + 2]);
    let batch: Vec<usize> = (0..lead).collect();
    let dims = |sizes: &[usize]| -> Shape { shape[..lead].iter().chain(sizes).copied().collect() };
    let order = |places: &[usize]| batch.iter().copied().chain(places.iter().map(|&place| lead + place)).collect();
    let square = r.saturating_mul(r);
    let (split, places, result) = match to_blocks {
        true if c.is_multiple_of(square) => {
            let (c, places) = (c / square, [0, 3, 1, 4, 2]);
            (dims(&[c, r, r, h, w]), places, dims(&[c, h.saturating_mul(r), w.saturating_mul(r)]))
        }
        false if h.is_multiple_of(r) && w.is_multiple_of(r) => {
            let (h, w, places) = (h / r, w / r, [0, 2, 4, 1, 3]);
            (dims(&[c, h, r, w, r]), places, dims(&[c.saturating_mul(square), h, w]))
        }
        _ => return malformed(format!("rearranges {shape} by the factor {r}")),
    };
    let split = cx.b.checked_reshape(x, split)?;
    let moved = cx.b.transpose(split, order(&places));
    single(cx.b.checked_reshape(moved, result)?)
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
    let positions = (0..count).flat_map(|at| (0..length).map(move |i| (at * step + i) as i64));
    let indices = Tensor::from_ints(Type::new(DType::I64, [count, length]), positions.collect());
    let indices = cx.b.constant(&indices);
    let slices = cx.b.take(x, indices, dim);
    let rank = shape.rank() + 1;
    single(cx.b.transpose(slices, (0..rank).filter(|&d| d != dim + 1).chain([dim + 1]).collect()))
}
