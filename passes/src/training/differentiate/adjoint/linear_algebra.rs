//! Adjoints of Fourier transforms, the Cholesky factorization and triangular systems.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Cholesky, Direction, Fft, Iota, Transform, Transposition, TriangularSolve};
use partita_ir::tensor::{Scalar, Tensor};

/// Reason why a factorization has no adjoint.
pub const NO_ADJOINT: &str =
    "it is a factorization without an adjoint: export the gradient from the framework of the model";

/// Reason why an op has no adjoint for complex operands.
const NO_COMPLEX_ADJOINT: &str =
    "its adjoint is for real matrices only: export the gradient from the framework of the model";

/// Appends the adjoint of `fft`: the opposite transform. The parts of the gradient of a complex number are the
/// gradients of its parts.
pub fn fft(ctx: &mut Adjoint<'_, '_>, op: &Fft) -> Result<(), String> {
    let wanted: Vec<usize> = (0..ctx.op.args.len()).filter(|&i| ctx.needs_gradient(i)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let gradients: Vec<ValueId> = (0..ctx.op.outs.len()).map(|o| gradient_or_zeros(ctx, o)).collect();
    let operand = ctx.arg_type(0);
    let count = op.lengths.iter().product::<usize>() as f64;
    let last = operand.shape.rank() - 1;
    let transformed = |b: &mut Builder<'_>, transform, parts: &[ValueId], ty: &Type| {
        let types = [ty.clone(), ty.clone()];
        b.op_many("g", Fft { transform, ..op.clone() }, parts, &types).into_vec()
    };
    let b = &mut *ctx.b;
    let results: Vec<ValueId> = match op.transform {
        Transform::Forward => {
            let parts = transformed(b, Transform::Inverse, &gradients, &operand);
            parts.into_iter().map(|part| b.times(part, count)).collect()
        }
        Transform::Inverse => {
            let parts = transformed(b, Transform::Forward, &gradients, &operand);
            parts.into_iter().map(|part| b.times(part, 1.0 / count.max(1.0))).collect()
        }
        // The second half, which is not a result, has no gradient.
        Transform::RealForward => {
            let mut missing = b.ty(gradients[0]);
            missing.shape[last] = operand.shape[last] - missing.shape[last];
            let zeros = b.zeros(missing);
            let parts: Vec<ValueId> = gradients.iter().map(|&part| b.concatenate(&[part, zeros], last)).collect();
            let parts = transformed(b, Transform::Inverse, &parts, &operand);
            vec![b.times(parts[0], count)]
        }
        // Each element of the first half contributes to the second half, too, except for those that are their own
        // counterpart.
        Transform::RealInverse => {
            let parts = transformed(b, Transform::RealForward, &gradients, &operand);
            let n = op.lengths.last().copied().unwrap_or(0);
            let own = |i: usize| i == 0 || 2 * i == n;
            let half = operand.shape[last];
            let weights = (0..half).map(|i| if own(i) { 1.0 } else { 2.0 } / count.max(1.0)).collect();
            let weights = b.constant(&Tensor::from_floats(Type::new(operand.dtype, [half]), weights));
            let weights = b.broadcast(weights, &[last], operand.shape.clone());
            parts.into_iter().map(|part| b.mul(part, weights)).collect()
        }
    };
    for i in wanted {
        ctx.set_gradient(i, results[i]);
    }
    Ok(())
}

/// Appends the adjoint of `cholesky` (Murray, "Differentiation of the Cholesky decomposition", 2016, equation 10): with
/// the triangle `p` of `l^T * g` and half of its diagonal, the gradient of one triangle of the operand is that of
/// `s + s^T` for `s = l^-T * p * l^-1`.
pub fn cholesky(ctx: &mut Adjoint<'_, '_>, op: &Cholesky) -> Result<(), String> {
    if ctx.op.args.len() > 1 {
        return Err(NO_COMPLEX_ADJOINT.into());
    }
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let (factor, gradient) = (ctx.out(), ctx.gradient());
    let b = &mut *ctx.b;
    let (l, g) = match op.upper {
        true => (transposed(b, factor), transposed(b, gradient)),
        false => (factor, gradient),
    };
    let ty = b.ty(l);
    let half = triangle(b, &ty, false, 0.5);
    let lt = transposed(b, l);
    let p = b.matmul(lt, g, ty.dtype);
    let p = b.mul(p, half);
    let left =
        TriangularSolve { right: false, upper: false, unit_diagonal: false, transposition: Transposition::Transpose };
    let right = TriangularSolve { right: true, transposition: Transposition::None, ..left.clone() };
    let z = b.op("z", left, &[l, p], ty.clone());
    let s = b.op("s", right, &[l, z], ty);
    let st = transposed(b, s);
    let sum = b.add(s, st);
    let mut result = b.mul(sum, half);
    if op.upper {
        result = transposed(b, result);
    }
    ctx.set_gradient(0, result);
    Ok(())
}

