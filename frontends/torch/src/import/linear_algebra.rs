//! Lowering of determinants, solutions and factors of matrices.

use super::lowering::{
    Lowering, LoweringError, LoweringResult, Outs, Parts, all, first_of, malformed, single, unsupported,
};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::build::broadcast_shape;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{
    BinaryOp, Cholesky, Direction, Eigh, SingularVectors, Svd, Transposition, TriangularSolve, UnaryOp,
};
use partita_ir::tensor::Scalar;

/// Returns the operand `A`, `self` or `input`. Errors: it is not a batch of matrices of floats.
fn matrices(cx: &Lowering<'_>, node: &Node<'_>) -> Result<ValueId, LoweringError> {
    let x = match node.optional("A")? {
        Some(x) => x,
        None => super::lowering::first_operand(node)?,
    };
    check_matrices(cx, x)
}

fn check_matrices(cx: &Lowering<'_>, x: ValueId) -> Result<ValueId, LoweringError> {
    match cx.rank(x) >= 2 && cx.dtype(x).is_float() {
        true => Ok(x),
        false => malformed(format!("needs matrices of floats, not {}", cx.b.ty(x))),
    }
}

/// Returns the first results of a node, whose other results are not computed.
fn first_results(node: &Node<'_>, values: &[ValueId]) -> LoweringResult {
    let missing = node.result_count().saturating_sub(values.len());
    let known = values.iter().map(|&value| Some(Parts::Real(value)));
    Ok(known.chain(std::iter::repeat_n(None, missing)).collect::<Outs>())
}

/// Lowers determinants. The factors are not computed.
pub fn determinant(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    let value = cx.b.checked_determinant(x)?.value(&mut cx.b);
    first_of(value, node.result_count().max(1))
}

/// Lowers the signs of determinants and the logarithms of their absolute values.
pub fn sign_and_log_determinant(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    let parts = cx.b.checked_determinant(x)?.sign_and_log(&mut cx.b);
    first_results(node, &parts)
}

/// Lowers the logarithms of determinants, which are NaN for negative ones.
pub fn log_determinant(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    let [sign, log] = cx.b.checked_determinant(x)?.sign_and_log(&mut cx.b);
    let positive = cx.compare_scalar(sign, Direction::Ge, Scalar::Float(0.0));
    single(cx.select_or(positive, log, Scalar::Float(f64::NAN))?)
}

/// Lowers inverses: the solutions for the identity.
pub fn inverse(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    let ones = cx.b.splat_like(x, Scalar::Float(1.0));
    let identity = cx.b.triangle_of(ones, Direction::Eq);
    let out = cx.b.checked_solve(x, identity)?;
    first_of(out, node.result_count().max(1))
}

/// Lowers solutions of `A * x = B`, where `B` may have vectors.
pub fn solve(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (a, b) = (matrices(cx, node)?, node.tensor("B")?);
    if !node.flag("left", true)? {
        return unsupported("the matrices on the right");
    }
    let (shape, rhs) = (cx.shape(a), cx.shape(b));
    let is_vector = rhs.rank() == 1 || (rhs.rank() + 1 == shape.rank() && rhs[..] == shape[..shape.rank() - 1]);
    let b = if is_vector { cx.b.unsqueeze(b, rhs.rank()) } else { b };
    let [a, b] = same_batch(cx, a, b)?;
    let out = cx.b.checked_solve(a, b)?;
    let out = cx.b.checked_reshape(out, node.result_shape()?.clone())?;
    first_of(out, node.result_count().max(1))
}

/// Broadcasts the batches of two tensors of matrices.
fn same_batch(cx: &mut Lowering<'_>, x: ValueId, y: ValueId) -> Result<[ValueId; 2], LoweringError> {
    check_matrices(cx, x)?;
    check_matrices(cx, y)?;
    let batch_of = |shape: &Shape| Shape::from(&shape[..shape.rank() - 2]);
    let batch = broadcast_shape([&batch_of(&cx.shape(x)), &batch_of(&cx.shape(y))])?;
    let mut expand = |x: ValueId| {
        let shape = cx.shape(x);
        let whole: Shape = batch.iter().chain(&shape[shape.rank() - 2..]).copied().collect();
        cx.expand(x, &whole)
    };
    Ok([expand(x)?, expand(y)?])
}

