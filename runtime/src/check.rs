//! Comparison of the results of two runs of a program.
//!
//! [`compare`] expects results that are equal up to rounding of a given size, as in `f64`. [`compare_rounding`] is for
//! narrower types, where some elements may be ill-conditioned: Adam divides a gradient by its own magnitude, so a
//! gradient that is zero up to rounding moves a parameter as far as any other. The error of many devices is therefore
//! judged relative to the error of one device.

use partita_ir::dtype::DType;
use partita_ir::tensor::{Scalar, Tensor};

/// Difference of one output between two runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// Name of the output.
    pub name: String,
    /// Largest |a - b|; infinite where exactly one of the two is NaN or infinite, or the types differ.
    pub max_abs_diff: f64,
    /// `max_abs_diff` over the larger of 1 and the largest finite |b|.
    pub max_rel_diff: f64,
    /// Largest error of one device against `f64`, relative in the same way as `max_rel_diff`; zero without a comparison
    /// against `f64`.
    pub rounding: f64,
    /// True if every element is within its tolerance.
    pub ok: bool,
    /// Element that exceeds its tolerance most.
    pub worst: Option<Element>,
}

/// Element that exceeds its tolerance.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    /// Index in each dimension.
    pub index: Vec<usize>,
    /// Actual value.
    pub got: f64,
    /// Expected value.
    pub want: f64,
    /// Allowed absolute difference.
    pub allowed: f64,
}

/// Limits on the errors of all devices, given those of one.
///
/// Errors are compared by rank: the k-th largest error of many devices with the (k / `count_factor`)-th largest of one
/// device. The positions of ill-conditioned elements vary between runs, but not their number and magnitude.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RoundingLimits {
    /// Error that is always allowed, relative to the larger of 1 and the largest element.
    pub base: f64,
    /// Allowed ratio of errors of the same rank. Two orders of summation differ in error by a small factor.
    pub factor: f64,
    /// Allowed ratio of the numbers of elements with errors of the same magnitude.
    pub count_factor: usize,
}

impl RoundingLimits {
    /// Returns limits for a type in which errors up to `base` are acceptable.
    pub fn new(base: f64) -> RoundingLimits {
        RoundingLimits { base, factor: 4.0, count_factor: 4 }
    }
}

/// Compares outputs `a` with expected outputs `b`: |a - b| <= `tolerance` · max(1, max |b|) for each tensor.
///
/// NaN equals only NaN, and an infinity only itself. Integers and `bool` must be equal. An output that is present on
/// one side only has an infinite difference.
pub fn compare<'n>(
    names: impl IntoIterator<Item = &'n str>,
    a: &[Tensor],
    b: &[Tensor],
    tolerance: f64,
) -> Vec<Difference> {
    let names = names.into_iter().enumerate();
    names.map(|(i, name)| difference(name, a.get(i), b.get(i), tolerance)).collect()
}

/// Outputs of a run on one device.
#[derive(Clone, Copy, Debug)]
pub struct OneDevice<'t> {
    /// Outputs in the element types of the program.
    pub native: &'t [Tensor],
    /// Outputs in `f64` with random rounding to the element types: see
    /// [`run_perturbed`](partita_ir::interp::run_perturbed). Needed because a single run in the native types may be
    /// exact where another order of summation rounds.
    pub perturbed: &'t [Tensor],
    /// Outputs in `f64`.
    pub exact: &'t [Tensor],
}

/// Compares the errors against `f64` of many devices, in the element types of the program, with those of one device.
///
/// A non-finite element must be identical on one device. Integers have a base error of zero.
pub fn compare_rounding<'n>(
    names: impl IntoIterator<Item = &'n str>,
    many: &[Tensor],
    one: OneDevice<'_>,
    limits: RoundingLimits,
) -> Vec<Difference> {
    let OneDevice { native, perturbed, exact } = one;
    let compare_output = |(i, name): (usize, &str)| match (many.get(i), native.get(i), perturbed.get(i), exact.get(i)) {
        (Some(many), Some(native), Some(perturbed), Some(exact))
            if many.ty == native.ty && perturbed.ty == exact.ty && native.ty.shape == exact.ty.shape =>
        {
            rounding(name, many, [native, perturbed, exact], limits)
        }
        _ => incomparable(name),
    };
    names.into_iter().enumerate().map(compare_output).collect()
}

fn difference(name: &str, a: Option<&Tensor>, b: Option<&Tensor>, tolerance: f64) -> Difference {
    let (Some(a), Some(b)) = (a, b) else { return incomparable(name) };
    if a.ty != b.ty {
        return incomparable(name);
    }
    let scale = scale(b);
    let allowed = if a.ty.dtype.is_float() { tolerance * scale } else { 0.0 };
    let errors: Vec<f64> = a.scalars().zip(b.scalars()).map(|(x, y)| distance(x, y, a.ty.dtype)).collect();
    let (at, max) = errors.iter().copied().enumerate().fold((0, 0.0), |best, e| if e.1 > best.1 { e } else { best });
    let ok = max <= allowed;
    let worst = (!ok).then(|| element(at, a, b, allowed));
    Difference { name: name.to_owned(), max_abs_diff: max, max_rel_diff: max / scale, rounding: 0.0, ok, worst }
}

