//! What composites share. They are evaluated by their decomposition, so that it is the definition; inside of it narrow
//! floats are `f32`.

use crate::arena::ValueId;
use crate::dtype::{DType, Type};
use crate::layout::Monoid;
use crate::program::build::{Builder, Namer};
use crate::program::op::{Composite, Evaluated};
use crate::program::ops::{BinaryOp, UnaryOp};
use crate::program::{EvalCx, Program, Values};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::Tensor;
use smallvec::smallvec;

/// Evaluates the decomposition.
pub(crate) fn eval(op: &impl Composite, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> Evaluated {
    let program = program(op, &args.iter().map(|x| &x.ty).collect::<Vec<_>>(), outs)?;
    (cx.run)(&program, args.iter().map(|&x| x.clone()).collect())
}

/// The decomposition as a program.
pub(crate) fn program(op: &impl Composite, args: &[&Type], outs: &[&Type]) -> Result<Program, String> {
    let mut program = Program::default();
    let inputs: Vec<ValueId> = args.iter().map(|&ty| program.input("x", ty.clone())).collect();
    let (main, mut names) = (program.main, Namer::of(&program));
    let mut b = Builder::new(&mut program, &mut names);
    let results = in_f32(&mut b, &inputs, outs, |b, inputs, outs| op.decompose(b, inputs, outs));
    let results = results.ok_or("has no decomposition")?;
    b.finish(main);
    results.into_iter().for_each(|value| program.output("out", value));
    Ok(program)
}

/// The element type that a composite of `dtype` computes in, which is also that of its constants, such as an epsilon.
pub(crate) fn computes_in(dtype: DType) -> DType {
    if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype }
}

/// Takes an op apart so that what it does with `f16` and `bf16` operands is done in `f32`: sums over long rows need the
/// digits.
pub(crate) fn in_f32(
    b: &mut Builder<'_>,
    args: &[ValueId],
    outs: &[&Type],
    decompose: impl FnOnce(&mut Builder<'_>, &[ValueId], &[&Type]) -> Option<Values>,
) -> Option<Values> {
    let is_narrow = |dtype| computes_in(dtype) != dtype;
    if !args.iter().any(|&v| is_narrow(b.program.ty(v).dtype)) {
        return decompose(b, args, outs);
    }
    let widened = |&v: &ValueId| match b.program.ty(v).dtype {
        dtype if is_narrow(dtype) => b.convert(v, computes_in(dtype)),
        _ => v,
    };
    let args: Values = args.iter().map(widened).collect();
    let wide = |ty: &&Type| Type { dtype: computes_in(ty.dtype), ..(*ty).clone() };
    let wide: Vec<Type> = outs.iter().map(wide).collect();
    let results = decompose(b, &args, &wide.iter().collect::<Vec<_>>())?;
    let narrow = |(&v, ty): (&ValueId, &&Type)| if is_narrow(ty.dtype) { b.convert(v, ty.dtype) } else { v };
    Some(results.iter().zip(outs).map(narrow).collect())
}

/// That an operand is of floats.
pub(crate) fn check_float(x: &Type) -> Result<(), String> {
    if x.dtype.is_float() { Ok(()) } else { Err(format!("needs floats, not {x}")) }
}

/// That the operands are scalars of the element type of `p`.
pub(crate) fn check_scalars(scalars: &[&Type], p: &Type) -> Result<(), String> {
    let want = Type::new(p.dtype, []);
    match scalars.iter().find(|s| ***s != want) {
        Some(other) => Err(format!("needs a scalar {want} for {p}, not {other}")),
        None => Ok(()),
    }
}

/// The rule of an optimizer's step: the first `tensors` operands and all results of the type of `p` go along element by
/// element, the other operands are scalars.
pub(crate) fn rule_of_update(p: &Type, tensors: usize, args: usize, outs: usize) -> Rule {
    let mut rule = Rule::elementwise(&p.shape, tensors);
    rule.args.resize(args, DimMap::new());
    let out = rule.outs[0].clone();
    rule.outs.resize(outs, out);
    rule
}

/// The rule of an op whose operand and result have one shape, of which it looks at dimension `dim` as a whole.
pub(crate) fn rule_along(x: &Type, dim: usize) -> Rule {
    let mut rule = Rule::default();
    let kind = |d| if d == dim { FactorKind::Inner } else { FactorKind::Pass };
    let map: DimMap = x.shape.iter().enumerate().map(|(d, &n)| rule.dim(n, kind(d))).collect();
    rule.args = smallvec![map.clone()];
    rule.outs = smallvec![map];
    rule
}

/// `x - max x` along a dimension.
pub(crate) fn below_max(b: &mut Builder<'_>, x: ValueId, dim: usize) -> ValueId {
    let shape = b.ty(x).shape;
    let max = b.reduce(Monoid::Max, x, dim);
    let max = b.spread(max, dim, &shape);
    b.binary(BinaryOp::Sub, x, max)
}

/// `log sum exp x` along a dimension, which goes away.
pub(crate) fn log_sum_exp(b: &mut Builder<'_>, x: ValueId, dim: usize) -> ValueId {
    let exp = b.unary(UnaryOp::Exp, x);
    let sum = b.reduce(Monoid::Sum, exp, dim);
    b.unary(UnaryOp::Log, sum)
}