/// Lowers Cholesky factors.
pub fn cholesky(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    let out = cx.op("cholesky", Cholesky { upper: node.flag("upper", false)? }, &[x])?;
    first_of(out, node.result_count().max(1))
}

/// Lowers solutions with the matrices of Cholesky factors: `l * l^T * x = b`.
pub fn cholesky_solve(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (b, factor) = (node.tensor("self")?, node.tensor("input2")?);
    let [factor, b] = same_batch(cx, factor, b)?;
    let upper = node.flag("upper", false)?;
    let transpose = [Transposition::None, Transposition::Transpose];
    let order = if upper { [transpose[1], transpose[0]] } else { transpose };
    let out =
        order.into_iter().try_fold(b, |b, transposition| triangular(cx, [factor, b], upper, false, transposition));
    single(out?)
}

/// Appends solutions `x` of `f(a) * x = b` for triangular `a`.
fn triangular(
    cx: &mut Lowering<'_>,
    operands: [ValueId; 2],
    upper: bool,
    unit_diagonal: bool,
    transposition: Transposition,
) -> Result<ValueId, LoweringError> {
    cx.op("solve", TriangularSolve { right: false, upper, unit_diagonal, transposition }, &operands)
}

/// Lowers solutions with triangular matrices `A`, on the left or on the right.
pub fn solve_triangular(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [a, b] = same_batch(cx, node.tensor("self")?, node.tensor("B")?)?;
    let kind = TriangularSolve {
        right: !node.flag("left", true)?,
        upper: node.flag("upper", false)?,
        unit_diagonal: node.flag("unitriangular", false)?,
        transposition: Transposition::None,
    };
    single(cx.op("solve", kind, &[a, b])?)
}

/// Lowers the older form of a solution with triangular matrices, which also returns them.
pub fn older_solve_triangular(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [a, b] = same_batch(cx, node.tensor("A")?, node.tensor("self")?)?;
    let transposition = if node.flag("transpose", false)? { Transposition::Transpose } else { Transposition::None };
    let (upper, unit) = (node.flag("upper", true)?, node.flag("unitriangular", false)?);
    let out = triangular(cx, [a, b], upper, unit, transposition)?;
    all([out, a])
}

/// Lowers QR factors.
pub fn qr(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    let is_complete = match node.text("mode")?.unwrap_or("reduced") {
        "reduced" => false,
        "complete" => true,
        other => return unsupported(format!("the mode `{other}`")),
    };
    all(cx.b.checked_qr(x, is_complete)?)
}

/// Lowers eigenvalues and eigenvectors of symmetric matrices, or the eigenvalues only.
pub fn symmetric_eigen(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    let upper = node.text("UPLO")?.is_some_and(|side| side.eq_ignore_ascii_case("U"));
    let ty = cx.b.ty(x);
    let values: Shape = ty.shape[..ty.shape.rank() - 1].iter().copied().collect();
    let types = [Type { dtype: ty.dtype, shape: values }, ty];
    let outs = cx.b.op_many("eigh", Eigh { upper }, &[x], &types);
    all(outs.into_iter().take(node.result_count().max(1)))
}

/// Lowers the singular value decomposition, to `u`, the singular values and `vh`.
pub fn singular_values(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    if node.result_count() == 1 {
        return single(spectrum(cx, x));
    }
    let is_full = node.flag("full_matrices", node.op == "linalg_svd")?;
    all(decomposed(cx, x, is_full))
}

/// Appends the singular values of matrices.
pub fn spectrum(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let ty = cx.b.ty(x);
    let lead = ty.shape.rank() - 2;
    let count = ty.shape[lead].min(ty.shape[lead + 1]);
    let values = Type { dtype: ty.dtype, shape: ty.shape[..lead].iter().copied().chain([count]).collect() };
    cx.b.op_many("svd", Svd { vectors: SingularVectors::None }, &[x], &[values])[0]
}

