//! Checks shared by shape rules. Each error message completes "`add`: ...".

use crate::arena::{FuncId, Id, ValueId};
use crate::dtype::{DType, Type};
use crate::layout::Monoid;
use crate::mesh::{AxisRef, shard_count};
use crate::mini_float::MiniFloat;
use crate::program::op::InferResult;
use crate::program::{Form, Program};
use smallvec::smallvec;

/// Returns the total number of elements of several types.
pub(crate) fn elements(types: &[&Type]) -> u64 {
    types.iter().map(|ty| ty.shape.count() as u64).fold(0, u64::saturating_add)
}

/// Returns the operands as an array. Errors: a number of operands other than `N`.
pub(crate) fn exactly<T: Copy, const N: usize>(items: &[T]) -> Result<[T; N], String> {
    items.try_into().map_err(|_| format!("takes {}, not {}", plural(N, "operand"), items.len()))
}

/// Returns the declared type of the only result. Errors: a number of results other than 1.
pub(crate) fn declared_one<'t>(declared: &[&'t Type]) -> Result<&'t Type, String> {
    match declared {
        [ty] => Ok(ty),
        _ => Err(format!("has 1 result, not {}", declared.len())),
    }
}

/// Returns a single result type. Errors: more elements than [`crate::dtype::Shape::MAX_COUNT`].
pub(crate) fn single_result(ty: Type) -> InferResult {
    match ty.shape.checked_count() {
        Some(_) => Ok(smallvec![ty]),
        None => Err(format!("{ty} has more elements than can be counted")),
    }
}

/// Checks that two operands have the same type.
pub(crate) fn same_type(a: &Type, b: &Type) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("operands must have the same type, not {a} and {b}")) }
}

/// Checks that a dimension exists.
pub(crate) fn dim_exists(dim: usize, ty: &Type) -> Result<(), String> {
    if dim < ty.shape.rank() { Ok(()) } else { Err(format!("there is no dimension {dim} in {ty}")) }
}

/// Checks that dimensions exist and are distinct.
pub(crate) fn distinct_dims(dims: &[usize], ty: &Type) -> Result<(), String> {
    let mut seen = vec![false; ty.shape.rank()];
    for &dim in dims {
        dim_exists(dim, ty)?;
        if std::mem::replace(&mut seen[dim], true) {
            return Err(format!("dimension {dim} is named twice"));
        }
    }
    Ok(())
}

/// Checks that a list of attributes has one entry for each dimension.
pub(crate) fn per_dim(what: &str, len: usize, ty: &Type) -> Result<(), String> {
    let rank = ty.shape.rank();
    if len == rank {
        Ok(())
    } else {
        Err(format!("has {} but {ty} has {}", plural(len, what), plural(rank, "dimension")))
    }
}

/// Checks that a type is an integer scalar.
pub(crate) fn index_scalar(what: &str, ty: &Type) -> Result<(), String> {
    if ty.shape.rank() == 0 && ty.dtype.is_int() {
        Ok(())
    } else {
        Err(format!("{what} must be an integer scalar, not {ty}"))
    }
}

/// Checks that axes are disjoint factors of axes of the program's mesh, which must be the only one.
pub(crate) fn valid_axes(program: &Program, axes: &[AxisRef]) -> Result<(), String> {
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

/// Returns the number of shards of a dimension over the given axes in the form `local`, and 1 in forms with global
/// types. Errors: invalid axes, as in [`valid_axes`].
pub(crate) fn local_shard_count(program: &Program, axes: &[AxisRef]) -> Result<usize, String> {
    valid_axes(program, axes)?;
    Ok(if program.form >= Form::Local { shard_count(axes) } else { 1 })
}

/// Checks that a monoid is defined for an element type.
pub(crate) fn monoid_supports(monoid: Monoid, dtype: DType) -> Result<(), String> {
    match monoid {
        Monoid::And | Monoid::Or if dtype.is_float() => Err(format!("{} is not defined for {dtype}", monoid.name())),
        Monoid::Sum if dtype == DType::Mini(MiniFloat::E8M0Fnu) => {
            Err(format!("sum is not defined for {dtype}, which has no zero"))
        }
        Monoid::And | Monoid::Or | Monoid::Sum | Monoid::Prod | Monoid::Max | Monoid::Min => Ok(()),
    }
}

/// Returns the element type in which sums of products are accumulated and returned: the declared one, or that of the
/// operands. Errors: the declared type is neither that of the operands nor a wider type of the same kind (float or
/// integer).
pub(crate) fn product_dtype(lhs: &Type, rhs: &Type, declared: &[&Type]) -> Result<DType, String> {
    let operand = lhs.dtype;
    if operand != rhs.dtype {
        return Err(format!("operands must have the same element type, not {operand} and {}", rhs.dtype));
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

/// Checks that a function has scalar inputs and outputs of the given element types.
pub(crate) fn scalar_func(program: &Program, func: FuncId, inputs: &[DType], outputs: &[DType]) -> Result<(), String> {
    let Some(func) = program.funcs.get(func) else { return Err("refers to a function that does not exist".into()) };
    let counts = (func.inputs.len(), func.outputs.len());
    if counts != (inputs.len(), outputs.len()) {
        let want = plural(inputs.len(), "scalar");
        return Err(format!(
            "@{} must take {want} and return {}, not {} and {}",
            func.name,
            outputs.len(),
            counts.0,
            counts.1
        ));
    }
    let outs: Vec<ValueId> = func.outputs.iter().map(|o| o.value).collect();
    for (verb, what, values, dtypes) in [("take", "input", &func.inputs, inputs), ("return", "output", &outs, outputs)]
    {
        for (i, (&value, &dtype)) in values.iter().zip(dtypes).enumerate() {
            let (want, ty) = (Type::new(dtype, []), program.ty(value));
            if want != *ty {
                return Err(format!("@{} must {verb} {want} as {what} {i}, not {ty}", func.name));
            }
        }
    }
    Ok(())
}

/// Returns the error of evaluating a collective on one device.
pub(crate) fn collective_error() -> String {
    "is a collective: it needs all devices, not one".into()
}

/// Formats a count with a noun: `1 operand`, `2 operands`.
pub(crate) fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
