//! Lowering of `Resize` and `Upsample`: separable interpolation along each dimension.
//!
//! An element along a resized dimension is a weighted sum of a few elements ("taps") of the operand, whose indices and
//! weights are constants. Nearest interpolation has one tap.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, dim, malformed, single, size, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape};
use partita_ir::ops::BinaryOp;
use partita_ir::tensor::Scalar;

/// Maximum number of weights of one dimension.
const MAX_WEIGHTS: usize = 1 << 22;

/// Resampling of one dimension.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// Size of the operand.
    from: usize,
    /// Size of the result.
    to: usize,
    scale: f64,
    /// Start and end of the region of interest, in sizes of the operand.
    region: [f64; 2],
}

/// Taps of a dimension: `taps` indices and weights for each element of the result.
struct Taps {
    taps: usize,
    indices: Vec<i64>,
    weights: Vec<f64>,
    /// True for elements of the result outside of the operand, if these are filled.
    outside: Vec<bool>,
}

/// Interpolation between elements.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mode {
    Nearest,
    Linear,
    /// With the coefficient of the cubic function (Keys 1981).
    Cubic(f64),
}

/// Options of a resize.
struct ResizeOptions<'m> {
    mode: Mode,
    /// Mapping from coordinates of the result to those of the operand.
    coordinates: &'m str,
    /// Rounding of coordinates in the mode `Nearest`.
    rounding: &'m str,
    /// Elements outside of the operand have no weight, instead of those of the edge.
    exclude_outside: bool,
    antialias: bool,
}

impl ResizeOptions<'_> {
    /// Returns the coordinate in the operand of element `i` of the result.
    fn coordinate(&self, axis: &Axis, i: usize) -> Result<f64, LoweringError> {
        let (x, from, scaled) = (i as f64, axis.from as f64, axis.scale * axis.from as f64);
        // In `f32`, as in ONNX Runtime: rounding decides which element is the nearest one.
        let centre = f64::from((x as f32 + 0.5) / axis.scale as f32 - 0.5);
        Ok(match self.coordinates {
            "align_corners" if scaled == 1.0 => 0.0,
            "align_corners" => x * (from - 1.0) / (scaled - 1.0),
            "asymmetric" => f64::from(x as f32 / axis.scale as f32),
            "half_pixel" => centre,
            "pytorch_half_pixel" if scaled == 1.0 => -0.5,
            "pytorch_half_pixel" => centre,
            // Up to opset 12; the mapping of TensorFlow 1.
            "tf_half_pixel_for_nn" => centre + 0.5,
            "half_pixel_symmetric" => {
                let adjustment = axis.to as f32 / (axis.scale as f32 * axis.from as f32);
                f64::from(axis.from as f32 / 2.0 * (1.0 - adjustment)) + centre
            }
            "tf_crop_and_resize" => {
                let [start, end] = axis.region;
                let inside = if scaled == 1.0 {
                    (end - start) * (from - 1.0) / 2.0
                } else {
                    x * (end - start) * (from - 1.0) / (scaled - 1.0)
                };
                start * (from - 1.0) + inside
            }
            other => return unsupported(format!("the coordinates `{other}`")),
        })
    }

    /// Returns the indices, before clamping, and the weights for a coordinate.
    fn weights(&self, x: f64, scale: f64) -> Result<Vec<(i64, f64)>, LoweringError> {
        let floor = x.floor();
        // The ratio is in (0, 1]: at an integer the element is the right neighbour.
        let (left, ratio) = if floor == x { (floor as i64 - 1, 1.0) } else { (floor as i64, x - floor) };
        let shrink = if self.antialias { scale.min(1.0) } else { 1.0 };
        let cubic = |a: f64, x: f64| match x.abs() {
            x if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
            x if x < 2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
            _ => 0.0,
        };
        let (radius, kernel): (f64, Box<dyn Fn(f64) -> f64>) = match self.mode {
            Mode::Nearest => {
                let fraction = x - floor;
                let up = match self.rounding {
                    "round_prefer_floor" => fraction > 0.5,
                    "round_prefer_ceil" => fraction >= 0.5,
                    "floor" => false,
                    "ceil" => fraction > 0.0,
                    other => return unsupported(format!("the rounding `{other}`")),
                };
                return Ok(vec![(floor as i64 + i64::from(up), 1.0)]);
            }
            Mode::Linear => (1.0, Box::new(|x: f64| (1.0 - x.abs()).max(0.0))),
            Mode::Cubic(a) => (2.0, Box::new(move |x| cubic(a, x))),
        };
        if radius / shrink > MAX_WEIGHTS as f64 {
            return Err(LoweringError::TooLarge(format!("{} weights", 2.0 * radius / shrink)));
        }
        let first = (-radius / shrink).floor() as i64 + 1;
        let last = 1 - first;
        let taps: Vec<(i64, f64)> = (first..=last).map(|i| (left + i, kernel(shrink * (i as f64 - ratio)))).collect();
        let sum: f64 = if shrink < 1.0 { taps.iter().map(|tap| tap.1).sum() } else { 1.0 };
        Ok(taps.into_iter().map(|(index, weight)| (index, weight / sum)).collect())
    }

    /// Returns the taps of a dimension.
    fn taps(&self, axis: &Axis) -> Result<Taps, LoweringError> {
        let mut out = Taps { taps: 0, indices: Vec::new(), weights: Vec::new(), outside: Vec::new() };
        let last = axis.from as i64 - 1;
        for i in 0..axis.to {
            let x = self.coordinate(axis, i)?;
            if !x.is_finite() || axis.scale <= 0.0 {
                return malformed(format!("resizes by {}", axis.scale));
            }
            let mut taps = self.weights(x, axis.scale)?;
            if self.exclude_outside {
                taps.iter_mut().filter(|tap| !(0..=last).contains(&tap.0)).for_each(|tap| tap.1 = 0.0);
                let sum: f64 = taps.iter().map(|tap| tap.1).sum();
                taps.iter_mut().filter(|_| sum != 0.0).for_each(|tap| tap.1 /= sum);
            }
            out.taps = taps.len();
            if out.taps.saturating_mul(axis.to) > MAX_WEIGHTS {
                return Err(LoweringError::TooLarge(format!("{} x {} weights", out.taps, axis.to)));
            }
            out.indices.extend(taps.iter().map(|tap| tap.0.clamp(0, last)));
            out.weights.extend(taps.iter().map(|tap| tap.1));
            out.outside.push(self.coordinates == "tf_crop_and_resize" && (x < 0.0 || x > last as f64));
        }
        Ok(out)
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
                let to = size((scale * shape[d] as f64).floor() as i64, "size")?;
                all[d] = Axis { to, scale, ..all[d] };
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
            all[d].region = [region[i], region[axes.len() + i]];
        }
    }
    let options = ResizeOptions {
        mode: mode(node, node.float("cubic_coeff_a", -0.75))?,
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
        let to = size((scale * from as f64).floor() as i64, "size")?;
        Ok(Axis { from, to, scale, region: [0.0, 1.0] })
    };
    let all = shape.iter().zip(&scales).map(axis).collect::<Result<Vec<_>, _>>()?;
    let options = ResizeOptions {
        mode: mode(node, -0.75)?,
        coordinates: "asymmetric",
        rounding: "floor",
        exclude_outside: false,
        antialias: false,
    };
    single(resample(cx, x, &all, &options, 0.0)?)
}

