//! Clipping by global norm (Pascanu et al. 2013): all gradients together get a norm of at most so much.

use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Reduce, UnaryOp};
use partita_ir::tensor::Scalar;

/// Added to the norm, so that gradients that are all zero stay so.
const TINY: f64 = 1e-6;

/// Multiplies every gradient by `min(1, norm / |all of them|)`.
pub(super) fn clip(b: &mut Builder<'_>, gradients: &mut [ValueId], norm: f64) {
    let Some(sum) = square_sum(b, gradients) else { return };
    let length = b.unary(UnaryOp::Sqrt, sum);
    let length = b.binary_scalar(BinaryOp::Add, length, TINY);
    let most = b.splat(b.program.ty(length).clone(), Scalar::Float(norm));
    let factor = b.binary(BinaryOp::Div, most, length);
    let factor = b.binary_scalar(BinaryOp::Min, factor, 1.0);
    gradients.iter_mut().for_each(|gradient| *gradient = times(b, *gradient, factor));
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
fn widened(b: &mut Builder<'_>, x: ValueId) -> ValueId {
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
