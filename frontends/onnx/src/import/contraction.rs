//! Lowering of matrix products.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, malformed, single, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::ops::{BinaryOp, DotGeneral};
use partita_ir::syntax::attr::{DimPairs, Dims};

/// Lowers a matrix product with NumPy semantics: leading dimensions broadcast; a vector is a row on the left and a
/// column on the right.
pub fn matmul(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    single(product(cx, [node.arg(0)?, node.arg(1)?])?)
}

/// Appends a matrix product with NumPy semantics.
fn product(cx: &mut Lowering<'_>, [x, y]: [ValueId; 2]) -> Result<ValueId, LoweringError> {
    let (mut xs, mut ys) = (cx.shape(x), cx.shape(y));
    let (row, column) = (xs.rank() == 1, ys.rank() == 1);
    if row {
        xs.0.insert(0, 1);
    }
    if column {
        ys.0.push(1);
    }
    let x = cx.reshape(x, xs)?;
    let y = cx.reshape(y, ys)?;
    let product = cx.matmul(x, y)?;
    let mut shape = cx.shape(product);
    let rank = shape.rank();
    if column {
        shape.0.remove(rank - 1);
    }
    if row {
        shape.0.remove(rank - 2);
    }
    cx.reshape(product, shape)
}

/// Lowers `alpha * x' y' + beta * c`, where `'` is an optional transposition.
pub fn gemm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    single(general_product(cx, node)?)
}

/// Appends `alpha * x' y' + beta * c`, where `'` is an optional transposition.
pub fn general_product(cx: &mut Lowering<'_>, node: &Node<'_>) -> Result<ValueId, LoweringError> {
    let (x, y) = (node.arg(0)?, node.arg(1)?);
    if cx.rank(x) != 2 || cx.rank(y) != 2 {
        return malformed(format!("multiplies {} by {}", cx.b.ty(x), cx.b.ty(y)));
    }
    let contract = DimPairs {
        lhs: Dims::from_elem(usize::from(!node.flag("transA", false)), 1),
        rhs: Dims::from_elem(usize::from(node.flag("transB", false)), 1),
    };
    let mut out = cx.op("matmul", DotGeneral { contract, batch: DimPairs::default() }, &[x, y])?;
    let (alpha, beta) = (node.float("alpha", 1.0), node.float("beta", 1.0));
    if alpha != 1.0 {
        out = cx.b.binary_scalar(BinaryOp::Mul, out, alpha);
    }
    if let Some(mut c) = node.optional(2).filter(|_| beta != 0.0) {
        if beta != 1.0 {
            c = cx.b.binary_scalar(BinaryOp::Mul, c, beta);
        }
        let shape = cx.shape(out);
        let c = cx.expand(c, &shape)?;
        out = cx.b.binary(BinaryOp::Add, out, c);
    }
    Ok(out)
}

/// Lowers `alpha x' y'`, where `'` is an optional transposition of the last two dimensions (`FusedMatMul` of ONNX
/// Runtime).
pub fn fused_matmul(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    if node.flag("transBatchA", false) || node.flag("transBatchB", false) {
        return unsupported("transposed batch dimensions");
    }
    let mut operands = [node.arg(0)?, node.arg(1)?];
    for (operand, attribute) in operands.iter_mut().zip(["transA", "transB"]) {
        if let Some(last) = cx.rank(*operand).checked_sub(1).filter(|&last| last > 0 && node.flag(attribute, false)) {
            *operand = cx.b.swap_dims(*operand, last - 1, last);
        }
    }
    let out = product(cx, operands)?;
    let alpha = node.float("alpha", 1.0);
    single(if alpha == 1.0 { out } else { cx.b.binary_scalar(BinaryOp::Mul, out, alpha) })
}

/// Lowers an einsum. Errors: an invalid equation.
pub fn einsum(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let operands = node.all_args()?;
    single(cx.b.checked_einsum(node.text("equation", ""), &operands)?)
}