fn rounding(name: &str, many: &Tensor, [one, perturbed, exact]: [&Tensor; 3], limits: RoundingLimits) -> Difference {
    let dtype = one.ty.dtype;
    let mut difference = difference(name, Some(many), Some(one), f64::INFINITY);
    let scale = scale(exact);
    let base = if dtype.is_float() { limits.base * scale } else { 0.0 };
    let mut errors_of_many = Vec::with_capacity(exact.ty.shape.count());
    let mut errors_of_one = Vec::with_capacity(exact.ty.shape.count());
    let pairs = many.scalars().zip(one.scalars());
    for ((x, y), (p, z)) in pairs.zip(perturbed.scalars().zip(exact.scalars())) {
        // A non-finite element on one device does not widen the limits for other elements.
        let error = |y: Scalar| if y.to_f64().is_finite() { distance(y, z, dtype) } else { 0.0 };
        let is_identical = distance(x, y, dtype) == 0.0 && !y.to_f64().is_finite();
        errors_of_one.push(error(y).max(error(p)));
        errors_of_many.push(if is_identical { 0.0 } else { distance(x, z, dtype) });
    }
    difference.rounding = errors_of_one.iter().copied().filter(|e| e.is_finite()).fold(0.0, f64::max) / scale;
    let mut beyond: Vec<usize> = (0..errors_of_many.len()).filter(|&at| errors_of_many[at] > base).collect();
    beyond.sort_by(|&a, &b| errors_of_many[b].total_cmp(&errors_of_many[a]));
    if !beyond.is_empty() {
        errors_of_one.sort_by(|a, b| b.total_cmp(a));
    }
    let allowed = |rank: usize| base + limits.factor * errors_of_one[rank / limits.count_factor.max(1)];
    let excess = |&(rank, at): &(usize, usize)| errors_of_many[at] - allowed(rank);
    let worst = beyond.into_iter().enumerate().filter(|&(rank, at)| errors_of_many[at] > allowed(rank));
    let worst = worst.max_by(|a, b| excess(a).total_cmp(&excess(b)));
    difference.ok = worst.is_none();
    difference.worst = worst.map(|(rank, at)| element(at, many, exact, allowed(rank)));
    difference
}

/// Returns the difference of two outputs of which one is missing or has another type.
fn incomparable(name: &str) -> Difference {
    let (max_abs_diff, max_rel_diff) = (f64::INFINITY, f64::INFINITY);
    Difference { name: name.to_owned(), max_abs_diff, max_rel_diff, rounding: 0.0, ok: false, worst: None }
}

/// Returns the larger of 1 and the largest finite magnitude.
fn scale(tensor: &Tensor) -> f64 {
    let magnitudes = tensor.scalars().map(|x| number(x, tensor.ty.dtype).abs());
    magnitudes.filter(|x| x.is_finite()).fold(1.0, f64::max)
}

fn element(at: usize, got: &Tensor, want: &Tensor, allowed: f64) -> Element {
    let mut rest = at;
    let mut index: Vec<usize> = Vec::new();
    for &size in got.ty.shape.iter().rev() {
        index.push(rest % size.max(1));
        rest /= size.max(1);
    }
    index.reverse();
    let (got, want) = (number(got.get(at), got.ty.dtype), number(want.get(at), want.ty.dtype));
    Element { index, got, want, allowed }
}

/// Returns |x - y|: 0 for identical non-finite values, infinite for other non-finite differences.
fn distance(x: Scalar, y: Scalar, dtype: DType) -> f64 {
    match (x, y) {
        (Scalar::Int(x), Scalar::Int(y)) if dtype == DType::U64 => (x as u64).abs_diff(y as u64) as f64,
        (Scalar::Int(x), Scalar::Int(y)) => x.abs_diff(y) as f64,
        _ => {
            let (x, y) = (x.to_f64(), y.to_f64());
            let is_equal = x == y || (x.is_nan() && y.is_nan());
            let distance = (x - y).abs();
            if is_equal {
                0.0
            } else if distance.is_nan() {
                f64::INFINITY
            } else {
                distance
            }
        }
    }
}

