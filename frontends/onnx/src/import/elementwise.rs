//! Lowering of elementwise operations with broadcasting, of conversions, and of shape queries.

use super::legacy;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, constant_result, malformed, single, unsupported};
use crate::tensors::dtype_of;
use partita_ir::arena::ValueId;
use partita_ir::build::broadcast_shape;
use partita_ir::dtype::{DType, Type};
use partita_ir::mini_float::MiniFloat;
use partita_ir::ops::{BinaryOp, Bitcast, Clamp, Direction, Unary, UnaryOp};
use partita_ir::tensor::{Scalar, wrap};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Lowers a unary operation to the op `op`.
pub fn unary(cx: &mut Lowering<'_>, node: &Node<'_>, op: UnaryOp) -> LoweringResult {
    let x = node.arg(0)?;
    single(cx.op(op.name(), Unary { op }, &[x])?)
}

/// Lowers a binary operation to the op `op`, with broadcasting.
pub fn binary(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp) -> LoweringResult {
    let operands = legacy::operands(cx, node)?;
    let [x, y] = cx.broadcast_all(operands)?;
    single(cx.b.binary(op, x, y))
}

/// Lowers a division. A division by `sqrt(2)`, which occurs in GELU, becomes a multiplication by `sqrt(1/2)`, the form
/// that the recognition of composites expects.
pub fn divide(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, y] = legacy::operands(cx, node)?;
    let dtype = cx.dtype(x);
    let root = |number| wrap(dtype, Scalar::Float(number));
    let halves = dtype.is_float() && cx.rank(y) <= cx.rank(x) && cx.dtype(y) == dtype;
    match cx.number(y) {
        Some(n) if halves && root(SQRT_2) == Scalar::Float(n) => {
            let factor = cx.b.splat_like(x, root(FRAC_1_SQRT_2));
            single(cx.b.binary(BinaryOp::Mul, x, factor))
        }
        _ => binary(cx, node, BinaryOp::Div),
    }
}

/// Lowers a comparison with broadcasting.
pub fn compare(cx: &mut Lowering<'_>, node: &Node<'_>, direction: Direction) -> LoweringResult {
    let operands = legacy::operands(cx, node)?;
    let [x, y] = cx.broadcast_all(operands)?;
    single(cx.b.compare(x, direction, y))
}

/// Combines all operands with `op` from left to right, with broadcasting.
pub fn variadic(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp) -> Result<ValueId, LoweringError> {
    let all = node.all_args()?;
    let mut sum = all[0];
    for &next in &all[1..] {
        let [x, y] = cx.broadcast_all([sum, next])?;
        sum = cx.b.binary(op, x, y);
    }
    Ok(sum)
}

/// Lowers the elementwise mean of all operands.
pub fn mean(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let sum = variadic(cx, node, BinaryOp::Add)?;
    cx.require_float(sum)?;
    single(cx.b.binary_scalar(BinaryOp::Div, sum, node.all_args()?.len() as f64))
}

/// Lowers `x ^ y` with the type of `x`. Squares and cubes become multiplications.
pub fn power(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, y] = legacy::operands(cx, node)?;
    if let Some(n) = cx.number(y).filter(|n| [2.0, 3.0].contains(n))
        && cx.rank(y) <= cx.rank(x)
    {
        let square = cx.b.binary(BinaryOp::Mul, x, x);
        return single(if n == 2.0 { square } else { cx.b.binary(BinaryOp::Mul, square, x) });
    }
    let dtype = cx.dtype(x);
    // An integer with a fractional exponent is computed in floats.
    let wide = if !dtype.is_float() && cx.dtype(y).is_float() { cx.dtype(y) } else { dtype };
    let [x, y] = [x, y].map(|v| converted(cx, v, wide));
    let shapes = [x, y].map(|v| cx.shape(v));
    let shape = broadcast_shape(&shapes)?;
    let (x, y) = (cx.expand(x, &shape)?, cx.expand(y, &shape)?);
    let power = cx.b.binary(BinaryOp::Pow, x, y);
    single(converted(cx, power, dtype))
}

/// Lowers the remainder, with the sign of the divisor or (`fmod`) of the dividend.
pub fn modulo(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, y] = cx.broadcast_all([node.arg(0)?, node.arg(1)?])?;
    if node.flag("fmod", false) {
        return single(cx.b.binary(BinaryOp::Rem, x, y));
    }
    match cx.dtype(x).is_float() && node.opset < 28 {
        true => malformed("needs `fmod` for floats before opset 28"),
        false => single(cx.b.remainder(x, y)),
    }
}

