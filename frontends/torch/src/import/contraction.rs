//! Lowering of matrix products.

use super::lowering::{Lowering, LoweringError, LoweringResult, malformed, single};
use super::node::Node;
use super::promotion::operands;
use partita_ir::arena::ValueId;
use partita_ir::ops::{BinaryOp, DotGeneral};
use partita_ir::syntax::attr::{DimPairs, Dims};

/// Lowers `input weight^T + bias`. Weights are `[out, in]`, operands `[.., in]`.
pub fn linear(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, weight) = (node.tensor("input")?, node.tensor("weight")?);
    let (Some(last), weight_rank @ 1..=2) = (cx.rank(x).checked_sub(1), cx.rank(weight)) else {
        return malformed(format!("multiplies {} by {}", cx.b.ty(x), cx.b.ty(weight)));
    };
    let contract = DimPairs { lhs: Dims::from_elem(last, 1), rhs: Dims::from_elem(weight_rank - 1, 1) };
    let out = cx.op("matmul", DotGeneral { contract, batch: DimPairs::default() }, &[x, weight])?;
    single(with_bias(cx, out, node.optional("bias")?)?)
}

/// Adds an optional bias, which broadcasts to `x`.
fn with_bias(cx: &mut Lowering<'_>, x: ValueId, bias: Option<ValueId>) -> Result<ValueId, LoweringError> {
    match bias {
        Some(bias) => cx.binary(BinaryOp::Add, x, bias),
        None => Ok(x),
    }
}

/// Appends a matrix product: leading dimensions broadcast; a vector is a row on the left and a column on the right.
fn product(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
    let (mut xs, mut ys) = (cx.shape(x), cx.shape(y));
    let (row, column) = (xs.rank() == 1, ys.rank() == 1);
    if row {
        xs.0.insert(0, 1);
    }
    if column {
        ys.0.push(1);
    }
    let (x, y) = (cx.b.checked_reshape(x, xs)?, cx.b.checked_reshape(y, ys)?);
    let product = cx.b.checked_matmul(x, y)?;
    let mut shape = cx.shape(product);
    let rank = shape.rank();
    if column {
        shape.0.remove(rank - 1);
    }
    if row {
        shape.0.remove(rank - 2);
    }
    Ok(cx.b.checked_reshape(product, shape)?)
}

/// Lowers a matrix product; `names` are the operands.
pub fn matmul(cx: &mut Lowering<'_>, node: &Node<'_>, names: [&str; 2]) -> LoweringResult {
    let (x, y) = (node.tensor(names[0])?, node.tensor(names[1])?);
    single(product(cx, x, y)?)
}

/// Lowers an einsum. The order of the products, `path`, does not affect the result.
pub fn einsum(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let Some(equation) = node.text("equation")? else { return malformed("lacks the operand `equation`") };
    single(cx.b.checked_einsum(equation, &node.tensors("tensors")?)?)
}

/// Lowers `beta self + alpha x y`; `names` are the factors.
pub fn add_product(cx: &mut Lowering<'_>, node: &Node<'_>, names: [&str; 2]) -> LoweringResult {
    let (x, y) = (node.tensor(names[0])?, node.tensor(names[1])?);
    let (alpha, beta) = (node.float("alpha", 1.0)?, node.float("beta", 1.0)?);
    let mut out = product(cx, x, y)?;
    if alpha != 1.0 {
        out = cx.b.binary_scalar(BinaryOp::Mul, out, alpha);
    }
    if beta == 0.0 {
        return single(out);
    }
    let mut bias = node.tensor("self")?;
    if beta != 1.0 {
        bias = cx.b.binary_scalar(BinaryOp::Mul, bias, beta);
    }
    single(with_bias(cx, out, Some(bias))?)
}

/// Lowers the product of each element of one vector and each of another.
pub fn outer(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, y] = operands(cx, node, ["self", "vec2"], node.result(0)?.dtype)?;
    let (&[n], &[m]) = (&cx.shape(x)[..], &cx.shape(y)[..]) else {
        return malformed(format!("multiplies {} by {}", cx.b.ty(x), cx.b.ty(y)));
    };
    let (x, y) = (cx.b.reshape(x, [n, 1]), cx.b.reshape(y, [1, m]));
    single(cx.binary(BinaryOp::Mul, x, y)?)
}
