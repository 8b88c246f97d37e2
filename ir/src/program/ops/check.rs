//! What shape rules check, each failure in words that complete "`add`: ...".

use crate::arena::{FuncId, Id, ValueId};
use crate::dtype::{DType, Type};
use crate::layout::Monoid;
use crate::mesh::{AxisRef, ways};
use crate::program::op::Inferred;
use crate::program::{Form, Program};
use smallvec::smallvec;

/// The number of elements of all types together.
pub(crate) fn elements(types: &[&Type]) -> u64 {
    types.iter().map(|ty| ty.shape.count() as u64).fold(0, u64::saturating_add)
}

/// The operands (or results), when there are exactly `N`.
pub(crate) fn exactly<T: Copy, const N: usize>(items: &[T]) -> Result<[T; N], String> {
    items.try_into().map_err(|_| format!("takes {}, not {}", plural(N, "operand"), items.len()))
}

/// The declared type of the only result.
pub(crate) fn declared_one<'t>(declared: &[&'t Type]) -> Result<&'t Type, String> {
    match declared {
        [ty] => Ok(ty),
        _ => Err(format!("has 1 result, not {}", declared.len())),
    }
}

/// One result of that type, if its elements can be counted.
pub(crate) fn one(ty: Type) -> Inferred {
    match ty.shape.checked_count() {
        Some(_) => Ok(smallvec![ty]),
        None => Err(format!("{ty} has more elements than can be counted")),
    }
}

/// That two operands have one type.
pub(crate) fn same_type(a: &Type, b: &Type) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("operands must have one type, not {a} and {b}")) }
}

/// That a dimension exists.
pub(crate) fn dim_of(dim: usize, ty: &Type) -> Result<(), String> {
    if dim < ty.shape.rank() { Ok(()) } else { Err(format!("there is no dimension {dim} in {ty}")) }
}

/// That dimensions exist and are named once.
pub(crate) fn dims_of(dims: &[usize], ty: &Type) -> Result<(), String> {
    let mut seen = vec![false; ty.shape.rank()];
    for &dim in dims {
        dim_of(dim, ty)?;
        if std::mem::replace(&mut seen[dim], true) {
            return Err(format!("dimension {dim} is named twice"));
        }
    }
    Ok(())
}

/// That a list of attributes has one entry for each dimension.
pub(crate) fn per_dim(what: &str, len: usize, ty: &Type) -> Result<(), String> {
    let rank = ty.shape.rank();
    if len == rank {
        Ok(())
    } else {
        Err(format!("has {} but {ty} has {}", plural(len, what), plural(rank, "dimension")))
    }
}

/// That a type is a scalar integer.
pub(crate) fn index_scalar(what: &str, ty: &Type) -> Result<(), String> {
    if ty.shape.rank() == 0 && ty.dtype.is_int() {
        Ok(())
    } else {
        Err(format!("{what} must be an integer scalar, not {ty}"))
    }
}

/// That axes are factors of those of the only mesh, and distinct.
pub(crate) fn axes_of(program: &Program, axes: &[AxisRef]) -> Result<(), String> {
    let Some((_, mesh)) = program.mesh() else {
        return Err("names axes, but the program has no mesh or several".into());
    };
    for (i, axis) in axes.iter().enumerate() {
        let name = mesh.axes.get(axis.axis.index()).ok_or("names an axis that the mesh does not have")?;
        let factor = axis.pre.checked_mul(axis.size).is_some_and(|n| n > 0 && name.size.is_multiple_of(n));
        if !factor {
            return Err(format!("`{}` of {} devices has no factor ({}){}", name.name, name.size, axis.pre, axis.size));
        }
        if axes[..i].iter().any(|other| other.overlaps(*axis)) {
            return Err(format!("names the axis `{}` twice", name.name));
        }
    }
    Ok(())
}

/// In how many pieces those axes cut what one device holds: 1 while types are global.
pub(crate) fn local_ways(program: &Program, axes: &[AxisRef]) -> Result<usize, String> {
    axes_of(program, axes)?;
    Ok(if program.form >= Form::Local { ways(axes) } else { 1 })
}

/// That a monoid is defined on an element type.
pub(crate) fn monoid_takes(monoid: Monoid, dtype: DType) -> Result<(), String> {
    match monoid {
        Monoid::And | Monoid::Or if dtype.is_float() => Err(format!("{} is not defined for {dtype}", monoid.name())),
        Monoid::And | Monoid::Or | Monoid::Sum | Monoid::Prod | Monoid::Max | Monoid::Min => Ok(()),
    }
}

/// The element type of sums of products: the declared one if it is no narrower than that of the operands.
pub(crate) fn products(lhs: &Type, rhs: &Type, declared: &[&Type]) -> Result<DType, String> {
    let operand = lhs.dtype;
    if operand != rhs.dtype {
        return Err(format!("operands must have one element type, not {operand} and {}", rhs.dtype));
    }
    if operand == DType::Bool {
        return Err("is not defined for bool".into());
    }
    match declared.first().map(|t| t.dtype) {
        None => Ok(operand),
        Some(result) if result == operand => Ok(operand),
        Some(result) if result.is_float() == operand.is_float() && result.bytes() > operand.bytes() => Ok(result),
        Some(result) => Err(format!("cannot sum products of {operand} to {result}")),
    }
}

/// That a function takes and gives scalars of those dtypes.
pub(crate) fn scalar_func(program: &Program, func: FuncId, inputs: &[DType], outputs: &[DType]) -> Result<(), String> {
    let Some(func) = program.funcs.get(func) else { return Err("refers to a function that does not exist".into()) };
    let have = (func.inputs.len(), func.outputs.len());
    if have != (inputs.len(), outputs.len()) {
        let want = plural(inputs.len(), "scalar");
        return Err(format!(
            "@{} must take {want} and give {}, not {} and {}",
            func.name,
            outputs.len(),
            have.0,
            have.1
        ));
    }
    let outs: Vec<ValueId> = func.outputs.iter().map(|o| o.value).collect();
    for (verb, what, values, dtypes) in [("take", "input", &func.inputs, inputs), ("give", "output", &outs, outputs)] {
        for (i, (&value, &dtype)) in values.iter().zip(dtypes).enumerate() {
            let (want, ty) = (Type::new(dtype, []), program.ty(value));
            if want != *ty {
                return Err(format!("@{} must {verb} {want} as {what} {i}, not {ty}", func.name));
            }
        }
    }
    Ok(())
}

/// What a collective says when it is asked to evaluate itself.
pub(crate) fn needs_devices() -> String {
    "is a collective: it needs all devices, not one".into()
}

/// `1 operand`, `2 operands`.
pub(crate) fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