/// Lowers a bit shift to the left, or to the right: of signed integers an arithmetic one.
pub fn shift(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match node.text("direction", "") {
        "LEFT" => binary(cx, node, BinaryOp::ShiftLeft),
        "RIGHT" if cx.dtype(node.arg(0)?).is_unsigned() => binary(cx, node, BinaryOp::ShiftRightLogical),
        "RIGHT" => binary(cx, node, BinaryOp::ShiftRight),
        other => malformed(format!("has the direction `{other}`")),
    }
}

/// Lowers a test for infinity, optionally of one sign only.
pub fn is_inf(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let bound = match (node.flag("detect_positive", true), node.flag("detect_negative", true)) {
        (true, true) => return unary(cx, node, UnaryOp::IsInf),
        (true, false) => f64::INFINITY,
        (false, true) => f64::NEG_INFINITY,
        (false, false) => {
            let ty = Type { dtype: DType::Bool, shape: cx.shape(x) };
            return single(cx.b.splat(ty, Scalar::Int(0)));
        }
    };
    let bound = cx.b.splat_like(x, Scalar::Float(bound));
    single(cx.b.compare(x, Direction::Eq, bound))
}

/// Lowers the elementwise selection `condition ? x : y` with broadcasting.
pub fn select(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [condition, x, y] = cx.broadcast_all([node.arg(0)?, node.arg(1)?, node.arg(2)?])?;
    single(cx.b.select(condition, x, y))
}

/// Converts `x` to another element type. In a conversion to `bool` nonzero elements become true.
pub fn converted(cx: &mut Lowering<'_>, x: ValueId, dtype: DType) -> ValueId {
    match cx.dtype(x) {
        same if same == dtype => x,
        DType::Bool => cx.b.convert(x, dtype),
        _ if dtype == DType::Bool => {
            let zero = cx.b.splat_like(x, Scalar::Int(0));
            cx.b.compare(x, Direction::Ne, zero)
        }
        _ => cx.b.convert(x, dtype),
    }
}

/// Lowers a conversion to the element type that the attribute `to` specifies.
pub fn cast(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    // Up to opset 5 the attribute is a name.
    let dtype = match node.opset < 6 {
        true => legacy::named_dtype(node.text("to", ""))?,
        false => dtype_of(i32::try_from(node.int("to", 0)).unwrap_or(0)).map_err(LoweringError::DType)?,
    };
    single(cast_to(cx, node, x, dtype))
}

/// Lowers a conversion to the element type of another tensor.
pub fn cast_like(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, like) = (node.arg(0)?, node.arg(1)?);
    let dtype = cx.dtype(like);
    single(cast_to(cx, node, x, dtype))
}

/// Converts `x` to another element type, unless the attribute `saturate` is 0 with saturation.
fn cast_to(cx: &mut Lowering<'_>, node: &Node<'_>, x: ValueId, dtype: DType) -> ValueId {
    match node.flag("saturate", true) {
        true => saturated(cx, x, dtype),
        false => converted(cx, x, dtype),
    }
}

/// Converts `x` to another element type. Floats beyond the range of an 8-bit float become its largest finite number.
pub fn saturated(cx: &mut Lowering<'_>, x: ValueId, dtype: DType) -> ValueId {
    let largest = match dtype {
        DType::Mini(format @ (MiniFloat::E4M3Fn | MiniFloat::E4M3Fnuz | MiniFloat::E5M2 | MiniFloat::E5M2Fnuz)) => {
            f64::from(format.largest())
        }
        _ => return converted(cx, x, dtype),
    };
    match cx.dtype(x) {
        // Only these have larger numbers.
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => {
            let x = cx.b.clamp(x, Scalar::Float(-largest), Scalar::Float(largest));
            converted(cx, x, dtype)
        }
        _ => converted(cx, x, dtype),
    }
}

