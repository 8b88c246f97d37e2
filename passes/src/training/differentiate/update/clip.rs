//! Gradient clipping by global norm (Pascanu et al. 2013).

use super::StepBuilder;
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Convert, Reduce, UnaryOp};
use partita_ir::tensor::Scalar;

/// Number added to the norm, so that gradients that are all zero stay zero.
const NORM_EPSILON: f64 = 1e-6;

/// Returns the factor that limits the global norm of the gradients to `norm`: `min(1, norm / |gradients|)`. `sum` is
/// the sum of their squares. If `factor` is given, gradients are to be multiplied by it as well, and the result
/// includes it.
pub(super) fn clip(b: &mut Builder<'_>, sum: ValueId, factor: Option<ValueId>, norm: f64) -> ValueId {
    let mut norm_of_all = b.unary(UnaryOp::Sqrt, sum);
    if let Some(factor) = factor {
        norm_of_all = times(b, norm_of_all, factor);
    }
    let norm_of_all = b.binary_scalar(BinaryOp::Add, norm_of_all, NORM_EPSILON);
    let max_norm = b.splat(b.program.ty(norm_of_all).clone(), Scalar::Float(norm));
    let share = b.binary(BinaryOp::Div, max_norm, norm_of_all);
    let share = b.binary_scalar(BinaryOp::Min, share, 1.0);
    match factor {
        Some(factor) => times(b, share, factor),
        None => share,
    }
}

/// Appends the sum of the squares of all elements of the gradients of parameters, at least in `f32`.
pub(super) fn square_sum(step: &mut StepBuilder<'_>, params: &[ParamId], gradients: &[ValueId]) -> Option<ValueId> {
    let mut sum: Option<ValueId> = None;
    for (&param, &gradient) in params.iter().zip(gradients) {
        step.enter_layer_of(Some(param));
        let b = &mut step.b;
        let gradient = convert_to_f32(b, gradient);
        let square = b.binary(BinaryOp::Mul, gradient, gradient);
        let squares = sum_all(b, square);
        sum = Some(match sum {
            Some(before) => scalar_op(b, BinaryOp::Add, before, squares),
            None => squares,
        });
    }
    step.enter_layer_of(None);
    sum
}

/// Converts gradients in narrower types than `f32` to it.
fn convert_to_f32(b: &mut Builder<'_>, gradient: ValueId) -> ValueId {
    let dtype = b.program.ty(gradient).dtype;
    if dtype.compute_type() != dtype { convert_gradient(b, gradient, dtype.compute_type()) } else { gradient }
}

/// Converts a gradient to another element type. The result has the name of the gradient with that of the type, so that
/// plans can refer to the results of all layers.
pub(super) fn convert_gradient(b: &mut Builder<'_>, gradient: ValueId, dtype: DType) -> ValueId {
    let name = format!("{}.{dtype}", b.program.values[gradient].name);
    let shape = b.ty(gradient).shape;
    b.op(&name, Convert {}, &[gradient], Type { shape, dtype })
}

/// Appends the sum of all elements.
fn sum_all(b: &mut Builder<'_>, x: ValueId) -> ValueId {
    let ty = b.ty(x);
    if ty.shape.rank() == 0 {
        return x;
    }
    let dims = (0..ty.shape.rank()).collect();
    b.op("sum", Reduce { monoid: Monoid::Sum, dims }, &[x], Type::new(ty.dtype, []))
}

/// Appends `op(x, y)` of scalars, with `y` converted to the element type of `x`.
fn scalar_op(b: &mut Builder<'_>, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
    let dtype = b.program.ty(x).dtype;
    let y = if b.program.ty(y).dtype == dtype { y } else { b.convert(y, dtype) };
    b.binary(op, x, y)
}

/// Appends the product of a tensor with a scalar.
pub(super) fn times(b: &mut Builder<'_>, x: ValueId, factor: ValueId) -> ValueId {
    let ty = b.ty(x);
    let factor = if b.program.ty(factor).dtype == ty.dtype { factor } else { b.convert(factor, ty.dtype) };
    let factor = b.broadcast(factor, &[], ty.shape);
    b.binary(BinaryOp::Mul, x, factor)
}
