//! Lowering of sampling at positions given at run time: `GridSample`, `AffineGrid`, `RoiAlign` and `DeformConv`.

use super::elementwise::converted;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, malformed, single, size, unsupported};
use super::window::{per_dim, with_bias};
use partita_ir::arena::ValueId;
use partita_ir::build::{Kernel, Outside, Sampler};
use partita_ir::dtype::{DType, Shape};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Lowers the sampling of `[batch, channels, space ..]` at a grid `[batch, points .., dimensions]` of positions from -1
/// to 1, the last dimension first.
pub fn grid_sample(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, grid) = (node.arg(0)?, node.arg(1)?);
    cx.require_float(x)?;
    cx.require_float(grid)?;
    let sampler = Sampler {
        outside: match node.text("padding_mode", "zeros") {
            "zeros" => Outside::Zeros,
            "border" => Outside::Border,
            "reflection" => Outside::Reflection,
            other => return malformed(format!("has the padding mode `{other}`")),
        },
        kernel: match node.text("mode", "linear") {
            "nearest" => None,
            "linear" | "bilinear" => Some(Kernel::Linear),
            "cubic" | "bicubic" => Some(Kernel::Cubic(-0.75)),
            other => return malformed(format!("has the mode `{other}`")),
        },
        align_corners: node.flag("align_corners", false),
    };
    single(cx.b.checked_grid_sample(x, grid, &sampler)?)
}

/// Lowers a grid of positions from -1 to 1, transformed by a matrix for each batch: `theta` is `[batch, n, n + 1]`.
pub fn affine_grid(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let theta = node.arg(0)?;
    cx.require_float(theta)?;
    let sizes = cx.ints(node.arg(1)?, "size")?;
    let space = sizes.iter().skip(2).map(|&n| size(n, "size")).collect::<Result<Vec<_>, _>>()?;
    let shape = cx.shape(theta);
    if shape.first().copied() != sizes.first().and_then(|&n| usize::try_from(n).ok()) {
        return malformed(format!("transforms a grid {sizes:?} by {shape}"));
    }
    single(cx.b.checked_affine_grid(theta, &space, node.flag("align_corners", false))?)
}