/// Lowers the reinterpretation of the bits of each element as the element type that the attribute `to` specifies.
pub fn bit_cast(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let number = i32::try_from(node.int("to", 0)).unwrap_or(0);
    let (from, to) = (cx.b.ty(x), dtype_of(number).map_err(LoweringError::DType)?);
    if from.dtype == to {
        return single(x);
    }
    // Truth values are bytes.
    let bytes = |cx: &mut Lowering<'_>, x: ValueId, dtype| if dtype == DType::Bool { DType::U8 } else { cx.dtype(x) };
    let source = bytes(cx, x, from.dtype);
    if source.bytes() != to.bytes() {
        return malformed(format!("converts the bits of {from} to {to}, which has another width"));
    }
    let x = converted(cx, x, source);
    let target = if to == DType::Bool { DType::U8 } else { to };
    let ty = Type { shape: from.shape, dtype: target };
    let out = if source == target { x } else { cx.b.op("bits", Bitcast {}, &[x], ty) };
    single(converted(cx, out, to))
}

/// Lowers dropout in inference mode or with the ratio 0: the result is the operand, and the mask is true everywhere. Up
/// to opset 9 the mask has the element type of the operand.
pub fn dropout(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    if legacy::is_legacy(node) && !node.flag("is_test", false) && node.float("ratio", 0.5) != 0.0 {
        return unsupported("`is_test` 0: export the model in inference mode");
    }
    let training = node.optional(2).map_or(Ok(0.0), |v| cx.constant_number(v, "training mode"))?;
    if training != 0.0 {
        let ratio = node.optional(1).map_or(Ok(0.5), |v| cx.constant_number(v, "ratio"))?;
        if ratio != 0.0 {
            return unsupported("`training_mode`: export the model in inference mode");
        }
    }
    let mut outs = single(x)?;
    if node.has_result(1) {
        let dtype = if node.opset < 10 { cx.dtype(x) } else { DType::Bool };
        let ty = Type { shape: cx.shape(x), dtype };
        outs.push(super::lowering::Out::Value(cx.b.splat(ty, Scalar::Int(1))));
    }
    Ok(outs)
}

/// Lowers `min(max(x, low), high)`. Both bounds are optional: scalar operands, or attributes up to opset 10.
pub fn clip(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mut x = node.arg(0)?;
    let dtype = cx.dtype(x);
    if node.opset < 11 {
        for (name, op) in [("min", BinaryOp::Max), ("max", BinaryOp::Min)] {
            if node.has_attribute(name) {
                x = cx.b.binary_scalar(op, x, node.float(name, 0.0));
            }
        }
        return single(x);
    }
    let bound = |cx: &mut Lowering<'_>, i: usize| match node.optional(i) {
        Some(bound) if cx.shape(bound).count() != 1 => malformed("has a bound that is not a scalar"),
        bound => Ok(bound),
    };
    let (low, high) = (bound(cx, 1)?, bound(cx, 2)?);
    if let (Some(low), Some(high)) = (low, high) {
        let scalar = |cx: &mut Lowering<'_>, v| if cx.rank(v) == 0 { v } else { cx.b.reshape(v, []) };
        let (low, high) = (scalar(cx, low), scalar(cx, high));
        return single(cx.op("clamp", Clamp {}, &[low, x, high])?);
    }
    for (bound, op) in [(low, BinaryOp::Max), (high, BinaryOp::Min)] {
        let Some(bound) = bound else { continue };
        if cx.dtype(bound) != dtype {
            return malformed(format!("has a bound of {} for {dtype}", cx.dtype(bound)));
        }
        let shape = cx.shape(x);
        let bound = cx.b.reshape(bound, []);
        let bound = cx.b.broadcast(bound, &[], shape);
        x = cx.b.binary(op, x, bound);
    }
    single(x)
}

/// Lowers the shape of a tensor, or its range `start..end`, to a constant.
pub fn shape_of(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let shape = cx.shape(node.arg(0)?);
    let rank = shape.rank() as i64;
    let place = |n: i64| (if n < 0 { n.saturating_add(rank) } else { n }).clamp(0, rank) as usize;
    let (start, end) = (place(node.int("start", 0)), place(node.int("end", rank)));
    let sizes: Vec<i64> = shape[start..end.max(start)].iter().map(|&n| n as i64).collect();
    let ty = Type::new(DType::I64, [sizes.len()]);
    constant_result(partita_ir::tensor::Tensor::from_ints(ty, sizes))
}

/// Lowers the number of elements of a tensor to a constant.
pub fn element_count(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let count = cx.shape(node.arg(0)?).count() as i64;
    constant_result(partita_ir::tensor::Tensor::from_ints(Type::new(DType::I64, []), vec![count]))
}
