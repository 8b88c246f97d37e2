//! Lowering of reductions and cumulative sums and products.

use super::lowering::{
    Lowering, LoweringError, LoweringResult, all, dim, dims, first_operand, malformed, single, unsupported,
};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Returns the dimensions of a reduction: those of the operand `dim`, or all.
fn reduced_dims(cx: &Lowering<'_>, node: &Node<'_>, x: ValueId) -> Result<Dims, LoweringError> {
    let rank = cx.rank(x);
    Ok(match node.ints("dim")? {
        Some(list) if !list.is_empty() && rank > 0 => dims(&list, rank)?.into_iter().collect(),
        _ => (0..rank).collect(),
    })
}

/// Reshapes the result of a reduction to the recorded shape, in which the dimensions may remain with size 1.
fn with_result_shape(cx: &mut Lowering<'_>, node: &Node<'_>, reduced: ValueId) -> Result<ValueId, LoweringError> {
    Ok(cx.b.checked_reshape(reduced, node.result_shape()?.clone())?)
}

/// Lowers a reduction by a monoid, in the element type of the result.
pub fn reduce(cx: &mut Lowering<'_>, node: &Node<'_>, monoid: Monoid) -> LoweringResult {
    let x = first_operand(node)?;
    let over = reduced_dims(cx, node, x)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let out = cx.b.reduce_dims(monoid, x, over);
    single(with_result_shape(cx, node, out)?)
}

/// Lowers a mean.
pub fn mean(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    let over = reduced_dims(cx, node, x)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let out = cx.b.mean_dims(x, over);
    single(with_result_shape(cx, node, out)?)
}

/// Lowers the truth of all or any elements.
pub fn truth(cx: &mut Lowering<'_>, node: &Node<'_>, monoid: Monoid) -> LoweringResult {
    let x = first_operand(node)?;
    let over = reduced_dims(cx, node, x)?;
    let x = cx.converted(x, DType::Bool);
    let out = cx.b.reduce_dims(monoid, x, over);
    single(with_result_shape(cx, node, out)?)
}

/// Lowers a maximum or minimum: of two tensors, of all elements, or along a dimension, where the second result is the
/// index of the first extremum.
pub fn extremum(cx: &mut Lowering<'_>, node: &Node<'_>, better: Direction) -> LoweringResult {
    let (op, monoid) = match better {
        Direction::Gt => (BinaryOp::Max, Monoid::Max),
        _ => (BinaryOp::Min, Monoid::Min),
    };
    if node.has("other") {
        return super::elementwise::binary(cx, node, op);
    }
    if !node.has("dim") {
        return reduce(cx, node, monoid);
    }
    let x = node.tensor("self")?;
    let dim = nonempty_dim(cx, x, node.required_int("dim")?)?;
    let Some(dim) = dim else { return unsupported("a scalar") };
    let (value, index) = cx.b.extremum_with_index(x, dim, better, DType::I64);
    let value = with_result_shape(cx, node, value)?;
    let index = with_result_shape(cx, node, index)?;
    all([value, index])
}

/// Lowers the index of the first maximum or minimum along a dimension, or among all elements.
pub fn arg_extremum(cx: &mut Lowering<'_>, node: &Node<'_>, better: Direction) -> LoweringResult {
    let x = node.tensor("self")?;
    let (x, number) = match node.optional_int("dim")? {
        Some(number) => (x, number),
        None => {
            let count = cx.shape(x).count();
            (cx.b.reshape(x, [count]), 0)
        }
    };
    let Some(dim) = nonempty_dim(cx, x, number)? else { return unsupported("a scalar") };
    let (_, index) = cx.b.extremum_with_index(x, dim, better, DType::I64);
    single(with_result_shape(cx, node, index)?)
}

/// Resolves a dimension that must have elements; `None` for a scalar.
fn nonempty_dim(cx: &Lowering<'_>, x: ValueId, number: i64) -> Result<Option<usize>, LoweringError> {
    let shape = cx.shape(x);
    let dim = dim(number, shape.rank())?;
    match shape.get(dim) {
        None => Ok(None),
        Some(0) => malformed(format!("reduces dimension {dim} of {shape}, which is empty")),
        Some(_) => Ok(Some(dim)),
    }
}

