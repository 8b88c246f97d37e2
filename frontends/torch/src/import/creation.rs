//! Lowering of tensors that are computed from numbers, and of triangles.

use super::lowering::{Lowering, LoweringError, LoweringResult, first_operand, malformed, single, unsupported};
use super::node::{Node, Operand};
use super::ordering::first_in_order;
use super::promotion::{operands, scalar};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Direction, Distribution, UnaryOp};
use partita_ir::tensor::Scalar;

/// Lowers a tensor with all elements equal to the operand `name`, or to `default`.
pub fn fill(cx: &mut Lowering<'_>, node: &Node<'_>, name: &str, default: i64) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let value = match node.operand(name) {
        Operand::Tensor(value) => cx.converted(*value, ty.dtype),
        Operand::Absent => scalar(cx, ty.dtype, Scalar::Int(default)),
        other => match other.number() {
            Some(number) => scalar(cx, ty.dtype, number),
            None => return malformed(format!("needs a number for `{name}`")),
        },
    };
    single(cx.expand(value, &ty.shape)?)
}

/// Lowers `start, start + step, ..`, with as many elements as the result has.
pub fn arange(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let [count] = ty.shape[..] else { return malformed(format!("computes {ty}, not a vector")) };
    let (start, step) = (node.float("start", 0.0)?, node.float("step", 1.0)?);
    let end = node.float("end", 0.0)?;
    let wanted = ((end - start) / step).ceil().max(0.0);
    if step == 0.0 || wanted != count as f64 {
        return malformed(format!("has {count} elements from {start} to {end} by {step}"));
    }
    // Integers beyond 2^53 have no exact float.
    let wide = if ty.dtype.is_float() { ty.dtype } else { DType::I64 };
    let mut out = cx.b.arange(wide, count);
    if step != 1.0 {
        out = cx.b.binary_scalar(BinaryOp::Mul, out, step);
    }
    if start != 0.0 {
        out = cx.b.binary_scalar(BinaryOp::Add, out, start);
    }
    single(cx.converted(out, ty.dtype))
}

/// Lowers `steps` numbers from `start` to `end` at equal distances.
pub fn linspace(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let [count] = ty.shape[..] else { return malformed(format!("computes {ty}, not a vector")) };
    let (start, end) = (node.float("start", 0.0)?, node.float("end", 0.0)?);
    let step = (end - start) / count.saturating_sub(1).max(1) as f64;
    let index = cx.b.arange(DType::F64, count);
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, index, step);
    let out = cx.b.binary_scalar(BinaryOp::Add, scaled, start);
    single(cx.converted(out, ty.dtype))
}

/// Lowers a matrix with ones on its diagonal.
pub fn eye(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    if ty.shape.rank() != 2 {
        return malformed(format!("computes {ty}, not a matrix"));
    }
    let [row, column] = [0, 1].map(|dim| cx.b.iota(DType::I64, ty.shape.clone(), dim));
    let diagonal = cx.b.compare(row, Direction::Eq, column);
    single(cx.converted(diagonal, ty.dtype))
}

/// Lowers the lower or upper triangle of matrices; other elements become 0.
pub fn triangle(cx: &mut Lowering<'_>, node: &Node<'_>, lower: bool) -> LoweringResult {
    let x = node.tensor("self")?;
    let direction = if lower { Direction::Le } else { Direction::Ge };
    let inside = compare_to_diagonal(cx, x, direction, node.int("diagonal", 0)?)?;
    let zero = cx.b.splat_like(x, Scalar::Int(0));
    single(cx.b.select(inside, x, zero))
}

/// Compares `column` with `row + diagonal` in the last two dimensions of `x`.
fn compare_to_diagonal(
    cx: &mut Lowering<'_>,
    x: ValueId,
    direction: Direction,
    diagonal: i64,
) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(x);
    let Some(row_dim) = shape.rank().checked_sub(2) else { return malformed(format!("needs matrices, not {shape}")) };
    let [row, column] = [row_dim, row_dim + 1].map(|dim| cx.b.iota(DType::I64, shape.clone(), dim));
    let bound = match diagonal {
        0 => row,
        n => cx.b.binary_scalar(BinaryOp::Add, row, n as f64),
    };
    Ok(cx.b.compare(column, direction, bound))
}

/// Lowers random numbers. They are functions of the program's random key, not those of PyTorch's generator.
pub fn random(cx: &mut Lowering<'_>, node: &Node<'_>, distribution: Distribution) -> LoweringResult {
    let ty = node.result(0)?.clone();
    if !ty.dtype.is_float() {
        return malformed(format!("draws {ty}"));
    }
    single(cx.b.draw(&mut cx.draws, distribution, ty))
}

/// Lowers random integers from `low` to `high`, exclusive.
pub fn random_integers(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let (low, high) = (node.int("low", 0)?, node.required_int("high")?);
    let count = high.checked_sub(low).filter(|&count| (1..=MAX_RANDOM_INTEGERS).contains(&count));
    let Some(count) = count else { return unsupported(format!("the range from {low} to {high}")) };
    let numbers = cx.b.draw(&mut cx.draws, Distribution::Uniform, Type { dtype: DType::F32, shape: ty.shape.clone() });
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, numbers, count as f64);
    let rounded = cx.b.unary(UnaryOp::Floor, scaled);
    // The product of a number below 1 may be rounded up.
    let rounded = cx.b.binary_scalar(BinaryOp::Min, rounded, (count - 1) as f64);
    let integers = cx.converted(rounded, DType::I64);
    let integers = cx.b.binary_scalar(BinaryOp::Add, integers, low as f64);
    single(cx.converted(integers, ty.dtype))
}

