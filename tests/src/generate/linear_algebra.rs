//! Generator steps for Fourier transforms, factorizations and triangular systems.
//!
//! Factorizations read integral values, which all devices compute exactly: their results are not continuous in their
//! operands, so that rounding differences could change signs of vectors and the order of pivots.

use super::Step;
use super::pool::{GeneratedValue, Generator};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::{
    Cholesky, Convert, Eig, Eigh, Fft, Hessenberg, HouseholderProduct, Lu, Qr, SingularVectors, Svd, Transform,
    Transposition, TriangularSolve, TridiagonalSolve,
};

/// Steps with an adjoint.
pub(super) const DIFFERENTIABLE: &[(&str, Step)] =
    &[("fft", fft), ("cholesky", cholesky), ("triangular_solve", triangular_solve)];

/// Steps without an adjoint.
pub(super) const FACTORIZATIONS: &[(&str, Step)] = &[
    ("lu", lu),
    ("qr", qr),
    ("hessenberg", hessenberg),
    ("svd", svd),
    ("eigh", eigh),
    ("eig", eig),
    ("tridiagonal_solve", tridiagonal_solve),
];

/// Appends an op with results of the inferred types, whose magnitude is at most `bound`.
fn push_all(
    d: &mut Generator<'_>,
    kind: impl Into<OpKind>,
    args: &[&GeneratedValue],
    bound: f64,
) -> Option<Vec<GeneratedValue>> {
    let kind = kind.into();
    let types: Vec<&Type> = args.iter().map(|x| &x.ty).collect();
    let types = kind.infer(&d.program, &types, &[]).ok()?;
    let ids: Vec<_> = args.iter().map(|x| x.id).collect();
    let outs = d.emit(kind, &ids, &types);
    let results = outs.iter().zip(types).map(|(&id, ty)| {
        let integral = !ty.dtype.is_float();
        GeneratedValue { id, ty, bound, integral }
    });
    let results: Vec<GeneratedValue> = results.collect();
    for result in &results {
        d.record(result.clone());
    }
    Some(results)
}

/// Returns integral values of a wide float type with at least `rank` dimensions. Zeros have no sign, which would be the
/// sign of vectors, and depends on the order of a sum.
fn exact_float(d: &mut Generator<'_>, rank: usize) -> Option<GeneratedValue> {
    let is_wide = |ty: &Type| matches!(ty.dtype, DType::F32 | DType::F64);
    let x = d.find(|v| v.integral && v.rank() >= rank && v.bound < 1e4 && is_wide(&v.ty))?;
    let integers = Type { dtype: DType::I32, ..x.ty.clone() };
    let integers = d.push(Convert {}, &[&x], integers, x.bound, true)?;
    d.push(Convert {}, &[&integers], x.ty.clone(), x.bound, true)
}

/// Returns square matrices of small integral numbers, with the batch dimensions of `x`.
fn square(d: &mut Generator<'_>, x: &GeneratedValue) -> GeneratedValue {
    let n = d.size().min(4);
    let batch = x.rank().saturating_sub(2);
    let shape: Shape = x.ty.shape[..batch].iter().copied().chain([n, n]).collect();
    d.ranged_input(Type { dtype: x.ty.dtype, shape }, -3, 3)
}

fn fft(d: &mut Generator<'_>) -> Option<()> {
    let x = exact_float(d, 1)?;
    let n = *x.ty.shape.last()?;
    let bound = x.bound * n as f64;
    let parts = push_all(d, Fft { transform: Transform::RealForward, lengths: vec![n] }, &[&x], bound)?;
    let transform = d.tape.pick(&[Transform::RealInverse, Transform::Forward, Transform::Inverse])?;
    let lengths = if transform == Transform::RealInverse { vec![n] } else { vec![parts[0].ty.shape[x.rank() - 1]] };
    push_all(d, Fft { transform, lengths }, &[&parts[0], &parts[1]], bound * n as f64)?;
    Some(())
}