/// Appends the adjoint of `triangular_solve`: the gradient `h` of the right-hand sides solves the transposed system,
/// and that of the matrix is the triangle of `-h * x^T`, or of its counterparts for other sides and transpositions.
pub fn triangular_solve(ctx: &mut Adjoint<'_, '_>, op: &TriangularSolve) -> Result<(), String> {
    if ctx.op.args.len() > 2 {
        return Err(NO_COMPLEX_ADJOINT.into());
    }
    let wanted = [0, 1].map(|i| ctx.needs_gradient(i));
    if wanted == [false, false] {
        return Ok(());
    }
    let is_transposed = match op.transposition {
        Transposition::None => false,
        Transposition::Transpose | Transposition::Adjoint => true,
    };
    let (a, x, gradient) = (ctx.arg(0), ctx.out(), ctx.gradient());
    let (matrix, sides) = (ctx.arg_type(0), ctx.arg_type(1));
    let transposition = if is_transposed { Transposition::None } else { Transposition::Transpose };
    let h = ctx.b.op("h", TriangularSolve { transposition, ..op.clone() }, &[a, gradient], sides);
    if wanted[1] {
        ctx.set_gradient(1, h);
    }
    if ctx.needs_gradient(0) {
        let b = &mut *ctx.b;
        // The product is `h * x^T` on the left and `x^T * h` on the right; for the transpose of `a` the factors are
        // exchanged.
        let (first, second) = if is_transposed { (x, h) } else { (h, x) };
        let product = match op.right {
            false => {
                let second = transposed(b, second);
                b.matmul(first, second, matrix.dtype)
            }
            true => {
                let second = transposed(b, second);
                b.matmul(second, first, matrix.dtype)
            }
        };
        let diagonal = if op.unit_diagonal { 0.0 } else { 1.0 };
        let read = triangle(b, &matrix, op.upper, diagonal);
        let product = b.mul(product, read);
        let gradient = b.neg(product);
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}

/// Returns the gradient of a result, or zeros if it has none.
fn gradient_or_zeros(ctx: &mut Adjoint<'_, '_>, result: usize) -> ValueId {
    ctx.gradient_of(result).unwrap_or_else(|| {
        let ty = ctx.b.ty(ctx.op.outs[result]);
        ctx.b.zeros(ty)
    })
}

/// Appends the transpose of each matrix of a batch.
fn transposed(b: &mut Builder<'_>, x: ValueId) -> ValueId {
    let rank = b.ty(x).shape.rank();
    b.swap_dims(x, rank - 2, rank - 1)
}

/// Appends matrices with ones in one triangle, `diagonal` on the diagonal and zeros elsewhere.
fn triangle(b: &mut Builder<'_>, ty: &Type, upper: bool, diagonal: f64) -> ValueId {
    let rank = ty.shape.rank();
    let index = Type { dtype: DType::I32, shape: ty.shape.clone() };
    let rows = b.op("row", Iota { dim: rank - 2 }, &[], index.clone());
    let cols = b.op("col", Iota { dim: rank - 1 }, &[], index);
    let inside = b.compare(rows, if upper { Direction::Lt } else { Direction::Gt }, cols);
    let on_diagonal = b.compare(rows, Direction::Eq, cols);
    let [one, diagonal, zero] = [1.0, diagonal, 0.0].map(|x| b.splat(ty.clone(), Scalar::Float(x)));
    let others = b.select(on_diagonal, diagonal, zero);
    b.select(inside, one, others)
}
