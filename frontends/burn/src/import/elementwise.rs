//! Lowering of elementwise functions that need more than one op.

use super::lowering::{Lowering, LoweringError, LoweringResult, number, shape_of};
use burn_ir::{BinaryOpIr, ClampOpIr, HardSigmoidOpIr, MaskFillOpIr, MaskWhereOpIr, ScalarOpIr};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Direction, Unary, UnaryOp};
use partita_ir::tensor::Scalar;

/// Returns a builder of the unary op `op` for [`Lowering::unary`].
pub(super) fn unary_fn(op: UnaryOp) -> impl Fn(&mut Lowering<'_>, ValueId) -> ValueId {
    move |cx, x| cx.b.unary(op, x)
}

/// Returns a builder of a unary predicate with a `bool` result.
pub(super) fn predicate_fn(op: UnaryOp) -> impl Fn(&mut Lowering<'_>, ValueId) -> ValueId {
    move |cx, x| {
        let ty = Type::new(DType::Bool, cx.shape(x));
        cx.b.op(op.name(), Unary { op }, &[x], ty)
    }
}

/// Returns a builder of the binary op `op` for [`Lowering::binary`] and [`Lowering::scalar_op`].
pub(super) fn binary_fn(op: BinaryOp) -> impl Fn(&mut Lowering<'_>, ValueId, ValueId) -> ValueId {
    move |cx, x, y| cx.b.binary(op, x, y)
}

/// Returns a builder of a comparison for [`Lowering::binary`] and [`Lowering::scalar_op`].
pub(super) fn compare_fn(direction: Direction) -> impl Fn(&mut Lowering<'_>, ValueId, ValueId) -> ValueId {
    move |cx, x, y| cx.b.compare(x, direction, y)
}

/// Rounds `x` towards zero.
pub(super) fn truncate(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let (down, up) = (cx.b.unary(UnaryOp::Floor, x), cx.b.unary(UnaryOp::Ceil, x));
    let zero = cx.b.splat_like(x, Scalar::Int(0));
    let negative = cx.b.compare(x, Direction::Lt, zero);
    cx.b.select(negative, up, down)
}

/// Computes `sqrt(x^2 + y^2)`.
pub(super) fn hypot(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    let (xx, yy) = (cx.b.binary(BinaryOp::Mul, x, x), cx.b.binary(BinaryOp::Mul, y, y));
    let sum = cx.b.binary(BinaryOp::Add, xx, yy);
    cx.b.unary(UnaryOp::Sqrt, sum)
}

/// Lowers `x ^ n`. A square becomes a multiplication.
pub(super) fn power(cx: &mut Lowering<'_>, op: &ScalarOpIr) -> LoweringResult {
    let square = number(op.rhs).to_f64() == 2.0;
    cx.scalar_op(
        op,
        |cx, x, n| if square { cx.b.binary(BinaryOp::Mul, x, x) } else { cx.b.binary(BinaryOp::Pow, x, n) },
    )
}

/// Lowers an elementwise selection: `value` where the mask is true, `tensor` elsewhere.
pub(super) fn mask_where(cx: &mut Lowering<'_>, op: &MaskWhereOpIr) -> LoweringResult {
    let shape = shape_of(&op.out);
    let read = |cx: &mut Lowering<'_>, tensor| cx.read(tensor).map(|v| cx.b.expand(v, &shape));
    let (mask, value, tensor) = (read(cx, &op.mask)?, read(cx, &op.value)?, read(cx, &op.tensor)?);
    let out = cx.b.select(mask, value, tensor);
    cx.write(&op.out, out)
}

/// Lowers an elementwise fill: the scalar where the mask is true, `tensor` elsewhere.
pub(super) fn mask_fill(cx: &mut Lowering<'_>, op: &MaskFillOpIr) -> LoweringResult {
    let shape = shape_of(&op.out);
    let tensor = cx.read(&op.tensor)?;
    let tensor = cx.b.expand(tensor, &shape);
    let mask = cx.read(&op.mask)?;
    let mask = cx.b.expand(mask, &shape);
    let value = cx.b.splat_like(tensor, number(op.value));
    let out = cx.b.select(mask, value, tensor);
    cx.write(&op.out, out)
}

/// Lowers `min(max(x, low), high)`.
pub(super) fn clamp(cx: &mut Lowering<'_>, op: &ClampOpIr) -> LoweringResult {
    let x = cx.read(&op.tensor)?;
    let out = cx.b.clamp(x, number(op.min), number(op.max));
    cx.write(&op.out, out)
}

/// Lowers a leaky ReLU with a learned slope: one for the tensor, or one per channel (dimension 1).
pub(super) fn prelu(cx: &mut Lowering<'_>, op: &BinaryOpIr) -> LoweringResult {
    let (x, slope) = (cx.read(&op.lhs)?, cx.read(&op.rhs)?);
    let shape = cx.shape(x);
    let slopes = cx.shape(slope);
    let slope = match (slopes.count(), shape.rank()) {
        (1, _) => {
            let slope = cx.b.reshape(slope, []);
            cx.b.broadcast(slope, &[], shape)
        }
        (n, 2..) if shape[1] == n => {
            let slope = cx.b.reshape(slope, [n]);
            cx.b.broadcast(slope, &[1], shape)
        }
        _ => return Err(LoweringError::UnsupportedOption("slopes that are neither shared nor per channel")),
    };
    let out = cx.b.leaky_relu(x, slope);
    cx.write(&op.out, out)
}

/// Lowers `clamp(alpha * x + beta, 0, 1)`.
pub(super) fn hard_sigmoid(cx: &mut Lowering<'_>, op: &HardSigmoidOpIr) -> LoweringResult {
    let x = cx.read(&op.tensor)?;
    let out = cx.b.hard_sigmoid(x, number(op.alpha).to_f64(), number(op.beta).to_f64());
    cx.write(&op.out, out)
}