/// Lowers a variance or, with `root`, a standard deviation; with `has_mean` the second result is the mean.
pub fn variance(cx: &mut Lowering<'_>, node: &Node<'_>, root: bool, has_mean: bool) -> LoweringResult {
    let x = node.tensor("self")?;
    let ty = cx.b.ty(x);
    if !ty.dtype.is_float() {
        return malformed(format!("needs floats, not {ty}"));
    }
    let over = reduced_dims(cx, node, x)?;
    let correction = match node.number("correction")? {
        Some(correction) => correction.to_f64(),
        None => {
            if node.flag("unbiased", true)? {
                1.0
            } else {
                0.0
            }
        }
    };
    let mean = cx.b.mean_keep(x, &over);
    let spread = cx.expand(mean, &ty.shape)?;
    let centred = cx.b.binary(BinaryOp::Sub, x, spread);
    let squares = cx.b.binary(BinaryOp::Mul, centred, centred);
    let count = over.iter().map(|&d| ty.shape[d]).fold(1, usize::saturating_mul);
    let sum = cx.b.reduce_dims(Monoid::Sum, squares, over);
    let mut out = cx.b.binary_scalar(BinaryOp::Div, sum, (count as f64 - correction).max(0.0));
    if root {
        out = cx.b.unary(UnaryOp::Sqrt, out);
    }
    let out = with_result_shape(cx, node, out)?;
    match has_mean {
        true => {
            let mean = with_result_shape(cx, node, mean)?;
            all([out, mean])
        }
        false => single(out),
    }
}

/// Lowers the logarithm of the sum of exponentials.
pub fn log_sum_exp(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let over = reduced_dims(cx, node, x)?;
    let shape = cx.shape(x);
    let max = cx.b.reduce_keep(Monoid::Max, x, &over);
    let spread = cx.expand(max, &shape)?;
    let below = cx.b.binary(BinaryOp::Sub, x, spread);
    let exp = cx.b.unary(UnaryOp::Exp, below);
    let sum = cx.b.reduce_dims(Monoid::Sum, exp, over);
    let log = cx.b.unary(UnaryOp::Log, sum);
    let log = with_result_shape(cx, node, log)?;
    let max = with_result_shape(cx, node, max)?;
    single(cx.b.binary(BinaryOp::Add, log, max))
}

/// Lowers a vector norm.
pub fn norm(cx: &mut Lowering<'_>, node: &Node<'_>, order: &str) -> LoweringResult {
    let x = first_operand(node)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let over = reduced_dims(cx, node, x)?;
    let out = norm_over(cx, x, over, node.float(order, 2.0)?);
    single(with_result_shape(cx, node, out)?)
}

/// Appends the norm of an order over some dimensions. The norm of order 0 is the number of elements other than 0.
pub fn norm_over(cx: &mut Lowering<'_>, x: ValueId, over: Dims, order: f64) -> ValueId {
    if order == 2.0 {
        let squares = cx.b.binary(BinaryOp::Mul, x, x);
        let sum = cx.b.reduce_dims(Monoid::Sum, squares, over);
        return cx.b.unary(UnaryOp::Sqrt, sum);
    }
    let size = cx.b.unary(UnaryOp::Abs, x);
    if order.is_infinite() {
        let monoid = if order > 0.0 { Monoid::Max } else { Monoid::Min };
        return cx.b.reduce_dims(monoid, size, over);
    }
    if order == 0.0 {
        let nonzero = cx.compare_scalar(size, Direction::Ne, Scalar::Float(0.0));
        let dtype = cx.dtype(x);
        let nonzero = cx.b.convert(nonzero, dtype);
        return cx.b.reduce_dims(Monoid::Sum, nonzero, over);
    }
    if order == 1.0 {
        return cx.b.reduce_dims(Monoid::Sum, size, over);
    }
    let power = cx.b.binary_scalar(BinaryOp::Pow, size, order);
    let sum = cx.b.reduce_dims(Monoid::Sum, power, over);
    cx.b.binary_scalar(BinaryOp::Pow, sum, order.recip())
}

/// Lowers a cumulative sum or product along a dimension.
pub fn cumulative(cx: &mut Lowering<'_>, node: &Node<'_>, monoid: Monoid) -> LoweringResult {
    let x = node.tensor("self")?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let rank = cx.rank(x);
    let dim = dim(node.required_int("dim")?, rank)?;
    single(if rank == 0 { x } else { cx.b.cumulative(monoid, x, dim, false) })
}

/// Lowers the number of elements that are not zero, of the tensor or along dimensions.
pub fn count_nonzero(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let dims = reduced_dims(cx, node, x)?;
    let nonzero = cx.converted(x, DType::Bool);
    let counts = cx.b.convert(nonzero, DType::I64);
    let count = cx.b.reduce_dims(Monoid::Sum, counts, dims);
    single(with_result_shape(cx, node, count)?)
}

/// Lowers the sum of the diagonal of a matrix.
pub fn trace(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    if cx.rank(x) != 2 {
        return malformed(format!("needs a matrix, not {}", cx.shape(x)));
    }
    let diagonal = cx.b.triangle_of(x, Direction::Eq);
    let sum = cx.b.reduce_dims(Monoid::Sum, diagonal, [0, 1].into_iter().collect());
    single(cx.converted(sum, node.result(0)?.dtype))
}
