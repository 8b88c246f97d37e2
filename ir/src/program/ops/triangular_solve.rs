//! `triangular_solve`: solutions of systems of equations with triangular matrices.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, results, split};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::Tensor;
use crate::word_attr;
use partita_linalg::{self as linalg, Complex64, Number, TriangularSystem};
use smallvec::smallvec;

op! {
    /// The solution `x` of `f(a) * x = b`, or of `x * f(a) = b`, for each triangular matrix `a` of a batch; `f` is a
    /// transposition or the identity. Reads one triangle of `a`. Operands: `a` `[.., n, n]`, then `b` `[.., n, m]` or
    /// `[.., m, n]`, each as real numbers or as real and imaginary parts. A zero on the diagonal results in infinite or
    /// NaN elements.
    TriangularSolve = "triangular_solve" {
        /// `a` is the right factor.
        "right" right: bool,
        /// The upper triangle of `a` is read, otherwise the lower one.
        "upper" upper: bool,
        /// The diagonal of `a` is not read and consists of ones.
        "unit_diagonal" unit_diagonal: bool,
        /// The function `f`.
        "with" transposition: Transposition,
    }
}

/// Transposition of the matrix of a system.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Transposition {
    /// The matrix itself.
    #[default]
    None,
    /// The transposed matrix.
    Transpose,
    /// The conjugate transpose.
    Adjoint,
}

impl Transposition {
    /// All transpositions.
    pub const ALL: [Transposition; 3] = [Transposition::None, Transposition::Transpose, Transposition::Adjoint];

    /// Returns the name in program text.
    pub fn name(self) -> &'static str {
        match self {
            Transposition::None => "none",
            Transposition::Transpose => "transpose",
            Transposition::Adjoint => "adjoint",
        }
    }
}

word_attr!(Transposition, "a transposition (none, transpose, adjoint)", Transposition::ALL);

impl Operation for TriangularSolve {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let (a, b) = split(args)?;
        let (matrix, sides) = (MatrixBatch::square(a)?, MatrixBatch::from_parts(b)?);
        let size = if self.right { sides.cols } else { sides.rows };
        if size != matrix.rows || sides.batch != matrix.batch || sides.dtype != matrix.dtype {
            let sides = if self.right { "rows" } else { "columns" };
            return Err(format!("needs {sides} of {} elements for each matrix of {}, not {}", matrix.rows, a[0], b[0]));
        }
        results(b.iter().map(|&ty| ty.clone()))
    }

    fn class(&self) -> Class<'_> {
        Class::LinearAlgebra
    }

    /// The batch and the right-hand sides pass through; matrices are replicated.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let (a, b) = args.split_at(args.len() / 2);
        let mut rule = Rule::default();
        let rank = a[0].shape.rank();
        let [rows, cols] = [rank - 2, rank - 1];
        let batch: DimMap = a[0].shape[..rows].iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        let (mut matrix, mut sides) = (batch.clone(), batch);
        matrix.push(rule.dim(a[0].shape[rows], FactorKind::NeedReplication));
        matrix.push(rule.dim(a[0].shape[cols], FactorKind::NeedReplication));
        let (solved, kinds) = match self.right {
            true => (cols, [FactorKind::PassThrough, FactorKind::NeedReplication]),
            false => (rows, [FactorKind::NeedReplication, FactorKind::PassThrough]),
        };
        for (dim, kind) in [rows, cols].into_iter().zip(kinds) {
            // The solved dimension is that of the matrix on the side of the product.
            let side = if self.right { rows } else { cols };
            sides.push(if dim == solved { matrix[side].clone() } else { rule.dim(b[0].shape[dim], kind) });
        }
        rule.args = std::iter::repeat_n(matrix, a.len()).chain(std::iter::repeat_n(sides.clone(), b.len())).collect();
        rule.outs = smallvec![sides; b.len()];
        rule.linear_in(a.len()..args.len())
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        let Ok((_, b)) = split(args) else { return 0 };
        let Ok(b) = MatrixBatch::from_parts(b) else { return 0 };
        let (m, n) = (b.rows as f64, b.cols as f64);
        b.flops(if self.right { m * n * n } else { m * m * n })
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        match args.len() {
            2 => self.evaluate::<f64>(args, outs),
            _ => self.evaluate::<Complex64>(args, outs),
        }
    }
}