/// Maximum number of integers that are drawn from: floats of 32 bits are equally dense up to it.
const MAX_RANDOM_INTEGERS: i64 = 1 << 24;

/// Lowers normal numbers with given means and standard deviations, which are tensors or numbers.
pub fn normal(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    if !ty.dtype.is_float() {
        return malformed(format!("draws {ty}"));
    }
    let numbers = cx.b.draw(&mut cx.draws, Distribution::Normal, ty.clone());
    let moment = |name: &str, default: i64| match node.has(name) {
        true => node.operand(name).clone(),
        false => Operand::Int(default),
    };
    let moments = node.as_operation("normal", [("mean", moment("mean", 0)), ("std", moment("std", 1))]);
    let [mean, deviation] = operands(cx, &moments, ["mean", "std"], ty.dtype)?;
    let scaled = cx.binary(BinaryOp::Mul, numbers, deviation)?;
    single(cx.binary(BinaryOp::Add, scaled, mean)?)
}

/// Lowers numbers that are equally likely between two bounds.
pub fn uniform(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let (low, high) = (node.float("from", 0.0)?, node.float("to", 1.0)?);
    if !ty.dtype.is_float() {
        return malformed(format!("draws {ty}"));
    }
    let numbers = cx.b.draw(&mut cx.draws, Distribution::Uniform, ty);
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, numbers, high - low);
    single(cx.b.binary_scalar(BinaryOp::Add, scaled, low))
}

/// Lowers exponentially distributed numbers.
pub fn exponential(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let rate = node.float("lambd", 1.0)?;
    if !ty.dtype.is_float() || rate <= 0.0 {
        return malformed(format!("draws {ty} with the rate {rate}"));
    }
    let numbers = cx.b.draw(&mut cx.draws, Distribution::Uniform, ty);
    let negative = cx.b.unary(UnaryOp::Neg, numbers);
    let log = cx.b.unary(UnaryOp::Log1p, negative);
    single(cx.b.binary_scalar(BinaryOp::Mul, log, -rate.recip()))
}

/// Lowers `steps` powers of a base, whose exponents are at equal distances.
pub fn logspace(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let [count] = ty.shape[..] else { return malformed(format!("computes {ty}, not a vector")) };
    let (start, end, base) = (node.float("start", 0.0)?, node.float("end", 0.0)?, node.float("base", 10.0)?);
    let step = (end - start) / count.saturating_sub(1).max(1) as f64;
    let index = cx.b.arange(DType::F64, count);
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, index, step);
    let exponents = cx.b.binary_scalar(BinaryOp::Add, scaled, start);
    let base = cx.b.splat_like(exponents, Scalar::Float(base));
    let powers = cx.b.binary(BinaryOp::Pow, base, exponents);
    single(cx.converted(powers, ty.dtype))
}

/// Lowers a random permutation of `0, 1, ..`: the order of random numbers.
pub fn random_permutation(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let [_] = ty.shape[..] else { return malformed(format!("computes {ty}, not a vector")) };
    let numbers = Type { dtype: DType::F32, shape: ty.shape.clone() };
    let numbers = cx.b.draw(&mut cx.draws, Distribution::Uniform, numbers);
    let [_, order] = first_in_order(cx, numbers, 0, ty.shape.count(), false)?;
    single(cx.converted(order, ty.dtype))
}

/// Lowers ones with the probabilities of a tensor, or with one probability, and zeros otherwise.
pub fn bernoulli(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let numbers = Type { dtype: DType::F32, shape: ty.shape.clone() };
    let numbers = cx.b.draw(&mut cx.draws, Distribution::Uniform, numbers);
    let probability = match node.number("p")? {
        Some(p) => cx.b.splat_like(numbers, p),
        None => {
            let x = first_operand(node)?;
            cx.converted(x, DType::F32)
        }
    };
    let hit = cx.b.compare(numbers, Direction::Lt, probability);
    single(cx.converted(hit, ty.dtype))
}

/// Lowers a window of cosines: the sum of `(-1)^k a_k cos(2 pi k i / n)`. A periodic window has `n` elements, and a
/// symmetric one has the element `n` as well.
pub fn window(cx: &mut Lowering<'_>, node: &Node<'_>, coefficients: &[f64]) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let [n] = ty.shape[..] else { return malformed(format!("computes {ty}, not a vector")) };
    let period = if node.flag("periodic", true)? { n } else { n.saturating_sub(1).max(1) };
    let place = cx.b.arange(DType::F64, n);
    let angle = cx.b.binary_scalar(BinaryOp::Mul, place, std::f64::consts::TAU / period.max(1) as f64);
    let mut sum = cx.b.splat_like(angle, Scalar::Float(if n == 1 { 1.0 } else { coefficients[0] }));
    for (k, coefficient) in coefficients.iter().enumerate().skip(1).filter(|_| n > 1) {
        let multiple = cx.b.binary_scalar(BinaryOp::Mul, angle, k as f64);
        let cosine = cx.b.unary(UnaryOp::Cos, multiple);
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        let term = cx.b.binary_scalar(BinaryOp::Mul, cosine, sign * coefficient);
        sum = cx.b.binary(BinaryOp::Add, sum, term);
    }
    single(cx.converted(sum, ty.dtype))
}