/// Reads the attribute `mode`.
fn mode(node: &Node<'_>, cubic: f64) -> Result<Mode, LoweringError> {
    match node.text("mode", "nearest") {
        "nearest" => Ok(Mode::Nearest),
        "linear" | "bilinear" => Ok(Mode::Linear),
        "cubic" => Ok(Mode::Cubic(cubic)),
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
    let is_exact = dtype.is_float() || options.mode == Mode::Nearest;
    let mut out = if is_exact { x } else { cx.b.convert(x, DType::F32) };
    for (d, axis) in all.iter().enumerate() {
        let whole = axis.region == [0.0, 1.0] || options.coordinates != "tf_crop_and_resize";
        if axis.from == axis.to && axis.scale == 1.0 && whole {
            continue;
        }
        if axis.from == 0 && axis.to > 0 {
            return malformed(format!("resizes an empty dimension to {}", axis.to));
        }
        let taps = options.taps(axis)?;
        out = resample_dim(cx, out, d, &taps, extrapolation)?;
    }
    Ok(if is_exact { out } else { cx.b.convert(out, dtype) })
}

/// Appends the weighted sum of the taps along one dimension.
fn resample_dim(
    cx: &mut Lowering<'_>,
    x: ValueId,
    d: usize,
    taps: &Taps,
    extrapolation: f64,
) -> Result<ValueId, LoweringError> {
    let (dtype, rank, to) = (cx.dtype(x), cx.rank(x), taps.outside.len());
    let mut along = Shape::from(&vec![1; rank][..]);
    along[d] = to;
    let every = |list: &[i64], tap: usize| list.iter().copied().skip(tap).step_by(taps.taps).collect::<Vec<_>>();
    let mut sum: Option<ValueId> = None;
    for tap in 0..taps.taps {
        let weights: Vec<f64> = taps.weights.iter().copied().skip(tap).step_by(taps.taps).collect();
        if weights.iter().all(|&weight| weight == 0.0) {
            continue;
        }
        let mut part = picked(cx, x, d, every(&taps.indices, tap));
        if weights.iter().any(|&weight| weight != 1.0) {
            let weights = cx.float_constant(dtype, along.clone(), weights);
            part = cx.mul(part, weights)?;
        }
        sum = Some(match sum {
            Some(sum) => cx.b.binary(BinaryOp::Add, sum, part),
            None => part,
        });
    }
    let out = match sum {
        Some(sum) => sum,
        // An empty result.
        None => cx.b.slice_dim(x, d, 0, 0),
    };
    if !taps.outside.contains(&true) {
        return Ok(out);
    }
    let inside = taps.outside.iter().map(|&outside| i64::from(!outside)).collect();
    let inside = cx.int_constant(DType::Bool, along, inside);
    cx.select_or(inside, out, Scalar::Float(extrapolation))
}

/// Returns the elements at constant indices along one dimension. A repetition of each element is a broadcast, which can
/// be sharded.
fn picked(cx: &mut Lowering<'_>, x: ValueId, d: usize, indices: Vec<i64>) -> ValueId {
    let mut shape = cx.shape(x);
    let (from, to) = (shape[d], indices.len());
    let times = to.checked_div(from).unwrap_or(0);
    let repeats =
        times > 0 && to == times * from && indices.iter().enumerate().all(|(i, &at)| at == (i / times) as i64);
    if repeats {
        let places: Vec<usize> = (0..shape.rank() + 1).filter(|&i| i != d + 1).collect();
        let mut wide = shape.clone();
        wide.0.insert(d + 1, times);
        let repeated = cx.b.broadcast(x, &places, wide);
        shape[d] = to;
        return cx.b.reshape(repeated, shape);
    }
    let indices = cx.int_constant(DType::I64, [to], indices);
    cx.b.take(x, indices, d)
}