/// Appends the factor of matrices of one positive element.
fn cholesky(d: &mut Generator<'_>) -> Option<()> {
    let n = d.size();
    let x = d.ranged_input(Type::new(DType::F32, [n, 1, 1]), 1, 9);
    let upper = d.tape.one_in(2);
    push_all(d, Cholesky { upper }, &[&x], 3.0).map(drop)
}

/// Appends a system with ones on the diagonal, whose solution is integral.
fn triangular_solve(d: &mut Generator<'_>) -> Option<()> {
    let b = exact_float(d, 2)?;
    let right = d.tape.one_in(2);
    let [.., rows, cols] = b.ty.shape[..] else { return None };
    let n = if right { cols } else { rows };
    if n > 6 {
        return None;
    }
    let mut ty = b.ty.clone();
    let rank = ty.shape.rank();
    (ty.shape[rank - 2], ty.shape[rank - 1]) = (n, n);
    let a = d.ranged_input(ty, -1, 1);
    let upper = d.tape.one_in(2);
    let transposition = d.tape.pick(&Transposition::ALL)?;
    let bound = b.bound * 2f64.powi(n as i32);
    push_all(d, TriangularSolve { right, upper, unit_diagonal: true, transposition }, &[&a, &b], bound).map(drop)
}

fn lu(d: &mut Generator<'_>) -> Option<()> {
    let x = exact_float(d, 2)?;
    let bound = x.bound * 2f64.powi(x.ty.shape.iter().copied().max()?.min(60) as i32);
    push_all(d, Lu {}, &[&x], bound).map(drop)
}

/// Appends the packed factors and the orthogonal matrix.
fn qr(d: &mut Generator<'_>) -> Option<()> {
    let x = exact_float(d, 2)?;
    let bound = (x.bound + 1.0) * x.ty.shape.count() as f64;
    let factors = push_all(d, Qr {}, &[&x], bound)?;
    // Matrices with more columns than rows have no product of this shape.
    let _ = push_all(d, HouseholderProduct {}, &[&factors[0], &factors[1]], 1.0 + f64::EPSILON);
    Some(())
}

fn hessenberg(d: &mut Generator<'_>) -> Option<()> {
    let like = exact_float(d, 1)?;
    let x = square(d, &like);
    push_all(d, Hessenberg {}, &[&x], 16.0).map(drop)
}

/// Appends a system with ones on the diagonal and zeros below, whose solution is integral.
fn tridiagonal_solve(d: &mut Generator<'_>) -> Option<()> {
    let b = exact_float(d, 2)?;
    let (_, dims) = b.ty.shape.split_last()?;
    let n = *dims.last()?;
    if n > 6 {
        return None;
    }
    let diagonal = Type { shape: dims.into(), dtype: b.ty.dtype };
    let lower = d.ranged_input(diagonal.clone(), 0, 0);
    let [middle, upper] = [(1, 1), (-1, 1)].map(|(low, high)| d.ranged_input(diagonal.clone(), low, high));
    let bound = b.bound * 2f64.powi(n as i32);
    push_all(d, TridiagonalSolve {}, &[&lower, &middle, &upper, &b], bound).map(drop)
}

fn svd(d: &mut Generator<'_>) -> Option<()> {
    let x = exact_float(d, 2)?;
    let vectors = d.tape.pick(&SingularVectors::ALL)?;
    let bound = (x.bound + 1.0) * x.ty.shape.count() as f64;
    push_all(d, Svd { vectors }, &[&x], bound).map(drop)
}

fn eigh(d: &mut Generator<'_>) -> Option<()> {
    let like = exact_float(d, 1)?;
    let x = square(d, &like);
    let upper = d.tape.one_in(2);
    push_all(d, Eigh { upper }, &[&x], 16.0).map(drop)
}

fn eig(d: &mut Generator<'_>) -> Option<()> {
    let like = exact_float(d, 1)?;
    let x = square(d, &like);
    let left = d.tape.one_in(2);
    push_all(d, Eig { left }, &[&x], 16.0).map(drop)
}
