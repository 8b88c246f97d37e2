//! Combining partial values, element by element and in place.

use partita_ir::layout::Monoid;
use partita_ir::tensor::{Data, Tensor};

/// `into` becomes `into` combined with `other`, which has the same type, as the monoid and the dtype have it.
pub(crate) fn combine(monoid: Monoid, into: &mut Tensor, other: &Tensor) -> Result<(), String> {
    let ty = into.ty.clone();
    if ty != other.ty {
        return Err(format!("cannot combine {ty} with {}", other.ty));
    }
    if ty.dtype.is_float() && matches!(monoid, Monoid::And | Monoid::Or) {
        return Err(format!("`{}` is not defined for {ty}", monoid.name()));
    }
    match (&mut into.data, &other.data) {
        (Data::F64(a), Data::F64(b)) => each(a, b, |x, y| monoid.floats(x, y)),
        // A sum or product of two `f32` in `f64`, rounded once, is what `f32` gives.
        (Data::F32(a), Data::F32(b)) => each(a, b, |x, y| monoid.floats(x.into(), y.into()) as f32),
        (Data::Int(a), Data::Int(b)) => each(a, b, |x, y| monoid.ints(ty.dtype, x, y)),
        _ => return Err(format!("{ty} is stored in two ways")),
    }
    // The data is moved out and back: rounding takes a tensor by value.
    let data = std::mem::replace(&mut into.data, Data::Int(Vec::new()));
    *into = Tensor { ty, data }.wrapped();
    Ok(())
}

fn each<T: Copy>(a: &mut [T], b: &[T], f: impl Fn(T, T) -> T) {
    a.iter_mut().zip(b).for_each(|(x, &y)| *x = f(*x, y));
}
