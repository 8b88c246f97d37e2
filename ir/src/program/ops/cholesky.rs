//! `cholesky`: the Cholesky factor of each matrix of a batch.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, batch_rule, results};
use crate::rule::Rule;
use crate::tensor::Tensor;
use partita_linalg::{Complex64, Matrix, Number, cholesky};

op! {
    /// The triangular Cholesky factor of each Hermitian matrix of a batch: `l` with `a = l * l^H`, or `u` with
    /// `a = u^H * u`. Reads the same triangle of `a`; the other triangle of the result is zero. The factor of a matrix
    /// that is not positive definite is NaN. Operands: real parts, and imaginary parts of complex matrices.
    Cholesky = "cholesky" {
        /// The factor is upper triangular.
        "upper" upper: bool,
    }
}

impl Operation for Cholesky {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let a = MatrixBatch::square(args)?;
        results(a.numbers([a.rows, a.cols]))
    }

    fn class(&self) -> Class<'_> {
        Class::LinearAlgebra
    }

    /// The batch passes through; matrices are replicated.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        batch_rule(args[0].shape.rank() - 2, args, outs)
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        let Ok(a) = MatrixBatch::from_parts(args) else { return 0 };
        let n = a.rows as f64;
        a.flops(n * n * n / 3.0)
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        match args.len() {
            1 => self.evaluate::<f64>(args, outs),
            _ => self.evaluate::<Complex64>(args, outs),
        }
    }
}

impl Cholesky {
    fn evaluate<T: Number>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let batch = outs[0].shape.rank() - 2;
        let numbers = Numbers::<T>::from_parts(args, batch);
        Ok(Results::collect(outs, batch, |results, position| {
            let a = numbers.matrix(position);
            let a = if self.upper { a.adjoint() } else { a };
            let l = cholesky(&a).unwrap_or_else(|| Matrix::nan(a.rows, a.cols));
            results.numbers(0, if self.upper { l.adjoint() } else { l }.data.as_slice());
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats, infer_error};

    #[test]
    fn factors_one_triangle() {
        // The other triangle is not read.
        let a = floats(DType::F32, [2, 2], &[4.0, 99.0, 2.0, 10.0]);
        assert_eq!(eval(Cholesky { upper: false }, &[a]), [floats(DType::F32, [2, 2], &[2.0, 0.0, 1.0, 3.0])]);
        let a = floats(DType::F64, [2, 2], &[4.0, 2.0, 99.0, 10.0]);
        assert_eq!(eval(Cholesky { upper: true }, &[a]), [floats(DType::F64, [2, 2], &[2.0, 1.0, 0.0, 3.0])]);
    }

    #[test]
    fn factors_complex_matrices() {
        // [[1, 0], [i, 2]] * [[1, -i], [0, 2]] = [[1, -i], [i, 5]].
        let re = floats(DType::F64, [2, 2], &[1.0, 0.0, 0.0, 5.0]);
        let im = floats(DType::F64, [2, 2], &[0.0, -1.0, 1.0, 0.0]);
        let lower =
            [floats(DType::F64, [2, 2], &[1.0, 0.0, 0.0, 2.0]), floats(DType::F64, [2, 2], &[0.0, 0.0, 1.0, 0.0])];
        assert_eq!(eval(Cholesky { upper: false }, &[re.clone(), im.clone()]), lower);
        let upper =
            [floats(DType::F64, [2, 2], &[1.0, 0.0, 0.0, 2.0]), floats(DType::F64, [2, 2], &[0.0, -1.0, 0.0, 0.0])];
        assert_eq!(eval(Cholesky { upper: true }, &[re, im]), upper);
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        let a = floats(DType::F64, [2, 2, 2], &[1.0, 0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
        let l = eval(Cholesky { upper: false }, &[a]).remove(0);
        assert!(l.scalars().take(4).all(|x| x.to_f64().is_nan()));
        assert!(l.scalars().skip(4).map(|x| x.to_f64()).eq([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(eval(Cholesky { upper: false }, &[floats(DType::F32, [3, 0, 0], &[])])[0].ty.shape[..], [3, 0, 0]);
    }

    #[test]
    fn mismatches_are_errors() {
        let error = |args: &[&Type]| infer_error(Cholesky { upper: false }, args);
        let (a, b) = (Type::new(DType::F32, [2, 2]), Type::new(DType::F64, [2, 2]));
        assert_eq!(error(&[]), "takes numbers in 1 or 2 parts, not 0");
        assert_eq!(error(&[&a, &b]), "real and imaginary parts must have one type, not f32[2, 2] and f64[2, 2]");
        assert_eq!(error(&[&Type::new(DType::I32, [2, 2])]), "needs floats, not i32[2, 2]");
        assert_eq!(error(&[&Type::new(DType::F32, [2])]), "needs matrices, and f32[2] has fewer than 2 dimensions");
        assert_eq!(error(&[&Type::new(DType::F32, [2, 3])]), "needs square matrices, not 2 x 3");
    }

    #[test]
    fn rules_hold() {
        let a = floats(DType::F64, [2, 2, 2], &[4.0, 0.0, 2.0, 10.0, 9.0, 0.0, 3.0, 2.0]);
        let rule = Cholesky { upper: false }.rule(&[&a.ty], &[&a.ty]);
        let kinds = "b:need_replication,c:need_replication,d:need_replication,e:need_replication";
        assert_eq!(rule.to_string(), format!("([a,b,c])->([a,d,e]) {{a=2,b=2,c=2,d=2,e=2}} kinds={{{kinds}}}"));
        assert_rule_holds(Cholesky { upper: false }, &[a]);
    }
}