impl TriangularSolve {
    fn evaluate<T: Number>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let (a, b) = split(args)?;
        let batch = outs[0].shape.rank() - 2;
        let (a, b) = (Numbers::<T>::from_parts(a, batch), Numbers::<T>::from_parts(b, batch));
        let system = TriangularSystem {
            left: !self.right,
            lower: !self.upper,
            unit_diagonal: self.unit_diagonal,
            transposition: match self.transposition {
                Transposition::None => linalg::Transposition::None,
                Transposition::Transpose => linalg::Transposition::Transpose,
                Transposition::Adjoint => linalg::Transposition::Adjoint,
            },
        };
        Ok(Results::collect(outs, batch, |results, position| {
            results.numbers(0, &system.solve(&a.matrix(position), &b.matrix(position)).data);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, floats, infer_error};

    fn solve(right: bool, upper: bool, unit_diagonal: bool, transposition: Transposition) -> TriangularSolve {
        TriangularSolve { right, upper, unit_diagonal, transposition }
    }

    /// Returns the entries of `f(a)` that a system reads, as complex numbers.
    fn read(op: &TriangularSolve, n: usize, re: &Tensor, im: Option<&Tensor>) -> Vec<Complex64> {
        let entry = |i: usize, j: usize| {
            let at = i * n + j;
            let x = Complex64::new(re.get(at).to_f64(), im.map_or(0.0, |im| im.get(at).to_f64()));
            match i.cmp(&j) {
                std::cmp::Ordering::Equal if op.unit_diagonal => Complex64::ONE,
                std::cmp::Ordering::Equal => x,
                std::cmp::Ordering::Less if op.upper => x,
                std::cmp::Ordering::Greater if !op.upper => x,
                _ => Complex64::ZERO,
            }
        };
        (0..n * n)
            .map(|at| match op.transposition {
                Transposition::None => entry(at / n, at % n),
                Transposition::Transpose => entry(at % n, at / n),
                Transposition::Adjoint => entry(at % n, at / n).conj(),
            })
            .collect()
    }

    #[test]
    fn solutions_satisfy_the_equations() {
        let (n, m) = (3, 2);
        let [re, im] =
            [[2.0, 1.0, 3.0, -1.0, 4.0, 2.0, 5.0, -2.0, 8.0], [1.0, -3.0, 2.0, 1.0, 2.0, -1.0, 2.0, 3.0, 4.0]]
                .map(|items| floats(DType::F64, [n, n], &items));
        let sides = [1.0, 2.0, -3.0, 4.0, 0.5, 6.0];
        for bits in 0..24 {
            let op = solve(bits & 1 > 0, bits & 2 > 0, bits & 4 > 0, Transposition::ALL[bits / 8]);
            let shape = if op.right { [m, n] } else { [n, m] };
            let b = floats(DType::F64, shape, &sides);
            let b_im = floats(DType::F64, shape, &sides.map(|x| 3.0 - x));
            for complex in [false, true] {
                let args = if complex {
                    vec![re.clone(), im.clone(), b.clone(), b_im.clone()]
                } else {
                    vec![re.clone(), b.clone()]
                };
                let out = eval(op.clone(), &args);
                let x = |at: usize| {
                    Complex64::new(out[0].get(at).to_f64(), if complex { out[1].get(at).to_f64() } else { 0.0 })
                };
                let a = read(&op, n, &re, complex.then_some(&im));
                for i in 0..shape[0] {
                    for j in 0..shape[1] {
                        let product: Complex64 = (0..n)
                            .map(|k| if op.right { x(i * n + k) * a[k * n + j] } else { a[i * n + k] * x(k * m + j) })
                            .sum();
                        let at = i * shape[1] + j;
                        let want = Complex64::new(sides[at], if complex { 3.0 - sides[at] } else { 0.0 });
                        assert!((product - want).norm() < 1e-12, "{op:?}: {product} is not {want}");
                    }
                }
            }
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let (a, b) = (Type::new(DType::F32, [2, 3, 3]), Type::new(DType::F32, [2, 2, 3]));
        let op = |right| solve(right, false, false, Transposition::None);
        assert_eq!(
            infer_error(op(false), &[&a, &b]),
            "needs columns of 3 elements for each matrix of f32[2, 3, 3], not f32[2, 2, 3]"
        );
        let short = Type::new(DType::F32, [2, 3]);
        assert_eq!(
            infer_error(op(true), &[&a, &short]),
            "needs rows of 3 elements for each matrix of f32[2, 3, 3], not f32[2, 3]"
        );
        assert_eq!(infer_error(op(true), &[&b, &b]), "needs square matrices, not 2 x 3");
        assert_eq!(
            infer_error(op(true), &[&a]),
            "takes 2 operands of real numbers or 4 parts of complex numbers, not 1"
        );
    }

    #[test]
    fn rules_hold() {
        let a = floats(DType::F64, [2, 2, 2], &[4.0, 0.0, 2.0, 10.0, 9.0, 0.0, 3.0, 2.0]);
        let b = count_up(DType::F64, [2, 2, 4]);
        let left = solve(false, false, false, Transposition::None);
        assert_eq!(
            left.rule(&[&a.ty, &b.ty], &[]).to_string(),
            "([a,b,c],[a,c,d])->([a,c,d]) {a=2,b=2,c=2,d=4} kinds={b:need_replication,c:need_replication} linear=[{1}]"
        );
        assert_rule_holds(left.clone(), &[a.clone(), b.clone()]);
        assert_rule_holds(left, &[a.clone(), a.clone(), b.clone(), b]);
        let b = count_up(DType::F64, [2, 4, 2]);
        assert_rule_holds(solve(true, false, false, Transposition::None), &[a, b]);
    }
}