/// Appends the singular value decomposition of matrices: `u`, the singular values and `vh`, with all vectors or those
/// of the singular values.
fn decomposed(cx: &mut Lowering<'_>, x: ValueId, is_full: bool) -> [ValueId; 3] {
    let ty = cx.b.ty(x);
    let lead = ty.shape.rank() - 2;
    let (m, n) = (ty.shape[lead], ty.shape[lead + 1]);
    let (vectors, left, right) = match is_full {
        true => (SingularVectors::Full, m, n),
        false => (SingularVectors::Thin, m.min(n), m.min(n)),
    };
    let typed =
        |sizes: &[usize]| Type { dtype: ty.dtype, shape: ty.shape[..lead].iter().chain(sizes).copied().collect() };
    let types = [typed(&[m.min(n)]), typed(&[m, left]), typed(&[right, n])];
    let outs = cx.b.op_many("svd", Svd { vectors }, &[x], &types);
    [outs[1], outs[0], outs[2]]
}

/// Lowers pseudoinverses: the inverses of the singular values above a limit.
pub fn pseudoinverse(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    if node.flag("hermitian", false)? {
        return unsupported("Hermitian matrices");
    }
    let ty = cx.b.ty(x);
    let lead = ty.shape.rank() - 2;
    let (m, n) = (ty.shape[lead], ty.shape[lead + 1]);
    let [left, values, right] = decomposed(cx, x, false);

    let least = node.float("atol", 0.0)?;
    let by_size = if least > 0.0 { 0.0 } else { m.max(n) as f64 * 2.0 * ty.dtype.roundoff().unwrap_or(0.0) };
    let relative = node.float("rtol", node.float("rcond", by_size)?)?;
    let largest = cx.b.reduce(Monoid::Max, values, lead);
    let limit = cx.b.binary_scalar(BinaryOp::Mul, largest, relative);
    let limit = cx.b.binary_scalar(BinaryOp::Max, limit, least);
    let limit = cx.b.unsqueeze(limit, lead);
    let shape = cx.shape(values);
    let limit = cx.expand(limit, &shape)?;
    let counts = cx.b.compare(values, Direction::Gt, limit);
    let inverse = cx.b.unary(UnaryOp::Reciprocal, values);
    let inverse = cx.select_or(counts, inverse, Scalar::Float(0.0))?;

    let inverse = cx.b.unsqueeze(inverse, lead);
    let [right, left] = [right, left].map(|factor| cx.b.swap_dims(factor, lead, lead + 1));
    let scaled = cx.binary(BinaryOp::Mul, right, inverse)?;
    single(cx.b.checked_matmul(scaled, left)?)
}

/// Lowers powers of square matrices, by repeated squaring. Negative ones are powers of the inverse.
pub fn power(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = matrices(cx, node)?;
    let ones = cx.b.splat_like(x, Scalar::Float(1.0));
    let identity = cx.b.triangle_of(ones, Direction::Eq);
    let exponent = node.required_int("n")?;
    let mut square = if exponent < 0 { cx.b.checked_solve(x, identity)? } else { x };
    let mut out = None;
    let mut rest = exponent.unsigned_abs();
    while rest > 0 {
        if rest % 2 == 1 {
            out = Some(match out {
                Some(out) => cx.b.checked_matmul(out, square)?,
                None => square,
            });
        }
        rest /= 2;
        if rest > 0 {
            square = cx.b.checked_matmul(square, square)?;
        }
    }
    single(out.unwrap_or(identity))
}

/// Lowers cross products of vectors of three elements along a dimension.
pub fn cross(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, y] = cx.broadcast_all([node.tensor("self")?, node.tensor("other")?])?;
    let shape = cx.shape(x);
    // Without a dimension, the older form selects the first one of size 3.
    let dim = match node.optional_int("dim")? {
        Some(dim) => super::lowering::dim(dim, shape.rank())?,
        None if node.op == "cross" => shape.iter().position(|&n| n == 3).unwrap_or(0),
        None => shape.rank().saturating_sub(1),
    };
    if shape.get(dim) != Some(&3) {
        return malformed(format!("has vectors {shape}, not of three elements along dimension {dim}"));
    }
    let rolled = |cx: &mut Lowering<'_>, x: ValueId, by: usize| {
        let parts = [cx.b.slice_dim(x, dim, by, 3), cx.b.slice_dim(x, dim, 0, by)];
        cx.b.concatenate(&parts, dim)
    };
    let mut product = |by: [usize; 2]| {
        let (x, y) = (rolled(cx, x, by[0]), rolled(cx, y, by[1]));
        cx.b.binary(BinaryOp::Mul, x, y)
    };
    let (plus, minus) = (product([1, 2]), product([2, 1]));
    single(cx.b.binary(BinaryOp::Sub, plus, minus))
}
