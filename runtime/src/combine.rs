//! Elementwise in-place combination of partial values.

use partita_ir::layout::Monoid;
use partita_ir::tensor::{Data, Tensor};

/// Combines `other` into `into` with the reduction operator and the arithmetic of their common type.
pub(crate) fn combine(monoid: Monoid, into: &mut Tensor, other: &Tensor) -> Result<(), String> {
    let ty = into.ty.clone();
    if ty != other.ty {
        return Err(format!("cannot combine {ty} with {}", other.ty));
    }
    if ty.dtype.is_float() && matches!(monoid, Monoid::And | Monoid::Or) {
        return Err(format!("`{}` is not defined for {ty}", monoid.name()));
    }
    match (&mut into.data, &other.data) {
        (Data::F64(a), Data::F64(b)) => each(a, b, |x, y| monoid.combine_floats(x, y)),
        // A sum or product of two `f32` computed in `f64` and rounded once equals the `f32` result.
        (Data::F32(a), Data::F32(b)) => each(a, b, |x, y| monoid.combine_floats(x.into(), y.into()) as f32),
        (Data::Int(a), Data::Int(b)) => each(a, b, |x, y| monoid.combine_ints(ty.dtype, x, y)),
        _ => return Err(format!("{ty} has two representations")),
    }
    // The data is moved out and back: rounding takes a tensor by value.
    let data = std::mem::replace(&mut into.data, Data::Int(Vec::new()));
    *into = Tensor { ty, data }.wrapped();
    Ok(())
}

fn each<T: Copy>(a: &mut [T], b: &[T], f: impl Fn(T, T) -> T) {
    a.iter_mut().zip(b).for_each(|(x, &y)| *x = f(*x, y));
}
