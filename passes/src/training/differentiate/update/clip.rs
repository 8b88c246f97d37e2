//! Clipping by global norm (Pascanu et al. 2013): all gradients together get a norm of at most so much.

use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Reduce, UnaryOp};
use partita_ir::tensor::Scalar;

/// Added to the norm, so that gradients that are all zero stay so.
const TINY: f64 = 1e-6;

/// What to multiply gradients by so that all of them together have a norm of at most `norm`: `min(1, norm / |all of
/// them|)`. `sum` is that of their squares; they are to be multiplied by `factor` besides.
pub(super) fn clip(b: &mut Builder<'_>, sum: ValueId, factor: Option<ValueId>, norm: f64) -> ValueId {
    let mut length = b.unary(UnaryOp::Sqrt, sum);
    if let Some(factor) = factor {
        length = times(b, length, factor);
    }
    let length = b.binary_scalar(BinaryOp::Add, length, TINY);
    let most = b.splat(b.program.ty(length).clone(), Scalar::Float(norm));
    let share = b.binary(BinaryOp::Div, most, length);
    let share = b.binary_scalar(BinaryOp::Min, share, 1.0);
    match factor {
        Some(factor) => times(b, share, factor),
        None => share,
    }
}

/// The sum of the squares of all elements of all gradients, in `f32` at least.
pub(super) fn square_sum(b: &mut Builder<'_>, gradients: &[ValueId]) -> Option<ValueId> {
    let mut sum: Option<ValueId> = None;
    for &gradient in gradients {
        let gradient = widened(b, gradient);
        let square = b.binary(BinaryOp::Mul, gradient, gradient);
        let squares = total(b, square);
        sum = Some(match sum {
            Some(before) => same_type(b, BinaryOp::Add, before, squares),
            None => squares,
        });
    }
    sum
}

/// Narrow floats as `f32`.
pub(super) fn widened(b: &mut Builder<'_>, x: ValueId) -> ValueId {
    match b.program.ty(x).dtype {
        DType::F16 | DType::BF16 => b.convert(x, DType::F32),
        _ => x,
    }
}

/// The sum of all elements.
fn total(b: &mut Builder<'_>, x: ValueId) -> ValueId {
    let ty = b.ty(x);
    if ty.shape.rank() == 0 {
        return x;
    }
    let dims = (0..ty.shape.rank()).collect();
    b.op("sum", Reduce { monoid: Monoid::Sum, dims }, &[x], Type::new(ty.dtype, []))
}

/// `op(x, y)` of scalars, the second as the element type of the first.
fn same_type(b: &mut Builder<'_>, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
    let dtype = b.program.ty(x).dtype;
    let y = if b.program.ty(y).dtype == dtype { y } else { b.convert(y, dtype) };
    b.binary(op, x, y)
}

/// A tensor times a scalar.
pub(super) fn times(b: &mut Builder<'_>, x: ValueId, factor: ValueId) -> ValueId {
    let ty = b.ty(x);
    let factor = if b.program.ty(factor).dtype == ty.dtype { factor } else { b.convert(factor, ty.dtype) };
    let factor = b.broadcast(factor, &[], ty.shape);
    b.binary(BinaryOp::Mul, x, factor)
}