/// Lowers pooling of regions of interest: each region is divided into bins, whose samples are averaged or of which the
/// largest is taken (He et al. 2017). Regions are `[count, 4]`, with the index of the batch for each.
pub fn roi_align(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, regions, batches] = [node.arg(0)?, node.arg(1)?, node.arg(2)?];
    cx.require_float(x)?;
    let &[batch, channels, height, width] = &cx.shape(x)[..] else {
        return malformed(format!("needs 4 dimensions, not {}", cx.b.ty(x)));
    };
    let &[count, 4] = &cx.shape(regions)[..] else { return malformed(format!("has regions {}", cx.b.ty(regions))) };
    let ratio = size(node.int("sampling_ratio", 0), "sampling ratio")?;
    if ratio == 0 {
        return unsupported("a number of samples that depends on the regions: set `sampling_ratio`");
    }
    let bins = [size(node.int("output_height", 1), "height")?, size(node.int("output_width", 1), "width")?];
    // Before opset 16 positions are those of corners, and regions have at least the size 1.
    let mode =
        if node.opset < 16 { "output_half_pixel" } else { node.text("coordinate_transformation_mode", "half_pixel") };
    let offset = match mode {
        "half_pixel" => 0.5,
        "output_half_pixel" => 0.0,
        other => return malformed(format!("has the coordinates `{other}`")),
    };
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, regions, node.float("spatial_scale", 1.0));
    let corners = cx.b.binary_scalar(BinaryOp::Sub, scaled, offset);
    let mut corner = |i: usize| {
        let part = cx.b.slice_dim(corners, 1, i, i + 1);
        cx.b.reshape(part, [count, 1])
    };
    let ends = [[corner(1), corner(3)], [corner(0), corner(2)]];
    let axes = [height, width];
    // For each axis, the indices of the two elements around each sample, and their weights: `[count, samples]`.
    let mut taps = Vec::new();
    for d in 0..2 {
        let samples = bins[d].saturating_mul(ratio);
        let mut extent = cx.b.binary(BinaryOp::Sub, ends[d][1], ends[d][0]);
        if offset == 0.0 {
            extent = cx.b.binary_scalar(BinaryOp::Max, extent, 1.0);
        }
        let step = cx.b.binary_scalar(BinaryOp::Div, extent, samples as f64);
        let dtype = cx.dtype(step);
        let number = cx.b.iota(dtype, [1, samples], 1);
        let number = cx.b.binary_scalar(BinaryOp::Add, number, 0.5);
        let distance = cx.mul(number, step)?;
        let position = cx.add(distance, ends[d][0])?;
        taps.push(roi_taps(cx, position, axes[d]));
    }
    let [rows, columns] = &taps[..] else { return malformed("has no axes") };
    let grid = bins.map(|n| n.saturating_mul(ratio));
    let all = Shape::from([count, grid[0], grid[1]]);
    let Some(points) = all.checked_count() else { return Err(LoweringError::TooLarge(all.to_string())) };
    // All batches are one sequence of elements, of which each region addresses those of its batch.
    let channels_first = cx.b.swap_dims(x, 0, 1);
    let flat = cx.b.reshape(channels_first, [1, channels, batch * height * width]);
    let start = converted(cx, batches, DType::I64);
    let start = cx.b.binary_scalar(BinaryOp::Mul, start, (height * width) as f64);
    let start = cx.reshape(start, [count, 1, 1])?;
    let maximum = match node.text("mode", "avg") {
        "avg" => false,
        "max" => true,
        other => return malformed(format!("has the mode `{other}`")),
    };
    let mut samples: Option<ValueId> = None;
    for &(row, row_weight) in rows {
        for &(column, column_weight) in columns {
            let row_start = cx.b.binary_scalar(BinaryOp::Mul, row, width as f64);
            let row_start = cx.b.reshape(row_start, [count, grid[0], 1]);
            let column = cx.b.reshape(column, [count, 1, grid[1]]);
            let index = cx.add(row_start, column)?;
            let index = cx.add(index, start)?;
            let index = cx.b.reshape(index, [1, points]);
            let part = cx.b.take_points(flat, index);
            let part = cx.b.reshape(part, [channels, count, grid[0], grid[1]]);
            let row_weight = cx.b.reshape(row_weight, [count, grid[0], 1]);
            let column_weight = cx.b.reshape(column_weight, [count, 1, grid[1]]);
            let weight = cx.mul(row_weight, column_weight)?;
            let part = cx.mul(part, weight)?;
            let op = if maximum { BinaryOp::Max } else { BinaryOp::Add };
            samples = Some(samples.map_or(part, |sum| cx.b.binary(op, sum, part)));
        }
    }
    let Some(samples) = samples else { return malformed("has no samples") };
    let samples = cx.b.reshape(samples, [channels, count, bins[0], ratio, bins[1], ratio]);
    let over: Dims = [3, 5].into_iter().collect();
    let pooled = match maximum {
        true => cx.b.reduce_dims(Monoid::Max, samples, over),
        false => cx.b.mean_dims(samples, over),
    };
    single(cx.b.swap_dims(pooled, 0, 1))
}

/// Returns the two elements around positions along a dimension of size `n`, with their weights. Positions up to 1
/// beyond the ends are moved to the ends, others have no weight.
fn roi_taps(cx: &mut Lowering<'_>, position: ValueId, n: usize) -> Vec<(ValueId, ValueId)> {
    let last = n.saturating_sub(1) as f64;
    let low = cx.compare_scalar(position, Direction::Ge, Scalar::Float(-1.0));
    let high = cx.compare_scalar(position, Direction::Le, Scalar::Float(n as f64));
    let inside = cx.b.binary(BinaryOp::And, low, high);
    let dtype = cx.dtype(position);
    let inside = cx.b.convert(inside, dtype);
    let position = cx.b.clamp(position, Scalar::Float(0.0), Scalar::Float(last));
    let floor = cx.b.unary(UnaryOp::Floor, position);
    let ratio = cx.b.binary(BinaryOp::Sub, position, floor);
    let one = cx.b.splat_like(ratio, Scalar::Float(1.0));
    let rest = cx.b.binary(BinaryOp::Sub, one, ratio);
    let next = cx.b.binary_scalar(BinaryOp::Add, floor, 1.0);
    let next = cx.b.binary_scalar(BinaryOp::Min, next, last);
    [(floor, rest), (next, ratio)]
        .map(|(index, weight)| (cx.b.convert(index, DType::I64), cx.b.binary(BinaryOp::Mul, weight, inside)))
        .to_vec()
}