fn number(x: Scalar, dtype: DType) -> f64 {
    match x {
        Scalar::Int(x) if dtype == DType::U64 => x as u64 as f64,
        x => x.to_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::dtype::Type;

    fn diff(dtype: DType, a: &[f64], b: &[f64]) -> Difference {
        let tensor = |items: &[f64]| Tensor::from_floats(Type::new(dtype, [items.len()]), items.to_vec());
        compare(["x"], &[tensor(a)], &[tensor(b)], 1e-4).remove(0)
    }

    #[test]
    fn the_tolerance_is_relative_to_the_largest_element() {
        let d = diff(DType::F64, &[1000.05, 0.0], &[1000.0, 0.0]);
        assert!(d.ok && (d.max_abs_diff - 0.05).abs() < 1e-9 && (d.max_rel_diff - 5e-5).abs() < 1e-9);
        // The reference is at least 1.
        assert!(diff(DType::F64, &[1.00009e-3], &[1e-3]).ok);
        assert!(!diff(DType::F64, &[2e-4], &[0.0]).ok);
    }

    #[test]
    fn nan_and_infinity_equal_only_themselves() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        assert!(diff(DType::F32, &[nan, inf, -inf], &[nan, inf, -inf]).ok);
        for (a, b) in [(nan, 1.0), (1.0, nan), (inf, -inf), (inf, 1e30), (1.0, inf), (nan, inf)] {
            let d = diff(DType::F64, &[a, 0.0], &[b, 0.0]);
            assert!(!d.ok && d.max_abs_diff == inf, "{a} {b}");
        }
        // An infinity does not widen the tolerance for its neighbours.
        assert!(!diff(DType::F64, &[inf, 1.0], &[inf, 2.0]).ok);
    }

    #[test]
    fn integers_must_be_equal() {
        let tensor = |x: i64| Tensor::from_ints(Type::new(DType::U64, [1]), vec![x]);
        let d = compare(["n"], &[tensor(-1)], &[tensor(-2)], 1e-4).remove(0);
        assert!(!d.ok && d.max_abs_diff == 1.0);
        assert!(compare(["n"], &[tensor(-1)], &[tensor(-1)], 0.0)[0].ok);
    }

    #[test]
    fn the_worst_element_is_named() {
        let tensor = |items: &[f64]| Tensor::from_floats(Type::new(DType::F64, [2, 2]), items.to_vec());
        let d = compare(["x"], &[tensor(&[0.0, 1.0, 3.0, 0.0])], &[tensor(&[0.0; 4])], 1e-4).remove(0);
        assert_eq!(d.worst, Some(Element { index: vec![1, 0], got: 3.0, want: 0.0, allowed: 1e-4 }));
    }

    /// Compares `f32` outputs of many devices and of one device against an exact result of zero.
    fn rounded(many: &[f64], one: &[f64]) -> Difference {
        let tensor = |dtype, items: &[f64]| Tensor::from_floats(Type::new(dtype, [items.len()]), items.to_vec());
        let (many, one) = (tensor(DType::F32, many), tensor(DType::F32, one));
        let exact = [tensor(DType::F64, &vec![0.0; one.ty.shape.count()])];
        let one = OneDevice { native: &[one], perturbed: &exact, exact: &exact };
        compare_rounding(["x"], &[many], one, RoundingLimits::new(1e-4)).remove(0)
    }

    #[test]
    fn errors_of_ill_conditioned_elements_are_compared_by_rank() {
        // An Adam step of 1e-3 on gradients that are zero up to rounding.
        let one: Vec<f64> = (0..64).map(|i| if i % 2 == 0 { 1e-3 * f64::from(i % 7) / 7.0 } else { 0.0 }).collect();
        let many: Vec<f64> = one.iter().rev().map(|x| -x).collect();
        let d = rounded(&many, &one);
        assert!(d.ok && d.max_abs_diff > 1e-4 && d.rounding > 5e-4, "{d:?}");
        // Much larger errors, or errors of many more elements, are a loss of precision.
        assert!(!rounded(&many.iter().map(|x| 8.0 * x).collect::<Vec<_>>(), &one).ok);
        let few: Vec<f64> = (0..64).map(|i| if i < 8 { 1e-3 } else { 0.0 }).collect();
        assert!(rounded(&[1e-3; 32], &few[..32]).ok && !rounded(&[1e-3; 64], &few).ok);
        assert!(!rounded(&[1e-3, 0.0], &[0.0, 0.0]).ok);
    }

    #[test]
    fn non_finite_elements_must_match_one_device() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        assert!(rounded(&[inf, nan, 0.0], &[inf, nan, 0.0]).ok);
        assert!(!rounded(&[inf, 0.0], &[0.0, inf]).ok);
        assert!(!rounded(&[nan, 0.0], &[inf, 0.0]).ok);
        // An overflow on one device does not widen the limits for other elements.
        assert!(!rounded(&[inf, 1.0], &[inf, 0.0]).ok);
    }

    #[test]
    fn mismatched_types_and_counts_are_an_error() {
        let a = Tensor::zeros(Type::new(DType::F32, [2]));
        let b = Tensor::zeros(Type::new(DType::F64, [2]));
        assert!(!compare(["x"], std::slice::from_ref(&a), &[b], 1.0)[0].ok);
        let one = std::slice::from_ref(&a);
        let two = [a.clone(), a.clone()];
        assert!(!compare(["x", "y"], one, &two, 1.0)[1].ok);
        let one = OneDevice { native: &two, perturbed: &two, exact: &two };
        assert!(!compare_rounding(["x", "y"], &two[..1], one, RoundingLimits::new(1.0))[1].ok);
    }
}
