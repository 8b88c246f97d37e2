//! Lowering of `Resize` and `Upsample`: separable interpolation along each dimension.
//!
//! The coordinates of the elements of the result in the operand follow from sizes, scales and attributes.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, dim, malformed, single, size, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::build::{Interpolation, Kernel, Taps};
use partita_ir::dtype::{DType, Shape};
use partita_ir::tensor::Scalar;

/// Resampling of one dimension.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// Size of the operand.
    from: usize,
    /// Size of the result.
    to: usize,
    scale: f64,
    /// Start and end of the region of interest, in sizes of the operand.
    region: [f32; 2],
}

/// Options of a resize.
struct ResizeOptions<'m> {
    /// `None` selects the nearest element.
    kernel: Option<Kernel>,
    /// Mapping from coordinates of the result to those of the operand.
    coordinates: &'m str,
    /// Rounding of coordinates to the nearest element.
    rounding: &'m str,
    /// Elements outside of the operand have no weight, instead of those of the edge.
    exclude_outside: bool,
    antialias: bool,
}

impl ResizeOptions<'_> {
    /// Returns the coordinate in the operand of element `i` of the result. Scales are those that the node states, and
    /// the length of the result is an integer, as in ONNX Runtime.
    fn coordinate(&self, axis: &Axis, i: usize) -> Result<f64, LoweringError> {
        // Rounded to `f32` as in ONNX Runtime: rounding decides which element is the nearest one.
        let (x, from, to) = (i as f32, axis.from as f32, axis.to as f32);
        let centre = (x + 0.5) / axis.scale as f32 - 0.5;
        Ok(f64::from(match self.coordinates {
            "align_corners" if axis.to == 1 => 0.0,
            "align_corners" => x * (from - 1.0) / (to - 1.0),
            "asymmetric" => (i as f64 / axis.scale) as f32,
            "pytorch_half_pixel" if axis.to == 1 => 0.0,
            "half_pixel" | "pytorch_half_pixel" => centre,
            // Up to opset 12; the mapping of TensorFlow 1.
            "tf_half_pixel_for_nn" => centre + 0.5,
            "half_pixel_symmetric" => {
                let adjustment = to / (axis.scale as f32 * from);
                from / 2.0 * (1.0 - adjustment) + (x + 0.5) / axis.scale as f32 - 0.5
            }
            "tf_crop_and_resize" => {
                let [start, end] = axis.region;
                match axis.to {
                    1 => (start + end) * (from - 1.0) / 2.0,
                    _ => start * (from - 1.0) + x * (end - start) * (from - 1.0) / (to - 1.0),
                }
            }
            other => return unsupported(format!("the coordinates `{other}`")),
        }))
    }

    /// Returns the index of the nearest element, which may be outside of the operand.
    fn nearest(&self, x: f64) -> Result<i64, LoweringError> {
        let fraction = x - x.floor();
        let up = match self.rounding {
            "round_prefer_floor" => fraction > 0.5,
            "round_prefer_ceil" => fraction >= 0.5,
            "floor" => false,
            "ceil" => fraction > 0.0,
            other => return unsupported(format!("the rounding `{other}`")),
        };
        Ok((x.floor() as i64).saturating_add(i64::from(up)))
    }

    /// Returns the taps for coordinates in the operand.
    fn taps(&self, axis: &Axis, coordinates: &[f64]) -> Result<Taps, LoweringError> {
        let Some(kernel) = self.kernel else {
            let last = axis.from as i64 - 1;
            let index = |&x: &f64| Ok(self.nearest(x)?.clamp(0, last));
            return Ok(Taps::single(coordinates.iter().map(index).collect::<Result<_, LoweringError>>()?));
        };
        let shrink = if self.antialias { axis.scale.min(1.0) } else { 1.0 };
        let interpolation = Interpolation { kernel, shrink, excludes_outside: self.exclude_outside };
        interpolation.taps(coordinates, axis.from).map_err(LoweringError::TooLarge)
    }
}

