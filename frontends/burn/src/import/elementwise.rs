//! Elementwise functions that take more than one operation.

use super::lowering::{Lowered, Lowering, Refusal, number, shape_of};
use burn_ir::{BinaryOpIr, ClampOpIr, HardSigmoidOpIr, MaskFillOpIr, MaskWhereOpIr, ScalarOpIr};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Binary, BinaryOp, Clamp, Compare, Direction, Select, Unary, UnaryOp};
use partita_ir::tensor::Scalar;

/// A member of the unary family, as a function for [`Lowering::unary`].
pub(super) fn un(op: UnaryOp) -> impl Fn(&mut Lowering<'_>, ValueId) -> ValueId {
    move |cx, x| cx.b.unary(op, x)
}

/// A unary predicate: `bool` out.
pub(super) fn test(op: UnaryOp) -> impl Fn(&mut Lowering<'_>, ValueId) -> ValueId {
    move |cx, x| {
        let ty = Type::new(DType::Bool, cx.shape(x));
        cx.b.op(op.name(), Unary { op }, &[x], ty)
    }
}

/// A member of the binary family, as a function for [`Lowering::binary`] and [`Lowering::scalar_op`].
pub(super) fn bin(op: BinaryOp) -> impl Fn(&mut Lowering<'_>, ValueId, ValueId) -> ValueId {
    move |cx, x, y| cx.b.binary(op, x, y)
}

/// A comparison, as a function for [`Lowering::binary`] and [`Lowering::scalar_op`].
pub(super) fn cmp(direction: Direction) -> impl Fn(&mut Lowering<'_>, ValueId, ValueId) -> ValueId {
    move |cx, x, y| compare(cx, direction, x, y)
}

/// Whether `x` stands in that relation to `y`.
pub(super) fn compare(cx: &mut Lowering<'_>, direction: Direction, x: ValueId, y: ValueId) -> ValueId {
    let ty = Type::new(DType::Bool, cx.shape(x));
    cx.b.op("compare", Compare { direction, total: false }, &[x, y], ty)
}

/// `condition ? x : y`
pub(super) fn select(cx: &mut Lowering<'_>, condition: ValueId, x: ValueId, y: ValueId) -> ValueId {
    let ty = cx.b.ty(x);
    cx.b.op("select", Select {}, &[condition, x, y], ty)
}

/// The remainder with the sign of the divisor, as in Python; the program's `rem` has the sign of the dividend.
pub(super) fn remainder(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    let rem = cx.b.binary(BinaryOp::Rem, x, y);
    let zero = cx.splat_like(rem, Scalar::Int(0));
    let nonzero = compare(cx, Direction::Ne, rem, zero);
    let (negative, divisor_negative) = (compare(cx, Direction::Lt, rem, zero), compare(cx, Direction::Lt, y, zero));
    let apart = bool_binary(cx, BinaryOp::Xor, negative, divisor_negative);
    let wrong = bool_binary(cx, BinaryOp::And, nonzero, apart);
    let moved = cx.b.binary(BinaryOp::Add, rem, y);
    select(cx, wrong, moved, rem)
}

fn bool_binary(cx: &mut Lowering<'_>, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
    cx.b.op(op.name(), Binary { op }, &[x, y], cx.b.program.values[x].ty.clone())
}

/// `x` rounded towards zero.
pub(super) fn truncate(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let (down, up) = (cx.b.unary(UnaryOp::Floor, x), cx.b.unary(UnaryOp::Ceil, x));
    let zero = cx.splat_like(x, Scalar::Int(0));
    let negative = compare(cx, Direction::Lt, x, zero);
    select(cx, negative, up, down)
}

