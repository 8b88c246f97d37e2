//! Shared functions of composites: ops that are defined and evaluated by their decomposition. Narrow floats are
//! converted to `f32` inside the decomposition.

use crate::arena::ValueId;
use crate::dtype::{DType, Type};
use crate::layout::Monoid;
use crate::program::build::{Builder, Namer};
use crate::program::op::{Composite, EvalResult};
use crate::program::ops::{BinaryOp, UnaryOp};
use crate::program::{EvalCx, Program, Values};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::Tensor;
use smallvec::smallvec;

/// Evaluates the decomposition.
pub(crate) fn eval(op: &impl Composite, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
    let program = program(op, &args.iter().map(|x| &x.ty).collect::<Vec<_>>(), outs)?;
    (cx.run)(&program, args.iter().map(|&x| x.clone()).collect())
}

/// Returns the decomposition as a program. Errors: the op has no decomposition for these types.
pub(crate) fn program(op: &impl Composite, args: &[&Type], outs: &[&Type]) -> Result<Program, String> {
    let mut program = Program::default();
    let inputs: Vec<ValueId> = args.iter().map(|&ty| program.input("x", ty.clone())).collect();
    let (main, mut names) = (program.main, Namer::from_program(&program));
    let mut b = Builder::new(&mut program, &mut names);
    let results = decompose_in_f32(&mut b, &inputs, outs, |b, inputs, outs| op.decompose(b, inputs, outs));
    let results = results.ok_or("has no decomposition")?;
    b.finish(main);
    results.into_iter().for_each(|value| program.output("out", value));
    Ok(program)
}

/// Decomposes an op such that computation on floats narrower than `f32` is done in `f32`, which sums over long rows
/// need for precision.
pub(crate) fn decompose_in_f32(
    b: &mut Builder<'_>,
    args: &[ValueId],
    outs: &[&Type],
    decompose: impl FnOnce(&mut Builder<'_>, &[ValueId], &[&Type]) -> Option<Values>,
) -> Option<Values> {
    let is_narrow = |dtype: DType| dtype.compute_type() != dtype;
    if !args.iter().any(|&v| is_narrow(b.program.ty(v).dtype)) {
        return decompose(b, args, outs);
    }
    let widened = |&v: &ValueId| match b.program.ty(v).dtype {
        dtype if is_narrow(dtype) => b.convert(v, dtype.compute_type()),
        _ => v,
    };
    let args: Values = args.iter().map(widened).collect();
    let wide = |ty: &&Type| Type { dtype: ty.dtype.compute_type(), ..(*ty).clone() };
    let wide: Vec<Type> = outs.iter().map(wide).collect();
    let results = decompose(b, &args, &wide.iter().collect::<Vec<_>>())?;
    let narrow = |(&v, ty): (&ValueId, &&Type)| if is_narrow(ty.dtype) { b.convert(v, ty.dtype) } else { v };
    Some(results.iter().zip(outs).map(narrow).collect())
}

/// Checks that an operand has a float type.
pub(crate) fn check_float(x: &Type) -> Result<(), String> {
    if x.dtype.is_float() { Ok(()) } else { Err(format!("needs floats, not {x}")) }
}

/// Checks that operands are scalars of the type in which an optimizer computes the step of `p`.
pub(crate) fn check_scalars(scalars: &[&Type], p: &Type) -> Result<(), String> {
    let want = Type::new(p.dtype.compute_type(), []);
    match scalars.iter().find(|s| ***s != want) {
        Some(other) => Err(format!("needs a scalar {want} for {p}, not {other}")),
        None => Ok(()),
    }
}

/// Returns the sharding rule of an optimizer step: the first `tensors` operands and all results have the type of `p`
/// and are elementwise; the other operands are scalars.
pub(crate) fn update_rule(p: &Type, tensors: usize, args: usize, outs: usize) -> Rule {
    let mut rule = Rule::elementwise(&p.shape, tensors);
    rule.args.resize(args, DimMap::new());
    let out = rule.outs[0].clone();
    rule.outs.resize(outs, out);
    rule
}

/// Returns the sharding rule of an op with one operand and one result of the same shape, with dimension `dim` inner and
/// all others elementwise.
pub(crate) fn rule_with_inner_dim(x: &Type, dim: usize) -> Rule {
    let mut rule = Rule::default();
    let kind = |d| if d == dim { FactorKind::Inner } else { FactorKind::PassThrough };
    let map: DimMap = x.shape.iter().enumerate().map(|(d, &n)| rule.dim(n, kind(d))).collect();
    rule.args = smallvec![map.clone()];
    rule.outs = smallvec![map];
    rule
}

/// Appends `x - max x` along a dimension.
pub(crate) fn subtract_max(b: &mut Builder<'_>, x: ValueId, dim: usize) -> ValueId {
    let shape = b.ty(x).shape;
    let max = b.reduce(Monoid::Max, x, dim);
    let max = b.broadcast_along(max, dim, &shape);
    b.binary(BinaryOp::Sub, x, max)
}

/// Appends `log sum exp x` along a dimension, which is removed.
pub(crate) fn log_sum_exp(b: &mut Builder<'_>, x: ValueId, dim: usize) -> ValueId {
    let exp = b.unary(UnaryOp::Exp, x);
    let sum = b.reduce(Monoid::Sum, exp, dim);
    b.unary(UnaryOp::Log, sum)
}