/// Lowers `Resize`, with sizes or scales as constant operands.
pub fn resize(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let rank = shape.rank();
    // Opset 10 has scales only, and the mapping of later asymmetric resizes.
    let (region, scales, sizes) = match node.opset {
        ..11 => (None, Some(node.arg(1)?), None),
        _ => (node.optional(1), node.optional(2), node.optional(3)),
    };
    let axes: Vec<usize> = match node.ints("axes") {
        Some(axes) => axes.iter().map(|&axis| dim(axis, rank)).collect::<Result<_, _>>()?,
        None => (0..rank).collect(),
    };
    let filled = |value: Option<ValueId>| value.filter(|&v| cx.shape(v).count() > 0);
    let (scales, sizes, region) = (filled(scales), filled(sizes), filled(region));
    let mut all: Vec<Axis> = shape.iter().map(|&n| Axis { from: n, to: n, scale: 1.0, region: [0.0, 1.0] }).collect();
    match (scales, sizes) {
        (Some(scales), None) => {
            let scales = cx.numbers(scales, "scales")?;
            check_count(&axes, scales.len())?;
            for (&d, &scale) in axes.iter().zip(&scales) {
                all[d] = Axis { to: scaled_size(shape[d], scale)?, scale, ..all[d] };
            }
        }
        (None, Some(sizes)) => set_sizes(&mut all, &axes, &cx.ints(sizes, "sizes")?, node)?,
        _ => return malformed("needs either scales or sizes"),
    }
    let coordinates =
        if node.opset < 11 { "asymmetric" } else { node.text("coordinate_transformation_mode", "half_pixel") };
    if let Some(region) = region.filter(|_| coordinates == "tf_crop_and_resize") {
        let region = cx.numbers(region, "region")?;
        check_count(&axes, region.len() / 2)?;
        for (i, &d) in axes.iter().enumerate() {
            all[d].region = [region[i] as f32, region[axes.len() + i] as f32];
        }
    }
    let options = ResizeOptions {
        kernel: kernel(node, node.float("cubic_coeff_a", -0.75))?,
        coordinates,
        rounding: if node.opset < 11 { "floor" } else { node.text("nearest_mode", "round_prefer_floor") },
        exclude_outside: node.flag("exclude_outside", false),
        antialias: node.flag("antialias", false),
    };
    single(resample(cx, x, &all, &options, node.float("extrapolation_value", 0.0))?)
}

/// Lowers `Upsample`, with scales as an attribute (up to opset 8) or a constant operand.
pub fn upsample(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    let scales = match node.floats("scales") {
        Some(scales) => scales.iter().map(|&scale| f64::from(scale)).collect(),
        // Up to opset 6 the last two dimensions have a scale each.
        None if node.has_attribute("height_scale") && shape.rank() >= 2 => {
            let scales = [node.float("height_scale", 1.0), node.float("width_scale", 1.0)];
            std::iter::repeat_n(1.0, shape.rank() - 2).chain(scales).collect()
        }
        None => cx.numbers(node.arg(1)?, "scales")?,
    };
    let axes: Vec<usize> = (0..shape.rank()).collect();
    check_count(&axes, scales.len())?;
    let axis = |(&from, &scale): (&usize, &f64)| -> Result<Axis, LoweringError> {
        Ok(Axis { from, to: scaled_size(from, scale)?, scale, region: [0.0, 1.0] })
    };
    let all = shape.iter().zip(&scales).map(axis).collect::<Result<Vec<_>, _>>()?;
    let options = ResizeOptions {
        kernel: kernel(node, -0.75)?,
        coordinates: "asymmetric",
        rounding: "floor",
        exclude_outside: false,
        antialias: false,
    };
    single(resample(cx, x, &all, &options, 0.0)?)
}

/// Returns the size of a dimension that is multiplied by a scale. The product is rounded to `f32` as in ONNX Runtime.
fn scaled_size(from: usize, scale: f64) -> Result<usize, LoweringError> {
    size((from as f32 * scale as f32).floor() as i64, "size")
}

/// Reads the attribute `mode`, with the coefficient of the cubic function.
fn kernel(node: &Node<'_>, cubic: f64) -> Result<Option<Kernel>, LoweringError> {
    match node.text("mode", "nearest") {
        "nearest" => Ok(None),
        "linear" | "bilinear" => Ok(Some(Kernel::Linear)),
        "cubic" => Ok(Some(Kernel::Cubic(cubic))),
        other => unsupported(format!("the mode `{other}`")),
    }
}