/// Lowers a deformable convolution (Dai et al. 2017) of two spatial dimensions: each element of the kernel reads the
/// operand at its position plus an offset given at run time.
pub fn deformable_convolution(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, weight, offset] = [node.arg(0)?, node.arg(1)?, node.arg(2)?];
    cx.require_float(x)?;
    let (&[batch, channels, height, width], &[features, own, kh, kw]) = (&cx.shape(x)[..], &cx.shape(weight)[..])
    else {
        return unsupported("other than two spatial dimensions");
    };
    let offset_shape = cx.shape(offset);
    let (groups, offset_groups) =
        (size(node.int("group", 1), "group")?, size(node.int("offset_group", 1), "offset group")?);
    let taps = kh.saturating_mul(kw);
    let fits = channels.checked_rem(offset_groups) == Some(0) && features.checked_rem(groups) == Some(0);
    if !fits
        || own.checked_mul(groups) != Some(channels)
        || offset_shape.rank() != 4
        || taps.min(height).min(width) == 0
    {
        return malformed(format!("applies {} with offsets of {offset_shape} to {}", cx.b.ty(weight), cx.b.ty(x)));
    }
    let (rows, columns) = (offset_shape[2], offset_shape[3]);
    let (strides, dilations) = (per_dim(node, "strides", 2, 1)?, per_dim(node, "dilations", 2, 1)?);
    let pads = per_dim(node, "pads", 4, 0)?;
    // Positions [batch offset_groups, taps rows columns] in each dimension.
    let (points, parts) = (taps.saturating_mul(rows).saturating_mul(columns), batch.saturating_mul(offset_groups));
    let offsets = cx.reshape(offset, [parts, kh, kw, 2, rows, columns])?;
    let dtype = cx.dtype(offset);
    let grid = Shape::from([parts, kh, kw, rows, columns]);
    let positions: Vec<ValueId> = (0..2)
        .map(|d| {
            let moved = cx.b.slice_dim(offsets, 3, d, d + 1);
            let moved = cx.b.reshape(moved, grid.clone());
            let tap = cx.b.iota(dtype, grid.clone(), 1 + d);
            let tap = cx.b.binary_scalar(BinaryOp::Mul, tap, dilations[d] as f64);
            let place = cx.b.iota(dtype, grid.clone(), 3 + d);
            let place = cx.b.binary_scalar(BinaryOp::Mul, place, strides[d] as f64);
            let base = cx.b.binary(BinaryOp::Add, tap, place);
            let base = cx.b.binary_scalar(BinaryOp::Sub, base, pads[d] as f64);
            let position = cx.b.binary(BinaryOp::Add, base, moved);
            cx.b.reshape(position, [parts, points])
        })
        .collect();
    let sampler = Sampler { outside: Outside::Zeros, kernel: Some(Kernel::Linear), align_corners: true };
    let grouped = cx.b.reshape(x, [parts, channels / offset_groups, height, width]);
    let mut samples = cx.b.sample(grouped, &positions, &sampler);
    if let Some(mask) = node.optional(4) {
        let mask = cx.reshape(mask, [parts, 1, points])?;
        samples = cx.mul(samples, mask)?;
    }
    let samples = cx.reshape(samples, [batch, groups, own.saturating_mul(taps), rows.saturating_mul(columns)])?;
    let weight = cx.b.reshape(weight, [groups, features / groups, own * taps]);
    let out = cx.matmul(weight, samples)?;
    let out = cx.b.reshape(out, [batch, features, rows, columns]);
    single(with_bias(cx, out, node.optional(3))?)
}
