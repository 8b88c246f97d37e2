//! Lowering of operations that create tensors: filled, counted, diagonal and window functions.

use super::elementwise::converted;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, malformed, single, size};
use crate::tensors::{dtype_of, shape_of};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Direction, Iota};
use partita_ir::tensor::Scalar;
use std::f64::consts::PI;

/// Lowers a tensor filled with the scalar of an attribute, 0 by default.
pub fn constant_of_shape(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let shape = shape_of(&cx.ints(node.arg(0)?, "shape")?).map_err(LoweringError::Malformed)?;
    let (dtype, number) = match node.tensor("value")? {
        None => (DType::F32, Scalar::Float(0.0)),
        Some(value) if value.ty.shape.count() == 1 => (value.ty.dtype, value.get(0)),
        Some(value) => return malformed(format!("fills a tensor with {}", value.ty)),
    };
    single(cx.b.splat(Type { shape, dtype }, number))
}

/// Lowers a matrix with ones on a diagonal.
pub fn eye_like(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let dtype = match node.int("dtype", 0) {
        0 => cx.dtype(x),
        number => dtype_of(number as i32).map_err(LoweringError::DType)?,
    };
    let diagonal = compare_to_diagonal(cx, x, node.int("k", 0), Direction::Eq)?;
    single(converted(cx, diagonal, dtype))
}

/// Lowers the upper or lower triangle; other elements become 0.
pub fn trilu(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let k = match node.optional(1) {
        Some(k) => cx.ints(k, "diagonal")?.first().copied().unwrap_or(0),
        None => 0,
    };
    let direction = if node.flag("upper", true) { Direction::Ge } else { Direction::Le };
    let kept = compare_to_diagonal(cx, x, k, direction)?;
    let zero = cx.b.splat_like(x, Scalar::Int(0));
    single(cx.b.select(kept, x, zero))
}

/// Compares `column` with `row + k` in the last two dimensions of `x`.
fn compare_to_diagonal(
    cx: &mut Lowering<'_>,
    x: ValueId,
    k: i64,
    direction: Direction,
) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(x);
    let Some(last) = shape.rank().checked_sub(1).filter(|&last| last > 0) else {
        return malformed(format!("needs a matrix, not {shape}"));
    };
    // Beyond the size of the matrix all values of `k` are equivalent.
    let reach = shape[last].max(shape[last - 1]) as i64 + 1;
    let ty = Type { shape, dtype: DType::I64 };
    let row = cx.b.op("row", Iota { dim: last - 1 }, &[], ty.clone());
    let row = match k.clamp(-reach, reach) {
        0 => row,
        k => cx.b.binary_scalar(BinaryOp::Add, row, k as f64),
    };
    let column = cx.b.op("column", Iota { dim: last }, &[], ty);
    Ok(cx.b.compare(column, direction, row))
}

/// Lowers `start, start + delta, ..` below `limit`.
pub fn range(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [start, limit, delta] = [node.arg(0)?, node.arg(1)?, node.arg(2)?];
    let dtype = cx.dtype(start);
    let number = |v| cx.constant_number(v, "bounds");
    let (from, to, step) = (number(start)?, number(limit)?, number(delta)?);
    let count = ((to - from) / step).ceil().max(0.0);
    if !count.is_finite() || step == 0.0 {
        return malformed(format!("counts from {from} to {to} by {step}"));
    }
    let n = size(count as i64, "length")?;
    let counted = cx.b.op("range", Iota { dim: 0 }, &[], Type::new(dtype, [n]));
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, counted, step);
    single(cx.b.binary_scalar(BinaryOp::Add, scaled, from))
}

/// Lowers a Hann, Hamming or Blackman window, a sum of cosines.
pub fn cosine_window(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let n = size(cx.constant_number(node.arg(0)?, "size")? as i64, "size")?;
    let number = i32::try_from(node.int("output_datatype", 1)).unwrap_or(0);
    let dtype = dtype_of(number).map_err(LoweringError::DType)?;
    let period = if node.flag("periodic", true) { n } else { n.saturating_sub(1) };
    let weights: &[f64] = match node.op() {
        "HannWindow" => &[0.5, -0.5],
        "HammingWindow" => &[25.0 / 46.0, -21.0 / 46.0],
        "BlackmanWindow" => &[0.42, -0.5, 0.08],
        _ => return Err(LoweringError::Unsupported),
    };
    let element = |i: usize| {
        let angle = if period == 0 { 0.0 } else { 2.0 * PI * i as f64 / period as f64 };
        weights.iter().enumerate().map(|(k, weight)| weight * (k as f64 * angle).cos()).sum()
    };
    check_literal(n)?;
    single(cx.float_constant(dtype, [n], (0..n).map(element).collect()))
}

/// Maximum number of elements of a constant that an operation creates.
pub const MAX_LITERAL: usize = 1 << 20;

/// Checks the number of elements of a constant.
fn check_literal(count: usize) -> Result<(), LoweringError> {
    if count > MAX_LITERAL { Err(LoweringError::TooLarge(format!("{count} constants"))) } else { Ok(()) }
}