/// Checks that there is one number for each resized dimension.
fn check_count(axes: &[usize], count: usize) -> Result<(), LoweringError> {
    match axes.len() == count {
        true => Ok(()),
        false => malformed(format!("has {count} numbers for {} dimensions", axes.len())),
    }
}

/// Sets sizes and scales, with the aspect ratio that the attribute `keep_aspect_ratio_policy` states.
fn set_sizes(all: &mut [Axis], axes: &[usize], sizes: &[i64], node: &Node<'_>) -> Result<(), LoweringError> {
    check_count(axes, sizes.len())?;
    let ratio = |all: &[Axis], i: usize| sizes[i] as f64 / all[axes[i]].from as f64;
    let policy = node.text("keep_aspect_ratio_policy", "stretch");
    let scales = (0..axes.len()).map(|i| ratio(all, i));
    let common = match policy {
        "stretch" => None,
        "not_larger" => Some(scales.fold(f64::INFINITY, f64::min)),
        "not_smaller" => Some(scales.fold(0.0, f64::max)),
        other => return malformed(format!("has the policy `{other}`")),
    };
    for (i, &d) in axes.iter().enumerate() {
        let (scale, to) = match common {
            None => (ratio(all, i), sizes[i]),
            Some(scale) => (scale, (scale * all[d].from as f64 + 0.5).floor() as i64),
        };
        all[d] = Axis { scale, to: size(to, "size")?, ..all[d] };
    }
    Ok(())
}

/// Appends the interpolation along each dimension that changes.
fn resample(
    cx: &mut Lowering<'_>,
    x: ValueId,
    all: &[Axis],
    options: &ResizeOptions<'_>,
    extrapolation: f64,
) -> Result<ValueId, LoweringError> {
    let dtype = cx.dtype(x);
    // Integers are interpolated in floats and rounded toward zero.
    let is_exact = dtype.is_float() || options.kernel.is_none();
    let mut out = if is_exact { x } else { cx.b.convert(x, DType::F32) };
    for (d, axis) in all.iter().enumerate() {
        let whole = axis.region == [0.0, 1.0] || options.coordinates != "tf_crop_and_resize";
        if axis.from == axis.to && axis.scale == 1.0 && whole {
            continue;
        }
        if axis.from == 0 && axis.to > 0 {
            return malformed(format!("resizes an empty dimension to {}", axis.to));
        }
        out = resample_dim(cx, out, d, axis, options, extrapolation)?;
    }
    Ok(if is_exact { out } else { cx.b.convert(out, dtype) })
}

/// Appends the interpolation along one dimension. Elements outside of the operand get the value `extrapolation` if the
/// coordinates are those of a region.
fn resample_dim(
    cx: &mut Lowering<'_>,
    x: ValueId,
    d: usize,
    axis: &Axis,
    options: &ResizeOptions<'_>,
    extrapolation: f64,
) -> Result<ValueId, LoweringError> {
    let coordinates = (0..axis.to).map(|i| options.coordinate(axis, i)).collect::<Result<Vec<_>, _>>()?;
    if axis.scale <= 0.0 || coordinates.iter().any(|x| !x.is_finite()) {
        return malformed(format!("resizes by {}", axis.scale));
    }
    let taps = options.taps(axis, &coordinates)?;
    let out = cx.b.resample(x, d, &taps);
    let is_inside = |x: f64| options.coordinates != "tf_crop_and_resize" || (0.0..=axis.from as f64 - 1.0).contains(&x);
    if coordinates.iter().all(|&x| is_inside(x)) {
        return Ok(out);
    }
    let mut along = Shape::from(&vec![1; cx.rank(x)][..]);
    along[d] = axis.to;
    let inside = cx.int_constant(DType::Bool, along, coordinates.iter().map(|&x| i64::from(is_inside(x))).collect());
    cx.select_or(inside, out, Scalar::Float(extrapolation))
}
