//! Comparing the results of two runs of a program.

use partita_ir::dtype::DType;
use partita_ir::tensor::{Scalar, Tensor};

/// How far one output is from what it should be.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The output.
    pub name: String,
    /// The largest |a - b|; infinite where only one of them is a number, or they have different types.
    pub max_abs_diff: f64,
    /// That over the larger of 1 and the largest finite |b|: what the tolerance is compared with.
    pub max_rel_diff: f64,
    /// Whether it is within the tolerance.
    pub ok: bool,
}

/// Compares outputs `a` with what they should be, `b`: per tensor |a - b| <= `tolerance` max(1, max |b|).
///
/// NaN is only like NaN in the same place, an infinity only like itself. Integers and `bool` are not rounded, so they must
/// be equal. Outputs that only one side has are infinitely far off.
pub fn compare<'n>(
    names: impl IntoIterator<Item = &'n str>,
    a: &[Tensor],
    b: &[Tensor],
    tolerance: f64,
) -> Vec<Difference> {
    let names = names.into_iter().enumerate();
    names.map(|(i, name)| difference(name, a.get(i), b.get(i), tolerance)).collect()
}

fn difference(name: &str, a: Option<&Tensor>, b: Option<&Tensor>, tolerance: f64) -> Difference {
    let (max_abs_diff, max_rel_diff) = match (a, b) {
        (Some(a), Some(b)) if a.ty == b.ty => {
            let finite = b.scalars().map(|y| number(y, b.ty.dtype).abs()).filter(|y| y.is_finite());
            let scale = finite.fold(1.0, f64::max);
            let worst = a.scalars().zip(b.scalars()).map(|(x, y)| distance(x, y, a.ty.dtype)).fold(0.0, f64::max);
            (worst, worst / scale)
        }
        _ => (f64::INFINITY, f64::INFINITY),
    };
    let exact = a.is_some_and(|a| !a.ty.dtype.is_float());
    let ok = max_rel_diff <= if exact { 0.0 } else { tolerance };
    Difference { name: name.to_owned(), max_abs_diff, max_rel_diff, ok }
}

/// |x - y|, never NaN.
fn distance(x: Scalar, y: Scalar, dtype: DType) -> f64 {
    match (x, y) {
        (Scalar::Int(x), Scalar::Int(y)) if dtype == DType::U64 => (x as u64).abs_diff(y as u64) as f64,
        (Scalar::Int(x), Scalar::Int(y)) => x.abs_diff(y) as f64,
        _ => {
            let (x, y) = (x.to_f64(), y.to_f64());
            let alike = x == y || (x.is_nan() && y.is_nan());
            let distance = (x - y).abs();
            if alike {
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
        // ... but never below 1.
        assert!(diff(DType::F64, &[1.00009e-3], &[1e-3]).ok);
        assert!(!diff(DType::F64, &[2e-4], &[0.0]).ok);
    }

    #[test]
    fn nan_and_infinity_are_like_themselves_only() {
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
    fn types_and_counts_must_agree() {
        let a = Tensor::zeros(Type::new(DType::F32, [2]));
        let b = Tensor::zeros(Type::new(DType::F64, [2]));
        assert!(!compare(["x"], std::slice::from_ref(&a), &[b], 1.0)[0].ok);
        let one = std::slice::from_ref(&a);
        assert!(!compare(["x", "y"], one, &[a.clone(), a.clone()], 1.0)[1].ok);
    }
}