/// `sqrt(x^2 + y^2)`
pub(super) fn hypot(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> ValueId {
    let (xx, yy) = (cx.b.binary(BinaryOp::Mul, x, x), cx.b.binary(BinaryOp::Mul, y, y));
    let sum = cx.b.binary(BinaryOp::Add, xx, yy);
    cx.b.unary(UnaryOp::Sqrt, sum)
}

/// `x ^ n`; a square is a product.
pub(super) fn power(cx: &mut Lowering<'_>, op: &ScalarOpIr) -> Lowered {
    let square = number(op.rhs).to_f64() == 2.0;
    cx.scalar_op(
        op,
        |cx, x, n| if square { cx.b.binary(BinaryOp::Mul, x, x) } else { cx.b.binary(BinaryOp::Pow, x, n) },
    )
}

/// `value` where the mask holds, else `tensor`.
pub(super) fn mask_where(cx: &mut Lowering<'_>, op: &MaskWhereOpIr) -> Lowered {
    let shape = shape_of(&op.out);
    let read = |cx: &mut Lowering<'_>, tensor| cx.read(tensor).map(|v| cx.expand(v, &shape));
    let (mask, value, tensor) = (read(cx, &op.mask)?, read(cx, &op.value)?, read(cx, &op.tensor)?);
    let out = select(cx, mask, value, tensor);
    cx.write(&op.out, out)
}

/// The number where the mask holds, else `tensor`.
pub(super) fn mask_fill(cx: &mut Lowering<'_>, op: &MaskFillOpIr) -> Lowered {
    let shape = shape_of(&op.out);
    let tensor = cx.read(&op.tensor)?;
    let tensor = cx.expand(tensor, &shape);
    let mask = cx.read(&op.mask)?;
    let mask = cx.expand(mask, &shape);
    let value = cx.splat_like(tensor, number(op.value));
    let out = select(cx, mask, value, tensor);
    cx.write(&op.out, out)
}

/// `min(max(x, low), high)`
pub(super) fn clamp(cx: &mut Lowering<'_>, op: &ClampOpIr) -> Lowered {
    let x = cx.read(&op.tensor)?;
    let ty = cx.b.ty(x);
    let (low, high) = (cx.scalar(ty.dtype, number(op.min)), cx.scalar(ty.dtype, number(op.max)));
    let out = cx.b.op("clamp", Clamp {}, &[low, x, high], ty);
    cx.write(&op.out, out)
}

/// `x` where it is at least 0, else `slope * x`.
pub(super) fn leaky_relu(cx: &mut Lowering<'_>, x: ValueId, slope: ValueId) -> ValueId {
    let zero = cx.splat_like(x, Scalar::Int(0));
    let positive = compare(cx, Direction::Ge, x, zero);
    let scaled = cx.b.binary(BinaryOp::Mul, x, slope);
    select(cx, positive, x, scaled)
}

/// Leaky ReLU with a learnt slope, one or one a channel (dimension 1).
pub(super) fn prelu(cx: &mut Lowering<'_>, op: &BinaryOpIr) -> Lowered {
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
        _ => return Err(Refusal::Option("slopes that are not one a channel")),
    };
    let out = leaky_relu(cx, x, slope);
    cx.write(&op.out, out)
}

/// `clamp(alpha * x + beta, 0, 1)`
pub(super) fn hard_sigmoid(cx: &mut Lowering<'_>, op: &HardSigmoidOpIr) -> Lowered {
    let x = cx.read(&op.tensor)?;
    let ty = cx.b.ty(x);
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, x, number(op.alpha).to_f64());
    let shifted = cx.b.binary_scalar(BinaryOp::Add, scaled, number(op.beta).to_f64());
    let (low, high) = (cx.scalar(ty.dtype, Scalar::Float(0.0)), cx.scalar(ty.dtype, Scalar::Float(1.0)));
    let out = cx.b.op("clamp", Clamp {}, &[low, shifted, high], ty);
    cx.write(&op.out, out)
}

/// `-log(1 + exp(-x))`, computed as `min(x, 0) - log1p(exp(-|x|))` so that it does not overflow.
pub(super) fn log_sigmoid(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let linear = cx.b.binary_scalar(BinaryOp::Min, x, 0.0);
    let size = cx.b.unary(UnaryOp::Abs, x);
    let negative = cx.b.unary(UnaryOp::Neg, size);
    let exp = cx.b.unary(UnaryOp::Exp, negative);
    let log = cx.b.unary(UnaryOp::Log1p, exp);
    cx.b.binary(BinaryOp::Sub, linear, log)
}
